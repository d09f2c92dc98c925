"""The waiting room: at its door is drawn who meets a model, and in it people are paired."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

from commonground.play.collect.events import LOBBY, ParticipantReady
from commonground.play.collect.live.limits import Limits
from commonground.play.collect.live.outbox import Outbox
from commonground.play.collect.live.pairing import Pairing, pair_people
from commonground.play.collect.live.seating import SECOND_US, Seating
from commonground.play.collect.people import Participant
from commonground.play.collect.setup.partners import draw_condition, draw_partner, name_condition
from commonground.play.collect.setup.study import Settings


class WaitingRoom:
    """Who waits, and for whom."""

    def __init__(self, settings: Settings, out: Outbox, limits: Limits, seating: Seating) -> None:
        self._settings = settings
        self._ledger = out.ledger
        self._out = out
        self._limits = limits
        self._seating = seating

    def enter(self, person: Participant) -> None:
        """Lets somebody in; who plays alone has nobody to wait for."""
        self._out.log(self._draw_partner(person), pid=person.pid)
        person.seen_us = self._out.now_us
        if self._limits.is_for_one:
            self.pair()

    def pair(self) -> None:
        """Seats those of the people who are there that may play with each other, or alone."""
        present_us = self._out.now_us - int(self._settings.times.present_s * SECOND_US)
        waiting = [
            person
            for person in self._ledger.people.values()
            if person.stage == "waiting"
            and (person.connection is not None or self._limits.is_for_one)
            and person.seen_us >= present_us
            and person.sessions < self._settings.quotas.sessions_each
        ]
        roles = self._ledger.scenario.roles
        if self._ledger.assignments is not None:
            for person in waiting:
                found = self._limits.find_next(person)
                if found is not None:
                    self._seating.begin(found)
            return
        waiting = self._pair_with_models(waiting)
        if len(waiting) < len(roles):
            return
        # By the number of the lobby's last event: the log has all that chance was drawn from.
        rng = Random(f"{self._settings.seed}:{self._ledger.seqs[LOBBY]}")
        pairing = self._seat_some(waiting, roles, rng, {})
        for refused in pairing.refused:
            if (*refused.people, refused.reason) not in self._ledger.refused_pairs:
                self._out.log(refused)

    def _draw_partner(self, person: Participant) -> ParticipantReady:
        """Draws whether somebody meets a model; somebody who plays again meets the same kind."""
        models = self._settings.models
        if models is None or person.partner is not None:
            return ParticipantReady()
        roles, drawn = self._ledger.scenario.roles, self._ledger.drawn
        if models.conditions is not None and not models.is_spent(self._ledger.spent):
            number = drawn[person.role or ""]
            seats = draw_condition(models, roles, person.role, self._settings.seed, number)
            return ParticipantReady("model" if seats else "person", seats)
        if person.role in models.seats or models.is_spent(self._ledger.spent):
            return ParticipantReady("person")
        number = drawn.total()
        return ParticipantReady(draw_partner(models, len(roles), self._settings.seed, number))

    def _pair_with_models(self, waiting: Sequence[Participant]) -> list[Participant]:
        """Seats those who are to meet a model; returns the others."""
        models = self._settings.models
        if models is None:
            return list(waiting)
        ours: dict[str, list[Participant]] = {}
        for person in waiting:
            if person.partner == "model":
                seats = models.seats if person.models is None else person.models
                ours.setdefault(name_condition(seats), []).append(person)
        for each in ours.values():
            if not models.is_spent(self._ledger.spent):
                seats = models.seats if each[0].models is None else each[0].models
                roles = [role for role in self._ledger.scenario.roles if role not in seats]
                rng = Random(f"{self._settings.seed}:models:{self._ledger.seqs[LOBBY]}")
                self._seat_some(each, roles, rng, seats)
        return [person for person in waiting if person.partner != "model"]

    def _seat_some(
        self,
        waiting: Sequence[Participant],
        roles: Sequence[str],
        rng: Random,
        models: Mapping[str, str],
    ) -> Pairing:
        """Seats whoever can be seated of those who wait, beside models or without."""
        use = self._seating.use_in(models)
        pairing = pair_people(
            waiting,
            roles,
            use,
            rng,
            self._limits.places(),
            languages_meet=self._settings.languages_meet,
        )
        for group in pairing.groups:
            # The event counts the use, here as after a restart.
            use.uses[group.material] -= 1
        for group in pairing.groups:
            # Asked for each anew: every session that begins counts.
            if not self._limits.is_full(under_way=True):
                self._seating.begin(group, models)
        return pairing
