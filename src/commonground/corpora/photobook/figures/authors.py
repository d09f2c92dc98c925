"""The authors' own statistics of rounds, with their selection of games and texts.

They take games whose players both finished two to five games, let a round end with its last
mark, and take a player's texts up to the player's last mark only.

Source: dmg-photobook/photobook_dataset@cf01f08 ACL_Analysis.ipynb, ``collect_game_statistics``
with ``filtering='all'``; its results are released as ``game_statistics.pickle``.
"""

from __future__ import annotations

from commonground.corpora.photobook.figures.published import ROUNDS
from commonground.corpora.photobook.figures.wordcounts import (
    NO_WORDS,
    count_round_words,
    mean,
)
from commonground.figure import Behind, Chart, Data, Figure, FigureColumn, PublishedValue, Row

ROUNDS_QUERY = """
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


def _compute(data: Data) -> list[Row]:
    words = data.share(count_round_words)
    rounds: dict[int, list[Row]] = {}
    for row in data.rows(ROUNDS_QUERY):
        rounds.setdefault(row[0], []).append(row)
    rows: list[Row] = []
    for number, found in rounds.items():
        said = [words.get((game, number), NO_WORDS).kept for _, game, *_ in found]
        texts = [row[4] for row in found]
        pairs = zip(said, texts, strict=True)
        rows.append(
            [
                number,
                len(found),
                mean([row[2] for row in found]),
                mean([row[3] for row in found]),
                mean(texts),
                mean([each.tokens for each in said]),
                mean([each.tokens / count if count else 0.0 for each, count in pairs]),
                mean([each.content_share for each in said]),
                mean([each.new_content for each in said]),
            ]
        )
    return rows


WHY_TOKENS = (
    "Ours are divided without NLTK's model of sentences: 2 of all texts otherwise in lower case, "
    "27 as they are."
)
WHY_CONTENT = (
    "What is no content word comes from NLTK's list of stop words there, and from our list of "
    "the closed classes here; the course is the same."
)

# Means of the released table, by round: seconds, points, texts, tokens, tokens of a text,
# share of content words in percent, new content words.
_RELEASED = {
    "seconds": (175.77517, 136.11481, 117.73662, 104.05371, 98.4343),
    "score": (5.66724, 5.73368, 5.74523, 5.75159, 5.76603),
    "texts": (11.68977, 10.40728, 9.86193, 9.56961, 9.44021),
    "tokens": (93.32351, 77.29289, 66.14211, 58.13403, 52.90583),
    "tokens_per_text": (8.07231, 7.41932, 6.67239, 6.04523, 5.57461),
    "content_share": (48.083, 49.707, 51.758, 53.481, 55.008),
    "new_content": (31.59272, 14.58925, 8.32351, 5.48296, 4.09705),
}
_WHY = {
    "tokens": WHY_TOKENS,
    "tokens_per_text": WHY_TOKENS,
    "content_share": WHY_CONTENT,
    "new_content": WHY_CONTENT,
}


def _released() -> tuple[PublishedValue, ...]:
    return tuple(
        PublishedValue(
            name=f"round {number}: {name.replace('_', ' ')}",
            column=name,
            row={"round": number},
            value=value,
            source=ROUNDS,
            tolerance=0.0005 if name == "content_share" else 0.000005,
            why=_WHY.get(name, ""),
        )
        for name, values in _RELEASED.items()
        for number, value in enumerate(values, start=1)
    )


AUTHORS_ROUNDS = Figure(
    name="authors-rounds",
    title="Rounds as the authors count them",
    caption=(
        "Means over the games whose players both finished two to five. A round ends with its last "
        "mark, and texts of a player after the player's last mark are left out."
    ),
    columns=(
        FigureColumn("round", "round"),
        FigureColumn("games", "games"),
        FigureColumn("seconds", "duration", "s", 2),
        FigureColumn("score", "score", "points", 4),
        FigureColumn("texts", "texts", "", 2),
        FigureColumn("tokens", "tokens", "", 2),
        FigureColumn("tokens_per_text", "tokens of a text", "", 3),
        FigureColumn("content_share", "content words", "%", 2),
        FigureColumn("new_content", "new content words", "", 2),
    ),
    compute=_compute,
    chart=Chart(kind="line", x="round", y=("seconds", "content_share", "new_content"), zero=False),
    behind=Behind(
        keys=("round",), query=f"SELECT segment AS round, dialogue_id FROM ({ROUNDS_QUERY})"
    ),
    published=(
        PublishedValue(
            name="games that the authors took",
            column="games",
            row={"round": 1},
            value=1731,
            source=ROUNDS,
        ),
        *_released(),
    ),
)
