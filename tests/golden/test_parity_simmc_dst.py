"""Belief states: the numbers of the official script, on real predictions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from commonground.bench.metrics.simmc_dst import SIMMC_DST, combine, score_turn, std_err
from commonground.corpora.simmc.tasks.beliefs import parse_line, split_lines
from commonground.statistics.counts import sum_counts

FIRST_COUNTS = (
    "n_pred_acts",
    "n_correct_acts",
    "n_pred_slots",
    "n_correct_slots",
    "n_correct_beliefs",
)


def score_file(golden: Path, entry: dict[str, Any]) -> tuple[dict[str, float], int]:
    lines = [
        [parse_line(line) for line in split_lines((golden / entry[key]).read_text())]
        for key in ("target", "predicted")
    ]
    turns = zip(*lines, strict=True)
    sums = sum_counts(score_turn(gold or (), predicted or ()) for gold, predicted in turns)
    return sums, lines[1].count(None)


@pytest.mark.parametrize("number", range(4))
def test_official_values_and_errors(golden: Path, expected: Any, number: int) -> None:
    entry = expected["simmc_dst"][number]
    sums, _unparsed = score_file(golden, entry)
    errors = {f"{name}_stderr": value for name, value in std_err(sums).items()}
    for name, value in (combine(sums) | errors).items():
        assert value == pytest.approx(entry[name], rel=0, abs=1e-9), name


@pytest.mark.parametrize("number", range(4))
def test_official_counts(golden: Path, expected: Any, number: int) -> None:
    entry = expected["simmc_dst"][number]
    sums, unparsed = score_file(golden, entry)
    assert "/".join(str(sums[name]) for name in FIRST_COUNTS) == entry["counts"]
    assert str(unparsed) == entry["unparsed_turns"]


def test_every_entry_is_tested(expected: Any) -> None:
    assert len(expected["simmc_dst"]) == 4
    assert SIMMC_DST.matches is not None
