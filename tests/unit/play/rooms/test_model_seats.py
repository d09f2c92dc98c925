"""A person and a language model play over sockets, whatever befalls the server or the provider."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from tests.forks import MODELS
from tests.thorough import thorough
from tests.unit.bench.inspect_tasks.stub import Said, Stub, serve
from tests.unit.play.rooms.conftest import Line, Server
from tests.unit.play.rooms.minds import WAIT, answer_by, environment, play_photobook, settings_for
from tests.unit.play.rooms.people import Visitor

from commonground.play.collect.events import Event
from commonground.play.collect.setup.study import open_study
from commonground.play.rooms.players.model_seats import MOST_WAITS

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
        server = Server(study, more=MODELS)
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


@thorough
def test_a_model_may_answer_with_json(study: Path) -> None:
    path = study / "study.toml"
    text = path.read_text("utf-8").replace("model_partners = false", "model_partners = true")
    path.write_text(text + settings_for("B").replace("idle_s", 'answers = "json"\nidle_s'), "utf-8")
    with serve(answer_by(play_photobook)) as stub, serve_with(study, stub) as server:
        _, line = sit_down(server)
        wait_for_text(line, "do you have a red one too?")
        line.close()
    assert all("tools" not in body for body in stub.asked)
    replies = [e.payload for e in read_log(study) if e.type == "agent.reply"]
    assert '"chat_message"' in str(replies[0])


@thorough
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


@thorough
def test_a_model_that_waits_without_an_end_is_given_up(study: Path) -> None:
    path = study / "study.toml"
    text = path.read_text("utf-8").replace("model_partners = false", "model_partners = true")
    often = settings_for("B").replace("idle_s = 0.2", "idle_s = 0.1\nlongest_silence_s = 5")
    path.write_text(text + often, "utf-8")
    with serve(answer_by(lambda *_: (WAIT, {}))) as stub, serve_with(study, stub) as server:
        _, line = sit_down(server)
        assert line.hear("ended")["reason"] == "partner_left"
        line.close()
    (left,) = [event for event in read_log(study) if event.type == "agent.left"]
    assert left.payload["reason"] == "silent"
    assert len(stub.asked) >= MOST_WAITS


@thorough
def test_slow_models_do_not_hold_up_people(study: Path) -> None:
    """While no model has answered anything, everything that people do is acknowledged."""
    slow = answer_by(play_photobook, after_s=600)
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
    text = (study / "study.toml").read_text("utf-8")
    (study / "study.toml").write_text(text.replace("share = 1.0", "share = 1.0\ndisclosed = false"))
    with serve(answer_by(play_photobook)) as stub, serve_with(study, stub) as server:
        visitor, _ = sit_down(server)
        assert "Your partner is a language model" not in visitor.look()
