"""PhotoBook segments and chains: what the authors' heuristic gives on the real games."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import pytest

from commonground.corpora.photobook.native import Game
from commonground.corpora.photobook.segments import (
    Segmentation,
    build_chains,
    segment_game,
    to_released,
)
from tests.golden.conftest import read_json

Games = list[tuple[Game, Segmentation]]


@pytest.fixture(scope="module")
def games(data: Path) -> dict[int, tuple[Game, Segmentation]]:
    """Every game of the two splits with its segments, by game id."""
    splits = read_json(data / "photobook" / "data_splits.json")
    wanted = {*splits["val"], *splits["dev"]}
    found = {}
    for path in (data / "photobook" / "logs").glob("*.json"):
        if int(path.name.partition("_")[0]) in wanted:
            game = msgspec.json.decode(path.read_bytes(), type=Game)
            found[game.game_id] = (game, segment_game(game))
    return found


@pytest.fixture(params=["val", "dev"])
def split(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture
def chosen(data: Path, games: dict[int, tuple[Game, Segmentation]], split: str) -> Games:
    return [games[g] for g in read_json(data / "photobook" / "data_splits.json")[split]]


@pytest.fixture
def wanted(expected: Any, split: str) -> Any:
    return expected["photobook_segmentation"][split]


def count_lengths(things: Any) -> dict[str, int]:
    return {str(length): n for length, n in Counter(len(each) for each in things).items()}


def test_segments_are_the_official_ones(chosen: Games, wanted: Any) -> None:
    released = [row for game, found in chosen for row in to_released(game, found.segments)]
    digest = hashlib.sha256(json.dumps(sorted(released)).encode()).hexdigest()
    assert (len(chosen), len(released)) == (wanted["games"], wanted["segments"])
    assert digest == wanted["sha256_sorted"]


def test_statistics_of_segments(chosen: Games, wanted: Any) -> None:
    segments = [segment for _game, found in chosen for segment in found.segments]
    sizes = count_lengths(segment.targets for segment in segments)
    lengths = [len(segment.messages) for segment in segments]
    assert sizes == wanted["targets_per_segment"]
    assert {k: n / len(segments) for k, n in sizes.items()} == pytest.approx(wanted["share"])
    assert sum(lengths) / len(lengths) == pytest.approx(wanted["messages_per_segment_mean"])
    assert lengths.count(0) == wanted["empty_segments"]


def test_cases_of_the_heuristic(chosen: Games, wanted: Any) -> None:
    cases: Counter[int] = Counter()
    for _game, found in chosen:
        cases.update(found.cases)
    assert {f"Case {number}": n for number, n in cases.items()} == wanted["cases"]


def test_statistics_of_chains(chosen: Games, wanted: Any) -> None:
    chains = [chain.segments for _game, found in chosen for chain in build_chains(found.segments)]
    assert len(chains) == wanted["chains"]
    assert count_lengths(chains) == wanted["segments_per_chain"]
    assert sum(map(len, chains)) / len(chains) == pytest.approx(wanted["mean_chain"])
    assert sum(len(chain) >= 2 for chain in chains) == wanted["chains_ge2"]


def test_every_split_is_tested(expected: Any) -> None:
    assert set(expected["photobook_segmentation"]) == {"val", "dev"}
