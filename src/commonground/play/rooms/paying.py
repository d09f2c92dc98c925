"""What the monitor shows and does of a study at Prolific; Prolific is asked in threads."""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec

from commonground.errors import UsageError
from commonground.play.collect.identities import Identities, Identity
from commonground.play.collect.prolific.api import ProlificApi, open_api
from commonground.play.collect.prolific.bonuses import (
    Payer,
    read_bonuses,
    read_cents,
    sum_bonuses,
)
from commonground.play.collect.prolific.drafts import check_currency, create_draft, read_made
from commonground.play.collect.prolific.submissions import (
    Review,
    approve_all,
    choose_approved,
    find_review,
    review_submissions,
)
from commonground.play.collect.setup.study import PROLIFIC, Study
from commonground.play.rooms.desk import Desk


class AtProlific:
    """A study at Prolific, as the monitor deals with it."""

    def __init__(self, study: Study, desk: Desk, identities: Identities) -> None:
        self._study = study
        self._desk = desk
        self._identities = identities

    @property
    def is_on(self) -> bool:
        """Whether the study was made at Prolific by command, or its id was written down."""
        return (self._study.folder / PROLIFIC).is_file()

    @property
    def may_create(self) -> bool:
        """Whether ``study.toml`` says what Prolific is to know, and it was not told yet."""
        return self._study.settings.prolific is not None and not self.is_on

    async def create(self) -> None:
        """Makes the draft of the study there, which nobody sees and which costs nothing.

        Raises:
            CommongroundError: it was made already, ``study.toml`` does not say enough, or Prolific
                refused it.
        """
        await asyncio.to_thread(create_draft, self._study, open_api())

    async def look(self) -> dict[str, Any]:
        """Returns the study there, and its submissions beside their people.

        Raises:
            CommongroundError: there is no token, or Prolific does not answer.
        """
        api, name = open_api(), read_made(self._study)
        listed = await asyncio.to_thread(api.get_study, name)
        reviews = await self._review(api, name)
        bonuses = read_bonuses(self._study.folder)
        return {
            "status": listed.status,
            "taken": listed.places_taken,
            "places": listed.total_available_places,
            "reward": f"{listed.reward / 100:.2f}",
            "currency": self._study.settings.payment.currency,
            "submissions": [
                {
                    **msgspec.to_builtins(each),
                    "due": each.is_due,
                    "bonus": sum_bonuses(bonuses, each.submission, self._identities) / 100,
                }
                for each in reviews
            ],
        }

    async def _review(self, api: ProlificApi, name: str) -> list[Review]:
        submissions = await asyncio.to_thread(api.list_submissions, name)
        people = self._desk.hall.ledger.people
        return review_submissions(self._study, submissions, people, self._identities)

    async def approve(self, submission: str) -> None:
        """Approves one submission.

        Raises:
            CommongroundError: its person left no trace in the study, or Prolific refused it.
        """
        api, name = open_api(), read_made(self._study)
        check_currency(self._study, await asyncio.to_thread(api.get_study, name))
        chosen = choose_approved(await self._review(api, name), [submission])
        wrong = await asyncio.to_thread(approve_all, api, chosen)
        if wrong:
            raise UsageError(wrong[0])

    async def tell(self, pid: str, text: str) -> None:
        """Sends somebody a message through Prolific.

        Raises:
            CommongroundError: it is not known who the person is there, or Prolific refused it.
        """
        if not text.strip():
            raise UsageError("A message needs words.")
        api, name = open_api(), read_made(self._study)
        await asyncio.to_thread(api.send_message, name, self._find(pid).platform_id, text.strip())

    async def reward(self, pid: str, amount: str, purpose: str) -> bool:
        """Pays a bonus, as :meth:`pay` does, to somebody from Prolific; ``pid`` is their pseudonym.

        Raises:
            CommongroundError: see :meth:`pay`.
        """
        return await self.pay(self._find(pid).details.get("SESSION_ID", ""), amount, purpose)

    def serves(self, platform: str) -> bool:
        """Says whether people of a platform are dealt with through Prolific."""
        return platform == "prolific" and self.is_on

    def _find(self, pid: str) -> Identity:
        identity = self._identities.find(pid)
        if identity is None or identity.platform != "prolific":
            raise UsageError("This person's id at Prolific is not known.")
        return identity

    async def pay(self, submission: str, amount: str, purpose: str) -> bool:
        """Pays a bonus, once for each purpose; says whether it did now, and not before.

        Args:
            amount: such as ``1.50``.

        Raises:
            CommongroundError: the person left no trace in the study, another amount was paid for
                this purpose, or Prolific refused it.
        """
        cents = read_cents(amount)
        api, name = open_api(), read_made(self._study)
        check_currency(self._study, await asyncio.to_thread(api.get_study, name))
        review = find_review(await self._review(api, name), submission)
        payer = Payer(self._study, api, name, self._identities)
        order = await asyncio.to_thread(payer.prepare, review, cents, purpose)
        if order is None:
            return False
        # What was ordered goes on, whoever has stopped waiting for it.
        paying = asyncio.to_thread(payer.pay, review, cents, purpose, order)
        return await asyncio.shield(paying)
