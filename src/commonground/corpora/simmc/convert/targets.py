"""State tracking targets as dialogues: which each of them is, and what its lines add to it.

Target lines name no dialogue. They are of the released dialogue that begins with the same words of
the user, white space folded; else of the one at the same place in another file of their split
whose dialogues are all as long; else of none, and then they are a dialogue of their own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import msgspec

from commonground.corpora.simmc.convert.labels import frame_of
from commonground.corpora.simmc.native.simmc1 import domain_of_name, split_of_name
from commonground.corpora.simmc.native.targets import Target, TargetAct
from commonground.model import Act


class TargetTurn(msgspec.Struct, frozen=True, gc=False):
    """A line of a target file: what the user says and means, and how the assistant answers.

    Attributes:
        scene: attributes of the objects in view, by name of the thing.
        action: what the assistant does; None in variants that do not say.
    """

    words: str
    scene: dict[str, dict[str, str | list[str]]]
    acts: list[TargetAct]
    answer: str
    action: TargetAct | None


@lru_cache(maxsize=1 << 8)  # each turn of each dialogue asks
def _layer_of(document: str) -> str:
    name = document.rpartition("/")[2]
    base = name.removesuffix(".txt").removeprefix(f"{domain_of_name(document)}_")
    return base.removeprefix(f"{split_of_name(name)}_")


class TargetDialogue(msgspec.Struct):
    """The lines of a dialogue; ``line`` is where they begin, as in ``native.source_path``."""

    document: str
    line: str
    turns: list[TargetTurn] = []

    @property
    def layer(self) -> str:
        """The layer of what they annotate: ``dials_target`` or ``task1_target``, by the file."""
        return _layer_of(self.document)

    @property
    def domain(self) -> str | None:
        """The domain that the file's name speaks of."""
        return domain_of_name(self.document)

    @property
    def split(self) -> str | None:
        """The split that the file's name speaks of."""
        return split_of_name(self.document.rpartition("/")[2])


def add_line(groups: list[TargetDialogue], record: Target, document: str, path: str) -> None:
    """Adds a line to the dialogues of the lines before it; one of another form is passed over.

    ``groups`` are in the order of the files: the last gets a turn, or a new one follows it.
    ``path`` is as in ``native.source_path``.
    """
    if record.acts is None:
        return
    # A line whose context holds no earlier turn begins a dialogue.
    if not groups or groups[-1].document != document or not record.before:
        groups.append(TargetDialogue(document, path))
    turn = TargetTurn(record.words, record.scene, record.acts, record.answer, record.action)
    groups[-1].turns.append(turn)


Said = dict[str, list[str]]
"""What the user says in each dialogue, turn by turn."""

Order = Sequence[tuple[str, int]]
"""The dialogues of a file and their numbers of turns."""


def place_targets(
    groups: Sequence[TargetDialogue], said: Said, orders: Mapping[str, Order]
) -> dict[str, list[TargetDialogue]]:
    """Says which dialogue each group of lines is; groups are in the order of the files.

    ``orders`` has, by document, the dialogues of the files of API calls and candidates.

    Returns:
        The groups by dialogue id; those of files that hold the same dialogues are together.
    """
    placed: dict[str, list[TargetDialogue]] = {}
    by_document: dict[str, list[TargetDialogue]] = {}
    for group in groups:
        by_document.setdefault(group.document, []).append(group)
    begins = _by_first_words(said)
    for mine in by_document.values():
        by_words = _match_words(mine, said, begins)
        # One or the other for a whole file: words that are known are never contradicted by lengths.
        ids = by_words if any(by_words) else _match_lengths(mine, said, orders)
        for place, (group, known) in enumerate(zip(mine, ids, strict=True)):
            dialogue_id = known or _own_id(group, place, placed)
            placed.setdefault(dialogue_id, []).append(group)
    return placed


def _fold(words: str) -> str:
    return " ".join(words.split())


def _by_first_words(said: Said) -> dict[tuple[str, str], list[str]]:
    """Returns the dialogues by domain and first words."""
    begins: dict[tuple[str, str], list[str]] = {}
    for dialogue_id, words in said.items():
        if words:
            key = dialogue_id.partition("-")[0], _fold(words[0])
            begins.setdefault(key, []).append(dialogue_id)
    return begins


def _match_words(
    groups: Sequence[TargetDialogue], said: Said, begins: Mapping[tuple[str, str], list[str]]
) -> Sequence[str | None]:
    """Finds the released dialogue of each group by its words; each is found once a file."""
    found: list[str | None] = []
    taken: set[str] = set()
    for group in groups:
        words = [_fold(turn.words) for turn in group.turns]
        fitting = (
            each
            for each in begins.get((group.domain or "simmc", words[0]), ())
            # Several dialogues begin alike, with "Hi" or the like: more words decide.
            if each not in taken and _begin_alike(words, said[each])
        )
        dialogue_id = next(fitting, None)
        found.append(dialogue_id)
        if dialogue_id is not None:
            taken.add(dialogue_id)
    return found


def _begin_alike(words: Sequence[str], others: Iterable[str]) -> bool:
    """Says whether one of two dialogues is the beginning of the other."""
    return all(one == _fold(other) for one, other in zip(words, others, strict=False))


def _match_lengths(
    groups: Sequence[TargetDialogue], said: Said, orders: Mapping[str, Order]
) -> Sequence[str | None]:
    """Finds the dialogues by their order in a file whose dialogues are all as long.

    Dialogues whose words are known are not meant: they are other words.
    """
    lengths = [len(group.turns) for group in groups]
    for document, order in sorted(orders.items()):
        of = domain_of_name(document), split_of_name(document.rpartition("/")[2])
        ids = [dialogue_id for dialogue_id, _ in order]
        alike = [length for _, length in order] == lengths and said.keys().isdisjoint(ids)
        if alike and of == (groups[0].domain, groups[0].split):
            return ids
    return [None] * len(groups)


def _own_id(group: TargetDialogue, place: int, placed: Mapping[str, list[TargetDialogue]]) -> str:
    """Names a dialogue of its own by split and place; the same words get the same name."""
    name = f"{group.domain or 'simmc'}-{group.split or 'targets'}#{place}"
    words = [turn.words for turn in group.turns]
    while name in placed and [turn.words for turn in placed[name][0].turns] != words:
        name += f"~{group.layer}"
    return name


def make_acts(event: int, layer: str, acts: Iterable[TargetAct]) -> list[Act]:
    """Returns acts as rows, a row for each slot, one for an act without; values may be missing."""
    rows: list[Act] = []
    for index, act in enumerate(acts):
        if not act.slots:
            rows.append(Act(event, layer, index, act.act))
        for place, (slot, *values) in enumerate(act.slots):
            value = values[0] if values else None
            frame = frame_of(value) if value else None
            rows.append(Act(event, layer, index, act.act, place, slot, value, frame))
    return rows


def differs(one: str, other: str) -> bool:
    """Says whether two texts differ by more than white space."""
    return _fold(one) != _fold(other)


def make_arguments(action: TargetAct) -> dict[str, Any] | None:
    """Returns what an action was given as the files of API calls have it; None for nothing."""
    given: dict[str, Any] = {}
    for name, *values in action.slots:
        if not values:
            given.setdefault("attributes", []).append(name)
        elif name not in given:
            given[name] = values[0]
        else:
            before = given[name]
            given[name] = [*(before if isinstance(before, list) else [before]), *values]
    return given or None
