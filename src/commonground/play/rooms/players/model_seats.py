"""Language models in the seats of a study that is served: one task for each seat, in its loop.

What a model was asked and what it answered is in the log before anything comes of it, so that a
server that was killed goes on where it stood. Providers, retries and connections are inspect_ai's.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import Iterable
from typing import TYPE_CHECKING

import msgspec

from commonground.play.collect.events import ActRefused, Event, SessionPaired
from commonground.play.collect.live.sessions import LiveSession
from commonground.play.collect.setup.partners import Decision
from commonground.play.collect.setup.stock import list_texts
from commonground.play.collect.setup.study import Study
from commonground.play.player import Moment, Move, Wait
from commonground.play.rooms.desk import RETRY_S, Desk, StuckError
from commonground.play.rooms.players import models
from commonground.play.rooms.players.model_answers import (
    NO_ACT,
    NoAct,
    read_move,
    write_note,
    write_said,
)
from commonground.play.rooms.players.model_words import load_words
from commonground.play.scenario import CHAT, Refusal
from commonground.play.scenarios import get_scenario
from commonground.printing import count_of
from commonground.reply_outcomes import OVERFLOW

if TYPE_CHECKING:
    from inspect_ai.model import GenerateConfig, ModelOutput

SECOND_US = 1_000_000
MOST_CONNECTIONS = 200
"""Answers of one provider that may be waited for at once."""

MOST_TRIES = 5
"""How often a provider that fails is asked again for one answer."""

MOST_WAITS = 40
"""Times in a row that a model may wait, though nothing happens, until its session is given up.

It is not given up before ``longest_silence_s`` has gone by as well: a person may be thinking.
"""

LONGEST_WHY = 500
"""Characters that are kept of what a provider says is wrong."""


class _LeaveError(Exception):
    """A model cannot go on."""

    def __init__(self, reason: str, why: str) -> None:
        super().__init__(why)
        self.reason = reason
        self.why = why[:LONGEST_WHY]


class ModelSeats:
    """Plays all seats of a study in which models sit.

    Raises:
        UsageError: inspect_ai is not installed, a model cannot be opened or cannot be shown the
            pictures that there are, or the scenario has no instructions.
    """

    def __init__(self, desk: Desk, study: Study) -> None:
        settings = study.settings.models
        assert settings is not None  # noqa: S101 - nobody asks for them otherwise
        scenario = get_scenario(study.settings.scenario)
        self.desk = desk
        self.settings = settings
        if study.images is not None and study.stock.pictures:
            for name in settings.names:
                models.refuse_blind_model(name, "To let it play,")
        self.models = {name: models.open_model(name) for name in settings.names}
        self._briefing = models.write_briefing(scenario)
        self.words = load_words(scenario)
        self._pictures = models.ModelPictures(study.images)
        self._news: dict[str, asyncio.Event] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        desk.hall.seating.prompt = (
            f"{models.PROMPT_VERSION}-{models.hash_prompts(scenario, settings.answers)}"
        )
        desk.heard = self.hear

    async def run(self) -> None:
        """Plays until cancelled, sessions first that were under way when the server ended."""
        try:
            for session in self.desk.hall.ledger.sessions.values():
                self._begin(session)
            # An event that nobody sets: this waits until it is cancelled.
            await asyncio.Event().wait()
        finally:
            for task in self._tasks:
                task.cancel()

    def hear(self, events: Iterable[Event]) -> None:
        """Follows what was written down: models sit down, or see that something happened."""
        for event in events:
            session = self.desk.hall.ledger.sessions.get(event.session)
            if isinstance(event.what, SessionPaired) and session is not None:
                self._begin(session)
            elif event.session in self._news:
                self._news[event.session].set()

    def _begin(self, session: LiveSession) -> None:
        for seat in session.seats.values():
            if seat.model and seat.model in self.models:
                news = self._news.setdefault(session.sid, asyncio.Event())
                task = asyncio.create_task(_Sitter(self, session.sid, seat.role, news).run())
                # asyncio itself holds tasks weakly only: one that nobody keeps may be collected as
                # it runs.
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)

    def leave(self, sid: str) -> None:
        """Forgets a session that is over."""
        self._news.pop(sid, None)

    def prepare(self, moment: Moment, note: str | None) -> models.Asking:
        """Returns what a model is asked with."""
        form = self.settings.answers
        return models.write_asking(self._briefing, self._pictures, moment, note, form, self.words)

    def config(self) -> GenerateConfig:
        """Returns how often and how long a provider is asked for one answer."""
        from inspect_ai.model import GenerateConfig

        return GenerateConfig(
            max_retries=MOST_TRIES,
            timeout=max(1, round(self.settings.longest_silence_s)),
            max_connections=MOST_CONNECTIONS,
        )


class _Sitter:
    def __init__(self, owner: ModelSeats, sid: str, role: str, news: asyncio.Event) -> None:
        self._owner = owner
        self._desk = owner.desk
        self._hall = owner.desk.hall
        self._sid, self._role, self._news = sid, role, news
        self._failed = 0
        self._waits = 0
        self._quiet_us = 0  # since when nothing has happened
        self._note: str | None = None
        self._said = ""

    async def run(self) -> None:
        """Plays until the session is over."""
        try:
            while self._session is not None:
                # Before the session is looked at: what happens from here on ends the next wait.
                self._news.clear()
                await self._step(self._session)
        except _LeaveError as error:
            await self._dismiss(error.reason, error.why)
        except StuckError:
            pass  # nothing can be written any more, and the server ends
        except Exception as error:
            logging.getLogger(__name__).exception("A model of session %s broke down.", self._sid)
            await self._dismiss("fault", repr(error)[:LONGEST_WHY])
        finally:
            self._owner.leave(self._sid)

    @property
    def _session(self) -> LiveSession | None:
        return self._hall.ledger.sessions.get(self._sid)

    async def _dismiss(self, reason: str, why: str) -> None:
        if self._session is not None:
            await self._desk.do(self._hall.models.dismiss, self._sid, self._role, reason, why)

    async def _wait(self, until_us: int | None = None) -> None:
        if until_us is None:
            await self._news.wait()
            return
        left_s = (until_us - self._desk.clock()) / SECOND_US
        try:
            await asyncio.wait_for(self._news.wait(), max(left_s, 0))
        except TimeoutError:
            return

    async def _step(self, session: LiveSession) -> None:
        now_us, decided = self._desk.clock(), session.seats[self._role].decided
        if self._desk.stuck is not None:
            await asyncio.sleep(RETRY_S)
        elif not session.started or session.paused:
            await self._wait()
        elif decided is not None and decided.type and self._holds(session, decided):
            await self._carry_out(decided, now_us)
        else:
            await self._decide(session, decided, now_us)

    def _holds(self, session: LiveSession, decided: Decision) -> bool:
        """Says whether a decision can still be carried out, for all that people did since."""
        allowed = session.scenario.allowed(session.state, self._role)
        in_round = session.scenario.view(session.state, self._role)["round"]
        return decided.round == in_round and any(each.type == decided.type for each in allowed)

    async def _carry_out(self, decided: Decision, now_us: int) -> None:
        """Does what was decided, when a person would have typed it."""
        if now_us < decided.due_us:
            if decided.type == CHAT:
                await self._desk.do(self._hall.models.type, self._sid, self._role)
                if self._session is None:
                    return
            # News end the wait as well: the next step looks whether the act is still due.
            await self._wait(decided.due_us)
            return
        effects = await self._desk.do(self._hall.models.move, self._sid, self._role)
        self._note = None
        refused = next((e.what for e in effects.events if isinstance(e.what, ActRefused)), None)
        if refused is None:
            self._failed = 0
            return
        self._fail("refused", f"Its acts are refused ({refused.code}).")
        if self._session is not None:
            refusal = Refusal(refused.code, refused.kind)
            moment = self._look(self._session, now_us, refusal)
            tried = Move(decided.type, decided.payload, 0.0)
            why = models.explain_refusal(self._owner.words, moment, tried)
            self._note = write_note(self._said, why, self._owner.settings.answers)

    def _look(self, session: LiveSession, now_us: int, refusal: Refusal | None = None) -> Moment:
        view = session.scenario.view(session.state, self._role)
        allowed = session.scenario.allowed(session.state, self._role)
        return Moment(self._role, view, allowed, now_us, refusal=refusal)

    def _fail(self, reason: str, why: str, *, at_once: bool = False) -> None:
        self._failed += 1
        if at_once or self._failed >= models.MOST_UNREADABLE:
            raise _LeaveError(reason, f"{why} {count_of(self._failed, 'time')} in a row.")

    async def _decide(self, session: LiveSession, waits: Decision | None, now_us: int) -> None:
        allowed = session.scenario.allowed(session.state, self._role)
        if not allowed:
            await self._wait()
            return
        moment = self._look(session, now_us)
        shown = msgspec.json.encode((moment.view, [each.type for each in allowed]))
        # What tells this moment apart from others that the model saw.
        seen = hashlib.sha256(shown).hexdigest()[:16]
        if waits is not None and waits.seen == seen and now_us < waits.due_us:
            await self._wait(waits.due_us)
            return
        if waits is None or waits.seen != seen:
            self._waits, self._quiet_us = 0, now_us
        else:
            self._waits += 1
        quiet_s = (now_us - self._quiet_us) / SECOND_US
        if self._waits >= MOST_WAITS and quiet_s >= self._owner.settings.longest_silence_s:
            # Its partner may wait as well; nobody else would ever end this, and each request costs.
            raise _LeaveError("silent", f"It waited {self._waits} times in a row, {quiet_s:.0f} s.")
        if session.seats[self._role].asked >= models.MOST_CALLS:
            raise _LeaveError("endless", f"It was asked {models.MOST_CALLS:,} times.")
        if not self._hall.models.may_ask(self._sid):
            raise _LeaveError("cost", "The limit of cost is reached.")
        await self._ask(session.seats[self._role].model, moment, seen)

    async def _ask(self, name: str, moment: Moment, seen: str) -> None:
        # A view is large, and its pictures are read and made small: people need not wait for it.
        asking = await asyncio.to_thread(self._owner.prepare, moment, self._note)
        session = self._session
        if session is None:
            return
        asked_us = self._desk.clock()
        await self._desk.do(
            self._hall.models.ask,
            self._sid,
            self._role,
            text=asking.seen,
            pictures=list(asking.pictures),
            tools=[each.type for each in moment.allowed],
            told=asking.instructions if session.seats[self._role].asked == 0 else None,
        )
        output = await self._generate(name, asking)
        usage = {}
        if output.usage is not None:
            usage["input_tokens"] = output.usage.input_tokens
            usage["output_tokens"] = output.usage.output_tokens
        self._said = write_said(output)
        read = self._read(output, moment, seen, asked_us)
        decided = None if isinstance(read, NoAct) else read
        reply = output.model_dump(mode="json", exclude_none=True)
        cost = self._owner.settings.cost_of(name, usage)
        hear = self._hall.models.hear
        await self._desk.do(hear, self._sid, self._role, reply, usage, cost, decided)
        self._note = None
        if isinstance(read, NoAct):
            why = NO_ACT[read.outcome]
            at_once = read.outcome == OVERFLOW
            self._fail("unreadable", f"{why[0].upper()}{why[1:]},", at_once=at_once)
            self._note = write_note(self._said, read.why, self._owner.settings.answers)

    async def _generate(self, name: str, asking: models.Asking) -> ModelOutput:
        model, most_s = self._owner.models[name], self._owner.settings.longest_silence_s
        offer = asking.offer
        config = offer.configure(self._owner.config())
        try:
            asked = model.generate(asking.messages(), offer.tools, offer.choice, config)
            return await asyncio.wait_for(asked, most_s)
        except TimeoutError:
            raise _LeaveError("late", f"{name} did not answer in {most_s:g} s.") from None
        except Exception as error:  # providers raise whatever they like
            raise _LeaveError(
                "provider", f"{name} does not answer: {models.describe_failure(error)}"
            ) from error

    def _read(
        self, output: ModelOutput, moment: Moment, seen: str, asked_us: int
    ) -> Decision | NoAct:
        """Returns what a model's answer means, or why it is no act.

        What the model itself takes counts as thinking and typing.
        """
        form = self._owner.settings.answers
        move, session = read_move(output, moment.allowed, form), self._session
        if isinstance(move, NoAct):
            return move
        settings = self._owner.settings
        number = session.seats[self._role].asked if session is not None else 0
        in_round = moment.view["round"]
        if isinstance(move, Wait):
            due_us = self._desk.clock() + round(settings.idle_s * SECOND_US)
            kind, payload = "", {}
        else:
            written = sum(len(each) for each in list_texts(move.payload))
            due_us = asked_us + round(settings.delay_s(written) * SECOND_US)
            kind, payload = move.type, models.name_pictures(move, moment)
        return Decision(
            number=number, type=kind, payload=payload, round=in_round, due_us=due_us, seen=seen
        )
