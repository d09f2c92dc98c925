"""A folder that Hugging Face ``datasets`` loads without a loading script."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

from commonground.errors import SourceError
from commonground.export.base import Export, Option, Options
from commonground.export.loss import Carried, Loss, carry_all
from commonground.export.selection import Selection
from commonground.schema import TABLE_NAMES, TABLES
from commonground.store.pictures import Missing, PictureFolder

_ORDER = "order of dialogues across splits"
_FEATURES = {_ORDER: "Rows are kept by split; within a split they are in the order of the files."}

_PICTURES = 32
"""Pictures in memory at a time."""

_IMAGE_FEATURE = {b"huggingface": b'{"info": {"features": {"image": {"_type": "Image"}}}}'}
"""What ``datasets`` reads of a file's schema to know that a column holds pictures."""

UNSPLIT = "unsplit"
"""Split of the rows that are in none."""


def write(selection: Selection, out: Path, options: Options) -> Loss:
    """Writes ``data/CONFIG/SPLIT-00000-of-00001.parquet`` and ``README.md``."""
    from commonground.export.hf_card import render_card

    splits = _Splits(selection)
    style = _Style(selection, as_text=options["json_columns"] == "text", images=options["images"])
    names = [name for name in TABLE_NAMES if name != "native" or options["native"]]
    rows: dict[str, dict[str, int]] = {}
    # Arrow works without Python's lock, so that a second table can be read and compressed.
    with ThreadPoolExecutor(2) as pool:
        written = pool.map(partial(_write_config, selection, splits, style, out), names)
        for name, found in zip(names, written, strict=True):
            selection.report(len(rows), len(names))
            if found:
                rows[name] = found
    card = render_card(selection, rows, splits.legal, as_text=options["json_columns"] == "text")
    (out / "README.md").write_text(card, encoding="utf-8")
    return splits.loss()


def _write_config(
    selection: Selection, splits: _Splits, style: _Style, out: Path, name: str
) -> dict[str, int]:
    """Writes one configuration and returns its rows by split."""
    from commonground.export.nesting import nest_dialogues

    with _Configuration(out, name) as config:
        for corpus in selection.corpora:
            nested = name == "dialogues"
            found = nest_dialogues(selection, corpus) if nested else selection.batches(corpus, name)
            for part in found:
                for rows in style.apply(corpus, name, part):
                    config.write(rows, splits.of(corpus, rows))
    return config.rows


class _Style:
    """Turns rows of the store into rows of the types that ``datasets`` has.

    Args:
        selection: what is exported.
        as_text: leave JSON as text.
        images: ``embed`` for the bytes of pictures, ``link`` for the paths of their files, and
            ``none``.
    """

    def __init__(self, selection: Selection, *, as_text: bool, images: str) -> None:
        self._as_text = as_text
        self._embeds = images == "embed"
        self._folders = {
            corpus: PictureFolder(Path(folder))
            for corpus in selection.corpora
            if (folder := selection.store.manifests[corpus].images) and images != "none"
        }

    def apply(self, corpus: str, name: str, rows: Any) -> Iterator[Any]:
        """Yields the rows of a configuration, those with pictures a few at a time."""
        typed = rows if self._as_text else rows.cast(_with_json(name, rows.schema))
        if name != "objects" or not self._folders:
            yield typed
            return
        for start in range(0, typed.num_rows, _PICTURES):
            part = typed.slice(start, _PICTURES)
            yield self._add_pictures(part, self._folders.get(corpus) or PictureFolder(None))

    def _add_pictures(self, rows: Any, folder: PictureFolder) -> Any:
        from commonground.store.arrow import pa

        pictures = [self._picture(folder, uri) for uri in rows.column("uri").to_pylist()]
        field = pa.field("image", pa.struct([("bytes", pa.binary()), ("path", pa.string())]))
        schema = rows.schema.append(field).with_metadata(_IMAGE_FEATURE)
        arrays = [*rows.columns, pa.array(pictures, field.type)]
        return pa.RecordBatch.from_arrays(arrays, schema=schema)

    def _picture(self, folder: PictureFolder, uri: str | None) -> dict[str, Any] | None:
        found = folder.find(uri)
        if isinstance(found, Missing):
            return None
        if not self._embeds:
            return {"bytes": None, "path": str(found.path)}
        try:
            return {"bytes": found.path.read_bytes(), "path": found.path.name}
        except OSError as error:
            advice = "Mend it, or give --images none."
            raise SourceError(f"{found.path} cannot be read: {error.strerror}.", advice) from error


def _with_json(name: str, schema: Any) -> Any:
    """Returns a schema whose JSON columns, also those in lists, have Arrow's type of JSON."""
    from commonground.store.arrow import pa

    names = {
        table.name: [c.name for c in table.columns if c.type == "json" and table.name != "native"]
        for table in TABLES
    }

    def convert(table: str, field: Any) -> Any:
        if pa.types.is_list(field.type):
            inner = [convert(field.name, each) for each in field.type.value_type]
            return field.with_type(pa.list_(pa.struct(inner)))
        return field.with_type(pa.json_()) if field.name in names[table] else field

    return pa.schema([convert(name, field) for field in schema])


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
    '`load_dataset(OUT, "events")` and so on a table of the store. JSON columns are `Json` '
    "features, which come as Python values (`datasets` from 4.8 on; `--json-columns text` leaves "
    "them text). `objects` has the pictures as `Image` features where `import --images` named "
    "their folder. Splits are the released ones; "
    f"what is in none is in `{UNSPLIT}`, and characters that `datasets` refuses become `_` "
    "(`fold-1` is `fold_1`; the column `split` keeps the released name).",
    carries=carries,
    write=write,
    features=_FEATURES,
    options=(
        Option(name="native", help="Add the released records as a table.", default=False),
        Option(
            name="json_columns",
            help="JSON columns as `Json` features, or as text for `datasets` before 4.8.",
            default="feature",
            choices=("feature", "text"),
        ),
        Option(
            name="images",
            help="Pictures of `objects` inside of the files, as paths on this machine, or none.",
            default="embed",
            choices=("embed", "link", "none"),
        ),
    ),
    example="hf OUT --corpus photobook",
)
