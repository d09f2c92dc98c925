"""What the authors' site says of the files, number by number."""

from __future__ import annotations

from commonground.corpora.photobook.figures.published import SITE_DATASET
from commonground.figure import Figure, FigureColumn, PublishedValue, published_measure

_QUERY = """
    WITH shown AS (
        SELECT dialogue_id, segment, viewer, count(*) AS images,
               count(*) FILTER (highlighted) AS marked
        FROM displays WHERE corpus = $corpus GROUP BY ALL
    ), played AS (
        SELECT dialogue_id, count(*) AS agents FROM speakers WHERE corpus = $corpus GROUP BY ALL
    ), scores AS (
        SELECT dialogue_id, segment, speaker, value AS score FROM outcomes
        WHERE corpus = $corpus AND name = 'score'
    ), rounds AS (
        SELECT dialogue_id, segment, sum(score) AS score FROM scores GROUP BY ALL
    ), players AS (
        SELECT dialogue_id, speaker, sum(score) AS score FROM scores GROUP BY ALL
    ), games AS (
        SELECT dialogue_id, sum(score) AS score, count(DISTINCT segment) AS rounds
        FROM scores GROUP BY ALL
    )
    SELECT unnest(['games', 'images of a display, fewest', 'images of a display, most',
                   'highlighted images, fewest', 'highlighted images, most',
                   'rounds of a game, fewest', 'rounds of a game, most',
                   'players of a game, fewest', 'players of a game, most',
                   'game id, least', 'game id, greatest', 'domain id, least', 'domain id, greatest',
                   'round, least', 'round, greatest', 'answer of a questionnaire, least',
                   'answer of a questionnaire, greatest', 'score of a player in a round, least',
                   'score of a player in a round, greatest', 'score of a player, greatest',
                   'score of a round, greatest', 'score of a game, greatest']) AS measure,
           unnest([games, images_min, images_max, marked_min, marked_max, rounds_min, rounds_max,
                   agents_min, agents_max, id_min, id_max, domain_min, domain_max, round_min,
                   round_max, answer_min, answer_max, score_min, score_max, player_max,
                   both_max, game_max]) AS number
    FROM (SELECT count(*) AS games, min(TRY_CAST(dialogue_id AS INTEGER)) AS id_min,
                 max(TRY_CAST(dialogue_id AS INTEGER)) AS id_max,
                 min(CAST(attributes ->> 'domain_id' AS INTEGER)) AS domain_min,
                 max(CAST(attributes ->> 'domain_id' AS INTEGER)) AS domain_max
          FROM dialogues WHERE corpus = $corpus),
         (SELECT min(images) AS images_min, max(images) AS images_max, min(marked) AS marked_min,
                 max(marked) AS marked_max FROM shown),
         (SELECT min(agents) AS agents_min, max(agents) AS agents_max FROM played),
         (SELECT min(segment) AS round_min, max(segment) AS round_max, min(score) AS score_min,
                 max(score) AS score_max FROM scores),
         (SELECT max(score) AS both_max FROM rounds),
         (SELECT max(score) AS player_max FROM players),
         (SELECT max(score) AS game_max, min(rounds) AS rounds_min, max(rounds) AS rounds_max
          FROM games),
         (SELECT min(value) AS answer_min, max(value) AS answer_max FROM outcomes
          WHERE corpus = $corpus AND name IN ('col', 'partner_u', 'self_u'))
"""

_STRAY = (
    "Six times a stray mark on an image that was not the player's own was counted, too: game 1657 "
    "has one of these scores of 4."
)


def _say(measure: str, value: float, why: str = "") -> PublishedValue:
    return published_measure(measure, measure, value, SITE_DATASET, why=why)


DOCUMENTED = Figure(
    name="documented",
    title="What the site says of the files",
    caption=(
        "Least and greatest values in the released games of what the page of the data set gives "
        "a number for, beside those of the table above."
    ),
    columns=(FigureColumn("measure", "what"), FigureColumn("number", "number")),
    query=_QUERY,
    published=(
        _say("games", 2502),
        _say("images of a display, fewest", 6),
        _say("images of a display, most", 6),
        _say("highlighted images, fewest", 3),
        _say("highlighted images, most", 3),
        _say("rounds of a game, fewest", 5),
        _say("rounds of a game, most", 5),
        _say("players of a game, fewest", 2),
        _say("players of a game, most", 2),
        _say("game id, least", 0),
        _say("game id, greatest", 2501),
        _say("domain id, least", 0),
        _say("domain id, greatest", 60),
        _say("round, least", 1),
        _say("round, greatest", 5),
        _say("score of a player in a round, least", 0),
        _say("score of a player in a round, greatest", 3, _STRAY),
        _say("score of a player, greatest", 15, _STRAY),
        _say("score of a round, greatest", 6, _STRAY),
        _say("score of a game, greatest", 30, _STRAY),
    ),
)
