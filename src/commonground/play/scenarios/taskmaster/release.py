"""A dialogue that was written by a script, in the released format of each generation."""

from __future__ import annotations

import json
import uuid
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import count, groupby, islice, zip_longest
from random import Random
from typing import Any, Literal

import msgspec

from commonground.corpora.taskmaster import script_language as language
from commonground.corpora.taskmaster.native import dialogues as native
from commonground.corpora.taskmaster.native.calls import parse_body
from commonground.errors import CommongroundError
from commonground.play.scenario import ReleasedFile
from commonground.play.scenarios.taskmaster.material import Api
from commonground.play.scenarios.taskmaster.scripts.filling import (
    fill,
    fill_json,
    json_of,
    split_arguments,
)
from commonground.play.world import World
from commonground.records import UNSET

# As many as the released files of Taskmaster-4 hold.
DIALOGUES_PER_FILE = 500
STATUS = "status"
STATUS_WORDS = ("api.response", STATUS)
"""How scripts and records name an answer that is yes or no."""


class ReleasedTurn(msgspec.Struct, frozen=True):
    """What one of the two says."""

    speaker: language.Speaker
    text: str


class Marked(msgspec.Struct, frozen=True):
    """A stretch of a turn that was labelled.

    Attributes:
        turn: number of the turn, from 0.
        start: first character, in code points.
        end: after the last.
        proposed: whether it was found by itself; else a person marked it.
    """

    turn: int
    start: int
    end: int
    label: str
    proposed: bool = True


class WrittenDialogue(msgspec.Struct, frozen=True):
    """How a dialogue went.

    Attributes:
        title: of the script.
        script: its text.
        lines: of its conversation.
        values: of all variables.
        marked: the stretches that were labelled, in order of turn and place.
    """

    conversation_id: str
    title: str
    script: str
    lines: Sequence[language.Line]
    values: Mapping[str, str]
    turns: Sequence[ReleasedTurn]
    marked: Sequence[Marked]
    apis: Mapping[str, Api]

    def marked_in(self, turn: int) -> list[Marked]:
        """Returns the labelled stretches of a turn."""
        return [each for each in self.marked if each.turn == turn]


class AnsweredCall(msgspec.Struct, frozen=True):
    """A call with its response.

    Attributes:
        turn: number of the turn that it stands after, from 0.
        call: as the script has it, with gaps filled.
        response: likewise.
    """

    turn: int
    call: language.ScriptCall
    response: language.Response


def place_calls(lines: Iterable[language.Line]) -> list[AnsweredCall]:
    """Returns the calls of a conversation, each at the turn before it.

    A call that no response follows is left out, as it is in the released dialogues.
    """
    placed: list[AnsweredCall] = []
    turn, open_call = -1, None
    for line in lines:
        # Only these lines are said; calls stand between them and belong to the turn before.
        if isinstance(line, language.Hint | language.Force):
            turn += 1
        if isinstance(line, language.Response) and open_call is not None and turn >= 0:
            placed.append(AnsweredCall(turn, open_call, line))
        # Unknown directives are looked past; any other line ends the wait for a response.
        if not isinstance(line, language.Other):
            open_call = line if isinstance(line, language.ScriptCall) else None
    return placed


def answer_calls(course: WrittenDialogue, world: World[Any, Any]) -> WrittenDialogue:
    """Has a world answer the calls that no response follows.

    All calls are executed in order, so that an order is what the calls before it came to. One that
    the world refuses gets no response.
    """
    lines = [each for each in course.lines if not isinstance(each, language.Other)]
    answered: list[language.Line] = []
    state = world.beginning
    for line, after in zip_longest(lines, lines[1:]):
        answered.append(line)
        if not isinstance(line, language.ScriptCall):
            continue
        written = json_of(line.body)
        try:
            given = (
                dict(_list_values(course, line.body))
                if written is None
                else json.loads(fill_json(written, course.values))
            )
            answer = world.call(state, line.api, given)
        except CommongroundError:
            continue
        state = answer.state
        if not isinstance(after, language.Response):
            if written is not None:
                body = f"response {json.dumps(answer.result, ensure_ascii=False)}"
            else:
                pairs = (
                    (key, each)
                    for key, found in answer.result.items()
                    for each in (found if isinstance(found, list) else [found])
                )
                body = " ".join(f"{key} {each}" for key, each in pairs)
            answered.append(language.Response(line.api, body))
    return msgspec.structs.replace(course, lines=answered)


def find_body_fault(
    line: language.ScriptCall | language.Response, apis: Mapping[str, Api]
) -> str | None:
    """Returns what is wrong with the body of a call or response; None for nothing."""
    written = json_of(line.body)
    try:
        if written is None:
            split_arguments(line.body, argument_names(apis))
        else:
            parse_body(written)
    except ValueError as error:
        what = "expected the name of an argument, found" if written is None else "no JSON:"
        return f"{what} {error}."
    return None


def argument_names(apis: Mapping[str, Api]) -> set[str]:
    """Returns the words that are names in arguments and answers.

    They are those of all APIs, so that one that its own does not declare is still no value.
    """
    declared = {name for each in apis.values() for name in (*each.arguments, *each.answers)}
    return {*declared, *STATUS_WORDS}


def make_id(seed: int) -> str:
    """Makes the id of a dialogue."""
    bits = Random(f"{seed}:conversation").getrandbits(128)
    # The form of released ids, a random UUID, but the same for the same seed.
    return f"dlg-{uuid.UUID(int=bits, version=4)}"


def build_plain(course: WrittenDialogue) -> native.PlainDialogue:
    """Builds a dialogue of generation 1, whose title stands for its instructions."""
    speakers: dict[language.Speaker, Literal["USER", "ASSISTANT"]] = {
        "user": "USER",
        "assistant": "ASSISTANT",
    }
    return native.PlainDialogue(
        conversation_id=course.conversation_id,
        instruction_id=course.title,
        utterances=[
            native.PlainUtterance(
                index=number,
                speaker=speakers[turn.speaker],
                text=turn.text,
                segments=_segments(course, number) or UNSET,
            )
            for number, turn in enumerate(course.turns)
        ],
    )


def _segments(course: WrittenDialogue, number: int) -> list[native.Segment]:
    text = course.turns[number].text
    return [
        native.Segment(
            start_index=each.start,
            end_index=each.end,
            text=text[each.start : each.end],
            annotations=[native.Label(name=each.label)],
        )
        for each in course.marked_in(number)
    ]


def build_tickets(course: WrittenDialogue) -> native.TicketDialogue:
    """Builds a dialogue of generation 3: calls are objects."""
    calls: dict[int, list[native.ApiCall]] = {}
    for each in place_calls(course.lines):
        calls.setdefault(each.turn, []).append(_build_call(course, each))
    return native.TicketDialogue(
        conversation_id=course.conversation_id,
        vertical="Movie Tickets",
        scenario=course.title,
        instructions=course.script,
        utterances=[
            native.TicketUtterance(
                index=number,
                speaker=turn.speaker,
                text=turn.text,
                segments=_segments(course, number) or UNSET,
                apis=calls.get(number) or UNSET,
            )
            for number, turn in enumerate(course.turns)
        ],
    )


def _build_call(course: WrittenDialogue, placed: AnsweredCall) -> native.ApiCall:
    name = placed.call.api
    declared = course.apis.get(name)
    args = _list_values(course, placed.call.body)
    if declared is not None:
        # An argument that is not declared is for the linter to tell; no record has it.
        args = [(key, value) for key, value in args if key in declared.arguments]
    numbered: dict[str, str] = {}
    seen: Counter[str] = Counter()
    # The values of each name are numbered from 1, as released; a status has no number.
    for key, value in _list_values(course, placed.response.body):
        seen[key] += 1
        numbered[STATUS if key in STATUS_WORDS else f"{key}_{seen[key]}"] = value
    return native.ApiCall(name=name, index=placed.turn, args=dict(args), response=numbered)


def _list_values(course: WrittenDialogue, body: str) -> list[tuple[str, str]]:
    """Returns the names and values of a call or response, whichever way they are written."""
    written = json_of(body)
    if written is not None:
        parsed = json.loads(fill_json(written, course.values))
        # Generation 3 has objects only; a list of generation 4 becomes one value.
        pairs = parsed.items() if isinstance(parsed, dict) else [("response", parsed)]
        return [
            (key, value if isinstance(value, str) else json.dumps(value)) for key, value in pairs
        ]
    names = argument_names(course.apis)
    return [(pair.name, fill(pair.value, course.values)) for pair in split_arguments(body, names)]


def build_coffee(course: WrittenDialogue) -> native.CoffeeDialogue:
    """Builds a dialogue of generation 4: calls are flat annotations, numbered throughout."""
    placed = [*enumerate(place_calls(course.lines))]
    notes = {
        turn: [note for number, each in group for note in _notes(course, number, each)]
        # Calls are in the order of turns, as `groupby` needs them.
        for turn, group in groupby(placed, lambda pair: pair[1].turn)
    }
    return native.CoffeeDialogue(
        conversation_id=course.conversation_id,
        vertical="Coffee",
        scenario=course.title,
        instructions=course.script,
        utterances=[
            native.CoffeeUtterance(
                index=number,
                speaker=turn.speaker,
                text=turn.text,
                segments=[
                    native.CoffeeSegment(
                        **msgspec.structs.asdict(segment),
                        annotator_id="GENERATED" if each.proposed else "worker",
                    )
                    for segment, each in zip(
                        _segments(course, number), course.marked_in(number), strict=True
                    )
                ],
                annotations=notes.get(number, []),
            )
            for number, turn in enumerate(course.turns)
        ],
    )


def _notes(course: WrittenDialogue, number: int, placed: AnsweredCall) -> list[native.CallNote]:
    call, back = f"api_call_{number}", f"api_response_{number}"
    name = placed.call.api
    return [
        native.CallNote(name="api_call", value=name, context=call),
        native.CallNote(name="request", value=_write_body(course, placed.call.body), context=call),
        native.CallNote(name="api_response", value=placed.response.api, context=back),
        native.CallNote(
            name="response", value=_write_body(course, placed.response.body), context=back
        ),
    ]


def _write_body(course: WrittenDialogue, body: str) -> str:
    written = json_of(body)
    if written is not None:
        return fill_json(written, course.values)
    return json.dumps(dict(_list_values(course, body)), ensure_ascii=False)


def release_data(records: Iterable[Any]) -> Iterator[ReleasedFile]:
    """Yields files of 500 dialogues, under the names of generations 3 and 4."""
    rest = iter(records)
    for number in count():
        part = list(islice(rest, DIALOGUES_PER_FILE))
        if not part:
            return
        yield ReleasedFile(f"data/data_{number:02}.json", write_array(part))


def release_plain(records: Iterable[Any]) -> Iterator[ReleasedFile]:
    """Yields the one file of self-dialogues of generation 1, where there is a dialogue."""
    dialogues = list(records)
    if dialogues:
        yield ReleasedFile("self-dialogs.json", write_array(dialogues))


def write_array(records: Sequence[Any]) -> bytes:
    """Writes records as a JSON list, one on a line."""
    return b"[\n" + b",\n".join(map(msgspec.json.encode, records)) + b"\n]\n"


Builder = Callable[[WrittenDialogue], Any]
Releaser = Callable[[Iterable[Any]], Iterator[ReleasedFile]]
