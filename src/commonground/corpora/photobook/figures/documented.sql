/*
title = "What the site says about the files"
caption = """
Smallest and greatest values in the released games of each quantity that the data set's page gives \
a number for, beyond those of the table above."""
order = 70

[columns]
measure = "what"
number = "number"

[[published]]
measure = "games"
value = 2502
source = "@site_dataset"

[[published]]
measure = "images per display, fewest"
value = 6
source = "@site_dataset"

[[published]]
measure = "images per display, most"
value = 6
source = "@site_dataset"

[[published]]
measure = "highlighted images, fewest"
value = 3
source = "@site_dataset"

[[published]]
measure = "highlighted images, most"
value = 3
source = "@site_dataset"

[[published]]
measure = "rounds per game, fewest"
value = 5
source = "@site_dataset"

[[published]]
measure = "rounds per game, most"
value = 5
source = "@site_dataset"

[[published]]
measure = "players per game, fewest"
value = 2
source = "@site_dataset"

[[published]]
measure = "players per game, most"
value = 2
source = "@site_dataset"

[[published]]
measure = "game id, least"
value = 0
source = "@site_dataset"

[[published]]
measure = "game id, greatest"
value = 2501
source = "@site_dataset"

[[published]]
measure = "domain id, least"
value = 0
source = "@site_dataset"

[[published]]
measure = "domain id, greatest"
value = 60
source = "@site_dataset"

[[published]]
measure = "round, least"
value = 1
source = "@site_dataset"

[[published]]
measure = "round, greatest"
value = 5
source = "@site_dataset"

[[published]]
measure = "score of a player in a round, least"
value = 0
source = "@site_dataset"

[[published]]
measure = "score of a player in a round, greatest"
value = 3
source = "@site_dataset"
why = "@stray"

[[published]]
measure = "score of a player, greatest"
value = 15
source = "@site_dataset"
why = "@stray"

[[published]]
measure = "score of a round, greatest"
value = 6
source = "@site_dataset"
why = "@stray"

[[published]]
measure = "score of a game, greatest"
value = 30
source = "@site_dataset"
why = "@stray"
*/
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
-- One row of numbers is turned into a row for each: both lists are in the same order.
SELECT unnest(['games', 'images per display, fewest', 'images per display, most',
               'highlighted images, fewest', 'highlighted images, most',
               'rounds per game, fewest', 'rounds per game, most',
               'players per game, fewest', 'players per game, most',
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
