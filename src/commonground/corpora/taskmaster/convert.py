"""Taskmaster dialogues as events: utterances, and each API call right after its utterance."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

from commonground.corpora.taskmaster.native.calls import combine_calls, read_body
from commonground.corpora.taskmaster.native.dialogues import (
    DOMAINS_2,
    CoffeeDialogue,
    CoffeeSegment,
    CoffeeUtterance,
    PlainDialogue,
    PlainUtterance,
    RewardExample,
    Segment,
    TicketDialogue,
    TicketUtterance,
)
from commonground.corpora.taskmaster.native.ontology import (
    ApiDeclaration,
    Entities,
    LabelGroup,
    PlainOntology,
)
from commonground.corpora.taskmaster.native.rows import SplitId, SplitRow
from commonground.files.reading import ConversionError, SideRecord, Where
from commonground.model import Action, Dialogue, FileEntry, Role, Span, Speaker, Utterance
from commonground.schema import LARGEST_INT

LAYER = "segments"


class Context(msgspec.Struct):
    """What the side files say.

    Attributes:
        splits_of: the released splits that each conversation id stands in.
        labels: the declared labels: of each domain (generation 2), else under ``""``.
        apis: the declared APIs of generation 3, by name.
    """

    splits_of: dict[str, tuple[str, ...]] = {}
    labels: dict[str, frozenset[str]] = {}
    apis: dict[str, ApiDeclaration] = {}


def prepare(sides: Iterable[SideRecord]) -> Context:
    """Gathers splits, declared labels and declared APIs."""
    context = Context()
    for side in sides:
        record = side.record
        if isinstance(record, SplitRow | SplitId):
            _note_split(context, record.conversation_id, side.document)
        elif isinstance(record, PlainOntology):
            _note_labels(context, "", _labels_of(record))
        elif isinstance(record, LabelGroup):
            names = {f"{record.prefix}.{name}" for name in record.annotations}
            _note_labels(context, file_stem(side.document), names)
        # Generation 3 has one list for all its dialogues, which stands under the empty domain.
        elif isinstance(record, Entities):
            _note_labels(context, "", {*record.required, *record.optional})
        elif isinstance(record, ApiDeclaration):
            # One declaration may have several names, such as the two that look for showtimes.
            context.apis.update(dict.fromkeys(record.apis, record))
    return context


def _labels_of(record: PlainOntology) -> set[str]:
    names = {f"{record.id}.{name}" for name in (*record.required, *record.optional)}
    return names | {record.id}


def _note_labels(context: Context, domain: str, names: set[str]) -> None:
    context.labels[domain] = context.labels.get(domain, frozenset()) | names


# The name begins with it, and it is a whole word: ``test1`` is one, ``testing`` is not.
_SPLIT_NAME = re.compile(r"(train|dev|test)(?![A-Za-z])")


def _note_split(context: Context, conversation_id: str | None, document: str) -> None:
    split = _split_of_name(document)
    if not conversation_id or split is None:
        return
    known = context.splits_of.get(conversation_id, ())
    if split not in known:
        context.splits_of[conversation_id] = (*known, split)


def _split_of_name(document: str) -> str | None:
    match = _SPLIT_NAME.match(document.rpartition("/")[2])
    return match[1] if match else None


def file_stem(document: str) -> str:
    """Returns the base name of a document without its ending."""
    return document.rpartition("/")[2].removesuffix(".json")


def entries(record: Any, where: Where) -> Iterator[FileEntry]:
    """Gives what the lists of splits, reward examples, ontologies and the sample say."""
    split = _split_of_name(where.document)
    plain: dict[str, Any] = msgspec.to_builtins(record)
    if isinstance(record, SplitId):
        yield FileEntry(
            "split", None, record.conversation_id, split, record.rest.strip(",") or None
        )
    elif isinstance(record, SplitRow):
        cells = {"context": record.context, "more": record.more or None}
        kept = {name: value for name, value in cells.items() if value is not None}
        yield FileEntry("split", None, record.conversation_id, split, record.target, None, kept)
    elif isinstance(record, RewardExample):
        said = {
            "context": read_body(record.context),
            "generation": read_body(record.generation),
        }
        of = record.conversation_id
        yield FileEntry("reward", None, of, None, None, record.reward, said)
    elif isinstance(record, ApiDeclaration):
        yield FileEntry("api", where.key, attributes=plain)
    elif isinstance(record, PlainDialogue):
        yield FileEntry("sample", None, record.conversation_id, attributes=plain)
    elif isinstance(record, LabelGroup):
        yield FileEntry("ontology", where.split, attributes=plain)
    elif isinstance(record, PlainOntology | Entities):
        yield FileEntry("ontology", where.key, attributes=plain)


def convert(
    record: PlainDialogue | TicketDialogue | CoffeeDialogue, where: Where, context: Context
) -> Dialogue:
    """Turns one released dialogue of any generation into a dialogue.

    Args:
        record: the dialogue as released; its type tells the generation.
        where: where it stands; in generation 2 the file's name is the domain.
        context: gives the released splits that the dialogue stands in.

    Raises:
        ConversionError: an index or offset is no number that can be, or the parts of a call do
            not belong together.
    """
    splits = context.splits_of.get(record.conversation_id, ())
    # Where released splits contradict each other none is right.
    split = splits[0] if len(splits) == 1 else None
    dialogue = Dialogue(dialogue_id=record.conversation_id, split=split)
    if isinstance(record, PlainDialogue):
        stem = file_stem(where.document)
        dialogue.domain = stem if stem in DOMAINS_2 else record.instruction_id
        dialogue.attributes = {"instruction_id": record.instruction_id}
        for number, each in enumerate(record.utterances):
            _add_utterance(dialogue, each, number)
        dialogue.speakers = _speakers(dialogue, "USER", "ASSISTANT")
    else:
        _add_later(dialogue, record)
    return dialogue


def _add_utterance(
    dialogue: Dialogue, each: PlainUtterance | TicketUtterance | CoffeeUtterance, number: int
) -> None:
    _check_number(each.index, f".utterances[{number}].index")
    dialogue.events.append(Utterance(each.speaker, each.text, each.index))
    if each.segments:
        _add_spans(dialogue, each.segments, number)


def _add_later(dialogue: Dialogue, record: TicketDialogue | CoffeeDialogue) -> None:
    dialogue.domain = record.vertical
    dialogue.attributes = {"scenario": record.scenario, "instructions": record.instructions}
    utterances: Sequence[TicketUtterance | CoffeeUtterance] = record.utterances
    for number, each in enumerate(utterances):
        _add_utterance(dialogue, each, number)
        path = f".utterances[{number}]"
        if isinstance(each, TicketUtterance):
            dialogue.events += _ticket_calls(each, path)
        else:
            dialogue.events += _coffee_calls(each, path)
    dialogue.speakers = _speakers(dialogue, "user", "assistant")


def _ticket_calls(said: TicketUtterance, path: str) -> Iterator[Action]:
    for i, call in enumerate(said.apis or ()):
        _check_number(call.index, f"{path}.apis[{i}].index")
        yield Action("assistant", call.name, call.args, call.response, call.index)


def _coffee_calls(said: CoffeeUtterance, path: str) -> Iterator[Action]:
    for call in combine_calls(said.annotations or (), f"{path}.annotations"):
        yield Action(
            "assistant",
            call.name,
            call.arguments,
            call.result,
            said.index,
            native_id=call.call_id,
            details={"api_response": call.answered} if call.answered else None,
        )


def _add_spans(
    dialogue: Dialogue, segments: Sequence[Segment | CoffeeSegment], number: int
) -> None:
    # Called right after the utterance, before its calls are added: it is the last event so far.
    event = len(dialogue.events) - 1
    for i, each in enumerate(segments):
        path = f".utterances[{number}].segments[{i}]"
        start = _check_number(each.start_index, f"{path}.start_index")
        end = _check_number(each.end_index, f"{path}.end_index")
        facts = None
        if isinstance(each, CoffeeSegment):
            facts = {"annotator_id": each.annotator_id}
        # A segment with two labels (45 of the 156 of generation 1 that we hold) is two spans.
        for label in each.annotations:
            span = Span(event, LAYER, start, end, each.text, label.name, facts)
            dialogue.spans.append(span)


# Ten digits at most: ``int`` takes time that grows with the square of their number.
_DIGITS = re.compile(r"-?[0-9]{1,10}")


def read_number(value: int | str) -> int | None:
    """Returns a number, which generation 4 may write as text; None for text that holds none."""
    if isinstance(value, int):
        return value
    return int(value) if _DIGITS.fullmatch(value) else None


def _check_number(value: int | str, path: str) -> int:
    number = read_number(value)
    if number is None:
        raise ConversionError(path, "a whole number, as such or as text", value)
    if not -LARGEST_INT <= number <= LARGEST_INT:
        raise ConversionError(path, "a number of at most 31 bits", value)
    return number


def _speakers(dialogue: Dialogue, user: str, assistant: str) -> list[Speaker]:
    # Only who says something: a dialogue of one utterance has one speaker.
    present = {event.speaker for event in dialogue.events}
    roles: tuple[tuple[str, Role], ...] = ((user, "user"), (assistant, "assistant"))
    return [Speaker(label, role) for label, role in roles if label in present]
