"""The threads of MPChat: how many, of which task and community, and how long."""

from __future__ import annotations

from commonground.corpora.mpchat.figures.published import published_images
from commonground.figure import Chart, Figure, FigureColumn

OVERVIEW = Figure(
    name="overview",
    title="MPChat in numbers",
    caption=(
        "Each task has its own file, so a message may be in several dialogues; authors whose "
        "account is gone are not counted."
    ),
    columns=(
        FigureColumn("measure", "what"),
        FigureColumn("number", "number"),
    ),
    query="""
        SELECT unnest(['dialogues', 'messages', 'different messages', 'messages of a dialogue',
                       'words of a message', 'authors', 'main authors', 'communities',
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
                     avg(len(regexp_extract_all(text, '\\S+'))) AS words
              FROM events WHERE corpus = $corpus),
             (SELECT count(DISTINCT agent_id) AS authors FROM speakers WHERE corpus = $corpus),
             (SELECT count(*) FILTER (kind = 'persona') AS elements, count(*) AS images
              FROM objects WHERE corpus = $corpus AND kind IN ('persona', 'post_image'))
    """,
    published=published_images(),
)

SPLITS = Figure(
    name="splits",
    title="Dialogues of each task and split",
    caption=(
        "Dialogues of next response prediction (nrp), grounding persona prediction (gpp) and "
        "speaker identification (si), and the messages of their main authors."
    ),
    columns=(
        FigureColumn("task", "task"),
        FigureColumn("split", "split"),
        FigureColumn("dialogues", "dialogues"),
        FigureColumn("messages", "messages"),
        FigureColumn("length", "messages of a dialogue", "", 2),
        FigureColumn("main", "messages of main authors"),
    ),
    query="""
        WITH own AS (
            SELECT dialogue_id, attributes ->> 'task' AS task, split, n_utterances,
                   attributes ->> 'main_author' AS main_author
            FROM dialogues WHERE corpus = $corpus
        ), said AS (
            SELECT dialogue_id, count(*) AS main
            FROM events JOIN own USING (dialogue_id)
            WHERE corpus = $corpus AND speaker = main_author GROUP BY ALL
        ), counts AS (
            SELECT task, split, count(*) AS dialogues, sum(n_utterances) AS messages,
                   avg(n_utterances) AS length, coalesce(sum(main), 0) AS main
            FROM own LEFT JOIN said USING (dialogue_id) GROUP BY ALL
        )
        SELECT * FROM counts ORDER BY list_position(['nrp', 'gpp', 'si'], task),
                                      list_position(['train', 'val', 'test'], split)
    """,
    chart=Chart(x="split", y=("dialogues",), color="task"),
    link="split:{split} id:{task}*",
)

LENGTHS = Figure(
    name="lengths",
    title="Messages of a dialogue",
    caption="Dialogues by their number of messages, the post itself included.",
    columns=(
        FigureColumn("messages", "messages of a dialogue"),
        FigureColumn("dialogues", "dialogues"),
        FigureColumn("share", "share of dialogues", "%", 2),
    ),
    query="""
        SELECT n_utterances AS messages, count(*) AS dialogues,
               100.0 * count(*) / sum(count(*)) OVER () AS share
        FROM dialogues WHERE corpus = $corpus GROUP BY ALL ORDER BY messages
    """,
    chart=Chart(kind="histogram", x="messages", y=("dialogues",), step=1),
    link="utterances:{messages}",
)

COMMUNITIES = Figure(
    name="communities",
    title="Communities",
    caption="The thirty communities (subreddits) with the most dialogues.",
    columns=(
        FigureColumn("community", "community"),
        FigureColumn("dialogues", "dialogues"),
        FigureColumn("share", "share of dialogues", "%", 2),
    ),
    query="""
        SELECT domain AS community, count(*) AS dialogues,
               100.0 * count(*) / sum(count(*)) OVER () AS share
        FROM dialogues WHERE corpus = $corpus
        GROUP BY ALL ORDER BY dialogues DESC, community LIMIT 30
    """,
    chart=Chart(x="community", y=("dialogues",)),
    link="domain:{community}",
)

THREADS_FIGURES = (OVERVIEW, SPLITS, LENGTHS, COMMUNITIES)
