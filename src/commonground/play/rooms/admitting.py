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


def is_same_browser(request: Request, pid: str, identities: Identities) -> bool:
    """Says whether a request comes from a browser that somebody began in.

    Args:
        request: of the browser.
        pid: pseudonym of the person.
        identities: of the study.
    """
    return pid in map(identities.read_token, _read_tokens(request, identities))


def read_mark(request: Request, identities: Identities) -> str:
    """Returns the mark that a browser has from the study; empty for none."""
    return _read_cookie(request, f"{BROWSER}-{identities.study}")


def set_mark(request: Request, response: Response, mark: str, identities: Identities) -> None:
    """Has a browser keep a mark by which the study knows it.

    Args:
        request: of the browser.
        response: that it is told in.
        mark: that nobody else has.
        identities: of the study.
    """
    _set_cookie(request, response, f"{BROWSER}-{identities.study}", mark)


def note_browser(request: Request, response: Response, token: str, identities: Identities) -> None:
    """Has the browser keep that somebody began in it.

    Args:
        request: of the browser.
        response: that it is told in.
        token: of the person, from the address of the person's page.
        identities: of the study.
    """
    tokens = [token, *(each for each in _read_tokens(request, identities) if each != token)]
    value = ".".join(tokens[:MOST_PEOPLE])
    _set_cookie(request, response, name_cookie(identities), value)


def name_cookie(identities: Identities) -> str:
    """Returns the name of a study's cookie: ports of one host share their cookies."""
    return f"{COOKIE}-{identities.study}"


def _read_tokens(request: Request, identities: Identities) -> list[str]:
    return _read_cookie(request, name_cookie(identities)).split(".")


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
        request: by which somebody comes.
        pid: of the person of that name.
        identity: who the address says it is.
        identities: of the study, which know what the platform said when the person came first.
    """
    if identity.platform == "plain":
        key = request.query_params.get("key", "")
        return bool(identity.platform_id) and identities.is_link_key(identity.platform_id, key)
    # Ids of a submission or an assignment are known to the platform and the person only.
    return identities.find(pid) in (None, identity)


class ArrivalLimit:
    """Counts how many people come from one address of the network.

    Args:
        per_hour: that may.
        clock: tells a time that only goes forward, in seconds.
    """

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
