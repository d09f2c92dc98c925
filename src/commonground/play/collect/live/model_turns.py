"""What language models do that hold seats: asked, heard, and their acts taken by the rules.

Nothing here speaks to a model. The caller reports each request and each
answer, so that the log alone says what a model has decided, also after a restart.
"""

from __future__ import annotations

from typing import Any

from commonground.play.collect import events
from commonground.play.collect.live.acting import Acting
from commonground.play.collect.live.outbox import Outbox
from commonground.play.collect.live.seating import Seating
from commonground.play.collect.setup.partners import Decision, Models
from commonground.play.scenario import Act


class ModelTurns:
    """Sessions in which models act, too, by the same rules as people."""

    def __init__(
        self, settings: Models | None, out: Outbox, seating: Seating, acting: Acting
    ) -> None:
        self._settings = settings
        self._ledger = out.ledger
        self._out = out
        self._seating = seating
        self._acting = acting

    def may_ask(self, sid: str) -> bool:
        """Says whether a model of a session may be asked again, for all that it has cost."""
        models, session = self._settings, self._ledger.sessions.get(sid)
        if models is None or session is None or models.is_spent(self._ledger.spent):
            return False
        return models.session_cost is None or session.spent < models.session_cost

    def ask(
        self,
        sid: str,
        role: str,
        *,
        text: str,
        pictures: list[str],
        tools: list[str],
        told: str | None = None,
    ) -> None:
        """Notes that a model is about to be asked.

        Args:
            sid: of a session that is under way.
            text: what it sees.
            pictures: names of those that it sees.
            tools: types of the acts that are allowed.
            told: the instructions; None where the log has them already.
        """
        session = self._ledger.session(sid)
        seat = session.seats[role]
        request = events.AgentRequest(
            number=seat.asked + 1,
            model=seat.model,
            prompt=self._seating.prompt,
            text=text,
            pictures=pictures,
            tools=tools,
            told=told,
        )
        self._out.log(request, session=session, seat=seat)

    def hear(
        self,
        sid: str,
        role: str,
        reply: Any,
        usage: dict[str, int],
        cost: float,
        decided: Decision | None,
    ) -> None:
        """Notes what a model answered; of a session that is over, only what it cost.

        Args:
            reply: what it said, as inspect_ai has it.
            usage: tokens, by kind.
            decided: what it means; None where it cannot be read.
        """
        session = self._ledger.sessions.get(sid)
        if session is None:
            # In the lobby: nothing may come after the end of a session, and what it cost must be
            # counted.
            self._out.log(events.AgentLate(sid, usage, cost))
            return
        seat = session.seats[role]
        answer = (seat.asked, seat.model, reply, usage, cost)
        what = (
            events.AgentParseError(*answer)
            if decided is None
            else events.AgentReply(*answer, decided)
        )
        self._out.log(what, session=session, seat=seat)

    def move(self, sid: str, role: str) -> None:
        """Does what a model has decided, by the rules that hold for people.

        The session must be under way, and the model have decided on an act.
        """
        session = self._ledger.session(sid)
        seat = session.seats[role]
        decided = seat.decided
        assert decided is not None  # noqa: S101 - asked for above
        act = Act(decided.type, role, decided.payload, self._out.tick_us(), decided.round)
        self._acting.log_act(session, seat, act, client_msg_id=decided.msg_id)
        if session.scenario.is_over(session.state):
            self._seating.complete(session)

    def type(self, sid: str, role: str) -> None:
        """Notes that a model types, so that its partner sees that something is coming."""
        session = self._ledger.session(sid)
        if not session.seats[role].typing:
            seat = session.seats[role]
            self._out.log(events.ChatTyping(True), session=session, seat=seat)

    def dismiss(self, sid: str, role: str, reason: str, why: str) -> None:
        """Ends a session because its model cannot go on; the people in it lose nothing.

        Args:
            sid: of a session that is under way.
            reason: ``cost``, ``provider``, ``unreadable``, ``refused``, ``late``, ``silent``,
                ``endless`` or ``fault``.
            why: the same in words, for the researcher.
        """
        session = self._ledger.session(sid)
        self._out.log(events.AgentLeft(reason, why), session=session, seat=session.seats[role])
        self._seating.end(session, "partner_left", {})
