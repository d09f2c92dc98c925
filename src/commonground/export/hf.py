"""A folder that Hugging Face ``datasets`` loads without a loading script."""

from __future__ import annotations

import re
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

from commonground.export.base import Export, Option, Options
from commonground.export.loss import Carried, Loss, carry_all
from commonground.export.selection import Selection
from commonground.schema import TABLE_NAMES

_ORDER = "order of dialogues across splits"
_FEATURES = {_ORDER: "Rows are kept by split; within a split they are in the order of the files."}

UNSPLIT = "unsplit"
"""Split of the rows that are in none."""


def write(selection: Selection, out: Path, options: Options) -> Loss:
    """Writes ``data/CONFIG/SPLIT-00000-of-00001.parquet`` and ``README.md``."""
    from commonground.export.hf_card import render_card

    splits = _Splits(selection)
    names = [name for name in TABLE_NAMES if name != "native" or options["native"]]
    rows: dict[str, dict[str, int]] = {}
    # Arrow works without Python's lock, so that a second table can be read and compressed.
    with ThreadPoolExecutor(2) as pool:
        written = pool.map(partial(_write_config, selection, splits, out), names)
        for name, found in zip(names, written, strict=True):
            selection.report(len(rows), len(names))
            if found:
                rows[name] = found
    (out / "README.md").write_text(render_card(selection, rows, splits.legal), encoding="utf-8")
    return splits.loss()


def _write_config(selection: Selection, splits: _Splits, out: Path, name: str) -> dict[str, int]:
    """Writes one configuration and returns its rows by split."""
    from commonground.export.nesting import nest_dialogues

    with _Configuration(out, name) as config:
        for corpus in selection.corpora:
            nested = name == "dialogues"
            found = nest_dialogues(selection, corpus) if nested else selection.batches(corpus, name)
            for part in found:
                config.write(part, splits.of(corpus, part))
    return config.rows


class _Splits:
    """The released split of every dialogue, under names that ``datasets`` allows."""

    def __init__(self, selection: Selection) -> None:
        from commonground.store.arrow import pa

        self._ids: dict[str, Any] = {}
        self._names: dict[str, Any] = {}
        self._selection = selection
        self.legal: dict[str | None, str] = {}
        for corpus in selection.corpora:
            table = selection.table(corpus, "dialogues", ["dialogue_id", "split"])
            self._ids[corpus] = table.column(0).combine_chunks()
            released = table.column(1).to_pylist()
            for name in dict.fromkeys(released):
                if name not in self.legal:
                    self.legal[name] = legal_split(name, self.legal.values())
            self._names[corpus] = pa.array([self.legal[name] for name in released])

    def of(self, corpus: str, rows: Any) -> Any:
        """Returns the legal name of the split of each row, as an Arrow array."""
        import pyarrow.compute as pc

        from commonground.store.arrow import pa

        if "dialogue_id" not in rows.schema.names:
            return pa.array([UNSPLIT] * rows.num_rows)
        ids = rows.column("dialogue_id")
        ranks = pc.index_in(ids, value_set=self._ids[corpus])
        return pc.fill_null(pc.take(self._names[corpus], ranks), UNSPLIT)

    def loss(self) -> Loss:
        """Counts what splitting changes."""
        loss = Loss()
        for corpus, names in self._names.items():
            example = f"{corpus}/{self._ids[corpus][0]}"
            count = _count_steps_back(names.to_pylist())
            loss.add(_ORDER, example, _FEATURES[_ORDER], count=count)
        return loss


def _count_steps_back(names: list[str]) -> int:
    """Counts the dialogues before which one of a later split stands."""
    order = {name: rank for rank, name in enumerate(dict.fromkeys(names))}
    ranks = [order[name] for name in names]
    return sum(before > after for before, after in pairwise(ranks))


def legal_split(name: str | None, taken: Iterable[str] = ()) -> str:
    """Returns a name for a split that ``datasets`` allows: word characters, not ``all``.

    Args:
        name: released name; null for no split.
        taken: names that are in use.
    """
    legal = re.sub(r"\W", "_", name, flags=re.ASCII) if name else UNSPLIT
    if legal == "all" or (name and legal == UNSPLIT):
        legal = f"{legal}_"
    used = set(taken)
    while legal in used:
        legal += "_"
    return legal


class _Configuration:
    """One configuration: a Parquet file per split, opened when its first rows come."""

    def __init__(self, out: Path, name: str) -> None:
        self._folder = out / "data" / name
        self._writers: dict[str, Any] = {}
        self.rows: dict[str, int] = {}

    def write(self, rows: Any, splits: Any) -> None:
        """Writes rows to the files of their splits."""
        import pyarrow.compute as pc

        for split in pc.unique(splits).to_pylist():
            of_split = rows.filter(pc.equal(splits, split))
            writer = self._writers.get(split) or self._open(split, rows.schema)
            writer.write(of_split)
            self.rows[split] = self.rows.get(split, 0) + of_split.num_rows

    def _open(self, split: str, schema: Any) -> Any:
        from commonground.store.arrow import pq

        self._folder.mkdir(parents=True, exist_ok=True)
        path = self._folder / f"{split}-00000-of-00001.parquet"
        self._writers[split] = pq.ParquetWriter(
            path, schema, compression="zstd", use_dictionary=_repeating(schema)
        )
        return self._writers[split]

    def __enter__(self) -> _Configuration:
        return self

    def __exit__(self, *_: object) -> None:
        for writer in self._writers.values():
            writer.close()


def _repeating(schema: Any) -> list[str]:
    """Returns the paths of the columns that are worth a dictionary, also inside of lists."""
    from commonground.store.columns import PLAIN_TEXT

    paths = []
    for field in schema:
        inner = getattr(field.type, "value_type", None)
        names = [field.name] if inner is None else [each.name for each in inner]
        prefix = "" if inner is None else f"{field.name}.list.element."
        paths += [f"{prefix}{name}" for name in names if name not in PLAIN_TEXT]
    return paths


def carries(options: Options) -> Carried:
    """Says that everything fits; the released records only where they are asked for."""
    columns = carry_all()
    if not options["native"]:
        del columns["native"]
    return Carried(columns=columns, why={"native": "Left out; --native brings it."})


EXPORT = Export(
    name="hf",
    title="A folder for Hugging Face datasets",
    summary="Parquet files by split and a dataset card with licence, terms and citation: "
    '`datasets.load_dataset(OUT, "dialogues")` gives whole dialogues with typed, nested columns, '
    '`load_dataset(OUT, "events")` and so on a table of the store. Splits are the released ones; '
    f"what is in none is in `{UNSPLIT}`, and characters that `datasets` refuses become `_` "
    "(`fold-1` is `fold_1`; the column `split` keeps the released name).",
    carries=carries,
    write=write,
    features=_FEATURES,
    options=(Option(name="native", help="Add the released records as a table.", default=False),),
    example="hf OUT --corpus photobook",
)
