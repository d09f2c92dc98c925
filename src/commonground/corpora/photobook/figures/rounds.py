"""How PhotoBook's rounds get shorter, and what is said in them."""

from __future__ import annotations

from commonground.corpora.photobook.figures.wordcounts import (
    NO_WORDS,
    RoundWords,
    count_round_words,
    mean,
)
from commonground.figure import Behind, Chart, Data, Figure, FigureColumn, Row

_ROUND = FigureColumn("round", "round")
_POINTS = """
    SELECT segment AS round, CAST(value AS INTEGER) AS points, dialogue_id
    FROM outcomes WHERE corpus = $corpus AND name = 'score'
"""

ROUNDS = Figure(
    name="rounds",
    title="From the first round to the fifth",
    caption=(
        "Means over games. A round lasts from its first message to its last click on submit, as "
        "in the authors' processor; the score is of both players."
    ),
    columns=(
        _ROUND,
        FigureColumn("games", "games"),
        FigureColumn("seconds", "duration", "s", 2),
        FigureColumn("texts", "texts", "", 2),
        FigureColumn("characters", "characters of a text", "", 2),
        FigureColumn("score", "score", "points", 4),
        FigureColumn("points_per_minute", "points per minute", "", 3),
    ),
    query="""
        WITH timed AS (
            SELECT dialogue_id, segment,
                   max(at_s) FILTER (name = 'feedback') - min(at_s) AS seconds,
                   count(text) AS texts, sum(length(text)) AS characters
            FROM events WHERE corpus = $corpus GROUP BY ALL
        ), scored AS (
            SELECT dialogue_id, segment, sum(value) AS score FROM outcomes
            WHERE corpus = $corpus AND name = 'score' GROUP BY ALL
        )
        SELECT segment AS round, count(*) AS games, avg(seconds) AS seconds,
               avg(texts) AS texts, sum(characters) / sum(texts) AS characters,
               avg(score) AS score,
               avg(60 * score / seconds) FILTER (seconds > 0) AS points_per_minute
        FROM timed LEFT JOIN scored USING (dialogue_id, segment)
        GROUP BY segment ORDER BY segment
    """,
    chart=Chart(kind="line", x="round", y=("seconds", "texts", "points_per_minute"), zero=False),
    link="round:{round}",
)

ROUND_SCORES = Figure(
    name="round-scores",
    title="Points of a player in a round",
    caption="Rounds of a player by their points; 3 is full, and six players got 4 by mistake.",
    columns=(
        _ROUND,
        FigureColumn("points", "points of a player"),
        FigureColumn("players", "players"),
        FigureColumn("share", "share", "%", 2),
    ),
    query=f"""
        SELECT round, points, count(*) AS players,
               100.0 * count(*) / sum(count(*)) OVER (PARTITION BY round) AS share
        FROM ({_POINTS}) GROUP BY round, points ORDER BY round, points
    """,
    chart=Chart(x="round", y=("share",), color="points"),
    behind=Behind(keys=("round", "points"), query=f"SELECT DISTINCT * FROM ({_POINTS})"),
)


def _compute_words(data: Data) -> list[Row]:
    words = data.share(count_round_words)
    texts = data.rows(
        "SELECT dialogue_id, segment, count(text) FROM events WHERE corpus = $corpus GROUP BY ALL"
    )
    by_round: dict[int, list[tuple[int, RoundWords]]] = {}
    for game, number, count in texts:
        by_round.setdefault(number, []).append((count, words.get((game, number), NO_WORDS)))
    return [[number, *_mean_words(found)] for number, found in sorted(by_round.items())]


def _mean_words(rounds: list[tuple[int, RoundWords]]) -> list[float | None]:
    said = [(texts, words.all) for texts, words in rounds if texts]
    return [
        mean([words.all.tokens for _, words in rounds]),
        mean([words.tokens / texts for texts, words in said]),
        mean([words.content_share for _, words in said]),
        mean([words.all.new_content for _, words in rounds]),
        mean([100 * words.new_content / words.content for _, words in said if words.content]),
    ]


WORDS_BY_ROUND = Figure(
    name="words-by-round",
    title="Words from the first round to the fifth",
    caption=(
        "Means over games of all texts, divided by the conventions of the Penn Treebank in lower "
        "case. Content words are all but marks and the closed classes of English; new ones have "
        "not been used in an earlier round of the game."
    ),
    columns=(
        _ROUND,
        FigureColumn("tokens", "tokens", "", 2),
        FigureColumn("tokens_per_text", "tokens of a text", "", 3),
        FigureColumn("content_share", "content words", "%", 2),
        FigureColumn("new_content", "new content words", "", 2),
        FigureColumn("new_share", "of the content words", "%", 2),
    ),
    compute=_compute_words,
    chart=Chart(kind="line", x="round", y=("tokens", "content_share", "new_content"), zero=False),
    link="round:{round}",
)

ROUNDS_FIGURES = (ROUNDS, ROUND_SCORES, WORDS_BY_ROUND)
