"""One pass over the messages of a game, shared by all rules that look at them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

import msgspec

from commonground.corpora.photobook.messages import (
    LABELS,
    NEXT_ROUND,
    QUESTIONNAIRE,
    SELECTION,
    SUBMIT,
    Label,
    parse_answers,
)
from commonground.corpora.photobook.native import Game, Message, Round
from commonground.corpora.photobook.pages import (
    Display,
    Page,
    PageFaults,
    build_pages,
    examine_pages,
)
from commonground.findings import Examined, Place, shorten


class Mark(NamedTuple):
    """A selection: where its message stands in the round, and what it says."""

    at: int
    label: Label
    image: str


class PlayerRound(msgspec.Struct, gc=False):
    """What one player did in one round; numbers are those of the messages in the round.

    Attributes:
        number: of the round in the list of rounds, from 0.
        speaker: label of the player.
        display: what the player saw.
        score: the released points.
        marks: selections, in order.
        last: the last label of each image that was marked.
        submits: clicks on submit.
        nexts: clicks on the next round.
        answers: closing questionnaires.
    """

    number: int
    speaker: str
    display: Display
    score: int
    marks: list[Mark]
    last: dict[str, Label]
    submits: list[int]
    nexts: list[int]
    answers: list[int]


class RoundFacts(msgspec.Struct, gc=False):
    """A round.

    Attributes:
        number: of the round in the list of rounds, from 0.
        round: the released record.
        first_event: number of its first message in the game.
        turns: what ``turn`` should be.
        players: what A and B did.
        odd: messages that start like a tag and are none.
    """

    number: int
    round: Round
    first_event: int
    turns: list[int]
    players: tuple[PlayerRound, PlayerRound]
    odd: list[int]

    def place(self, index: int, expected: str | None = None, found: str | None = None) -> Place:
        """Builds the place of a message."""
        path = f".rounds[{self.number}].messages[{index}]"
        return Place(path, expected, found, self.first_event + index)


class GameFacts(msgspec.Struct):
    """A game.

    Attributes:
        displays: what is wrong with its displays.
        rounds: its rounds.
        players: A and B in every round.
        strays: those of them whose marks are not of exactly the highlighted images.
        repeats: those of them who marked an image more than once.
        messages: all messages, in order.
        texts: the messages that carry no tag, in order.
        lengths: how many characters the texts have.
        joined: the texts, one a line, with a line break at both ends.
    """

    displays: PageFaults
    rounds: list[RoundFacts]
    players: list[PlayerRound]
    strays: list[PlayerRound]
    repeats: list[PlayerRound]
    messages: list[Message]
    texts: list[str]
    lengths: set[int]
    joined: str

    def place(self, event: int, expected: str | None = None, found: str | None = None) -> Place:
        """Builds the place of a message from its number in the game."""
        each = next(r for r in reversed(self.rounds) if r.first_event <= event)
        return each.place(event - each.first_event, expected, found)

    def quote(self, numbers: Sequence[int], expected: str) -> Iterator[Place]:
        """Yields the places of texts, given by their numbers among the texts."""
        if not numbers:
            return
        events = [e for e, message in enumerate(self.messages) if message.message[:1] != "<"]
        for number in numbers:
            yield self.place(events[number], expected, shorten(repr(self.texts[number])))


class _Memo:
    """Keeps the facts of the record under examination, and of no other."""

    def __init__(self) -> None:
        self._last: tuple[Examined, Game, GameFacts] | None = None

    def __call__(self, game: Game, examined: Examined) -> GameFacts:
        last = self._last
        if last is not None and last[0] is examined and last[1] is game:
            return last[2]
        facts = examine_game(game)
        self._last = (examined, game, facts)
        return facts


facts_of = _Memo()
"""Returns the facts of a game; the rules of one examination share them."""


def examine_game(game: Game) -> GameFacts:
    """Gathers what the rules need to know of a game."""
    pages = build_pages(game)
    rounds: list[RoundFacts] = []
    messages: list[Message] = []
    for number, each in enumerate(game.rounds):
        rounds.append(_examine_round(number, each, len(messages), pages[number]))
        messages += each.messages
    players = [player for each in rounds for player in each.players]
    texts = [text for message in messages if (text := message.message)[:1] != "<"]
    return GameFacts(
        displays=examine_pages(pages, game.domain_id),
        rounds=rounds,
        players=players,
        strays=[each for each in players if each.last.keys() != each.display.goal.keys()],
        repeats=[each for each in players if len(each.last) != len(each.marks)],
        messages=messages,
        texts=texts,
        lengths=set(map(len, texts)),
        joined="\n".join(["", *texts, ""]),
    )


def _examine_round(number: int, each: Round, first_event: int, page: Page) -> RoundFacts:
    a = PlayerRound(number, "A", page.a, each.score.A, [], {}, [], [], [])
    b = PlayerRound(number, "B", page.b, each.score.B, [], {}, [], [], [])
    nobody = PlayerRound(number, "", page.a, 0, [], {}, [], [], [])
    odd: list[int] = []
    counted = [1] * len(each.messages)
    for index, message in enumerate(each.messages):
        text = message.message
        if text[:1] != "<":
            continue
        player = a if message.speaker == "A" else b if message.speaker == "B" else nobody
        if text[:12] == SELECTION and text[12:18] in LABELS:
            label, image = LABELS[text[12:18]], text[18:]
            player.marks.append(Mark(index, label, image))
            player.last[image] = label
            counted[index] = 0
        elif text == SUBMIT:
            player.submits.append(index)
            counted[index] = 0
        elif text == NEXT_ROUND:
            player.nexts.append(index)
        elif text[:15] == QUESTIONNAIRE and parse_answers(text[15:]) is not None:
            player.answers.append(index)
        else:
            odd.append(index)
    turns = list(accumulate(counted, initial=0))
    turns.pop()
    return RoundFacts(number, each, first_event, turns, (a, b), odd)
