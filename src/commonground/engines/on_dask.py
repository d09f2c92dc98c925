"""Work on a Dask cluster: one that is there, or workers started on this machine."""

from __future__ import annotations

import asyncio
import errno
import logging
import os
import signal
import warnings
from collections import Counter
from collections.abc import Callable, Coroutine, Iterable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import ExitStack, contextmanager, suppress
from typing import Any, TypeVar

import msgspec

from commonground import __version__
from commonground.engines.engine import Died, Step
from commonground.errors import StoreError, UsageError
from commonground.extras import needing
from commonground.files.work_folders import temporary_folder

with needing("dask", "A cluster needs distributed"):
    import dask
    from distributed import Client, KilledWorker, LocalCluster, as_completed, get_worker
    from distributed.comm.core import CommClosedError
    from distributed.comm.core import connect as open_comm
    from distributed.core import Status
    from distributed.deploy.cluster import Cluster
    from distributed.scheduler import NoWorkerError
    from distributed.security import Security

_log = logging.getLogger(__name__)

Item = TypeVar("Item")
Result = TypeVar("Result")

TRIES = 3
"""Tries of an item whose workers end over it, or whose worker has no room on its disk."""

CONNECT_S = 10
"""Seconds that a scheduler has to answer, and a first worker to be there."""

NO_WORKERS_S = 60
"""Seconds after which work is given up that no worker is there for."""

CLOSE_S = 60
"""Seconds that Dask has to close a cluster of ours."""

GIVE_UP_S = 10
"""Seconds that workers have to end where their cluster could not be closed in order."""

_LOST = (CancelledError, CommClosedError, ConnectionError, TimeoutError)


class _Failure(msgspec.Struct):
    """What a worker reports of an item that another worker may do: its disk was full."""

    worker: str
    error: OSError


def _attempt(work: Callable[[Any, Item], Result], shared: Any, item: Item) -> Result | _Failure:
    """Does an item on a worker; a full disk there is given back, not raised."""
    try:
        return work(shared, item)
    except OSError as error:
        # A full disk is the trouble of one worker. Any other error would be the same on the next.
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        return _Failure(get_worker().address, error)


def _give(shared: Any) -> Any:
    """Gives back what it is given, on a worker, where the result then stays."""
    return shared


class DaskEngine:
    """Runs work through the client of a Dask cluster, which is closed by the one who opened it."""

    def __init__(self, client: Any) -> None:
        self._client = client
        _refuse_other_versions(client)

    def map(
        self,
        work: Callable[[Any, Item], Result],
        items: Sequence[Item],
        *,
        shared: Any = None,
        weights: Sequence[int] = (),
        step: Step | None = None,
    ) -> list[Result | Died]:
        """Runs work on the cluster's workers; see :meth:`commonground.engines.engine.Engine.map`.

        Raises:
            StoreError: the scheduler no longer answers.
        """
        try:
            return _Mapping(self._client, work, shared).run(items, weights, step)
        except _LOST as error:
            raise StoreError(
                "The cluster's scheduler no longer answers.",
                "What was in the store before is untouched. Start it again, and try again.",
            ) from error
        except NoWorkerError as error:
            raise StoreError(
                "The cluster has no workers left.",
                "What was in the store before is untouched. Start some, and try again.",
            ) from error


class _Mapping:
    """The items of one call of :meth:`DaskEngine.map`, and whose disks were full at each."""

    def __init__(self, client: Any, work: Callable[[Any, Any], Any], shared: Any) -> None:
        self._client = client
        self._work = work
        # A task's result goes to each worker once and not with every item; what was scattered
        # would be lost with the last worker that has it, and could not be made again.
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Sending large graph")
            self._shared = client.submit(_give, shared, pure=False)
        self._places: dict[Any, int] = {}
        self._full: dict[int, set[str]] = {}
        self._began_with = len(self._list_workers())

    def _list_workers(self) -> set[str]:
        return set(self._client.scheduler_info(n_workers=-1)["workers"])

    def run(self, items: Sequence[Any], weights: Sequence[int], step: Step | None) -> list[Any]:
        results: list[Any] = [None] * len(items)

        def keep(places: Iterable[int]) -> None:
            for place, result in self._finish({place: items[place] for place in places}):
                results[place] = result
                if step is not None and weights and not isinstance(result, Died):
                    step(weights[place])

        keep(range(len(items)))
        # Whatever waits on a worker when it dies is suspected. Alone, an item shows whose fault it
        # was.
        died = [place for place, result in enumerate(results) if isinstance(result, Died)]
        for place in died if len(items) > 1 else ():
            keep([place])
        return results

    def _finish(self, items: dict[int, Any]) -> Iterator[tuple[int, Any]]:
        """Yields place and result of each item, as they come."""
        begun = [self._submit(place, item) for place, item in items.items()]
        waiting = as_completed(begun, loop=self._client.loop)
        try:
            for future in waiting:
                place = self._places.pop(future)
                result = self._result_of(future)
                if isinstance(result, _Failure):
                    waiting.add(self._submit_elsewhere(place, items[place], result))
                else:
                    yield place, result
        finally:
            # After an error nobody waits for the others; those under way end by themselves.
            for future in self._places:
                future.release()
            self._places.clear()

    def _submit(self, place: int, item: Any, **how: Any) -> Any:
        # ``pure`` would give two items that are equal one result, and reuse that of an earlier run.
        future = self._client.submit(_attempt, self._work, self._shared, item, pure=False, **how)
        self._places[future] = place
        return future

    def _result_of(self, future: Any) -> Any:
        try:
            return future.result()
        # Dask has tried it as often as it may; the item is to blame, not a worker.
        except KilledWorker:
            return Died(TRIES)

    def _submit_elsewhere(self, place: int, item: Any, failure: _Failure) -> Any:
        """Gives an item to a worker whose disk was not full for it yet.

        Raises:
            OSError: there is none, or three have tried.
        """
        full = self._full.setdefault(place, set())
        full.add(failure.worker)
        if len(full) >= TRIES:
            raise failure.error
        others = self._list_workers() - full
        if not others and len(full) < self._began_with:
            # One of those that were there has died, and anyone who started it may replace it.
            with suppress(TimeoutError):
                self._client.wait_for_workers(len(full) + 1, timeout=CONNECT_S)
            others = self._list_workers() - full
        if not others:
            raise failure.error
        return self._submit(place, item, workers=sorted(others))


def find_scheduler(client: Any) -> str:
    """Returns the address that a client reaches its scheduler at.

    Raises:
        UsageError: the client was closed, or has none yet.
    """
    # What it connected to, and not what the scheduler says of itself.
    scheduler = getattr(client, "scheduler", None)
    if scheduler is None or client.status != "running":
        raise UsageError("The client is not connected to a scheduler.", "Give one that is.")
    return str(scheduler.address)


async def _knock(address: str) -> None:
    # A client that never reached its scheduler waits for it once more when it is collected, and
    # then prints a traceback that nobody can catch.
    secured = Security().get_connection_args("client")
    comm = await open_comm(address, timeout=CONNECT_S, **secured)
    await comm.close()


@contextmanager
def connect(address: str) -> Iterator[DaskEngine]:
    """Gives the engine of a cluster that is there, by the address of its scheduler.

    Raises:
        UsageError: it does not answer, or its workers cannot do our work.
    """
    try:
        asyncio.run(_knock(address))
        client = Client(address, timeout=CONNECT_S, set_as_default=False)
    except (OSError, TimeoutError, ValueError, TypeError) as error:
        raise UsageError(
            f"No Dask scheduler answers at {address}.",
            "Check the address, and that the certificates of Dask's settings are those of the"
            " scheduler. What was in the store before is untouched.",
        ) from error
    with client:
        # No worker is no error yet: the engine looks for them next, and says what to do.
        with suppress(TimeoutError):
            client.wait_for_workers(1, timeout=CONNECT_S)
        yield DaskEngine(client)


class _OwnCluster(LocalCluster):
    """A cluster of this machine that is closed even where Dask cannot close it in order.

    A worker that is killed while it starts, or ends too slowly, makes Dask's own closing stop half
    way or wait without end: its thread, its ports and other workers would stay.
    """

    def __init__(self, **settings: Any) -> None:
        try:
            super().__init__(**settings)  # type: ignore[no-untyped-call]
        except BaseException:
            self.close()
            raise

    def close(self, timeout: float | None = None) -> Any:
        with suppress(TimeoutError):  # of the thread, which what cannot be cancelled keeps
            return super().close(timeout)

    async def _close(self) -> None:
        workers = [each.process for each in self._created]  # which a nanny that gives up forgets
        try:
            await _try(CLOSE_S, super()._close())  # type: ignore[no-untyped-call]
        finally:
            if self.status != Status.closed:
                await self._give_up(workers)

    async def _give_up(self, workers: Sequence[Any]) -> None:
        ends = [each.close() for each in self._created]
        ends += [self.scheduler.close()] if self.scheduler else []
        try:
            await _try(GIVE_UP_S, *ends, Cluster._close(self))
        finally:
            for worker in workers:
                if worker is not None and worker.is_alive():
                    os.kill(worker.pid, signal.SIGKILL)
            self.status = Status.closed


async def _try(seconds: float, *ends: Coroutine[Any, Any, Any]) -> None:
    """Waits for what closes a cluster, and no longer, even where it cannot be cancelled.

    The work is done by then, or has failed with an error that says more than one of these would.
    """
    tasks = [asyncio.ensure_future(each) for each in ends]
    done, late = await asyncio.wait(tasks, timeout=seconds)
    for each in late:
        each.cancel()
    for each in done:
        if not each.cancelled() and each.exception() is not None:
            _log.debug("Dask did not close a cluster.", exc_info=each.exception())


@contextmanager
def start_local(workers: int | None = None) -> Iterator[DaskEngine]:
    """Starts workers on this machine, each a process with one thread, and gives their engine.

    Where ``workers`` is None there is one per processor. They listen on the loopback interface
    alone, and speak TLS even there: other users of this machine could reach the port too, and what
    comes from it is unpickled.

    Raises:
        StoreError: a worker ended before it was there.
    """
    with ExitStack() as stack:
        folder = stack.enter_context(temporary_folder())
        settings = {
            # An item that ends a worker is given to this many others.
            "distributed.scheduler.allowed-failures": TRIES - 1,
            # Without a worker nobody waits for ever.
            "distributed.scheduler.no-workers-timeout": f"{NO_WORKERS_S} s",
            "distributed.worker.daemon": True,
        }
        stack.enter_context(dask.config.set(settings))
        count = workers or os.cpu_count() or 1
        try:
            cluster = _OwnCluster(
                n_workers=count,
                threads_per_worker=1,
                host="127.0.0.1",
                protocol="tls://",
                security=Security.temporary(),
                # None would still open the usual port of the page, on every interface.
                dashboard_address="127.0.0.1:0",
                local_directory=str(folder),
                silence_logs=logging.CRITICAL,
            )
        except RuntimeError as error:  # Dask's word for a worker that ends before it is there
            raise StoreError(
                "A worker of Dask ended while it was started.",
                "Check whether the machine has memory left, and try again, or pass --jobs 1.",
            ) from error
        stack.enter_context(cluster)
        # A worker that dies while it starts is given up by what watches it, and is replaced here.
        cluster.adapt(minimum=count, maximum=count)
        client = stack.enter_context(Client(cluster, set_as_default=False))
        yield DaskEngine(client)


def _tell_version() -> str:
    """Returns the version of this package that a worker has; asked of each of them."""
    return __version__


def _refuse_other_versions(client: Any) -> None:
    """Refuses a cluster whose workers have another version of this package, or none.

    Results come back as Python objects, and another version may make others of the same files.

    Raises:
        UsageError: some do, or there is no worker.
    """
    # A worker that cannot import this package answers with the error, which is then listed as its
    # version.
    answers = client.run(_tell_version, on_error="return").values()
    if not answers:
        raise UsageError("The cluster has no worker.", "Start one, and try again.")
    found = Counter(each if isinstance(each, str) else f"none ({each})" for each in answers)
    others = [f"{version} on {count}" for version, count in found.items() if version != __version__]
    if others:
        raise UsageError(
            f"Workers have other versions of commonground than {__version__}: {', '.join(others)}.",
            "Install the same on all of them.",
        )
