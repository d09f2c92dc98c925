"""A simulated dialogue as it grows: turns, acts, searches and the clock."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence

import msgspec

from commonground.corpora.frames.book import FrameBook
from commonground.corpora.frames.native import (
    Annotation,
    Author,
    Database,
    DialogueAct,
    Number,
    Package,
    Reference,
    Search,
    Slot,
    Turn,
    TurnLabels,
)
from commonground.records import UNSET


class Part(msgspec.Struct, frozen=True):
    """Something that is said in a turn, with its act; null where it has none."""

    text: str
    act: DialogueAct | None = None


def do(text: str, name: str, *args: Slot) -> Part:
    """Builds a part that makes one act."""
    return Part(text, DialogueAct(name=name, args=list(args)))


def slots(values: dict[str, str | bool]) -> list[Slot]:
    """Builds the arguments of an act."""
    return [Slot(key=key, val=value) for key, value in values.items()]


def refer(frame: int, *notes: Annotation, fromrange: bool = False) -> Reference:
    """Builds a reference to a frame."""
    return Reference(frame=frame, annotations=list(notes), fromrange=fromrange)


class Session:
    """A dialogue under way.

    Attributes:
        rng: the source of all choices.
        book: the frames.
        turns: what was said so far.
    """

    def __init__(self, rng: random.Random, began_ms: int) -> None:
        self.rng = rng
        self.book = FrameBook()
        self.turns: list[Turn] = []
        self._now_ms = began_ms

    def user(self, *parts: Part) -> None:
        """Adds a user turn; the wizard's questions are taken to be answered by it."""
        self.book.settle("wizard")
        acts = _acts(parts)
        self._add("user", parts, acts, UNSET, [_without_references(act) for act in acts])

    def wizard(self, *parts: Part, searches: Sequence[tuple[Search, list[Package]]] = ()) -> None:
        """Adds a wizard turn; the user's questions are taken to be answered by it."""
        self.book.settle("user")
        db = Database(
            search=[search for search, _ in searches],
            result=[found for _, found in searches],
        )
        self._add("wizard", parts, _acts(parts), db, UNSET)

    def search_times(self, count: int) -> list[Number]:
        """Gives times for searches between the last turn and the next, in seconds."""
        times: list[Number] = []
        for _ in range(count):
            self._now_ms += self.rng.randrange(4_000, 30_000)
            whole = self.rng.random() < 0.05
            if whole:
                self._now_ms += -self._now_ms % 1000
            times.append(self._now_ms // 1000 if whole else self._now_ms / 1000)
        return times

    def _add(
        self,
        author: Author,
        parts: Iterable[Part],
        acts: list[DialogueAct],
        db: Database | msgspec.UnsetType,
        bare: list[DialogueAct] | msgspec.UnsetType,
    ) -> None:
        self._now_ms += self.rng.randrange(8_000, 90_000)
        whole = self.rng.random() < 0.45
        labels = TurnLabels(
            acts=acts,
            active_frame=self.book.active,
            frames=self.book.snapshot(),
            acts_without_refs=bare,
        )
        turn = Turn(
            author=author,
            text=" ".join(part.text for part in parts),
            timestamp=self._now_ms if whole else float(self._now_ms),
            labels=labels,
            db=db,
        )
        self.turns.append(turn)


def _acts(parts: Iterable[Part]) -> list[DialogueAct]:
    return [part.act for part in parts if part.act is not None]


def _without_references(act: DialogueAct) -> DialogueAct:
    """Returns an act with what is in its references as plain slots, values asked for null."""
    bare: list[Slot] = []
    for slot in act.args:
        if isinstance(slot.val, list):
            notes = [note for reference in slot.val for note in reference.annotations]
            bare += [Slot(key=note.key, val=_or_null(note.val)) for note in notes]
        else:
            bare.append(Slot(key=slot.key, val=None if slot.val is UNSET else slot.val))
    return DialogueAct(name=act.name, args=bare)


def _or_null(value: str | bool | msgspec.UnsetType | None) -> str | bool | None:
    return None if value is UNSET else value
