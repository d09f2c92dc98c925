"""The authors' own statistics of games and rounds, with their selection of games and texts.

For rounds they take games whose players both finished two to five games, let a round end with its
last mark, and take a player's texts up to the player's last mark only. Beside their notebook they
released two tables, made from the store here with all of their columns: a row a game and worker
(``worker_data.pickle``), and a row a game and round (``game_statistics.pickle``).

Source: dmg-photobook/photobook_dataset@cf01f08 ACL_Analysis.ipynb, ``collect_worker_data``, and
``collect_game_statistics`` with ``filtering='all'``.
"""

from __future__ import annotations

from collections.abc import Iterable
from string import punctuation

from commonground.corpora.photobook.figures.round_words import (
    FUNCTION_WORDS,
    NO_WORDS,
    MessageWords,
    count_round_words,
    mean,
)
from commonground.corpora.photobook.figures.words import penn_tokens
from commonground.figure import Data, Row
from commonground.statistics.means import bound_mean

# Anyone who marked nothing in a round has no last mark: compared with null, none of their texts
# counts. A round without any mark has no end, and so no seconds: it is left out.
_ROUNDS = """
    WITH chosen AS (
        SELECT dialogue_id FROM speakers
        JOIN (SELECT agent_id, count(*) AS games FROM speakers
              WHERE corpus = $corpus GROUP BY agent_id) USING (agent_id)
        WHERE corpus = $corpus
        GROUP BY dialogue_id HAVING min(games) >= 2 AND max(games) <= 5
    ), marks AS (
        SELECT dialogue_id, segment, speaker, max(event) AS last_mark FROM events
        WHERE corpus = $corpus AND name = 'selection' GROUP BY ALL
    ), timed AS (
        SELECT dialogue_id, segment,
               max(at_s) FILTER (name = 'selection') - min(at_s) AS seconds,
               count(text) FILTER (event < last_mark) AS texts
        FROM events LEFT JOIN marks USING (dialogue_id, segment, speaker)
        WHERE corpus = $corpus GROUP BY ALL
    ), scored AS (
        SELECT dialogue_id, segment, sum(value) AS score FROM outcomes
        WHERE corpus = $corpus AND name = 'score' GROUP BY ALL
    )
    SELECT segment, dialogue_id, seconds, score, texts
    FROM timed JOIN chosen USING (dialogue_id) JOIN scored USING (dialogue_id, segment)
    WHERE seconds IS NOT NULL
    ORDER BY segment, dialogue_id
"""


def compute_rounds(data: Data) -> list[Row]:
    """Averages what the authors count of each round over their games."""
    words = data.share(count_round_words)
    rounds: dict[int, list[Row]] = {}
    for row in data.rows(_ROUNDS):
        rounds.setdefault(row[0], []).append(row)
    rows: list[Row] = []
    for number, found in rounds.items():
        said = [words.get((game, number), NO_WORDS).kept for _, game, *_ in found]
        # The columns are those of _ROUNDS: round, game, seconds, score, texts.
        texts = [row[4] for row in found]
        pairs = zip(said, texts, strict=True)
        rows.append(
            [
                number,
                len(found),
                *bound_mean([row[2] for row in found]),
                mean([row[3] for row in found]),
                mean(texts),
                mean([each.tokens for each in said]),
                # A round without such texts counts as 0 here; in ``round_words`` it is left out.
                mean([each.tokens / count if count else 0.0 for each, count in pairs]),
                *bound_mean([each.content_share for each in said]),
                *bound_mean([each.new_content for each in said]),
            ]
        )
    return rows


def list_rounds(data: Data) -> list[Row]:
    """Gives each round that is counted with its game."""
    return [row[:2] for row in data.rows(_ROUNDS)]


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
    # A list, since a parameter of a query takes no set; in order, so that the query is the same.
    other = sorted(FUNCTION_WORDS.union(punctuation))
    return [
        [
            *row,
            _share(row[8], row[6]),
            _share(row[7], row[6]),
            _share(row[9], row[8]),
        ]
        # Columns 6 to 9 are tokens, content, unique and unique_content.
        for row in data.rows(_GAMES, {"other_tokens": other})
    ]


def list_game_rounds(data: Data) -> list[Row]:
    """Lists for each game and round what ``collect_game_statistics`` does."""
    words = data.share(count_round_words)
    lasting = {game: seconds for game, seconds in data.rows(_MARKED)}  # noqa: C416 - typed rows
    rounds = sorted(data.rows(_ROUNDS), key=lambda row: (_order(row[1]), row[0]))
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
    # As numbers, since as texts game 10 stands before game 9.
    return (int(game) if game.isdecimal() else -1), game


def _list_words(said: MessageWords, texts: int) -> list[float]:
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


_MEASURED = {
    "worker_data": (
        "score duration messages tokens content unique unique_content "
        "unique_total content_total unique_content_unique",
        list_worker_games,
        3,
    ),
    "game_statistics": (
        "game_duration game_score round duration score messages tokens tokens_message content "
        "unique unique_content new new_content unique_total content_total unique_content_unique",
        list_game_rounds,
        1,
    ),
}
"""For each table its measures, what lists its rows, and where the measures begin in a row."""


def compute_means(data: Data) -> list[Row]:
    """Gives the number of rows of each table, and the mean of each measure."""
    return list(_average(data))


def _average(data: Data) -> Iterable[Row]:
    for table, (names, gather, begin) in _MEASURED.items():
        rows = data.share(gather)
        yield [table, "rows", float(len(rows))]
        for number, name in enumerate(names.split(), begin):
            # The mean of the numbers 1 to 5 says nothing.
            if name != "round":
                yield [table, name, mean([row[number] for row in rows if row[number] is not None])]
