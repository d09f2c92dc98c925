"""The researcher's pages: what goes on, problems first; games watched as they are played."""

from __future__ import annotations

from typing import Any

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from commonground.errors import CommongroundError, UsageError
from commonground.explorer.web.headers import page_headers
from commonground.play.collect.live.outbox import Effects
from commonground.play.collect.live.standing import describe_standing
from commonground.play.rooms.desk import Desk
from commonground.play.rooms.forgetting import Forgetting
from commonground.play.rooms.pages import Pages, read_body
from commonground.play.rooms.rendering import Rooms

LONGEST_ORDER = 8_192
"""Bytes of what a page of the monitor sends."""


class Order(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the researcher wants done.

    Attributes:
        what: ``message``, ``pause``, ``resume``, ``end`` or ``erase``.
        session: that it concerns; empty for none.
        participant: that it concerns; empty for none.
        text: of a message.
        roles: who reads the message; empty for all.
    """

    what: str
    session: str = ""
    participant: str = ""
    text: str = ""
    roles: list[str] = []


class Monitor(Pages):
    """Answers the researcher's requests.

    Args:
        rooms: the pages.
        desk: what everybody's doings go through.
        forgetting: deletes everything of a person.
    """

    def __init__(self, rooms: Rooms, desk: Desk, forgetting: Forgetting) -> None:
        super().__init__(rooms, desk)
        self._forgetting = forgetting

    async def show(self, request: Request) -> Response:
        """Shows the page of all that goes on."""
        return self._page(request, "monitor.html", data=self._standing())

    async def data(self, request: Request) -> Response:  # noqa: ARG002 - Starlette's
        """Tells all that goes on, for the page to renew itself."""
        return JSONResponse(self._standing())

    async def watch(self, request: Request) -> Response:
        """Shows a game as it is played, from every seat, to look at only."""
        sid = request.path_params["sid"]
        return self._page(request, "watch.html", sid=sid, data=self._session(sid))

    async def watch_data(self, request: Request) -> Response:
        """Tells what every seat of a session sees, or that it is over."""
        sid = request.path_params["sid"]
        if sid not in self.desk.hall.ledger.sessions:
            return JSONResponse({"over": True})
        return JSONResponse(self._session(sid))

    async def act(self, request: Request) -> Response:
        """Does what the researcher wants done."""
        # Pages of other sites can send forms, but no JSON.
        if request.headers.get("content-type", "").partition(";")[0] != "application/json":
            raise HTTPException(415)
        try:
            order = msgspec.json.decode(await read_body(request, LONGEST_ORDER), type=Order)
        except msgspec.DecodeError as error:
            raise UsageError(f"That is not an order: {error}.") from error
        self.desk.check()
        effects = await self._carry_out(order)
        if effects is not None:
            await self.desk.settle(effects)
        return JSONResponse({"done": order.what})

    async def _carry_out(self, order: Order) -> Effects | None:
        hall, now_us = self.desk.hall, self.desk.clock()
        if order.what == "message":
            return hall.message(order.session, order.text, now_us, order.roles)
        if order.what in ("pause", "resume"):
            return hall.pause(order.session, order.what == "pause", now_us)
        if order.what == "end":
            return hall.end(order.session, now_us)
        if order.what == "erase":
            await self._forgetting.erase(hall.ledger.person(order.participant).pid)
            return None
        raise UsageError(f"There is no order {order.what!r}.")

    async def explain(self, request: Request, error: Exception) -> Response:  # noqa: ARG002 - Starlette's
        """Says what is wrong, and what to do about it, in JSON for the monitor's script."""
        if isinstance(error, CommongroundError):
            body = {"error": error.message, "advice": error.advice}
            return JSONResponse(body, 404 if isinstance(error, UsageError) else 503)
        assert isinstance(error, HTTPException)  # noqa: S101 - registered for it
        return JSONResponse({"error": error.detail, "advice": ""}, error.status_code)

    def _standing(self) -> dict[str, Any]:
        standing = describe_standing(self.desk.hall, self.desk.clock())
        return {**standing, "stuck": self.desk.stuck, "unfinished": self._forgetting.unfinished}

    def _session(self, sid: str) -> dict[str, Any]:
        session = self.desk.hall.ledger.sessions.get(sid)
        if session is None:
            raise UsageError(f"Session {sid} is over, or was never begun.")
        return {
            **session.describe(),
            "now_us": self.desk.clock(),
            "views": {role: session.view(role) for role in session.seats},
        }

    def _page(self, request: Request, template: str, **values: Any) -> Response:
        language = self.choose_language(request)
        texts = self.rooms.texts[language].below("monitor.script")
        return self.send_page(template, language, texts=texts, **values)


def create_monitor(monitor: Monitor) -> Starlette:
    """Makes the web application of the monitor."""
    return Starlette(
        routes=[
            Route("/", monitor.show, methods=["GET"]),
            Route("/data.json", monitor.data, methods=["GET"]),
            Route("/watch/{sid}", monitor.watch, methods=["GET"]),
            Route("/watch/{sid}/data.json", monitor.watch_data, methods=["GET"]),
            Route("/act", monitor.act, methods=["POST"]),
            Route("/picture/{path:path}", monitor.picture, methods=["GET"]),
            Route("/static/{name}", monitor.static, methods=["GET"]),
        ],
        exception_handlers={
            CommongroundError: monitor.explain,
            HTTPException: monitor.explain,
        },
    )


def monitor_headers() -> dict[str, str]:
    """Returns the headers of every answer of the monitor."""
    return {**page_headers(form_action="'none'"), "x-frame-options": "DENY"}
