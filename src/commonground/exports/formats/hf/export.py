"""A folder that Hugging Face ``datasets`` loads without a loading script."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec

from commonground.errors import SourceError
from commonground.exports.files import UNSPLIT, render_text
from commonground.exports.format import Export, Option
from commonground.exports.loss import Carried, Feature, Loss, carry_all
from commonground.exports.selection import Selection
from commonground.files.sources import safe_name
from commonground.schema import TABLE_NAMES, TABLES
from commonground.store.pictures import Missing, PictureFolder

_ORDER = "order of dialogues across splits"
_BROKEN = "pictures that cannot be shown"
_FEATURES = {
    _BROKEN: Feature("The file is damaged or is not a picture; its image is null."),
    _ORDER: Feature("Rows are kept by split; within a split they are in the order of the files."),
}

_PICTURES = 32
"""Pictures in memory at a time."""

_HELD = 8 * 2**20
"""Bytes of a split's rows that are written at a time.

A store has a part for every few hundred dialogues. A row group for each of them would double the
files of small tables, and the time that it takes to write them.
"""

_IMAGE_FEATURE = {b"huggingface": b'{"info": {"features": {"image": {"_type": "Image"}}}}'}
"""What ``datasets`` reads of a file's schema to know that a column holds pictures."""


class Additions(msgspec.Struct, frozen=True, kw_only=True):
    """What the card of a published repository says beyond that of an export.

    Attributes:
        licence: of the whole, as manifests state it; empty for those of the corpora.
        configs: further configurations with their rows by split, as of :data:`RowCounts`.
        text: Markdown at the end.
    """

    licence: str = ""
    configs: Mapping[str, Mapping[str, int]] = {}
    text: str = ""


NO_ADDITIONS = Additions()


def write(
    selection: Selection,
    out: Path,
    *,
    native: bool,
    json_columns: str,
    images: str,
    additions: Additions = NO_ADDITIONS,
) -> Loss:
    """Writes ``data/CONFIG/SPLIT-00000-of-00001.parquet`` and ``README.md``.

    ``EXPORT`` explains the options.
    """
    splits = _Splits(selection)
    as_text = json_columns == "text"
    names = [name for name in TABLE_NAMES if name != "native" or native]
    types = _DatasetTypes(selection, as_text=as_text, images=images)
    rows = _write_configs(selection, splits, types, out, names)
    card = _render_card(selection, rows, splits.legal, as_text=as_text, additions=additions)
    (out / "README.md").write_text(card, encoding="utf-8")
    loss = splits.loss()
    if images != "none":
        _count_broken(selection, loss)
    return loss


def _count_broken(selection: Selection, loss: Loss) -> None:
    """Counts the objects whose pictures cannot be shown."""
    for corpus in selection.corpora:
        pictures = selection.store.corpus(corpus).pictures
        for batch in selection.batches(corpus, "objects"):
            ids, uris = (batch.column(name).to_pylist() for name in ("object_id", "uri"))
            for object_id, uri in zip(ids, uris, strict=True):
                found = pictures.find(uri)
                if isinstance(found, Missing) and found.broken:
                    loss.add(_BROKEN, f"{corpus}/{object_id}")


def _write_configs(
    selection: Selection, splits: _Splits, types: _DatasetTypes, out: Path, names: Sequence[str]
) -> dict[str, dict[str, int]]:
    """Writes configurations and returns the rows of each by split."""
    rows: dict[str, dict[str, int]] = {}
    # Arrow works without Python's lock, so that a second table can be read and compressed.
    with ThreadPoolExecutor(2) as pool:
        written = pool.map(partial(_write_config, selection, splits, types, out), names)
        for name, found in zip(names, written, strict=True):
            selection.report(len(rows), len(names))
            # A configuration without rows has no file that the card could name.
            if found:
                rows[name] = found
    return rows


def _write_config(
    selection: Selection, splits: _Splits, types: _DatasetTypes, out: Path, name: str
) -> dict[str, int]:
    """Writes one configuration and returns its rows by split."""
    from commonground.exports.formats.hf.nesting import nest_dialogues

    with _Configuration(out, name) as config:
        for corpus in selection.corpora:
            nested = name == "dialogues"
            found = nest_dialogues(selection, corpus) if nested else selection.batches(corpus, name)
            for part in found:
                for rows in types.apply(corpus, name, part):
                    config.add(rows, splits.of(corpus, rows))
    return config.rows


class _DatasetTypes:
    """Turns rows of the store into rows of the types that ``datasets`` has.

    Args:
        as_text: leave JSON as text.
        images: ``embed`` for the bytes of pictures, ``link`` for the paths of their files, and
            ``none``.
    """

    def __init__(self, selection: Selection, *, as_text: bool, images: str) -> None:
        self._as_text = as_text
        self._embeds = images == "embed"
        self._folders = {
            corpus: selection.store.corpus(corpus).pictures
            for corpus in selection.corpora
            if selection.store.manifests[corpus].images and images != "none"
        }

    def apply(self, corpus: str, name: str, rows: Any) -> Iterator[Any]:
        """Yields the rows of a configuration, those with pictures a few at a time.

        ``name`` is that of a table; ``rows`` are an Arrow table or a record batch.
        """
        typed = rows if self._as_text else rows.cast(_with_json(name, rows.schema))
        if name != "objects" or not self._folders:
            yield typed
            return
        for start in range(0, typed.num_rows, _PICTURES):
            part = typed.slice(start, _PICTURES)
            # Also where this corpus has no folder: all files of a configuration must have the same
            # columns.
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
            # `datasets` opens the path when the row is read.
            path = str(found.path)
            if safe_name(path) != path:
                advice = "Rename it, or give --images embed."
                raise SourceError(f"{safe_name(path)} has a name that is not UTF-8.", advice)
            return {"bytes": None, "path": path}
        try:
            return {"bytes": found.path.read_bytes(), "path": found.name.rpartition("/")[2]}
        except OSError as error:
            advice = "Repair it, or give --images none."
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
            # Objects, entries and the like are of no dialogue, and so of no split.
            return pa.array([UNSPLIT] * rows.num_rows)
        ids = rows.column("dialogue_id")
        # A row of no dialogue has no rank; `take` hands the null on, which then means no split.
        ranks = pc.index_in(ids, value_set=self._ids[corpus])
        return pc.fill_null(pc.take(self._names[corpus], ranks), UNSPLIT)

    def loss(self) -> Loss:
        """Counts the dialogues that stand in another order once there is a file per split."""
        loss = Loss(_FEATURES)
        for corpus, names in self._names.items():
            of_dialogues = names.to_pylist()
            rank = {name: number for number, name in enumerate(dict.fromkeys(of_dialogues))}
            # Those before which one of a later split stands.
            count = sum(rank[before] > rank[after] for before, after in pairwise(of_dialogues))
            loss.add(_ORDER, f"{corpus}/{self._ids[corpus][0]}", count)
        return loss


def legal_split(name: str | None, taken: Iterable[str] = ()) -> str:
    """Returns a name for a split that ``datasets`` allows: word characters, not ``all``.

    Its pattern is ``_split_re`` of ``datasets/naming.py``; ``all`` is its word for every split.
    ``name`` is the released one; None stands for no split.
    """
    legal = re.sub(r"\W", "_", name, flags=re.ASCII) if name else UNSPLIT
    # Our own name for dialogues without a split must not be taken for a released one.
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
        self._held: dict[str, list[Any]] = {}
        self.rows: dict[str, int] = {}

    def add(self, rows: Any, splits: Any) -> None:
        """Takes an Arrow table or record batch, and writes the rows of a split once they are many.

        ``splits`` has the legal name of the split of each row, as an Arrow array.
        """
        import pyarrow.compute as pc

        from commonground.store.arrow import pa

        table = rows if isinstance(rows, pa.Table) else pa.Table.from_batches([rows])
        for split in pc.unique(splits).to_pylist():
            of_split = table.filter(pc.equal(splits, split))
            held = self._held.setdefault(split, [])
            held.append(of_split)
            self.rows[split] = self.rows.get(split, 0) + of_split.num_rows
            if sum(each.nbytes for each in held) >= _HELD:
                self._write(split)

    def _write(self, split: str) -> None:
        from commonground.store.arrow import pa

        rows = pa.concat_tables(self._held.pop(split))
        writer = self._writers.get(split) or self._open(split, rows.schema)
        writer.write_table(rows)

    def _open(self, split: str, schema: Any) -> Any:
        from commonground.store.arrow import pq

        self._folder.mkdir(parents=True, exist_ok=True)
        # Named as ``datasets`` names shards; the viewer of the hub knows splits by it.
        path = self._folder / f"{split}-00000-of-00001.parquet"
        self._writers[split] = pq.ParquetWriter(
            path, schema, compression="zstd", use_dictionary=_repeating(schema)
        )
        return self._writers[split]

    def __enter__(self) -> _Configuration:
        return self

    def __exit__(self, error: type[BaseException] | None, *_: object) -> None:
        try:
            # After an error the rest is not written: the folder is thrown away.
            for split in list(self._held) if error is None else ():
                self._write(split)
        finally:
            for writer in self._writers.values():
                writer.close()


def _repeating(schema: Any) -> list[str]:
    """Returns the paths of the columns that are worth a dictionary, also inside of lists."""
    from commonground.store.tables.columns import HARDLY_REPEATING

    paths = []
    for field in schema:
        inner = getattr(field.type, "value_type", None)
        names = [field.name] if inner is None else [each.name for each in inner]
        # The path of a nested column as Parquet spells it, which is what its writer asks for.
        prefix = "" if inner is None else f"{field.name}.list.element."
        paths += [f"{prefix}{name}" for name in names if name not in HARDLY_REPEATING]
    return paths


_LICENCES = {
    "CC BY 4.0": "cc-by-4.0",
    "CC BY-SA 4.0": "cc-by-sa-4.0",
    "CC BY-NC 4.0": "cc-by-nc-4.0",
    "CC BY-NC-SA 4.0": "cc-by-nc-sa-4.0",
    "CC0 1.0": "cc0-1.0",
    "none stated": "unknown",
}
"""Licences as our manifests state them, by the identifiers of the card's format."""

LICENCE_URLS = {
    "CC0 1.0": "https://creativecommons.org/publicdomain/zero/1.0/",
    **{
        f"CC {name.upper()} 4.0": f"https://creativecommons.org/licenses/{name}/4.0/"
        for name in ("by", "by-sa", "by-nc", "by-nc-sa")
    },
}
"""Where licences can be read, by the name that manifests give them."""

_OWN_CHATS = "chats"

_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (10**6, "100K<n<1M"))

RowCounts = Mapping[str, Mapping[str, int]]
"""How many rows there are, by configuration and split."""


def _render_card(
    selection: Selection,
    rows: RowCounts,
    splits: Mapping[str | None, str],
    *,
    as_text: bool,
    additions: Additions,
) -> str:
    """Returns ``README.md``: a YAML head that ``datasets`` reads, and text for people.

    ``splits`` has the names of the splits here by their released ones, under None that of dialogues
    in no split.
    """
    manifests = list(selection.manifests.values())
    licences = [additions.licence] if additions.licence else [each.licence for each in manifests]
    stated = list(dict.fromkeys(licences))
    count = sum(rows["dialogues"].values())
    return render_text(
        "formats/hf/card.md",
        title=", ".join(manifest.title for manifest in manifests),
        licences=[_LICENCES.get(each, "other") for each in stated],
        others=[each for each in stated if each not in _LICENCES],
        link=LICENCE_URLS.get(stated[0]),
        english=all(each.name != _OWN_CHATS for each in manifests),  # all released ones are
        size=next((name for limit, name in _SIZES if count < limit), "n>1M"),
        configs={**rows, **additions.configs},
        order_splits=order_splits,
        manifests=manifests,
        as_text=as_text,
        row_of={table.name: table.row for table in TABLES} | {"dialogues": "a dialogue, whole"},
        splits=splits,
        more=additions.text,
    )


def order_splits(names: Iterable[str]) -> list[str]:
    """Puts splits in the order in which people name them: training, development, test, others."""

    def rank(name: str) -> tuple[int, list[tuple[str, int]]]:
        first = next((n for n, begin in enumerate(_SPLIT_ORDER) if name.startswith(begin)), 9)
        # Numbers in order of their size: fold_10 comes after fold_9.
        return first, [(text, int(n or 0)) for text, n in re.findall(r"(\D*)(\d*)", name)]

    return sorted(names, key=rank)


_SPLIT_ORDER = ("train", "val", "dev", "devtest", "test")


def carries(**options: Any) -> Carried:
    """Says that everything fits; the released records only where they are asked for."""
    columns = carry_all()
    if not options["native"]:
        del columns["native"]
    return Carried(columns=columns, why={"native": "Left out; --native includes it."})


EXPORT = Export(
    name="hf",
    title="A folder for Hugging Face datasets",
    summary="Parquet files by split and a dataset card with licence, terms and citation: "
    '`datasets.load_dataset(OUT, "dialogues")` gives whole dialogues with typed, nested columns, '
    '`load_dataset(OUT, "events")` and so on a table of the store. JSON columns are `Json` '
    "features, which come as Python values (`datasets` from 4.8 on; `--json-columns text` leaves "
    "them text). `objects` has the pictures as `Image` features where `import --images` named "
    "their folder. Splits are the released ones; "
    f"dialogues without one are in `{UNSPLIT}`, and characters that `datasets` refuses become `_` "
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
            help="Pictures of `objects` inside the files, as paths on this machine, or none.",
            default="embed",
            choices=("embed", "link", "none"),
        ),
    ),
    example="hf OUT --corpus photobook",
)
