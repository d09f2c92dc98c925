"""One pass over the messages of a game, shared by all rules that look at them."""

from __future__ import annotations

from collections.abc import Iterator
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
from commonground.corpora.photobook.pages import Display, Page, PageFaults, build_pages, examine_pages
from commonground.findings import Examined, Place


class Mark(NamedTuple):
    """A selection: number of its message in the round, and what it says."""

    index: int
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
        submits: clicks on submit.
        nexts: clicks on the next round.
        answers: closing questionnaires.
    """

    number: int
    speaker: str
    display: Display
    score: int
    marks: list[Mark]
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
        messages: all messages, in order.
        texts: their contents.
        joined: the texts that carry no tag, one a line, with a line break at both ends.
    """

    displays: PageFaults
    rounds: list[RoundFacts]
    players: list[PlayerRound]
    messages: list[Message]
    texts: list[str]
    joined: str

    def iterate_texts(self) -> Iterator[tuple[RoundFacts, int, str]]:
        """Yields every text with its round and number."""
        for each in self.rounds:
            for index, message in enumerate(each.round.messages):
                if message.message[:1] != "<":
                    yield each, index, message.message

    def place(self, event: int, expected: str | None = None, found: str | None = None) -> Place:
        """Builds the place of a message from its number in the game."""
        each = next(r for r in reversed(self.rounds) if r.first_event <= event)
        return each.place(event - each.first_event, expected, found)


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
    texts = [message.message for message in messages]
    spoken = "\n".join([text for text in texts if text[:1] != "<"])
    faults = examine_pages(pages, game.domain_id)
    players = [player for each in rounds for player in each.players]
    return GameFacts(faults, rounds, players, messages, texts, f"\n{spoken}\n")


def _examine_round(number: int, each: Round, first_event: int, page: Page) -> RoundFacts:
    a = PlayerRound(number, "A", page.a, each.score.A, [], [], [], [])
    b = PlayerRound(number, "B", page.b, each.score.B, [], [], [], [])
    nobody = PlayerRound(number, "", page.a, 0, [], [], [], [])
    odd: list[int] = []
    counted = [1] * len(each.messages)
    for index, message in enumerate(each.messages):
        text = message.message
        if text[:1] != "<":
            continue
        player = a if message.speaker == "A" else b if message.speaker == "B" else nobody
        if text[:12] == SELECTION and text[12:18] in LABELS:
            player.marks.append(Mark(index, LABELS[text[12:18]], text[18:]))
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
