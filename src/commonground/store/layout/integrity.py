"""Whether a store is what its manifests say.

Opening an import looks at the size of every part (:func:`find_damage`), which costs microseconds.
Verifying reads everything and joins the tables (:func:`verify_import`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from commonground.errors import StoreError
from commonground.files.listings import hash_file
from commonground.printing import count_of
from commonground.schema import TABLES, get_table
from commonground.store.layout.manifest import (
    PartFile,
    StoreManifest,
    data_folder,
    import_command,
    part_files,
)
from commonground.store.layout.mirrors import name_store

if TYPE_CHECKING:
    from commonground.store.sql.query import Database

Progress = Callable[[int, int], None]
"""Called with bytes read, and bytes to read in all."""


class Damage(msgspec.Struct, frozen=True):
    """Something in a store, a part file or a table, that is not as its manifest says."""

    corpus: str
    where: str
    what: str


def find_damage(store: Path, manifest: StoreManifest) -> Damage | None:
    """Returns the first part that is not there or not of its size; None where all are."""
    return _look_at_all(store, manifest, manifest.parts)


def require_whole_index(store: Path, manifest: StoreManifest) -> None:
    """Refuses an index of which a file is not there, or not of its size.

    Raises:
        StoreError: it is such a one.
    """
    damage = _look_at_all(store, manifest, manifest.index)
    if damage is not None:
        raise damaged_error(store, manifest, damage)


def _look_at_all(store: Path, manifest: StoreManifest, files: Iterable[PartFile]) -> Damage | None:
    folder = data_folder(store, manifest)
    return next(filter(None, (_look_at(folder, manifest, file) for file in files)), None)


def _look_at(folder: Path, manifest: StoreManifest, part: PartFile) -> Damage | None:
    try:
        size = (folder / part.name).stat().st_size
    except OSError as error:
        missing = isinstance(error, FileNotFoundError)
        what = "is missing" if missing else f"cannot be read: {error.strerror}"
        return Damage(manifest.corpus, part.name, what)
    if size == part.size:
        return None
    what = f"has {count_of(size, 'byte')}, and {part.size:,} were written"
    return Damage(manifest.corpus, part.name, what)


def damaged_error(store: Path, manifest: StoreManifest, damage: Damage | None = None) -> StoreError:
    """Makes the error for a damaged import, by default that of what :func:`find_damage` finds."""
    damage = damage or find_damage(store, manifest)
    corpus = manifest.corpus
    what = f"{damage.where} {damage.what}" if damage else "its data folder cannot be opened"
    return StoreError(
        f"The import of {corpus} in {name_store(store)} is damaged: {what}.",
        f"To repair it, import the same files again: {import_command(corpus, store)}",
    )


def unreadable_error(path: Path, error: Exception) -> StoreError:
    """Makes the error for a part that is of its size and cannot be read."""
    # Parts lie at STORE/CORPUS/DATA/PART.
    corpus = path.parents[1].name
    reason = str(error).strip().splitlines()[0]
    return StoreError(
        f"The import of {corpus} in {name_store(path.parents[2])} is damaged: {path.name} cannot be"
        f" read: {reason}.",
        f"To repair it, import the same files again: {import_command(corpus, path.parents[2])}",
    )


@contextmanager
def open_part(path: Path) -> Iterator[Any]:
    """Opens a part for reading, as a ``pyarrow.parquet.ParquetFile``.

    Raises:
        StoreError: it cannot be read, now or within the block.
    """
    from commonground.store.arrow import pa, pq

    try:
        # Without checksums a flipped bit in a page is read as another value, with no error.
        with pq.ParquetFile(path, page_checksum_verification=True) as file:
            yield file
    except (OSError, pa.ArrowException) as error:
        raise unreadable_error(path, error) from error


def is_sound(store: Path, manifest: StoreManifest) -> bool:
    """Tells whether every part has the bytes that were written."""
    return not any(_check_bytes(store, manifest, lambda _count: None))


def _check_bytes(
    store: Path, manifest: StoreManifest, step: Callable[[int], None]
) -> Iterator[Damage]:
    folder = data_folder(store, manifest)
    for part in manifest.files:
        damage = _look_at(folder, manifest, part)
        if damage is None:
            try:
                if hash_file(folder / part.name) != part.sha256:
                    what = "has other bytes than were written"
                    damage = Damage(manifest.corpus, part.name, what)
            except OSError as error:
                what = f"cannot be read: {error.strerror}"
                damage = Damage(manifest.corpus, part.name, what)
        if damage is not None:
            yield damage
        step(part.size)


def verify_import(
    store: Path, manifest: StoreManifest, progress: Progress | None = None
) -> Iterator[Damage]:
    """Yields everything that is wrong with an import.

    Each part is there, has the bytes that were written, and is Parquet with the columns of its
    table and as many rows as the manifest says. No other file is among them. Then, if the parts
    are whole, the tables fit together: ids of dialogues and objects are unique, events are
    numbered from 0 without a gap, and what points at a dialogue, an event or a speaker points at
    one that is there, and labels stand at the events that they were given to.
    """
    total = sum(part.size for part in manifest.files)
    done = 0

    def step(count: int) -> None:
        nonlocal done
        done += count
        if progress is not None:
            progress(done, total)

    damages = list(_check_bytes(store, manifest, step))
    yield from damages
    yield from _find_strangers(store, manifest)
    if not damages:
        damages = list(_check_parquet(store, manifest))
        yield from damages
    if not damages:
        yield from _check_counts(manifest)
        yield from _check_tables(store, manifest)
        yield from _check_labels(store, manifest)


def _check_labels(store: Path, manifest: StoreManifest) -> Iterator[Damage]:
    from commonground.store.label_places import count_strays, read_hashes, rows_of

    for layer in manifest.layers:
        rows = list(rows_of(data_folder(store, manifest) / layer.part))
        dialogues = {row["dialogue_id"] for row in rows}
        strays = count_strays(rows, read_hashes(part_files(store, manifest, "events"), dialogues))
        if strays:
            what = f"has {count_of(strays, 'label')} of layer {layer.name} at other events than"
            yield Damage(manifest.corpus, layer.part, f"{what} they were given to")


def _find_strangers(store: Path, manifest: StoreManifest) -> Iterator[Damage]:
    known = {part.name for part in manifest.parts}
    for path in sorted(data_folder(store, manifest).glob("*.parquet")):
        if path.name not in known:
            yield Damage(manifest.corpus, path.name, "is not part of the import")


def _check_parquet(store: Path, manifest: StoreManifest) -> Iterator[Damage]:
    from commonground.store.arrow import pa, pq
    from commonground.store.tables.columns import part_schema

    folder = data_folder(store, manifest)
    for part in manifest.parts:
        try:
            table = pq.read_table(folder / part.name)
        except (OSError, pa.ArrowException) as error:
            what = f"is not a readable Parquet file: {str(error).splitlines()[0]}"
            yield Damage(manifest.corpus, part.name, what)
            continue
        if table.schema.names != part_schema(part.table).names:
            what = f"has other columns than {part.table}: {', '.join(table.schema.names)}"
            yield Damage(manifest.corpus, part.name, what)
        if table.num_rows != part.rows:
            what = f"has {count_of(table.num_rows, 'row')}, and {part.rows:,} were written"
            yield Damage(manifest.corpus, part.name, what)


def _check_counts(manifest: StoreManifest) -> Iterator[Damage]:
    for table in TABLES:
        found = sum(part.rows for part in manifest.parts if part.table == table.name)
        said = manifest.counts.get(table.name, 0)
        if found != said:
            what = f"has {count_of(found, 'row')} in its parts, and {said:,} in all by the manifest"
            yield Damage(manifest.corpus, table.name, what)


_UNTIED = frozenset({"dialogues", "entries", "findings", "native"})
"""Tables whose rows may speak of what is in no other table: of records that were not converted, of
dialogues whose files are not at hand."""


def _check_tables(store: Path, manifest: StoreManifest) -> Iterator[Damage]:
    from commonground.store.sql.query import Database

    database = Database(store, {manifest.corpus: manifest})
    for table, what, query in _joins():
        count = _count(database, query)
        if count:
            yield Damage(manifest.corpus, table, f"has {count_of(count, 'row')} {what}")


def _count(database: Database, query: str) -> int:
    count: int = database.rows(f"SELECT count(*) FROM ({query})")[0][0]
    return count


def _joins() -> Iterator[tuple[str, str, str]]:
    """Yields a table, what its rows must not be, and the query that finds such rows."""
    for table, key in (("dialogues", "dialogue_id"), ("objects", "object_id")):
        query = f"SELECT {key} FROM {table} GROUP BY {key} HAVING count(*) > 1"
        yield table, f"whose {key} another row has", query
    numbering = (
        "SELECT dialogue_id FROM events GROUP BY dialogue_id"
        " HAVING min(event) <> 0 OR max(event) <> count(*) - 1 OR count(DISTINCT event) <> count(*)"
    )
    yield "events", "of dialogues whose events are not numbered from 0 on", numbering
    counted = (
        "SELECT dialogue_id FROM dialogues LEFT JOIN (SELECT dialogue_id, count(*) AS n"
        " FROM events GROUP BY dialogue_id) USING (dialogue_id) WHERE n_events <> coalesce(n, 0)"
    )
    yield "dialogues", "whose n_events are not as many", counted
    speakers = (
        # An anti join, as DuckDB has it, keeps the rows without a partner.
        "SELECT 1 FROM events ANTI JOIN speakers USING (dialogue_id, speaker)"
        " WHERE speaker IS NOT NULL"
    )
    yield "events", "of speakers who are not in the dialogue", speakers
    for each in TABLES:
        names = get_table(each.name).names
        if each.name in _UNTIED or "dialogue_id" not in names:
            continue
        lost = (
            f"SELECT 1 FROM {each.name} ANTI JOIN dialogues USING (dialogue_id)"
            " WHERE dialogue_id IS NOT NULL"
        )
        yield each.name, "of dialogues that are not there", lost
        if "event" in names and each.name != "events":
            lost = (
                f"SELECT 1 FROM {each.name} ANTI JOIN events USING (dialogue_id, event)"
                " WHERE event IS NOT NULL AND dialogue_id IS NOT NULL"
            )
            yield each.name, "at events that are not there", lost
