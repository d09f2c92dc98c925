"""The participants' pages as a web application: one address per person, which shows what is on."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import parse_qsl

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket

from commonground.errors import CommongroundError, StoreError, UsageError
from commonground.explorer.web.headers import page_headers
from commonground.play.collect.identities import Identities, Identity
from commonground.play.collect.live.outbox import Effects
from commonground.play.collect.people import Participant
from commonground.play.collect.setup.recruiting import find_way_back, read_arrival
from commonground.play.rooms.admitting import (
    ArrivalLimit,
    is_proven,
    is_same_browser,
    note_browser,
)
from commonground.play.rooms.desk import Desk
from commonground.play.rooms.forgetting import Forgetting
from commonground.play.rooms.pages import Pages, read_body
from commonground.play.rooms.rendering import Rooms
from commonground.play.rooms.wire import talk

TURK_SITES = "https://www.mturk.com https://workersandbox.mturk.com https://worker.mturk.com"
LONGEST_FORM = 16_384
"""Bytes of a form; the longest of ours has a few hundred."""

_TEMPLATES = {
    "arrived": "consent.html",
    "consented": "instructions.html",
    "instructed": "practice.html",
    "waiting": "waiting.html",
    "playing": "play.html",
    "out": "exit.html",
}


class Counter(Pages):
    """Answers participants' requests.

    Args:
        rooms: the pages.
        desk: what everybody's doings go through.
        identities: knows who is who.
        forgetting: deletes everything of a person.
    """

    def __init__(
        self, rooms: Rooms, desk: Desk, identities: Identities, forgetting: Forgetting
    ) -> None:
        super().__init__(rooms, desk)
        self.identities = identities
        self.settings = rooms.study.settings
        self._forgetting = forgetting
        self._arrivals = ArrivalLimit(self.settings.recruiting.arrivals_per_hour)

    # Arriving

    async def welcome(self, request: Request) -> Response:
        """Shows the first page, or lets somebody in whom a platform sent."""
        try:
            identity = read_arrival(request.query_params, self.settings.recruiting)
        except UsageError:
            return self._problem(request, "problem.arrival", 400)
        if isinstance(identity, Identity) and identity.platform_id:
            return await self._let_in(request, identity)
        language = self.choose_language(request)
        role = request.query_params.get("role", "")
        names = {each: texts("language") for each, texts in self.rooms.texts.items()}
        shown: dict[str, Any] = {"preview": identity == "preview", "role": role, "names": names}
        return self.send_page("welcome.html", language, **shown)

    async def enter(self, request: Request) -> Response:
        """Lets somebody in who came by a plain link."""
        try:
            identity = read_arrival({}, self.settings.recruiting)
        except UsageError:
            return self._problem(request, "problem.arrival", 400)
        assert isinstance(identity, Identity)  # noqa: S101 - without parameters it is plain
        return await self._let_in(request, identity)

    async def _let_in(self, request: Request, identity: Identity) -> Response:
        self.desk.check()
        pid = self.identities.pseudonym(identity)
        known = self.desk.hall.ledger.people.get(pid)
        proves = is_proven(request, pid, identity, self.identities)
        if known is not None:
            # Before somebody agrees, nobody has begun, and there is nothing to be given away.
            is_open = known.stage == "arrived" or is_same_browser(request, pid, self.identities)
            if not (is_open or proves):
                return self._problem(request, "problem.known", 403)
        elif self._arrivals.take(request.client.host if request.client else ""):
            return self._problem(request, "problem.crowd", 429)
        self.identities.remember(pid, identity)
        effects = self.desk.hall.arrive(
            pid,
            self.desk.clock(),
            language=self.choose_language(request),
            platform=identity.platform,
            role=request.query_params.get("role"),
        )
        await self.desk.settle(effects)
        # 303: the browser asks for the new address by GET, and to reload it sends no form again.
        token = self.identities.token(pid)
        response = RedirectResponse(f"/p/{token}", 303)
        if proves:
            note_browser(request, response, token)
        return response

    # One's own page

    async def show(self, request: Request) -> Response:
        """Shows what is on for a person."""
        person = self._person(request)
        return self._stage_page(request, person)

    async def do(self, request: Request) -> Response:
        """Takes a form that a person filled in, and shows what is on then."""
        person, what = self._person(request), request.path_params["what"]
        self.desk.check()
        handler = _FORMS.get(what)
        if handler is None:
            raise HTTPException(404)
        has_begun = person.stage != "arrived"
        answer = await handler(self, request, person)
        response = answer or RedirectResponse(f"/p/{request.path_params['token']}", 303)
        if not has_begun and person.stage != "arrived":
            note_browser(request, response, request.path_params["token"])
        return response

    async def _consent(self, request: Request, person: Participant) -> Response | None:
        form = await _read_form(request)
        if form.get("agree") != "yes":
            return self._stage_page(request, person, problem="consent.missing")
        consent = self.rooms.consents[person.language]
        await self._settle(
            self.desk.hall.consent(
                person.pid, self.desk.clock(), version=consent.version, digest=consent.digest
            )
        )
        return None

    async def _quiz(self, request: Request, person: Participant) -> Response | None:
        form = await _read_form(request)
        questions = self.rooms.plan.quiz
        given = [str(form.get(question.name, "")) for question in questions]
        if not all(each.isascii() and each.isdigit() and len(each) < 3 for each in given):
            return self._stage_page(request, person, problem="quiz.missing")
        answers = [int(each) for each in given]
        if answers == [question.right for question in questions]:
            hall, now_us = self.desk.hall, self.desk.clock()
            await self._settle(hall.answer_quiz(person.pid, now_us, answers=answers, right=True))
            if not self.rooms.has_warm_up:
                await self._settle(hall.get_ready(person.pid, self.desk.clock()))
            return None
        await self._settle(
            self.desk.hall.answer_quiz(person.pid, self.desk.clock(), answers=answers, right=False)
        )
        if person.stage != "consented":
            return None
        left = self.settings.quotas.quiz_tries - person.tries
        return self._stage_page(request, person, problem="quiz.again", left=left)

    async def _practice(self, request: Request, person: Participant) -> Response | None:
        form = await _read_form(request)
        chosen = {each.name: str(form.get(each.name, "")) for each in self.rooms.plan.practice}
        return self._stage_page(request, person, chosen=chosen)

    async def _ready(self, person: Participant) -> None:
        await self._settle(self.desk.hall.get_ready(person.pid, self.desk.clock()))

    async def _leave(self, person: Participant) -> None:
        await self._settle(self.desk.hall.leave(person.pid, self.desk.clock()))

    async def _forget(self, request: Request, person: Participant) -> Response | None:
        form = await _read_form(request)
        if form.get("sure") != "yes":
            return None
        is_own = is_same_browser(request, person.pid, self.identities)
        if not is_own and not self.identities.is_receipt(person.pid, form.get("receipt", "")):
            return self._stage_page(request, person, problem="exit.receipt_wrong")
        language, code = person.language, person.code
        await self._forgetting.erase(person.pid)
        return self._erased_page(language, person.pid, code)

    def _erased_page(self, language: str, pid: str, code: str | None) -> Response:
        pending = self._forgetting.is_pending(pid)
        return self.send_page("erased.html", language, code=code, pending=pending)

    async def _settle(self, effects: Effects) -> None:
        await self.desk.settle(effects)

    def _stage_page(self, request: Request, person: Participant, **values: Any) -> Response:
        token = request.path_params["token"]
        shown: dict[str, Any] = {"problem": None, "left": 0, "chosen": None, **values}
        shown |= {"person": person, "token": token, "here": f"/p/{token}", "stage": person.stage}
        if person.stage == "arrived":
            shown["consent"] = self.rooms.consents[person.language]
        if person.stage == "playing":
            shown["with_model"] = self._tells_of_model(person)
        if person.stage in ("waiting", "playing"):
            texts = self.rooms.texts[person.language]
            shown["data"] = {
                "token": token,
                "texts": self.rooms.script_texts(texts),
                "pictures": f"/p/{token}/picture/",
                "sessions": self.settings.quotas.sessions_each,
                "language": person.language,
            }
        if person.stage == "out" and person.way_out and person.code:
            identity = self.identities.find(person.pid) or Identity(person.platform, "")
            rules = self.settings.recruiting
            shown["back"] = find_way_back(identity, person.code, rules)
            shown["again"] = self.desk.hall.limits.may_play_again(person)
            own = is_same_browser(request, person.pid, self.identities)
            shown["same_browser"] = own
            shown["receipt"] = self.identities.receipt(person.pid) if own else None
            # A name may have led somebody else to this address before the person agreed.
            shown["shows_code"] = own or identity.platform != "plain" or not identity.platform_id
        return self.send_page(_TEMPLATES[person.stage], person.language, **shown)

    def _tells_of_model(self, person: Participant) -> bool:
        """Says whether the page is to say that the partner is a model."""
        models = self.settings.models
        session = self.desk.hall.ledger.sessions.get(person.session or "")
        if models is None or session is None or not models.disclosed:
            return False
        return any(seat.model for seat in session.others(person.pid))

    async def picture(self, request: Request) -> Response:
        """Sends a picture that the study plays with, to its participants only."""
        self._person(request)
        return await super().picture(request)

    async def socket(self, websocket: WebSocket) -> None:
        """Serves a browser's connection until either side ends it."""
        await talk(websocket, self.desk, self.identities, self.settings.times.heartbeat_s)

    # What goes wrong

    async def explain(self, request: Request, error: Exception) -> Response:
        """Says what is wrong, in words for participants."""
        if isinstance(error, StoreError):
            return self._problem(request, "problem.stuck", 503)
        if isinstance(error, CommongroundError):
            # Only who was here has a token that is right; who is in no list any more was erased.
            pid = self.identities.read_token(request.path_params.get("token", ""))
            if pid is None or pid in self.desk.hall.ledger.people:
                return self._problem(request, "problem.link", 404)
            return self._erased_page(self.choose_language(request), pid, None)
        status = error.status_code if isinstance(error, HTTPException) else 500
        return self._problem(request, "problem.address", status)

    def _problem(self, request: Request, text: str, status: int) -> Response:
        return self.send_page("problem.html", self.choose_language(request), status, text=text)

    def _person(self, request: Request) -> Participant:
        pid = self.identities.read_token(request.path_params["token"])
        return self.desk.hall.ledger.person(pid or "")


async def _read_form(request: Request) -> dict[str, str]:
    # Starlette's own reader of forms needs one more package.
    data = await read_body(request, LONGEST_FORM)
    return dict(parse_qsl(data.decode("utf-8", "replace"), keep_blank_values=True))


_FORMS: dict[str, Callable[[Counter, Request, Participant], Awaitable[Response | None]]] = {
    "consent": Counter._consent,
    "quiz": Counter._quiz,
    "practice": Counter._practice,
    "ready": lambda counter, _, person: counter._ready(person),
    "leave": lambda counter, _, person: counter._leave(person),
    "erase": Counter._forget,
}


def create_app(counter: Counter) -> Starlette:
    """Makes the web application of the participants' pages."""
    return Starlette(
        routes=[
            Route("/", counter.welcome, methods=["GET"]),
            Route("/", counter.enter, methods=["POST"]),
            Route("/p/{token}", counter.show, methods=["GET"]),
            Route("/p/{token}/picture/{path:path}", counter.picture, methods=["GET"]),
            Route("/p/{token}/{what}", counter.do, methods=["POST"]),
            Route("/static/{name}", counter.static, methods=["GET"]),
            WebSocketRoute("/talk", counter.socket),
        ],
        exception_handlers={
            CommongroundError: counter.explain,
            HTTPException: counter.explain,
            Exception: counter.explain,
        },
    )


def make_headers(*, mturk: bool) -> dict[str, str]:
    """Returns the headers of every answer.

    Args:
        mturk: whether pages may be shown within those of Mechanical Turk.
    """
    frames, forms = (TURK_SITES, f"'self' {TURK_SITES}") if mturk else ("'none'", "'self'")
    headers = page_headers(form_action=forms, frame_ancestors=frames)
    return headers if mturk else {**headers, "x-frame-options": "DENY"}
