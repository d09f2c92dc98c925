"""Who may talk to a server: the hosts it is called by, and the token it asks for."""

from __future__ import annotations

import hmac
import html
import ipaddress
from collections.abc import Iterable
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qsl, urlencode

import msgspec
from starlette.datastructures import Headers
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

COOKIE = "commonground-token"
LOOPBACK = ("127.0.0.1", "localhost", "::1")

_ASKING_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>A token is needed</title>
</head>
<body>
<main>
<h1>A token is needed</h1>
<p>The address that <code>{command}</code> printed ends with it.</p>
{error}
<form method="get">{kept}
<p><label for="token">Token</label>
<input type="password" id="token" name="token" required autofocus autocomplete="off">
<button>Open</button></p>
</form>
</main>
</body>
</html>
"""


class Rules(msgspec.Struct, frozen=True):
    """What the guard lets through.

    Attributes:
        hosts: names that a request may call the server by.
        addresses: whether any address in numbers is one, too.
        token: what a reader must know; None where nobody need know anything.
        command: that printed the address to be opened.
        unlinked: paths to which no page of another site may lead, since an answer takes as long as
            what stands in the address.
        framed: whether pages of other sites may show those of this server within theirs.
    """

    hosts: frozenset[str]
    addresses: bool = False
    token: str | None = None
    command: str = "commonground serve"
    unlinked: frozenset[str] = frozenset()
    framed: bool = False


def is_loopback(host: str) -> bool:
    """Tells whether an address can be reached from this machine only."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class Guard:
    """Lets through what calls the server by a name of its own and knows the token.

    A page of another site that has its name point to this machine (DNS rebinding) still calls
    the server by that name, and is turned away.
    """

    def __init__(self, app: ASGIApp, rules: Rules) -> None:
        self._app = app
        self._rules = rules

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers a request, or turns it away."""
        if scope["type"] == "websocket":
            await self._answer_socket(scope, receive, send)
            return
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        refusal = self._refuse(scope)
        await (refusal or self._app)(scope, receive, send)

    async def _answer_socket(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Lets through sockets that pages of this server open, and programs that are no pages.

        Browsers open sockets to any server for any page, and say in ``origin`` for which.
        """
        headers = Headers(scope=scope)
        host, origin = headers.get("host", ""), headers.get("origin")
        # A browser always names the page that opens a socket; other programs could claim to be any.
        at_home = origin is None or origin.partition("://")[2].lower() == host.lower()
        known = self._rules.token is None or self._is_token(_tokens(headers))
        if self._is_host(host) and at_home and known:
            await self._app(scope, receive, send)
        else:
            await send({"type": "websocket.close", "code": 1008})

    def _refuse(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        if not self._is_host(headers.get("host", "")):
            advice = f"Open the address that `{self._rules.command}` printed."
            return _refusal(421, "The server does not have that name.", advice)
        if self._is_foreign(scope, headers):
            advice = "Open the address directly, or from a page of this server."
            return _refusal(403, "A page of another site requested this.", advice)
        if self._rules.token is None:
            return None
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        if self._is_token(value for key, value in query if key == "token"):
            return self._let_in(scope, query)
        if self._is_token(_tokens(headers)):
            return None
        advice = f"Open the address with the token that `{self._rules.command}` printed."
        if "text/html" in headers.get("accept", ""):
            tried = any(key == "token" for key, _ in query)
            return _ask_for_token(self._rules.command, query, tried=tried)
        return _refusal(401, "A token is needed.", advice)

    def _is_foreign(self, scope: Scope, headers: Headers) -> bool:
        """Says whether a page of another site makes a request, other than by a link to a page.

        Browsers say so in ``sec-fetch-site``; those that do not, as for addresses without TLS on
        other machines, name the page in ``origin`` where it sends something.
        """
        reads = scope["method"] in ("GET", "HEAD")
        site, origin = headers.get("sec-fetch-site"), headers.get("origin")
        if site in ("same-origin", "none"):
            return False
        if site is None:
            # Of a form, a page that tells nobody where its reader comes from says "null"; ours do.
            form = "application/x-www-form-urlencoded" in headers.get("content-type", "")
            if origin is None or (origin == "null" and form):
                return False
            return origin.partition("://")[2].lower() != headers.get("host", "").lower()
        kinds = ("document", "iframe", "frame") if self._rules.framed else ("document",)
        is_link = headers.get("sec-fetch-mode") == "navigate" and reads
        is_page = headers.get("sec-fetch-dest", "document") in kinds
        return not (is_link and is_page and scope["path"] not in self._rules.unlinked)

    def _let_in(self, scope: Scope, query: list[tuple[str, str]]) -> Response:
        """Keeps the token in a cookie, and takes it off the address."""
        rest = urlencode([(key, value) for key, value in query if key != "token"])
        # More than one slash at the start would be read as the name of another host.
        path = "/" + scope["path"].lstrip("/\\")
        response = RedirectResponse(path + (f"?{rest}" if rest else ""), 303)
        response.set_cookie(
            COOKIE, self._rules.token or "", httponly=True, samesite="strict", path="/"
        )
        return response

    def _is_host(self, given: str) -> bool:
        name = given.rpartition(":")[0] if _has_port(given) else given
        # An IPv6 address stands in brackets, and a name may end with the dot of the root.
        name = name.strip("[]").lower().rstrip(".")
        if name in self._rules.hosts:
            return True
        if not self._rules.addresses:
            return False
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return True

    def _is_token(self, given: Iterable[str]) -> bool:
        wanted = (self._rules.token or "").encode()
        return any(
            # In the same time wherever the two differ, so that a token cannot be guessed letter by
            # letter.
            hmac.compare_digest(each.encode("utf-8", "surrogatepass"), wanted)
            for each in given
        )


def _has_port(given: str) -> bool:
    return given.rpartition(":")[2].isdigit() and not given.endswith("]")


def _tokens(headers: Headers) -> list[str]:
    found = []
    scheme, _, value = headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        found.append(value.strip())
    try:
        cookies = SimpleCookie(headers.get("cookie", ""))
    except CookieError:
        return found
    return found + ([cookies[COOKIE].value] if COOKIE in cookies else [])


def _refusal(status: int, error: str, advice: str) -> Response:
    body = {"status": status, "error": error, "where": "the request", "advice": advice}
    return JSONResponse(body, status)


def _ask_for_token(command: str, query: list[tuple[str, str]], *, tried: bool) -> Response:
    """Answers a browser with a page that has a field for the token.

    The form leads to the address that was asked for, with the token added: what reads an address
    with a token works for the page, too. It has no style sheet, since those want the token as well.

    Args:
        command: that printed the token.
        query: parameters of the address that was asked for.
        tried: whether a token was given, which was wrong.
    """
    kept = "".join(
        f'<input type="hidden" name="{html.escape(key)}" value="{html.escape(value)}">'
        for key, value in query
        if key != "token"
    )
    error = '<p role="alert">That token is wrong.</p>' if tried else ""
    page = _ASKING_PAGE.format(command=html.escape(command), kept=kept, error=error)
    return HTMLResponse(page, 401)
