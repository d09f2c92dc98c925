"""An estimate that is watched while a study runs, so that it may stop when it is sure enough."""

from __future__ import annotations

from typing import Any

import msgspec

from commonground.play.collect.live.ledger import Ledger
from commonground.play.collect.setup.study import Watch
from commonground.statistics.sequences import Bounded, MeanBound


class Watcher:
    """Bounds what a study watches, by all that counts so far.

    Args:
        best: points that a game may have; 0 where its scenario counts none.
    """

    def __init__(self, watch: Watch | None, ledger: Ledger, best: float = 0.0) -> None:
        self._watch = watch
        self._ledger = ledger
        self._most = best if watch is not None and watch.measure == "score" else 0.0
        if watch is not None and watch.measure == "words":
            self._most = watch.most
        self._aim = watch.half_width if watch is not None else None
        self._mean = MeanBound(self._most or 1.0, self._aim)
        self._fed: list[str] = []

    def bound(self) -> Bounded | None:
        """Returns the estimate with its bounds; None where there is none, or not enough."""
        if self._watch is None:
            return None
        if self._watch.measure == "alpha":
            assignments = self._ledger.assignments
            if assignments is None:
                return None
            return assignments.bound_agreement(self._watch.half_width)
        counted = [sid for sid in self._ledger.done if self._value(sid) is not None]
        if counted[: len(self._fed)] != self._fed:
            # Something that counted does not any more.
            self._mean, self._fed = MeanBound(self._most, self._aim), []
        for sid in counted[len(self._fed) :]:
            value = self._value(sid)
            assert value is not None  # noqa: S101 - only those are counted
            self._mean.add(value)
        self._fed = counted
        return self._mean.bound()

    def _value(self, sid: str) -> float | None:
        """Returns what a session adds; None where it does not count, or data were erased."""
        done, ledger = self._ledger.done[sid], self._ledger
        if not ledger.counts(done) or not all(pid in ledger.people for pid in done.people):
            return None
        is_score = self._watch is not None and self._watch.measure == "score"
        return done.score if is_score else float(ledger.work.sessions[sid].words)

    @property
    def is_due(self) -> bool:
        """Whether the study is to stop now: the target is reached, and was not before."""
        if self._watch is None or not self._watch.stop or self._ledger.reached:
            return False
        return self.is_reached(self.bound())

    def is_reached(self, found: Bounded | None) -> bool:
        """Says whether an estimate is as sure as it is to be."""
        return (
            self._watch is not None
            and found is not None
            and found.half_width <= self._watch.half_width
        )

    def describe(self) -> dict[str, Any] | None:
        """Returns what the monitor shows of it; None where nothing is watched."""
        if self._watch is None:
            return None
        found = self.bound()
        return {
            "measure": self._watch.measure,
            "target": self._watch.half_width,
            "stop": self._watch.stop,
            "reached": self.is_reached(found),
            "estimate": msgspec.to_builtins(found) if found is not None else None,
        }
