"""Erasing people while a study is served: ordered at once, tried again until nothing is left."""

from __future__ import annotations

import asyncio

from commonground.errors import CommongroundError
from commonground.play.collect.erasing import finish_erasing, order_erasing
from commonground.play.collect.identities import Identities
from commonground.play.collect.orders import read_orders
from commonground.play.collect.setup.study import Study
from commonground.play.rooms.desk import Desk, StuckError

RETRY_S = 60.0
"""Seconds between two tries to delete what is left of somebody."""


class Forgetting:
    """Deletes what people gave, as they or the researcher want.

    Attributes:
        unfinished: what is left of people whose erasing was ordered, in words; None for nothing.
    """

    def __init__(
        self, study: Study, desk: Desk, identities: Identities, unfinished: str | None
    ) -> None:
        self.unfinished = unfinished
        self._study = study
        self._desk = desk
        self._identities = identities
        self._pending = {each.pid for each in read_orders(study)}

    def is_pending(self, pid: str) -> bool:
        """Says whether a person's data are to be deleted and not all of them are."""
        return pid in self._pending

    async def erase(self, pid: str) -> None:
        """Deletes everything of a person, at once where that can be; see :meth:`is_pending`.

        Raises:
            CommongroundError: not even the order can be written down, so that nothing is deleted.
        """
        desk = self._desk
        await desk.write_alone(lambda: order_erasing(self._study, pid, self._identities))
        self._pending.add(pid)
        try:
            await desk.do(desk.hall.forget, pid)
        except StuckError as error:
            self.unfinished = str(error)
            return
        await self._finish()

    async def run(self) -> None:
        """Tries again now and then until cancelled."""
        while True:
            await asyncio.sleep(RETRY_S)
            if self._pending and self._desk.stuck is None:
                await self._finish()

    async def _finish(self) -> None:
        def finish() -> None:
            try:
                finish_erasing(self._study, self._identities)
                self.unfinished = None
            except CommongroundError as error:
                self.unfinished = str(error)
            self._pending = {each.pid for each in read_orders(self._study)}

        await self._desk.write_alone(finish)
