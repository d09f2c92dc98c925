"""Everybody gets back to where they came from, and each way out gives its code there."""

from __future__ import annotations

import csv
import html
import re
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from tests.unit.play.rooms.conftest import PATIENCE_S, Server
from tests.unit.play.rooms.leaving import see_everybody_out
from tests.unit.play.rooms.people import Visitor, get
from tests.unit.play.rooms.platforms import Page, Prolific, Turk

from commonground.play.collect.exports.exporting import export_study
from commonground.play.collect.identities import Identity
from commonground.play.collect.people import EXITS
from commonground.play.collect.setup.recruiting import is_sona_url
from commonground.play.collect.setup.study import open_study
from commonground.play.rooms.admitting import name_cookie

OF_GAMES = EXITS.keys() - {"stopped"}
"""Ways out of a game; ``stopped`` is where one piece of work follows the other."""

HOW_TO = Path(__file__).parents[4] / "docs" / "how-to" / "collect.md"


@pytest.fixture
def codes(study: Path) -> dict[str, str]:
    """The code of each exit; the study takes people from everywhere."""
    path = study / "study.toml"
    text = path.read_text(encoding="utf-8")
    text = text.replace("prolific = false", "prolific = true").replace("partial = 0", "partial = 1")
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
    return Turk()


def receipts_of(study: Path, tokens: dict[str, str]) -> dict[str, str]:
    """Returns everybody's own receipt; by exit."""
    with closing(open_study(study).open_identities()) as identities:
        found = {name: identities.receipt(t.partition("-")[0]) for name, t in tokens.items()}
    assert len(set(found.values())) == len(found)
    return found


def pages_of(server: Server, tokens: dict[str, str]) -> dict[str, Page]:
    """Opens the last page of everybody; by exit."""
    with httpx.Client(base_url=server.address, timeout=PATIENCE_S) as http:
        return {name: Page(http.get(f"/p/{token}").text) for name, token in tokens.items()}


def test_each_way_out_has_its_code_at_prolific(
    study: Path, serve: Callable[..., Server], prolific: Prolific
) -> None:
    tokens = see_everybody_out(study, prolific.identify)
    found = {name: prolific.take_back(page) for name, page in pages_of(serve(), tokens).items()}
    assert found == {name: name.partition(".")[0] for name in tokens}
    assert set(found.values()) == OF_GAMES


def test_workers_of_mechanical_turk_bring_their_own_receipts(
    study: Path, serve: Callable[..., Server], turk: Turk
) -> None:
    tokens = see_everybody_out(study, turk.identify)
    found = {name: turk.take_back(page) for name, page in pages_of(serve(), tokens).items()}
    assert found == receipts_of(study, tokens)
    assert len(turk.submitted) == len(tokens)


def test_who_came_by_a_link_is_shown_a_receipt_of_their_own_and_what_is_paid(
    study: Path, serve: Callable[..., Server], codes: dict[str, str]
) -> None:
    tokens = see_everybody_out(study)
    receipts = receipts_of(study, tokens)
    payment = open_study(study).settings.payment
    with closing(open_study(study).open_identities()) as identities:
        cookie = name_cookie(identities)
    server = serve()
    for name, token in tokens.items():
        text = get(f"{server.address}/p/{token}", cookies={cookie: token}).text
        assert f">{receipts[name]}</output>" in text
        assert not any(code in text for code in codes.values())
        (way,) = (each for each in EXITS if each == name.partition(".")[0])
        is_paid = payment.amount_of(way) > 0
        assert ("You are paid 1.00 EUR in total." in text) == is_paid
        assert ("You are not paid for this." in text) != is_paid
        assert "You can close this page now." in text
        assert not any(link.startswith("https:") for link in Page(text).links)


def test_who_refuses_is_told_to_keep_nothing(serve: Callable[..., Server]) -> None:
    server = serve()
    person = Visitor(server)
    page = person.fill("leave")
    assert "You have left the study" in page
    assert "code-text" not in page
    assert "Keep" not in page


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
    looked = get(server.address + turk.preview())
    assert "This is a preview" in looked.text
    assert Page(looked.text).forms == []  # nothing can be begun in a preview
    worker = Visitor(server, turk.accept("W1"))
    code = turk.take_back(Page(worker.fill("leave")))
    with pytest.raises(AssertionError):
        turk.take_back(Page(worker.look()))  # an assignment is submitted once
    server.stop()
    # What the requester pays by says the same.
    export_study(open_study(study), tmp_path / "OUT")
    with (tmp_path / "OUT/private/payments.csv").open(encoding="utf-8-sig") as stream:
        (row,) = csv.DictReader(stream)
    assert (row["platform_id"], row["assignmentId"]) == ("W1", "assignment-W1")
    assert turk.submitted == {"assignment-W1": code}
    assert code == row["receipt"] == row["code"]


def test_an_address_of_another_host_is_never_submitted_to(
    serve: Callable[..., Server], turk: Turk
) -> None:
    address = turk.accept("W1").replace("workersandbox.mturk.com", "evil.example")
    answer = get(serve().address + address)
    assert answer.status_code == 400
    assert "evil.example" not in html.unescape(answer.text)


SONA = (
    "https://lab.sona-systems.com/webstudy_credit.aspx"
    "?experiment_id=12&credit_token=ab3&survey_code=XXXX"
)


def test_sona_grants_credit_for_what_is_paid_in_full(
    study: Path, serve: Callable[..., Server]
) -> None:
    path = study / "study.toml"
    text = path.read_text(encoding="utf-8").replace("sona = false", "sona = true")
    path.write_text(text.replace('sona_url = ""', f'sona_url = "{SONA}"'), encoding="utf-8")
    tokens = see_everybody_out(study, lambda n: Identity("sona", f"1{n:04}"))
    pages = pages_of(serve(), tokens)
    granted = {}
    for name, page in pages.items():
        found = [parse_qs(urlsplit(each).query) for each in page.links if "credit" in each]
        if found:
            (granted[name],) = found
    assert {each.partition(".")[0] for each in granted} == {
        way_out for way_out, group in EXITS.items() if group == "full"
    }
    with closing(open_study(study).open_identities()) as identities:
        who = identities.find(tokens["completed"].partition("-")[0])
    assert who is not None
    assert granted["completed"] == {
        "experiment_id": ["12"],
        "credit_token": ["ab3"],
        "survey_code": [who.platform_id],
    }


def test_people_of_sona_come_by_their_survey_code(
    study: Path, serve: Callable[..., Server]
) -> None:
    path = study / "study.toml"
    text = path.read_text(encoding="utf-8").replace("sona = false", "sona = true")
    path.write_text(text, encoding="utf-8")
    server = serve()
    first = Visitor(server, "/?sona_id=40231")
    assert Visitor(server, "/?sona_id=40231").here == first.here
    for unfilled in ("%25SURVEY_CODE%25", "XXXX", ""):
        assert Visitor(server, f"/?sona_id={unfilled}").page.status_code == 400


@pytest.mark.parametrize(
    ("address", "is_one"),
    [
        (SONA, True),
        (SONA.replace("https", "http"), False),
        (SONA.replace("credit_token=ab3&", ""), False),
        (SONA.replace("ab3", ""), False),
        ("", False),
    ],
)
def test_completion_addresses_of_sona_are_known(address: str, is_one: bool) -> None:
    assert is_sona_url(address) == is_one
