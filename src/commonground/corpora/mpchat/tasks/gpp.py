"""Grounding persona prediction: which of the candidate elements is a message grounded on?"""

from __future__ import annotations

from collections.abc import Iterator

from commonground.corpora.mpchat.native import Persona
from commonground.corpora.mpchat.tasks.ranking import make_prompt, make_task
from commonground.corpora.mpchat.tasks.ranking_baselines import (
    RankingSide,
    make_baselines,
    read_element,
)
from commonground.corpora.mpchat.tasks.threads import (
    RankingExample,
    choose_format,
    describe_context,
    describe_element,
    load_threads,
    make_example,
    nth_or_none,
)
from commonground.files.gold import GoldRecord
from commonground.task import Gold, Tally

THREADS = choose_format(
    "gpp",
    "gpp_grounded_persona gpp_candidate_personas gpp_candidate_authors_candidate_personas?",
)


def list_examples(gold: Gold, faults: Tally) -> Iterator[RankingExample]:
    """Lists an example for each message of a main author that is grounded on an element."""
    for thread in load_threads(THREADS, gold, faults):
        for turn, author in enumerate(thread.record.authors):
            grounded = nth_or_none(thread.record.gpp_grounded_persona, turn)
            if author == thread.record.main_author and grounded is not None:
                yield _describe(thread, turn, grounded)


def _describe(thread: GoldRecord, turn: int, grounded: Persona) -> RankingExample:
    record = thread.record
    given = nth_or_none(record.gpp_candidate_personas, turn) or []
    ranked = nth_or_none(record.gpp_candidate_authors_candidate_personas, turn)
    inputs = {
        "personas": [describe_element(each) for each in given],
        "response": record.messages[turn],
    }
    return make_example(
        thread,
        turn,
        describe_context(record, turn) | inputs,
        None if ranked is None else [describe_element(each) for each in ranked],
        # The id belongs to the answer alone: candidates have none, so that no model can read it.
        describe_element(grounded) | {"id": grounded.id},
    )


TASK = make_task(
    "mpchat/gpp",
    "the persona element that a message is grounded on, among 100",
    {
        "personas": "Titles and image file names of the author's other candidate elements.",
        "response": "The message itself; in the authors' setting with response only.",
    },
    "An instance is a message of the main author that is grounded on an element.",
    list_examples,
)

PROMPT = make_prompt("mpchat/gpp", shows_candidates=True)

BASELINES = make_baselines(
    RankingSide("mpchat/gpp", ("response", "context"), "personas", read_element)
)
