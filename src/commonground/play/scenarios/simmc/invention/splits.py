"""Writes simulated dialogues as they come, in all files that the splits were released in."""

from __future__ import annotations

import random
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import Any, TextIO

import msgspec

from commonground.corpora.simmc.native.simmc1 import (
    ActSlots,
    ApiCalls,
    Choice,
    Choices,
    Dialogue1,
    Task,
    Turn,
)
from commonground.corpora.simmc.native.targets import TargetAct, render_acts
from commonground.play.scenarios.simmc.players.language import load_phrases
from commonground.play.scenarios.simmc.release import envelope
from commonground.records import UNSET

CANDIDATES = 100
REMEMBERED = 20_000
"""Answers that a pool remembers, so as not to hold one twice; bounds the memory."""


class ListFile:
    """A JSON list, or an object around one, written record by record; no file without records.

    Args:
        path: of the file; its folder is made with the first record.
        around: the fields of an object that stand before the list; None for a bare list.
        items: name of the field that has the list, in an object.
    """

    def __init__(self, path: Path, around: dict[str, Any] | None = None, items: str = "") -> None:
        self.path = path
        # Without its closing brace, for the list follows as one more field; `close` writes the
        # brace.
        self._head = msgspec.json.encode(around).decode()[:-1] if around is not None else None
        self._items = items
        self._file: TextIO | None = None

    def add(self, record: Any) -> None:
        """Writes a record behind those before; the first one makes the file."""
        if self._file is None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._file = self.path.open("w", encoding="utf-8")
            opening = "[" if self._head is None else f'{self._head}, "{self._items}": ['
            self._file.write(opening)
        else:
            self._file.write(",\n")
        self._file.write(msgspec.json.encode(record).decode())

    def close(self, last: Iterable[str] | None = None, name: str = "") -> None:
        """Ends the file, with a list of ready JSON values under ``name`` behind the records."""
        if self._file is None:
            return
        self._file.write("]")
        if last is not None:
            self._file.write(f', "{name}": [')
            for index, value in enumerate(last):
                self._file.write(f"{', ' if index else ''}{value.strip()}")
            self._file.write("]")
        self._file.write("" if self._head is None else "}")
        self._file.write("\n")
        self._file.close()
        self._file = None


class ChoicesFile:
    """A file of retrieval candidates; the pool of answers grows on disk while they are drawn.

    Args:
        path: of the file.
        split: whose answers they are.
        gold: whether each turn says the place of the right candidate; if not, it stands first,
            as in version 1.0.
    """

    def __init__(self, path: Path, split: str, *, gold: bool) -> None:
        self._list = ListFile(path, {"split": split}, "retrieval_candidates")
        self._gold = gold
        self._spool = path.with_suffix(".pool")
        self._known: dict[str, int] = {}
        self._size = 0
        self._file: TextIO | None = None

    def add(self, rng: random.Random, dialogue: Dialogue1) -> None:
        """Draws candidates for every turn of a dialogue; the answer itself is one of them."""
        if self._file is None:
            self._spool.parent.mkdir(parents=True, exist_ok=True)
            self._file = self._spool.open("w", encoding="utf-8")
            # So that there are a hundred to draw from at the first dialogue.
            for number in range(CANDIDATES * 2):
                self._number(load_phrases().filler.format(number))
        choices = [
            self._choice(rng, turn.turn_idx, self._number(turn.system_transcript))
            for turn in dialogue.dialogue
        ]
        number = dialogue.dialogue_idx
        self._list.add(Choices(dialogue_idx=number, retrieval_candidates=choices))

    def _number(self, text: str) -> int:
        if text not in self._known:
            # The pool then holds a text twice; numbers given before stay right.
            if len(self._known) >= REMEMBERED:
                self._known.clear()
            self._known[text] = self._size
            self._size += 1
            assert self._file is not None  # noqa: S101 - opened by ``add``
            self._file.write(msgspec.json.encode(text).decode() + "\n")
        return self._known[text]

    def _choice(self, rng: random.Random, turn: int, answer: int) -> Choice:
        # One more than is needed, since the answer may be among them.
        drawn = rng.sample(range(self._size), CANDIDATES)
        others = [number for number in drawn if number != answer][: CANDIDATES - 1]
        place = rng.randrange(CANDIDATES) if self._gold else 0
        # Only 99 others are kept, so that the answer makes it 100 wherever it stands.
        numbers = [*others[:place], answer, *others[place:]]
        gold = place if self._gold else UNSET
        return Choice(turn_idx=turn, retrieval_candidates=numbers, gt_index=gold)

    def close(self) -> None:
        """Ends the file with the pool."""
        if self._file is None:
            return
        self._file.close()
        self._file = None
        with self._spool.open(encoding="utf-8") as pool:
            self._list.close(pool, "system_transcript_pool")
        self._spool.unlink()


class TextFile:
    """A text file, written line by line; no file without lines."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: TextIO | None = None

    def add(self, line: str) -> None:
        """Writes a line and its line break; the first one makes the file."""
        if self._file is None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._file = self._path.open("w", encoding="utf-8", newline="")
        self._file.write(line + "\n")

    def close(self) -> None:
        """Closes the file, if a line was ever written."""
        if self._file is not None:
            self._file.close()
            self._file = None


class SplitFiles:
    """All files of one domain and split.

    Args:
        folder: to write to.
        domain: ``fashion`` or ``furniture``.
        split: ``train``, ``dev`` or ``devtest``.
        tasks: of all dialogues, for fashion.
    """

    def __init__(self, folder: Path, domain: str, split: str, tasks: list[Task]) -> None:
        base = f"{domain}_{split}_dials"
        around = _around(domain, split, tasks)
        self.dials = ListFile(folder / f"{base}.json", around, "dialogue_data")
        self.calls = ListFile(folder / f"{base}_api_calls.json")
        candidates = folder / f"{base}_retrieval_candidates.json"
        # Both forms of the release are to be met by readers: dev is written in that of version 1.0.
        self.choices = ChoicesFile(candidates, split, gold=split != "dev")
        self.numbers = TextFile(folder / f"{split}_dialog_ids")
        self.targets = TextFile(folder / f"{base}_target.txt")
        # Files that get no line are never made, so it does no harm that all splits name them all.
        self.actions = TextFile(folder / f"{domain}_{split}_task1_target.txt")
        public = f"{base}_teststd_format_public.json"
        around = _around(domain, f"{split}_teststd-format", tasks)
        self.public = ListFile(folder / public, around, "dialogue_data")
        hidden = f"{base}_retrieval_candidates_teststd_format_public.json"
        self.hidden = ChoicesFile(folder / hidden, split, gold=False)
        self._split = split

    def add(self, rng: random.Random, dialogue: Dialogue1, calls: ApiCalls) -> None:
        """Writes a dialogue in full, with everything that goes with it.

        Args:
            rng: draws the other candidates of each answer.
            dialogue: with all its annotations.
            calls: its API calls.
        """
        self.dials.add(dialogue)
        self.calls.add(calls)
        self.choices.add(rng, dialogue)
        self.numbers.add(str(dialogue.dialogue_idx))
        for line in target_lines(dialogue, None):
            self.targets.add(line)
        for line in target_lines(dialogue, calls) if self._split == "devtest" else ():
            self.actions.add(line)

    def add_public(self, rng: random.Random, dialogue: Dialogue1, calls: ApiCalls) -> None:
        """Writes a dialogue in the form in which test sets are given out.

        Args:
            rng: draws the turn that is to be answered, and the candidates.
            dialogue: in full; what the public may not see is left out here.
            calls: its API calls.
        """
        self.public.add(public_form(dialogue, rng.randint(1, len(dialogue.dialogue))))
        self.calls.add(calls)
        self.hidden.add(rng, dialogue)
        self.numbers.add(str(dialogue.dialogue_idx))

    def __enter__(self) -> SplitFiles:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for file in (self.dials, self.calls, self.choices, self.numbers, self.targets):
            file.close()
        for file in (self.actions, self.public, self.hidden):
            file.close()


def _around(domain: str, split: str, tasks: list[Task]) -> dict[str, Any]:
    around: dict[str, Any] = msgspec.to_builtins(envelope(domain, split, tasks))
    return around


def public_form(dialogue: Dialogue1, length: int) -> Dialogue1:
    """Returns the beginning of a dialogue as test sets are given out: no labels, no last answer."""
    turns = [
        Turn(
            turn_idx=turn.turn_idx,
            domain=turn.domain,
            transcript=turn.transcript,
            system_transcript=turn.system_transcript if turn.turn_idx < length - 1 else "",
            belief_state={},
            visual_objects=turn.visual_objects,
        )
        for turn in dialogue.dialogue[:length]
    ]
    return Dialogue1(
        dialogue=turns,
        dialogue_idx=dialogue.dialogue_idx,
        domains=dialogue.domains,
        dialogue_task_id=dialogue.dialogue_task_id,
    )


def target_lines(dialogue: Dialogue1, calls: ApiCalls | None) -> list[str]:
    """Returns the state tracking targets of a dialogue, with actions where they are given."""
    lines: list[str] = []
    contexts: list[str] = []
    answer = ""
    for index, turn in enumerate(dialogue.dialogue):
        front = f"System : {answer} " if answer else ""
        contexts.append(f"{front}User : {turn.transcript} {_scene_text(turn)}")
        answer = turn.system_transcript
        acts = [
            TargetAct(act=act.act, slots=act.slots)
            for act in turn.belief_state or ()
            if isinstance(act, ActSlots)
        ]
        # The context of a line is the two latest turns, as upstream's convert.py has it by default.
        line = f"{' '.join(contexts[-2:])} => Belief State : {render_acts(acts)} <EOB> {answer}"
        if calls is not None:
            line += f" <EOR> {_action_text(calls, index)}"
        lines.append(f"{line} <EOS>")
    return lines


def _scene_text(turn: Turn) -> str:
    parts = []
    for name, attributes in (turn.visual_objects or {}).items():
        shown = [
            f"{key} {attributes[key]}"
            for key in ("pos", "color", "type", "class_name", "decor_style")
            if attributes.get(key)
        ]
        parts.append(f"{name} : {' '.join(shown)}")
    return f"<SOM> {' '.join(parts)} <EOM>"


def _action_text(calls: ApiCalls, index: int) -> str:
    call = calls.actions[index]
    given = call.action_supervision or {}
    # Furniture has its attributes below `args`, fashion at once.
    given = given.get("args", given) or {}
    names = ("furnitureType", "color", "position", "direction", "matches", "navigate_direction")
    slots = [[name, str(given[name])] for name in names if name in given]
    return render_acts([TargetAct(act=call.action, slots=slots)])
