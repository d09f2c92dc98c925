"""How simulated players play a round: they describe, answer, mark, submit and go on."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import NamedTuple

import msgspec

from commonground.corpora.photobook import wording
from commonground.corpora.photobook.messages import COMMON, DIFFERENT, NEXT_ROUND, SELECTION, SUBMIT
from commonground.corpora.photobook.schedule import ROUNDS
from commonground.corpora.photobook.world import Picture


class Player(msgspec.Struct, frozen=True):
    """Someone who plays, in one game or several.

    Attributes:
        agent_id: who it is.
        casual: whether the player types without capital letters.
        curious: how often the player asks back.
        slip: how often the player clicks on the wrong label.
    """

    agent_id: int
    casual: bool
    curious: float
    slip: float


class Side(msgspec.Struct, frozen=True):
    """One player's side of a page.

    Attributes:
        images: numbers of the pictures that are shown.
        targets: those that are highlighted.
    """

    images: Sequence[int]
    targets: Sequence[int]


class Move(NamedTuple):
    """A message to be sent: by whom (0 or 1), and what."""

    player: int
    message: str


class Played(msgspec.Struct):
    """A round that was played."""

    moves: list[Move]
    scores: list[int]


def invent_player(agent_id: int, seed: int) -> Player:
    """Invents the habits of an agent, the same in all games."""
    rng = Random(f"{seed}:agent:{agent_id}")
    return Player(agent_id, rng.random() < 0.5, 0.3 * rng.random(), 0.08 * rng.random() ** 2)


class Table:
    """A game in play: two players, twelve pictures, and what was talked about."""

    def __init__(self, players: Sequence[Player], pictures: Sequence[Picture], rng: Random) -> None:
        self._players = players
        self._pictures = pictures
        self._rng = rng
        self._mentions = [0] * len(pictures)
        self._sides: Sequence[Side] = ()
        self._played = Played([], [0, 0])

    def play_round(self, number: int, sides: Sequence[Side]) -> Played:
        """Plays a round from its first text to the clicks that end it."""
        self._sides, self._played = sides, Played([], [0, 0])
        rng = self._rng
        leader = rng.randrange(2)
        self._open(number, leader)
        pending = [rng.sample(list(side.targets), len(side.targets)) for side in sides]
        while pending[0] or pending[1]:
            if not pending[leader]:
                leader = 1 - leader
            self._settle(pending[leader].pop(), leader, pending[1 - leader])
            if rng.random() < 0.7:
                leader = 1 - leader
        self._close(number, leader)
        return self._played

    def _open(self, number: int, leader: int) -> None:
        if number == 1:
            self._say(leader, wording.GREETINGS)
            self._say(1 - leader, wording.GREETINGS_BACK)
        elif self._rng.random() < 0.3:
            self._say(leader, wording.NEXT_PAGES)

    def _settle(self, image: int, leader: int, partner_pending: list[int]) -> None:
        """Talks about one picture and marks it."""
        other = 1 - leader
        shared = image in self._sides[other].images
        self._offer(image, leader)
        self._answer(image, leader, shared)
        self._mentions[image] += 1
        markers = [leader]
        if image in partner_pending:
            partner_pending.remove(image)
            markers.append(other)
            self._rng.shuffle(markers)
        for player in markers:
            self._mark(player, image, shared)

    def _offer(self, image: int, leader: int) -> None:
        rng, times = self._rng, self._mentions[image]
        offers = wording.LATER_OFFERS if times else wording.FIRST_OFFERS
        words = wording.describe(self._pictures[image], times, rng)
        text = rng.choice(offers).format(words.head + words.tail)
        if words.tail and (len(text) > wording.LONGEST or rng.random() < 0.15):
            self._tell(leader, f"I have {words.head}")
            text = words.tail.lstrip(" ,")
        self._tell(leader, text)

    def _answer(self, image: int, leader: int, shared: bool) -> None:
        rng, other = self._rng, 1 - leader
        asks = rng.random() < self._players[other].curious
        if shared:
            if asks and not self._mentions[image]:
                self._tell(other, wording.ask_back(self._pictures[image], rng))
                self._say(leader, wording.CONFIRM)
            self._say(other, wording.YES_AGAIN if self._mentions[image] > 1 else wording.YES)
            return
        similar = self._find_similar(image, other) if asks else None
        if similar is None:
            self._say(other, wording.NO)
            return
        self._tell(other, wording.ask_other(similar, rng))
        self._tell(leader, wording.correct(self._pictures[image], rng))
        self._say(other, wording.THEN_NO)

    def _find_similar(self, image: int, viewer: int) -> Picture | None:
        """Finds a picture before the viewer that differs in its second thing's colour."""
        wanted = self._pictures[image]
        for number in self._sides[viewer].images:
            each = self._pictures[number]
            if each.first.color == wanted.first.color and each is not wanted:
                return each
        return None

    def _mark(self, player: int, image: int, shared: bool) -> None:
        right = self._rng.random() >= self._players[player].slip
        label = COMMON if shared == right else DIFFERENT
        self._send(player, f"{SELECTION}{label}{self._pictures[image].path}")
        self._played.scores[player] += right

    def _close(self, number: int, leader: int) -> None:
        self._say(leader, wording.DONE)
        self._say(1 - leader, wording.DONE_TOO)
        if number == ROUNDS:
            self._say(self._rng.randrange(2), wording.GOODBYES)
        clicks = [SUBMIT] if number == ROUNDS else [SUBMIT, NEXT_ROUND]
        first = self._rng.randrange(2)
        for click in clicks:
            self._send(first, click)
            self._send(1 - first, click)

    def _say(self, player: int, choices: Sequence[str]) -> None:
        self._tell(player, self._rng.choice(choices))

    def _tell(self, player: int, text: str) -> None:
        self._send(player, wording.style(text, casual=self._players[player].casual))

    def _send(self, player: int, message: str) -> None:
        self._played.moves.append(Move(player, message))
