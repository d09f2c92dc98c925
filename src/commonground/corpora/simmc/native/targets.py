"""SIMMC's text files: state tracking targets, one turn a line, and lists of dialogue numbers.

A target line reads ``User : words <SOM> things <EOM> => Belief State : ACT [ slot = value ] <EOB>
answer <EOS>``, with the turn before it in front, and with ``<EOR> Action [ slot = value ]`` after
the answer where actions are to be predicted too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from commonground.corpora.simmc.native.reprs import read_list
from commonground.files.formats import FileFormat, TextRecord, render_lines, split_lines
from commonground.records import Record


class TargetAct(Record):
    """An act or action with its slots, each a pair of name and value.

    A slot of an action may be a name alone. Lines that say the same share their acts and what they
    say of things: do not change them.
    """

    act: str
    slots: list[list[str]]


class Target(Record):
    """A line of a target file.

    Attributes:
        line: the line as it stands, its end included.
        acts: the acts between ``Belief State :`` and ``<EOB>``; null where the line is of another
            form.
        before: the turn before, which the line repeats; empty at the beginning of a dialogue.
        words: what the user says.
        answer: what the assistant answers.
        scene: the things shown at this turn, by name, each with its description.
        visible: names of the things shown at this turn.
        shown: names of the things shown at earlier turns of the same dialogue.
        action: the action after ``<EOR>``; null where there is none.
    """

    line: str
    acts: list[TargetAct] | None
    visible: list[str]
    shown: list[str]
    action: TargetAct | None = None
    before: str = ""
    words: str = ""
    answer: str = ""
    scene: dict[str, dict[str, str | list[str]]] = {}  # noqa: RUF012 - a struct copies it


# As ``mm_dst/gpt2_dst/utils/convert.py`` of facebookresearch/simmc writes a line. The first part is
# greedy, so that the last of two such marks counts.
_LINE = re.compile(r"(.*) => Belief State :(.*?)<EOB>(.*)<EOS>", re.DOTALL)
# `DA:ASK:GET:CLOTHING.price [ fashion-O = OBJECT_1 ]`.
_ACT = re.compile(r"([^\s\[\]]*) +\[([^\]]*)\]")
# Nine digits at most: whole numbers of the tables have 32 bits.
_THING = re.compile(r"(OBJECT_\d{1,9}) :")
_USER, _SCENE, _SCENE_ENDS, _CALL = "User :", "<SOM>", "<EOM>", "<EOR>"
_FACT_NAMES = "pos|color|type|class_name|decor_style"
# A fact ends where the name of another one begins; values are not quoted, and have spaces.
_FACT = re.compile(rf"(?:^|\s)({_FACT_NAMES}) (\[[^\]]*\]|.*?)(?=\s(?:{_FACT_NAMES}) |\s*$)")


# Lines repeat what others say, and an import reads them twice: for what they say of the dialogues,
# and for themselves.
@lru_cache(maxsize=1 << 14)
def parse_acts(text: str) -> list[TargetAct]:
    """Parses ``ACT [ slot = value, slot = value ] ACT [  ]``; see :class:`TargetAct`."""
    return [TargetAct(act=match[1], slots=_parse_slots(match[2])) for match in _ACT.finditer(text)]


def _parse_slots(text: str) -> list[list[str]]:
    slots: list[list[str]] = []
    # Values stand without quotes, so a comma may divide slots or belong to a value; a part without
    # an equals sign tells.
    for part in text.split(", "):
        name, equals, value = part.partition(" =")
        if equals:
            slots.append([name.strip(), value.strip()])
        elif part.strip() and slots:
            # A value may hold a comma itself.
            slots[-1][1] += ", " + part.strip()
    return slots


def parse_action(text: str) -> TargetAct | None:
    """Parses what stands after ``<EOR>``; null where nothing does.

    Furniture has ``Action [ matches = price ]``, fashion ``Action [ price, info ]``.
    """
    match = _ACT.search(text)
    if match is None:
        return None
    if "=" in match[2]:
        return TargetAct(act=match[1], slots=_parse_slots(match[2]))
    names = [name.strip() for name in match[2].split(",")]
    return TargetAct(act=match[1], slots=[[name] for name in names if name])


def parse_scene(text: str) -> dict[str, dict[str, str | list[str]]]:
    """Parses ``OBJECT_1 : pos focus color ['red'] type coat OBJECT_2 : ...``."""
    # A group in the pattern: names and what follows them come in turn.
    _, *parts = _THING.split(text)
    return {name: _parse_facts(facts) for name, facts in zip(parts[::2], parts[1::2], strict=True)}


@lru_cache(maxsize=1 << 12)
def _parse_facts(text: str) -> dict[str, str | list[str]]:
    """Parses ``pos focus color ['red'] type coat``; what is not of this form stays a text."""
    facts = {fact[1]: read_list(fact[2]) for fact in _FACT.finditer(text)}
    rest = _FACT.sub("", text).strip()
    return {**facts, "text": rest} if rest else facts


def render_acts(acts: Sequence[TargetAct]) -> str:
    """Writes acts as they stand in a target line."""
    parts = []
    for each in acts:
        slots = ", ".join(f"{name} = {value}" for name, value in each.slots)
        parts.append(f"{each.act} [ {slots} ]")
    return " ".join(parts)


def parse_targets(text: str) -> Iterator[TextRecord]:
    """Parses a target file. A dialogue begins where a line holds a single turn."""
    shown: dict[str, None] = {}
    for number, line in enumerate(split_lines(text), 1):
        # A line that has another form is kept whole as `line`, and written back from there.
        match = _LINE.match(line)
        if match is None:
            record = Target(line=line, acts=None, visible=[], shown=[])
        else:
            context, belief, answer = match.groups()
            if _is_first(context):
                shown = {}
            # What the line repeats of earlier turns stands before the last `User :`.
            latest = context[context.rfind(_USER) + len(_USER) :]
            words, _, scene = latest.partition(_SCENE)
            visible = _THING.findall(scene)
            said, _, call = answer.partition(_CALL)
            record = Target(
                line=line,
                acts=parse_acts(belief),
                visible=visible,
                shown=list(shown),
                action=parse_action(call),
                before="" if _is_first(context) else context[: context.rfind(_USER)].strip(),
                words=words.strip(),
                answer=said.strip(),
                scene=parse_scene(scene.partition(_SCENE_ENDS)[0]),
            )
            shown.update(dict.fromkeys(visible))
        yield TextRecord(number, line.rstrip("\n"), record)


def _is_first(context: str) -> bool:
    return context.startswith(_USER) and context.count(_SCENE) == 1


class DialogueNumber(Record):
    """A line of a ``*_dialog_ids`` file: a dialogue's number; null where it holds none."""

    number: int | None
    line: str


def parse_numbers(text: str) -> Iterator[TextRecord]:
    """Parses a ``*_dialog_ids`` file, one number a line."""
    for index, line in enumerate(split_lines(text), 1):
        digits = line.strip()
        # Not `isdigit`, which takes superscripts; nine digits fit a column of the store.
        number = int(digits) if re.fullmatch(r"[0-9]{1,9}", digits) else None
        record = DialogueNumber(number=number, line=line)
        yield TextRecord(index, line.rstrip("\n"), record)


FORMATS = (
    FileFormat(
        name="dialogue_numbers",
        title="list of the dialogues of a split",
        pattern=r"(?:fashion_|furniture_)?(train|dev|devtest|teststd|test)_dialog_ids(\.txt)?",
        record=DialogueNumber,
        layout="text",
        parse_text=parse_numbers,
        render_text=render_lines,
    ),
    FileFormat(
        name="targets",
        title="state tracking targets",
        pattern=r"(fashion|furniture)_.*_target\.txt",
        record=Target,
        layout="text",
        parse_text=parse_targets,
        render_text=render_lines,
    ),
)
