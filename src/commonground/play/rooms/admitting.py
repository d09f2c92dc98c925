"""Whether a request may go on as somebody who is there already: a name alone is no key.

Names and ids of platforms are known to others: class lists, colleagues, other workers. Who goes on
has the browser in which the person agreed, a link that the researcher signed, or the very address
by which the platform sent the person.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from http.cookies import CookieError, SimpleCookie

from starlette.requests import Request
from starlette.responses import Response

from commonground.explorer.web.guard import is_loopback
from commonground.play.collect.identities import Identities, Identity

COOKIE = "commonground-people"
"""Begins the name of the cookie that has who began in a browser; the study's name goes on."""

BROWSER = "commonground-browser"
"""Begins the name of the cookie by which a study knows a browser."""

MOST_PEOPLE = 8
"""People of one browser, such as that of a lab, of whom it may go on as."""

HOUR_S = 3600.0
MOST_ADDRESSES = 10_000
"""Addresses of which arrivals are counted; the ones that came first are forgotten."""


class Browsers:
    """What browsers keep of a study: a mark by which it knows them, and who began in them."""

    def __init__(self, identities: Identities) -> None:
        self._identities = identities
        # With the name of the study: ports of one host share their cookies.
        self._mark = f"{BROWSER}-{identities.study}"
        self._people = name_cookie(identities)

    def is_own(self, request: Request, pid: str) -> bool:
        """Says whether a request comes from a browser that somebody began in."""
        return pid in map(self._identities.read_token, self._read_tokens(request))

    def read_mark(self, request: Request) -> str:
        """Returns the mark that a browser has from the study; empty for none."""
        return _read_cookie(request, self._mark)

    def find(self, request: Request) -> str | None:
        """Returns by what the study knows a browser; None where that has no mark."""
        mark = self.read_mark(request)
        return self._identities.browser(mark) if mark else None

    def set_mark(self, request: Request, response: Response, mark: str) -> None:
        """Has a browser keep a mark of its own, by which the study knows it."""
        _set_cookie(request, response, self._mark, mark)

    def note(self, request: Request, response: Response, token: str) -> None:
        """Has the browser keep that somebody began in it, by the token of their page's address."""
        tokens = [token, *(each for each in self._read_tokens(request) if each != token)]
        _set_cookie(request, response, self._people, ".".join(tokens[:MOST_PEOPLE]))

    def _read_tokens(self, request: Request) -> list[str]:
        return _read_cookie(request, self._people).split(".")


def name_cookie(identities: Identities) -> str:
    """Returns the name of the cookie of a study that has who began in a browser."""
    return f"{COOKIE}-{identities.study}"


def _read_cookie(request: Request, name: str) -> str:
    try:
        cookies = SimpleCookie(request.headers.get("cookie", ""))
    except CookieError:
        return ""
    return cookies[name].value if name in cookies else ""


def _set_cookie(request: Request, response: Response, name: str, value: str) -> None:
    secure = request.url.scheme == "https"
    # Lax: links of platforms and mails lead here.
    response.set_cookie(name, value, httponly=True, samesite="lax", secure=secure, path="/")


def is_proven(request: Request, pid: str, identity: Identity, identities: Identities) -> bool:
    """Says whether an address shows that its reader is the person that it names.

    Args:
        identity: who the address says it is.
        identities: of the study, which know what the platform said when the person came first.
    """
    if identity.platform == "plain":
        key = request.query_params.get("key", "")
        return bool(identity.platform_id) and identities.is_link_key(identity.platform_id, key)
    # Ids of a submission or an assignment are known to the platform and the person only.
    return identities.find(pid) in (None, identity)


class ArrivalLimit:
    """Counts the people who come from one address, by a clock of seconds that only goes forward."""

    def __init__(self, per_hour: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_hour = per_hour
        self._clock = clock
        self._came: dict[str, deque[float]] = {}

    def take(self, address: str) -> bool:
        """Counts an arrival; says whether it is one too many."""
        # This machine: rehearsals, and a proxy that does not say for whom it asks.
        if is_loopback(address):
            return False
        now_s = self._clock()
        came = self._came.setdefault(address, deque())
        while came and came[0] < now_s - HOUR_S:
            came.popleft()
        if len(came) >= self._per_hour:
            return True
        came.append(now_s)
        if len(self._came) > MOST_ADDRESSES:
            del self._came[next(iter(self._came))]
        return False
