"""The corpora: one folder each, found by its ``corpus.toml``.

A folder holds everything that knows its corpus. Folders named in ``$COMMONGROUND_CORPORA``
(separated as in ``$PATH``) are searched too, so a corpus of one's own needs no change here. Their
Python files run like those of this package.
"""

from __future__ import annotations

import importlib
import os
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from inspect import signature
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar, cast

import msgspec

from commonground.discovery import find_values, offer
from commonground.errors import FormatError, find_named
from commonground.files.formats import FileFormat
from commonground.files.reading import Converter, EntrySource, OrphanSource, SharedObjectSource
from commonground.files.simulated import mark_simulated
from commonground.findings import Rule
from commonground.games.player import PlayerKind
from commonground.games.scenario import Assigner, MaterialSource, Outcome, Replayer, Scenario
from commonground.games.scripting import Scripting
from commonground.games.voices import Voices

T = TypeVar("T")

__path__ = [
    *__path__,
    *filter(None, os.environ.get("COMMONGROUND_CORPORA", "").split(os.pathsep)),
]


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


class Manifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What ``corpus.toml`` says of one corpus.

    Attributes:
        name: as on the command line.
        code: middle part of its finding codes.
        title: as its authors call it.
        summary: one sentence: what it is.
        unit: what a dialogue is called there: ``game``, ``thread``.
        homepage: web page of the authors.
        licence: licence of the data, as stated; ``none stated`` where the authors state none.
        terms: what a user must accept or keep in mind.
        citation: BibTeX.
        formats: names of the file formats in ``native.py`` that belong to it.
        counts: published or counted numbers of the released files.
        splits: number of dialogues per released split; empty where none were released.
        splits_from: where the splits come from.
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
    outcomes: dict[str, str] = {}
    idle_actions: list[str] = []
    native_only: dict[str, str] = {}
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

    def formats(self) -> tuple[FileFormat, ...]:
        """Returns the file formats of the corpus, in order of declaration."""
        declared = {each.name: each for _, each in self.constants("native", "FORMATS", FileFormat)}
        missing = [name for name in self.manifest.formats if name not in declared]
        if missing:
            where = self.folder / "corpus.toml"
            raise FormatError(f"{where} names formats that `native` lacks: {missing}.")
        return tuple(declared[name] for name in self.manifest.formats)

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
        """Returns the rules in the room ``rules`` that concern this corpus, by code."""
        # By code, since a module that takes a rule from another has it, too.
        found = {rule.code: rule for _, rule in self.constants("rules", None, Rule)}
        mine = [rule for rule in found.values() if rule.format in self.manifest.formats]
        return tuple(sorted(mine, key=lambda rule: rule.code))

    def simulate(self, out: Path, *, dialogues: int, seed: int) -> None:
        """Writes an invented corpus in the released formats below ``out``, marked as such.

        Args:
            out: folder to write to; it is made where it is not there.
            dialogues: how many to invent.
            seed: of chance; the same one gives the same bytes.
        """
        inside = (self.folder / "scenario" / "simulate.py").exists()
        simulator: Any = self.module("scenario/simulate" if inside else "simulate")
        # Only a folder that several corpora share has to ask which of them is meant.
        is_shared = "corpus" in signature(simulator.simulate).parameters
        which = {"corpus": self.name} if is_shared else {}
        out.mkdir(parents=True, exist_ok=True)
        simulator.simulate(out, dialogues=dialogues, seed=seed, **which)
        mark_simulated(out, self.name, self.manifest.title)

    def scenarios(self) -> Iterator[ScenarioEntry]:
        """Yields the scenarios by which its dialogues are made: none, one or several."""
        for each in _find_scenarios(self.folder):
            if each.rules.corpus == self.name:
                yield each

    def card(self) -> str:
        """Returns the corpus card, in Markdown."""
        return (self.folder / "card.md").read_text(encoding="utf-8")


def _prepare_nothing(*_: object) -> None:
    """Stands for the ``prepare`` of a corpus whose records say it all."""


class ScenarioEntry(msgspec.Struct, frozen=True):
    """A scenario that was found; its parts are constants in the modules of its folder.

    Attributes:
        rules: the constant ``SCENARIO``.
        place: its folder below ``folder``. In that of a corpus it is ``scenario`` where there is
            one, and ``scenario/NAME`` where there are several.
        folder: of its corpus; the package's own for a scenario of no corpus.
        package: dotted name of the package that ``folder`` is.
    """

    rules: Scenario[Any, Any]
    place: str
    folder: Path
    package: str

    @property
    def name(self) -> str:
        """Name of the scenario, by which commands and studies know it."""
        return self.rules.name

    @property
    def corpus(self) -> Entry:
        """The corpus in whose formats its dialogues are written.

        Raises:
            UsageError: there is none; see :attr:`has_corpus`.
        """
        return get_corpus(self.rules.corpus)

    @property
    def has_corpus(self) -> bool:
        """Whether its records are of a corpus's formats; labels are of any corpus."""
        return bool(self.rules.corpus)

    @property
    def unit(self) -> str:
        """What comes of a session: a ``game``, a ``thread``; ``unit`` where there is no corpus."""
        return self.corpus.manifest.unit if self.has_corpus else "unit"

    @property
    def room(self) -> Path:
        """The folder of the pages that people play it on, which need not be there.

        Scenarios that lack one of their own share the one that stands beside their folders.
        """
        own = self.folder / self.place / "room"
        shared = self.folder / "scenario" / "room"
        has_one = (shared / "room.toml").is_file()
        return shared if has_one and not own.is_dir() else own

    def _constants(self, name: str, kind: type[T]) -> Iterator[T]:
        for _, value in find_values(self.package, self.folder, kind, self.place, name):
            yield value

    def material_source(self) -> MaterialSource:
        """Returns where its material comes from.

        Raises:
            FormatError: no module says it.
        """
        found = next(self._constants("MATERIAL", MaterialSource), None)
        if found is None:
            raise FormatError(f"{self.folder / self.place}: no module has a constant MATERIAL.")
        return found

    def player_kinds(self) -> dict[str, PlayerKind]:
        """Returns the kinds of its players, by name."""
        found = self._constants("PLAYER", PlayerKind)
        return {each.name: each for each in found}

    def assigner(self) -> Assigner | None:
        """Returns what decides who is given which material; None where the lot does."""
        found = self._constants("ASSIGNER", Assigner)
        return next(found, None)

    def scripting(self) -> Scripting | None:
        """Returns what helps people to write scripts for it; None where it has no scripts."""
        found = self._constants("SCRIPTS", Scripting)
        return next(found, None)

    def replayer(self) -> Replayer | None:
        """Returns what plays released records again; None where nothing does."""
        found = self._constants("REPLAY", Replayer)
        return next(found, None)

    def outcome(self) -> Outcome | None:
        """Returns what its games come to; None where nothing can be won."""
        found = self._constants("OUTCOME", Outcome)
        return next(found, None)

    def voices(self) -> Voices | None:
        """Returns who may share its seat; None where nobody does."""
        found = self._constants("VOICES", Voices)
        return next(found, None)

    def list_places(self, names: Iterable[str] = ()) -> tuple[str, ...]:
        """Returns what players are named for: the roles, or those who share the only one.

        Args:
            names: of those that somebody named, in any case; they share it where one is a voice.
        """
        voices = self.voices()
        is_shared = voices is not None and {*voices.names} & {each.lower() for each in names}
        return voices.names if voices is not None and is_shared else self.rules.roles


@cache
def _find_scenarios(folder: Path) -> tuple[ScenarioEntry, ...]:
    """Finds the scenarios in the folder of a corpus, or of several that share it."""
    places = ["scenario"]
    places += [f"scenario/{each.parent.name}" for each in folder.glob("scenario/*/rules.py")]
    package = f"{__name__}.{folder.name}"
    # Modules that use the rules have the constant, too.
    found = {
        (place, id(rules)): ScenarioEntry(cast("Scenario[Any, Any]", rules), place, folder, package)
        for place in sorted(places)
        for _, rules in find_values(package, folder, object, place, "SCENARIO")
        if rules is not None
    }
    return tuple(found.values())


@cache
def _find_free_scenarios() -> tuple[ScenarioEntry, ...]:
    """Finds the scenarios that are of no corpus: folders of ``commonground.scenarios``."""
    folder, package = Path(__file__).parents[1], __name__.partition(".")[0]
    places = sorted(f"scenarios/{each.parent.name}" for each in folder.glob("scenarios/*/rules.py"))
    return tuple(
        ScenarioEntry(cast("Scenario[Any, Any]", rules), place, folder, package)
        for place in places
        for _, rules in find_values(package, folder, object, f"{place}/rules", "SCENARIO")
        if rules is not None
    )


@cache
def _find_entries() -> dict[str, Entry]:
    entries: dict[str, Entry] = {}
    for root in __path__:
        for path in sorted(Path(root).glob("*/corpus.toml")):
            for manifest in parse_manifests(path):
                if manifest.name in entries:
                    other = entries[manifest.name].folder
                    raise FormatError(f"{path}: {manifest.name!r} is in {other} already.")
                entries[manifest.name] = Entry(manifest, path.parent)
    return entries


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


def iterate_scenarios() -> Iterator[ScenarioEntry]:
    """Yields every scenario found, in order of corpus and name; those of no corpus come last."""
    for entry in iterate_corpora():
        yield from sorted(entry.scenarios(), key=lambda each: each.name)
    yield from _find_free_scenarios()


def get_scenario(name: str) -> ScenarioEntry:
    """Returns the scenario of that name.

    Raises:
        UsageError: there is none.
    """
    # Most are named after their corpus; looking there first leaves the others' modules alone.
    likely = [each for each in iterate_corpora() if name.startswith(each.folder.name)]
    for entry in likely:
        for each in entry.scenarios():
            if each.name == name:
                return each
    return find_named("scenario", name, {each.name: each for each in iterate_scenarios()})
