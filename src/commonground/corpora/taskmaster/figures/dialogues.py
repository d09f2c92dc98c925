"""Where the dialogues of Taskmaster come from, how long they are, and who talks."""

from __future__ import annotations

from commonground.corpora.taskmaster.figures.published import (
    CARD_1,
    IMPORTED,
    README_1,
    README_2,
    README_3,
)
from commonground.figure import Behind, Chart, Figure, FigureColumn, PublishedValue


def _dialogues(corpus: str, key: str, counts: dict[str, int], source: str) -> list[PublishedValue]:
    return [
        PublishedValue(
            name=f"dialogs of {name}",
            column="dialogues",
            row={key: name},
            value=count,
            source=source,
            why=IMPORTED,
            corpus=corpus,
        )
        for name, count in counts.items()
    ]


_COUNTED = (
    FigureColumn("dialogues", "dialogues"),
    FigureColumn("utterances", "utterances"),
    FigureColumn("length", "utterances of a dialogue", "", 2),
)
_COUNTS = """
    count(*) AS dialogues, sum(n_utterances) AS utterances, avg(n_utterances) AS length
"""

_COLLECTED = """
    SELECT regexp_extract(source_file, '([^/]*)[.]json$', 1) AS collection, dialogue_id,
           n_utterances
    FROM dialogues WHERE corpus = $corpus
"""

COLLECTIONS = Figure(
    name="collections",
    title="Written and spoken dialogues",
    caption=(
        "Dialogues by the file they were released in: self-dialogs were written by one person, "
        "woz-dialogs spoken between two."
    ),
    columns=(FigureColumn("collection", "collection"), *_COUNTED),
    query=f"""
        SELECT collection, {_COUNTS}
        FROM ({_COLLECTED}) GROUP BY ALL ORDER BY collection
    """,
    chart=Chart(x="collection", y=("dialogues", "length")),
    behind=Behind(
        keys=("collection",), query=f"SELECT collection, dialogue_id FROM ({_COLLECTED})"
    ),
    published=tuple(
        _dialogues(
            "taskmaster1", "collection", {"self-dialogs": 7708, "woz-dialogs": 5507}, README_1
        )
    ),
    corpora=("taskmaster1",),
)

DOMAINS = Figure(
    name="domains",
    title="Dialogues of each domain",
    caption="Dialogues by domain; in generation 1 that is the name of the instructions.",
    columns=(FigureColumn("domain", "domain"), *_COUNTED),
    query=f"""
        SELECT domain, {_COUNTS}
        FROM dialogues WHERE corpus = $corpus GROUP BY ALL ORDER BY dialogues DESC, domain
    """,
    chart=Chart(x="domain", y=("dialogues", "length")),
    link="domain:{domain}",
    published=tuple(
        _dialogues(
            "taskmaster2",
            "domain",
            {
                "restaurant-search": 3276,
                "food-ordering": 1050,
                "movies": 3047,
                "hotels": 2355,
                "flights": 2481,
                "music": 1602,
                "sports": 3478,
            },
            README_2,
        )
    ),
)

SPLITS = Figure(
    name="splits",
    title="Dialogues of each split",
    caption="Dialogues by the released split that names them; the others are in none.",
    columns=(FigureColumn("split", "split"), *_COUNTED),
    query=f"""
        SELECT * FROM (SELECT split, {_COUNTS} FROM dialogues
                       WHERE corpus = $corpus AND split IS NOT NULL GROUP BY ALL)
        ORDER BY list_position(['train', 'dev', 'test'], split)
    """,
    chart=Chart(x="split", y=("dialogues",)),
    link="split:{split}",
    published=tuple(
        _dialogues("taskmaster1", "split", {"train": 6168, "dev": 770, "test": 770}, CARD_1)
    ),
    corpora=("taskmaster1", "taskmaster3"),
)

LENGTHS = Figure(
    name="lengths",
    title="Utterances of a dialogue",
    caption="Dialogues by their number of utterances.",
    columns=(
        FigureColumn("utterances", "utterances of a dialogue"),
        FigureColumn("dialogues", "dialogues"),
        FigureColumn("share", "share of dialogues", "%", 2),
    ),
    query="""
        SELECT n_utterances AS utterances, count(*) AS dialogues,
               100.0 * count(*) / sum(count(*)) OVER () AS share
        FROM dialogues WHERE corpus = $corpus GROUP BY ALL ORDER BY utterances
    """,
    chart=Chart(kind="histogram", x="utterances", y=("dialogues",), step=1),
    link="utterances:{utterances}",
)

SPEAKERS = Figure(
    name="speakers",
    title="Who talks",
    caption=(
        "Utterances by speaker, their words, the dialogues that the speaker begins and ends, and "
        "the utterances that follow another one of the same speaker."
    ),
    columns=(
        FigureColumn("speaker", "speaker"),
        FigureColumn("utterances", "utterances"),
        FigureColumn("words", "words of an utterance", "", 2),
        FigureColumn("begun", "dialogues begun"),
        FigureColumn("ended", "dialogues ended"),
        FigureColumn("again", "utterances in succession"),
    ),
    query="""
        WITH said AS (
            SELECT speaker, len(regexp_extract_all(text, '\\S+')) AS words,
                   lag(speaker) OVER dialogue AS before, lead(speaker) OVER dialogue AS after
            FROM events WHERE corpus = $corpus AND kind = 'utterance'
            WINDOW dialogue AS (PARTITION BY dialogue_id ORDER BY event)
        )
        SELECT speaker, count(*) AS utterances, avg(words) AS words,
               count(*) FILTER (before IS NULL) AS begun,
               count(*) FILTER (after IS NULL) AS ended,
               count(*) FILTER (before = speaker) AS again
        FROM said GROUP BY ALL ORDER BY speaker DESC
    """,
    chart=Chart(x="speaker", y=("utterances", "words")),
    link="speaker:{speaker} kind:utterance",
    published=(
        PublishedValue(
            name="utterances of the user in succession",
            column="again",
            row={"speaker": "user"},
            value=0,
            source=README_3,
            corpus="taskmaster3",
        ),
    ),
)

DIALOGUES_FIGURES = (COLLECTIONS, DOMAINS, SPLITS, LENGTHS, SPEAKERS)
