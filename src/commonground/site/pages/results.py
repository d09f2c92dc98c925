"""Evaluation results: what was predicted beside what was to be, instance by instance."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Literal

import msgspec

from commonground.errors import FormatError, SourceError, UsageError, close_names
from commonground.site.corpora import OpenCorpora
from commonground.site.pages.paging import Paging, cut_page
from commonground.store.arrow import pa, pq

Only = Literal["all", "wrong", "right"]
ONLY: tuple[Only, ...] = ("all", "wrong", "right")
INSTANCES = 50
"""Instances of a page."""

_ADVICE = "Write it with: commonground evaluate TASK --predictions ANSWERS --per-instance FILE"
_NEEDED = ("instance_id", "dialogue_id", "gold", "predicted")


class ResultRow(msgspec.Struct, frozen=True, kw_only=True):
    """One scored instance.

    Attributes:
        instance_id: its id.
        dialogue_id: its dialogue.
        corpus: corpus of the dialogue; None where none of the store has it.
        event: event it is about; None where the file does not say.
        right: whether the prediction equals what was to be predicted.
        gold: what was to be predicted.
        predicted: what was predicted.
        counts: its counts, by measure.
    """

    instance_id: str
    dialogue_id: str
    corpus: str | None
    event: int | None
    right: bool
    gold: Any
    predicted: Any
    counts: dict[str, Any]


class ResultsPage(msgspec.Struct, frozen=True, kw_only=True):
    """The instances of a file.

    Attributes:
        file: name of the file.
        only: which of them are listed.
        n_right: instances whose prediction equals the gold.
        n_wrong: the others.
        measures: names of the measures.
        paging: which part of the list this is.
        rows: those listed.
    """

    file: str
    only: Only
    n_right: int
    n_wrong: int
    measures: list[str]
    paging: Paging
    rows: list[ResultRow]


class ResultFile:
    """A file of scored instances, as ``commonground evaluate --per-instance`` writes it.

    Args:
        path: the Parquet file.

    Raises:
        SourceError: it cannot be read.
        FormatError: it lacks a column.
    """

    def __init__(self, path: Path) -> None:
        if not path.is_file():
            raise SourceError(f"There is no file {path}.", _ADVICE)
        try:
            table = pq.read_table(path)
        except (OSError, pa.ArrowException) as error:
            raise SourceError(f"{path} cannot be read as a Parquet file.", _ADVICE) from error
        missing = [name for name in _NEEDED if name not in table.column_names]
        if missing:
            raise FormatError(
                f"{path} has no column {missing[0]!r}.",
                _ADVICE,
            )
        self.name = path.name
        self.measures = [n for n in table.column_names if n not in (*_NEEDED, "event")]
        self._table = table
        gold, predicted = table["gold"].to_pylist(), table["predicted"].to_pylist()
        # As values, not as texts: two writers may order the keys of an object differently.
        same = [_parse(a) == _parse(b) for a, b in zip(gold, predicted, strict=True)]
        self.numbers: dict[Only, list[int]] = {
            "all": list(range(len(same))),
            "right": [i for i, each in enumerate(same) if each],
            "wrong": [i for i, each in enumerate(same) if not each],
        }

    def rows(self, numbers: list[int]) -> list[dict[str, Any]]:
        """Returns some rows, column by name."""
        found: list[dict[str, Any]] = self._table.take(numbers).to_pylist()
        return found


def build_results_page(
    corpora: OpenCorpora, file: ResultFile, *, only: str = "all", page: int = 1
) -> ResultsPage:
    """Lists instances.

    Args:
        corpora: those that are shown; the dialogues of the instances are looked for in them.
        file: the scored instances.
        only: which of them, one of :data:`ONLY`.
        page: which part of the list, from 1.

    Raises:
        UsageError: there is no such filter or page.
    """
    chosen = next((each for each in ONLY if each == only), None)
    if chosen is None:
        raise UsageError(f"There is no filter {only!r}.", close_names(only, ONLY))
    numbers = file.numbers[chosen]
    paging = cut_page(len(numbers), page, INSTANCES)
    shown = numbers[max(0, paging.first - 1) : paging.last]
    return ResultsPage(
        file=file.name,
        only=chosen,
        n_right=len(file.numbers["right"]),
        n_wrong=len(file.numbers["wrong"]),
        measures=file.measures,
        paging=paging,
        rows=[_row(corpora, file, each) for each in file.rows(shown)],
    )


def _row(corpora: OpenCorpora, file: ResultFile, row: dict[str, Any]) -> ResultRow:
    gold, predicted = _parse(row["gold"]), _parse(row["predicted"])
    dialogue_id = str(row["dialogue_id"])
    return ResultRow(
        instance_id=str(row["instance_id"]),
        dialogue_id=dialogue_id,
        # A file of results does not say its corpus, and may speak of one that is not shown; then
        # the row has no link.
        corpus=next((c.name for c in corpora if dialogue_id in c.index.blocks.ordinals), None),
        event=row.get("event"),
        right=gold == predicted,
        gold=gold,
        predicted=predicted,
        counts={name: _parse(row[name]) for name in file.measures if row[name] is not None},
    )


def _parse(text: Any) -> Any:
    try:
        return json.loads(text) if isinstance(text, str) else text
    except ValueError:
        return text
