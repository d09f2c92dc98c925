"""What pages still tell after a restart, and what counts as closing them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from starlette.websockets import WebSocketDisconnect
from tests.unit.play.rooms.conftest import Line, Server
from tests.unit.play.rooms.leaving import Leavers
from tests.unit.play.rooms.people import Visitor, get

from commonground.play.collect.events import ParticipantDisconnected
from commonground.play.collect.identities import Identity
from commonground.play.collect.setup.study import open_study
from commonground.play.rooms import wire
from commonground.play.rooms.desk import SendQueue


def test_the_last_page_tells_points_and_time_after_a_restart(
    study: Path, serve: Callable[..., Server]
) -> None:
    party = Leavers(study, lambda number: Identity("plain", f"person {number}"))
    pid = party.complete()
    result = party.hall.ledger.person(pid).result
    assert result is not None
    assert result.points
    page = f"/p/{party.identities.token(pid)}"
    party.close_files()
    server = serve()
    told = f"Together you reached {result.points:.0f} of {result.best:.0f} points."
    for _ in range(2):
        shown = get(server.address + page).text
        assert told in shown
        assert f"Time: {max(1, int(result.seconds // 60))} min." in shown


@pytest.mark.parametrize(
    ("code", "unanswered_s", "reason"),
    [
        (1001, None, "closed"),
        (1001, 0.5, "closed"),
        (1001, 30.0, "cut"),
        (1006, None, "cut"),
        (4000, None, "cut"),
    ],
)
def test_a_page_that_is_loaded_anew_on_a_dying_line_was_not_closed(
    code: int, unanswered_s: float | None, reason: str
) -> None:
    class Ending:
        async def receive_text(self) -> str:
            raise WebSocketDisconnect(code)

    line, socket, desk = SendQueue(1), Ending(), object()
    if unanswered_s is not None:
        line.asked_s = time.monotonic() - unanswered_s
    receive: Any = wire._receive
    assert asyncio.run(receive(socket, desk, line)) == reason


@pytest.mark.parametrize(("anew", "reason"), [(True, "cut"), (False, "closed")])
def test_a_page_that_is_asked_for_anew_was_not_closed_whatever_becomes_of_it(
    study: Path, serve: Callable[..., Server], anew: bool, reason: str
) -> None:
    server = serve()
    visitor = Visitor(server).go_to_waiting_room()
    line = Line(server, visitor.token)
    line.hear("welcome")
    if anew:
        visitor.look()
    line.socket.close(1001)
    server.stop()
    with closing(open_study(study).open_log()) as log:
        last = [event.what for event in log.read() if event.type == "participant.disconnected"][-1]
    assert last == ParticipantDisconnected(reason)


def test_a_ping_is_owed_until_anything_is_heard() -> None:
    class Silent:
        def __init__(self) -> None:
            self.sent: list[str] = []

        async def send_text(self, text: str) -> None:
            self.sent.append(text)
            line.put(None)

        async def close(self, code: int) -> None:
            assert code == 1000

    line = SendQueue(1)
    socket: Any = Silent()
    asyncio.run(wire._send(socket, line, 0.001))
    assert socket.sent == ['{"ping":{}}']
    assert line.asked_s is not None
