"""The language of the scripts that workers were given in generations 3 and 4.

A script is prose with directives in double braces. :func:`read_script` takes any text: what is of
no known form is kept as it stands and reported. :func:`parse_script` raises instead. What is read
prints as it was written, to the last space, so a script can be changed in one place only.

::

    script    = { prose | directive }            prose: *x* is bold, var_NAME stands for a value
    directive = "{{LIST" item { "," item } "}}"  a comma always divides; there is no escape
              | "{{HIDE" NAME TYPE VALUE "}}"    a value that is given; TYPE is its label
              | "{{ENTER" NAME TYPE PROMPT "}}"  a value that the worker is asked for
              | "{{RAND" NAME TYPE LOW HIGH "}}" a value that is drawn, a whole number
              | "{{CHECK" NAME TEXT "}}"         a box that must be ticked in the end
              | "{{CONVERSATION" [ NL { line NL } ] "}}"
    line      = "hint" SPEAKER "(" TEXT ")" ["."]
              | "force" SPEAKER TEXT
              | "call" API arguments | "response" API arguments | blank

The braces that end a conversation stand alone on a line, since JSON in calls may hold "}}" too. A
conversation without lines is in free form.

Source: the field ``instructions`` of the released dialogues; no grammar was published.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Literal, TypeVar

import msgspec

from commonground.errors import FormatError
from commonground.findings import shorten
from commonground.printing import count_of

Speaker = Literal["user", "assistant"]
N = TypeVar("N")


class Prose(msgspec.Struct, frozen=True):
    """Text between directives, which people read as it stands."""

    text: str
    line: int = 0


class ScriptList(msgspec.Struct, frozen=True):
    """``LIST``: points or choices. ``raw`` are they with the white space around them."""

    raw: tuple[str, ...]
    line: int = 0

    @property
    def items(self) -> list[str]:
        """The items, without white space around them."""
        return [item.strip() for item in self.raw if item.strip()]


class Hide(msgspec.Struct, frozen=True):
    """``HIDE``: a value that the script gives.

    Attributes:
        name: of the variable.
        type: label of its value in the dialogue.
        value: as given.
        line: in the script, from 1; 0 where it was not read from one.
        gaps: white space between the parts, so that it prints as it was written.
    """

    name: str
    type: str
    value: str
    line: int = 0
    gaps: tuple[str, ...] = (" ", " ", " ", "")


class Enter(msgspec.Struct, frozen=True):
    """``ENTER``: a value that the worker is asked for before the dialogue.

    Attributes:
        name: of the variable.
        type: label of its value in the dialogue.
        prompt: what the worker is asked.
        line: in the script, from 1; 0 where it was not read from one.
        gaps: white space between the parts, so that it prints as it was written.
    """

    name: str
    type: str
    prompt: str
    line: int = 0
    gaps: tuple[str, ...] = (" ", " ", " ", "")


class Rand(msgspec.Struct, frozen=True):
    """``RAND``: a whole number, drawn for each dialogue.

    Attributes:
        name: of the variable.
        type: label of its value in the dialogue.
        low: smallest number.
        high: largest number.
        line: in the script, from 1; 0 where it was not read from one.
        gaps: white space between the parts, so that it prints as it was written.
    """

    name: str
    type: str
    low: int
    high: int
    line: int = 0
    gaps: tuple[str, ...] = (" ", " ", " ", " ", "")


class Check(msgspec.Struct, frozen=True):
    """``CHECK``: something that the worker confirms in the end.

    Attributes:
        name: of the box.
        text: what stands beside it.
        line: in the script, from 1; 0 where it was not read from one.
        gaps: white space between the parts, so that it prints as it was written.
    """

    name: str
    text: str
    line: int = 0
    gaps: tuple[str, ...] = (" ", " ", "")


class Unknown(msgspec.Struct, frozen=True):
    """A directive that nobody knows, or one of another form than its word asks for."""

    source: str
    line: int = 0


class _ReadLine(msgspec.Struct, frozen=True, kw_only=True):
    """A line of a conversation as it was read.

    Attributes:
        line: in the script, from 1; 0 where it was not read from one.
        gaps: white space between the parts, so that it prints as it was written.
    """

    line: int = 0
    gaps: tuple[str, ...] = ("", " ", " ", "")


class Hint(_ReadLine, frozen=True):
    """A turn that the worker writes, and what it should say; values may be in quotation marks."""

    speaker: Speaker
    text: str


class Force(_ReadLine, frozen=True):
    """A turn whose words are given, ``var_NAME`` where a value goes."""

    speaker: Speaker
    text: str


class ScriptCall(_ReadLine, frozen=True):
    """An API call, after the turn that asks for it; the worker does not see it.

    Its body is the request, JSON as a rule, ``var_NAME`` where a value goes.
    """

    api: str
    body: str


class Response(_ReadLine, frozen=True):
    """What the call before it gives back, JSON as a rule, ``var_NAME`` where a value goes."""

    api: str
    body: str


class Other(msgspec.Struct, frozen=True):
    """A line of no known form, or a blank one."""

    source: str
    line: int = 0


Line = Hint | Force | ScriptCall | Response | Other


class Conversation(msgspec.Struct, frozen=True):
    """``CONVERSATION``: the turns in order; without lines it is in free form.

    Attributes:
        lines: as they follow each other.
        line: where it begins.
        gaps: white space after the word, and before the braces that end it.
    """

    lines: tuple[Line, ...] = ()
    line: int = 0
    gaps: tuple[str, ...] = ("", "")


Part = Prose | ScriptList | Hide | Enter | Rand | Check | Conversation | Unknown


class Script(msgspec.Struct, frozen=True):
    """A script: its parts in order."""

    parts: tuple[Part, ...] = ()

    def of(self, kind: type[N]) -> list[N]:
        """Returns the parts of one kind."""
        return [part for part in self.parts if isinstance(part, kind)]

    @property
    def conversation(self) -> Conversation | None:
        """Where the turns stand; None for a script without any."""
        return next(iter(self.of(Conversation)), None)

    @property
    def lines(self) -> tuple[Line, ...]:
        """The lines of the conversation; none where it is in free form or missing."""
        found = self.conversation
        return () if found is None else found.lines

    @property
    def types(self) -> dict[str, str]:
        """The type of each variable."""
        found = [each for each in self.parts if isinstance(each, Hide | Enter | Rand)]
        return {each.name: each.type for each in found}


class Fault(msgspec.Struct, frozen=True):
    """A place that is not of the language.

    Attributes:
        line: from 1.
        column: from 1, in characters.
        expected: what the language has there.
        found: what stands there, cut to a readable length.
    """

    line: int
    column: int
    expected: str
    found: str

    def __str__(self) -> str:
        return (
            f"line {self.line}, column {self.column}: expected {self.expected}, found {self.found}"
        )


class ScriptError(FormatError):
    """A text that is no script. ``faults`` are all of its faults, in order."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        more = f" And {count_of(len(faults) - 1, 'more error')}." if len(faults) > 1 else ""
        super().__init__(f"The script, {faults[0]}.{more}", "The docs describe the language.")
        self.faults = list(faults)


def parse_script(text: str) -> Script:
    """Parses a script.

    Raises:
        ScriptError: something in it is not of the language. Directives that nobody knows are no
            fault; they are kept as they stand.
    """
    script, faults = read_script(text)
    if faults:
        raise ScriptError(faults)
    return script


def read_script(text: str) -> tuple[Script, list[Fault]]:
    """Returns what there is of a script in any text, and every place that is not of the language.

    A directive or line of another form is kept as it stands, so it prints as it was.
    """
    reader = _Reader(text)
    return Script(tuple(reader.read())), reader.faults


# Directives are words in capitals; ``{{HIDEOUT`` is none of them.
_WORD = re.compile(r"\{\{\s*([A-Z]+)(?![A-Za-z0-9_])")
# Groups of all forms alternate: white space, field, white space, ... as `_build` takes them.
_NAME = r"([A-Za-z][A-Za-z0-9_]*)"
_FORMS = {
    # The text at the end, `\S|\S.*?\S`, is one that neither begins nor ends with white space.
    "HIDE": re.compile(rf"(\s+){_NAME}(\s+)(\S+)(\s+)(\S|\S.*?\S)(\s*)", re.DOTALL),
    "ENTER": re.compile(rf"(\s+){_NAME}(\s+)(\S+)(\s+)(\S|\S.*?\S)(\s*)", re.DOTALL),
    # The two numbers are bounds, without leading zeros.
    "RAND": re.compile(rf"(\s+){_NAME}(\s+)(\S+)(\s+)(0|-?[1-9]\d*)(\s+)(0|-?[1-9]\d*)(\s*)"),
    "CHECK": re.compile(rf"(\s+){_NAME}(\s+)(\S|\S.*?\S)(\s*)", re.DOTALL),
}
_EXPECTED = {
    "HIDE": "HIDE NAME TYPE VALUE",
    "ENTER": "ENTER NAME TYPE PROMPT",
    "RAND": "RAND NAME TYPE LOW HIGH, both whole numbers",
    "CHECK": "CHECK NAME TEXT",
}
# Characters of a text of no known form that a fault quotes.
_MOST_SHOWN = 80
# Nothing but white space up to the braces: {{CONVERSATION}}.
_EMPTY = re.compile(r"\s*\}\}")
# Braces that begin a line, however indented.
_CLOSING = re.compile(r"^([^\S\n]*)\}\}", re.MULTILINE)
# Every piece of white space is a group of its own, so that a script prints as it was written.
_LINE = re.compile(
    r"([^\S\n]*)(?:"
    r"hint(\s+)(user|assistant)(\s*)\((.*)\)(\.?\s*)"
    r"|force(\s+)(user|assistant)(\s+)(\S|\S.*\S)(\s*)"
    r"|(call|response)(\s+)(\S+)(?:(\s+)(\S|\S.*\S))?(\s*)"
    r")"
)


class _Reader:
    """Goes through a text once and keeps count of what is no script in it."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._starts = [0, *(match.end() for match in re.finditer("\n", text))]
        self._has_conversation = False
        self.faults: list[Fault] = []

    def read(self) -> Iterator[Part]:
        text, at, begun = self._text, 0, 0
        while (found := text.find("{{", at)) >= 0:
            match = _WORD.match(text, found)
            end = None if match is None else self._find_end(match)
            if match is None or end is None:
                if match is None:
                    self._fault(
                        found, "a directive such as {{LIST", text[found : found + _MOST_SHOWN]
                    )
                at = found + 2  # it stays in the prose
                continue
            if begun < found:
                yield Prose(text[begun:found], self._line_of(begun))
            yield self._read_directive(match, end)
            at = begun = end
        if begun < len(text):
            yield Prose(text[begun:], self._line_of(begun))

    def _find_end(self, match: re.Match[str]) -> int | None:
        """Returns where a directive ends; None, and a fault, where nothing ends it."""
        text, start = self._text, match.end()
        if match[1] == "CONVERSATION" and not _EMPTY.match(text, start):
            closing = _CLOSING.search(text, start)
            if closing is None:
                self._fault(match.start(), "}} alone on a line, to end it", match[0])
            return None if closing is None else closing.end()
        end, other = text.find("}}", start), text.find("{{", start)
        # Another directive begins before this one ends: its braces are that one's.
        if end < 0 or 0 <= other < end:
            self._fault(match.start(), "}} to end it", match[0])
            return None
        return end + 2

    def _read_directive(self, match: re.Match[str], end: int) -> Part:
        word, line = match[1], self._line_of(match.start())
        source, body = self._text[match.start() : end], self._text[match.end() : end - 2]
        made: Part | None = None
        if match[0] != "{{" + word:
            self._fault(match.start(), "the word right behind the braces", source)
        elif word == "CONVERSATION":
            made = self._read_conversation(body, match.end(), line)
        elif word == "LIST":
            made = ScriptList(tuple(body.split(",")), line)
        elif word in _FORMS:
            made = _build(word, _FORMS[word].fullmatch(body), line)
            if made is None:
                self._fault(match.start(), _EXPECTED[word], source)
        return Unknown(source, line) if made is None else made

    def _read_conversation(self, body: str, start: int, line: int) -> Conversation | None:
        if self._has_conversation:
            self._fault(start, "one CONVERSATION", "another")
            return None
        self._has_conversation = True
        head, newline, rest = body.partition("\n")
        if head.strip():
            self._fault(start, "a line feed behind CONVERSATION", head)
            return None
        if not newline:
            return Conversation((), line, (head, ""))
        *lines, last = rest.split("\n")
        if not lines:
            return Conversation((), line, (f"{head}\n{last}", ""))
        at, made = start + len(head) + 1, []
        for each in lines:
            made.append(self._read_line(each, at))
            at += len(each) + 1
        return Conversation(tuple(made), line, (head, last))

    def _read_line(self, text: str, at: int) -> Line:
        number = self._line_of(at)
        match = _LINE.fullmatch(text)
        if match is None:
            if text.strip():
                self._fault(at, "hint, force, call or response", text.strip())
            return Other(text, number)
        groups = match.groups()
        # Which of the three forms it is: only its own groups are set.
        if match[3]:
            before, first, speaker, second, said, after = groups[:6]
            gaps = (before, first, second, after)
            return Hint(_speaker(speaker), said, line=number, gaps=gaps)
        if match[8]:
            first, speaker, second, said, after = groups[6:11]
            gaps = (match[1], first, second, after)
            return Force(_speaker(speaker), said, line=number, gaps=gaps)
        word, first, api, second, said, after = groups[11:]
        kind = ScriptCall if word == "call" else Response
        gaps = (match[1], first, second or "", after)
        return kind(api, said or "", line=number, gaps=gaps)

    def _line_of(self, at: int) -> int:
        # How many lines begin at or before this place is the line's number, from 1.
        return bisect_right(self._starts, at)

    def _fault(self, at: int, expected: str, found: str) -> None:
        line = self._line_of(at)
        column = at - self._starts[line - 1] + 1
        self.faults.append(Fault(line, column, expected, shorten(found)))


def _speaker(word: str) -> Speaker:
    return "user" if word == "user" else "assistant"


def _build(word: str, match: re.Match[str] | None, line: int) -> Part | None:
    """Builds the part that a directive's word asks for; None where it has another form."""
    if match is None:
        return None
    gaps, fields = match.groups()[::2], match.groups()[1::2]
    name, second, *rest = fields
    if word == "CHECK":
        return Check(name, second, line, gaps)
    if word == "RAND":
        low, high = map(int, rest)
        return Rand(name, second, low, high, line, gaps) if low <= high else None
    return (Hide if word == "HIDE" else Enter)(name, second, rest[0], line, gaps)


def print_script(script: Script) -> str:
    """Writes a script as text; one that was read comes out as it was."""
    return "".join(map(print_part, script.parts))


def print_part(part: Part) -> str:
    """Writes one part of a script."""
    match part:
        case Prose():
            return part.text
        case Unknown():
            return part.source
        case ScriptList():
            return "{{LIST" + ",".join(part.raw) + "}}"
        case Conversation():
            head, last = part.gaps
            lines = "".join(f"\n{print_line(line)}" for line in part.lines)
            return "{{CONVERSATION" + head + lines + ("\n" if lines else "") + last + "}}"
    # The fields of the others are what stands in the directive, and then line and gaps.
    *fields, _line, gaps = msgspec.structs.astuple(part)
    body = "".join(f"{gap}{field}" for gap, field in zip(gaps, fields, strict=False))
    return f"{{{{{type(part).__name__.upper()}{body}{gaps[-1]}}}}}"


def print_line(line: Line) -> str:
    """Writes one line of a conversation, without the line feed."""
    if isinstance(line, Other):
        return line.source
    before, first, second, after = line.gaps
    match line:
        case Hint():
            return f"{before}hint{first}{line.speaker}{second}({line.text}){after}"
        case Force():
            return f"{before}force{first}{line.speaker}{second}{line.text}{after}"
    word = "call" if isinstance(line, ScriptCall) else "response"
    return f"{before}{word}{first}{line.api}{second}{line.body}{after}"
