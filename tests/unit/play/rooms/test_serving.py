"""A study as a process: what is acknowledged is kept, whatever ends the process."""

from __future__ import annotations

import asyncio
import signal
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from starlette.websockets import WebSocketDisconnect
from tests.thorough import a_few, thorough
from tests.unit.play.rooms.conftest import COMMAND, PATIENCE_S, Line, Server, seat_people
from tests.unit.play.rooms.people import Visitor
from tests.unit.play.rooms.playing import play_game, seat

from commonground.errors import StoreError
from commonground.play.collect.erasing import backup_study
from commonground.play.collect.exports.exporting import export_study
from commonground.play.collect.log import EventLog
from commonground.play.collect.setup.study import open_study
from commonground.play.rooms import desk, wire

GAMES = 50


def return_to(server: Server, tokens: list[str]) -> list[Line]:
    """Has browsers connect together; returns them when each has its page."""

    def come(token: str) -> Line:
        line = Line(server, token)
        line.game = line.hear("welcome")["view"]["game"]
        return line

    with ThreadPoolExecutor(8) as pool:
        return list(pool.map(come, tokens))


def do(lines: list[Line], kind: str, msg_id: str, payloads: list[dict[str, Any]]) -> None:
    """Has everybody act at once, and waits until all of it is acknowledged."""
    for line, payload in zip(lines, payloads, strict=True):
        act = {"type": kind, "payload": payload, "round": line.game["round"]}
        line.tell("act", client_msg_id=msg_id, **act)
    for line in lines:
        answer = line.hear("ack", "reject")
        assert (answer["type"], answer["client_msg_id"]) == ("ack", msg_id)


def targets(line: Line) -> list[str]:
    return [image["image"] for image in line.game["images"] if image["highlighted"]]


def mark(lines: list[Line], number: int, label: str, msg_id: str = "") -> None:
    """Has everybody mark an image of their page."""
    marks = [{"image": targets(line)[number], "label": label} for line in lines]
    do(lines, "photobook.mark", msg_id or f"mark-{number}", marks)


def turn_page(lines: list[Line]) -> None:
    nothing: list[dict[str, Any]] = [{}] * len(lines)
    for number in range(3):
        mark(lines, number, "common", f"first-{number}")
    do(lines, "photobook.submit", "submit", nothing)
    do(lines, "photobook.next", "next", nothing)


@thorough
def test_a_kill_loses_no_act_that_was_acknowledged(
    serve: Callable[..., Server], study: Path
) -> None:
    tokens = seat_people(study, GAMES)
    server = serve()
    lines = return_to(server, tokens)
    ahead = lines[: GAMES // 2 * 2]
    turn_page(ahead)  # half of the games are on their second page
    server.guests.clear()
    for line in lines:
        line.close()
    lines = return_to(server, tokens)
    for turn in range(3):
        said = [{"text": f"{number} says {turn}"} for number in range(len(lines))]
        do(lines, "chat.message", f"t{turn}", said)
    for number, label in enumerate(("common", "different", "common")):
        mark(lines, number, label)
    mark(lines, 1, "common", "changed")
    do(lines[::4], "photobook.submit", "done", [{} for _ in lines[::4]])
    for line in lines:  # under way when it is killed; these need not be kept
        line.tell("act", client_msg_id="lost", type="chat.message", payload={"text": "?"}, round=1)
    server.kill()

    again = serve(server.port)
    back = return_to(again, tokens)
    for number, (before, line) in enumerate(zip(lines, back, strict=True)):
        game = line.game
        assert game["round"] == (2 if number < len(ahead) else 1)
        assert [each["image"] for each in game["images"]] == [
            each["image"] for each in before.game["images"]
        ]
        marks = {each["image"]: each["mark"] for each in game["images"] if each["highlighted"]}
        assert marks == dict.fromkeys(targets(line), "common")
        assert game["submitted"] == (number % 4 == 0)
        texts = [each["text"] for each in game["chat"] if each["text"] != "?"]
        own, partner = number, number + 1 - 2 * (number % 2)
        assert sorted(texts) == sorted(f"{n} says {t}" for n in (own, partner) for t in range(3))
        assert [text for text in texts if text.startswith(f"{own} ")] == [
            f"{own} says {turn}" for turn in range(3)
        ]
    # An act that was acknowledged before is not taken twice.
    assert back[0].act("chat.message", 2, msg_id="t0", text="0 says 0")["type"] == "ack"
    log = EventLog.open(study / "log.sqlite")
    first = [e for e in log.read() if e.client_msg_id == "t0" and e.payload["text"] == "0 says 0"]
    assert len(first) == 1
    log.close()


def test_ctrl_c_ends_it_and_the_game_goes_on_later(serve: Callable[..., Server]) -> None:
    server = serve()
    a, b = seat(server, 1)
    assert a.act("chat.message", text="until later")["type"] == "ack"
    assert server.stop() == 130
    again = serve(server.port)
    back = Line(again, b.token)
    assert [m["text"] for m in back.hear("welcome")["view"]["game"]["chat"]] == ["until later"]


def test_a_study_is_served_once(serve: Callable[..., Server], study: Path) -> None:
    serve()
    for words in (("serve", "--port", "0"), ("erase", "nobody", "--yes")):
        command = [sys.executable, "-c", COMMAND, "collect", words[0], str(study), *words[1:]]
        result = subprocess.run(command, capture_output=True, text=True)
        assert result.returncode == 1
        assert "is being served already" in result.stderr


def test_a_port_that_is_taken_is_named(serve: Callable[..., Server], study: Path) -> None:
    server = serve()
    other = study.parent / "other"
    command = [sys.executable, "-c", COMMAND, "collect"]
    subprocess.run([*command, "new", str(other), "--scenario", "photobook"], check=True)
    port = str(server.port)
    result = subprocess.run(
        [*command, "serve", str(other), "--port", port], capture_output=True, text=True
    )
    assert result.returncode == 1
    assert f"Cannot listen on 127.0.0.1:{port}" in result.stderr
    assert "--port" in result.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="file sizes are limited by prlimit")
def test_a_full_disk_pauses_the_game_and_loses_nothing(
    serve: Callable[..., Server], study: Path
) -> None:
    import resource

    server = serve()
    a, b = seat(server, 1)
    assert a.act("chat.message", text="before")["type"] == "ack"
    # No file may grow from now on: what writing meets when a disk is full.
    old = resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (1, resource.RLIM_INFINITY))
    a.tell("act", client_msg_id="full", type="chat.message", payload={"text": "now"}, round=1)
    assert a.hear("stuck", "ack") == {"type": "stuck", "on": True}
    assert b.hear("stuck") == {"type": "stuck", "on": True}
    assert b.act("chat.message", msg_id="later", text="me too")["code"] == "stuck"
    assert Visitor(server).page.status_code == 503
    resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, old)
    assert a.hear("ack")["client_msg_id"] == "full"
    assert b.act("chat.message", msg_id="later", text="me too")["type"] == "ack"
    a.close()
    again = Line(server, a.token)
    texts = [message["text"] for message in again.hear("welcome")["view"]["game"]["chat"]]
    assert texts == ["before", "now", "me too"]


@thorough
def test_a_log_that_another_program_holds_pauses_the_game(
    serve: Callable[..., Server], study: Path
) -> None:
    a, _ = seat(serve(), 1)
    other = sqlite3.connect(study / "log.sqlite")
    other.execute("BEGIN IMMEDIATE")
    a.tell("act", client_msg_id="held", type="chat.message", payload={"text": "now"}, round=1)
    assert a.hear("stuck", "ack") == {"type": "stuck", "on": True}
    other.rollback()
    other.close()
    assert a.hear("ack")["client_msg_id"] == "held"


def scribble(path: Path) -> None:
    """Writes over the log in place, as a bad disk or a careless program does."""
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(b"\x5a" * (size - 4096))


def put_another(path: Path) -> None:
    """Puts another log into the place of the one that is served, as syncing programs do."""
    other = path.with_name("other.sqlite")
    EventLog.create(other).close()
    other.replace(path)


@pytest.mark.parametrize("harm", a_few([scribble, put_another, Path.unlink], [put_another]))
def test_a_log_that_is_damaged_ends_the_server_and_is_told(
    serve: Callable[..., Server], study: Path, harm: Callable[[Path], None]
) -> None:
    a, b = seat(server := serve(), 1)
    for number in range(20):
        assert a.act("chat.message", text=f"{number} {'x' * 80}")["type"] == "ack"
    opened = open_study(study)
    backup = backup_study(opened, study.parent / "backups")
    exported = study.parent / "OUT"
    export_study(opened, exported)
    checkpoint(study / "log.sqlite")
    before = (exported / "extra" / "events.jsonl").read_bytes()
    harm(study / "log.sqlite")
    a.tell("act", client_msg_id="late", type="chat.message", payload={"text": "now"}, round=1)
    # Nobody is told that it was kept.
    assert a.hear("stuck", "ack") == {"type": "stuck", "on": True}
    assert b.hear("stuck") == {"type": "stuck", "on": True}
    assert server.process.wait(PATIENCE_S) == 1
    assert server.process.stdout is not None
    said = server.process.stdout.read()
    assert "damaged" in said or "replaced or deleted" in said
    assert "backup" in said
    assert "Traceback" not in said
    # What was kept elsewhere is whole, and damage does not get there.
    kept = EventLog.open(backup / "log.sqlite")
    assert sum(event.type == "chat.message" for event in kept.read()) == 20
    kept.close()
    if harm is scribble:
        for copy in (
            lambda: backup_study(opened, study.parent / "backups"),
            lambda: export_study(opened, exported),
        ):
            with pytest.raises(StoreError, match="damaged"):
                copy()
        assert len(list((study.parent / "backups").iterdir())) == 1
    assert (exported / "extra" / "events.jsonl").read_bytes() == before


def checkpoint(path: Path) -> None:
    """Has what was written moved into the file itself."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def test_a_log_that_another_program_touches_is_still_served(
    serve: Callable[..., Server], study: Path
) -> None:
    a, _ = seat(serve(), 1)
    checkpoint(study / "log.sqlite")
    (study / "log.sqlite").touch()
    assert a.act("chat.message", text="here")["type"] == "ack"


def test_a_tab_that_is_superseded_is_told_and_cut(serve: Callable[..., Server]) -> None:
    a, _ = seat(server := serve(), 1)
    second = Line(server, a.token)
    second.hear("welcome")
    assert a.hear("superseded") == {"type": "superseded"}
    assert second.act("chat.message", text="here now")["type"] == "ack"


def test_a_game_over_sockets_is_exported(serve: Callable[..., Server], study: Path) -> None:
    server = serve()
    play_game(server, seat(server, 1))
    assert server.stop() == 130
    exported = export_study(open_study(study), study.parent / "OUT")
    assert exported.complete == 1


def test_sigterm_ends_it_in_order(serve: Callable[..., Server]) -> None:
    server = serve()
    server.process.send_signal(signal.SIGTERM)
    assert server.process.wait(PATIENCE_S) in (0, 143)


IMPATIENT = f"import commonground.explorer.web.listening as each; each.REQUEST_S = 3; {COMMAND}"


@thorough
def test_a_socket_stays_open_when_requests_are_cut_off(
    serve: Callable[..., Server], study: Path
) -> None:
    tokens = seat_people(study, 1)
    server = serve(code=IMPATIENT)
    lines = [Line(server, token) for token in tokens]
    for line in lines:
        line.hear("welcome")
    with socket.create_connection(("127.0.0.1", server.port), PATIENCE_S) as silent:
        assert silent.recv(1) == b""  # it came last: all are cut off that sockets are not
    for line in lines:
        assert line.act("chat.message", text="still here")["type"] == "ack"


def test_a_line_that_is_cut_while_it_is_being_closed_is_no_error() -> None:
    class Cut:
        async def close(self, code: int) -> None:
            raise WebSocketDisconnect(code)

    socket: Any = Cut()

    async def close() -> None:
        line = desk.SendQueue(1)
        line.put(None)
        await asyncio.wait_for(wire._send(socket, line, 10), 5)

    asyncio.run(close())
