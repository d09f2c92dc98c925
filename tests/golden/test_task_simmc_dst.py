"""Task simmc/dst: the official numbers, from the files as they are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from commonground.corpora.simmc.tasks.dst.task import TASK
from commonground.statistics.counts import sum_counts
from commonground.task import Gold


@pytest.mark.parametrize("number", range(4))
def test_official_values(golden: Path, expected: Any, number: int) -> None:
    entry = expected["simmc_dst"][number]
    gold = Gold(files=[golden / entry["target"]])
    scoring = TASK.score_file(golden / entry["predicted"], gold)
    official = TASK.measures[0]
    sums = sum_counts(each.counts[official.name] for each in scoring.instances)
    assert official.std_err is not None
    errors = {f"{name}_stderr": value for name, value in official.std_err(sums).items()}
    for name, value in (official.combine(sums) | errors).items():
        assert value == pytest.approx(entry[name], rel=0, abs=1e-9), name
    problems = {each.kind: each.count for each in scoring.problems}
    assert problems.get("unparsed turns", 0) == int(entry["unparsed_turns"])
    assert not {"missing turns", "other contexts"} & set(problems)
