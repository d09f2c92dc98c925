"""Limits of what users ask in SQL: a query that would run for ever ends with an error that says so.

``select count(*) from range(100000000) a, range(100000000) b`` is quickly typed, and a query of
this kind may come from a page or a model as well. What commonground asks itself has no limits.
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import duckdb
import msgspec

from commonground.errors import StoreError, UsageError
from commonground.printing import count_of

SECONDS = 60.0
PAGE_SECONDS = 10.0
ROWS = 1_000_000
SECONDS_VARIABLE = "COMMONGROUND_SQL_SECONDS"
ROWS_VARIABLE = "COMMONGROUND_SQL_ROWS"
MEMORY_VARIABLE = "COMMONGROUND_SQL_MEMORY"
# As DuckDB takes it: 4GB, 512 MiB, 80%.
_MEMORY = re.compile(r"\d+(\.\d+)?\s*([KMGT]i?B|%)", re.IGNORECASE)


class LimitError(StoreError):
    """A query takes more than it may."""


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """What a query may take.

    Attributes:
        seconds: how long it may run; None for ever.
        rows: how many rows its result may have; None for any number.
    """

    seconds: float | None = None
    rows: int | None = None

    def too_many_rows(self) -> LimitError:
        """Returns the error of a result that has more rows than it may."""
        return LimitError(
            f"The result has more than {count_of(self.rows or 0, 'row')}, the limit.",
            f"Add LIMIT to the query, or raise the limit: commonground sql --max-rows N, or "
            f"${ROWS_VARIABLE}; 0 for no limit.",
        )

    def too_slow(self) -> LimitError:
        """Returns the error of a query that runs longer than it may."""
        return LimitError(
            f"The query was stopped after {self.seconds:g} s, the limit.",
            "Ask for less, or raise the limit: commonground sql --max-seconds S, or "
            f"${SECONDS_VARIABLE}; 0 for no limit.",
        )


UNLIMITED = Limits()


def page_limits(rows: int) -> Limits:
    """Returns the limits of a query that was written on a page, where less time is the default.

    Raises:
        UsageError: the environment holds something else than a number.
    """
    return Limits(seconds=_read_number(SECONDS_VARIABLE, PAGE_SECONDS) or None, rows=rows)


def user_limits(seconds: float | None = None, rows: int | None = None) -> Limits:
    """Returns the limits of a query that a user wrote.

    Args:
        seconds: how long it may run; 0 for ever, None for what the environment says, or 60.
        rows: how many rows it may give; 0 for any number, None for what the environment says, or
            a million.

    Raises:
        UsageError: the environment holds something else than a number.
    """
    seconds = _read_number(SECONDS_VARIABLE, SECONDS) if seconds is None else seconds
    rows = int(_read_number(ROWS_VARIABLE, ROWS)) if rows is None else rows
    return Limits(seconds=seconds or None, rows=rows or None)


def _read_number(variable: str, default: float) -> float:
    text = os.environ.get(variable, "")
    try:
        number = float(text) if text else default
    except ValueError:
        number = -1.0
    # NaN fails any comparison and infinity the second: neither can be waited for or counted to.
    if not 0 <= number < 1e15:
        raise UsageError(f"${variable} is {text!r}.", "Give it a number; 0 means no limit.")
    return number


def read_memory(given: str | None = None) -> str | None:
    """Returns how much memory SQL may use; None for DuckDB's own limit, 80 % of what there is.

    Args:
        given: such as ``4GB`` or ``50%``; None for what the environment says.

    Raises:
        UsageError: it is not an amount of memory.
    """
    text = (given or os.environ.get(MEMORY_VARIABLE, "")).strip()
    if text and not _MEMORY.fullmatch(text):
        advice = f"Write --memory or ${MEMORY_VARIABLE} like 4GB, 500MB or 50%."
        raise UsageError(f"{text!r} is not an amount of memory.", advice)
    return text or None


def too_much_memory(limit: str) -> LimitError:
    """Returns the error of a query that needs more memory than it may have."""
    return LimitError(
        f"The query needs more memory than {limit}, the limit.",
        f"Ask for less, or raise the limit: commonground sql --memory 8GB, or ${MEMORY_VARIABLE}.",
    )


@contextmanager
def stop_in_time(connection: duckdb.DuckDBPyConnection, limits: Limits) -> Iterator[None]:
    """Stops what a connection runs within the ``with`` block when its time is over.

    Raises:
        LimitError: it was stopped.
    """
    if limits.seconds is None:
        yield
        return
    lock = threading.Lock()
    is_done = is_late = False

    def stop() -> None:
        nonlocal is_late
        with lock:  # or the next query on the connection might be stopped instead
            if not is_done:
                is_late = True
                connection.interrupt()

    timer = threading.Timer(limits.seconds, stop)
    timer.daemon = True
    timer.start()
    try:
        yield
    except (duckdb.Error, RuntimeError) as error:  # the latter while rows are fetched
        if is_late:
            raise limits.too_slow() from error
        raise
    finally:
        with lock:
            is_done = True
        timer.cancel()
        # A thread that still has the connection when Python ends makes DuckDB's binding complain.
        timer.join()
