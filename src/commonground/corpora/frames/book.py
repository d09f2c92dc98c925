"""The frames of a simulated dialogue, opened and switched by the rules of the corpus."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from commonground.corpora.frames.native import (
    Author,
    BinaryQuestion,
    CompareRequest,
    Frame,
    InfoValue,
    Request,
)
from commonground.corpora.frames.vocabulary import MARKS

Value = str | bool

WISHES = frozenset(
    {
        "budget",
        "dst_city",
        "end_date",
        "flex",
        "intent",
        "max_duration",
        "n_adults",
        "n_children",
        "or_city",
        "str_date",
    }
)
"""Slots that a new frame of the user takes over from the one it came from."""


class FrameBook:
    """Every frame of a dialogue as it stands now.

    Attributes:
        active: number of the active frame.
    """

    def __init__(self) -> None:
        self.active = 1
        self._frames: list[Frame] = []
        self._open(None, {})

    def _open(self, parent: int | None, info: dict[str, list[InfoValue]]) -> int:
        number = len(self._frames) + 1
        frame = Frame(
            frame_id=number,
            frame_parent_id=parent,
            info=info,
            requests=[],
            binary_questions=[],
            compare_requests=[],
        )
        self._frames.append(frame)
        return number

    def held(self, number: int) -> dict[str, Value]:
        """Returns the first value of each slot of a frame that is not ruled out."""
        found: dict[str, Value] = {}
        for slot, values in self._frames[number - 1].info.items():
            for each in values:
                if isinstance(each.val, str | bool) and not each.negated:
                    found.setdefault(slot, each.val)
        return found

    def put(self, number: int, slot: str, value: Value, *, negated: bool = False) -> None:
        """Adds a value to a slot of a frame, unless it is there."""
        values = self._frames[number - 1].info.setdefault(slot, [])
        if all(each.val != value for each in values):
            values.append(InfoValue(val=value, negated=negated))

    def wish(self, wishes: Mapping[str, Value]) -> None:
        """Takes in what the user asks for: another value than before opens a new frame."""
        held = self.held(self.active)
        if any(held.get(slot, value) != value for slot, value in wishes.items()):
            self.active = self._open(self.active, self._wishes_of(self.active, wishes))
        for slot, value in wishes.items():
            self.put(self.active, slot, value)

    def _wishes_of(self, number: int, but: Iterable[str]) -> dict[str, list[InfoValue]]:
        return {
            slot: list(values)
            for slot, values in self._frames[number - 1].info.items()
            if slot in WISHES and slot not in but
        }

    def offer(self, parent: int, facts: Mapping[str, Value]) -> int:
        """Opens the frame of a wizard's offer and returns its number."""
        known = self._frames[parent - 1].info.items()
        info = {
            slot: list(values) for slot, values in known if slot not in MARKS and slot not in facts
        }
        number = self._open(parent, info)
        for slot, value in facts.items():
            self.put(number, slot, value)
        return number

    def ask(self, number: int, author: Author, key: str) -> None:
        """Notes an open question about a slot."""
        self._frames[number - 1].requests.append(Request(author=author, key=key))

    def ask_whether(self, number: int, author: Author, key: str, value: Value) -> None:
        """Notes an open yes-or-no question."""
        question = BinaryQuestion(author=author, key=key, value=value)
        self._frames[number - 1].binary_questions.append(question)

    def compare(self, numbers: Iterable[int], keys: list[str]) -> None:
        """Notes that the user asks to compare frames."""
        for number in numbers:
            self._frames[number - 1].compare_requests.append(
                CompareRequest(author="user", keys=list(keys))
            )

    def settle(self, author: Author) -> None:
        """Closes the questions of one side; its partner has answered."""
        for frame in self._frames:
            frame.requests = [each for each in frame.requests if each.author != author]
            frame.binary_questions = [q for q in frame.binary_questions if q.author != author]
            frame.compare_requests = [q for q in frame.compare_requests if q.author != author]

    def snapshot(self) -> list[Frame]:
        """Returns copies of all frames that later changes leave alone."""
        return [
            Frame(
                frame_id=frame.frame_id,
                frame_parent_id=frame.frame_parent_id,
                info={slot: list(values) for slot, values in frame.info.items()},
                requests=list(frame.requests),
                binary_questions=list(frame.binary_questions),
                compare_requests=list(frame.compare_requests),
            )
            for frame in self._frames
        ]
