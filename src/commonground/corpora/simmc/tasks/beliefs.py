"""Belief states of lines and of JSON, read exactly as the official evaluation reads them.

A line is ``context => Belief State : ACT [ slot = value, slot = value ] ACT [  ] <EOB> answer``.
Other readings of the same lines, which lose less, are in ``targets.py``; these are for scores.

Source: facebookresearch/simmc@2747421 mm_dst/gpt2_dst/utils/convert.py.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any

import msgspec

from commonground.bench.metrics.simmc_dst import BeliefFrame

BELIEF_STARTS = "=> Belief State :"
BELIEF_ENDS = "<EOB>"

# An act such as `DA:INFORM:GET:DRESS.price`; run over the text from its end.
_ACT_END = re.compile(r"[\w:?.]*")
# The script has `[A-Za-z0-9_.-:]` (gpt2_dst/utils/convert.py), in which `.-:` is a range: dot,
# slash, digits, colon, and no hyphen. So it reads `fashion-color` as `color`.
_SLOT_END = re.compile(r"[A-Za-z0-9_./:]*")


def split_lines(text: str) -> list[str]:
    """Splits text into lines as reading a file does; the last line end begins no line."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    lines = text.split("\n")
    # Not `str.splitlines`, which also breaks at U+2028, form feeds and others; a file read by lines
    # does not.
    return lines if lines[-1] else lines[:-1]


def parse_line(line: str) -> tuple[BeliefFrame, ...] | None:
    """Parses a line; None where it has not exactly one belief state with exactly one end."""
    parts = line.split(BELIEF_STARTS)
    if len(parts) != 2:
        return None
    belief = parts[1].split(BELIEF_ENDS)
    return parse_belief(belief[0]) if len(belief) == 2 else None


@lru_cache(maxsize=8192)  # a dialogue says the same again and again, and so do right answers
def parse_belief(text: str) -> tuple[BeliefFrame, ...]:
    """Parses ``ACT [ slot = value, slot = value ] ACT [  ]``.

    An act is the last word before a bracket that follows a space; it may be empty.
    """
    text = text.strip()
    frames, start = [], 0
    # By hand: the script's expression begins anew at every character, which takes the square of the
    # length of a long run.
    while (opening := text.find(" [", start)) >= 0:
        closing = text.find("]", opening)
        if closing < 0:
            break
        act = match_end(_ACT_END, text[start:opening].rstrip(" "))
        frames.append(BeliefFrame(act, _parse_slots(text[opening + 2 : closing])))
        start = closing + 1
    return tuple(frames)


def _parse_slots(text: str) -> tuple[tuple[str, str], ...]:
    """Parses slots: a value ends at the first comma, and a name begins after its last hyphen."""
    slots = []
    for part in text.split(","):
        name, equals, value = part.partition(" = ")
        if equals:
            slots.append((match_end(_SLOT_END, name.rstrip(" ")), value.strip()))
    return tuple(slots)


@lru_cache(maxsize=8192)
def match_end(pattern: re.Pattern[str], text: str) -> str:
    """Returns the longest run at the end of a text."""
    # Backwards one match is enough; to search for a run at the end would begin at every character.
    match = pattern.match(text[::-1])
    return match[0][::-1] if match else ""


def flatten_belief(states: Iterable[Mapping[str, Any]]) -> str:
    """Writes an annotated ``belief_state`` of the JSON files as it stands in a line."""
    parts = []
    for state in states:
        slots = ", ".join(f"{name.strip()} = {value.strip()}" for name, value in state["slots"])
        parts.append(f"{state['act'].strip()} [ {slots} ]")
    return " ".join(parts)


def convert_belief(states: Iterable[Mapping[str, Any]]) -> tuple[BeliefFrame, ...]:
    """Turns an annotated ``belief_state`` into frames, by way of a line as the authors do."""
    return parse_belief(flatten_belief(states))


Frames = tuple[BeliefFrame, ...]


class BeliefTurn(msgspec.Struct, frozen=True, gc=False):
    """A turn with its belief state.

    Attributes:
        dialogue: number of the dialogue, or its place in the file where lines are all there is.
        turn: place in the dialogue, from 0.
        frames: the acts; None where a line cannot be parsed or there is no list.
        context: what stands before the belief state; None with JSON.
        odd: number of acts and slots of another form, which are passed over.
    """

    dialogue: str
    turn: int
    frames: Frames | None
    context: str | None = None
    is_last: bool = False
    odd: int = 0


def read_line_turns(lines: Iterable[str]) -> list[BeliefTurn]:
    """Parses lines; a dialogue begins where the context holds a single turn of the user."""
    turns: list[BeliefTurn] = []
    dialogue, turn = -1, 0
    listed = list(lines)
    contexts = [line.partition(BELIEF_STARTS)[0].strip() for line in listed]
    begins = [
        context.startswith("User : ") and context.count("User : ") == 1 for context in contexts
    ]
    for place, line in enumerate(listed):
        if begins[place] or dialogue < 0:
            dialogue, turn = dialogue + 1, 0
        is_last = place + 1 == len(listed) or begins[place + 1]
        frames = parse_line(line)
        turns.append(BeliefTurn(f"#{dialogue}", turn, frames, contexts[place], is_last))
        turn += 1
    return turns


def is_other_context(one: BeliefTurn, other: BeliefTurn) -> bool:
    """Says whether two lines have contexts that differ in more than spaces."""
    if one.context is None or other.context is None or one.context == other.context:
        return False
    return one.context.split() != other.context.split()


def read_json_turns(dialogues: Iterable[dict[str, Any]], *, by_line: bool) -> list[BeliefTurn]:
    """Reads dialogues of JSON files, as their ``dialogue_data`` holds them.

    With ``by_line``, belief states go by way of a line, to be compared with lines. Otherwise they
    stay as they are, slot names and commas included.
    """
    read: Callable[[Any], Frames] = read_by_line if by_line else read_frames
    turns = []
    for place, each in enumerate(dialogues):
        name, listed = name_dialogue(each, place), each["dialogue"]
        for number, turn in enumerate(listed):
            state = turn.get("belief_state") if isinstance(turn, dict) else None
            frames = read(state) if isinstance(state, list) else None
            is_last = number + 1 == len(listed)
            turns.append(BeliefTurn(name, number, frames, None, is_last, _count_odd(state)))
    return turns


def _count_odd(state: Any) -> int:
    """Counts what is neither an act nor a pair of slot and value."""
    if not isinstance(state, list):
        return 0
    odd = 0
    for one in (one for each in state for one in (each if isinstance(each, list) else [each])):
        slots = one.get("slots", []) if type(one) is dict else None
        odd += sum(not _is_pair(slot) for slot in slots) if isinstance(slots, list) else 1
    return odd


def _is_pair(slot: Any) -> bool:
    return isinstance(slot, list) and len(slot) == 2


def name_dialogue(dialogue: dict[str, Any], place: int) -> str:
    """Returns the number of a dialogue as text, or its place in the file where it has none."""
    number = dialogue.get("dialogue_idx")
    return f"#{place}" if number is None else str(number)


def read_by_line(state: Any) -> Frames:
    """Reads a ``belief_state`` by way of a line, to be compared with lines."""
    cleaned = [{"act": frame.act or "", "slots": frame.slots} for frame in read_frames(state)]
    return convert_belief(cleaned)


def read_frames(state: Any) -> Frames:
    """Reads a ``belief_state``; what is no act is passed over, and a slot that is no pair, too."""
    return tuple(_read_frame(each) for each in list_acts(state))


def list_acts(state: Any) -> list[dict[str, Any]]:
    """Returns the acts of a belief state, which may be nested one level deeper."""
    acts: list[dict[str, Any]] = []
    for each in state if isinstance(state, list) else []:
        acts += [one for one in (each if isinstance(each, list) else [each]) if type(one) is dict]
    return acts


def _read_frame(frame: dict[str, Any]) -> BeliefFrame:
    slots = frame.get("slots")
    pairs = tuple(
        (str(pair[0]), str(pair[1]))
        for pair in (slots if isinstance(slots, list) else [])
        if _is_pair(pair)
    )
    # An act that is null is one all the same: the official script looks whether it is there.
    return BeliefFrame(str(frame["act"]) if "act" in frame else None, pairs)
