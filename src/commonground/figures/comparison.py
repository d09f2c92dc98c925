"""The corpora of a store compared with each other: one query each, shown with the numbers."""

from __future__ import annotations

from commonground.figure import Chart, Figure, FigureColumn

_CORPUS = FigureColumn("corpus", "corpus")

SIZES = Figure(
    name="sizes",
    title="How large the corpora are",
    caption="Dialogues, utterances and actions of each corpus, and its largest dialogue.",
    columns=(
        _CORPUS,
        FigureColumn("dialogues", "dialogues"),
        FigureColumn("utterances", "utterances"),
        FigureColumn("actions", "actions"),
        FigureColumn("longest", "events of the longest dialogue"),
    ),
    query="""
        SELECT corpus, count(*) AS dialogues, sum(n_utterances) AS utterances,
               sum(n_events - n_utterances) AS actions, max(n_events) AS longest
        FROM dialogues GROUP BY corpus ORDER BY corpus
    """,
    chart=Chart(x="corpus", y=("dialogues", "utterances", "actions"), log=True),
)

LENGTHS = Figure(
    name="lengths",
    title="How long dialogues and utterances are",
    caption=(
        "Utterances per dialogue, and characters and words per utterance; words are split "
        "at white space. Dialogues without utterances are left out. The chart has 95 % "
        "intervals: 1.96 standard errors, clustered by dialogue."
    ),
    columns=(
        _CORPUS,
        FigureColumn("dialogues", "dialogues"),
        FigureColumn("utterances_mean", "utterances per dialogue, mean", "", 2),
        FigureColumn("utterances_mean_low", "from", "", 2),
        FigureColumn("utterances_mean_high", "to", "", 2),
        FigureColumn("utterances_median", "median", "", 1),
        FigureColumn("characters_mean", "characters per utterance, mean", "", 2),
        FigureColumn("words_mean", "words per utterance, mean", "", 2),
        FigureColumn("words_mean_low", "from", "", 2),
        FigureColumn("words_mean_high", "to", "", 2),
    ),
    # GROUP BY ALL, as DuckDB has it: by whatever is selected and is not an aggregate.
    query="""
        WITH talk AS (
            SELECT corpus, dialogue_id, count(*) AS utterances, sum(length(text)) AS characters,
                   sum(len(regexp_extract_all(text, '\\S+'))) AS words
            FROM events WHERE kind = 'utterance' GROUP BY ALL
        ), ratios AS (
            SELECT *, sum(words) OVER corpus / sum(utterances) OVER corpus AS words_mean
            FROM talk WINDOW corpus AS (PARTITION BY corpus)
        ), means AS (
            SELECT corpus, count(*) AS dialogues, avg(utterances) AS utterances_mean,
                   1.96 * stddev_samp(utterances) / sqrt(count(*)) AS of_utterances,
                   median(utterances) AS utterances_median,
                   sum(characters) / sum(utterances) AS characters_mean, words_mean,
                   1.96 * stddev_samp(words - words_mean * utterances) * sqrt(count(*))
                       / sum(utterances) AS of_words
            FROM ratios GROUP BY corpus, words_mean
        )
        SELECT corpus, dialogues, utterances_mean,
               utterances_mean - of_utterances AS utterances_mean_low,
               utterances_mean + of_utterances AS utterances_mean_high,
               utterances_median, characters_mean,
               words_mean, words_mean - of_words AS words_mean_low,
               words_mean + of_words AS words_mean_high
        FROM means ORDER BY corpus
    """,
    chart=Chart(x="corpus", y=("utterances_mean", "words_mean")),
)

SPEAKERS = Figure(
    name="speakers",
    title="Who talks",
    caption=(
        "Utterances and words by the role of the speaker. The mean has a 95 % interval: 1.96 "
        "standard errors, clustered by dialogue."
    ),
    columns=(
        _CORPUS,
        FigureColumn("role", "role"),
        FigureColumn("dialogues", "dialogues"),
        FigureColumn("utterances", "utterances"),
        FigureColumn("words_mean", "words per utterance, mean", "", 2),
        FigureColumn("words_mean_low", "from", "", 2),
        FigureColumn("words_mean_high", "to", "", 2),
        FigureColumn("share", "share of the words", "%", 1),
    ),
    query="""
        WITH said AS (
            SELECT e.corpus, s.role, dialogue_id, count(*) AS utterances,
                   sum(len(regexp_extract_all(e.text, '\\S+'))) AS words
            FROM events e JOIN speakers s USING (corpus, dialogue_id, speaker)
            WHERE e.kind = 'utterance' GROUP BY ALL
        ), ratios AS (
            SELECT *, sum(words) OVER role / sum(utterances) OVER role AS words_mean
            FROM said WINDOW role AS (PARTITION BY corpus, role)
        ), means AS (
            SELECT corpus, role, count(*) AS dialogues, sum(utterances) AS utterances,
                   sum(words) AS words, words_mean,
                   1.96 * stddev_samp(words - words_mean * utterances) * sqrt(count(*))
                       / sum(utterances) AS reach
            FROM ratios GROUP BY corpus, role, words_mean
        )
        SELECT corpus, role, dialogues, utterances, words_mean,
               words_mean - reach AS words_mean_low, words_mean + reach AS words_mean_high,
               100.0 * words / sum(words) OVER (PARTITION BY corpus) AS share
        FROM means ORDER BY corpus, role
    """,
    chart=Chart(x="corpus", y=("words_mean",), color="role"),
)

ACTIONS = Figure(
    name="actions",
    title="Actions besides talking",
    caption="Actions by name, the eight most frequent of each corpus.",
    columns=(
        _CORPUS,
        FigureColumn("name", "action"),
        FigureColumn("actions", "actions"),
        FigureColumn("per_dialogue", "actions in a dialogue, mean", "", 2),
    ),
    # QUALIFY chooses rows by a window function, as HAVING does by an aggregate.
    query="""
        WITH counted AS (
            SELECT corpus, name, count(*) AS actions FROM events
            WHERE kind = 'action' GROUP BY ALL
        ), sizes AS (SELECT corpus, count(*) AS dialogues FROM dialogues GROUP BY ALL)
        SELECT corpus, name, actions, actions / dialogues AS per_dialogue
        FROM counted JOIN sizes USING (corpus)
        QUALIFY row_number() OVER (PARTITION BY corpus ORDER BY actions DESC, name) <= 8
        ORDER BY corpus, actions DESC, name
    """,
)

LAYERS = Figure(
    name="layers",
    title="What is annotated",
    caption="Rows of each table of annotations and outcomes, and the dialogues that have any.",
    columns=(
        _CORPUS,
        FigureColumn("layer", "table"),
        FigureColumn("rows_in_table", "rows"),
        FigureColumn("dialogues", "dialogues with any"),
        FigureColumn("share", "share of dialogues", "%", 1),
    ),
    query="""
        WITH found AS (
            SELECT corpus, dialogue_id, 'spans' AS layer FROM spans
            UNION ALL SELECT corpus, dialogue_id, 'acts' FROM acts
            UNION ALL SELECT corpus, dialogue_id, 'states' FROM states
            UNION ALL SELECT corpus, dialogue_id, 'groundings' FROM groundings
            UNION ALL SELECT corpus, dialogue_id, 'displays' FROM displays
            UNION ALL SELECT corpus, dialogue_id, 'candidates' FROM candidates
            UNION ALL SELECT corpus, dialogue_id, 'outcomes' FROM outcomes
        ), counted AS (
            SELECT corpus, layer, count(*) AS rows_in_table,
                   count(DISTINCT dialogue_id) AS dialogues
            FROM found GROUP BY ALL
        ), sizes AS (SELECT corpus, count(*) AS total FROM dialogues GROUP BY ALL)
        SELECT corpus, layer, rows_in_table, dialogues, 100.0 * dialogues / total AS share
        FROM counted JOIN sizes USING (corpus) ORDER BY corpus, layer
    """,
    chart=Chart(kind="heatmap", x="corpus", y=("layer",), color="share"),
)

COMPARISONS: tuple[Figure, ...] = (SIZES, LENGTHS, SPEAKERS, ACTIONS, LAYERS)
"""All comparisons, in order."""
