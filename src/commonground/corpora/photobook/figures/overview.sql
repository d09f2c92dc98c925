/*
title = "PhotoBook in numbers"
caption = """
Texts are messages of the players; actions are clicks and questionnaires; a game lasts from its \
first message to its last."""
order = 10

[columns]
measure = "what"
number = "number"
unit = "unit"

[[published]]
measure = "games"
value = 2506
source = "@site_dataset"
why = "2,502 games were released; the site speaks of 2,506 here and of 2,502 elsewhere."

[[published]]
name = "utterances"
measure = "texts"
value = 164615
source = "@site_dataset"
why = "@other_games"

[[published]]
measure = "texts"
value = 164296
source = "@workers"

[[published]]
measure = "actions"
value = 130322
source = "@site_dataset"
why = "@other_games"

[[published]]
name = "unique workers"
measure = "agents"
value = 1514
source = "@site_analysis"
why = "@other_games"

[[published]]
name = "unique workers"
measure = "agents"
value = 1550
source = "@workers"

[[published]]
name = "mean score"
measure = "score"
value = 28.62
tolerance = 0.005
source = "@site_analysis"
why = "@other_games"

[[published]]
name = "mean score"
measure = "score"
value = 28.58353
tolerance = 1e-05
source = "@workers"

[[published]]
measure = "scores below 24"
value = 1.2
unit = "%"
tolerance = 0.05
source = "@site_analysis"

[[published]]
name = "mean duration (14.2 min)"
measure = "duration"
value = 852
unit = "s"
tolerance = 3
source = "@site_analysis"

[[published]]
name = "mean duration"
measure = "duration"
value = 854.29841
unit = "s"
tolerance = 1e-05
source = "@workers"

[[published]]
name = "shortest game (4 min)"
measure = "shortest game"
value = 240
unit = "s"
tolerance = 30
source = "@site_analysis"
why = "One game is shorter; the next one lasts 4.1 min."

[[published]]
name = "longest game (53 min)"
measure = "longest game"
value = 3180
unit = "s"
tolerance = 30
source = "@site_analysis"
why = "One game is longer; the next one lasts 52.6 min."
*/
WITH scores AS (
    SELECT dialogue_id, sum(value) AS score FROM outcomes
    WHERE corpus = $corpus AND name = 'score' GROUP BY dialogue_id
), times AS (
    SELECT dialogue_id, max(at_s) - min(at_s) AS seconds FROM events
    WHERE corpus = $corpus GROUP BY dialogue_id
), feedback AS (
    SELECT dialogue_id, count(*) AS sides FROM outcomes
    WHERE corpus = $corpus AND name = 'col' GROUP BY dialogue_id
)
-- One row of numbers is turned into a row for each: both lists are in the same order.
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
