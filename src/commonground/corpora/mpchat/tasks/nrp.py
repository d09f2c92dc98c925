"""Next response prediction: which of the candidates is the main author's next message?"""

from __future__ import annotations

from collections.abc import Iterator

from commonground.corpora.mpchat.tasks.ranking import make_prompt, make_task
from commonground.corpora.mpchat.tasks.ranking_baselines import (
    RankingSide,
    make_baselines,
    read_message,
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
from commonground.task import Gold, Tally

THREADS = choose_format("nrp", "candidate_personas nrp_candidate_responses?")


def list_examples(gold: Gold, faults: Tally) -> Iterator[RankingExample]:
    """Lists an example for each message of a main author."""
    for each in load_threads(THREADS, gold, faults):
        thread = each.record
        personas = [describe_element(persona) for persona in thread.candidate_personas]
        for turn, author in enumerate(thread.authors):
            if author == thread.main_author:
                yield make_example(
                    each,
                    turn,
                    describe_context(thread, turn) | {"personas": personas},
                    nth_or_none(thread.nrp_candidate_responses, turn),
                    thread.messages[turn],
                )


TASK = make_task(
    "mpchat/nrp",
    "the main author's next message among 100",
    {"personas": "Titles and image file names of the main author's candidate elements."},
    "An instance is a message of the main author.",
    list_examples,
)

PROMPT = make_prompt("mpchat/nrp", shows_candidates=False)

BASELINES = make_baselines(RankingSide("mpchat/nrp", ("context",), "personas", read_message))
