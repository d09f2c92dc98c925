"""Speaker identification: whose persona is it that the author of the last message has?"""

from __future__ import annotations

from collections.abc import Iterator

from commonground.corpora.mpchat.tasks.ranking import make_prompt, make_task
from commonground.corpora.mpchat.tasks.ranking_baselines import Side, make_baselines, read_persona
from commonground.corpora.mpchat.tasks.threads import (
    Element,
    Example,
    RankedThread,
    Source,
    describe_context,
    describe_element,
    load_threads,
)
from commonground.task import Gold


class SiRecord(RankedThread, kw_only=True):
    """A thread of ``mpchat_si.json``."""

    si_main_author_candidate_personas: list[Element]
    si_candidate_authors_candidate_personas: list[list[Element]] | None = None


SOURCE = Source("si", SiRecord, "si_main_author_candidate_personas")


def list_examples(gold: Gold) -> Iterator[Example]:
    """Lists an example for each thread: the author of its last message."""
    for thread in load_threads(SOURCE, gold):
        assert isinstance(thread, SiRecord)  # noqa: S101 - the source says so
        if thread.messages:
            yield _describe(thread)


def _describe(thread: SiRecord) -> Example:
    last = len(thread.messages) - 1
    ranked = thread.si_candidate_authors_candidate_personas or None
    return Example(
        thread,
        last,
        describe_context(thread, last) | {"response": thread.messages[last]},
        None if ranked is None else [_describe_all(each) for each in ranked],
        _describe_all(thread.si_main_author_candidate_personas),
    )


def _describe_all(elements: list[Element]) -> list[dict[str, object]]:
    return [describe_element(each) for each in elements]


TASK = make_task(
    "mpchat/si",
    "the author of the last message among 100, known by persona",
    {"response": "The last message, whose author is looked for."},
    "An instance is a thread; `turn` is the number of its last message.",
    list_examples,
)

PROMPT = make_prompt(
    "mpchat/si",
    " before `response`. Each of the `candidates` is the persona of an author. Say whose response "
    "it is.",
)

BASELINES = make_baselines(Side("mpchat/si", ("response",), "context", read_persona))
