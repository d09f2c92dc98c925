"""What the project page says of the files, number by number."""

from __future__ import annotations

from commonground.figure import Figure, FigureColumn, published_measure

_PAGE = "Frames Dataset, project page of Microsoft Research, dataset format"

_QUERY = """
    WITH records AS (
        SELECT json_keys(json) AS fields, unnest(CAST(json -> 'turns' AS JSON[])) AS turn
        FROM native WHERE corpus = $corpus AND format = 'dialogues'
    ), turns AS (
        SELECT fields, turn ->> 'author' AS author, json_keys(turn -> 'labels') AS labels,
               json_keys(turn -> '$.labels.frames[0]') AS frame
        FROM records
    )
    SELECT unnest(['fields of a dialogue', 'fields of the page at the top of a dialogue',
                   'rating, least', 'rating, greatest', 'labels of a user''s turn',
                   'labels of a wizard''s turn', 'keys of a frame']) AS measure,
           unnest([fields, named, least, greatest, user_labels, wizard_labels, frame]) AS number
    FROM (SELECT max(len(fields)) AS fields,
                 max(len(list_intersect(fields, ['user_id', 'wizard_id', 'id', 'userSurveyRating',
                                                 'turns']))) AS named,
                 max(len(labels)) FILTER (author = 'user') AS user_labels,
                 max(len(labels)) FILTER (author = 'wizard') AS wizard_labels,
                 max(len(frame)) AS frame
          FROM turns),
         (SELECT min(value) AS least, max(value) AS greatest FROM outcomes
          WHERE corpus = $corpus AND name = 'rating')
"""

DOCUMENTED = Figure(
    name="documented",
    title="What the project page says of the files",
    caption="Fields of the released records and least and greatest ratings.",
    columns=(FigureColumn("measure", "what"), FigureColumn("number", "number")),
    query=_QUERY,
    published=(
        published_measure(
            "main fields of a dialogue",
            "fields of the page at the top of a dialogue",
            5,
            _PAGE,
            why="A dialogue has five fields, but the rating is none of them: it stands below "
            "`labels`, the fifth, with wizardSurveyTaskSuccessful.",
        ),
        published_measure("rating, least", "rating, least", 1, _PAGE),
        published_measure("rating, greatest", "rating, greatest", 5, _PAGE),
        published_measure(
            "keys of the labels of a user's turn",
            "labels of a user's turn",
            3,
            _PAGE,
            why="The page names active_frame, acts and acts_without_refs, and has frames beside "
            "them in the turn; the files have frames among the labels.",
        ),
        published_measure(
            "keys of the labels of a wizard's turn", "labels of a wizard's turn", 3, _PAGE
        ),
        published_measure("keys of a frame", "keys of a frame", 6, _PAGE),
    ),
)
