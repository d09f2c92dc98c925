"""Everybody gets back to where they came from, and each way out gives its code there."""

from __future__ import annotations

import csv
import html
import re
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
from tests.unit.play.rooms.conftest import Server
from tests.unit.play.rooms.leaving import see_everybody_out
from tests.unit.play.rooms.people import Visitor
from tests.unit.play.rooms.platforms import Page, Prolific, Turk

from commonground.play.collect.exports.exporting import export_study
from commonground.play.collect.people import EXITS
from commonground.play.collect.setup.study import open_study
from commonground.play.rooms.admitting import COOKIE

OF_GAMES = EXITS.keys() - {"stopped"}
"""Ways out of a game; ``stopped`` is where one piece of work follows the other."""

HOW_TO = Path(__file__).parents[4] / "docs" / "how-to" / "collect.md"


@pytest.fixture
def codes(study: Path) -> dict[str, str]:
    """The code of each exit; the study takes people from everywhere."""
    path = study / "study.toml"
    text = path.read_text(encoding="utf-8")
    text = text.replace("prolific = false", "prolific = true")
    path.write_text(text.replace("mturk = false", "mturk = true"), encoding="utf-8")
    found = {str(name): code for name, code in open_study(study).settings.payment.codes.items()}
    assert found.keys() == EXITS.keys()
    assert len(set(found.values())) == len(found)
    return found


@pytest.fixture
def prolific(codes: dict[str, str]) -> Prolific:
    (address,) = re.findall(r"`(https://HOST/\?PROLIFIC\S+)`", HOW_TO.read_text(encoding="utf-8"))
    return Prolific(address, codes)


@pytest.fixture
def turk(codes: dict[str, str]) -> Turk:
    return Turk(codes)


def pages_of(server: Server, tokens: dict[str, str]) -> dict[str, Page]:
    """Opens the last page of everybody; by exit."""
    with httpx.Client(base_url=server.address) as http:
        return {name: Page(http.get(f"/p/{token}").text) for name, token in tokens.items()}


def test_each_way_out_has_its_code_at_prolific(
    study: Path, serve: Callable[..., Server], prolific: Prolific
) -> None:
    tokens = see_everybody_out(study, prolific.identify)
    found = {name: prolific.take_back(page) for name, page in pages_of(serve(), tokens).items()}
    assert found == {name: name.partition(".")[0] for name in tokens}
    assert set(found.values()) == OF_GAMES


def test_each_way_out_has_its_code_at_mechanical_turk(
    study: Path, serve: Callable[..., Server], turk: Turk
) -> None:
    tokens = see_everybody_out(study, turk.identify)
    found = {name: turk.take_back(page) for name, page in pages_of(serve(), tokens).items()}
    assert set(found.values()) == OF_GAMES
    assert len(turk.submitted) == len(tokens)


def test_each_way_out_shows_its_code_to_who_came_by_a_link(
    study: Path, serve: Callable[..., Server], codes: dict[str, str]
) -> None:
    tokens = see_everybody_out(study)
    server = serve()
    for name, token in tokens.items():
        text = httpx.get(f"{server.address}/p/{token}", cookies={COOKIE: token}).text
        assert f">{codes[name.partition('.')[0]]}</output>" in text
        assert "You can close this page now." in text
        assert not any(link.startswith("https:") for link in Page(text).links)


def test_people_of_prolific_come_and_go(serve: Callable[..., Server], prolific: Prolific) -> None:
    server = serve()
    person = Visitor(server, prolific.send("5f00ba12"))
    assert "Before you begin" in person.page.text
    # Who opens the study again, in a new session of the platform, is where they were.
    person.fill("consent", agree="yes")
    again = Visitor(server, prolific.send("5f00ba12"))
    assert "A few questions" in again.page.text
    assert prolific.take_back(Page(again.fill("leave"))) == "withdrew"


def test_workers_look_accept_and_submit(
    serve: Callable[..., Server], study: Path, turk: Turk, tmp_path: Path
) -> None:
    server = serve()
    looked = httpx.get(server.address + turk.preview())
    assert "This is a preview" in looked.text
    assert Page(looked.text).forms == []  # nothing can be begun in a preview
    worker = Visitor(server, turk.accept("W1"))
    assert turk.take_back(Page(worker.fill("leave"))) == "withdrew"
    with pytest.raises(AssertionError):
        turk.take_back(Page(worker.look()))  # an assignment is submitted once
    server.stop()
    # What the requester pays by says the same.
    export_study(open_study(study), tmp_path / "OUT")
    with (tmp_path / "OUT/private/payments.csv").open(encoding="utf-8-sig") as stream:
        (row,) = csv.DictReader(stream)
    assert (row["platform_id"], row["assignmentId"]) == ("W1", "assignment-W1")
    assert turk.submitted == {"assignment-W1": row["exit"]}


def test_an_address_of_another_host_is_never_submitted_to(
    serve: Callable[..., Server], turk: Turk
) -> None:
    address = turk.accept("W1").replace("workersandbox.mturk.com", "evil.example")
    answer = httpx.get(serve().address + address)
    assert answer.status_code == 400
    assert "evil.example" not in html.unescape(answer.text)
