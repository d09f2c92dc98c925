"""The authors' tables: each row as the released games have it, by hand."""

from __future__ import annotations

import pytest

from commonground.corpora.photobook.figures.authors import list_game_rounds, list_worker_games
from commonground.corpora.photobook.figures.vocabulary import count_words, split_token
from commonground.figures.figure_files import get_figure
from commonground.figures.tables import StoreData


def test_each_worker_has_a_row_a_game(data: StoreData) -> None:
    rows = [
        dict(zip(_names("authors-worker-games"), row, strict=True))
        for row in list_worker_games(data)
    ]
    played = data.rows("SELECT dialogue_id, agent_id FROM speakers WHERE corpus = $corpus")
    assert {(row["game"], row["worker"]) for row in rows} == set(played)
    query = "SELECT dialogue_id, n_utterances FROM dialogues WHERE corpus = $corpus"
    texts = {game: count for game, count in data.rows(query)}  # noqa: C416 - typed rows
    for row in rows:
        assert row["messages"] == texts[row["game"]]
        assert row["unique_content"] <= row["unique"] <= row["tokens"]
        assert row["unique_total"] == row["unique"] / row["tokens"]


def test_rounds_come_game_by_game(data: StoreData) -> None:
    rows = [
        dict(zip(_names("authors-game-rounds"), row, strict=True)) for row in list_game_rounds(data)
    ]
    assert [row["round"] for row in rows] == [1, 2, 3, 4, 5] * (len(rows) // 5)
    for number in range(0, len(rows), 5):
        game = rows[number : number + 5]
        assert {row["game_score"] for row in game} == {sum(row["score"] for row in game)}
        assert game[0]["new"] == game[0]["unique"]
        assert all(row["duration"] <= row["game_duration"] for row in game)


def _names(figure: str) -> list[str]:
    return [column.name for column in get_figure("photobook", figure).columns]


@pytest.mark.parametrize(
    ("token", "words"),
    [
        ("t-shirt", ["t", "shirt"]),
        ("red/blue", ["red", "blue"]),
        ("a-b/c", ["a", "b/c"]),
        ("-", ["-"]),
        ("*boy", ["boy"]),
        ("gla*s", ["gla*s"]),
        ("a-", ["a", ""]),
    ],
)
def test_tokens_are_divided_once_more(token: str, words: list[str]) -> None:
    assert split_token(token) == words


def test_the_vocabulary_has_words_of_training_segments_that_come_three_times(
    data: StoreData,
) -> None:
    words = count_words(data)
    assert words == sorted(words, key=lambda pair: (-pair[1], pair[0]))
    assert all(count >= 3 for _, count in words)
