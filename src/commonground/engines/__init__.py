"""Where pure pieces of work are run: in processes of this machine, or on a Dask cluster.

The pool of an import (:mod:`commonground.store.importing.workers`) is what is used unless an engine
is asked for. Nothing here imports Dask: :mod:`commonground.engines.on_dask` does, when it is meant.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from commonground.engines.engine import Engine
from commonground.errors import UsageError


@contextmanager
def open_engine(
    name: str = "pool", *, scheduler: str | None = None, jobs: int | None = None
) -> Iterator[Engine | None]:
    """Gives the engine that a user named; closed in the end.

    Args:
        name: ``pool``, or ``dask`` for a cluster.
        scheduler: address of a cluster's scheduler, which means ``dask``; None starts workers on
            this machine.
        jobs: workers to start on this machine; None for one per processor.

    Yields:
        None for the pool, which the import brings along.

    Raises:
        UsageError: the scheduler's address is not safe to use, or does not answer; or Dask is not
            installed.
    """
    if name == "pool" and scheduler is None:
        yield None
        return
    if scheduler is not None:
        refuse_open_address(scheduler)
    from commonground.engines.on_dask import connect, start_local

    opened = connect(scheduler) if scheduler is not None else start_local(jobs)
    with opened as engine:
        yield engine


def as_engine(engine: Any) -> Engine | None:
    """Returns the engine that Python code named: one of ours, a Dask client, or None for the pool.

    Raises:
        UsageError: it is none of these, or a client whose scheduler is on another machine and not
            secured.
    """
    if engine is None or (isinstance(engine, Engine) and not _is_client(engine)):
        return engine
    if _is_client(engine):
        from commonground.engines.on_dask import DaskEngine, find_scheduler

        refuse_open_address(find_scheduler(engine))
        return DaskEngine(engine)
    raise UsageError(
        f"{type(engine).__name__} is not an engine.", "Give a distributed.Client, or nothing."
    )


def _is_client(value: Any) -> bool:
    # By name, so that nobody who has no Dask has to install it; a client has a method ``map`` too.
    return any(
        each.__name__ == "Client" and each.__module__.startswith("distributed")
        for each in type(value).__mro__
    )


def refuse_open_address(address: str) -> None:
    """Refuses the address of a scheduler that others on the way could speak as.

    What comes from a scheduler is unpickled, and so may run anything: it has to be on this
    machine, or to prove who it is.

    Args:
        address: such as ``tls://host:8786`` or ``tcp://127.0.0.1:8786``; ``inproc://`` is a
            scheduler within this process.

    Raises:
        UsageError: it is neither.
    """
    kind, _, rest = address.rpartition("://")
    host = rest.rpartition(":")[0].strip("[]") or rest
    if kind in ("tls", "inproc") or (kind in ("", "tcp") and _is_loopback(host)):
        return
    raise UsageError(
        f"{address} is on another machine and not secured.",
        "Start the scheduler and its workers with TLS and give tls://HOST:PORT; the certificates"
        " are those of Dask's settings, distributed.comm.tls.",
    )


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
