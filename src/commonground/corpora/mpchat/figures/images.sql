/*
title = "Images"
caption = """
Images of posts and of persona elements: those with any address, and those whose file was named \
with --images."""
order = 90
chart = {kind = "bar", x = "kind", y = ["images", "addressed", "present"]}
row_dialogues = ["kind"]

[columns]
kind = "image of"
images = "images"
addressed = "with an address"
present = "with a file"
*/
WITH row_dialogues AS (
    SELECT DISTINCT CASE kind WHEN 'post_image' THEN 'post' ELSE 'persona element' END AS kind, dialogue_id
    FROM objects JOIN (SELECT corpus, dialogue_id, object_id FROM displays
                       UNION SELECT corpus, dialogue_id, object_id FROM groundings
                       UNION SELECT corpus, dialogue_id, object_id FROM candidates)
        USING (corpus, object_id)
    WHERE corpus = $corpus
)
-- A file at hand takes the place of the released address.
SELECT CASE kind WHEN 'post_image' THEN 'post' ELSE 'persona element' END AS kind, count(*) AS images, count(uri) AS addressed,
       count(*) FILTER (uri NOT LIKE 'http%') AS present
FROM objects WHERE corpus = $corpus AND kind IN ('persona', 'post_image')
GROUP BY ALL ORDER BY kind
