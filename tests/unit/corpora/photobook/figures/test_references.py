from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from commonground.corpora.photobook.figures.segmented import segment_games
from commonground.corpora.photobook.native import Game
from commonground.corpora.photobook.segments import Segmentation, build_chains, segment_game
from commonground.figures.figure_files import get_figure
from commonground.figures.tables import StoreData


@pytest.fixture(scope="module")
def games(files: Path) -> dict[str, Game]:
    found = [msgspec.json.decode(p.read_bytes(), type=Game) for p in files.glob("logs/*.json")]
    return {str(game.game_id): game for game in found}


@pytest.fixture(scope="module")
def segmentations(games: dict[str, Game]) -> dict[str, Segmentation]:
    return {name: segment_game(game) for name, game in games.items()}


def test_the_store_gives_the_segments_of_the_logs(
    data: StoreData, segmentations: dict[str, Segmentation]
) -> None:
    found = [game.segmentation for game in segment_games(data)]
    expected = [segmentations[name] for name in sorted(segmentations)]
    assert found == expected


def test_words_are_those_of_the_texts(data: StoreData, games: dict[str, Game]) -> None:
    by_name = dict(zip(sorted(games), segment_games(data), strict=True))
    for name, game in games.items():
        messages = [message.message for each in game.rounds for message in each.messages]
        texts = {n: len(text.split()) for n, text in enumerate(messages) if text[:1] != "<"}
        assert by_name[name].words == texts


def test_shares_and_groups_fit_the_chains(
    data: StoreData, segmentations: dict[str, Segmentation]
) -> None:
    lengths = [
        len(chain.segments)
        for each in segmentations.values()
        for chain in build_chains(each.segments)
    ]
    rows = data.run(get_figure("photobook", "chain-lengths")).rows
    assert [(n, count) for n, count, _ in rows] == [
        (n, lengths.count(n)) for n in sorted(set(lengths))
    ]
    groups = {row[0]: row[1] for row in data.run(get_figure("photobook", "chain-groups")).rows}
    assert groups["3 to 6"] == sum(3 <= n <= 6 for n in lengths)
    assert sum(groups.values()) == len(lengths)


def test_targets_and_splits_count_every_segment(
    data: StoreData, segmentations: dict[str, Segmentation]
) -> None:
    total = sum(len(each.segments) for each in segmentations.values())
    targets = data.run(get_figure("photobook", "segment-targets")).rows
    assert sum(row[1] for row in targets) == total
    assert sum(row[2] for row in targets) == pytest.approx(100)
    splits = data.run(get_figure("photobook", "segments-by-split")).rows
    assert sum(row[3] for row in splits) == total
    assert sum(row[4] for row in splits) == sum(row[0] * row[1] for row in targets)


def test_first_references_are_longer_than_last_ones(data: StoreData) -> None:
    """Simulated players shorten their descriptions, so the figure must show it."""
    rows = {row[0]: row[1:] for row in data.run(get_figure("photobook", "reference-length")).rows}
    assert rows["1"][0] == rows["last"][0] == rows["2"][0]
    assert rows["1"][2] > rows["last"][2]


def test_games_with_such_segments_and_chains_are_behind_a_bar(
    data: StoreData, segmentations: dict[str, Segmentation]
) -> None:
    targets: dict[str, set[str]] = {}
    lengths: dict[str, set[str]] = {}
    for game, each in segmentations.items():
        for segment in each.segments:
            targets.setdefault(f"segment-targets/{len(segment.targets)}", set()).add(game)
        for chain in build_chains(each.segments):
            lengths.setdefault(f"chain-lengths/{len(chain.segments)}", set()).add(game)
    assert any(0 < len(games) < len(segmentations) for games in lengths.values())
    assert find_row_dialogues(data, "segment-targets") == targets
    assert find_row_dialogues(data, "chain-lengths") == lengths
    # A chain of five segments has a fifth one, and so has each longer one.
    longer = [games for row, games in lengths.items() if int(row.rpartition("/")[2]) >= 5]
    places = find_row_dialogues(data, "reference-length")
    assert places.get("reference-length/5", set()) == set().union(*longer)


def find_row_dialogues(data: StoreData, name: str) -> dict[str, set[str]]:
    found = data.find_row_dialogues(get_figure("photobook", name))
    return {row: set(games) for row, games in found.items()}
