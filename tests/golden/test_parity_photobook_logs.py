"""PhotoBook logs: what the authors' processor counts in all games."""

from __future__ import annotations

import statistics
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import pytest

from commonground.corpora.photobook.native import Game, Message, message_type


@pytest.fixture(scope="module")
def games(data: Path) -> list[Game]:
    decoder = msgspec.json.Decoder(Game)
    paths = (data / "photobook" / "logs").glob("*.json")
    found = [decoder.decode(path.read_bytes()) for path in paths]
    return [game for game in found if len(game.rounds) >= 5]


def list_messages(games: list[Game]) -> list[Message]:
    return [message for game in games for each in game.rounds for message in each.messages]


def test_messages_by_type(games: list[Game], expected: Any) -> None:
    wanted = expected["photobook_logs"]
    types = Counter(message_type(message.message) for message in list_messages(games))
    assert len(games) == wanted["complete"]
    assert types == wanted["message_types"]
    assert types.total() == wanted["total_messages"]


def test_selections_by_label(games: list[Game], expected: Any) -> None:
    texts = [message.message.split() for message in list_messages(games)]
    labels = Counter(words[1] for words in texts if words[:1] == ["<selection>"])
    assert labels == expected["photobook_logs"]["selection_labels"]


def test_scores_of_games(games: list[Game], expected: Any) -> None:
    wanted = expected["photobook_logs"]["score"]
    scores = [sum(each.score.A + each.score.B for each in game.rounds) for game in games]
    spread = {str(score): n for score, n in Counter(scores).items()}
    assert (sum(scores), min(scores), max(scores)) == (wanted["sum"], wanted["min"], wanted["max"])
    assert spread == wanted["dist"]
    assert scores.count(30) == wanted["full30"]
    assert scores.count(30) / len(scores) == pytest.approx(wanted["full_share"])
    assert statistics.fmean(scores) == pytest.approx(wanted["mean"], rel=0, abs=1e-9)


def test_scores_of_rounds(games: list[Game], expected: Any) -> None:
    of_round: dict[str, list[int]] = {}
    for game in games:
        for each in game.rounds:
            # The processor adds 1 to numbers that are already 1 to 5; the store does not.
            name = str(each.round_nr + 1)
            of_round.setdefault(name, []).append(each.score.A + each.score.B)
    means = {name: statistics.fmean(scores) for name, scores in of_round.items()}
    assert means == pytest.approx(expected["photobook_logs"]["round_score_mean"], rel=0, abs=1e-9)
