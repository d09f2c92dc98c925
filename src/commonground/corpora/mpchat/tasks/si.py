"""Speaker identification: whose persona is it that the author of the last message has?"""

from __future__ import annotations

from collections.abc import Iterator

from commonground.corpora.mpchat.native import Persona
from commonground.corpora.mpchat.tasks.ranking import make_prompt, make_task
from commonground.corpora.mpchat.tasks.ranking_baselines import (
    RankingSide,
    make_baselines,
    read_persona,
)
from commonground.corpora.mpchat.tasks.threads import (
    RankingExample,
    choose_format,
    describe_context,
    describe_element,
    load_threads,
    make_example,
)
from commonground.files.gold import GoldRecord
from commonground.task import Gold, Tally

THREADS = choose_format(
    "si",
    "si_main_author_candidate_personas si_candidate_authors_candidate_personas?",
)


def list_examples(gold: Gold, faults: Tally) -> Iterator[RankingExample]:
    """Lists an example for each thread: the author of its last message."""
    for thread in load_threads(THREADS, gold, faults):
        if thread.record.messages:
            yield _describe(thread)


def _describe(thread: GoldRecord) -> RankingExample:
    record = thread.record
    last = len(record.messages) - 1
    ranked = record.si_candidate_authors_candidate_personas or None
    return make_example(
        thread,
        last,
        describe_context(record, last) | {"response": record.messages[last]},
        None if ranked is None else [_describe_all(each) for each in ranked],
        _describe_all(record.si_main_author_candidate_personas),
    )


def _describe_all(elements: list[Persona]) -> list[dict[str, object]]:
    return [describe_element(each) for each in elements]


TASK = make_task(
    "mpchat/si",
    "the author of the last message, among the personas of 100 authors",
    {"response": "The last message, whose author is looked for."},
    "An instance is a thread; `turn` is the number of its last message.",
    list_examples,
)

PROMPT = make_prompt("mpchat/si", shows_candidates=True)

BASELINES = make_baselines(RankingSide("mpchat/si", ("response",), "context", read_persona))
