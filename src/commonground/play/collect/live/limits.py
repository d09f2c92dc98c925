"""Who may play, by the quotas of a study, and what somebody who works alone is given next."""

from __future__ import annotations

from commonground.play.collect.live.ledger import Ledger
from commonground.play.collect.live.pairing import Group
from commonground.play.collect.people import Exit, Participant, Quota
from commonground.play.collect.setup.study import Settings

_PLAY_AGAIN: tuple[Exit, ...] = (
    "completed",
    "partner_left",
    "connection_lost",
    "time_over",
    "stopped",
)


class Limits:
    """What the quotas of a study allow now; asking changes nothing."""

    def __init__(self, settings: Settings, ledger: Ledger) -> None:
        self._settings = settings
        self._ledger = ledger

    @property
    def is_for_one(self) -> bool:
        """Whether people play alone, so that nobody waits."""
        return len(self._ledger.scenario.roles) == 1

    def may_play_again(self, person: Participant) -> bool:
        """Says whether somebody who is out may go back to the waiting room."""
        # Somebody who was let go on after a look is let in again, too.
        is_cleared = person.quota == "review" and person.cleared
        return (
            person.excluded is None
            and (is_cleared or person.way_out in _PLAY_AGAIN)
            and person.sessions < self._settings.quotas.sessions_each
            and self.full_for(person) is None
        )

    def full_for(self, person: Participant) -> Quota | None:
        """Says which quota keeps somebody from playing; None for none."""
        models = self._settings.models
        is_spent = models is not None and models.is_spent(self._ledger.spent)
        if self.is_full() or (is_spent and person.partner == "model"):
            return "study"
        wanted = self._settings.quotas.roles.get(person.role or "")
        if wanted is not None and self._ledger.filled[person.role or ""] >= wanted:
            return "role"
        assignments = self._ledger.assignments
        if assignments is None:
            met = self._ledger.material_use.met
            has_fresh = not person.seen or any(each.isdisjoint(person.seen) for each in met)
            return None if has_fresh else "material"
        if self.is_looked_at(person):
            return "review"
        return None if assignments.choose(person.number) is not None else "material"

    def is_full(self, *, under_way: bool = False) -> bool:
        """Says whether there are sessions enough; with those under way, if asked."""
        if self._ledger.closed:
            return True
        wanted = self._settings.quotas.sessions
        if wanted is None:
            return False
        done = self._ledger.completed
        return done + (len(self._ledger.sessions) if under_way else 0) >= wanted

    def places(self) -> dict[str, int]:
        """Counts how many of the people who came for a role may still be seated."""
        under_way = [role for each in self._ledger.sessions.values() for role in each.asked]
        return {
            role: wanted - self._ledger.filled[role] - under_way.count(role)
            for role, wanted in self._settings.quotas.roles.items()
        }

    def find_next(self, person: Participant) -> Group | None:
        """Finds what somebody who works alone is given next; None where there is nothing."""
        assignments = self._ledger.assignments
        [role] = self._ledger.scenario.roles
        asked = () if person.role is None else (role,)
        if (
            assignments is None
            or person.sessions >= self._settings.quotas.sessions_each
            or self.is_full(under_way=True)
            or (asked and self.places().get(role, 1) < 1)
        ):
            return None
        piece = assignments.choose(person.number)
        return Group({role: person.pid}, piece, asked) if piece is not None else None

    def is_looked_at(self, person: Participant) -> bool:
        """Says whether somebody gets no more before what they did has been looked at."""
        assignments = self._ledger.assignments
        return assignments is not None and assignments.is_under_review(person.number)
