"""The statistics table of the paper that introduced MPChat, counted in the released files."""

from __future__ import annotations

from commonground.corpora.mpchat.figures.published import (
    published_statistics,
    published_totals,
)
from commonground.figure import Chart, Figure, FigureColumn

_CAPTION = (
    "Dialogues of next response prediction, which leaves none out, and who writes in them, "
    "closed accounts aside; main authors have a persona, grounded messages an element of it "
    "that entails them. Words are what white space divides; each element counts once."
)
_COLUMNS = (
    FigureColumn("dialogues", "dialogues"),
    FigureColumn("grounded_dialogues", "with a grounded message"),
    FigureColumn("speakers", "authors"),
    FigureColumn("utterances", "messages"),
    FigureColumn("main_authors", "main authors"),
    FigureColumn("responses", "messages of main authors"),
    FigureColumn("grounded", "grounded messages"),
    FigureColumn("elements", "elements of a persona", "", 2),
    FigureColumn("communities", "communities of a persona", "", 2),
    FigureColumn("words", "words of a message", "", 2),
    FigureColumn("element_words", "words of an element", "", 2),
)


_SAID = """
            SELECT part, count(DISTINCT dialogue_id) AS dialogues,
                   count(DISTINCT dialogue_id) FILTER (is_grounded) AS grounded_dialogues,
                   count(DISTINCT agent_id) AS speakers, count(*) AS utterances,
                   count(DISTINCT main_author) AS main_authors,
                   count(*) FILTER (speaker = main_author) AS responses,
                   count(*) FILTER (is_grounded) AS grounded,
                   avg(len(regexp_extract_all(text, '\\S+'))) AS words
            FROM events JOIN own USING (dialogue_id)
            JOIN (SELECT dialogue_id, speaker, agent_id FROM speakers
                  WHERE corpus = $corpus) USING (dialogue_id, speaker)
            LEFT JOIN marked USING (dialogue_id, event)
            WHERE corpus = $corpus AND kind = 'utterance' GROUP BY part
"""
"""What was said in each part: dialogues, authors and messages."""

_ELEMENTS = """
            SELECT DISTINCT part, viewer, object_id, title,
                   objects.attributes ->> 'subreddit' AS community
            FROM displays JOIN own USING (dialogue_id) JOIN objects USING (corpus, object_id)
            WHERE corpus = $corpus AND viewer IS NOT NULL AND position IS NOT NULL
"""
"""Each element of a persona once, with its community."""

_SHELVES = """
            SELECT part, viewer, count(*) AS elements,
                   count(DISTINCT community) AS communities,
                   sum(len(regexp_extract_all(title, '\\S+'))) AS words
            FROM elements GROUP BY ALL
"""
"""How much each author's persona holds."""


def _query(part: str) -> str:
    """Returns the query, with a row for each value of an expression over ``dialogues``."""
    return f"""
        WITH own AS (
            SELECT dialogue_id, {part} AS part, attributes ->> 'main_author' AS main_author
            FROM dialogues WHERE corpus = $corpus AND attributes ->> 'task' = 'nrp'
        ), marked AS (
            SELECT DISTINCT dialogue_id, event, true AS is_grounded FROM groundings
            WHERE corpus = $corpus AND relation = 'grounded'
        ), said AS ({_SAID}), elements AS ({_ELEMENTS}), shelves AS ({_SHELVES}), personas AS (
            SELECT part, avg(elements) AS elements, avg(communities) AS communities,
                   sum(words) / sum(elements) AS element_words
            FROM shelves GROUP BY part
        )
        SELECT part, dialogues, grounded_dialogues, speakers, utterances, main_authors,
               responses, grounded, elements, communities, words, element_words
        FROM said LEFT JOIN personas USING (part)
        ORDER BY list_position(['train', 'val', 'test'], part)
    """


STATISTICS = Figure(
    name="statistics",
    title="The paper's statistics",
    caption=_CAPTION,
    columns=(FigureColumn("part", "split"), *_COLUMNS),
    query=_query("split"),
    chart=Chart(x="part", y=("dialogues", "responses", "grounded")),
    link="split:{part} id:nrp*",
    published=published_statistics(),
)

TOTALS = Figure(
    name="totals",
    title="The paper's statistics of all splits",
    caption=_CAPTION,
    columns=(FigureColumn("part", "splits"), *_COLUMNS),
    query=_query("'all'"),
    published=published_totals(),
)

PAPER_FIGURES = (STATISTICS, TOTALS)
