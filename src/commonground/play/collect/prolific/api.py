"""Prolific's API, as far as a study needs it.

Source: https://docs.prolific.com/api-reference (version 1). The token comes from the environment
and goes nowhere but into the header of requests to Prolific: not into files, messages or logs.
"""

from __future__ import annotations

import http
import http.client
import ipaddress
import os
import urllib.error
import urllib.request
from collections.abc import Mapping
from typing import Any, Literal, TypeVar
from urllib.parse import quote, urlsplit

import msgspec

from commonground.errors import SourceError, UsageError

TOKEN = "PROLIFIC_TOKEN"  # noqa: S105 - the name of a variable
"""Variable of the environment that holds the token of an account."""

ADDRESS = "PROLIFIC_API"
"""Variable of the environment with another address of the API, for tries; on this machine only."""

OFFICIAL = "https://api.prolific.com/api/v1"
TIMEOUT_S = 30
LONGEST_REASON = 200
MOST_BYTES = 64 << 20
"""Bytes of an answer; thousands of submissions take a few millions."""

Status = Literal[
    "RESERVED",
    "ACTIVE",
    "TIMED-OUT",
    "AWAITING REVIEW",
    "APPROVED",
    "RETURNED",
    "REJECTED",
    "SCREENED OUT",
    "PARTIALLY APPROVED",
]

T = TypeVar("T")


class ProlificError(SourceError):
    """Prolific refused something, or could not be reached.

    Attributes:
        refused: whether it is certain that nothing was done.
    """

    def __init__(self, message: str, advice: str = "", *, refused: bool) -> None:
        super().__init__(message, advice)
        self.refused = refused


class ListedStudy(msgspec.Struct, frozen=True):
    """A study at Prolific; amounts are in hundredths of its currency.

    Attributes:
        status: such as ``UNPUBLISHED``, ``ACTIVE``, ``PAUSED`` or ``AWAITING REVIEW``.
        name: as participants see it.
        reward: of one approved submission.
        total_cost: of all places, with fees; None where Prolific does not say.
        presentment_currency_code: of the amounts; None where Prolific does not say.
    """

    id: str
    status: str = ""
    name: str = ""
    reward: float = 0
    total_available_places: int = 0
    places_taken: int | None = None
    total_cost: float | None = None
    presentment_currency_code: str | None = None


class Submission(msgspec.Struct, frozen=True):
    """What somebody handed in, or began.

    Attributes:
        id: of the submission, which the study knows as ``SESSION_ID``.
        participant_id: Prolific's id of the person.
        status: see :data:`Status`; others may come.
        study_code: the completion code that was entered; None before.
    """

    id: str
    participant_id: str
    status: str
    study_code: str | None = None


class BonusOrder(msgspec.Struct, frozen=True):
    """Bonuses that were set up, and are not paid as yet; amounts in hundredths.

    Attributes:
        amount: that people get.
        vat: on the fees.
    """

    id: str
    amount: float
    fees: float = 0
    vat: float = 0
    total_amount: float = 0


class _Listing(msgspec.Struct, frozen=True):
    results: list[Submission]


class _PaidBonuses(msgspec.Struct, frozen=True):
    bonus_payments: list[float] | None = None


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Follows no redirect: the token would go along, wherever that leads."""

    def redirect_request(self, *_: Any) -> None:
        """Returns nothing, so that a redirect is an error."""
        return


class ProlificApi:
    """An account at Prolific, whose token goes nowhere else."""

    def __init__(self, token: str, address: str = OFFICIAL) -> None:
        self._token = token
        self._address = address.rstrip("/")
        self._opener = urllib.request.build_opener(_NoRedirects)

    def create_study(self, draft: Mapping[str, Any]) -> ListedStudy:
        """Makes a draft of a study, which nobody sees and which costs nothing.

        Raises:
            ProlificError: it was refused.
        """
        return self._ask("POST", "/studies/", ListedStudy, draft)

    def get_study(self, study: str) -> ListedStudy:
        """Returns how a study stands.

        Raises:
            ProlificError: there is none of this id, or Prolific does not answer.
        """
        return self._ask("GET", f"/studies/{_part(study)}/", ListedStudy)

    def move_study(
        self, study: str, action: Literal["PUBLISH", "PAUSE", "START", "STOP"]
    ) -> ListedStudy:
        """Publishes, pauses, resumes or ends a study.

        Raises:
            ProlificError: it was refused, such as for lack of money.
        """
        path = f"/studies/{_part(study)}/transition/"
        return self._ask("POST", path, ListedStudy, {"action": action})

    def list_submissions(self, study: str) -> list[Submission]:
        """Returns all submissions of a study.

        Raises:
            ProlificError: they cannot be read.
        """
        return self._ask("GET", f"/studies/{_part(study)}/submissions/", _Listing).results

    def approve(self, submission: str) -> None:
        """Approves a submission, which pays the reward; a second time does nothing.

        Raises:
            ProlificError: it was refused.
        """
        self._move(submission, {"action": "APPROVE"})

    def reject(self, submission: str, category: str, message: str) -> None:
        """Rejects a submission, by a category of Prolific's, with a message that the person reads.

        Raises:
            ProlificError: it was refused.
        """
        fields = {"rejection_category": category, "message": message}
        self._move(submission, {"action": "REJECT", **fields})

    def _move(self, submission: str, body: dict[str, str]) -> None:
        self._ask("POST", f"/submissions/{_part(submission)}/transition/", dict[str, Any], body)

    def list_bonuses(self, submission: str) -> list[float]:
        """Returns bonuses that were paid on a submission, in hundredths.

        Raises:
            ProlificError: they cannot be read.
        """
        found = self._ask("GET", f"/submissions/{_part(submission)}/", _PaidBonuses)
        return found.bonus_payments or []

    def set_up_bonus(self, study: str, submission: str, cents: int) -> BonusOrder:
        """Sets up a bonus, in hundredths of a currency, which :meth:`pay_bonus` pays.

        Raises:
            ProlificError: it was refused.
        """
        line = f"{submission},{cents // 100}.{cents % 100:02}"
        body = {"study_id": study, "csv_bonuses": line}
        return self._ask("POST", "/submissions/bonus-payments/", BonusOrder, body)

    def pay_bonus(self, order: str) -> None:
        """Pays bonuses that were set up. Each call pays: never call it twice for one order.

        Raises:
            ProlificError: it was refused, or it is not known what became of it.
        """
        self._ask("POST", f"/bulk-bonus-payments/{_part(order)}/pay/", None)

    def send_message(self, study: str, person: str, text: str) -> None:
        """Sends a message to a participant, by Prolific's id, as Prolific shows messages.

        Raises:
            ProlificError: it was refused.
        """
        body = {"recipient_id": person, "body": text, "study_id": study}
        self._ask("POST", "/messages/", None, body)

    def _ask(
        self, method: str, path: str, kind: type[T] | None, body: Mapping[str, Any] | None = None
    ) -> T:
        request = urllib.request.Request(  # noqa: S310 - the address was checked
            self._address + path,
            data=None if method == "GET" else msgspec.json.encode(body or {}),
            method=method,
            headers={"Authorization": f"Token {self._token}", "Content-Type": "application/json"},
        )
        try:
            with self._opener.open(request, timeout=TIMEOUT_S) as answer:
                data = answer.read(MOST_BYTES)
        except urllib.error.HTTPError as error:
            raise _explain(error, method, path) from None
        except (OSError, http.client.HTTPException) as error:
            why = getattr(error, "reason", None) or type(error).__name__
            raise ProlificError(
                f"Prolific does not answer ({method} {path}): {why}.",
                "Try again; `commonground collect prolific status` shows what was done.",
                refused=False,
            ) from None
        if kind is None:
            return None  # type: ignore[return-value]
        try:
            return msgspec.json.decode(data, type=kind)
        except msgspec.DecodeError as error:
            what = f"Prolific's answer is not as documented ({method} {path}): {error}."
            raise ProlificError(what, refused=False) from error


def _explain(error: urllib.error.HTTPError, method: str, path: str) -> ProlificError:
    """Makes an error of Prolific's answer, with its words and none of what was sent."""
    status = error.code
    if status in (401, 403):
        advice = f"Check whether ${TOKEN} holds a token of the account that the study belongs to."
        return ProlificError("Prolific does not accept the token.", advice, refused=True)
    try:
        said = error.read(MOST_BYTES).decode("utf-8", "replace").strip()
    except (OSError, http.client.HTTPException):
        said = ""
    said = " ".join(said.split())[:LONGEST_REASON]
    # What a server breaks down over may have been done.
    is_refused = 300 <= status < 500 and status != http.HTTPStatus.REQUEST_TIMEOUT
    return ProlificError(
        f"Prolific answers {status} to {method} {path}{f': {said}' if said else ''}.",
        refused=is_refused,
    )


def _part(name: str) -> str:
    return quote(name, safe="")


def open_api(environment: Mapping[str, str] | None = None) -> ProlificApi:
    """Returns the account whose token the environment holds: this process's, unless given.

    Raises:
        UsageError: there is no token, or the address in :data:`ADDRESS` is elsewhere.
    """
    values = os.environ if environment is None else environment
    token = values.get(TOKEN, "").strip()
    if not token.isascii() or not token.isprintable() or not token:
        raise UsageError(
            f"${TOKEN} holds no token of Prolific.",
            "Make one on Prolific's pages (Settings, API token) and export it.",
        )
    address = values.get(ADDRESS, "") or OFFICIAL
    if address != OFFICIAL and not _is_near(address):
        raise UsageError(
            f"${ADDRESS} names an address elsewhere: the token would go there.",
            "It is for tests, and may name this machine only. Leave it out to use Prolific.",
        )
    return ProlificApi(token, address)


def _is_near(address: str) -> bool:
    host = urlsplit(address).hostname or ""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
