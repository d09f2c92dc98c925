"""Rules of generation 3: dialogues, ontology and split rows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

from commonground.corpora.taskmaster.native.dialogues import ApiCall, TicketDialogue
from commonground.corpora.taskmaster.native.ontology import ApiDeclaration
from commonground.corpora.taskmaster.native.rows import SplitRow
from commonground.corpora.taskmaster.native.tags import (
    Called,
    Responded,
    Said,
    TagError,
    TaggedTurn,
    parse_turns,
)
from commonground.corpora.taskmaster.rules._shared import (
    context_of,
    iterate_segments,
    place,
    several_splits,
    undeclared_labels,
)
from commonground.findings import Examined, Place, Ruleset
from commonground.printing import count_of

dialogs3 = Ruleset("CG-TASKMASTER-", "dialogs3")
apis3 = Ruleset("CG-TASKMASTER-", "apis3")
splits3 = Ruleset("CG-TASKMASTER-", "splits3")


PARAMETERS = frozenset({"attribute"})
"""Names of arguments that are no entities: ``attribute`` takes an entity as its value."""
ANSWERS = frozenset({"status", "empty"})
"""Keys of responses that are no entities."""


def _calls(record: TicketDialogue) -> Iterator[tuple[int, str, ApiCall]]:
    """Yields utterance number, path below it and call."""
    for number, each in enumerate(record.utterances):
        for i, call in enumerate(each.apis or ()):
            yield number, f".apis[{i}]", call


@dialogs3.warning(307)
def labels_3(record: TicketDialogue, examined: Examined) -> Iterator[Place]:
    """A label is not in the list of entities.

    Code that takes its labels from `entities.json` cannot handle it.

    Add the label, or see which declared one is meant.
    """
    return undeclared_labels(record, examined)


@dialogs3.warning(308)
def in_several_splits(record: TicketDialogue, examined: Examined) -> Iterator[Place]:
    """Rows of a dialogue are in more than one released split.

    Some test data were seen in training; the dialogue is given no split.

    Leave the dialogue out of training, or out of the test.
    """
    return several_splits(record, examined)


@dialogs3.warning(309)
def successive_user(record: TicketDialogue, examined: Examined) -> Iterator[Place]:
    """The user speaks twice in a row.

    The published description says that this does not occur.

    Join the two utterances where a model expects turns to alternate.
    """
    # The assistant may speak twice.
    for number, (before, each) in enumerate(pairwise(record.utterances), 1):
        if before.speaker == each.speaker == "user":
            yield place(examined, number, ".speaker", expected="assistant", found="user")


@dialogs3.error(310)
def api_index(record: TicketDialogue, examined: Examined) -> Iterator[Place]:
    """The index of an API call is not that of its utterance.

    The call belongs to another utterance, or its number is wrong.

    Trust the position of the call.
    """
    for number, below, call in _calls(record):
        wanted = record.utterances[number].index
        if call.index != wanted:
            path, found = f"{below}.index", str(call.index)
            yield place(examined, number, path, expected=str(wanted), found=found)


@dialogs3.warning(311)
def api_speaker(record: TicketDialogue, examined: Examined) -> Iterator[Place]:
    """An API call is attached to an utterance of the assistant.

    In the release, calls are attached to the user's utterance that asks for them.

    Check whether the call belongs to the utterance before.
    """
    for number, below, _ in _calls(record):
        if record.utterances[number].speaker != "user":
            yield place(examined, number, below, expected="at the user", found="assistant")


@dialogs3.warning(312)
def api_names(record: TicketDialogue, examined: Examined) -> Iterator[Place]:
    """An undeclared API is called.

    Its arguments and answers cannot be checked, and models learn to call it.

    Compare the name with `apis.json`.
    """
    apis = context_of(examined).apis
    for number, below, call in _calls(record) if apis else ():
        if call.name not in apis:
            yield place(examined, number, f"{below}.name", found=call.name)


@dialogs3.note(313)
def api_arguments(record: TicketDialogue, examined: Examined) -> Iterator[Place]:
    """An API call has an argument that is not declared, or lacks a required one.

    The declaration in `apis.json` is not what was annotated.

    Use the arguments as they are; the declaration is a guide.
    """
    apis = context_of(examined).apis
    for number, below, call in _calls(record):
        declared = apis.get(call.name)
        if declared is None:
            continue
        required = set(declared.args.all_of or ())
        odd = sorted(call.args.keys() - required - set(declared.args.any_of or ()))
        lacking = sorted(required - call.args.keys())
        if odd or lacking:
            found = "; ".join(
                [*(f"{n} is not declared" for n in odd), *(f"no {n}" for n in lacking)]
            )
            yield place(examined, number, f"{below}.args", found=found)


# The end of `name.movie_1`.
_NUMBERED = re.compile(r"_\d+\Z")


@dialogs3.note(314)
def api_responses(record: TicketDialogue, examined: Examined) -> Iterator[Place]:
    """A response has a key that is not declared.

    Numbered keys such as `name.movie_1` are taken without their number.

    Use the keys as they are; the declaration is a guide.
    """
    apis = context_of(examined).apis
    for number, below, call in _calls(record):
        declared = apis.get(call.name)
        stems = {_NUMBERED.sub("", key) for key in call.response}
        if declared is not None and not stems <= set(declared.response.keys):
            odd = sorted(stems - set(declared.response.keys))
            yield place(examined, number, f"{below}.response", found=", ".join(odd))


@dialogs3.warning(315)
def api_status(record: TicketDialogue, examined: Examined) -> Iterator[Place]:
    """A status is not one of the declared ones.

    It is not known whether the tickets were available, or bought.

    Check what the assistant says next.
    """
    apis = context_of(examined).apis
    for number, below, call in _calls(record):
        declared = apis.get(call.name)
        if declared is None or declared.response.type != "boolean":
            continue
        values = {*(declared.response.true_value or ()), *(declared.response.false_value or ())}
        for key, value in call.response.items():
            if key in declared.response.keys and value not in values:
                yield place(examined, number, f'{below}.response["{key}"]', found=value)


# Such as 'AMC Mountain 16:', which is also released as 'AMC Mountain 16'.
_EDGE = re.compile(r"\A[\s:;,.]|[\s:;,]\Z")


@dialogs3.note(316)
def edges(record: TicketDialogue, examined: Examined) -> Iterator[Place]:
    """A segment begins or ends with a space or a separating mark.

    The same entity occurs with and without it, so values do not compare equal.

    Strip `text` before you compare values; keep it where offsets matter.
    """
    # A full stop may end an abbreviation.
    for number, below, _, segment in iterate_segments(record):
        if _EDGE.search(segment.text):
            yield place(examined, number, f"{below}.text", found=repr(segment.text))


@dialogs3.warning(317)
def placeholders_3(record: TicketDialogue, examined: Examined) -> Iterator[Place]:
    """A text or a call holds a placeholder `var_...` that was not filled in.

    It is a word from the instructions, not from the dialogue.

    Look the value up in `instructions`, or leave the dialogue out.
    """
    for number, each in enumerate(record.utterances):
        if "var_" in each.text:
            yield place(examined, number, ".text", found=each.text)
    for number, below, call in _calls(record):
        for name, values in (("args", call.args), ("response", call.response)):
            for key, value in values.items():
                if "var_" in value:
                    yield place(examined, number, f'{below}.{name}["{key}"]', found=value)


@apis3.note(321, known=1)
def ontology_names(record: ApiDeclaration, examined: Examined) -> Iterator[Place]:
    """An API declares a name that is not in the list of entities.

    The release has `rating.movies` where the entity is `rating.movie`.

    Use `rating.movie`, which is what the dialogues have.
    """
    entities = context_of(examined).labels.get("")
    if entities is None:
        return
    names = [(f".args.all_of[{i}]", n) for i, n in enumerate(record.args.all_of or ())]
    names += [(f".args.any_of[{i}]", n) for i, n in enumerate(record.args.any_of or ())]
    names += [(f".response.keys[{i}]", n) for i, n in enumerate(record.response.keys)]
    for path, name in names:
        if name not in entities | PARAMETERS | ANSWERS:
            yield Place(path, expected="an entity", found=name)


# Three rules ask for the same row one after another; older ones are never asked for again.
@lru_cache(maxsize=2)
def _turns(context: str) -> tuple[TaggedTurn, ...]:
    """Parses a context once for all rules; nothing where it does not parse."""
    try:
        return tuple(parse_turns(context))
    except TagError:
        return ()


@splits3.error(331)
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


@splits3.error(332)
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


@splits3.warning(333)
def placeholder_rows(record: SplitRow) -> Iterator[Place]:
    """A row holds a placeholder `var_...` that was not filled in.

    It is a word from the instructions, not from the dialogue; models learn to say it.

    Leave the row out.
    """
    for path, text in ((".context", record.context), (".target", record.target or "")):
        at = text.find("var_")
        if at >= 0:
            yield Place(path, found=text[at : at + 40])


@splits3.warning(334)
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


@splits3.warning(335)
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
