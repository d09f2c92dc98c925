"""The table of participants: what the monitor's server tells of it, and does."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import httpx
import msgspec
import pytest
from click.testing import CliRunner
from tests.unit.play.collect.prolific.fake import (
    TOKEN,
    hand_in_all,
    run_prolific,
    tell_prolific,
)
from tests.unit.play.rooms.conftest import PATIENCE_S, Server
from tests.unit.play.rooms.leaving import see_everybody_out
from tests.unit.play.rooms.people import get
from tests.unit.play.rooms.platforms import Prolific

from commonground.cli.collect import command
from commonground.errors import UsageError
from commonground.play.collect.exports.exporting import TABLE, export_study
from commonground.play.collect.kept_payments import read_kept
from commonground.play.collect.live.people_table import COLUMNS
from commonground.play.collect.prolific.api import ADDRESS, open_api
from commonground.play.collect.prolific.drafts import create_draft
from commonground.play.collect.setup.study import open_study


class Desk:
    """The monitor of a study that is served, and its people by way out.

    Args:
        server: of the study.
        tokens: of the people's pages, by way out.
    """

    def __init__(self, server: Server, tokens: dict[str, str]) -> None:
        self.server = server
        self.folder = server.folder
        self.tokens = tokens
        self.people = {name: each.partition("-")[0] for name, each in tokens.items()}
        self.http = httpx.Client(follow_redirects=True, timeout=PATIENCE_S)
        server.guests.append(self.http)
        self.http.get(server.monitor)
        self.http.base_url = httpx.URL(server.monitor.partition("/?")[0])

    def order(self, what: str, way_out: str, **fields: str) -> httpx.Response:
        order = {"what": what, "participant": self.people[way_out], **fields}
        return self.http.post("/act", json=order)

    def row(self, way_out: str) -> dict[str, object]:
        rows = self.http.get("/people.json").json()["rows"]
        return next(each for each in rows if each["participant"] == self.people[way_out])

    def read(self, path: str) -> list[dict[str, str]]:
        out = self.folder.parent / "OUT"
        export_study(open_study(self.folder), out)
        with (out / path).open(encoding="utf-8-sig", newline="") as file:
            return list(csv.DictReader(file))


@pytest.fixture
def desk(study: Path, serve: Callable[..., Server]) -> Desk:
    path = study / "study.toml"
    text = path.read_text(encoding="utf-8").replace("full = 0.0", "full = 4.5")
    path.write_text(text, encoding="utf-8")
    tokens = see_everybody_out(study)
    return Desk(serve(), tokens)


def test_rows_come_by_pages_sorted_and_with_their_sessions(desk: Desk) -> None:
    page = desk.http.get("/people.json?sort=done&down=1&page=0").json()
    assert [each["done"] for each in page["rows"]][:2] == [1, 1]
    assert page["people"] == len(page["rows"])
    for odd in ("?page=x", "?page=99", "?sort=nothing"):
        assert desk.http.get(f"/people.json{odd}").json()["page"] == 0
    told = desk.http.get(f"/people/{desk.people['completed']}.json").json()
    (session,) = told["sessions"]
    assert session["ended"] == "completed"
    watched = desk.http.get(f"/watch/{session['session']}")
    assert '"over": true' in watched.text
    assert desk.http.get("/watch/s9999").status_code == 404
    assert desk.http.get("/people/nobody.json").status_code == 404
    assert desk.http.get("/people").status_code == 200


def test_who_is_excluded_is_left_out_and_paid(desk: Desk) -> None:
    before = desk.read("extra/sessions.csv")
    assert {each["left_out"] for each in before} == {""}
    games = len(list((desk.folder.parent / "OUT" / "logs").iterdir()))
    assert desk.order("exclude", "completed", text=" ").status_code == 404
    assert desk.order("exclude", "completed", text="copies").json() == {"done": "exclude"}
    row = desk.row("completed")
    assert (row["state"], row["reason"], row["owed"]) == ("excluded", "copies", 4.5)
    after = desk.read("extra/sessions.csv")
    assert [each["left_out"] for each in after].count("excluded") == 1
    assert len(list((desk.folder.parent / "OUT" / "logs").iterdir())) == games - 1
    sheet = (desk.folder.parent / "OUT" / "datasheet.md").read_text(encoding="utf-8")
    assert "| not released, as a person in them was excluded | 1 |" in sheet
    (paid,) = (e for e in desk.read(TABLE) if e["participant"] == desk.people["completed"])
    assert paid["amount"] == "4.50"
    assert desk.order("readmit", "completed").json() == {"done": "readmit"}
    assert {each["left_out"] for each in desk.read("extra/sessions.csv")} == {""}


def test_a_bonus_of_who_came_by_a_plain_link_is_in_the_payment_table(desk: Desk) -> None:
    bonus = {"amount": "1.50", "purpose": "kind"}
    assert desk.order("bonus", "completed", **bonus).json() == {"done": "bonus", "before": False}
    assert desk.order("bonus", "completed", **bonus).json() == {"done": "bonus", "before": True}
    assert desk.order("bonus", "completed", amount="x", purpose="y").status_code == 404
    assert desk.row("completed")["bonus"] == 1.5
    (paid,) = (e for e in desk.read(TABLE) if e["participant"] == desk.people["completed"])
    assert (paid["amount"], paid["bonus"]) == ("4.50", "1.50")
    desk.order("erase", "completed")
    (kept,) = read_kept(desk.folder)
    assert kept.amount == 6.0


def test_a_message_stands_on_the_page_of_its_reader(desk: Desk) -> None:
    assert desk.order("tell", "withdrew", text="Write <b>me</b>.").json() == {"done": "tell"}
    assert desk.order("tell", "withdrew", text="").status_code == 404
    pages = {
        name: get(f"{desk.server.address}/p/{token}").text for name, token in desk.tokens.items()
    }
    assert [name for name, page in pages.items() if "From the researcher" in page] == ["withdrew"]
    assert "Write &lt;b&gt;me&lt;/b&gt;." in pages["withdrew"]


def test_the_command_prints_the_same_rows(desk: Desk) -> None:
    words = ["people", str(desk.folder)]
    printed = CliRunner().invoke(command, [*words, "--json"])
    rows = msgspec.json.decode(printed.stdout)
    assert [each["participant"] for each in rows] == [
        each["participant"] for each in desk.http.get("/people.json").json()["rows"]
    ]
    lines = CliRunner().invoke(command, [*words, "--csv", "--sort", "done", "--down"]).stdout
    table = list(csv.DictReader(lines.splitlines()))
    assert tuple(table[0]) == COLUMNS
    assert table[0]["done"] == "1"
    plain = CliRunner().invoke(command, words)
    assert desk.people["withdrew"] in plain.stdout
    wrong = CliRunner().invoke(command, [*words, "--sort", "kapa"])
    assert isinstance(wrong.exception, UsageError)
    assert "kappa" in str(wrong.exception)


def test_people_of_prolific_are_written_to_and_paid_there(
    study: Path, serve: Callable[..., Server], monkeypatch: pytest.MonkeyPatch
) -> None:
    tell_prolific(study)
    tokens = see_everybody_out(study, Prolific.identify)
    with run_prolific() as fake:
        monkeypatch.setenv("PROLIFIC_TOKEN", TOKEN)
        monkeypatch.setenv(ADDRESS, fake.address)
        create_draft(open_study(study), open_api())
        hand_in_all(study, fake, tokens)
        desk = Desk(serve(), tokens)
        assert desk.order("tell", "completed", text=" Thank you. ").json() == {"done": "tell"}
        assert [text for _, text in fake.messages] == ["Thank you."]
        bonus = {"amount": "1.50", "purpose": "kind"}
        for before in (False, True):
            assert desk.order("bonus", "completed", **bonus).json()["before"] is before
        assert [cents for _, cents in fake.paid] == [150]
        assert desk.row("completed")["bonus"] == 0, "it is paid, so that the table owes nothing"
