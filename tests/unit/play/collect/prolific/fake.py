"""Prolific as its API documents it, as far as studies use it: a server on this machine."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import msgspec

from commonground.play.collect.setup.study import open_study

TOKEN = "a-token-of-nobody"  # noqa: S105 - of the fake
FEE = 4 / 3
"""What a bonus costs with fees, for each unit of it."""


FILLED = """
[prolific]
title = "Talk about pictures"
description = "You play five rounds with a partner."
address = "https://study.example.org"
places = 20
minutes = 25
devices = ["desktop", "tablet"]
allow = "allow.txt"
"""


class FakeProlific:
    """An account: its studies, submissions and bonuses.

    Attributes:
        address: of the API.
        studies: by id, as they were sent, and how they stand.
        submissions: by id.
        paid: submission and hundredths of each bonus that was paid, in order.
        asked: method and path of every request.
        currency: of the account.
        messages: person and words of each message that was sent, in order.
        has_funds: whether there is money for bonuses.
        breaks: paths at which the connection ends after all was done, without an answer.
    """

    def __init__(self) -> None:
        self.address = ""
        self.studies: dict[str, dict[str, Any]] = {}
        self.submissions: dict[str, dict[str, Any]] = {}
        self.messages: list[tuple[str, str]] = []
        self.paid: list[tuple[str, int]] = []
        self.asked: list[str] = []
        self.breaks: list[str] = []
        self.orders: dict[str, tuple[str, int]] = {}
        self.currency = "EUR"
        self.has_funds = True

    def hand_in(self, submission: str, person: str, code: str) -> None:
        """Has a person end a submission with a code."""
        self.submissions[submission] = {
            "id": submission,
            "participant_id": person,
            "status": "AWAITING REVIEW",
            "study_code": code,
        }

    def answer(self, method: str, path: str, body: dict[str, Any]) -> tuple[int, Any]:
        """Does what a request asks for; returns the status and what is answered."""
        answered: tuple[int, Any] = (404, {"error": "no such address"})
        self.asked.append(f"{method} {path}")
        for pattern, does in _ROUTES:
            found = re.fullmatch(pattern, f"{method} {path}")
            if found:
                answered = does(self, body, *found.groups())
        return answered

    def _create(self, body: dict[str, Any]) -> tuple[int, Any]:
        needed = {"name", "description", "external_study_url", "completion_codes", "reward"}
        needed |= {"total_available_places", "estimated_completion_time", "prolific_id_option"}
        if needed - body.keys():
            return 400, {"error": f"lacks {sorted(needed - body.keys())}"}
        name = f"study{len(self.studies) + 1}"
        cost = body["reward"] * body["total_available_places"] * FEE
        self.studies[name] = {
            **body,
            "id": name,
            "status": "UNPUBLISHED",
            "places_taken": 0,
            "total_cost": cost,
            "presentment_currency_code": self.currency,
        }
        return 201, self.studies[name]

    def _study(self, _: dict[str, Any], name: str) -> tuple[int, Any]:
        return (200, self.studies[name]) if name in self.studies else (404, {"error": name})

    def _move(self, body: dict[str, Any], name: str) -> tuple[int, Any]:
        states = {"PUBLISH": "ACTIVE", "START": "ACTIVE", "PAUSE": "PAUSED"}
        self.studies[name]["status"] = states[body["action"]]
        return 200, self.studies[name]

    def _list(self, _: dict[str, Any], name: str) -> tuple[int, Any]:
        return 200, {"results": list(self.submissions.values()) if name in self.studies else []}

    def _submission(self, _: dict[str, Any], name: str) -> tuple[int, Any]:
        paid = [float(cents) for who, cents in self.paid if who == name]
        return 200, {**self.submissions[name], "bonus_payments": paid}

    def _judge(self, body: dict[str, Any], name: str) -> tuple[int, Any]:
        if body["action"] == "REJECT" and len(body["message"]) < 100:
            return 400, {"error": "message is too short"}
        status = {"APPROVE": "APPROVED", "REJECT": "REJECTED"}[body["action"]]
        self.submissions[name]["status"] = status
        return 200, self.submissions[name]

    def _write(self, body: dict[str, Any]) -> tuple[int, Any]:
        if body["study_id"] not in self.studies:
            return 404, {"error": body["study_id"]}
        self.messages.append((body["recipient_id"], body["body"]))
        return 204, None

    def _set_up(self, body: dict[str, Any]) -> tuple[int, Any]:
        submission, amount = body["csv_bonuses"].split(",")
        if submission not in self.submissions:
            return 400, {"error": f"{submission} has not taken part"}
        cents = round(float(amount) * 100)
        name = f"order{len(self.orders) + 1}"
        self.orders[name] = (submission, cents)
        costs = {"amount": cents, "fees": cents / 3, "vat": 0, "total_amount": cents * FEE}
        return 201, {"id": name, **costs}

    def _pay(self, _: dict[str, Any], name: str) -> tuple[int, Any]:
        if not self.has_funds:
            return 400, {"error": "not enough funds"}
        # As documented: not idempotent.
        self.paid.append(self.orders[name])
        return 202, None


_ROUTES: list[tuple[str, Any]] = [
    (r"POST /studies/", FakeProlific._create),
    (r"GET /studies/(\w+)/", FakeProlific._study),
    (r"POST /studies/(\w+)/transition/", FakeProlific._move),
    (r"GET /studies/(\w+)/submissions/", FakeProlific._list),
    (r"GET /submissions/([\w-]+)/", FakeProlific._submission),
    (r"POST /messages/", FakeProlific._write),
    (r"POST /submissions/bonus-payments/", FakeProlific._set_up),
    (r"POST /submissions/([\w-]+)/transition/", FakeProlific._judge),
    (r"POST /bulk-bonus-payments/(\w+)/pay/", FakeProlific._pay),
]


@contextmanager
def run_prolific() -> Iterator[FakeProlific]:
    """Serves an account until the end."""
    fake = FakeProlific()

    class Handler(BaseHTTPRequestHandler):
        def _take(self) -> None:
            data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            if self.headers.get("Authorization") != f"Token {TOKEN}":
                self._send(401, {"error": "no token"})
                return
            body = msgspec.json.decode(data) if data else {}
            status, answer = fake.answer(self.command, self.path.removeprefix("/api/v1"), body)
            if any(each in self.path for each in fake.breaks):
                self.connection.close()
                return
            self._send(status, answer)

        do_GET = do_POST = _take  # noqa: N815 - as the library names them

        def _send(self, status: int, answer: Any) -> None:
            data = msgspec.json.encode(answer)
            self.send_response(status)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    fake.address = f"http://127.0.0.1:{server.server_address[1]}/api/v1"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield fake
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def tell_prolific(study: Path) -> None:
    """Makes a study ready for people of Prolific."""
    path = study / "study.toml"
    text = path.read_text(encoding="utf-8")
    for old, new in {
        "prolific = false": "prolific = true",
        "full = 0.0": "full = 4.5",
        "partial = 0.0": "partial = 1.0",
        'contact = ""': 'contact = "lab@example.org"',
    }.items():
        assert text.count(old) == 1
        text = text.replace(old, new)
    path.write_text(text + FILLED, encoding="utf-8")
    for consent in (study / "consent").iterdir():
        consent.write_text("We record what you write.", encoding="utf-8")
    (study / "allow.txt").write_text("5f7c1d22e4b0\n\n5f7c1d22e4b1\n", encoding="utf-8")


def hand_in_all(study: Path, fake: FakeProlific, tokens: dict[str, str]) -> dict[str, str]:
    """Has people who left hand in with their codes; returns pseudonyms by way out.

    Args:
        study: that they left.
        fake: the account.
        tokens: of the people, by way out.
    """
    people = {name: token.partition("-")[0] for name, token in tokens.items()}
    opened = open_study(study)
    with closing(opened.open_identities()) as identities:
        for name, pid in people.items():
            who = identities.find(pid)
            assert who is not None
            code = opened.settings.payment.codes[name.partition(".")[0]]  # type: ignore[index]
            fake.hand_in(who.details["SESSION_ID"], who.platform_id, code)
    return people
