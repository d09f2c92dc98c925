"""People who go through the pages without a browser."""

from __future__ import annotations

from functools import partial
from typing import Any
from urllib.parse import urlencode

import httpx
from tests.unit.play.rooms.conftest import PATIENCE_S

QUIZ = {"common": "1", "chat": "2", "submit": "0"}

# They wait for an answer however busy the machine is.
get = partial(httpx.get, timeout=PATIENCE_S)
post = partial(httpx.post, timeout=PATIENCE_S)


class Visitor:
    """Somebody who follows links and fills in forms.

    Args:
        server: of the study.
        path: that the person came to; with parameters of a platform, or the start page.
    """

    def __init__(self, server: Any, path: str = "") -> None:
        self.http = httpx.Client(base_url=server.address, follow_redirects=True, timeout=PATIENCE_S)
        server.guests.append(self)
        self.page = self.http.get(path) if path else self.http.post("/")
        self.here = self.page.url.path

    @property
    def token(self) -> str:
        return self.here.rpartition("/")[2]

    def fill(self, what: str, **fields: str) -> str:
        """Sends a form, and returns the page that comes then."""
        header = {"content-type": "application/x-www-form-urlencoded"}
        data = urlencode(fields)
        self.page = self.http.post(f"{self.here}/{what}", content=data, headers=header)
        return self.page.text

    def go_to_waiting_room(self) -> Visitor:
        self.fill("consent", agree="yes")
        self.fill("quiz", **QUIZ)
        self.fill("ready")
        return self

    def close(self) -> None:
        self.http.close()

    def look(self) -> str:
        self.page = self.http.get(self.here)
        return self.page.text
