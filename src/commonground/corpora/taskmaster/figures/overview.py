"""A generation of Taskmaster in numbers: one row a measure."""

from __future__ import annotations

from commonground.corpora.taskmaster.figures.published import (
    CONVLAB_1,
    CONVLAB_2,
    CONVLAB_3,
    IMPORTED,
    LEFT_OUT,
    MERGED,
    PARLAI_1,
    PARLAI_2,
    PARLAI_3,
    README_1,
    README_2,
    README_3,
    README_4,
)
from commonground.figure import Figure, FigureColumn, PublishedValue, published_measure


def _published(
    corpus: str,
    name: str,
    measure: str,
    value: float,
    source: str,
    why: str = IMPORTED,
    file_format: str = "",
) -> PublishedValue:
    return published_measure(
        name, measure, value, source, why=why, corpus=corpus, file_format=file_format
    )


OVERVIEW = Figure(
    name="overview",
    title="The corpus in numbers",
    caption=(
        "Utterances as released, without merging those of one side; calls are API calls, spans "
        "labelled stretches of text with one label each, entity types the different labels, words "
        "what white space divides."
    ),
    columns=(
        FigureColumn("measure", "what"),
        FigureColumn("number", "number"),
        FigureColumn("unit", "unit"),
    ),
    query="""
        SELECT unnest(['dialogues', 'utterances', 'utterances of a dialogue',
                       'words of an utterance', 'domains', 'scenarios', 'texts of instructions',
                       'dialogues with instructions', 'APIs', 'calls', 'spans',
                       'entity types', 'reward examples']) AS measure,
               unnest([dialogues, utterances, utterances / dialogues,
                       words, domains, scenarios, instructions,
                       100.0 * instructed / dialogues, apis, calls, spans,
                       labels, rewards]) AS number,
               unnest(['', '', '', '', '', '', '', '%', '', '', '', '', '']) AS unit
        FROM (SELECT count(*) AS dialogues, sum(n_utterances) AS utterances,
                     count(DISTINCT domain) AS domains,
                     count(DISTINCT attributes ->> 'scenario') AS scenarios,
                     count(DISTINCT attributes ->> 'instructions') AS instructions,
                     count(attributes ->> 'instructions') AS instructed
              FROM dialogues WHERE corpus = $corpus),
             (SELECT avg(len(regexp_extract_all(text, '\\S+'))) AS words,
                     count(DISTINCT name) AS apis, count(*) FILTER (kind = 'action') AS calls
              FROM events WHERE corpus = $corpus),
             (SELECT count(*) AS spans, count(DISTINCT label) AS labels
              FROM spans WHERE corpus = $corpus),
             (SELECT count(*) AS rewards
              FROM native WHERE corpus = $corpus AND format LIKE 'reward%')
    """,
    published=(
        _published("taskmaster1", "dialogs", "dialogues", 13215, README_1),
        _published("taskmaster1", "dialogues, ConvLab-3", "dialogues", 13175, CONVLAB_1, LEFT_OUT),
        _published("taskmaster1", "utterances, ConvLab-3", "utterances", 278885, CONVLAB_1, MERGED),
        _published("taskmaster1", "dialogues, ParlAI", "dialogues", 13202, PARLAI_1),
        _published("taskmaster2", "dialogs", "dialogues", 17289, README_2),
        _published("taskmaster2", "domains", "domains", 7, README_2),
        _published("taskmaster2", "dialogues, ConvLab-3", "dialogues", 17303, CONVLAB_2, LEFT_OUT),
        _published("taskmaster2", "utterances, ConvLab-3", "utterances", 293117, CONVLAB_2, MERGED),
        _published("taskmaster2", "dialogues, ParlAI", "dialogues", 17304, PARLAI_2),
        _published(
            "taskmaster3",
            "dialogs",
            "dialogues",
            23789,
            README_3,
            "ConvLab-3 counts 23,757 in the same files; only what was imported is counted.",
        ),
        _published("taskmaster3", "dialogues, ConvLab-3", "dialogues", 23757, CONVLAB_3),
        _published("taskmaster3", "utterances, ConvLab-3", "utterances", 477026, CONVLAB_3, MERGED),
        _published("taskmaster3", "dialogues, ParlAI", "dialogues", 23757, PARLAI_3),
        _published("taskmaster3", "APIs", "APIs", 9, README_3),
        _published("taskmaster3", "entities", "entity types", 21, README_3),
        _published(
            "taskmaster3",
            "sets of instructions (over three dozen)",
            "texts of instructions",
            36,
            README_3,
        ),
        _published("taskmaster3", "verticals (Movie Tickets)", "domains", 1, README_3),
        _published(
            "taskmaster4",
            "dialogs",
            "dialogues",
            6500,
            README_4,
            "The eight data files that were released hold 3,710 dialogues.",
        ),
        _published(
            "taskmaster4",
            "sets of instructions (over three dozen)",
            "texts of instructions",
            36,
            README_4,
            "The released dialogues name 32 scenarios and hold 28 texts; some have no text.",
        ),
        _published(
            "taskmaster4",
            "reward examples",
            "reward examples",
            3000,
            README_4,
            "The seven reward files that were released hold 3,228 examples.",
            "reward4",
        ),
    ),
)
