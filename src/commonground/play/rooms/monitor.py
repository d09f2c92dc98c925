"""The researcher's pages: what goes on, problems first; games watched as they are played."""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from commonground.errors import CommongroundError, UsageError
from commonground.play.collect.events import ModeratorDecided
from commonground.play.collect.exports.replaying import read_session
from commonground.play.collect.live.disputes import describe_disputes
from commonground.play.collect.live.people_table import describe_page
from commonground.play.collect.live.sessions import LiveSession
from commonground.play.collect.live.standing import describe_standing
from commonground.play.collect.prolific.bonuses import read_cents
from commonground.play.rooms.desk import Desk
from commonground.play.rooms.forgetting import Forgetting
from commonground.play.rooms.pages import Pages, read_body
from commonground.play.rooms.paying import AtProlific
from commonground.play.rooms.rendering import Rooms

DISPUTES = "adjudicate.html"
"""The page of units on which people differ; rooms that let people label have it."""

LONGEST_ORDER = 8_192
"""Bytes of what a page of the monitor sends."""


class Order(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the researcher wants done.

    Attributes:
        what: ``message``, ``pause``, ``resume``, ``end``, ``close``, ``open``, ``erase``,
            ``create``, ``approve``, ``bonus``, ``exclude``, ``readmit``, ``clear``, ``tell`` or
            ``decide``.
        submission: at Prolific; empty for none.
        text: of a message, or why somebody is excluded or something decided.
        roles: who reads the message; empty for all.
        amount: of a bonus, such as ``1.50``.
        piece: number of the unit that is decided on.
        candidate: of the unit, by its id.
    """

    what: str
    session: str = ""
    participant: str = ""
    submission: str = ""
    text: str = ""
    roles: list[str] = []
    amount: str = ""
    purpose: str = "bonus"
    piece: int = -1
    candidate: str = ""
    answer: str = ""
    by: str = ""


class Monitor(Pages):
    """Answers what the researcher's pages ask for."""

    def __init__(
        self, rooms: Rooms, desk: Desk, forgetting: Forgetting, prolific: AtProlific
    ) -> None:
        super().__init__(rooms, desk)
        self._forgetting = forgetting
        self._prolific = prolific

    async def show(self, request: Request) -> Response:
        """Shows the page of all that goes on."""
        at = self._prolific
        shown = {"data": self._standing(), "at_prolific": at.is_on, "may_create": at.may_create}
        return self._page(request, "monitor.html", **shown)

    async def data(self, request: Request) -> Response:  # noqa: ARG002 - Starlette's
        """Tells all that goes on, for the page to renew itself."""
        return JSONResponse(self._standing())

    async def submissions(self, request: Request) -> Response:  # noqa: ARG002 - Starlette's
        """Tells how the study stands at Prolific."""
        return JSONResponse(await self._prolific.look())

    async def adjudicate(self, request: Request) -> Response:
        """Shows the units on which people differ, to decide on them."""
        if not any((each / DISPUTES).is_file() for each in self.rooms.folders):
            raise HTTPException(404)
        return self._page(request, DISPUTES, data=self._disputes())

    async def disputes(self, request: Request) -> Response:  # noqa: ARG002 - Starlette's
        """Tells the units on which people differ, with all votes, for the page to renew itself."""
        return JSONResponse(self._disputes())

    def _disputes(self) -> dict[str, Any]:
        return {**describe_disputes(self.desk.hall.ledger), "pictures": "/picture/"}

    async def watch(self, request: Request) -> Response:
        """Shows a game as it is played, from every seat, to look at only."""
        sid = request.path_params["sid"]
        if sid in self.desk.hall.ledger.sessions:
            data = self._describe(self.desk.hall.ledger.session(sid))
        else:
            past = await asyncio.to_thread(read_session, self.rooms.study, sid)
            data = {**self._describe(past), "over": True}
        return self._page(request, "watch.html", sid=sid, data=data)

    async def watch_data(self, request: Request) -> Response:
        """Tells what every seat of a session sees, or that it is over."""
        sid = request.path_params["sid"]
        session = self.desk.hall.ledger.sessions.get(sid)
        return JSONResponse({"over": True} if session is None else self._describe(session))

    async def people(self, request: Request) -> Response:
        """Shows a row for each participant, a page of them at a time."""
        return self._page(request, "people.html", data=self._table(request))

    async def people_data(self, request: Request) -> Response:
        """Tells a page of the participants' rows, sorted by a column."""
        return JSONResponse(self._table(request))

    async def person_data(self, request: Request) -> Response:
        """Tells which sessions a participant had, what was written to them and noted for them."""
        ledger = self.desk.hall.ledger
        person = ledger.person(request.path_params["pid"])
        sessions = ledger.work.list_sessions(person.pid)
        told = {"told": person.told, "bonuses": person.bonuses}
        return JSONResponse({"sessions": msgspec.to_builtins(sessions), **told})

    def _table(self, request: Request) -> dict[str, Any]:
        asked = request.query_params
        page = asked.get("page", "0")
        return describe_page(
            self.desk.hall,
            by=asked.get("sort", ""),
            down=asked.get("down") == "1",
            page=int(page) if page.isascii() and page.isdigit() and len(page) < 7 else 0,
            now_us=self.desk.clock(),
        )

    async def act(self, request: Request) -> Response:
        """Does what the researcher wants done."""
        # Pages of other sites can send forms, but no JSON.
        if request.headers.get("content-type", "").partition(";")[0] != "application/json":
            raise HTTPException(415)
        try:
            order = msgspec.json.decode(await read_body(request, LONGEST_ORDER), type=Order)
        except msgspec.DecodeError as error:
            raise UsageError(f"That is not a sort order: {error}.") from error
        self.desk.check()
        if order.what == "bonus":
            paid = await self._reward(order)
            return JSONResponse({"done": order.what, "before": not paid})
        await self._carry_out(order)
        return JSONResponse({"done": order.what})

    async def _reward(self, order: Order) -> bool:
        """Pays a bonus through Prolific, or notes it in the payment table; says whether it did."""
        if order.submission:
            return await self._prolific.pay(order.submission, order.amount, order.purpose)
        person = self.desk.hall.ledger.person(order.participant)
        if self._prolific.serves(person.platform):
            return await self._prolific.reward(person.pid, order.amount, order.purpose)
        cents, give = read_cents(order.amount), self.desk.hall.give_bonus
        effects = await self.desk.do(give, person.pid, cents, order.purpose)
        return bool(effects.events)

    async def _carry_out(self, order: Order) -> None:
        do, hall, on_person = self.desk.do, self.desk.hall, order.participant
        match order.what:
            case "message":
                await do(hall.message, order.session, order.text, order.roles)
            case "pause" | "resume":
                await do(hall.pause, order.session, order.what == "pause")
            case "decide":
                made = (order.piece, order.candidate, order.answer, order.by, order.text)
                await do(hall.decide, ModeratorDecided(*made))
            case "close" | "open":
                await do(hall.close, order.what == "close")
            case "end":
                await do(hall.end, order.session)
            case "exclude" | "readmit":
                await do(hall.exclude, on_person, order.text, on=order.what == "exclude")
            case "clear":
                await do(hall.clear, on_person)
            # On the person's page, but for Prolific's people.
            case "tell" if self._prolific.serves(hall.ledger.person(on_person).platform):
                await self._prolific.tell(on_person, order.text)
            case "tell":
                await do(hall.tell, on_person, order.text)
            case "erase":
                await self._forgetting.erase(hall.ledger.person(on_person).pid)
            case "create":
                await self._prolific.create()
            case "approve":
                await self._prolific.approve(order.submission)
            case _:
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

    def _describe(self, session: LiveSession) -> dict[str, Any]:
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
            Route("/prolific.json", monitor.submissions, methods=["GET"]),
            Route("/people", monitor.people, methods=["GET"]),
            Route("/people.json", monitor.people_data, methods=["GET"]),
            Route("/people/{pid}.json", monitor.person_data, methods=["GET"]),
            Route("/adjudicate", monitor.adjudicate, methods=["GET"]),
            Route("/adjudicate.json", monitor.disputes, methods=["GET"]),
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
