"""A person and a language model play over sockets, whatever befalls the server or the provider."""

from __future__ import annotations

import asyncio
import os
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path

import msgspec
import pytest

from commonground.collect.exporting import export_study
from commonground.collect.log import Event
from commonground.collect.plan import read_plan
from commonground.collect.study import Study, open_study
from commonground.corpora import get_scenario
from commonground.rooms.guests import Guest, Stay
from commonground.store.access import import_files
from tests.unit.inspect_tasks.stub import Stub, serve
from tests.unit.rooms.conftest import Line, Server
from tests.unit.rooms.minds import answer_by, environment, play_photobook, settings_for
from tests.unit.rooms.people import Visitor

pytest.importorskip("openai")


@contextmanager
def serve_with(study: Path, stub: Stub, role: str = "B") -> Iterator[Server]:
    """Serves a study in which everybody meets the stub's model."""
    path = study / "study.toml"
    text = path.read_text("utf-8")
    if "[models]" not in text:
        text = text.replace("model_partners = false", "model_partners = true")
        path.write_text(text + settings_for(role), "utf-8")
    before = dict(os.environ)
    os.environ.update(environment(stub))
    try:
        server = Server(study)
    finally:
        os.environ.clear()
        os.environ.update(before)
    try:
        yield server
    finally:
        server.close()


def read_log(study: Path) -> list[Event]:
    with closing(open_study(study).open_log()) as log:
        return list(log.read())


def sit_down(server: Server) -> tuple[Visitor, Line]:
    """Leads somebody to the table; the model sits there."""
    visitor = Visitor(server).go_to_waiting_room()
    line = Line(server, visitor.token)
    line.hear("stage")
    line.close()
    line = Line(server, visitor.token)
    line.game = line.hear("welcome")["view"]["game"]
    return visitor, line


def invite_one(study: Study, address: str, role: str) -> Stay:
    scenario = get_scenario(study.settings.scenario)
    kinds = dict.fromkeys(scenario.rules.roles, scenario.player_kinds()["script"])
    plan = read_plan(scenario.room)
    guest = Guest(study, scenario, plan, kinds, address, seed=5, speed=60.0)
    # In a thread of its own, since other tests may leave an event loop running in this one.
    with ThreadPoolExecutor(1) as alone:
        return alone.submit(asyncio.run, asyncio.wait_for(guest.run(), 120)).result()


def test_a_script_and_a_model_play_a_whole_game(study: Path, tmp_path: Path) -> None:
    with serve(answer_by(play_photobook)) as stub, serve_with(study, stub) as server:
        stay = invite_one(open_study(study), server.address, "A")
        assert stay.way_out == "completed"
    kinds = Counter(event.type for event in read_log(study))
    assert kinds["agent.request"] == kinds["agent.reply"] == len(stub.asked)
    exported = export_study(open_study(study), tmp_path / "OUT")
    assert exported.complete == 1
    (line,) = (tmp_path / "OUT/extra/models.jsonl").read_bytes().splitlines()
    told = msgspec.json.decode(line)
    assert (told["record"], told["unreadable"]) == (0, 0)
    assert told["cost"] == pytest.approx(len(stub.asked) * 110e-6)
    opened = import_files("photobook", tmp_path / "OUT", store=tmp_path / "store")
    assert "do you have a red one too?" in {event.text for event in opened[0].events}
