"""Runs a hall: writes its events down, and only then sends its frames.

Many acts that come together are written in one transaction (group commit), so that the disk is
waited for once. While it is full, or the log is locked, nothing new is taken and nothing is lost.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any, ParamSpec

import msgspec

from commonground.errors import StoreError
from commonground.play.collect.events import Event
from commonground.play.collect.live.hall import Hall
from commonground.play.collect.live.outbox import Effects
from commonground.play.collect.live.presence import Lost
from commonground.play.collect.live.study_clock import StudyClock
from commonground.play.collect.log import EventLog, NotNowError

P = ParamSpec("P")

# How often time passes in the hall: limits of time are kept to half a second.
TICK_S = 0.5
RETRY_S = 1.0
"""Seconds between two tries to write to a disk that is full, or a log that is locked."""

LAST_MESSAGES_S = 2.0
"""Seconds that are left for sending what is queued before the server ends."""

LONGEST_QUEUE = 2_000
"""Messages that may wait for one browser; it is cut off when it reads none of them."""


class StuckError(StoreError):
    """Nothing can be taken now, because it could not be written down."""


class SendQueue:
    """What is to be sent through one connection.

    Attributes:
        asked_s: since when the browser has left a ping without an answer, by a time that only goes
            forward; None where it owes none.
        reloads: whether the browser has asked for the page anew since.
    """

    def __init__(self, number: int) -> None:
        self.number = number
        self.asked_s: float | None = None
        self.reloads = False
        self.queue: asyncio.Queue[bytes | None] = asyncio.Queue(LONGEST_QUEUE)

    def put(self, body: dict[str, Any] | None) -> None:
        """Queues a message; None ends the connection."""
        data = None
        if body is not None:
            # On the wire the type is the key: `{"ack": {...}}`.
            fields = {name: value for name, value in body.items() if name != "type"}
            data = msgspec.json.encode({body["type"]: fields})
        try:
            self.queue.put_nowait(data)
        except asyncio.QueueFull:
            # Anyone who reads nothing gets all of it in the next welcome.
            while not self.queue.empty():
                self.queue.get_nowait()
                self.queue.task_done()
            self.queue.put_nowait(None)


class Desk:
    """The one that everybody's doings go through.

    Args:
        clock: of the study; None for one that goes on from the log.

    Attributes:
        clock: tells the time in Unix microseconds.
        heard: called with of events that were written down.
    """

    def __init__(self, hall: Hall, log: EventLog, clock: StudyClock | None = None) -> None:
        self.hall = hall
        self.clock = clock or StudyClock(hall.ledger)
        self.lines: dict[int, SendQueue] = {}
        self.stuck: str | None = None
        self.failure: StoreError | None = None
        self.heard: Callable[[list[Event]], None] = lambda _: None
        self._log = log
        self._queue: list[tuple[Effects, asyncio.Future[Effects]]] = []
        self._batch: list[tuple[Effects, asyncio.Future[Effects]]] = []
        self._wake = asyncio.Event()
        self._numbers = 0

    async def run(self, stopped: Callable[[], None]) -> None:
        """Writes and lets time pass until cancelled.

        ``stopped`` is called when nothing can be written ever again; :attr:`failure` says why.
        """
        self.do(self.hall.presence.recover)
        ticking = asyncio.create_task(self._tick())
        try:
            await self._write()
        except StoreError as error:
            self._fail(error)
            # Until what is queued was sent, but not for browsers that read nothing.
            with suppress(TimeoutError):
                queues = (line.queue.join() for line in self.lines.values())
                await asyncio.wait_for(asyncio.gather(*queues), LAST_MESSAGES_S)
            stopped()
        finally:
            ticking.cancel()

    def _fail(self, error: StoreError) -> None:
        """Tells everybody that nothing can be taken any more; what waits was not written."""
        self.failure, self.stuck = error, str(error)
        self._broadcast({"type": "stuck", "on": True})
        for _, done in (*self._batch, *self._queue):
            if not done.done():
                done.set_exception(StuckError(self.stuck))
                done.exception()  # not everybody waits for it

    def open_line(self) -> SendQueue:
        """Begins a connection, whose number no other has had since the server started."""
        self._numbers += 1
        line = self.lines[self._numbers] = SendQueue(self._numbers)
        return line

    def close_line(self, line: SendQueue, reason: Lost = "cut") -> None:
        """Ends a connection; its person has a while to come back."""
        self.lines.pop(line.number, None)
        self.do(self.hall.presence.disconnect, line.number, reason)

    def check(self) -> None:
        """Does nothing while all goes well.

        Raises:
            StuckError: nothing can be written now.
        """
        if self.stuck is not None:
            raise StuckError(self.stuck)

    def do(
        self, act: Callable[P, object], *args: P.args, **options: P.kwargs
    ) -> asyncio.Future[Effects]:
        """Has something happen in the hall now; what comes of it is there when it is written down.

        See :meth:`Hall.do`, which says what ``act`` may raise.
        """
        return self._put(self.hall.do(self.clock(), act, *args, **options))

    async def idle(self) -> None:
        """Returns when all that happened so far is written down."""
        await self._put(Effects([], []))

    def _put(self, effects: Effects) -> asyncio.Future[Effects]:
        done = asyncio.get_running_loop().create_future()
        self._queue.append((effects, done))
        self._wake.set()
        return done

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(TICK_S)
            effects = self.pass_time()
            if effects.events or effects.frames:
                self._put(effects)

    def pass_time(self) -> Effects:
        """Lets the time since the last call pass in the hall.

        Of a time in which nobody could act, because the machine slept, the server stood still or
        nothing could be written, next to nothing passes, and everybody is excused.
        """
        if self.stuck is not None:
            self.clock.stand()
            return Effects([], [])
        if self.clock.look():
            self.hall.presence.excuse(self.clock())
        return self.hall.do(self.clock(), self.hall.tick)

    async def _write(self) -> None:
        while True:
            await self._wake.wait()
            # Before the queue is taken: what comes from here on wakes it again.
            self._wake.clear()
            # Whatever came while the last batch was written is one transaction: a commit waits for
            # the disk, however much is in it.
            self._batch, self._queue = self._queue, []
            events = [event for effects, _ in self._batch for event in effects.events]
            if events:
                await self._append(events)
                self.heard(events)
            for effects, done in self._batch:
                for frame in effects.frames:
                    self._send(frame.connection, frame.body)
                    if frame.last:
                        self._send(frame.connection, None)
                if not done.done():
                    done.set_result(effects)

    async def _append(self, events: list[Any]) -> None:
        while True:
            try:
                # In a thread, since a commit waits for the disk and the loop must not.
                await asyncio.to_thread(self._log.append, events)
                break
            except NotNowError as error:
                if self.stuck is None:
                    self._broadcast({"type": "stuck", "on": True})
                self.stuck = str(error)
            await asyncio.sleep(RETRY_S)
        if self.stuck is not None:
            self.stuck = None
            self.hall.presence.excuse(self.clock())
            self._broadcast({"type": "stuck", "on": False})

    def _broadcast(self, body: dict[str, Any]) -> None:
        for line in self.lines.values():
            line.put(body)

    def _send(self, connection: int, body: dict[str, Any] | None) -> None:
        line = self.lines.get(connection)
        if line is not None:
            line.put(body)

    async def write_alone(self, job: Callable[[], None]) -> None:
        """Runs something that needs the log for itself, such as erasing, between two writes."""
        await self.idle()
        with suppress(asyncio.CancelledError):
            # A thread cannot be cancelled: the job goes on, whoever has stopped waiting for it.
            await asyncio.shield(asyncio.to_thread(job))
