"""Rules of generation 4: dialogues and segments, and calls, whose parts are flat annotations."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from operator import attrgetter

from commonground.corpora.taskmaster.native.calls import call_number, parse_body
from commonground.corpora.taskmaster.native.dialogues import CallNote, CoffeeDialogue
from commonground.corpora.taskmaster.rules._shared import iterate_segments, place
from commonground.findings import Examined, Place, Ruleset

rules = Ruleset("CG-TASKMASTER-", "dialogs4", known=0)


@rules.note(405, known=82)
def text_offsets(record: CoffeeDialogue, examined: Examined) -> Iterator[Place]:
    """The offsets of a segment are numbers written as text.

    Readers of the other generations stop here; in the store they are numbers.

    Turn them into numbers where you read the files yourself.
    """
    for number, below, _, segment in iterate_segments(record):
        if isinstance(segment.start_index, str) or isinstance(segment.end_index, str):
            found = f"{segment.start_index!r} to {segment.end_index!r}"
            yield place(examined, number, below, expected="numbers", found=found)


@rules.note(406)
def annotator(record: CoffeeDialogue, examined: Examined) -> Iterator[Place]:
    """A segment is not a generated one with the label `request`.

    All segments of the release are generated requests; others come from elsewhere.

    Do nothing if you annotated it.
    """
    for number, each in enumerate(record.utterances):
        for i, segment in enumerate(each.segments):
            names = [label.name for label in segment.annotations]
            if segment.annotator_id != "GENERATED" or set(names) - {"request"}:
                found = f"{', '.join(names)} by {segment.annotator_id}"
                yield place(examined, number, f".segments[{i}]", found=found)


@rules.note(407, known=575)
def no_instructions(record: CoffeeDialogue) -> Iterator[Place]:
    """The dialogue has no instructions.

    What the writer was asked to do is not known.

    Group such dialogues by `scenario`.
    """
    if record.instructions is None:
        yield Place(".instructions", expected="text", found="null")


@rules.warning(408)
def first_speaker(record: CoffeeDialogue, examined: Examined) -> Iterator[Place]:
    """The first utterance is not the user's.

    In the release, the user always begins.

    Check whether an utterance is missing.
    """
    if record.utterances and record.utterances[0].speaker != "user":
        yield place(examined, 0, ".speaker", expected="user", found="assistant")


@rules.note(409, known=75)
def last_speaker(record: CoffeeDialogue, examined: Examined) -> Iterator[Place]:
    """The last utterance is the user's.

    The assistant's answer is missing.

    Leave the last utterance out where answers are predicted.
    """
    number = len(record.utterances) - 1
    if number >= 0 and record.utterances[number].speaker != "assistant":
        yield place(examined, number, ".speaker", expected="assistant", found="user")


@rules.warning(410)
def alternation(record: CoffeeDialogue, examined: Examined) -> Iterator[Place]:
    """A speaker speaks twice in a row.

    In the release, user and assistant always take turns.

    Check whether an utterance is missing.
    """
    for number, (before, each) in enumerate(pairwise(record.utterances), 1):
        if before.speaker == each.speaker:
            yield place(examined, number, ".speaker", found=each.speaker)


COFFEE_APIS = frozenset(
    {
        "add_order_item",
        "finish_order",
        "get_addons",
        "get_menu_items",
        "get_order_details",
        "show_menu",
        "update_order",
        "update_order_item",
    }
)
"""The APIs that the released dialogues call."""


def _notes(record: CoffeeDialogue, name: str) -> Iterator[tuple[int, int, CallNote]]:
    """Yields utterance number, annotation number and annotation of one kind."""
    for number, each in enumerate(record.utterances):
        for i, note in enumerate(each.annotations):
            if note.name == name:
                yield number, i, note


def _unparsed(record: CoffeeDialogue, examined: Examined, name: str) -> Iterator[Place]:
    for number, i, note in _notes(record, name):
        try:
            parse_body(note.value)
        except ValueError as error:
            # What `parse_body` says of the place is more than that it is no JSON.
            path, expected = f".annotations[{i}].value", f"JSON ({error})"
            yield place(examined, number, path, expected=expected, found=note.value)


def _may_have_text(examined: Examined, column: str) -> bool:
    """Says whether a body can be text: the dialogue knows what parsed, which is much cheaper."""
    if examined.dialogue is None:
        return True
    return str in map(type, map(attrgetter(column), examined.dialogue.events))


@rules.warning(421, known=28)
def request_json(record: CoffeeDialogue, examined: Examined) -> Iterator[Place]:
    """A request is not JSON.

    Its quotation marks were doubled; `arguments` holds it as text.

    Replace doubled quotation marks with single ones, or leave the call out.
    """
    if _may_have_text(examined, "arguments"):
        yield from _unparsed(record, examined, "request")


@rules.warning(422, known=44)
def response_json(record: CoffeeDialogue, examined: Examined) -> Iterator[Place]:
    """A response is not JSON.

    It was not written out completely or correctly; `result` holds it as text.

    Leave the call out where results matter.
    """
    if _may_have_text(examined, "result"):
        yield from _unparsed(record, examined, "response")


@rules.note(423, known=75)
def no_request(record: CoffeeDialogue, examined: Examined) -> Iterator[Place]:
    """An API call has no request.

    Only `show_menu`, which may go without arguments, is released so.

    Treat null `arguments` as an empty request.
    """
    for number, each in enumerate(record.utterances):
        if not each.annotations:
            continue
        requests = {note.context for note in each.annotations if note.name == "request"}
        for i, note in enumerate(each.annotations):
            if note.name == "api_call" and note.context not in requests:
                found = f"{note.value} without request"
                yield place(examined, number, f".annotations[{i}]", found=found)


@rules.warning(424, known=100)
def placeholders(record: CoffeeDialogue, examined: Examined) -> Iterator[Place]:
    """A request or response holds a placeholder `var_...` that was not filled in.

    It is a word from the instructions, not from an order.

    Treat it as any drink, or leave the call out.
    """
    for number, each in enumerate(record.utterances):
        for i, note in enumerate(each.annotations):
            if "var_" in note.value:
                # The placeholder with some of what stands around it: a response may be pages long.
                at = note.value.index("var_")
                path, found = f".annotations[{i}].value", note.value[max(0, at - 30) : at + 50]
                yield place(examined, number, path, found=found)


@rules.error(425)
def response_name(record: CoffeeDialogue, examined: Examined) -> Iterator[Place]:
    """A response names another API than its call.

    It is not known which of the two was called.

    Check which fits the request.
    """
    for number, each in enumerate(record.utterances):
        if not each.annotations:
            continue
        # `api_call_3` and `api_response_3` belong together by what is after their names: 3.
        names = {n.context[9:]: n.value for n in each.annotations if n.name == "api_call"}
        for i, note in enumerate(each.annotations):
            if note.name == "api_response":
                called = names.get(note.context[13:], note.value)
                if called != note.value:
                    path, found = f".annotations[{i}].value", note.value
                    yield place(examined, number, path, expected=called, found=found)


@rules.error(426)
def call_pairs(record: CoffeeDialogue, examined: Examined) -> Iterator[Place]:
    """An API call and an API response do not go together.

    A call without response, or a response without call, is half an action.

    Check whether one of the two has a wrong number.
    """
    for number, each in enumerate(record.utterances):
        if not each.annotations:
            continue
        calls = {n.context[9:] for n in each.annotations if n.name == "api_call"}
        names = {n.context[13:] for n in each.annotations if n.name == "api_response"}
        bodies = {n.context[13:] for n in each.annotations if n.name == "response"}
        # Requests are not compared: 75 calls of `show_menu` have none (CG-TASKMASTER-423).
        if not calls == names == bodies:
            odd = sorted((calls | names | bodies) - (calls & names & bodies))  # not in all three
            yield place(examined, number, ".annotations", found=f"numbers {', '.join(odd)}")


@rules.warning(427)
def call_numbers(record: CoffeeDialogue, examined: Examined) -> Iterator[Place]:
    """The API calls of the dialogue are not numbered from 0 in order.

    `native_id` of actions does not say which call came first.

    Use the order of events.
    """
    for wanted, (number, i, note) in enumerate(_notes(record, "api_call")):
        if call_number(note.name, note.context) != str(wanted):
            path, expected = f".annotations[{i}].context", f"api_call_{wanted}"
            yield place(examined, number, path, expected=expected, found=note.context)


@rules.warning(428)
def assistant_calls(record: CoffeeDialogue, examined: Examined) -> Iterator[Place]:
    """An API call is attached to an utterance of the assistant.

    In the release, calls are attached to the user's utterance that asks for them.

    Check whether the call belongs to the utterance before.
    """
    for number, each in enumerate(record.utterances):
        if each.annotations and each.speaker != "user":
            yield place(examined, number, ".annotations", found=each.speaker)


@rules.warning(429)
def known_apis(record: CoffeeDialogue, examined: Examined) -> Iterator[Place]:
    """An API is called that no released dialogue calls.

    There is no declaration of the APIs; eight names occur.

    Do nothing if you added it.
    """
    for number, i, note in _notes(record, "api_call"):
        if note.value not in COFFEE_APIS:
            yield place(examined, number, f".annotations[{i}].value", found=note.value)
