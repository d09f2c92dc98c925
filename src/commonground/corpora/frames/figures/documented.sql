/*
title = "What the project page says about the files"
caption = "Fields of the released records, and the lowest and highest rating."
order = 20

[columns]
measure = "what"
number = "number"

[[published]]
name = "main fields of a dialogue"
measure = "fields of the page at the top of a dialogue"
value = 5
source = "@page"
why = """
A dialogue has five fields, but the rating is not one of them: it is below `labels`, the fifth, \
with wizardSurveyTaskSuccessful."""

[[published]]
measure = "rating, least"
value = 1
source = "@page"

[[published]]
measure = "rating, greatest"
value = 5
source = "@page"

[[published]]
name = "keys of the labels of a user's turn"
measure = "labels of a user's turn"
value = 3
source = "@page"
why = """
The page names active_frame, acts and acts_without_refs, and has frames beside them in the turn; \
the files have frames among the labels."""

[[published]]
name = "keys of the labels of a wizard's turn"
measure = "labels of a wizard's turn"
value = 3
source = "@page"

[[published]]
measure = "keys of a frame"
value = 6
source = "@page"
*/
WITH records AS (
    -- Never whole turns, which would stand in memory once more, a gigabyte of them.
    SELECT json_keys(json) AS fields,
           json_extract_string(json, '$.turns[*].author') AS authors,
           json_keys(json, '$.turns[*].labels') AS labels,
           json_keys(json, '$.turns[*].labels.frames[0]') AS frames
    FROM native WHERE corpus = $corpus AND format = 'dialogues'
), turns AS (
    SELECT unnest(authors) AS author, unnest(labels) AS labels FROM records
)
SELECT unnest(['fields of a dialogue', 'fields of the page at the top of a dialogue',
               'rating, least', 'rating, greatest', 'labels of a user''s turn',
               'labels of a wizard''s turn', 'keys of a frame']) AS measure,
       unnest([fields, named, least, greatest, user_labels, wizard_labels, frame]) AS number
FROM (SELECT max(len(fields)) AS fields,
             -- Those that the page names, as far as they are there.
             max(len(list_intersect(fields, ['user_id', 'wizard_id', 'id', 'userSurveyRating',
                                             'turns']))) AS named,
             max(list_max(list_transform(frames, lambda each: len(each)))) AS frame
      FROM records),
     (SELECT max(len(labels)) FILTER (author = 'user') AS user_labels,
             max(len(labels)) FILTER (author = 'wizard') AS wizard_labels
      FROM turns),
     (SELECT min(value) AS least, max(value) AS greatest FROM outcomes
      WHERE corpus = $corpus AND name = 'rating')
