"""The scenarios: by what rules dialogues are made, with what, and by whom.

A scenario is a folder here or, for a corpus of one's own, the folder ``scenario`` in that of the
corpus; where one corpus has several, each has a folder inside. ``rules.py`` has the constant
``SCENARIO``, and :mod:`commonground.play.scenario` says what it must offer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import msgspec

import commonground.corpora
from commonground.corpora import Entry, get_corpus, iterate_corpora
from commonground.discovery import find_values
from commonground.errors import FormatError, find_named
from commonground.play.player import PlayerKind
from commonground.play.scenario import (
    Assigner,
    MaterialSource,
    Outcome,
    Replayer,
    Scenario,
)
from commonground.play.schema_player import RANDOM
from commonground.play.scripting import Scripting
from commonground.play.voices import Voices

T = TypeVar("T")


class ScenarioEntry(msgspec.Struct, frozen=True):
    """A scenario that was found; its parts are constants in the modules of its folder.

    Attributes:
        rules: the constant ``SCENARIO``.
        package: dotted name of the package that ``folder`` is.
    """

    rules: Scenario[Any, Any]
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
        own, shared = self.folder / "room", self.folder.parent / "room"
        has_one = (shared / "room.toml").is_file()
        return shared if has_one and not own.is_dir() else own

    def _constants(self, name: str, kind: type[T]) -> Iterator[T]:
        for _, value in find_values(self.package, self.folder, kind, name=name):
            yield value

    def _constant(self, name: str, kind: type[T]) -> T | None:
        return next(self._constants(name, kind), None)

    def material_source(self) -> MaterialSource:
        """Returns where its material comes from.

        Raises:
            FormatError: no module says it.
        """
        found = self._constant("MATERIAL", MaterialSource)
        if found is None:
            raise FormatError(f"{self.folder}: no module has a constant MATERIAL.")
        return found

    def player_kinds(self) -> dict[str, PlayerKind]:
        """Returns the kinds of its players, by name; ``random`` plays every scenario."""
        found = self._constants("PLAYER", PlayerKind)
        return {each.name: each for each in (RANDOM, *found)}

    def usual_player(self) -> PlayerKind:
        """Returns who plays where nobody is named: its script, else chance."""
        kinds = self.player_kinds()
        return kinds.get("script", RANDOM)

    def assigner(self) -> Assigner | None:
        """Returns what decides who is given which material; None where the lot does."""
        return self._constant("ASSIGNER", Assigner)

    def scripting(self) -> Scripting | None:
        """Returns what helps people to write scripts for it; None where it has no scripts."""
        return self._constant("SCRIPTS", Scripting)

    def replayer(self) -> Replayer | None:
        """Returns what plays released records again; None where nothing does."""
        return self._constant("REPLAY", Replayer)

    def outcome(self) -> Outcome | None:
        """Returns what its games come to; None where nothing can be won."""
        return self._constant("OUTCOME", Outcome)

    def fork_points(self) -> dict[str, frozenset[str]]:
        """Returns acts at which its games fork by a name: for each name, the types of act."""
        return self._constant("FORK_POINTS", dict) or {}

    def voices(self) -> Voices | None:
        """Returns who may share its seat; None where nobody does."""
        return self._constant("VOICES", Voices)

    def list_places(self, names: Iterable[str] = ()) -> tuple[str, ...]:
        """Returns what players are named for: the roles, or those who share the only one.

        Args:
            names: of those that somebody named, in any case; they share it where one is a voice.
        """
        voices = self.voices()
        is_shared = voices is not None and {*voices.names} & {each.lower() for each in names}
        return voices.names if voices is not None and is_shared else self.rules.roles


@cache
def _find_in(folder: Path, package: str) -> tuple[ScenarioEntry, ...]:
    """Finds the scenarios of a folder and of the folders in it."""
    inside = sorted(path.parent for path in folder.glob("*/rules.py"))
    places = [(folder, package), *((each, f"{package}.{each.name}") for each in inside)]
    return tuple(entry for place in places for entry in _read_rules(*place))


def _read_rules(folder: Path, package: str) -> Iterator[ScenarioEntry]:
    # Modules that use the rules have the constant, too.
    found = {id(rules): rules for _, rules in find_values(package, folder, object, name="SCENARIO")}
    for rules in found.values():
        if rules is not None:
            yield ScenarioEntry(cast("Scenario[Any, Any]", rules), folder, package)


def find_folder(corpus: Entry) -> tuple[Path, str]:
    """Returns folder and dotted name of a corpus's scenario package; neither need be there."""
    ours = Path(__file__).parent / corpus.folder.name
    if ours.is_dir():
        return ours, f"{__name__}.{ours.name}"
    # Folders outside of the package are modules of `corpora`, too: they are in its `__path__`.
    own = corpus.folder / "scenario"
    return own, f"{commonground.corpora.__name__}.{corpus.folder.name}.scenario"


def _find_scenarios(corpus: Entry) -> tuple[ScenarioEntry, ...]:
    """Finds the scenarios by which the dialogues of a corpus are made: none, one or several."""
    found = _find_in(*find_folder(corpus))
    return tuple(each for each in found if each.rules.corpus == corpus.name)


def iterate_scenarios() -> Iterator[ScenarioEntry]:
    """Yields every scenario found, in order of corpus and name; those of no corpus come last."""
    for corpus in iterate_corpora():
        yield from sorted(_find_scenarios(corpus), key=lambda each: each.name)
    for folder in sorted(path.parent for path in Path(__file__).parent.glob("*/rules.py")):
        for each in _find_in(folder, f"{__name__}.{folder.name}"):
            if not each.has_corpus:
                yield each


def get_scenario(name: str) -> ScenarioEntry:
    """Returns the scenario of that name.

    Raises:
        UsageError: there is none.
    """
    # Most are named after their corpus; looking there first leaves the others' modules alone.
    likely = [each for each in iterate_corpora() if name.startswith(each.folder.name)]
    for corpus in likely:
        for each in _find_scenarios(corpus):
            if each.name == name:
                return each
    return find_named("scenario", name, {each.name: each for each in iterate_scenarios()})
