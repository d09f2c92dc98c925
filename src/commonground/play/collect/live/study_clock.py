"""The clock of a study, by which people's patience, limits and the log are counted.

It goes on only while the server runs and sees to everybody, whatever becomes of the machine's own
clock: that may be set, and a laptop sleeps, a server is paused or starts again. Nobody can act
then, so that no time may pass for anybody. It is set right, forward only, when nobody is there.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from commonground.play.collect.live.ledger import Ledger

LONGEST_STEP_US = 2_000_000
"""Time between two looks at everybody of which no more counts, Unix microseconds."""


class StudyClock:
    """Tells the time of a study when it is called, in Unix microseconds.

    Args:
        ledger: what the log says; where somebody is under way, the clock goes on from its end.
        wall: tells the time of the machine's clock, Unix nanoseconds.
        steady: tells a time that only goes forward, in nanoseconds from any moment.
    """

    def __init__(
        self,
        ledger: Ledger,
        wall: Callable[[], int] = time.time_ns,
        steady: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        self._ledger = ledger
        self._wall = wall
        self._steady = steady
        self._at_us = ledger.last_us
        self._looked_us = steady() // 1000
        self._set_right()

    def __call__(self) -> int:
        """Returns the time: that of the last look, and what has passed since, up to a limit."""
        return self._at_us + min(self._passed_us(), LONGEST_STEP_US)

    def look(self) -> bool:
        """Notes that everybody is seen to now.

        Returns:
            Whether more time has passed since the last look than counts.
        """
        was_gap = self._passed_us() > LONGEST_STEP_US
        self._at_us = self()
        self._looked_us = self._steady() // 1000
        self._set_right()
        return was_gap

    def stand(self) -> None:
        """Lets the time since the last look not count."""
        self._looked_us = self._steady() // 1000

    def _passed_us(self) -> int:
        return self._steady() // 1000 - self._looked_us

    def _set_right(self) -> None:
        if not self._ledger.sessions and all(
            p.stage == "out" for p in self._ledger.people.values()
        ):
            self._at_us = max(self._at_us, self._wall() // 1000)
