"""A person and a language model play over sockets, whatever befalls the server or the provider."""

from __future__ import annotations

import asyncio
import os
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path

import httpx
import msgspec
import pytest

from commonground.collect.exporting import export_study
from commonground.collect.log import Event
from commonground.collect.plan import read_plan
from commonground.collect.preparing import prepare_study
from commonground.collect.study import Study, open_study
from commonground.corpora import get_scenario
from commonground.rooms.guests import Guest, Stay, come_in
from commonground.store.access import import_files
from tests.unit.inspect_tasks.stub import Said, Stub, serve
from tests.unit.rooms.conftest import Line, Server
from tests.unit.rooms.minds import MODEL, answer_by, environment, play_photobook, settings_for, talk
from tests.unit.rooms.people import Visitor

pytest.importorskip("openai")


@contextmanager
def serve_with(study: Path, stub: Stub, role: str = "B") -> Iterator[Server]:
    """Serves a study in which everybody meets the stub's model."""
    path = study / "study.toml"
    text = path.read_text("utf-8")
    if "\n[models]\n" not in text:
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


def wait_for_text(line: Line, text: str) -> None:
    """Waits until a message of the partner is on the page."""
    while text not in str(line.hear("event")):
        pass


def invite_one(study: Study, address: str) -> Stay:
    scenario = get_scenario(study.settings.scenario)
    kinds = dict.fromkeys(scenario.rules.roles, scenario.player_kinds()["script"])
    plan = read_plan(scenario.room)
    guest = Guest(study, scenario, plan, kinds, address, seed=5, speed=60.0)
    # In a thread of its own, since other tests may leave an event loop running in this one.
    with ThreadPoolExecutor(1) as alone:
        return alone.submit(asyncio.run, asyncio.wait_for(guest.run(), 120)).result()


def test_a_script_and_a_model_play_a_whole_game(study: Path, tmp_path: Path) -> None:
    with serve(answer_by(play_photobook)) as stub, serve_with(study, stub) as server:
        stay = invite_one(open_study(study), server.address)
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


def test_a_user_and_a_model_as_wizard_talk_about_a_trip(tmp_path: Path) -> None:
    folder = tmp_path / "trip"
    prepare_study(folder, "frames", material=None, languages=("en",))
    plan = read_plan(get_scenario("frames").room)
    with serve(answer_by(talk)) as stub, serve_with(folder, stub, "wizard") as server:
        token = come_in(server.address, plan)
        line = Line(server, token)
        line.hear("stage")
        line.close()
        line = Line(server, token)
        line.hear("welcome")
        assert line.act("chat.message", None, text="a week in Rome, please")["type"] == "ack"
        wait_for_text(line, "that sounds good to me")
    assert [e.role for e in read_log(folder) if e.type == "chat.message"] == ["user", "wizard"]


def test_a_server_that_was_killed_asks_nothing_again(study: Path) -> None:
    with serve(answer_by(play_photobook)) as stub:
        with serve_with(study, stub) as server:
            visitor, line = sit_down(server)
            wait_for_text(line, "do you have a red one too?")
            server.kill()
        before = [e for e in read_log(study) if e.type == "agent.reply"]
        with serve_with(study, stub) as server:
            line = Line(server, visitor.token)
            chat = line.hear("welcome")["view"]["game"]["chat"]
            assert [each["text"] for each in chat] == ["do you have a red one too?"]
            line.act("chat.message", text="yes")
    events = read_log(study)
    assert [e for e in events if e.type == "agent.reply"][: len(before)] == before
    texts = [e.payload["text"] for e in events if e.type == "chat.message"]
    assert texts == ["do you have a red one too?", "yes"]


def test_a_provider_that_fails_costs_its_person_nothing(study: Path) -> None:
    with serve(lambda _number, _body: Said(status=400)) as stub, serve_with(study, stub) as server:
        visitor = Visitor(server).go_to_waiting_room()
        line = Line(server, visitor.token)
        line.hear("stage")
        line.close()
        line = Line(server, visitor.token)
        assert line.hear("ended")["reason"] == "partner_left"
    events = read_log(study)
    (left,) = [event for event in events if event.type == "agent.left"]
    assert left.payload["reason"] == "provider"
    (out,) = [event for event in events if event.type == "participant.coded"]
    assert out.payload["class"] == "full"


def test_slow_models_do_not_hold_up_people(study: Path) -> None:
    """While no model has answered anything, everything that people do is acknowledged."""
    slow = answer_by(play_photobook, after_s=30)
    with serve(slow) as stub, serve_with(study, stub) as server:
        lines = [sit_down(server)[1] for _ in range(4)]
        for number in range(3):
            for line in lines:
                line.tell(
                    "act",
                    client_msg_id=f"m{number}",
                    type="chat.message",
                    round=1,
                    payload={"text": f"hello {number}"},
                )
            assert {line.hear("ack", "reject")["type"] for line in lines} == {"ack"}
    kinds = Counter(event.type for event in read_log(study))
    assert (kinds["agent.request"], kinds["agent.reply"]) == (4, 0)


def test_the_page_says_that_the_partner_is_a_model(study: Path) -> None:
    with serve(answer_by(play_photobook)) as stub, serve_with(study, stub) as server:
        visitor, _ = sit_down(server)
        assert "Your partner is a language model" in visitor.look()
        standing = httpx.get(f"{server.monitor.replace('?', 'data.json?')}").json()
        assert standing["models"]["seats"] == {"B": MODEL}
    text = (study / "study.toml").read_text("utf-8")
    (study / "study.toml").write_text(text.replace("share = 1.0", "share = 1.0\ndisclosed = false"))
    with serve(answer_by(play_photobook)) as stub, serve_with(study, stub) as server:
        visitor, _ = sit_down(server)
        assert "Your partner is a language model" not in visitor.look()
