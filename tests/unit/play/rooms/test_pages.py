"""The pages over HTTP: platforms, languages, exits, erasing, and the monitor."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import httpx
import pytest
from tests.thorough import thorough
from tests.unit.play.rooms.conftest import PATIENCE_S, Line, Server
from tests.unit.play.rooms.people import QUIZ, Visitor, get, post

from commonground.play.collect.identities import Identities
from commonground.play.collect.setup.recruiting import sign_links
from commonground.play.collect.setup.study import open_study
from commonground.play.rooms.admitting import ArrivalLimit

PROLIFIC = "/?PROLIFIC_PID=5f00ba12&STUDY_ID=st&SESSION_ID=se"
MTURK = "/?assignmentId={}&hitId=H1&workerId=W1&turkSubmitTo=https%3A%2F%2Fworkersandbox.mturk.com"


def allow(study: Path, **changes: str) -> None:
    path = study / "study.toml"
    text = path.read_text(encoding="utf-8")
    for name, value in changes.items():
        # Exits are named twice, for their classes and then for their codes.
        head, found, rest = text.rpartition(f"\n{name} = ")
        assert found
        text = f"{head}{found}{value}\n{rest.partition(chr(10))[2]}"
    path.write_text(text, encoding="utf-8")


@pytest.fixture
def server(study: Path, serve: Callable[..., Server]) -> Server:
    allow(study, prolific="true", mturk="true", completed='"C0DE"', withdrew='"BYE1"')
    return serve()


@pytest.fixture
def monitor(server: Server) -> Iterator[httpx.Client]:
    with httpx.Client(follow_redirects=True, timeout=PATIENCE_S) as http:
        page = http.get(server.monitor)
        assert page.status_code == 200
        assert "token" not in str(page.url)
        http.base_url = httpx.URL(server.monitor.partition("/?")[0])
        yield http


def order(monitor: httpx.Client, what: str, **fields: object) -> httpx.Response:
    return monitor.post("/act", json={"what": what, **fields})


def play(server: Server) -> tuple[Visitor, Visitor, Line, Line]:
    people = [Visitor(server).go_to_waiting_room() for _ in range(2)]
    lines = [Line(server, each.token) for each in people]
    for line in lines:
        line.hear("stage")
    lines = [Line(server, each.token) for each in people]
    for line in lines:
        line.hear("welcome")
    return people[0], people[1], lines[0], lines[1]


def test_a_person_of_prolific_comes_back_to_the_same_page(server: Server) -> None:
    first, again = Visitor(server, PROLIFIC), Visitor(server, PROLIFIC)
    assert first.here == again.here
    page = first.fill("leave")
    assert "https://app.prolific.com/submissions/complete?cc=BYE1" in page
    assert "5f00ba12" not in page


def test_a_worker_of_mturk_sees_a_preview_and_submits_at_the_end(server: Server) -> None:
    preview = get(server.address + MTURK.format("ASSIGNMENT_ID_NOT_AVAILABLE"))
    assert "This is a preview" in preview.text
    assert "frame-ancestors https://www.mturk.com" in preview.headers["content-security-policy"]
    assert "x-frame-options" not in preview.headers
    worker = Visitor(server, MTURK.format("A77"))
    page = worker.fill("leave")
    assert 'action="https://workersandbox.mturk.com/mturk/externalSubmit"' in page
    assert 'name="assignmentId" value="A77"' in page
    receipt = re.search(r'name="code" value="(\w{8})"', page)
    assert receipt is not None
    assert "BYE1" not in page


def test_a_name_leads_nobody_to_another_persons_page(server: Server, study: Path) -> None:
    ann = Visitor(server, "/?participant=ann")
    assert Visitor(server, "/?participant=ann").here == ann.here  # nobody has agreed yet
    early = httpx.Client(base_url=server.address, timeout=PATIENCE_S)
    ann.fill("consent", agree="yes")
    code = get(f"{server.address}/?participant=ann", follow_redirects=True)
    assert code.status_code == 403
    assert "Someone is already taking part under that name" in code.text
    # The browser that began goes on, and so does who has a link with a key.
    assert ann.http.get("/?participant=ann").url.path == ann.here
    links = sign_links(open_study(study), ["ann", "bob"], server.address)
    assert Visitor(server, links["ann"]).here == ann.here
    wrong = links["bob"].replace("bob", "ann")
    assert get(wrong, follow_redirects=True).status_code == 403
    assert Visitor(server, links["bob"]).here not in (ann.here, "/")
    # Anyone who was led to the address before ann agreed sees no code, and deletes nothing.
    assert 'class="code"' in ann.fill("leave")
    with early:
        page = early.get(ann.here).text
        assert "The code is shown in the browser that you started in" in page
        assert 'class="code"' not in page
        early.post(f"{ann.here}/consent", data={"agree": "yes"})
        page = early.post(f"{ann.here}/erase", data={"sure": "yes"}).text
        assert "That is not your receipt" in page


def test_a_browser_that_comes_again_is_led_back_to_where_its_person_is(server: Server) -> None:
    person = Visitor(server)
    marks = {name: person.http.cookies[name] for name in person.http.cookies}
    assert [name.rpartition("-")[0] for name in marks] == ["commonground-browser"]
    for path in ("/", "/?lang=de", "/?role=A", "/?participant=somebody"):
        assert person.http.get(path).url.path == person.here
    assert person.http.post("/?role=B").url.path == person.here
    person.fill("consent", agree="yes")
    assert "A few questions" in person.http.get("/").text
    person.fill("leave")
    assert "You have left the study" in person.http.get("/").text
    assert Visitor(server).here != person.here


def test_cookies_are_for_servers_only_and_of_one_study(server: Server, study: Path) -> None:
    with closing(Identities(study / "identities.sqlite")) as identities:
        name = identities.study
    said = post(server.address, follow_redirects=False).headers["set-cookie"]
    assert said.startswith(f"commonground-browser-{name}=")
    assert {"httponly", "samesite=lax"} <= {each.strip().lower() for each in said.split(";")}


def test_a_computer_of_a_laboratory_takes_one_person_after_the_other(
    study: Path, serve: Callable[..., Server]
) -> None:
    allow(study, shared_browsers="true")
    server = serve()
    first = Visitor(server)
    assert first.http.get("/").url.path == first.here
    first.fill("leave")
    assert first.http.get("/").url.path == "/"
    assert first.http.post("/").url.path not in (first.here, "/")


def test_a_signed_link_is_somebody_of_its_own(server: Server, study: Path) -> None:
    person = Visitor(server)
    links = sign_links(open_study(study), ["ann"], server.address)
    ann = person.http.get(links["ann"]).url.path
    assert ann not in (person.here, "/")
    log = sqlite3.connect(study / "log.sqlite")
    with closing(log):
        rows = log.execute("SELECT payload FROM events WHERE type = 'participant.arrived'")
        browsers = {json.loads(row[0])["browser"] for row in rows}
    assert len(browsers) == 1  # so that the two do not meet


def test_ids_of_a_platform_are_a_key_only_together(server: Server) -> None:
    person = Visitor(server, PROLIFIC)
    person.fill("consent", agree="yes")
    other = PROLIFIC.replace("SESSION_ID=se", "SESSION_ID=guessed")
    assert get(server.address + other, follow_redirects=True).status_code == 403
    assert Visitor(server, PROLIFIC).here == person.here
    assert person.http.get(other).url.path == person.here
    worker = Visitor(server, MTURK.format("A77"))
    worker.fill("consent", agree="yes")
    guessed = get(server.address + MTURK.format("A78"), follow_redirects=True)
    assert guessed.status_code == 403
    assert Visitor(server, MTURK.format("A77")).here == worker.here


def test_deleting_asks_for_the_browser_that_began_or_the_receipt(
    server: Server, study: Path
) -> None:
    person = Visitor(server, PROLIFIC)
    person.fill("leave")
    stranger = httpx.Client(base_url=server.address, follow_redirects=True, timeout=PATIENCE_S)
    with stranger, closing(Identities(study / "identities.sqlite")) as identities:
        page = stranger.get(person.here)
        assert 'name="receipt"' in page.text
        assert 'name="receipt"' not in person.look()
        for receipt in ("", "AAAAAAAA"):
            fields = {"sure": "yes", "receipt": receipt}
            page = stranger.post(f"{person.here}/erase", data=fields)
            assert "That is not your receipt" in page.text
        assert "You have left the study" in person.look()
        receipt = identities.receipt(person.token.partition("-")[0]).lower()
        assert f">{receipt.upper()}</output>" in person.look()
        assert receipt.upper() not in stranger.get(person.here).text
        page = stranger.post(f"{person.here}/erase", data={"sure": "yes", "receipt": receipt})
        assert "Your data has been deleted" in page.text


def test_arrivals_of_one_address_are_limited() -> None:
    now_s = [0.0]
    limit = ArrivalLimit(2, lambda: now_s[0])
    assert [limit.take("192.0.2.1") for _ in range(3)] == [False, False, True]
    assert not limit.take("192.0.2.2")
    assert not any(limit.take("127.0.0.1") for _ in range(9))
    now_s[0] = 3601.0
    assert not limit.take("192.0.2.1")


def test_too_many_who_come_from_one_address_are_asked_to_come_later(
    study: Path, serve: Callable[..., Server]
) -> None:
    allow(study, arrivals_per_hour="2")
    server = serve()
    sent = {"x-forwarded-for": "192.0.2.7"}
    answers = [post(server.address, headers=sent).status_code for _ in range(3)]
    assert answers == [303, 303, 429]
    assert "A great many people have come" in post(server.address, headers=sent).text
    assert post(server.address).status_code == 303


def test_what_is_not_agreed_to_or_not_answered_goes_no_further(server: Server) -> None:
    visitor = Visitor(server)
    assert "Tick the box" in visitor.fill("consent")
    visitor.fill("consent", agree="yes")
    assert "Answer all questions" in visitor.fill("quiz", common="1")
    assert "one try left" in visitor.fill("quiz", **{**QUIZ, "chat": "0"})
    assert "Thank you for your interest" in visitor.fill("quiz", **{**QUIZ, "chat": "0"})
    assert "Thank you for your interest" in visitor.fill("ready")


def test_languages_are_chosen_by_link_or_browser(server: Server) -> None:
    german = {"accept-language": "fr;q=0.9, de-AT;q=0.8"}
    assert '<html lang="de" dir="ltr">' in get(server.address, headers=german).text
    assert '<html lang="en" dir="ltr">' in get(f"{server.address}/?lang=en", headers=german).text
    assert '<html lang="en" dir="ltr">' in get(f"{server.address}/?lang=xx").text


@pytest.mark.parametrize("path", ["/p/nobody-xyz", "/p/nobody-xyz/picture/a.jpg", "/nowhere"])
def test_addresses_that_are_nobodys_say_so(server: Server, path: str) -> None:
    answer = get(server.address + path)
    assert answer.status_code == 404
    assert "This did not work" in answer.text


def test_only_pictures_of_the_study_are_sent(server: Server, study: Path) -> None:
    visitor = Visitor(server)
    picture = next((study / "images").rglob("*.jpg")).relative_to(study / "images")
    assert visitor.http.get(f"{visitor.here}/picture/{picture}").status_code == 200
    for other in ("../study.toml", "..%2Fstudy.toml", "none.jpg", "%2Fetc%2Fpasswd"):
        assert visitor.http.get(f"{visitor.here}/picture/{other}").status_code in (404, 405)


def test_other_sites_and_names_are_turned_away(server: Server) -> None:
    assert get(server.address, headers={"host": "evil.example"}).status_code == 421
    upgrade = {
        "connection": "upgrade",
        "upgrade": "websocket",
        "sec-websocket-version": "13",
        "sec-websocket-key": "AAAAAAAAAAAAAAAAAAAAAA==",
    }
    for origin, status in (("http://evil.example", 403), (server.address, 101)):
        with httpx.stream(
            "GET",
            f"{server.address}/talk",
            headers={**upgrade, "origin": origin},
            timeout=PATIENCE_S,
        ) as a:
            assert a.status_code == status


def test_who_wants_everything_deleted_gets_it_at_once(server: Server, study: Path) -> None:
    visitor = Visitor(server, PROLIFIC)
    visitor.fill("leave")
    # Without the box nothing happens.
    assert "Your data has been deleted" not in visitor.fill("erase")
    page = visitor.fill("erase", sure="yes")
    assert "Your data has been deleted" in page
    assert "BYE1" in page
    assert "Your data has been deleted" in visitor.http.get(visitor.here).text
    pid = visitor.token.partition("-")[0]
    for path in study.rglob("*"):
        if path.is_file():
            data = path.read_bytes()
            assert pid.encode() not in data, path
            assert b"5f00ba12" not in data, path


@thorough
def test_what_cannot_be_deleted_at_once_is_pending(
    server: Server, monitor: httpx.Client, study: Path, serve: Callable[..., Server]
) -> None:
    visitor = Visitor(server, PROLIFIC)
    visitor.fill("leave")
    with closing(sqlite3.connect(study / "identities.sqlite")) as other:
        other.execute("BEGIN EXCLUSIVE")
        answer = visitor.http.post(f"{visitor.here}/erase", data={"sure": "yes"})
        assert answer.status_code == 503
        assert "Your data" not in answer.text
        other.rollback()
        other.execute("BEGIN")
        other.execute("SELECT count(*) FROM identities").fetchone()
        page = visitor.http.post(f"{visitor.here}/erase", data={"sure": "yes"}).text
        assert "Your data is being deleted" in page
        assert "Your data is being deleted" in visitor.look()
        assert "identities.sqlite" in monitor.get("/data.json").json()["unfinished"]
    server.stop()
    serve()
    for path in study.rglob("*"):
        assert not path.is_file() or b"5f00ba12" not in path.read_bytes(), path


def test_leaving_in_the_game_shows_both_their_exits(server: Server) -> None:
    one, two, _, second = play(server)
    assert "You have left the study" in one.fill("leave")
    assert second.hear("ended")["reason"] == "partner_left"
    assert "Your partner has left" in two.look()


def test_the_monitor_asks_for_its_token(server: Server) -> None:
    base = server.monitor.partition("/?")[0]
    for path in ("/", "/data.json", "/watch/s0001", "/static/monitor.js"):
        assert get(base + path).status_code == 401
    assert post(f"{base}/act", json={"what": "end"}).status_code == 401
    # The participants' port knows nothing of it.
    assert get(f"{server.address}/data.json").status_code == 404


def test_the_monitor_watches_writes_pauses_and_ends(server: Server, monitor: httpx.Client) -> None:
    _, _, a, b = play(server)
    a.act("chat.message", text="watch me")
    (session,) = monitor.get("/data.json").json()["sessions"]
    sid = session["session"]
    assert (session["problems"], session["messages"]) == ([], 1)
    watched = monitor.get(f"/watch/{sid}/data.json").json()
    assert set(watched["views"]) == {"A", "B"}
    assert order(monitor, "pause", session=sid).json() == {"done": "pause"}
    assert b.act("chat.message", text="hm?")["code"] == "paused"
    assert monitor.get("/data.json").json()["sessions"][0]["problems"] == ["paused"]
    order(monitor, "resume", session=sid)
    order(monitor, "message", session=sid, text="Please go on.")
    assert b.act("chat.message", text="yes")["type"] == "ack"
    order(monitor, "end", session=sid)
    assert a.hear("ended")["reason"] == "ended_by_moderator"
    data = monitor.get("/data.json").json()
    assert data["exits"] == {"ended_by_moderator": 2}
    for bad in ({"what": "dance"}, {"what": "end", "session": sid}, {"session": "x"}):
        assert monitor.post("/act", json=bad).status_code == 404
    assert monitor.post("/act", data={"what": "end"}).status_code == 415


def test_the_token_is_in_no_file_of_the_study(
    server: Server, monitor: httpx.Client, study: Path
) -> None:
    monitor.get("/data.json")
    token = server.monitor.partition("token=")[2].encode()
    for path in study.rglob("*"):
        if path.is_file():
            assert token not in path.read_bytes()
    server.stop()
    assert server.process.stdout is not None
    assert token.decode() not in server.process.stdout.read()


def test_the_monitor_erases(server: Server, monitor: httpx.Client) -> None:
    visitor = Visitor(server, PROLIFIC)
    visitor.fill("leave")
    (person,) = monitor.get("/data.json").json()["out"]
    assert order(monitor, "erase", participant=person["participant"]).json() == {"done": "erase"}
    assert monitor.get("/data.json").json()["out"] == []
    assert "5f00ba12" not in json.dumps(monitor.get("/data.json").json())
