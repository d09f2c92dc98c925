"""The tables that the authors released beside their notebook, made from the store.

A row a game and worker (``worker_data.pickle``), and a row a game and round of the games whose
players both finished two to five (``game_statistics.pickle``), with all of their columns.

Source: dmg-photobook/photobook_dataset@cf01f08 ACL_Analysis.ipynb, ``collect_worker_data`` and
``collect_game_statistics`` with ``filtering='all'``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from string import punctuation

from commonground.corpora.photobook.figures.authors import (
    ROUNDS_QUERY,
    WHY_CONTENT,
    WHY_TOKENS,
)
from commonground.corpora.photobook.figures.published import ROUNDS, WORKERS
from commonground.corpora.photobook.figures.wordcounts import (
    FUNCTION_WORDS,
    NO_WORDS,
    Words,
    count_round_words,
    mean,
)
from commonground.corpora.photobook.figures.words import penn_tokens
from commonground.figure import Data, Figure, FigureColumn, PublishedValue, Row

# Tokens keep their case here, and so "The" is no stop word, as upstream.
_GAMES = f"""
    WITH tokens AS (
        SELECT dialogue_id, unnest({penn_tokens("text")}) AS token FROM events
        WHERE corpus = $corpus AND kind = 'utterance'
    ), counted AS (
        SELECT dialogue_id, token, count(*) AS n,
               token NOT IN (SELECT unnest($other_tokens)) AS content
        FROM tokens WHERE token <> '' GROUP BY ALL
    ), words AS (
        SELECT dialogue_id, sum(n) AS tokens, coalesce(sum(n) FILTER (content), 0) AS content,
               count(*) AS uniq, count(*) FILTER (content) AS unique_content
        FROM counted GROUP BY ALL
    ), times AS (
        SELECT dialogue_id, max(at_s) - min(at_s) AS seconds FROM events
        WHERE corpus = $corpus GROUP BY ALL
    ), scores AS (
        SELECT dialogue_id, sum(value) AS score FROM outcomes
        WHERE corpus = $corpus AND name = 'score' GROUP BY ALL
    )
    SELECT dialogue_id, agent_id, strftime(started_at, '%Y-%m-%dT%H:%M:%S.%f'), score, seconds,
           n_utterances, coalesce(tokens, 0), coalesce(content, 0), coalesce(uniq, 0),
           coalesce(unique_content, 0)
    FROM dialogues JOIN speakers USING (corpus, dialogue_id) LEFT JOIN words USING (dialogue_id)
         LEFT JOIN times USING (dialogue_id) LEFT JOIN scores USING (dialogue_id)
    WHERE corpus = $corpus ORDER BY TRY_CAST(dialogue_id AS INTEGER), dialogue_id, speaker
"""

_MARKED = """
    SELECT dialogue_id, max(at_s) FILTER (name = 'selection') - min(at_s) FROM events
    WHERE corpus = $corpus GROUP BY ALL
"""
"""Seconds from the first message of a game to its last mark."""


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def list_worker_games(data: Data) -> list[Row]:
    """Lists for each game and worker what ``collect_worker_data`` does, after the game's id."""
    other = sorted(FUNCTION_WORDS.union(punctuation))
    return [
        [
            *row,
            _share(row[8], row[6]),
            _share(row[7], row[6]),
            _share(row[9], row[8]),
        ]
        for row in data.rows(_GAMES, {"other_tokens": other})
    ]


def list_game_rounds(data: Data) -> list[Row]:
    """Lists for each game and round what ``collect_game_statistics`` does."""
    words = data.share(count_round_words)
    lasting = {game: seconds for game, seconds in data.rows(_MARKED)}  # noqa: C416 - typed rows
    rounds = sorted(data.rows(ROUNDS_QUERY), key=lambda row: (_order(row[1]), row[0]))
    scores: dict[str, float] = {}
    for _number, game, _seconds, score, _texts in rounds:
        scores[game] = scores.get(game, 0) + score
    return [
        [
            game,
            lasting[game],
            scores[game],
            number,
            seconds,
            score,
            texts,
            *_list_words(words.get((game, number), NO_WORDS).kept, texts),
        ]
        for number, game, seconds, score, texts in rounds
    ]


def _order(game: str) -> tuple[int, str]:
    return (int(game) if game.isdecimal() else -1), game


def _list_words(said: Words, texts: int) -> list[float]:
    return [
        said.tokens,
        _share(said.tokens, texts),
        said.content,
        said.unique,
        said.unique_content,
        said.new,
        said.new_content,
        _share(said.unique, said.tokens),
        _share(said.content, said.tokens),
        _share(said.unique_content, said.unique),
    ]


_CONTENT_COLUMNS = (
    FigureColumn("unique_total", "different of all tokens", "", 4),
    FigureColumn("content_total", "content words of all tokens", "", 4),
    FigureColumn("unique_content_unique", "content words of different tokens", "", 4),
)

WORKER_GAMES = Figure(
    name="authors-worker-games",
    title="Games of each worker, as the authors list them",
    caption=(
        "A row a game and worker with the columns of the authors' worker_data, the game before "
        "them. Tokens are those of both players. What is no content word is by our list."
    ),
    columns=(
        FigureColumn("game", "game"),
        FigureColumn("worker", "Worker_ID"),
        FigureColumn("timestamp", "Timestamp"),
        FigureColumn("score", "Score", "points"),
        FigureColumn("duration", "Duration", "s", 3),
        FigureColumn("messages", "Messages"),
        FigureColumn("tokens", "Tokens"),
        FigureColumn("content", "Content"),
        FigureColumn("unique", "Unique"),
        FigureColumn("unique_content", "Unique_Content"),
        *_CONTENT_COLUMNS,
    ),
    compute=lambda data: data.share(list_worker_games),
    link="id:{game}",
    listing=True,
)

GAME_ROUNDS = Figure(
    name="authors-game-rounds",
    title="Rounds of each game, as the authors list them",
    caption=(
        "A row a game and round with the columns of the authors' game_statistics: games whose "
        "players both finished two to five, texts before the writer's last mark. What is no "
        "content word is by our list."
    ),
    columns=(
        FigureColumn("game", "Game_ID"),
        FigureColumn("game_duration", "Game_Duration", "s", 3),
        FigureColumn("game_score", "Game_Score", "points"),
        FigureColumn("round", "Round_Nr"),
        FigureColumn("duration", "Duration", "s", 3),
        FigureColumn("score", "Score", "points"),
        FigureColumn("messages", "Messages"),
        FigureColumn("tokens", "Tokens"),
        FigureColumn("tokens_message", "Tokens/Message", "", 4),
        FigureColumn("content", "Content"),
        FigureColumn("unique", "Unique"),
        FigureColumn("unique_content", "Unique_Content"),
        FigureColumn("new", "New"),
        FigureColumn("new_content", "New_Content"),
        *_CONTENT_COLUMNS,
    ),
    compute=lambda data: data.share(list_game_rounds),
    link="id:{game}",
    listing=True,
)

_LISTINGS = {
    "worker_data": (WORKER_GAMES, list_worker_games),
    "game_statistics": (GAME_ROUNDS, list_game_rounds),
}


def _average(data: Data) -> Iterable[Row]:
    """Yields the number of rows of each table, and the mean of each column that has one."""
    for table, (figure, gather) in _LISTINGS.items():
        rows = data.share(gather)
        yield [table, "rows", float(len(rows))]
        for number, column in enumerate(figure.columns):
            if column.name not in _NAMES:
                values = [row[number] for row in rows if row[number] is not None]
                yield [table, column.name, mean(values)]


_NAMES = ("game", "worker", "timestamp", "round")
"""Columns that say which row it is."""

# Means of the released tables, by column.
_RELEASED: Mapping[str, Mapping[str, float]] = {
    "worker_data": {
        "rows": 5004,
        "score": 28.583533,
        "duration": 854.298413,
        "messages": 65.665867,
        "tokens": 413.809353,
        "content": 220.141487,
        "unique": 118.387690,
        "unique_content": 83.816547,
        "unique_total": 0.298517,
        "content_total": 0.544787,
        "unique_content_unique": 0.705108,
    },
    "game_statistics": {
        "rows": 8655,
        "game_duration": 779.022491,
        "game_score": 28.663778,
        "duration": 126.422922,
        "score": 5.732756,
        "messages": 10.193761,
        "tokens": 69.559676,
        "tokens_message": 6.756772,
        "content": 33.810630,
        "unique": 40.085269,
        "unique_content": 24.752629,
        "new": 19.081918,
        "new_content": 12.817100,
        "unique_total": 0.616170,
        "content_total": 0.516076,
        "unique_content_unique": 0.624828,
    },
}
_SOURCES = {"worker_data": WORKERS, "game_statistics": ROUNDS}

_WHY_UNIQUE = (
    "They put 182 spellings right first (their oov_dictionary.pickle), so that fewer tokens differ."
)


def _explain(table: str, column: str) -> str:
    if "content" in column:
        return WHY_CONTENT
    if column in ("unique", "new", "unique_total") and table == "game_statistics":
        return _WHY_UNIQUE
    return WHY_TOKENS if column in ("unique", "unique_total") or "tokens" in column else ""


AUTHORS_TABLES = Figure(
    name="authors-tables",
    title="The authors' tables, column by column",
    caption=(
        "Rows of authors-worker-games (their worker_data) and of authors-game-rounds (their "
        "game_statistics), and the mean of each column."
    ),
    columns=(
        FigureColumn("table_name", "table"),
        FigureColumn("column_name", "column"),
        FigureColumn("mean", "mean"),
    ),
    compute=lambda data: list(_average(data)),
    published=tuple(
        PublishedValue(
            name=f"{table}: {column.replace('_', ' ')}",
            column="mean",
            row={"table_name": table, "column_name": column},
            value=value,
            source=_SOURCES[table],
            tolerance=0.0 if column == "rows" else 0.0000005,
            why=_explain(table, column),
        )
        for table, columns in _RELEASED.items()
        for column, value in columns.items()
    ),
)

TABLES_FIGURES = (AUTHORS_TABLES, WORKER_GAMES, GAME_ROUNDS)
