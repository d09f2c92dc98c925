"""Released dialogues of generations 3 and 4, written again along their own scripts.

The records do not say what the worker entered, so that is read from where the script puts it: the
bodies of calls and the fixed turns. Then the turns are written as released, and what comes out is
compared: fixed turns, calls, and the stretches that are proposed. A turn that the rules refuse is
listed and kept.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import Any

import msgspec

from commonground.corpora.taskmaster.native.calls import parse_body
from commonground.corpora.taskmaster.native.dialogues import (
    FORMATS,
    CallNote,
    CoffeeDialogue,
    CoffeeUtterance,
    TicketDialogue,
    TicketUtterance,
)
from commonground.corpora.taskmaster.script_language import (
    Force,
    Hide,
    Hint,
    Rand,
    Script,
)
from commonground.errors import FormatError
from commonground.files.dividing import decode_raw, divide_document
from commonground.findings import shorten
from commonground.play.scenario import Act, Refusal, Replay, ReplayDifference, Sitting
from commonground.play.scenarios.taskmaster.game.self_dialog import (
    LONGEST_VALUE,
    ROLE,
    SelfDialog,
    carry_out,
)
from commonground.play.scenarios.taskmaster.game.state import (
    TaskmasterState,
    propose,
    required_values,
)
from commonground.play.scenarios.taskmaster.material import TaskmasterMaterial
from commonground.play.scenarios.taskmaster.release import AnsweredCall, argument_names, place_calls
from commonground.play.scenarios.taskmaster.scripts.filling import json_of, split_arguments
from commonground.play.scenarios.taskmaster.taskmaster3 import rules as taskmaster3
from commonground.play.scenarios.taskmaster.taskmaster4 import rules as taskmaster4
from commonground.printing import count_of
from tests.replays import Comparer

Dialogue = TicketDialogue | CoffeeDialogue
Said = TicketUtterance | CoffeeUtterance

REASONS = {
    "no_instructions": "The record has no instructions, so there is no script to write along.",
    "unplayable": "The instructions are not a script that can be played.",
    "value_unknown": "What the worker entered is in no call and no fixed turn.",
    "turns_missing": "The worker stopped before the script did, or left turns out.",
    "turns_added": "The dialogue goes on behind the end of the script.",
    "speaker": "The turn is another speaker's than the script's.",
    "forced": "The fixed words are others: the script or the turn was changed later.",
    "call_missing": "The script has the call; the record lacks it.",
    "call_added": "The record has a call that the script does not.",
    "call_empty": "The record has no request for a call without arguments.",
    "call_argument": "The record lacks arguments of the script's call, or has them otherwise.",
    "call_answer": "What came back is not what the script gives back.",
    "call_invalid": "The value broke the JSON, since it was put into the text of the body.",
    "call_unfilled": "The released body still holds a placeholder.",
    "span_missing": "The value is in the turn and was not marked.",
    "span_added": "The stretch was marked by hand: no value of the script is there.",
    "empty": "The turn is blank.",
    "too_long": "The turn is longer than the box.",
    "unprintable": "The turn has a line break or a character that cannot be seen.",
    "copies_hint": "The turn is its own hint, word for word.",
    "value_missing": "The turn lacks a value that its hint quotes.",
    "form_of_address": "The turn calls somebody sir or madam.",
    "field_missing": "What the worker entered is blank.",
}


def make_replayer(scenario: SelfDialog, fmt: str) -> Comparer:
    """Returns what writes the released dialogues of a format again, by one dialect's rules."""
    return Comparer(
        reasons=REASONS,
        replay=lambda name, data: replay_file(scenario, fmt, name, data),
    )


def replay_file(scenario: SelfDialog, fmt: str, name: str, data: bytes) -> Replay:
    """Writes the dialogues of one file again.

    Args:
        scenario: by whose rules.
        fmt: name of the file's format.
        name: of the file, for the list of differences.
        data: its bytes.

    Raises:
        FormatError: it is no such file; the message says where.
    """
    declared = next(each for each in FORMATS if each.name == fmt)
    division = divide_document(name, data, declared)
    replay, bad = Replay(), list(division.findings)
    for raw in division.records:
        read = decode_raw(name, raw, declared)
        bad += read.findings if read.record is None else []
        if read.record is not None:
            replay += _Dialogue(scenario, name, raw.path, read.record).replay()
    # A file of which anything can be played is played; what cannot be read is `check`'s to say.
    if bad and not replay.sessions:
        detail = f" Expected {bad[0].expected}, found {bad[0].found}." if bad[0].expected else ""
        raise FormatError(f"{name}: {bad[0].source_path or '$'}: {bad[0].message}{detail}")
    return replay


def unify(
    template: str, text: str, names: Iterable[str], known: Mapping[str, str]
) -> dict[str, str]:
    """Returns the values that make a text of a template; none where nothing does.

    Args:
        template: with placeholders.
        text: as released.
        names: of the variables.
        known: values of some of them, which are taken for granted.
    """
    # Longest first: `var_film_time` is not `var_film` with something after it.
    ordered = sorted(names, key=len, reverse=True)
    pieces = re.split("var_(" + "|".join(map(re.escape, ordered)) + ")", template)
    pattern, seen = "", set[str]()
    for number, piece in enumerate(pieces):
        if number % 2 == 0:
            pattern += re.escape(piece)
        elif piece in known:
            pattern += re.escape(known[piece])
        elif piece in seen:
            # The same variable again has the same value.
            pattern += f"(?P={piece})"
        else:
            seen.add(piece)
            # As short as will do, since what follows in the template has to fit as well.
            pattern += f"(?P<{piece}>.{{1,{LONGEST_VALUE}}}?)"
    match = re.fullmatch(pattern, text, re.DOTALL)
    return {} if match is None else match.groupdict()


class Released(msgspec.Struct, frozen=True):
    """A call of a record.

    Attributes:
        turn: number of the utterance that carries it.
        name: of the API.
        asked: body of the call, as text.
        answered: body of the response, as text.
    """

    turn: int
    name: str
    asked: str
    answered: str


def list_calls(record: Dialogue) -> list[Released]:
    """Returns the calls of a record in order; bodies of generation 3 are written as JSON."""
    calls: list[Released] = []
    for number, each in enumerate(record.utterances):
        for call in getattr(each, "apis", None) or ():
            bodies = [json.dumps(part, ensure_ascii=False) for part in (call.args, call.response)]
            calls.append(Released(number, call.name, *bodies))
        notes = getattr(each, "annotations", None)
        calls += [] if not notes else _combine(number, notes)
    return calls


def _combine(number: int, notes: Iterable[CallNote]) -> Iterator[Released]:
    parts: dict[str, dict[str, str]] = {}
    for note in notes:
        # `api_call_3` and `api_response_3` are parts of one call: what is after the last `_`
        # tells.
        parts.setdefault(note.context.rpartition("_")[2], {})[note.name] = note.value
    for each in parts.values():
        yield Released(
            number, each.get("api_call", ""), each.get("request", ""), each.get("response", "")
        )


Key = tuple[int, str]
"""What calls are paired by: the number of the turn and the API."""


def _keys(calls: Iterable[Released]) -> list[Key]:
    return [(each.turn, each.name) for each in calls]


def align(ours: Sequence[Key], theirs: Sequence[Key]) -> Iterator[tuple[int | None, int | None]]:
    """Pairs the numbers of calls in order; None for one that the other side does not have."""
    matcher = SequenceMatcher(None, ours, theirs, autojunk=False)
    for _, a, until_a, b, until_b in matcher.get_opcodes():
        both = zip_longest(range(a, until_a), range(b, until_b))
        for number, other in both:
            # `or 0` only for the type checker: neither is None here.
            is_pair = None not in (number, other) and ours[number or 0] == theirs[other or 0]
            if is_pair or number is None or other is None:
                yield number, other
            else:
                yield number, None
                yield None, other


class _Dialogue:
    """A released dialogue under replay."""

    def __init__(self, scenario: SelfDialog, name: str, path: str, record: Dialogue) -> None:
        self._scenario, self._name, self._path = scenario, name, path
        self._record = record
        self._said: list[Said] = [*record.utterances]
        self._differences: list[ReplayDifference] = []
        self._guessed: set[str] = set()

    def replay(self) -> Replay:
        """Writes it again and compares what comes out."""
        record = self._record
        if record.instructions is None:
            self._differ(".instructions", "no_instructions", "a script", "null")
            return Replay(differences=self._differences)
        material = TaskmasterMaterial(record.scenario, record.instructions)
        try:
            script = self._scenario.start(material, 0).setting.script
        except FormatError as error:
            self._differ(".instructions", "unplayable", "a script", error.message)
            return Replay(sessions=1, differences=self._differences)
        values = self._recover(script)
        # Twice: only the started game has its script parsed, and only the script says what was
        # drawn.
        drawn = {each.name: values[each.name] for each in script.of(Rand) if each.name in values}
        state = self._scenario.start(msgspec.structs.replace(material, values=drawn), 0)
        state = self._enter(state, values)
        state, acts = self._write(state)
        state = self._close(state)
        (made,) = self._scenario.finish(state, Sitting(0, {ROLE: 0})) or (None,)
        compared, equal = self._compare(made, state)
        return Replay(1, acts, compared, equal, self._differences)

    def _differ(self, below: str, code: str, expected: str, found: str) -> None:
        place = self._path + below
        self._differences.append(
            ReplayDifference(self._name, place, code, shorten(expected), shorten(found))
        )

    def _recover(self, script: Script) -> dict[str, str]:
        """Reads what was entered and drawn from where the script put it."""
        names, values = list(script.types), dict[str, str]()
        hidden = {each.name: each.value for each in script.of(Hide)}

        def learn(template: str, text: str) -> None:
            found = (
                unify(template, text, names, hidden | values)
                if names and "var_" in template
                else {}
            )
            # A placeholder that was released unfilled says nothing of the value.
            values.update({k: v for k, v in found.items() if not v.startswith("var_")})

        turns = [line for line in script.lines if isinstance(line, Hint | Force)]
        for line, said in zip(turns, self._said, strict=False):
            if isinstance(line, Force):
                learn(line.text, said.text)
        placed = place_calls(script.lines)
        calls = list_calls(self._record)
        for mine, their in align([(p.turn, p.call.api) for p in placed], _keys(calls)):
            if mine is not None and their is not None:
                for template, text in self._pair_bodies(placed[mine], calls[their]):
                    learn(template, text)
        return values

    def _pair_bodies(self, placed: AnsweredCall, released: Released) -> Iterator[tuple[str, str]]:
        """Yields what the script has in a call and its response, and what was released of it."""
        for body, text in (
            (placed.call.body, released.asked),
            (placed.response.body, released.answered),
        ):
            written = json_of(body)
            if written is not None:
                yield written, text
        if json_of(placed.call.body) is None:
            try:
                args = msgspec.json.decode(released.asked, type=dict[str, str])
            except msgspec.DecodeError:
                return
            names = argument_names(self._scenario.dialect.apis)
            for pair in split_arguments(placed.call.body, names):
                yield pair.value, args.get(pair.name, "")

    def _enter(self, state: TaskmasterState, values: Mapping[str, str]) -> TaskmasterState:
        asked = [each.name for each in state.setting.asked]
        entered = {name: values[name] for name in asked if name in values}
        for name in asked:
            if name not in entered:
                self._differ(".instructions", "value_unknown", f"a value of {name}", "")
                entered[name] = self._guess(state, name)
                self._guessed.add(entered[name])
        act = Act("taskmaster.enter", ROLE, {"values": entered}, 1)
        return self._do(state, act, ".instructions") if asked else state

    def _guess(self, state: TaskmasterState, name: str) -> str:
        """Returns the turn that must name a value; what was entered is somewhere in it."""
        known = msgspec.structs.replace(state, entered={name: ""})
        for number, said in enumerate(self._said):
            if name in required_values(known, number):
                return said.text[:LONGEST_VALUE].strip() or "?"
        return "?"

    def _do(self, state: TaskmasterState, act: Act, below: str) -> TaskmasterState:
        """Does what was done, and lists it where the rules would not let it happen."""
        result = self._scenario.apply(state, act)
        if not isinstance(result, Refusal):
            return result
        self._differ(below, result.code, "accepted", str(act.payload.get("text", act.payload)))
        return msgspec.structs.replace(carry_out(state, act), last_us=act.at_us)

    def _write(self, state: TaskmasterState) -> tuple[TaskmasterState, int]:
        said, acts = self._said, 0
        bubbles = state.bubbles()
        for bubble, each in zip(bubbles, said, strict=False):
            below = f".utterances[{bubble.number}]"
            if bubble.speaker != each.speaker:
                self._differ(f"{below}.speaker", "speaker", bubble.speaker, each.speaker)
            if bubble.hint is not None:
                payload = {"turn": bubble.number, "text": each.text}
                acts += 1
                # Times are not released; microseconds 1, 2, 3 keep the order that the rules ask
                # for.
                act = Act("taskmaster.turn", ROLE, payload, 2 + bubble.number)
                state = self._do(state, act, f"{below}.text")
        if not state.is_free and len(said) != len(bubbles):
            code = "turns_missing" if len(said) < len(bubbles) else "turns_added"
            self._differ(".utterances", code, count_of(len(bubbles), "turn"), f"{len(said)}")
        return state, acts

    def _close(self, state: TaskmasterState) -> TaskmasterState:
        """Confirms everything that there is to confirm."""
        at_us = 1_000 + len(self._said)
        said = [each.text for each in self._said]
        spans = [
            {"turn": each.turn, "start": each.start, "end": each.end, "label": each.label}
            for each in propose(state)
            # A turn that was taken for what it must name is no stretch of itself.
            if each.turn >= len(said) or said[each.turn][each.start : each.end] not in self._guessed
        ]
        acts: list[tuple[str, dict[str, Any]]] = [
            ("taskmaster.check", {"name": each.name, "checked": True})
            for each in state.setting.checks
        ]
        acts.append(("taskmaster.mark", {"spans": spans}))
        for number, (kind, payload) in enumerate(acts):
            act = Act(kind, ROLE, payload, at_us + number)
            result = self._scenario.apply(state, act)
            # A dialogue that stops early was listed; it is still compared as far as it goes.
            state = carry_out(state, act) if isinstance(result, Refusal) else result
        return state

    def _compare(
        self, made: Dialogue | None, state: TaskmasterState
    ) -> tuple[dict[str, int], dict[str, int]]:
        counts = {
            "turns": self._compare_turns(made),
            "calls": self._compare_calls([] if made is None else list_calls(made)),
            "spans": self._compare_spans(state),
        }
        compared = {name: number for name, (number, _) in counts.items()}
        return compared, {name: same for name, (_, same) in counts.items()}

    def _compare_turns(self, made: Dialogue | None) -> tuple[int, int]:
        """Returns how many turns were released, and how many of them come out alike."""
        ours: list[Said] = [] if made is None else [*made.utterances]
        same = 0
        for mine, their in zip(ours, self._said, strict=False):
            same += (mine.speaker, mine.text) == (their.speaker, their.text)
            if mine.text != their.text:
                self._differ(f".utterances[{mine.index}].text", "forced", mine.text, their.text)
        return len(self._said), same

    def _compare_calls(self, ours: list[Released]) -> tuple[int, int]:
        theirs, same = list_calls(self._record), 0
        for number, other in align(_keys(ours), _keys(theirs)):
            if number is None or other is None:
                lost = other is None
                call = ours[number or 0] if lost else theirs[other or 0]
                code, names = (
                    ("call_missing", (call.name, "")) if lost else ("call_added", ("", call.name))
                )
                self._differ(f".utterances[{call.turn}]", code, *names)
            elif ours[number] == theirs[other]:
                same += 1
            else:
                self._explain_call(ours[number], theirs[other])
        return len(theirs), same

    def _explain_call(self, mine: Released, their: Released) -> None:
        for code, expected, found in (
            ("call_argument", mine.asked, their.asked),
            ("call_answer", mine.answered, their.answered),
        ):
            if expected != found:
                below = f".utterances[{their.turn}]"
                self._differ(below, _explain_body(found) or code, expected, found)

    def _compare_spans(self, state: TaskmasterState) -> tuple[int, int]:
        ours = {(each.turn, each.start, each.end, each.label) for each in state.marked or ()}
        theirs = {
            (number, _offset(each.start_index), _offset(each.end_index), label.name)
            for number, said in enumerate(self._said)
            for each in said.segments or ()
            for label in each.annotations
        }
        texts = [each.text for each in self._said]
        for code, spans in (("span_missing", ours - theirs), ("span_added", theirs - ours)):
            for turn, start, end, label in sorted(spans):
                text = texts[turn][start:end] if turn < len(texts) else ""
                pair = (label, text) if code == "span_missing" else ("", f"{label}: {text}")
                self._differ(f".utterances[{turn}].segments", code, *pair)
        return len(theirs), len(theirs & ours)


def _offset(value: int | str) -> int:
    # Generation 4 writes numbers as text; what is no number is nowhere in the turn.
    return int(value) if isinstance(value, int) or value.isdecimal() else -1


def _explain_body(found: str) -> str | None:
    """Returns why a released body cannot be what the script says; None for no such reason."""
    if not found:
        return "call_empty"
    if "var_" in found:
        return "call_unfilled"
    try:
        parse_body(found)
    except ValueError:
        return "call_invalid"
    return None


TICKETS = make_replayer(taskmaster3.SCENARIO, "dialogs3")
COFFEE = make_replayer(taskmaster4.SCENARIO, "dialogs4")
