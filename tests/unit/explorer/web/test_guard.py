# ruff: noqa: S104, S105, S106 - addresses and tokens are what is tested
from __future__ import annotations

import ipaddress

import pytest
from starlette.responses import PlainTextResponse, Response
from starlette.testclient import TestClient
from starlette.types import Receive, Scope, Send

from commonground.explorer.web.guard import COOKIE, Guard, Rules, is_loopback
from commonground.explorer.web.headers import AddHeaders, compress, page_headers
from commonground.explorer.web.listening import find_outward, plan_serving, rules_of

TOKEN = "s3cret-ünï"
POLICY = page_headers()["content-security-policy"]


def client(rules: Rules, host: str = "127.0.0.1:8765") -> TestClient:
    """Asks an application that answers everything that the guard lets through."""
    app = AddHeaders(Guard(PlainTextResponse("in"), rules), page_headers())
    return TestClient(app, base_url=f"http://{host}", follow_redirects=False)


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1:8765", 200),
        ("localhost:8765", 200),
        ("LOCALHOST", 200),
        ("[::1]:8765", 200),
        ("evil.example:8765", 421),
        ("127.0.0.1.evil.example", 421),
        ("localhost@evil.example", 421),
        ("192.168.0.7:8765", 421),
        ("", 421),
    ],
)
def test_only_names_of_its_own_are_answered(host: str, status: int) -> None:
    rules = rules_of(plan_serving("127.0.0.1", 8765, None))
    answer = client(rules).get("/", headers={"host": host})
    assert answer.status_code == status
    assert answer.headers["content-security-policy"] == POLICY


def test_another_address_has_a_token_and_is_called_by_numbers() -> None:
    serving = plan_serving("0.0.0.0", 8765, None)
    assert serving.token is not None
    assert len(serving.token) == 32  # 24 bytes in base 64
    rules = rules_of(serving)
    header = {"authorization": f"Bearer {serving.token}"}
    assert client(rules, "192.168.0.7:8765").get("/", headers=header).status_code == 200
    assert client(rules, "evil.example").get("/", headers=header).status_code == 421


def test_without_the_token_nothing_is_shown() -> None:
    rules = Rules(hosts=frozenset({"127.0.0.1"}), token=TOKEN)
    for path in ("/", "/frames/browse.json", "/static/base.css", "/?token=forg0tten"):
        answer = client(rules).get(path)
        assert answer.status_code == 401, path
        assert set(answer.json()) == {"status", "error", "where", "advice"}
    for value in ("Bearer wrong", "Basic x", f"Bearer{TOKEN}", "Bearer "):
        header = {b"authorization": value.encode("utf-8")}
        assert client(rules).get("/", headers=header).status_code == 401


def test_the_address_with_the_token_sets_a_cookie_and_hides_it() -> None:
    rules = Rules(hosts=frozenset({"127.0.0.1"}), token="t0ken")
    browser = client(rules)
    answer = browser.get("/frames/?q=a+b&token=t0ken")
    assert (answer.status_code, answer.headers["location"]) == (303, "/frames/?q=a+b")
    cookie = answer.headers["set-cookie"]
    assert f"{COOKIE}=t0ken" in cookie
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert browser.get("/frames/").status_code == 200


def test_the_token_leads_to_no_other_host() -> None:
    rules = Rules(hosts=frozenset({"127.0.0.1"}), token="t")
    answer = client(rules).get("http://127.0.0.1//evil.example/?token=t")
    assert answer.headers["location"] == "/evil.example/"


LINK = {"sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}
FRAME = {"sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe"}
FETCH = {"sec-fetch-mode": "cors", "sec-fetch-dest": "empty"}
IMAGE = {"sec-fetch-mode": "no-cors", "sec-fetch-dest": "image"}
FORM = {"content-type": "application/x-www-form-urlencoded"}
ORDER = {"content-type": "application/json"}


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
@pytest.mark.parametrize(
    ("method", "path", "headers", "framed", "status"),
    [
        ("GET", "/frames/", LINK, False, 200),
        ("GET", "/sql", LINK, False, 403),
        ("GET", "/sql.json", FETCH, False, 403),
        ("GET", "/sql.json", IMAGE, False, 403),
        ("GET", "/frames/browse.json", FETCH, False, 403),
        ("GET", "/", FRAME, False, 403),
        ("GET", "/", FRAME, True, 200),
        ("POST", "/act", FETCH, False, 403),
        ("POST", "/", LINK | FORM, True, 403),
    ],
)
def test_pages_of_other_sites_lead_here_and_get_nothing(
    method: str, path: str, headers: dict[str, str], framed: bool, status: int, site: str
) -> None:
    rules = Rules(frozenset({"127.0.0.1"}), unlinked=frozenset({"/sql"}), framed=framed)
    sent = {**headers, "sec-fetch-site": site}
    assert client(rules).request(method, path, headers=sent).status_code == status
    for own in ("same-origin", "none"):
        sent = {**headers, "sec-fetch-site": own}
        assert client(rules).request(method, path, headers=sent).status_code == 200


@pytest.mark.parametrize(
    ("origin", "headers", "status"),
    [
        (None, ORDER, 200),
        ("http://127.0.0.1:8765", ORDER, 200),
        ("http://evil.example", ORDER, 403),
        ("http://evil.example", FORM, 403),
        ("http://127.0.0.1:9999", ORDER, 403),
        ("null", ORDER, 403),
        ("null", FORM, 200),
    ],
)
def test_browsers_that_say_less_name_the_page(
    origin: str | None, headers: dict[str, str], status: int
) -> None:
    sent = headers if origin is None else {**headers, "origin": origin}
    rules = Rules(frozenset({"127.0.0.1"}))
    assert client(rules).post("/act", headers=sent).status_code == status


def test_a_token_may_be_wanted_of_this_machine_too() -> None:
    assert plan_serving("127.0.0.1", 1, None).token is None
    assert plan_serving("127.0.0.1", 1, "x").address == "http://127.0.0.1:1/?token=x"
    assert plan_serving("::1", 1, None).address == "http://[::1]:1/"


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("127.0.0.1", True),
        ("127.8.8.8", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("192.168.0.1", False),
        ("localhost.evil", False),
    ],
)
def test_what_is_loopback(host: str, expected: bool) -> None:
    assert is_loopback(host) is expected


BROWSER = {"accept": "text/html,application/xhtml+xml,*/*;q=0.8"}


def test_a_browser_without_the_token_gets_a_field_for_it() -> None:
    rules = Rules(hosts=frozenset({"127.0.0.1"}), token="t0ken")
    browser = client(rules)
    answer = browser.get("/frames/?q=%22a%22+%3Cb%3E", headers=BROWSER)
    assert answer.status_code == 401
    assert answer.headers["content-security-policy"] == POLICY
    assert '<input type="hidden" name="q" value="&quot;a&quot; &lt;b&gt;">' in answer.text
    assert 'name="token" required' in answer.text
    assert "alert" not in answer.text
    filled_in = browser.get("/frames/?q=a&token=t0ken", headers=BROWSER)
    assert (filled_in.status_code, filled_in.headers["location"]) == (303, "/frames/?q=a")


def test_a_browser_with_another_token_is_asked_again() -> None:
    rules = Rules(hosts=frozenset({"127.0.0.1"}), token="t0ken")
    answer = client(rules).get("/?token=forg0tten", headers=BROWSER)
    assert answer.status_code == 401
    assert "That token is wrong." in answer.text
    assert "forg0tten" not in answer.text


def test_a_server_for_all_prints_an_address_that_others_can_use(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        "commonground.explorer.web.listening.find_outward", {"0.0.0.0": "192.168.0.7"}.get
    )
    assert plan_serving("0.0.0.0", 8765, "t").address == "http://192.168.0.7:8765/?token=t"


@pytest.mark.parametrize(("host", "version"), [("0.0.0.0", 4), ("::", 6)])
def test_the_address_of_this_machine_is_one(host: str, version: int) -> None:
    found = ipaddress.ip_address(find_outward(host))
    assert found.version == version
    assert not found.is_unspecified


def test_long_texts_are_compressed_and_pictures_are_not() -> None:
    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        kind = "image/jpeg" if scope["path"] == "/picture" else "text/html"
        body = "a" * (999 if scope["path"] == "/short" else 1000)
        await Response(body, media_type=kind)(scope, receive, send)

    asked = TestClient(compress(answer))
    assert asked.get("/").headers["content-encoding"] == "gzip"
    assert asked.get("/").text == "a" * 1000
    for path in ("/short", "/picture"):
        assert "content-encoding" not in asked.get(path).headers
    assert "content-encoding" not in asked.get("/", headers={"accept-encoding": "br"}).headers
