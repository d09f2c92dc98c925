"""Splits that are not the released ones: a list of one's own, a published one, or a hold-out.

They are applied after conversion, to the table ``dialogues``, for every corpus alike. All else
that is made of splits (tasks, baselines, exports, figures, search) reads that table.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from commonground.corpora import Entry, Manifest, PublishedSplits
from commonground.errors import FormatError, UsageError, close_names
from commonground.files.formats import identify_name
from commonground.files.remote import is_remote
from commonground.files.sources import safe_name
from commonground.files.split_lists import has_header, read_split_list
from commonground.findings import Finding
from commonground.printing import count_of
from commonground.store.arrow import pa, read_parquet
from commonground.store.layout.manifest import OwnSplits, PartFile, StoreManifest, data_folder
from commonground.store.shared import (
    Asked,
    find_most_frequent,
    find_query,
    group_dialogues,
    list_kinds,
    read_values,
)
from commonground.store.tables.writing import write_part

TRAIN, TEST = "train", "test"
"""The two splits of a hold-out."""

Divided = tuple[dict[str, str], OwnSplits]
"""The split of each dialogue that is in one, and what the manifest says of the splits."""


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """Which splits of one's own a user asks for.

    Attributes:
        splits: a list of splits, or the name of published ones; None for neither.
        holdout: share of the dialogues to hold out; None for no hold-out.
        seed: decides which these are.
        apart: what held-out dialogues must not have in common with the others; None for nothing.
    """

    splits: Path | None = None
    holdout: float | None = None
    seed: int = 1
    apart: str | None = None


class Splitter(msgspec.Struct, frozen=True, kw_only=True):
    """How the dialogues of an import are put into splits.

    Attributes:
        asked: what is known of the splits before any dialogue is.
        divide: gives the split of each dialogue, from the ids of all and their rows.
        findings: what is wrong with a list of splits.
    """

    asked: OwnSplits
    divide: Callable[[Sequence[str], Asked], Divided]
    findings: list[Finding] = []


def is_released(entry: Entry, splits: Path) -> bool:
    """Says whether what ``--splits`` names is a file of the corpus in another folder.

    Args:
        splits: what was named; folders, archives and addresses are searched for released files.
    """
    if str(splits) in entry.manifest.published_splits and not splits.exists():
        return False
    if is_remote(splits) or splits.is_dir() or splits.suffix.lower() == ".zip":
        return True
    is_known = identify_name(safe_name(splits.absolute().as_posix()), entry.formats()) is not None
    return is_known and not has_header(splits)


def make_splitter(entry: Entry, request: Request) -> Splitter | None:
    """Reads what a user asks for; None where the released splits are to stay.

    Args:
        request: what is asked for; a released split file in it is none of ours.

    Raises:
        UsageError: the request contradicts itself, or names what is not there.
        SourceError, FormatError: the list of splits cannot be read.
    """
    if request.splits is not None and request.holdout is not None:
        raise UsageError(
            "Splits come from a list or are held out, not both.", "Leave out one of the two."
        )
    if request.apart is not None and request.holdout is None:
        raise UsageError(
            f"There is no hold-out to keep {request.apart}s apart from.",
            "Give the share to hold out: --holdout 0.1",
        )
    if request.holdout is not None:
        return _make_holdout(entry.manifest, request, request.holdout)
    if request.splits is None:
        return None
    published = entry.manifest.published_splits
    if str(request.splits) in published and not request.splits.exists():
        return _make_published(entry.manifest, str(request.splits), published[str(request.splits)])
    if published and not request.splits.exists():
        near = close_names(str(request.splits), published)
        raise UsageError(
            f"There is no file {safe_name(str(request.splits))}, and no published splits of "
            f"{entry.name} have that name.",
            near,
        )
    return _make_listed(request.splits)


def _make_listed(path: Path) -> Splitter:
    listed = read_split_list(path)
    asked = OwnSplits(
        kind="file",
        name=listed.name,
        sha256=listed.sha256,
        listed=len(listed.split_of),
        faults=len(listed.findings),
    )

    def divide(ids: Sequence[str], _database: Asked) -> Divided:
        known = {each: listed.split_of[each] for each in ids if each in listed.split_of}
        if not known:
            example = next(iter(listed.split_of))
            raise FormatError(
                f"None of the {count_of(len(listed.split_of), 'id')} in {listed.name} is a "
                f"dialogue of this import: the first is {example!r}.",
                f"Write ids as the store has them, such as {min(ids)!r}.",
            )
        absent = len(listed.split_of) - len(known)
        told = msgspec.structs.replace(asked, absent=absent, unlisted=len(ids) - len(known))
        return known, told

    return Splitter(asked=asked, divide=divide, findings=listed.findings)


def _make_published(about: Manifest, name: str, splits: PublishedSplits) -> Splitter:
    asked = OwnSplits(kind="published", name=name, source=splits.source)
    query = find_query(about, splits.by)
    split_of = {value: split for split, listed in splits.lists.items() for value in listed}

    def divide(ids: Sequence[str], database: Asked) -> Divided:
        values = read_values(database, query)
        found = {}
        for each in ids:
            named = [split_of[value] for value in values.get(each, ()) if value in split_of]
            found[each] = named[0] if named else splits.rest
        return found, asked

    return Splitter(asked=asked, divide=divide)


def _make_holdout(about: Manifest, request: Request, share: float) -> Splitter:
    if not 0 < share < 1:
        raise UsageError(
            f"A hold-out is a share above 0 and below 1, not {share:g}.", "Such as 0.1."
        )
    apart = request.apart
    query = find_query(about, apart) if apart is not None else None
    asked = OwnSplits(kind="holdout", share=share, seed=request.seed, apart=apart or "")

    def divide(ids: Sequence[str], database: Asked) -> Divided:
        values = read_values(database, query) if query is not None else {}
        if len(ids) < 2:
            dialogues = count_of(len(ids), about.unit)
            raise UsageError(f"{about.name} has {dialogues}: none can be held out.", "Import more.")
        if apart is not None and not values:
            raise UsageError(
                f"No {about.unit} of {about.name} says its {apart}.",
                _advise(about, apart, ids, database),
            )
        groups = group_dialogues(ids, values)
        if apart is not None and len(groups) == 1:
            value, often = find_most_frequent(values)
            raise UsageError(
                f"All {count_of(len(ids), about.unit)} of {about.name} hang together by {apart}, "
                f"so that none can be held out: {value!r} alone is in {often:,} of them.",
                _advise(about, apart, ids, database),
            )
        held_out = frozenset(hold_out(groups, share, request.seed))
        found = {each: TEST if each in held_out else TRAIN for each in ids}
        told = msgspec.structs.replace(
            asked,
            reached=len(held_out) / len(ids),
            groups=len(groups),
            largest=max(map(len, groups)) / len(ids),
        )
        return found, told

    return Splitter(asked=asked, divide=divide)


def hold_out(groups: Sequence[Sequence[str]], share: float, seed: int) -> list[str]:
    """Chooses groups of dialogues to hold out, by the hash of their first dialogue and the seed.

    The order of files has no say in it. Groups are taken whole, as long as they fit into the
    share; where none fits, the smallest one is taken.

    Args:
        groups: the groups, at least two.
        share: of all dialogues, at most, unless a single group is more.
    """

    def draw(group: Sequence[str]) -> str:
        return hashlib.sha256(f"{seed} {min(group)}".encode()).hexdigest()

    count = sum(map(len, groups))
    # Something is left to learn from, however great the share is.
    most = min(round(share * count), count - 1)
    chosen: list[str] = []
    for group in sorted(groups, key=draw):
        if len(chosen) + len(group) <= most:
            chosen += group
    if chosen:
        return chosen
    smallest: Sequence[str] = min(groups, key=lambda group: (len(group), draw(group)))
    return list(smallest)


def _advise(about: Manifest, apart: str, ids: Sequence[str], database: Asked) -> str:
    """Names what else can be kept apart in these dialogues, or says that nothing can."""
    others = []
    for kind, query in list_kinds(about).items():
        values = read_values(database, query) if kind != apart else {}
        if values and len(group_dialogues(ids, values)) > 1:
            others.append(kind)
    instead = f"Keep something else apart ({', '.join(others)}), or hold out"
    nothing = "Nothing else can be kept apart, either: hold out"
    return f"{instead if others else nothing} by dialogue, without --apart."


def apply_splits(store: Path, manifest: StoreManifest, splitter: Splitter, about: Manifest) -> None:
    """Puts the dialogues of a new import into their splits, and tells its manifest.

    Args:
        manifest: of the new import, which is not in force yet.

    Raises:
        UsageError, FormatError: they cannot be put into such splits.
        OSError: the parts cannot be written.
    """
    # DuckDB takes long to load, and most imports do without.
    from commonground.store.sql.query import Database

    database = Database(store, {about.name: manifest})
    ids = [row[0] for row in database.rows("SELECT dialogue_id FROM dialogues")]
    split_of, manifest.own_splits = splitter.divide(ids, database)
    folder = data_folder(store, manifest)
    manifest.parts = [
        _write_part(folder, part, split_of) if part.table == "dialogues" else part
        for part in manifest.parts
    ]
    manifest.splits = dict(sorted(Counter(split_of.get(each, "") for each in ids).items()))


def _write_part(folder: Path, part: PartFile, split_of: dict[str, str]) -> PartFile:
    table = read_parquet(folder / part.name)
    place = table.schema.get_field_index("split")
    splits = [split_of.get(each) for each in table["dialogue_id"].to_pylist()]
    column = pa.array(splits, table.schema.field("split").type)
    table = table.set_column(place, table.schema.field("split"), column)
    return write_part(folder / part.name, table)
