"""Frame tracking: the sums of the official script."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from commonground.bench.metrics.frames_tracking import (
    GoldTurn,
    score_turn,
    tracking_tables,
)
from commonground.statistics.counts import sum_counts
from tests.golden.conftest import read_json
from tests.golden.frames_tables import render_tables


def score_file(golden: Path, name: str) -> Iterator[tuple[str, int, dict[str, float]]]:
    predicted = {each["id"]: each for each in read_json(golden / "frames" / f"pred_{name}.json")}
    for dialogue in read_json(golden / "frames" / "gold.json"):
        answers = predicted[dialogue["id"]]["turns"]
        for number, (turn, answer) in enumerate(zip(dialogue["turns"], answers, strict=True)):
            if turn["author"] == "user":
                labels = turn["labels"]
                gold = GoldTurn(labels["acts"], labels["active_frame"], labels.get("tags", ()))
                counts = score_turn(gold, answer["predictions"]["acts"])
                yield dialogue["id"], number, counts


@pytest.mark.parametrize("table", ["cnt", "cnt_noanno", "cnt_comb"])
@pytest.mark.parametrize("name", ["gold", "hash"])
def test_official_sums(golden: Path, expected: Any, name: str, table: str) -> None:
    wanted = expected["frames"][f"{name}|foldNone"]
    sums = sum_counts(counts for _dialogue, _turn, counts in score_file(golden, name))
    found = getattr(tracking_tables(sums), table)
    assert found == pytest.approx(wanted[table], rel=0, abs=1e-9)


@pytest.mark.parametrize("name", ["gold", "hash"])
def test_official_warnings_and_wrong_turns(golden: Path, expected: Any, name: str) -> None:
    wanted = expected["frames"][f"{name}|foldNone"]
    turns = list(score_file(golden, name))
    wrong = [
        [dialogue, turn]
        for dialogue, turn, counts in turns
        if counts.get("tag/total_accuracy") != counts.get("tag/total_cnt")
    ]
    warned = sum(
        v for _d, _t, counts in turns for k, v in counts.items() if k.startswith("warned/")
    )
    assert wrong == wanted["wrong_turns"]
    assert warned == wanted["warnings"]


@pytest.mark.parametrize("name", ["gold", "hash"])
def test_official_tables(golden: Path, expected: Any, name: str) -> None:
    by_tag, by_slot = expected["frames"][f"{name}|foldNone"]["tables"]
    sums = sum_counts(counts for _dialogue, _turn, counts in score_file(golden, name))
    found = render_tables(sums)
    assert found[0] == by_tag
    # The official order of equally frequent rows changes from run to run.
    assert sorted(found[1].splitlines()) == sorted(by_slot.splitlines())


def test_every_entry_is_tested(expected: Any) -> None:
    assert set(expected["frames"]) == {"gold|foldNone", "hash|foldNone"}
