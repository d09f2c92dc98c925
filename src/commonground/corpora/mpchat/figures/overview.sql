/*
title = "MPChat in numbers"
caption = """
Each task has its own file, so a message may be in several dialogues; authors whose account is \
gone are not counted."""
order = 10

[columns]
measure = "what"
number = "number"

[[published]]
name = "images (153K)"
measure = "images"
value = 153000
tolerance = 500
source = "Ahn et al. 2023 (ACL), table 7"
why = """
Not compared on the released files yet; we count each image of a post or of a persona element \
once."""
*/
-- One row of numbers is turned into a row for each: both lists are in the same order.
SELECT unnest(['dialogues', 'messages', 'different messages', 'messages per dialogue',
               'words per message', 'authors', 'main authors', 'communities',
               'persona elements', 'dialogues with an image', 'images']) AS measure,
       unnest([dialogues, messages, different, messages / dialogues,
               words, authors, main_authors, communities,
               elements, with_image, images]) AS number
FROM (SELECT count(*) AS dialogues, sum(n_utterances) AS messages,
             count(DISTINCT domain) AS communities,
             count(DISTINCT attributes ->> 'main_author') AS main_authors,
             count(*) FILTER (attributes ->> 'has_image' = 'true') AS with_image
      FROM dialogues WHERE corpus = $corpus),
     (SELECT count(DISTINCT native_id) AS different,
             avg(len(regexp_extract_all(text, '\S+'))) AS words
      FROM events WHERE corpus = $corpus),
     (SELECT count(DISTINCT agent_id) AS authors FROM speakers WHERE corpus = $corpus),
     (SELECT count(*) FILTER (kind = 'persona') AS elements, count(*) AS images
      FROM objects WHERE corpus = $corpus AND kind IN ('persona', 'post_image'))
