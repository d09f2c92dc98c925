/*
title = "Frames in numbers"
caption = """
A dialogue lasts from its first turn to its last; a switch is a turn after which another frame \
is active; hotels are those that a search found, by name and city."""
order = 10

[columns]
measure = "what"
number = "number"
unit = "unit"

[[published]]
measure = "dialogues"
value = 1369
source = "@paper"

[[published]]
measure = "turns"
value = 19986
source = "@summary"

[[published]]
name = "turns per dialogue, mean"
measure = "turns per dialogue"
value = 15
tolerance = 0.5
source = "@paper"

[[published]]
measure = "participants"
value = 12
source = "@summary"
why = "As many ids are wizards; more people talk as users only."

[[published]]
name = "packages of the database (250+)"
measure = "hotels found"
value = 250
source = "Frames Dataset, project page of Microsoft Research, overview"
why = "The page gives a lower bound; a package is a hotel with flights to it."
*/
WITH ends AS (
    SELECT dialogue_id, max(at_s) AS seconds FROM events
    WHERE corpus = $corpus AND kind = 'utterance' GROUP BY ALL
), turns AS (
    -- A row is a slot of a frame; here the frames of a turn come together.
    SELECT dialogue_id, event, max(frame) AS frames, max(frame) FILTER (active) AS active
    FROM states WHERE corpus = $corpus GROUP BY ALL
), tracked AS (
    SELECT dialogue_id, max(frames) AS frames,
           count(*) FILTER (active <> before) AS switches
    FROM (SELECT *, lag(active) OVER (PARTITION BY dialogue_id ORDER BY event) AS before
          FROM turns) GROUP BY ALL
)
-- One row of numbers is turned into a row for each: the lists are in the same order.
SELECT unnest(['dialogues', 'turns', 'user turns', 'wizard turns', 'turns per dialogue',
               'duration', 'users', 'wizards', 'participants', 'frames per dialogue',
               'switches per dialogue', 'searches', 'packages found', 'hotels found',
               'rating', 'dialogues without rating', 'success']) AS measure,
       unnest([dialogues, turns, user_turns, turns - user_turns, turns / dialogues,
               seconds / 60, users, wizards, participants, frames,
               switches, searches, packages, hotels,
               rating, dialogues - rated, success]) AS number,
       unnest(['', '', '', '', '', 'min', '', '', '', '', '', '', '', '', '', '', '%'])
           AS unit
FROM (SELECT count(*) AS dialogues, sum(n_utterances) AS turns
      FROM dialogues WHERE corpus = $corpus),
     (SELECT count(*) FILTER (kind = 'utterance' AND speaker = 'user') AS user_turns,
             count(*) FILTER (name = 'search') AS searches
      FROM events WHERE corpus = $corpus),
     (SELECT count(DISTINCT agent_id) FILTER (role = 'user') AS users,
             count(DISTINCT agent_id) FILTER (role = 'assistant') AS wizards,
             count(DISTINCT agent_id) AS participants
      FROM speakers WHERE corpus = $corpus),
     (SELECT avg(seconds) AS seconds FROM ends),
     (SELECT avg(frames) AS frames, avg(switches) AS switches FROM tracked),
     (SELECT count(*) AS packages,
             count(DISTINCT (attributes ->> '$.hotel.name',
                             attributes ->> '$.hotel.dst_city')) AS hotels
      FROM objects WHERE corpus = $corpus AND kind = 'package'),
     (SELECT avg(value) FILTER (name = 'rating') AS rating,
             count(*) FILTER (name = 'rating') AS rated,
             100 * avg(value) FILTER (name = 'success') AS success
      FROM outcomes WHERE corpus = $corpus)
