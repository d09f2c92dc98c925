"""What PhotoBook holds: games, messages, scores, answers, image sets."""

from __future__ import annotations

from commonground.corpora.photobook.figures.published import (
    FOUR_GAMES,
    OTHER_GAMES,
    SITE_ANALYSIS,
    SITE_DATASET,
    WORKERS,
)
from commonground.figure import (
    Behind,
    Chart,
    Figure,
    FigureColumn,
    PublishedValue,
    published_measure,
)

_SCORES = """
    SELECT dialogue_id, sum(value) AS score FROM outcomes
    WHERE corpus = $corpus AND name = 'score' GROUP BY dialogue_id
"""
_TIMES = """
    SELECT dialogue_id, max(at_s) - min(at_s) AS seconds FROM events
    WHERE corpus = $corpus GROUP BY dialogue_id
"""
_DURATIONS = f"""
    SELECT 2 * CAST(floor(seconds / 120) AS INTEGER) AS minutes, dialogue_id FROM ({_TIMES})
"""
_ANSWERS = """
    SELECT CASE name WHEN 'col' THEN 'collaboration went well'
                     WHEN 'partner_u' THEN 'partner understood me'
                     ELSE 'I understood partner' END AS question,
           CAST(value AS INTEGER) AS answer, dialogue_id
    FROM outcomes WHERE corpus = $corpus AND name IN ('col', 'partner_u', 'self_u')
"""
_SCHEDULES = """
    SELECT domain, CASE WHEN CAST(attributes ->> 'domain_id' AS INTEGER) % 2 = 1
                        THEN 'II' ELSE 'I' END AS schedule, dialogue_id
    FROM dialogues WHERE corpus = $corpus
"""


OVERVIEW = Figure(
    name="overview",
    title="PhotoBook in numbers",
    caption=(
        "Texts are messages of the players; actions are clicks and questionnaires; a game lasts "
        "from its first message to its last."
    ),
    columns=(
        FigureColumn("measure", "what"),
        FigureColumn("number", "number"),
        FigureColumn("unit", "unit"),
    ),
    query=f"""
        WITH scores AS ({_SCORES}), times AS ({_TIMES}),
        feedback AS (
            SELECT dialogue_id, count(*) AS sides FROM outcomes
            WHERE corpus = $corpus AND name = 'col' GROUP BY dialogue_id
        )
        SELECT unnest(['games', 'texts', 'actions', 'agents', 'images', 'image sets',
                       'texts of a game', 'score', 'full scores', 'scores below 24',
                       'duration', 'shortest game', 'longest game',
                       'games without one feedback']) AS measure,
               unnest([games, texts, actions, agents, images, sets,
                       texts / games, score, full_scores, low_scores,
                       seconds, shortest, longest, without_feedback]) AS number,
               unnest(['', '', '', '', '', '', '', 'points', '%', '%', 's', 's', 's', ''])
                   AS unit
        FROM (SELECT count(*) AS games, sum(n_utterances) AS texts,
                     sum(n_events - n_utterances) AS actions, count(DISTINCT domain) AS sets
              FROM dialogues WHERE corpus = $corpus),
             (SELECT count(DISTINCT agent_id) AS agents FROM speakers WHERE corpus = $corpus),
             (SELECT count(*) AS images FROM objects WHERE corpus = $corpus),
             (SELECT avg(score) AS score,
                     100.0 * count(*) FILTER (score = 30) / count(*) AS full_scores,
                     100.0 * count(*) FILTER (score < 24) / count(*) AS low_scores
              FROM scores),
             (SELECT avg(seconds) AS seconds, min(seconds) AS shortest, max(seconds) AS longest
              FROM times),
             (SELECT count(*) FILTER (coalesce(sides, 0) < 2) AS without_feedback
              FROM scores LEFT JOIN feedback USING (dialogue_id))
    """,
    published=(
        published_measure("games", "games", 2506, SITE_DATASET, why=FOUR_GAMES),
        published_measure("utterances", "texts", 164615, SITE_DATASET, why=OTHER_GAMES),
        published_measure("texts", "texts", 164296, WORKERS),
        published_measure("actions", "actions", 130322, SITE_DATASET, why=OTHER_GAMES),
        published_measure("unique workers", "agents", 1514, SITE_ANALYSIS, why=OTHER_GAMES),
        published_measure("unique workers", "agents", 1550, WORKERS),
        published_measure(
            "mean score", "score", 28.62, SITE_ANALYSIS, tolerance=0.005, why=OTHER_GAMES
        ),
        published_measure("mean score", "score", 28.58353, WORKERS, tolerance=0.00001),
        published_measure(
            "scores below 24", "scores below 24", 1.2, SITE_ANALYSIS, unit="%", tolerance=0.05
        ),
        published_measure(
            "mean duration (14.2 min)", "duration", 852, SITE_ANALYSIS, unit="s", tolerance=3
        ),
        published_measure(
            "mean duration", "duration", 854.29841, WORKERS, unit="s", tolerance=0.00001
        ),
        published_measure(
            "shortest game (4 min)",
            "shortest game",
            240,
            SITE_ANALYSIS,
            unit="s",
            tolerance=30,
            why="One game is shorter; the next one lasts 4.1 min.",
        ),
        published_measure(
            "longest game (53 min)",
            "longest game",
            3180,
            SITE_ANALYSIS,
            unit="s",
            tolerance=30,
            why="One game is longer; the next one lasts 52.6 min.",
        ),
    ),
)

ACTIONS = Figure(
    name="actions",
    title="What players do",
    caption="Messages by kind: texts, and actions by their name.",
    columns=(
        FigureColumn("kind", "message"),
        FigureColumn("messages", "messages"),
        FigureColumn("per_game", "in a game, mean", "", 2),
    ),
    query="""
        SELECT coalesce(name, 'text') AS kind, count(*) AS messages,
               count(*) / (SELECT count(*) FROM dialogues WHERE corpus = $corpus) AS per_game
        FROM events WHERE corpus = $corpus GROUP BY ALL ORDER BY messages DESC, kind
    """,
    chart=Chart(x="kind", y=("messages",)),
    link=lambda row: "kind:utterance" if row["kind"] == "text" else f"action:{row['kind']}",
)

SCORES = Figure(
    name="scores",
    title="Scores of games",
    caption="Games by the total score of both players over five rounds; 30 is full.",
    columns=(
        FigureColumn("score", "score of a game", "points"),
        FigureColumn("games", "games"),
        FigureColumn("share", "share of games", "%", 2),
    ),
    query=f"""
        SELECT CAST(score AS INTEGER) AS score, count(*) AS games,
               100.0 * count(*) / sum(count(*)) OVER () AS share
        FROM ({_SCORES}) GROUP BY ALL ORDER BY score
    """,
    chart=Chart(kind="histogram", x="score", y=("games",)),
    link="score:{score}",
    published=(
        PublishedValue(
            name="full scores",
            column="share",
            row={"score": 30},
            value=39,
            source=SITE_ANALYSIS,
            tolerance=0.5,
        ),
    ),
)

DURATIONS = Figure(
    name="durations",
    title="How long games last",
    caption="Games by the minutes from their first message to their last, in steps of two.",
    columns=(
        FigureColumn("minutes", "duration, from", "min"),
        FigureColumn("games", "games"),
    ),
    query=f"""
        SELECT minutes, count(*) AS games FROM ({_DURATIONS}) GROUP BY ALL ORDER BY minutes
    """,
    chart=Chart(kind="histogram", x="minutes", y=("games",)),
    behind=Behind(keys=("minutes",), query=_DURATIONS),
)

QUESTIONNAIRE = Figure(
    name="questionnaire",
    title="What players say of each other",
    caption="Answers from 1 to 5 to the three statements of the closing questionnaire.",
    columns=(
        FigureColumn("question", "question"),
        FigureColumn("answer", "answer"),
        FigureColumn("answers", "answers"),
        FigureColumn("share", "share", "%", 1),
    ),
    query=f"""
        SELECT question, answer, count(*) AS answers,
               100.0 * count(*) / sum(count(*)) OVER (PARTITION BY question) AS share
        FROM ({_ANSWERS}) GROUP BY question, answer ORDER BY question, answer
    """,
    chart=Chart(x="answer", y=("answers",), color="question"),
    behind=Behind(keys=("question", "answer"), query=_ANSWERS),
)

DOMAINS = Figure(
    name="domains",
    title="Image sets and schedules",
    caption=(
        "Games by image set and by the schedule in which its images are shown: domains with even "
        "numbers follow the first, those with odd numbers the second."
    ),
    columns=(
        FigureColumn("domain", "image set"),
        FigureColumn("schedule", "schedule"),
        FigureColumn("games", "games"),
    ),
    query=f"""
        SELECT domain, schedule, count(*) AS games
        FROM ({_SCHEDULES}) GROUP BY ALL ORDER BY domain, schedule
    """,
    chart=Chart(kind="heatmap", x="schedule", y=("domain",), color="games"),
    behind=Behind(keys=("domain", "schedule"), query=_SCHEDULES),
)

GAMES_FIGURES = (OVERVIEW, ACTIONS, SCORES, DURATIONS, QUESTIONNAIRE, DOMAINS)
