"""What SIMMC annotators are proposed, against the released labels of the user's turns.

The files of the devtest split, where ``COMMONGROUND_DATA`` has them: targets say what is right,
actions and images in focus come from the API calls, facts from the catalogue. The 3,321 turns of
the public dialogues count, each as a set of acts, of slots with their words, and of things. Rules
were written looking at dev alone.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from benchmarks.measure import Line
from commonground.corpora.simmc.native import catalogue, simmc1
from commonground.corpora.simmc.native.targets import Target, TargetAct, parse_targets
from commonground.play.scenarios.simmc.annotation.known import KnownThing
from commonground.play.scenarios.simmc.annotation.labels import Label
from commonground.play.scenarios.simmc.annotation.proposals import propose

BARS = {"acts": 0.75, "slots": 0.70, "objects": 0.80}
"""F1 to reach."""


@dataclass(frozen=True)
class Turn:
    """A user's turn with what was known when it was said, and its released acts."""

    text: str
    known: list[KnownThing]
    call: simmc1.ApiCall
    acts: list[TargetAct]
    before: simmc1.ApiCall | None = None


@dataclass
class Counts:
    """How many marks are right, proposed and released."""

    right: int = 0
    proposed: int = 0
    released: int = 0

    def add(self, proposed: Counter[Any], released: Counter[Any]) -> None:
        self.right += (proposed & released).total()
        self.proposed += proposed.total()
        self.released += released.total()

    @property
    def precision(self) -> float:
        return self.right / max(1, self.proposed)

    @property
    def recall(self) -> float:
        return self.right / max(1, self.released)

    @property
    def f1(self) -> float:
        return 2 * self.right / max(1, self.proposed + self.released)


@dataclass
class Measured:
    """What came of all turns.

    Attributes:
        turns: how many.
        whole: those where nothing is left to change.
        acts: with their attributes.
        slots: with their words.
        objects: all of them.
        shown: those that the public files show: of others, which the user saw before the dialogue,
            these files say nothing, while a collected dialogue does.
    """

    turns: int = 0
    whole: int = 0
    acts: Counts = field(default_factory=Counts)
    slots: Counts = field(default_factory=Counts)
    objects: Counts = field(default_factory=Counts)
    shown: Counts = field(default_factory=Counts)


def run() -> list[Line]:
    data = os.environ.get("COMMONGROUND_DATA")
    if not data:
        return []
    folder = Path(data, "simmc1/fashion")
    measured = measure(read_turns(folder, "devtest", count_public(folder)))
    lines = [
        Line(
            f"proposed {name}, {measured.turns:,} fashion turns",
            f"F1 {counts.f1:.3f}",
            f"P {counts.precision:.2f}, R {counts.recall:.2f}",
            None,
            f"{bar:.2f} at least",
            counts.f1 >= bar,
        )
        for name, bar in BARS.items()
        for counts in [getattr(measured, name)]
    ]
    hidden = measured.objects.released - measured.shown.released
    lines.append(
        Line(
            "of objects that the files show",
            f"F1 {measured.shown.f1:.3f}",
            f"{hidden:,} of {measured.objects.released:,} were seen before the dialogue",
            None,
            "",
            None,
        )
    )
    share = f"{measured.whole / measured.turns:.1%}"
    return [*lines, Line("Enter alone is right", share, "", None, "", None)]


def count_public(folder: Path) -> dict[int, int]:
    """Returns how many turns of each devtest dialogue the public file has."""
    path = folder / "fashion_devtest_dials_teststd_format_public.json"
    data = msgspec.json.decode(path.read_bytes())["dialogue_data"]
    return {each["dialogue_idx"]: len(each["dialogue"]) for each in data}


def read_turns(folder: Path, split: str, least: dict[int, int] | None = None) -> Iterator[Turn]:
    """Yields the turns of a split of fashion; of each dialogue those that ``least`` counts."""
    text = (folder / f"fashion_{split}_dials_target.txt").read_text(encoding="utf-8")
    lines = iter([each.record for each in parse_targets(text)])
    calls = (folder / f"fashion_{split}_dials_api_calls.json").read_bytes()
    shelf = msgspec.json.decode(
        (folder / "fashion_metadata.json").read_bytes(), type=dict[str, catalogue.FashionItem]
    )
    for dialogue in msgspec.json.decode(calls, type=list[simmc1.ApiCalls]):
        told = [next(lines) for _ in dialogue.actions]
        most = len(told) if least is None else least.get(dialogue.dialog_id, 0)
        yield from list(_turns(told, dialogue, shelf))[:most]


def _turns(
    lines: Iterable[Target], calls: simmc1.ApiCalls, shelf: dict[str, catalogue.FashionItem]
) -> Iterator[Turn]:
    facts: dict[int, dict[str, object]] = {}
    last: list[int] = []
    images = calls.focus_images if isinstance(calls.focus_images, list) else []
    told = list(lines)
    for turn, (line, call, image) in enumerate(zip(told, calls.actions, images, strict=True)):
        # As the scenario does: where a scene is empty, it is that of the turn before.
        last = [int(name.removeprefix("OBJECT_")) for name in line.visible] or last
        item = shelf.get(str(image))
        for number in last:
            facts[number] = msgspec.to_builtins(item.metadata) if item else {}
        known = [
            KnownThing(number, "focus" if number in last else "", found)
            for number, found in facts.items()
        ]
        # So does what the answer brings into view, which the next turn shows.
        following = told[turn + 1].visible if turn + 1 < len(told) else []
        new = [int(name.removeprefix("OBJECT_")) for name in following]
        item = shelf.get(str(images[turn + 1])) if new else None
        known += [
            KnownThing(number, "answer", msgspec.to_builtins(item.metadata) if item else {})
            for number in new
            if number not in facts
        ]
        before = calls.actions[turn - 1] if turn else None
        yield Turn(line.words, known, call, line.acts or [], before)


def measure(turns: Iterable[Turn]) -> Measured:
    """Compares what is proposed for turns with what is released."""
    measured = Measured()
    for turn in turns:
        label = propose(turn.text, "user", "fashion", turn.known, turn.call, turn.before)
        proposed = _proposed_frames(label, turn.text)
        released = [_released_frame(each) for each in turn.acts]
        measured.turns += 1
        measured.whole += Counter(proposed) == Counter(released)
        measured.acts.add(*(Counter(act for act, *_ in each) for each in (proposed, released)))
        measured.slots.add(
            *(
                Counter(slot for *_, slots in each for slot in slots)
                for each in (proposed, released)
            )
        )
        things, right = (
            Counter({number for _, numbers, _ in each for number in numbers})
            for each in (proposed, released)
        )
        measured.objects.add(things, right)
        seen = Counter(each.number for each in turn.known)
        measured.shown.add(things, right & seen)
    return measured


_Frame = tuple[str, frozenset[int], frozenset[tuple[str, str]]]


def _proposed_frames(label: Label, text: str) -> list[_Frame]:
    return [
        (
            frame.act,
            frozenset(frame.objects),
            frozenset((each.slot, text[each.start : each.end].lower()) for each in frame.slots),
        )
        for frame in label
    ]


def _released_frame(act: TargetAct) -> _Frame:
    pairs = [(name.partition("-")[2], value) for name, value in act.slots]
    numbers = (int(value.removeprefix("OBJECT_")) for name, value in pairs if name == "O")
    slots = ((name, value.lower()) for name, value in pairs if name != "O")
    return act.act, frozenset(numbers), frozenset(slots)
