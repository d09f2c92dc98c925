"""The corpora: one folder each, found by its ``corpus.toml``.

A folder holds everything that knows its corpus. Folders named in ``$COMMONGROUND_CORPORA``
(separated as in ``$PATH``) are searched too, so a corpus of one's own needs no change here. Their
Python files run like those of this package.
"""

from __future__ import annotations

import importlib
import os
import tomllib
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Literal, TypeVar, cast

import msgspec

from commonground.discovery import find_values, offer
from commonground.errors import FormatError, UsageError, find_named
from commonground.files.formats import Columns, FileFormat
from commonground.files.reading import Converter, EntrySource, OrphanSource, SharedObjectSource
from commonground.findings import Rule

T = TypeVar("T")

VARIABLE = "COMMONGROUND_CORPORA"
__path__ = [*__path__, *filter(None, os.environ.get(VARIABLE, "").split(os.pathsep))]


class Source(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A released file.

    Attributes:
        path: where it goes below the download folder.
        url: where it is; None where it cannot be fetched without a person.
        size: length in bytes; None where the authors publish none.
        sha256: checksum; None where the authors publish none.
        note: what to know about it.
    """

    path: str
    url: str | None = None
    size: int | None = None
    sha256: str | None = None
    note: str | None = None


class PublishedSplits(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Splits that others than the authors published, by what dialogues show.

    Attributes:
        source: who uses them, and the file at its commit that says them.
        by: what decides, one of the names that :func:`commonground.store.shared.list_kinds` gives.
        lists: values by split; a dialogue with one of them is in that split.
        rest: the split of all other dialogues.
        note: what of the published splits these cannot say; empty for nothing.
    """

    source: str
    by: str
    lists: dict[str, list[str]]
    rest: str
    note: str = ""


Redistribution = Literal["allowed", "barred", "yours", "not stated"]
"""Whether copies of the data may be passed on."""


class Manifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What ``corpus.toml`` says of one corpus.

    Attributes:
        name: as on the command line.
        code: middle part of its finding codes.
        title: as its authors call it.
        summary: one sentence: what it is.
        unit: what a dialogue is called there: ``game``, ``thread``.
        homepage: web page of the authors; empty where there is none.
        licence: licence of the data, as stated; ``none stated`` where the authors state none.
        terms: what a user must accept or keep in mind.
        redistribution: whether copies may be passed on by these terms; ``not stated`` where the
            authors do not say so.
        citation: BibTeX.
        formats: names of the file formats in ``native.py`` that belong to it.
        counts: published or counted numbers of the released files.
        splits: number of dialogues per released split; empty where none were released.
        splits_from: where the splits come from.
        published_splits: splits that others published, by name.
        shared: what dialogues may have in common beside domain and speaker, by name: SQL over the
            tables of the store that gives ``dialogue_id`` and ``value``.
        outcomes: titles of outcomes whose names do not say what they are.
        idle_actions: names of actions that say that nothing was done.
        native_only: what only the table ``native`` has of the released records, each with the
            reason: by format and path, as ``log .rounds[].messages[].turn``.
        manual: what to do by hand to get the files; None where ``sources`` can be fetched.
        sources: the released files.
    """

    name: str
    code: str
    title: str
    summary: str
    unit: str
    homepage: str
    licence: str
    terms: str
    citation: str
    formats: list[str]
    counts: dict[str, int]
    splits: dict[str, int]
    splits_from: str
    published_splits: dict[str, PublishedSplits] = {}
    shared: dict[str, str] = {}
    outcomes: dict[str, str] = {}
    idle_actions: list[str] = []
    native_only: dict[str, str] = {}
    redistribution: Redistribution = "not stated"
    manual: str | None = None
    sources: list[Source] = []

    def title_outcome(self, name: str) -> str:
        """Returns what people call an outcome."""
        return self.outcomes.get(name, name.replace("_", " "))


class _ManifestFile(msgspec.Struct, forbid_unknown_fields=True):
    corpus: list[Manifest]


class Entry(msgspec.Struct, frozen=True):
    """A corpus that was found: its manifest and its folder.

    The Python modules of the folder are imported when first asked for.
    """

    manifest: Manifest
    folder: Path

    @property
    def name(self) -> str:
        """Name of the corpus, by which commands and the store's tables know it."""
        return self.manifest.name

    def module(self, name: str) -> ModuleType:
        """Imports one module of the folder, such as ``native`` or ``tasks/dst``."""
        # Folders outside of the package are modules of it, too: they are in its `__path__`.
        return importlib.import_module(f"{__name__}.{self.folder.name}.{name}".replace("/", "."))

    def view_module(self, name: str) -> ModuleType | None:
        """Imports a module of the corpus's view, such as ``page``; None where it has none."""
        is_there = (self.folder / "view" / f"{name}.py").is_file()
        return self.module(f"view/{name}") if is_there else None

    def constants(self, room: str, name: str | None, kind: type[T]) -> Iterator[tuple[Path, T]]:
        """Yields the constants in the modules of a room, each with its file.

        Args:
            room: file or folder below the corpus's own, such as ``tasks``; need not be there.
            name: of the constant, such as ``TASK``; None for any.
            kind: what it must be; anything else of that name is passed over.
        """
        return find_values(f"{__name__}.{self.folder.name}", self.folder, kind, room, name)

    def task_parts(self, name: str, kind: type[T]) -> Iterator[tuple[Path, T]]:
        """Yields the constants of a name of its benchmark tasks, each with its file.

        A task is a module of ``tasks`` that has all its parts, or a folder in it with a module
        for each: ``task.py`` has ``TASK``, ``prompt.py`` ``PROMPT``, ``baselines.py``
        ``BASELINES``.

        Args:
            name: of the constant.
            kind: what it must be.
        """
        yield from self.constants("tasks", name, kind)
        for path in sorted(self.folder.glob(f"tasks/*/{name.lower()}.py")):
            found = getattr(self.module(f"tasks/{path.parent.name}/{path.stem}"), name, None)
            if isinstance(found, kind):
                yield path, found

    def formats(self, columns: Columns = ()) -> tuple[FileFormat, ...]:
        """Returns the file formats of the corpus, in order of declaration.

        Args:
            columns: columns of tables that a user named.

        Raises:
            UsageError: the corpus is not of tables, or a column is named for what it has not.
        """
        declared = {each.name: each for _, each in self.constants("native", "FORMATS", FileFormat)}
        missing = [name for name in self.manifest.formats if name not in declared]
        if missing:
            where = self.folder / "corpus.toml"
            raise FormatError(f"{where} names formats that `native` lacks: {missing}.")
        formats = tuple(declared[name] for name in self.manifest.formats)
        return self._name_columns(formats, columns) if columns else formats

    def _name_columns(
        self, formats: tuple[FileFormat, ...], columns: Columns
    ) -> tuple[FileFormat, ...]:
        fields = {name: None for fmt in formats for name in fmt.fields}
        if not fields:
            raise UsageError(
                f"The columns of {self.name} cannot be named: its files have their own form.",
                "Leave out --column.",
            )
        for field, _column in columns:
            find_named("field", field, fields)
        return tuple(
            msgspec.structs.replace(fmt, columns=columns) if fmt.fields else fmt for fmt in formats
        )

    def converter(self) -> Converter:
        """Returns what the corpus's ``convert.py`` does with records."""
        module = self.module("convert")
        prepare = getattr(module, "prepare", None)
        return Converter(
            # Functions of a corpus name only what they need of these; `offer` leaves out the rest.
            prepare=offer(prepare, "sides", "mains", "options") if prepare else _prepare_nothing,
            convert=offer(module.convert, "record", "where", "context"),
        )

    def orphans(self) -> OrphanSource | None:
        """Returns the function that gives dialogues known from side files only, if any."""
        return cast("OrphanSource | None", getattr(self.module("convert"), "orphans", None))

    def shared_objects(self) -> SharedObjectSource | None:
        """Returns the function that gives the objects of no single dialogue, if any."""
        found = getattr(self.module("convert"), "shared_objects", None)
        return cast("SharedObjectSource | None", found)

    def entries(self) -> EntrySource | None:
        """Returns the function that gives what files say outside dialogues, if any."""
        found = getattr(self.module("convert"), "entries", None)
        return None if found is None else offer(found, "record", "where")

    def rules(self) -> tuple[Rule, ...]:
        """Returns the rules in the room ``rules`` that concern this corpus, by code.

        Raises:
            FormatError: two rules have the same code.
        """
        found: dict[str, Rule] = {}
        for path, rule in self.constants("rules", None, Rule):
            # A module that takes a rule from another has it, too.
            if found.setdefault(rule.code, rule) is not rule:
                raise FormatError(
                    f"{path} has a rule {rule.code}, which is the code of another rule.",
                    "Give it a number that no rule has.",
                )
        mine = [rule for rule in found.values() if rule.format in self.manifest.formats]
        return tuple(sorted(mine, key=lambda rule: rule.code))

    def card(self) -> str:
        """Returns the corpus card, in Markdown."""
        return (self.folder / "card.md").read_text(encoding="utf-8")


def _prepare_nothing(*_: object) -> None:
    """Stands for the ``prepare`` of a corpus whose records say it all."""


@cache
def _find_entries() -> dict[str, Entry]:
    entries: dict[str, Entry] = {}
    for root in __path__:
        _check_root(Path(root))
        for path in sorted(Path(root).glob("*/corpus.toml")):
            for manifest in parse_manifests(path):
                if manifest.name in entries:
                    other = entries[manifest.name].folder
                    raise FormatError(f"{path}: {manifest.name!r} is in {other} already.")
                entries[manifest.name] = Entry(manifest, path.parent)
    return entries


def _check_root(root: Path) -> None:
    """Refuses a folder that has no corpora, as one does that was not named as it is called.

    Raises:
        UsageError: there is no such folder, or no corpus is in it.
    """
    if any(root.glob("*/corpus.toml")):
        return
    if not root.is_dir():
        what = "which is not a folder"
    elif (root / "corpus.toml").is_file():
        what = "which is itself the folder of a corpus"
    else:
        what = "in which no folder has a corpus.toml"
    raise UsageError(
        f"${VARIABLE} names {root}, {what}.",
        f"Name folders that contain a folder for each corpus, with {os.pathsep!r} between them.",
    )


def parse_manifests(path: Path) -> Sequence[Manifest]:
    """Reads a ``corpus.toml``.

    Raises:
        FormatError: the file is not TOML or lacks a field; the message names file and field.
    """
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
        return msgspec.convert(data, _ManifestFile).corpus
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, msgspec.ValidationError) as error:
        raise FormatError(f"{path}: {error}.", "Compare it with another corpus's.") from error


def iterate_corpora() -> Iterator[Entry]:
    """Yields every corpus found, in order of name."""
    entries = _find_entries()
    for name in sorted(entries):
        yield entries[name]


def get_corpus(name: str) -> Entry:
    """Returns the corpus of that name.

    Raises:
        UsageError: there is none.
    """
    entries = _find_entries()
    return find_named("corpus", name, entries)


def find_corpus(name: str) -> Entry:
    """Returns the corpus of that name, or a stand-in for one whose code is not at hand.

    What was imported can then still be read and shown, as a corpus without rules, figures, tasks
    and a view of its own.

    Args:
        name: of a corpus that is in a store.
    """
    entries = _find_entries()
    return (
        entries[name]
        if name in entries
        else Entry(_describe_stranger(name), Path(os.devnull) / name)
    )


def is_at_hand(name: str) -> bool:
    """Says whether the code of a corpus that is in a store was found."""
    return name in _find_entries()


def _describe_stranger(name: str) -> Manifest:
    return Manifest(
        name=name,
        code="",
        title=name,
        summary=f"The code of this corpus was not found, so it can be read but not checked or "
        f"imported. To have it found, name its folder in ${VARIABLE}.",
        unit="dialogue",
        homepage="",
        licence="not known here",
        terms="They are stated in the code of the corpus, which was not found.",
        citation="",
        formats=[],
        counts={},
        splits={},
        splits_from="not known here",
    )
