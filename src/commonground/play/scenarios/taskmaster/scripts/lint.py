"""What is wrong with a script, and what a dialogue by it would look like, for its author.

Scripts of the released corpora have faults that ended up in hundreds of dialogues: a booking at
another time than the one that was chosen, values that break the JSON they stand in, a variable
that nobody asks for. Each of these has a code here.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from commonground.corpora.taskmaster.script_language import (
    Check,
    Enter,
    Force,
    Hide,
    Hint,
    Prose,
    Rand,
    Response,
    Script,
    ScriptCall,
    ScriptList,
    Unknown,
    print_line,
    read_script,
)
from commonground.findings import Severity, shorten
from commonground.play.phrase_files import load_beside
from commonground.play.scenarios.taskmaster.material import (
    Api,
    has_facts,
    list_scripts,
    read_apis,
    read_script_text,
    replace,
)
from commonground.play.scenarios.taskmaster.release import (
    STATUS_WORDS,
    argument_names,
    find_body_fault,
)
from commonground.play.scenarios.taskmaster.scripts.filling import (
    PLACEHOLDER,
    json_of,
    list_quoted,
    list_used,
    split_arguments,
)
from commonground.play.scripting import Remark, Scripting

LINTS = load_beside(__file__, "lints.toml", dict[str, tuple[Severity, str]])
"""What is looked for: how bad it is, and what it means."""

INVENTED = (
    "A call has no response: its answer comes from invented facts; `world.json` has your own."
)
"""What ``invented_response`` means, a note of scenarios with a world."""


class _Spot(msgspec.Struct, frozen=True):
    """A fault before its place is looked up: on the line or after it, where ``needle`` stands."""

    code: str
    line: int
    found: str
    needle: str


def make_scripting(apis: Mapping[str, Api], *, has_world: bool = False) -> Scripting:
    """Returns what can be done with scripts of a scenario.

    Args:
        apis: that scripts may call that have no ``apis.json`` beside them; none where that is not
            known.
        has_world: whether a world answers calls that have no response.
    """

    def lint(path: Path) -> list[Remark]:
        declared = read_apis(path.parent)
        called = declared if declared is not None else apis or None
        found = lint_script(read_script_text(path), called, str(path))
        if not has_world:
            return found
        # A world answers such calls, or refuses them when the record is written.
        is_invented = not has_facts(path.parent)
        return [
            replace(each, severity="note", code="invented_response", message=INVENTED)
            if each.code == "call_without_response"
            else each
            for each in found
            if is_invented or each.code != "call_without_response"
        ]

    return Scripting(find=list_scripts, lint=lint)


def lint_script(text: str, apis: Mapping[str, Api] | None = None, file: str = "") -> list[Remark]:
    """Returns what is wrong with a script, in order of place.

    Args:
        text: any text, a script or not.
        apis: what may be called, by name; None where it is not known, and then neither the names
            of APIs nor those of arguments are looked at.
    """
    script, faults = read_script(text)
    spots = [*_check_directives(script), *_check_variables(script), *_check_order(script)]
    for line in script.lines:
        if isinstance(line, ScriptCall | Response):
            spots += _check_body(line, apis or {})
            spots += [] if apis is None else _check_declared(line, apis)
    spots += _check_conflicts(script)
    places = _Places(text)
    found = [_report(file, each.code, places.find(each), each.found) for each in spots]
    for fault in faults:
        expected = f"expected {fault.expected}, found {fault.found}"
        found.append(_report(file, "syntax", (fault.line, fault.column), expected))
    return sorted(found, key=lambda each: (each.line, each.column))


def _find(code: str, line: int, found: str, needle: str | None = None) -> _Spot:
    return _Spot(code, line, found, found if needle is None else needle)


def _report(file: str, code: str, place: tuple[int, int], found: str) -> Remark:
    severity, message = LINTS[code]
    return Remark(file, *place, severity, code, message, shorten(found))


class _Places:
    """Looks up where things stand in a text; the same thing twice on a line has two places."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._starts = [0, *(match.end() for match in re.finditer("\n", text))]
        self._after: dict[tuple[str, int, str], int] = {}

    def find(self, spot: _Spot) -> tuple[int, int]:
        """Returns line and column; those of the line's first word where nothing is found."""
        start = self._starts[spot.line - 1]
        key = (spot.code, spot.line, spot.needle)
        begin = self._after.get(key, start)
        # Whole words first: var_film may be the beginning of another name before it.
        whole = re.compile(rf"(?<!\w){re.escape(spot.needle)}(?!\w)") if spot.needle else _WORD
        match = whole.search(self._text, begin)
        at = self._text.find(spot.needle, begin) if match is None else match.start()
        if at < 0:
            found = _WORD.search(self._text, start)
            at = start if found is None else found.start()
        # The next remark of this kind on this line is about the next place.
        self._after[key] = at + 1
        line = bisect_right(self._starts, at)
        return line, at - self._starts[line - 1] + 1


_WORD = re.compile(r"\S")


def _check_directives(script: Script) -> Iterator[_Spot]:
    if script.conversation is None:
        yield _find("no_conversation", 1, "")
    names = Counter(part.name for part in script.parts if isinstance(part, Hide | Enter | Rand))
    for part in script.parts:
        match part:
            # One of another form was reported as such.
            case Unknown() if not _KNOWN.match(part.source):
                yield _find("unknown_directive", part.line, part.source)
            case Hide() | Enter() | Rand() if names[part.name] > 1:
                yield _find("doubled_variable", part.line, part.name)
            case ScriptList():
                for item in _find_cut(part.items):
                    # The comma before it tells it from the end of a longer one.
                    comma = next((f",{raw}" for raw in part.raw[1:] if raw.strip() == item), item)
                    yield _find("cut_item", part.line, item, comma)


_KNOWN = re.compile(r"\{\{\s*(LIST|HIDE|ENTER|RAND|CHECK|CONVERSATION)\b")
_PAIRS = ("()", "“”", "[]")


def _find_cut(items: Sequence[str]) -> Iterator[str]:
    """Yields items that look like half of one.

    Their brackets or asterisks do not close, or they are the last word of several others:
    ``Vanilla Syrup, Cane Syrup, Hazel, Syrup``.
    """
    last_words = Counter(item.split()[-1] for item in items if len(item.split()) > 1)
    for item in items:
        is_open = any(item.count(pair[0]) != item.count(pair[1]) for pair in _PAIRS)
        if is_open or item.count("*") % 2 or last_words[item] > 1:
            yield item


def _texts(script: Script) -> Iterator[tuple[int, str]]:
    """Yields everything that placeholders may stand in, with its line."""
    for part in script.parts:
        match part:
            case Prose() | Check():
                yield part.line, part.text
            case Enter():
                yield part.line, part.prompt
            case Hide():
                yield part.line, part.value
            case ScriptList():
                yield part.line, ",".join(part.raw)
    for line in script.lines:
        yield line.line, print_line(line)


def _check_variables(script: Script) -> Iterator[_Spot]:
    types = script.types
    used: set[str] = set()
    for number, text in _texts(script):
        for match, name in zip(PLACEHOLDER.findall(text), list_used(text, types), strict=True):
            used.add(name)
            if name not in types:
                yield _find("undefined_variable", number, f"var_{match}")
            elif match != name:
                yield _find("glued_variable", number, f"var_{match}")
    if script.conversation is not None and not script.lines:
        return  # in free form values are for the worker alone
    for part in script.parts:
        if isinstance(part, Hide | Enter | Rand) and part.name not in used:
            yield _find("unused_variable", part.line, part.name)


def _check_order(script: Script) -> Iterator[_Spot]:
    speaker: str | None = None
    open_call: ScriptCall | None = None
    for line in script.lines:
        if isinstance(line, Hint | Force | ScriptCall) and open_call is not None:
            yield _find("call_without_response", open_call.line, open_call.api)
        match line:
            case Hint() | Force():
                speaker, open_call = line.speaker, None
            case ScriptCall():
                open_call = line
                if speaker is None:
                    yield _find("call_before_turn", line.line, line.api)
                elif speaker == "assistant":
                    yield _find("assistant_call", line.line, line.api)
            case Response():
                if open_call is None:
                    yield _find("response_without_call", line.line, line.api)
                elif open_call.api != line.api:
                    yield _find("other_response", line.line, line.api)
                open_call = None
    if open_call is not None:
        yield _find("call_without_response", open_call.line, open_call.api)


# With some letters before it, by which people find the place.
_SPACES = re.compile(r"\S{0,20} {8,}")


def _check_body(line: ScriptCall | Response, apis: Mapping[str, Api]) -> Iterator[_Spot]:
    if fault := find_body_fault(line, apis):
        yield _find("bad_body", line.line, fault, line.body)
        return
    if spaces := _SPACES.search(line.body):
        found = f"{spaces[0].rstrip()}, then {spaces[0].count(' ')} spaces"
        yield _find("spaces", line.line, found, spaces[0])
    written = json_of(line.body)
    if written is None:
        return
    doubled: list[str] = []

    def note(pairs: list[tuple[str, object]]) -> dict[str, object]:
        counts = Counter(name for name, _ in pairs)
        doubled.extend(name for name, times in counts.items() if times > 1)
        return dict(pairs)

    parsed = json.loads(written, object_pairs_hook=note)
    yield from (_find("doubled_argument", line.line, name) for name in doubled)
    if isinstance(line, Response):
        yield from (_find("doubled_id", line.line, each) for each in _doubled_ids(parsed))


def _doubled_ids(parsed: object) -> Iterator[str]:
    """Yields ids that two things in one list share; a thing's is its first key in ``_id``."""
    inner = list(parsed.values()) if isinstance(parsed, dict) else parsed
    if not isinstance(inner, list):
        return
    # Things of a list; values of an object are looked into, and are not things of one kind.
    things = [each for each in inner if isinstance(each, dict)] if inner is parsed else []
    own = [next((v for k, v in each.items() if k.endswith("_id")), None) for each in things]
    yield from (str(each) for each, n in Counter(own).items() if n > 1 and each is not None)
    for each in inner:
        yield from _doubled_ids(each)


def _check_declared(line: ScriptCall | Response, apis: Mapping[str, Api]) -> Iterator[_Spot]:
    declared = apis.get(line.api)
    if declared is None:
        yield _find("undeclared_api", line.line, line.api)
    if declared is None or json_of(line.body) is not None or find_body_fault(line, apis):
        return
    pairs = split_arguments(line.body, argument_names(apis))
    known = declared.arguments if isinstance(line, ScriptCall) else declared.answers
    for pair in pairs:
        is_status = isinstance(line, Response) and pair.name in STATUS_WORDS
        if pair.name not in known and not is_status:
            yield _find("undeclared_argument", line.line, pair.name)
    names = Counter(pair.name for pair in pairs)
    if isinstance(line, ScriptCall):
        doubled = [name for name, times in names.items() if times > 1]
        yield from (_find("doubled_argument", line.line, name) for name in doubled)


def _check_conflicts(script: Script) -> Iterator[_Spot]:
    """Compares what the customer was last told to choose with what calls then use.

    A hint chooses a value by quoting its variable. Variables compete that have the same type and
    the same name but for a number, such as ``time_1`` and ``time_3``.
    """
    chosen: dict[tuple[str, str], str] = {}
    for line in script.lines:
        if isinstance(line, Hint) and line.speaker == "user":
            for name in list_quoted(line.text, script.types):
                chosen[_kind(name, script.types)] = name
        elif isinstance(line, ScriptCall):
            for name in list_used(line.body, script.types):
                other = chosen.get(_kind(name, script.types)) if name in script.types else None
                if other not in (None, name):
                    found = f"var_{name}, chosen is var_{other}"
                    yield _find("value_conflict", line.line, found, f"var_{name}")


def _kind(name: str, types: Mapping[str, str]) -> tuple[str, str]:
    # `time_1` and `time3` are both `time`.
    return types[name], re.sub(r"_?\d+\Z", "", name)
