"""Metrics as tasks use them."""

from __future__ import annotations

from commonground.metrics.base import Metric
from commonground.task import Measure


def measure_of(metric: Metric) -> Measure:
    """Returns a metric as a measure of a task, under its own name."""
    return Measure(
        name=metric.name,
        version=metric.version,
        title=metric.title,
        matches=metric.matches,
        combine=metric.combine,
        std_err=metric.std_err,
    )
