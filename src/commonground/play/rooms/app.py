"""The participants' pages as a web application: one address per person, which shows what is on."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any
from urllib.parse import parse_qsl, quote

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket

from commonground.errors import CommongroundError, StoreError, UsageError
from commonground.explorer.web.headers import page_headers
from commonground.play.collect.exports.replaying import read_session
from commonground.play.collect.identities import Identities, Identity
from commonground.play.collect.live.seating import SECOND_US, find_result
from commonground.play.collect.people import Participant
from commonground.play.collect.setup.questions import Question, When, read_answers
from commonground.play.collect.setup.recruiting import find_way_back, read_arrival
from commonground.play.collect.setup.study import write_money
from commonground.play.rooms.admitting import ArrivalLimit, Browsers, is_proven
from commonground.play.rooms.desk import Desk
from commonground.play.rooms.forgetting import Forgetting
from commonground.play.rooms.pages import Pages, read_body
from commonground.play.rooms.rendering import Rooms
from commonground.play.rooms.wire import talk

TURK_SITES = "https://www.mturk.com https://workersandbox.mturk.com https://worker.mturk.com"
LONGEST_FORM = 16_384
"""Bytes of a form; the longest of ours has a few hundred."""

FAULTS = ("pictures", "width", "line", "storage", "sound")
"""What a browser may not be able to do."""

MEASURED = ("width_px", "line_ms", "pictures")
"""Numbers that a device check tells."""

LEAST_WIDTH_PX = 320
"""Width that all pages fit in."""

_TEMPLATES = {
    "arrived": "consent.html",
    "consented": "instructions.html",
    "instructed": "practice.html",
    "waiting": "waiting.html",
    "playing": "play.html",
    "out": "exit.html",
}


class Counter(Pages):
    """Answers what the browsers of participants ask for."""

    def __init__(
        self, rooms: Rooms, desk: Desk, identities: Identities, forgetting: Forgetting
    ) -> None:
        super().__init__(rooms, desk)
        self.identities = identities
        self._browsers = Browsers(identities)
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
        place = self._find_place(request) if isinstance(identity, Identity) else None
        if place is not None:
            return place
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
            is_open = known.stage == "arrived" or self._browsers.is_own(request, pid)
            if not (is_open or proves):
                return self._problem(request, "problem.known", 403)
        elif identity.platform == "plain" and not proves and (place := self._find_place(request)):
            return place
        elif self._arrivals.take(request.client.host if request.client else ""):
            return self._problem(request, "problem.crowd", 429)
        self.identities.remember(pid, identity)
        mark = self._browsers.read_mark(request) or secrets.token_hex(16)
        await self.desk.do(
            self.desk.hall.arrive,
            pid,
            language=self.choose_language(request),
            platform=identity.platform,
            role=request.query_params.get("role"),
            browser=self.identities.browser(mark),
        )
        # 303: the browser asks for the new address by GET, and to reload it sends no form again.
        token = self.identities.token(pid)
        response = RedirectResponse(f"/p/{token}", 303)
        self._browsers.set_mark(request, response, mark)
        if proves:
            self._browsers.note(request, response, token)
        return response

    def _find_place(self, request: Request) -> Response | None:
        """Leads a browser to whoever began in it by a plain link; None where nobody did."""
        browser = self._browsers.find(request)
        people = [
            person
            for person in self.desk.hall.ledger.people.values()
            if browser is not None
            and person.browser == browser
            and person.platform == "plain"
            # One who is out is still the same person, unless people share their browsers.
            and (person.stage != "out" or not self.settings.recruiting.shared_browsers)
        ]
        if not people:
            return None
        return RedirectResponse(f"/p/{self.identities.token(people[-1].pid)}", 303)

    # One's own page

    async def show(self, request: Request) -> Response:
        """Shows what is on for a person."""
        person = self._person(request)
        line = self.desk.lines.get(person.connection or 0)
        if line is not None:
            line.reloads = True
        played = self.desk.hall.ledger.work.list_sessions(person.pid)
        last = next((each for each in reversed(played) if each.ended == "completed"), None)
        # What the last game came to is in the log, if the server did not see it.
        is_lost = person.way_out == "completed" and person.result is None
        if is_lost and last is not None and last.seconds is not None:
            ended_us = last.created_us + round(last.seconds * SECOND_US)
            # A game of other rules, or of somebody who was erased, cannot be played again.
            with suppress(CommongroundError):
                session = await asyncio.to_thread(read_session, self.rooms.study, last.session)
                person.result = find_result(session, ended_us)
        return self._stage_page(request, person)

    async def do(self, request: Request) -> Response:
        """Takes a form that a person filled in, and shows what is on then."""
        person, what = self._person(request), request.path_params["what"]
        self.desk.check()
        has_begun, hall = person.stage != "arrived", self.desk.hall
        answer: Response | None = None
        if what in ("ready", "leave"):
            act = hall.get_ready if what == "ready" else hall.leave
            await self.desk.do(act, person.pid)
        elif what in _FORMS:
            answer = await _FORMS[what](self, request, person)
        else:
            raise HTTPException(404)
        response = answer or RedirectResponse(f"/p/{request.path_params['token']}", 303)
        if not has_begun and person.stage != "arrived":
            self._browsers.note(request, response, request.path_params["token"])
        return response

    async def _consent(self, request: Request, person: Participant) -> Response | None:
        form = await _read_form(request)
        if form.get("agree") != "yes":
            return self._stage_page(request, person, problem="consent.missing")
        consent = self.rooms.consents[person.language]
        await self.desk.do(
            self.desk.hall.consent,
            person.pid,
            version=consent.version,
            digest=consent.digest,
            browser=self._browsers.find(request),
        )
        return None

    def _find_asked(self, person: Participant) -> When | None:
        """Says which of the researcher's own questions are to be asked now; None for none."""
        when: When | None = None
        if person.stage == "consented":
            when = "before"
        elif person.stage == "out" and person.way_out == "completed":
            when = "after"
        is_new = when is not None and when not in person.answered
        return when if is_new and self._list_questions(when) else None

    def _list_questions(self, when: When | None) -> list[Question]:
        return [each for each in self.settings.questions if each.when == when]

    async def _questions(self, request: Request, person: Participant) -> Response | None:
        when = self._find_asked(person)
        if when is None:
            return None
        form = await _read_form(request)
        answers, missing = read_answers(self._list_questions(when), form)
        # Nobody has to answer for the code, or for having their data deleted.
        if missing and not (when == "after" and form.get("skip") == "yes"):
            problem = "questions.missing"
            return self._stage_page(request, person, problem=problem, answers=answers)
        hall = self.desk.hall
        await self.desk.do(hall.answer_questions, person.pid, when=when, answers=answers)
        return None

    async def _quiz(self, request: Request, person: Participant) -> Response | None:
        form = await _read_form(request)
        questions = self.rooms.plan.quiz
        given = [str(form.get(question.name, "")) for question in questions]
        if not all(each.isascii() and each.isdigit() and len(each) < 3 for each in given):
            return self._stage_page(request, person, problem="quiz.missing")
        answers = [int(each) for each in given]
        right = answers == [question.right for question in questions]
        hall = self.desk.hall
        await self.desk.do(hall.answer_quiz, person.pid, answers=answers, right=right)
        if right and not self.rooms.has_warm_up:
            await self.desk.do(hall.get_ready, person.pid)
        if right or person.stage != "consented":
            return None
        left = self.settings.quotas.quiz_tries - person.tries
        named = dict(zip((each.name for each in questions), answers, strict=True))
        wrong = {each.name for each in questions if named[each.name] != each.right}
        return self._stage_page(
            request, person, problem="quiz.again", left=left, wrong=wrong, given=named
        )

    async def _device(self, request: Request, person: Participant) -> Response | None:
        form = await _read_form(request)
        failed = [each for each in form.get("failed", "").split() if each in FAULTS]
        measured = {}
        for name in MEASURED:
            value = form.get(name, "")
            if value.isascii() and value.isdigit() and len(value) < 8:
                measured[name] = float(value)
        hall = self.desk.hall
        await self.desk.do(hall.check_device, person.pid, failed=failed, measured=measured)
        return Response(status_code=204)

    async def _practice(self, request: Request, person: Participant) -> Response | None:
        form = await _read_form(request)
        chosen = {each.name: str(form.get(each.name, "")) for each in self.rooms.plan.practice}
        return self._stage_page(request, person, chosen=chosen)

    async def _forget(self, request: Request, person: Participant) -> Response | None:
        form = await _read_form(request)
        if form.get("sure") != "yes":
            return None
        is_own = self._browsers.is_own(request, person.pid)
        if not is_own and not self.identities.is_receipt(person.pid, form.get("receipt", "")):
            return self._stage_page(request, person, problem="exit.receipt_wrong")
        # By it the person is paid whose name is not known any more.
        owed = self._total(person)
        receipt = person.code if owed and person.platform != "prolific" else None
        # With its code somebody ends the submission that Prolific still has open.
        code = person.code if person.platform == "prolific" else None
        await self._forgetting.erase(person.pid)
        return self._erased_page(person.language, person.pid, receipt=receipt, code=code)

    def _erased_page(
        self, language: str, pid: str, *, receipt: str | None = None, code: str | None = None
    ) -> Response:
        pending = self._forgetting.is_pending(pid)
        return self.send_page("erased.html", language, receipt=receipt, code=code, pending=pending)

    def _total(self, person: Participant) -> float:
        """Returns what somebody is paid in all, with bonuses that are paid like the rest."""
        noted = sum(person.bonuses.values()) / 100
        return self.settings.payment.total_of(person.earned) + noted

    def _stage_page(self, request: Request, person: Participant, **values: Any) -> Response:
        token = request.path_params["token"]
        shown: dict[str, Any] = {"problem": None, "left": 0, "chosen": None}
        shown |= {"answers": {}, "wrong": frozenset(), "given": {}, **values}
        shown |= {"person": person, "token": token, "here": f"/p/{token}", "stage": person.stage}
        payment = self.settings.payment
        shown["paid"] = not payment.unpaid
        shown["pay"] = lambda way_out: write_money(
            payment, payment.amount_of(way_out), person.language
        )
        shown["device"] = None
        if person.stage == "consented" and self.settings.device_check and not person.fit:
            shown["device"] = {
                "token": token,
                "pictures": [f"/p/{token}/picture/{quote(each)}" for each in self.rooms.samples],
                "width_px": self.settings.least_width_px or LEAST_WIDTH_PX,
                "sound": not self.rooms.alone,
            }
        if person.stage == "arrived":
            shown["consent"] = self.rooms.consents[person.language]
        if person.stage == "playing":
            shown["with_model"] = self._tells_of_model(person)
            shown["by_piece"] = self.desk.hall.ledger.assignments is not None
        if person.stage in ("waiting", "playing"):
            shown["data"] = {
                "token": token,
                "texts": self.rooms.texts[person.language].below("script"),
                "pictures": f"/p/{token}/picture/",
                "sessions": self.settings.quotas.sessions_each,
                "ready_ms": round(self.settings.times.ready_s * 1000),
                "heartbeat_ms": round(self.settings.times.heartbeat_s * 1000),
                "language": person.language,
            }
        if person.stage == "out" and person.way_out and person.code:
            identity = self.identities.find(person.pid) or Identity(person.platform, "")
            rules = self.settings.recruiting
            in_full = payment.class_of(person.way_out) == "full" or bool(person.completed)
            shown["back"] = find_way_back(identity, person.code, rules, in_full=in_full)
            shown["again"] = self.desk.hall.limits.may_play_again(person)
            own = self._browsers.is_own(request, person.pid)
            shown["same_browser"] = own
            total = self._total(person)
            shown["total"] = write_money(payment, total, person.language)
            # Whoever refused, and is not paid, has nothing to keep and nothing to show.
            took_part = person.agreed or total > 0
            shown["receipt"] = self.identities.receipt(person.pid) if own else None
            # A name may have led somebody else to this address before the person agreed.
            is_open = own or identity.platform != "plain" or not identity.platform_id
            shown["code"] = None if not took_part else "shown" if is_open else "elsewhere"
        session = self.desk.hall.ledger.sessions.get(person.session or "")
        # Of a game that has not begun nothing is shown.
        shown["asked"] = session is not None and session.asks and not session.started
        template = "waiting.html" if shown["asked"] else _TEMPLATES[person.stage]
        if when := self._find_asked(person):
            template = "questions.html"
            shown |= {"when": when, "questions": self._list_questions(when)}
        return self.send_page(template, person.language, **shown)

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
            return self._erased_page(self.choose_language(request), pid)
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
    "questions": Counter._questions,
    "quiz": Counter._quiz,
    "device": Counter._device,
    "practice": Counter._practice,
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
    """Returns the headers of every answer; with ``mturk``, Mechanical Turk may frame the pages."""
    frames, forms = (TURK_SITES, f"'self' {TURK_SITES}") if mturk else ("'none'", "'self'")
    headers = page_headers(form_action=forms, frame_ancestors=frames)
    return headers if mturk else {**headers, "x-frame-options": "DENY"}
