"""Games that people play over sockets, without browsers."""

from __future__ import annotations

from typing import Any

from tests.unit.play.rooms.conftest import Line, Server
from tests.unit.play.rooms.people import Visitor

SAID = ("i have a red {} on the beach", "no, but a small {} with a ring", "the same {} as before")


def seat(server: Server, games: int, *, clicks: bool = False) -> list[Line]:
    """Brings people in until so many games are under way; returns their browsers.

    Args:
        server: where they come.
        games: how many.
        clicks: whether people who are paired are asked to say that they are there.
    """
    tokens = []
    for _ in range(games):
        pair = [Visitor(server).go_to_waiting_room() for _ in range(2)]
        lines = [Line(server, each.token) for each in pair]
        for line in lines if clicks else ():
            _accept(line)
        for line in lines:
            line.hear("stage")
            line.close()
        tokens += [each.token for each in pair]
    lines = [Line(server, token) for token in tokens]
    for line in lines:
        line.hear("welcome")
    return lines


def _accept(line: Line) -> None:
    """Says that somebody is there, once a partner has been found."""
    stage = ""
    while stage != "ready":
        told = line.hear("welcome", "event")
        stage = told.get("view", told.get("set", {})).get("stage", stage)
    line.tell("ready")


def _views(lines: list[Line]) -> list[Any]:
    return [line.hear("welcome")["view"]["game"] for line in lines]


def play_game(server: Server, lines: list[Line]) -> None:
    """Plays a game to its end: pages load anew, people write, mark, change marks and submit."""
    for number in range(1, 6):
        for line in lines:
            line.close()
        lines = [Line(server, line.token) for line in lines]
        for line, game in zip(lines, _views(lines), strict=True):
            _play_page(line, number, game)
        for line in lines:
            line.act("photobook.review", number)
            if number < 5:
                line.act("photobook.next", number)
    for line in lines:
        line.act("photobook.questionnaire", 5, col=5, partner_u=4, self_u=3, text="it was fun")
    for line in lines:
        assert line.hear("ended")["reason"] == "completed"


def _play_page(line: Line, number: int, game: Any) -> None:
    line.tell("typing", on=True)
    images = [image["image"] for image in game["images"] if image["highlighted"]]
    for text, image in zip(SAID, images, strict=True):
        shape = image.partition("_")[0]
        assert line.act("chat.message", number, text=text.format(shape))["type"] == "ack"
        # The first click is wrong now and then; the last counts.
        for label in ("different", "common")[number % 2 :]:
            line.act("photobook.mark", number, image=image, label=label)
    assert line.act("chat.message", number, text="<refused>")["type"] == "reject"
    assert line.act("photobook.submit", number)["type"] == "ack"
