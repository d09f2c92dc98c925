"""SIMMC's text files: state tracking targets, one turn a line, and lists of dialogue numbers.

A target line reads ``User : words <SOM> things <EOM> => Belief State : ACT [ slot = value ] <EOB>
answer <EOS>``, with the turn before it in front, and with ``<EOR> Action [ slot = value ]`` behind
the answer where actions are to be predicted too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from commonground.formats import TextRecord
from commonground.records import Record


class TargetAct(Record):
    """An act or action with its slots, each a pair of name and value."""

    act: str
    slots: list[list[str]]


class Target(Record):
    """A line of a target file.

    Attributes:
        line: the line as it stands, its end included.
        acts: the acts between ``Belief State :`` and ``<EOB>``; null where the line is of another
            form.
        visible: names of the things shown at this turn.
        shown: names of the things shown at earlier turns of the same dialogue.
        action: the action behind ``<EOR>``; null where there is none.
    """

    line: str
    acts: list[TargetAct] | None
    visible: list[str]
    shown: list[str]
    action: TargetAct | None = None


_LINE = re.compile(r"(.*) => Belief State :(.*?)<EOB>(.*)<EOS>", re.DOTALL)
_ACT = re.compile(r"([^\s\[\]]*) +\[([^\]]*)\]")
_THING = re.compile(r"(OBJECT_\d{1,9}) :")


def parse_acts(text: str) -> list[TargetAct]:
    """Parses ``ACT [ slot = value, slot = value ] ACT [  ]``."""
    return [TargetAct(act=match[1], slots=_parse_slots(match[2])) for match in _ACT.finditer(text)]


def _parse_slots(text: str) -> list[list[str]]:
    slots: list[list[str]] = []
    for part in text.split(", "):
        name, equals, value = part.partition(" =")
        if equals:
            slots.append([name.strip(), value.strip()])
        elif part.strip() and slots:
            # A value may hold a comma itself.
            slots[-1][1] += ", " + part.strip()
    return slots


def render_acts(acts: Sequence[TargetAct]) -> str:
    """Writes acts as they stand in a target line."""
    parts = []
    for each in acts:
        slots = ", ".join(f"{name} = {value}" for name, value in each.slots)
        parts.append(f"{each.act} [ {slots} ]")
    return " ".join(parts)


def parse_targets(data: bytes) -> Iterator[TextRecord]:
    """Parses a target file. A dialogue begins where a line holds a single turn.

    Raises:
        UnicodeDecodeError: the file is not UTF-8.
    """
    shown: dict[str, None] = {}
    for number, line in enumerate(_lines(data), 1):
        match = _LINE.match(line)
        if match is None:
            record = Target(line=line, acts=None, visible=[], shown=[])
        else:
            context, belief, answer = match.groups()
            if _is_first(context):
                shown = {}
            visible = _THING.findall(context[context.rfind("<SOM>") :])
            action = parse_acts(answer.partition("<EOR>")[2])
            record = Target(
                line=line,
                acts=parse_acts(belief),
                visible=visible,
                shown=list(shown),
                action=action[0] if action else None,
            )
            shown.update(dict.fromkeys(visible))
        yield TextRecord(number, line.rstrip("\n"), record)


def _is_first(context: str) -> bool:
    return context.startswith("User :") and context.count("<SOM>") == 1


def _lines(data: bytes) -> list[str]:
    text = data.decode()
    lines = [line + "\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


def render_targets(records: Sequence[Target]) -> bytes:
    """Writes a target file."""
    return "".join(each.line for each in records).encode()


class DialogueNumber(Record):
    """A line of a ``*_dialog_ids`` file: a dialogue's number; null where it holds none."""

    number: int | None
    line: str


def parse_numbers(data: bytes) -> Iterator[TextRecord]:
    """Parses a ``*_dialog_ids`` file, one number a line.

    Raises:
        UnicodeDecodeError: the file is not UTF-8.
    """
    for index, line in enumerate(_lines(data), 1):
        text = line.strip()
        number = int(text) if re.fullmatch(r"[0-9]{1,9}", text) else None
        record = DialogueNumber(number=number, line=line)
        yield TextRecord(index, line.rstrip("\n"), record)


def render_numbers(records: Sequence[DialogueNumber]) -> bytes:
    """Writes a ``*_dialog_ids`` file."""
    return "".join(each.line for each in records).encode()
