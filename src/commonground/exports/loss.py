"""What of the source does not fit a target format."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import msgspec

from commonground.errors import UsageError
from commonground.exports.selection import Selection
from commonground.schema import TABLE_NAMES, TABLES, Table, get_table

LossKind = Literal["table", "rows", "column", "feature"]

_PLACES = ("event", "segment", "object_id", "source_file", "source_path", "code")


class Lost(msgspec.Struct, frozen=True, kw_only=True):
    """One kind of thing that did not fit.

    Attributes:
        kind: a whole ``table``, the ``rows`` of a table in dialogues that are not written, the
            values of a ``column``, or a ``feature`` of the target.
        name: ``spans``, ``events of dialogues without utterances``, ``events.at_s``, or a few
            words.
        count: rows, values or places.
        example: one place: ``photobook/G12 event 4``.
        why: why it does not fit, in a sentence.
    """

    kind: LossKind
    name: str
    count: int
    example: str
    why: str


class Partly(msgspec.Struct, frozen=True, kw_only=True):
    """A column of which only some values are carried.

    Attributes:
        column: ``events.arguments``.
        lost: SQL condition of the rows whose value is lost.
        why: why it is lost.
    """

    column: str
    lost: str
    why: str


class Carried(msgspec.Struct, frozen=True, kw_only=True):
    """What a format has room for; every value outside it is counted as lost.

    A column whose value can be worked out from what is written (``dialogues.n_events``) is
    carried too.

    Attributes:
        columns: carried columns by table; a table that is not named is lost whole.
        partly: columns of which some values are lost nevertheless.
        counted: reasons by ``table`` or ``table.column`` of which the format counts itself, while
            it writes, what is lost; they stand in ``columns``, too.
        why: reasons by ``table`` or ``table.column``.
        otherwise: the reason for all that has none of its own.
    """

    columns: Mapping[str, Sequence[str]]
    partly: Sequence[Partly] = ()
    counted: Mapping[str, str] = {}
    why: Mapping[str, str] = {}
    otherwise: str = "The format has no place for it."

    def reason(self, table: str, column: str = "") -> str:
        """Returns why a table or a column is lost."""
        by_column = self.why.get(f"{table}.{column}")
        return by_column or self.why.get(table) or self.otherwise


def carry_all(*tables: str) -> dict[str, tuple[str, ...]]:
    """Returns all columns of some tables, or of all, for :attr:`Carried.columns`."""
    return {name: get_table(name).names for name in tables or TABLE_NAMES}


class Feature(msgspec.Struct, frozen=True):
    """Something beside columns that a format may lose, and counts itself.

    Attributes:
        why: why it does not fit, in a sentence.
        rows_of: tables whose rows are counted there, one by one; none where it counts anything
            else.
    """

    why: str
    rows_of: tuple[str, ...] = ()


class Loss:
    """Gathers what is lost; what has the same name is added up.

    Args:
        features: what the format may lose beside columns, by name.
    """

    def __init__(self, features: Mapping[str, Feature] | None = None) -> None:
        self._features = features or {}
        self._found: dict[tuple[LossKind, str], Lost] = {}
        self._left_out: dict[str, list[tuple[str, str]]] = {}

    def add(self, name: str, example: str, count: int = 1) -> None:
        """Counts one of the features.

        Args:
            name: of the feature.
            example: a place; that of the first is kept.
            count: how often; nothing is noted of 0.
        """
        self.add_as("feature", name, example, self._features[name].why, count)

    def add_as(self, kind: LossKind, name: str, example: str, why: str, count: int) -> None:
        """Counts something that does not fit; the first example and reason are kept.

        Args:
            kind: table, rows, column or feature.
            name: of the table or column (``events.at_s``), or a few words.
            example: a place.
            why: why it does not fit.
            count: how often; nothing is noted of 0.
        """
        if not count:
            return
        before = self._found.get((kind, name))
        self._found[kind, name] = (
            Lost(kind=kind, name=name, count=count, example=example, why=why)
            if before is None
            else msgspec.structs.replace(before, count=before.count + count)
        )

    def leave_out(self, name: str, corpus: str, dialogue_id: str) -> None:
        """Counts a dialogue that is not written; its rows are counted with the columns.

        Args:
            name: of the feature, which is such dialogues.
            corpus: name of the corpus.
            dialogue_id: id of the dialogue.
        """
        self.add(name, f"{corpus}/{dialogue_id}")
        self._left_out.setdefault(name, []).append((corpus, dialogue_id))

    def left_out(self) -> Mapping[str, Sequence[tuple[str, str]]]:
        """Returns corpus and id of the dialogues that are not written, by name of the loss."""
        return self._left_out

    def lost(self) -> list[Lost]:
        """Returns what was lost: tables, rows, columns, then features, largest first."""
        order = {"table": 0, "rows": 1, "column": 2, "feature": 3}
        return sorted(self._found.values(), key=lambda e: (order[e.kind], -e.count, e.name))


class NothingWrittenError(UsageError):
    """Nothing of what was chosen can be written as it was asked for.

    Args:
        message: what is not there.
        advice: what to ask for instead.
        loss: what was counted until then.

    Attributes:
        loss: what was counted until then, so that it can be shown.
    """

    def __init__(self, message: str, advice: str, loss: Loss) -> None:
        super().__init__(message, advice)
        self.loss = loss


def count_columns(selection: Selection, carried: Carried, loss: Loss) -> None:
    """Adds every value of the selection that a format has no room for.

    Args:
        selection: what was exported.
        carried: what the format has room for.
        loss: what is lost already, among it the dialogues that are not written.
    """
    for table in TABLES:
        if table.name in carried.columns:
            _count_values(selection, table, carried, loss)
            if table.name != "dialogues" and "dialogue_id" in table.names:
                _count_left_out(selection, table.name, loss)
        else:
            query = f"SELECT count(*), {_first_place(table)} FROM {selection.source(table.name)}"
            count, place = selection.rows(query)[0]
            if count:
                why = carried.reason(table.name)
                loss.add_as("table", table.name, _write_place(place), why, count)


def _count_left_out(selection: Selection, table: str, loss: Loss) -> None:
    """Adds the rows of a table that dialogues have which are not written."""
    import pyarrow.compute as pc

    from commonground.store.arrow import pa

    for name, places in loss.left_out().items():
        for corpus in dict.fromkeys(corpus for corpus, _ in places):
            ids = pa.array([one for of, one in places if of == corpus], pa.string())
            found = selection.table(corpus, table, ["dialogue_id"]).column(0).cast("string")
            rows = found.filter(pc.is_in(found, value_set=ids))
            if len(rows):
                what, example = f"{table} of {name}", f"{corpus}/{rows[0]}"
                # The name says of which loss these rows are; the reason stands with that.
                loss.add_as("rows", what, example, "See there.", len(rows))


def _count_values(selection: Selection, table: Table, carried: Carried, loss: Loss) -> None:
    left = [c for c in table.names if c not in carried.columns[table.name]]
    tests = [(c, f"{c} IS NOT NULL", carried.reason(table.name, c)) for c in left]
    for part in carried.partly:
        of_table, column = part.column.split(".")
        if of_table == table.name and column not in left:
            tests.append((column, f"{column} IS NOT NULL AND ({part.lost})", part.why))
    if not tests:
        return
    # All conditions are counted in one pass over the table.
    wanted = ", ".join(
        f"count(*) FILTER (WHERE {test}), {_first_place(table)} FILTER (WHERE {test})"
        for _, test, _ in tests
    )
    found = selection.rows(f"SELECT {wanted} FROM {selection.source(table.name)}")[0]
    for (column, _, why), count, place in zip(tests, found[::2], found[1::2], strict=True):
        if count:
            name = f"{table.name}.{column}"
            loss.add_as("column", name, _write_place(place), why, count)


def _first_place(table: Table) -> str:
    """Returns SQL for the first place among rows, whichever of several threads read them."""
    keys = [name for name in ("corpus", "dialogue_id", *_PLACES) if name in table.names]
    return f"min(struct_pack({', '.join(f'{key} := {key}' for key in keys)}))"


def _write_place(place: Mapping[str, Any]) -> str:
    """Writes a place as people read it: ``frames/d1 event 3``."""
    known = {key: value for key, value in place.items() if value is not None}
    corpus, dialogue = known.pop("corpus"), known.pop("dialogue_id", None)
    if dialogue is not None:
        # Beside a dialogue, only what says where in it; files and codes are for rows of none.
        known = {key: known[key] for key in ("event", "segment") if key in known}
    where = corpus if dialogue is None else f"{corpus}/{dialogue}"
    return " ".join([where, *(f"{key} {value}" for key, value in known.items())])
