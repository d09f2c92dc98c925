"""One pass over the messages of a game, shared by all rules that look at them.

Messages go by their numbers in the game, from 0: they are the events of the dialogue.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
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
    Selection,
    Submission,
    parse_command,
)
from commonground.corpora.photobook.rules._pages import Display, RoundPage, build_pages
from commonground.corpora.photobook.schedule import ROUNDS
from commonground.findings import Examined, Place


class PlacedSelection(NamedTuple):
    """A selection: where its message stands, and what it says.

    Attributes:
        at: number of its message.
        label: ``common`` or ``different``.
        image: the path that it names.
    """

    at: int
    label: Label
    image: str


class PlayerRound(msgspec.Struct, gc=False):
    """What one player did in one round, by the numbers of the messages.

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
        first_event: number of its first message.
        players: what A and B did.
        texts: messages that are texts, but for those that start like a tag.
    """

    number: int
    first_event: int
    players: tuple[PlayerRound, PlayerRound]
    texts: list[int]


class GameCourse(msgspec.Struct):
    """A game.

    Attributes:
        game: the released record.
        pages: what its rounds show.
        rounds: its rounds.
        players: A and B in every round.
        unusual: those of them who did not do the usual: mark each highlighted image once,
            submit once, ask once for the next round.
        messages: all messages, in order.
        stamps: their timestamps.
        turns: what ``turn`` should be.
        odd: numbers of the messages that start like a tag and are none.
        texts: the messages that do not start like a tag, in order.
        text_events: their numbers.
        lengths: how many characters the texts have.
        joined: the texts, one a line, with a line break at both ends.
    """

    game: Game
    pages: list[RoundPage]
    rounds: list[RoundCourse]
    players: list[PlayerRound]
    unusual: list[PlayerRound]
    messages: list[Message]
    stamps: list[str]
    turns: list[int]
    odd: list[int]
    texts: list[str]
    text_events: list[int]
    lengths: set[int]
    joined: str

    def place(self, event: int, expected: str, found: str, field: str = "message") -> Place:
        """Builds the place of a field of a message.

        Args:
            event: number of the message.
            expected: what should stand there.
            found: what stands there.
            field: the message's field that is wrong.
        """
        # The last round that begins at or before the event.
        number = bisect_right(self.rounds, event, key=lambda each: each.first_event) - 1
        index = event - self.rounds[number].first_event
        return Place(f".rounds[{number}].messages[{index}].{field}", expected, found, event)

    def quote(self, expected: str, is_odd: Callable[[str], object]) -> Iterator[Place]:
        """Yields the places of the texts that are odd."""
        for event, text in zip(self.text_events, self.texts, strict=True):
            if is_odd(text):
                yield self.place(event, expected, repr(text))

    def answers(self) -> dict[str, list[str]]:
        """Returns the closing questionnaires of each player, without their tag."""
        sent: dict[str, list[str]] = {"A": [], "B": []}
        for player in self.players:
            for event in player.answers:
                message = self.messages[event].message
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
    turns: list[int] = []
    odd: list[int] = []
    for number, (each, page) in enumerate(zip(game.rounds, pages, strict=True)):
        a = PlayerRound(number, "A", page.a, each.score.A)
        b = PlayerRound(number, "B", page.b, each.score.B)
        course = RoundCourse(number, len(messages), (a, b), [])
        rounds.append(course)
        turns += _sort_messages(each.messages, course, odd)
        messages += each.messages
    players = [player for each in rounds for player in each.players]
    text_events = [event for each in rounds for event in each.texts]
    texts = [messages[event].message for event in text_events]
    return GameCourse(
        game=game,
        pages=pages,
        rounds=rounds,
        players=players,
        unusual=[player for player in players if not _is_usual(player, game)],
        messages=messages,
        stamps=[message.timestamp for message in messages],
        turns=turns,
        odd=odd,
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


def _sort_messages(messages: Sequence[Message], course: RoundCourse, odd: list[int]) -> list[int]:
    """Sorts the messages of a round, and returns what ``turn`` should be in each."""
    a, b = course.players
    # A rule of its own names other speakers.
    nobody = PlayerRound(course.number, "", a.display, 0)
    players = {"A": a, "B": b}
    turns, turn = [], 0
    for event, message in enumerate(messages, course.first_event):
        # As released: it counts the messages before this one, without marks and submissions.
        turns.append(turn)
        command = parse_command(message.message)
        if command is None:
            (odd if message.message[:1] == "<" else course.texts).append(event)
        else:
            _note_command(players.get(message.speaker, nobody), command, event)
        if not isinstance(command, (Selection, Submission)):
            turn += 1
    return turns


def _note_command(player: PlayerRound, command: Command, event: int) -> None:
    match command:
        case Selection(label=label, image=image):
            player.marks.append(PlacedSelection(event, label, image))
            player.last[image] = label
        case Submission():
            player.submits.append(event)
        case NextRound():
            player.nexts.append(event)
        case Answers():
            player.answers.append(event)
