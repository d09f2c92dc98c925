"""Grounding persona prediction: which of the candidate elements is a message grounded on?"""

from __future__ import annotations

from collections.abc import Iterator

from commonground.corpora.mpchat.tasks.ranking import make_prompt, make_task
from commonground.corpora.mpchat.tasks.ranking_baselines import Side, make_baselines, read_element
from commonground.corpora.mpchat.tasks.threads import (
    Element,
    Example,
    RankedThread,
    Source,
    describe_context,
    describe_element,
    load_threads,
    nth_or_none,
)
from commonground.task import Gold


class GppRecord(RankedThread, kw_only=True):
    """A thread of ``mpchat_gpp.json``."""

    gpp_grounded_persona: list[Element | None]
    gpp_candidate_personas: list[list[Element]]
    gpp_candidate_authors_candidate_personas: list[list[Element]] | None = None


SOURCE = Source("gpp", GppRecord, "gpp_grounded_persona")


def list_examples(gold: Gold) -> Iterator[Example]:
    """Lists an example for each message of a main author that is grounded on an element."""
    for thread in load_threads(SOURCE, gold):
        assert isinstance(thread, GppRecord)  # noqa: S101 - the source says so
        for turn, author in enumerate(thread.authors):
            grounded = nth_or_none(thread.gpp_grounded_persona, turn)
            if author == thread.main_author and grounded is not None:
                yield _describe(thread, turn, grounded)


def _describe(thread: GppRecord, turn: int, grounded: Element) -> Example:
    given = nth_or_none(thread.gpp_candidate_personas, turn) or []
    ranked = nth_or_none(thread.gpp_candidate_authors_candidate_personas, turn)
    inputs = {
        "personas": [describe_element(each) for each in given],
        "response": thread.messages[turn],
    }
    return Example(
        thread,
        turn,
        describe_context(thread, turn) | inputs,
        None if ranked is None else [describe_element(each) for each in ranked],
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

PROMPT = make_prompt(
    "mpchat/gpp",
    " before the author's `response`. `personas` tells who the author is. Say which of the "
    "`candidates` the response is grounded on.",
)

BASELINES = make_baselines(Side("mpchat/gpp", ("response", "context"), "personas", read_element))
