"""Segments and reference chains of PhotoBook dialogues: the texts that are about an image.

The authors' heuristic walks through a round. Texts gather in a segment and clicks name what it
is about. A text right after a click is the difficult one: it may end what came before the click
or begin what comes next. Which of thirty cases it is depends on who clicked, who writes, and who
clicks next on which image with which label; three more cases are all other texts and clicks.

Two cases drop the text (8 and 23); the heuristic is kept as it is, and they are listed.

Source: dmg-photobook/photobook_dataset@cf01f08 segmentation/utils/dialogue_segmentation.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

import msgspec

from commonground.corpora.photobook.native import Game, Selection, parse_command

MAX_CLICKS = 6
"""In a round with more clicks, all but a player's last one on an image are passed over."""

_DIFFERENT_FROM = 15  # cases 16 to 30 are cases 1 to 15 after a click that says "different"

Answer = Literal["hand over", "join", "take both in", "close", "drop", "agree late", "agree twice"]


class Segment(msgspec.Struct, frozen=True, gc=False):
    """Texts of a round that are about the same images.

    Attributes:
        round_index: number of the round, from 0.
        messages: numbers of the messages, from 0 through the game.
        targets: paths of the images, sorted.
    """

    round_index: int
    messages: tuple[int, ...]
    targets: tuple[str, ...]


class Segmentation(msgspec.Struct):
    """What the heuristic makes of a game.

    Attributes:
        segments: in order.
        cases: how often each case came up, by its number; the two that drop a text are not
            among them.
        dropped: numbers of the texts that are in no segment because of cases 8 and 23.
    """

    segments: list[Segment] = []
    cases: dict[int, int] = {}
    dropped: list[int] = []


class RoundMessage(msgspec.Struct, frozen=True, gc=False):
    """A message of a round: a text, a click, or (where it is neither) anything else.

    Attributes:
        number: its place in the game, from 0.
        speaker: ``A`` or ``B``.
        is_text: whether it is a text.
        click: the selection that it is; None where it is none.
    """

    number: int
    speaker: str
    is_text: bool
    click: Selection | None


_NOTHING = RoundMessage(-1, "", False, None)


def segment_game(game: Game) -> Segmentation:
    """Divides a game into segments."""
    rounds, first = [], 0
    for each in game.rounds:
        said = enumerate(each.messages, first)
        rounds.append([parse_item(number, m.speaker, m.message) for number, m in said])
        first += len(each.messages)
    return segment_items(rounds)


def segment_items(rounds: Iterable[Sequence[RoundMessage]]) -> Segmentation:
    """Divides a game into segments, given what each message of its rounds is."""
    result = Segmentation()
    for index, items in enumerate(rounds):
        _Walk(result, index).run(choose_items(items))
    return result


def choose_items(items: Sequence[RoundMessage]) -> Sequence[RoundMessage]:
    """Returns the messages of a round that count: of many clicks, the last one on each image."""
    if sum(item.click is not None for item in items) > MAX_CLICKS:
        # A later click of the same key overwrites the number of an earlier one.
        last = {(i.speaker, i.click.image): i.number for i in items if i.click}
        return [i for i in items if i.click is None or last[i.speaker, i.click.image] == i.number]
    return items


def parse_item(number: int, speaker: str, message: str) -> RoundMessage:
    """Reads what a message is.

    Args:
        number: its place, from 0.
        speaker: who sent it.
        message: what was sent, its tags included.
    """
    command = parse_command(message)
    click = command if isinstance(command, Selection) else None
    return RoundMessage(number, speaker, command is None, click)


def _find_common_case(
    click: Selection, own: bool, text: RoundMessage, after: RoundMessage, second: RoundMessage
) -> int:
    """Says which case a text right after a click, own or not, is by the two messages after it."""
    answer = after.click
    # No click after the text.
    if answer is None:
        if own:
            return 15
        if after.speaker != text.speaker:
            return 9
        if second is _NOTHING:
            return 8
        same = second.click and second.click.image == click.image
        return 6 if same and second.speaker == text.speaker else 7
    # The same player clicks again: neither the writer nor the partner answers with a mark.
    if (after.speaker == text.speaker) == own:
        return 14 if own else 5
    base = 10 if own else 1
    # The cases stand in fours: agree or not, times the same image or another.
    return base + 2 * (answer.label != click.label) + (answer.image != click.image)


_ANSWERS: dict[int, Answer] = {
    **dict.fromkeys((1, 3, 16, 18), "hand over"),
    **dict.fromkeys((2, 4, 5, 10, 11, 13, 14, 17, 19, 20, 25, 26, 28, 29), "join"),
    **dict.fromkeys((6, 21), "take both in"),
    **dict.fromkeys((7, 9, 15, 22, 24, 30), "close"),
    **dict.fromkeys((8, 23), "drop"),
    12: "agree late",
    27: "agree twice",
}


class _Walk:
    """The state of the heuristic within one round."""

    def __init__(self, result: Segmentation, round_index: int) -> None:
        self.result = result
        self.round_index = round_index
        self.texts: list[int] = []
        self.targets: set[str] = set()
        self.click: Selection | None = None
        self.clicker = ""
        self.follows_click = False
        self.skip = 0

    def run(self, items: Sequence[RoundMessage]) -> None:
        for position, item in enumerate(items):
            if self.skip:
                self.skip -= 1
            elif item.click is not None:
                self._add_click(item.click, item.speaker)
            elif item.is_text:
                self._add_text(item, items[position + 1 : position + 3])
        if self.texts and self.targets:
            self._save()

    def _count(self, case: int) -> None:
        self.result.cases[case] = self.result.cases.get(case, 0) + 1

    def _save(self) -> None:
        segment = Segment(self.round_index, tuple(self.texts), tuple(sorted(self.targets)))
        self.result.segments.append(segment)

    def _begin(self, *texts: int) -> None:
        self.texts, self.targets = list(texts), set()

    def _add_click(self, click: Selection, speaker: str) -> None:
        if not self.texts:
            # The numbers of cases are those of the authors' `dialogue_segmentation.py`.
            self._count(33)
            return
        self._count(32)
        self.targets.add(click.image)
        self.click, self.clicker, self.follows_click = click, speaker, True

    def _add_text(self, text: RoundMessage, following: Sequence[RoundMessage]) -> None:
        if self.click is None or not self.follows_click:
            self._count(31)
            self.texts.append(text.number)
            self.targets = set()
            self.follows_click = False
            return
        # After the last messages of a round stands nothing, as often as it is asked for.
        after, second = (*following, _NOTHING, _NOTHING)[:2]
        own = text.speaker == self.clicker
        case = _find_common_case(self.click, own, text, after, second)
        if self.click.label == "different":
            case += _DIFFERENT_FROM
        answer = _ANSWERS[case]
        if answer == "drop":
            self.result.dropped.append(text.number)
            return
        self._count(case)
        self._answer(answer, self.click, text, after, second)

    def _answer(
        self,
        answer: Answer,
        click: Selection,
        text: RoundMessage,
        after: RoundMessage,
        second: RoundMessage,
    ) -> None:
        """Ends the segment, with or without the text, and begins the next one."""
        self.targets.add(click.image)
        takes_text = answer in ("join", "take both in", "agree twice")
        if takes_text:
            self.texts.append(text.number)
        if answer == "join" and after.click:
            self.targets.add(after.click.image)
        if answer == "take both in":
            self.texts.append(after.number)
        # In this one case their script saves a segment without any text, too.
        if self.texts or answer == "agree late":
            self._save()
        self._begin(*([] if answer in ("join", "take both in") else [text.number]))
        self._go_on(answer, after, second)

    def _go_on(self, answer: Answer, after: RoundMessage, second: RoundMessage) -> None:
        """Passes over the clicks that the answer has used up."""
        if answer == "take both in":
            self.skip, self.click, self.clicker = 2, second.click, second.speaker
        elif answer != "close":
            self.skip = 1
            if answer != "agree late":
                self.click, self.clicker = after.click, after.speaker
        self.follows_click = answer in ("join", "take both in")


def to_released(game: Game, segments: Iterable[Segment]) -> list[list[object]]:
    """Returns segments as plain lists: game id, round from 0, message numbers, image paths."""
    return [
        [game.game_id, each.round_index, list(each.messages), list(each.targets)]
        for each in segments
    ]


class Chain(msgspec.Struct, frozen=True, gc=False):
    """The segments about one image, in order, as positions in the list of the game's segments."""

    image: str
    segments: tuple[int, ...]


def build_chains(segments: Iterable[Segment]) -> list[Chain]:
    """Gathers the segments of one game by image, images in order of first mention.

    A segment about several images is in the chain of each.
    """
    of_image: dict[str, list[int]] = {}
    for number, segment in enumerate(segments):
        for image in segment.targets:
            of_image.setdefault(image, []).append(number)
    return [Chain(image, tuple(numbers)) for image, numbers in of_image.items()]
