"""Rules on the split rows of generation 3."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

from commonground.corpora.taskmaster.native.rows import SplitRow
from commonground.corpora.taskmaster.native.tags import (
    Called,
    Responded,
    Said,
    TagError,
    TaggedTurn,
    parse_turns,
)
from commonground.findings import Place, Ruleset
from commonground.printing import count_of

rules = Ruleset("CG-TASKMASTER-", "splits3")


# Three rules ask for the same row one after another; older ones are never asked for again.
@lru_cache(maxsize=2)
def _turns(context: str) -> tuple[TaggedTurn, ...]:
    """Parses a context once for all rules; nothing where it does not parse."""
    try:
        return tuple(parse_turns(context))
    except TagError:
        return ()


@rules.error(331)
def row_cells(record: SplitRow) -> Iterator[Place]:
    """A row does not have three cells: context, target and conversation id.

    It is not a training example, and its dialogue gets no split from it.

    Compare the file with the released one; its cells may be quoted.
    """
    count = len(record.quoted)
    if count != 3:
        yield Place(expected="3 cells", found=count_of(count, "cell"))
    elif not (record.conversation_id or "").startswith("dlg-"):
        yield Place(".conversation_id", expected="dlg-…", found=record.conversation_id)


@rules.error(332)
def row_tags(record: SplitRow) -> Iterator[Place]:
    """A context or target is not in the tag language.

    It cannot be parsed into utterances, calls and responses.

    Look at the place named; a tag is missing or misplaced there.
    """
    try:
        parse_turns(record.context)
    except TagError as error:
        yield Place(".context", expected=error.expected, found=record.context[error.at :])
    try:
        parse_turns(record.target or "", "[]")
    except TagError as error:
        found = (record.target or "")[error.at :]
        yield Place(".target", expected=error.expected, found=found)


@rules.warning(333)
def placeholder_rows(record: SplitRow) -> Iterator[Place]:
    """A row holds a placeholder `var_...` that was not filled in.

    It is a word from the instructions, not from the dialogue; models learn to say it.

    Leave the row out.
    """
    for path, text in ((".context", record.context), (".target", record.target or "")):
        at = text.find("var_")
        if at >= 0:
            yield Place(path, found=text[at : at + 40])


@rules.warning(334)
def calls_answered(record: SplitRow) -> Iterator[Place]:
    """A context does not have as many responses as calls.

    A model sees a call without its result, or the other way round.

    Leave the row out.
    """
    turns = _turns(record.context)
    calls = sum(isinstance(turn, Called) for turn in turns)
    responses = sum(isinstance(turn, Responded) for turn in turns)
    if calls != responses:
        yield Place(".context", expected=f"{calls} responses", found=f"{responses} responses")


@rules.warning(335)
def row_user_twice(record: SplitRow) -> Iterator[Place]:
    """The user speaks twice in a row in a context.

    The published description says that this does not occur.

    Join the two utterances where a model expects turns to alternate.
    """
    # The latest turn, put first, has a mark after it.
    for before, each in pairwise(_turns(record.context)):
        if _is_user(before) and isinstance(each, Said) and _is_user(each):
            yield Place(".context", expected="the assistant", found=each.text)


def _is_user(turn: TaggedTurn) -> bool:
    return isinstance(turn, Said) and turn.speaker == "user"
