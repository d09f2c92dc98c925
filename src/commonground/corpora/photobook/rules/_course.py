"""One pass over the messages of a game, shared by all rules that look at them."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

import msgspec

from commonground.corpora.photobook.native import (
    LABELS,
    NEXT_ROUND,
    QUESTIONNAIRE,
    SELECTION,
    SUBMIT,
    Game,
    Label,
    Message,
    Round,
)
from commonground.corpora.photobook.rules._pages import Display, Page, build_pages
from commonground.corpora.photobook.schedule import ROUNDS
from commonground.findings import Examined, Place

ANSWERS = re.compile(r"col:\d+<&>partner_u:\d+<&>self_u:\d+<&>text:", re.ASCII)
"""How a filled-in questionnaire starts."""


class Mark(NamedTuple):
    """A selection: where its message stands in the round, and what it says.

    Attributes:
        at: number of its message in the round, from 0.
        label: ``common`` or ``different``.
        image: the path that it names.
    """

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
        selections: the marks in full; only of players who are unusual.
    """

    number: int
    speaker: str
    display: Display
    score: int
    marks: list[int]
    last: dict[str, Label]
    submits: list[int]
    nexts: list[int]
    answers: list[int]
    selections: Sequence[Mark] = ()


class RoundCourse(msgspec.Struct, gc=False):
    """A round.

    Attributes:
        number: of the round in the list of rounds, from 0.
        round: the released record.
        first_event: number of its first message in the game.
        turns: what ``turn`` should be.
        players: what A and B did.
        odd: messages that start like a tag and are none.
        first_text: number of the first text; -1 where there is none.
        last_text: number of the last text; -1 where there is none.
    """

    number: int
    round: Round
    first_event: int
    turns: list[int]
    players: tuple[PlayerRound, PlayerRound]
    odd: list[int]
    first_text: int
    last_text: int

    def place(self, index: int, expected: str, found: str, field: str = "message") -> Place:
        """Builds the place of a field of a message.

        Args:
            index: number of the message in the round, from 0.
            expected: what should stand there.
            found: what stands there.
            field: the message's field that is wrong.
        """
        path = f".rounds[{self.number}].messages[{index}].{field}"
        return Place(path, expected, found, self.first_event + index)

    def selections(self, player: PlayerRound) -> list[Mark]:
        """Returns what a player marked."""
        messages = self.round.messages
        texts = [messages[index].message for index in player.marks]
        pairs = zip(player.marks, texts, strict=True)
        # A tag of twelve characters, blank included, then ``<com> `` or ``<dif> `` of six, then the
        # path.
        return [Mark(index, LABELS[text[12:18]], text[18:]) for index, text in pairs]


class Course(msgspec.Struct):
    """A game.

    Attributes:
        game: the released record.
        pages: what its rounds show.
        rounds: its rounds.
        first_events: the numbers of their first messages among all.
        players: A and B in every round.
        unusual: those of them who did not do the usual: mark each highlighted image once,
            submit once, ask once for the next round.
        messages: all messages, in order.
        stamps: their timestamps.
        texts: the messages that carry no tag, in order.
        text_events: their numbers among the messages.
        lengths: how many characters the texts have.
        joined: the texts, one a line, with a line break at both ends.
    """

    game: Game
    pages: list[Page]
    rounds: list[RoundCourse]
    first_events: list[int]
    players: list[PlayerRound]
    unusual: list[PlayerRound]
    messages: list[Message]
    stamps: list[str]
    texts: list[str]
    text_events: list[int]
    lengths: set[int]
    joined: str

    def place(self, event: int, expected: str, found: str, field: str = "message") -> Place:
        """Builds the place of a field of a message from its number in the game.

        Args:
            event: number of the message in the game, from 0.
            expected: what should stand there.
            found: what stands there.
            field: the message's field that is wrong.
        """
        # The last round that begins at or before the event.
        number = bisect_right(self.first_events, event) - 1
        each = self.rounds[number]
        return each.place(event - each.first_event, expected, found, field)

    def quote(self, numbers: Sequence[int], expected: str) -> Iterator[Place]:
        """Yields the places of texts, given by their numbers among the texts."""
        for number in numbers:
            yield self.place(self.text_events[number], expected, repr(self.texts[number]))

    def answers(self) -> dict[str, list[str]]:
        """Returns the closing questionnaires of each player, without their tag."""
        sent: dict[str, list[str]] = {"A": [], "B": []}
        for player in self.players:
            for index in player.answers:
                message = self.rounds[player.number].round.messages[index].message
                sent[player.speaker].append(message[len(QUESTIONNAIRE) :])
        return sent


class _Memo:
    """Keeps the course of the record under examination, and of no other."""

    def __init__(self) -> None:
        self._last: tuple[Examined, Game, Course] | None = None

    def __call__(self, game: Game, examined: Examined) -> Course:
        # By identity, which is quick: comparing the games would cost what the memo saves.
        last = self._last
        if last is not None and last[0] is examined and last[1] is game:
            return last[2]
        course = follow_game(game)
        self._last = (examined, game, course)
        return course


course_of = _Memo()
"""Returns the course of a game; the rules of one examination share them."""


def follow_game(game: Game) -> Course:
    """Gathers what the rules need to know of a game."""
    pages = build_pages(game)
    rounds: list[RoundCourse] = []
    messages: list[Message] = []
    texts: list[str] = []
    text_events: list[int] = []
    for number, (each, page) in enumerate(zip(game.rounds, pages, strict=True)):
        rounds.append(_examine_round(number, each, page, len(messages), texts, text_events))
        messages += each.messages
    players = [player for each in rounds for player in each.players]
    unusual = [player for player in players if not _is_usual(player, game)]
    for player in unusual:
        player.selections = rounds[player.number].selections(player)
    return Course(
        game=game,
        pages=pages,
        rounds=rounds,
        first_events=[each.first_event for each in rounds],
        players=players,
        unusual=unusual,
        messages=messages,
        stamps=[message.timestamp for message in messages],
        texts=texts,
        text_events=text_events,
        lengths=set(map(len, texts)),
        # One text lets a rule look for its pattern once; only where it is found are texts looked
        # through one by one.
        joined="\n".join(["", *texts, ""]),
    )


def _is_usual(player: PlayerRound, game: Game) -> bool:
    # Most players did exactly this in most rounds (22,445 of 25,020 marked three times), and then
    # no rule on marks or submissions needs to look at single messages.
    marks, submits, nexts = player.marks, player.submits, player.nexts
    if len(marks) != 3 or len(submits) != 1 or submits[0] < marks[2]:
        return False
    if game.rounds[player.number].round_nr == ROUNDS:
        done = not nexts
    else:
        done = len(nexts) == 1 and nexts[0] > submits[0] and not player.answers
    return done and player.last.keys() == player.display.goal.keys()


def _examine_round(
    number: int,
    each: Round,
    page: Page,
    first_event: int,
    texts: list[str],
    text_events: list[int],
) -> RoundCourse:
    """Sorts the messages of a round; adds its texts to those of the rounds before."""
    a = PlayerRound(number, "A", page.a, each.score.A, [], {}, [], [], [])
    b = PlayerRound(number, "B", page.b, each.score.B, [], {}, [], [], [])
    odd: list[int] = []
    # What each message adds to `turn`; marks and submissions are set to 0.
    counted = [1] * len(each.messages)
    texts_before = len(texts)
    for index, message in enumerate(each.messages):
        text = message.message
        # More than half of the messages are texts, so the cheapest test comes first.
        if text[:1] != "<":
            texts.append(text)
            text_events.append(first_event + index)
            continue
        player = a if message.speaker == "A" else b if message.speaker == "B" else None
        if player is None:  # a rule of its own names such speakers
            player = PlayerRound(number, "", page.a, 0, [], {}, [], [], [])
        if not _note_command(player, text, index, counted):
            odd.append(index)
    spoken = len(texts) > texts_before
    return RoundCourse(
        number,
        each,
        first_event,
        # As released: `turn` counts the messages before this one, without marks and submissions.
        list(accumulate(counted[:-1], initial=0)),
        (a, b),
        odd,
        text_events[texts_before] - first_event if spoken else -1,
        text_events[-1] - first_event if spoken else -1,
    )


def _note_command(player: PlayerRound, text: str, index: int, counted: list[int]) -> bool:
    """Notes a command among those of its player; says no where it is none.

    Marks and submissions do not move ``turn`` on.
    """
    if text[:12] == SELECTION and (label := LABELS.get(text[12:18])):
        player.marks.append(index)
        player.last[text[18:]] = label
        counted[index] = 0
    elif text == SUBMIT:
        player.submits.append(index)
        counted[index] = 0
    elif text == NEXT_ROUND:
        player.nexts.append(index)
    elif text[:15] == QUESTIONNAIRE and ANSWERS.match(text, 15):
        player.answers.append(index)
    else:
        return False
    return True
