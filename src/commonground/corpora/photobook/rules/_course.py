"""One pass over the messages of a game, shared by all rules that look at them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from itertools import accumulate
from typing import NamedTuple

import msgspec

from commonground.corpora.photobook.native import (
    QUESTIONNAIRE,
    Answers,
    Command,
    Game,
    Label,
    Message,
    NextRound,
    Round,
    Selection,
    Submission,
    parse_command,
)
from commonground.corpora.photobook.rules._pages import Display, RoundPage, build_pages
from commonground.corpora.photobook.schedule import ROUNDS
from commonground.findings import Examined, Place


class PlacedSelection(NamedTuple):
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
    """

    number: int
    speaker: str
    display: Display
    score: int
    marks: list[PlacedSelection] = []
    last: dict[str, Label] = {}
    submits: list[int] = []
    nexts: list[int] = []
    answers: list[int] = []


class RoundCourse(msgspec.Struct, gc=False):
    """A round.

    Attributes:
        number: of the round in the list of rounds, from 0.
        round: the released record.
        first_event: number of its first message in the game.
        turns: what ``turn`` should be.
        players: what A and B did.
        odd: messages that start like a tag and are none.
        texts: messages that are texts, but for the odd ones.
    """

    number: int
    round: Round
    first_event: int
    turns: list[int]
    players: tuple[PlayerRound, PlayerRound]
    odd: list[int]
    texts: list[int]

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


class GameCourse(msgspec.Struct):
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
        texts: the messages that do not start like a tag, in order.
        text_events: their numbers among the messages.
        lengths: how many characters the texts have.
        joined: the texts, one a line, with a line break at both ends.
    """

    game: Game
    pages: list[RoundPage]
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

    def quote(self, expected: str, is_odd: Callable[[str], object]) -> Iterator[Place]:
        """Yields the places of the texts that are odd."""
        for event, text in zip(self.text_events, self.texts, strict=True):
            if is_odd(text):
                yield self.place(event, expected, repr(text))

    def answers(self) -> dict[str, list[str]]:
        """Returns the closing questionnaires of each player, without their tag."""
        sent: dict[str, list[str]] = {"A": [], "B": []}
        for player in self.players:
            for index in player.answers:
                message = self.rounds[player.number].round.messages[index].message
                sent[player.speaker].append(message.removeprefix(QUESTIONNAIRE))
        return sent


class _Memo:
    """Keeps the course of the record under examination, and of no other."""

    def __init__(self) -> None:
        self._last: tuple[Examined, Game, GameCourse] | None = None

    def __call__(self, game: Game, examined: Examined) -> GameCourse:
        # By identity, which is quick: comparing the games would cost what the memo saves.
        last = self._last
        if last is not None and last[0] is examined and last[1] is game:
            return last[2]
        course = follow_game(game)
        self._last = (examined, game, course)
        return course


course_of = _Memo()
"""Returns the course of a game; the rules of one examination share them."""


def follow_game(game: Game) -> GameCourse:
    """Gathers what the rules need to know of a game."""
    pages = build_pages(game)
    rounds: list[RoundCourse] = []
    messages: list[Message] = []
    for number, (each, page) in enumerate(zip(game.rounds, pages, strict=True)):
        rounds.append(_examine_round(number, each, page, len(messages)))
        messages += each.messages
    players = [player for each in rounds for player in each.players]
    text_events = [each.first_event + index for each in rounds for index in each.texts]
    texts = [messages[event].message for event in text_events]
    return GameCourse(
        game=game,
        pages=pages,
        rounds=rounds,
        first_events=[each.first_event for each in rounds],
        players=players,
        unusual=[player for player in players if not _is_usual(player, game)],
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
    if len(marks) != 3 or len(submits) != 1 or submits[0] < marks[2].at:
        return False
    if game.rounds[player.number].round_nr == ROUNDS:
        done = not nexts
    else:
        done = len(nexts) == 1 and nexts[0] > submits[0] and not player.answers
    return done and player.last.keys() == player.display.goal.keys()


def _examine_round(number: int, each: Round, page: RoundPage, first_event: int) -> RoundCourse:
    """Sorts the messages of a round."""
    a = PlayerRound(number, "A", page.a, each.score.A)
    b = PlayerRound(number, "B", page.b, each.score.B)
    # A rule of its own names other speakers.
    nobody = PlayerRound(number, "", page.a, 0)
    players = {"A": a, "B": b}
    texts: list[int] = []
    odd: list[int] = []
    # What each message adds to `turn`.
    counted = [1] * len(each.messages)
    for index, message in enumerate(each.messages):
        command = parse_command(message.message)
        if command is None:
            (odd if message.message[:1] == "<" else texts).append(index)
            continue
        _note_command(players.get(message.speaker, nobody), command, index)
        if isinstance(command, (Selection, Submission)):
            counted[index] = 0
    # As released: `turn` counts the messages before this one, without marks and submissions.
    turns = list(accumulate(counted[:-1], initial=0))
    return RoundCourse(number, each, first_event, turns, (a, b), odd, texts)


def _note_command(player: PlayerRound, command: Command, index: int) -> None:
    match command:
        case Selection(label=label, image=image):
            player.marks.append(PlacedSelection(index, label, image))
            player.last[image] = label
        case Submission():
            player.submits.append(index)
        case NextRound():
            player.nexts.append(index)
        case Answers():
            player.answers.append(index)
