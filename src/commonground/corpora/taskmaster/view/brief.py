"""The instructions that a worker was given: prose, lists and fields of a small form language.

Generations 3 and 4 publish them as written for the tool that showed them: ``*bold*`` and
directives in double braces, such as ``{{LIST one, two}}`` or ``{{ENTER name label question}}``.
Nothing is evaluated; what is of another form stays text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

import msgspec

Kind = Literal["text", "list", "given", "asked", "script", "check", "other"]
Who = Literal["user", "assistant", "call", "response", "other"]


class Run(msgspec.Struct, frozen=True):
    """A stretch of prose, and whether it is emphasised."""

    text: str
    strong: bool = False


class Step(msgspec.Struct, frozen=True):
    """A line of the conversation as it was laid out for the worker.

    Attributes:
        who: whose turn it is, or whether it is an API call or its response; ``other`` for a line
            of another form.
        fixed: whether the words were given; else the line says what to write.
        text: the words, the hint, or the call.
    """

    who: Who
    fixed: bool
    text: str


class Box(msgspec.Struct, frozen=True):
    """A value that was set, asked for or to be confirmed.

    Attributes:
        name: of the variable or box.
        label: what kind of value it is, such as ``name.movie``; null for what is confirmed.
        runs: the value, the question or the statement.
    """

    name: str
    label: str | None
    runs: list[Run]


class Part(msgspec.Struct, kw_only=True):
    """A part of the instructions.

    Attributes:
        kind: ``given`` are values set beforehand, ``asked`` what the worker filled in, ``check``
            what they had to confirm; ``other`` is a directive shown as written.
        runs: of ``text`` and ``other``.
        items: of ``list``.
        boxes: of ``given``, ``asked`` and ``check``, as many as follow each other.
        steps: of ``script``.
    """

    kind: Kind
    runs: list[Run] = []
    items: list[list[Run]] = []
    boxes: list[Box] = []
    steps: list[Step] = []


_DIRECTIVE = re.compile(r"\{\{\s*([A-Z]+)\b(.*?)\}\}", re.DOTALL)
_STRONG = re.compile(r"\*([^*\n]+)\*")
_COMMA = re.compile(r",(?![^()]*\))\s*")
_STEP = re.compile(r"(?:(hint|force)\s+(user|assistant)|(call|response))\s+(.*)")
_KINDS: dict[str, Kind] = {"HIDE": "given", "RAND": "given", "ENTER": "asked", "CHECK": "check"}


def parse_brief(text: str) -> list[Part]:
    """Divides instructions into their parts, in order."""
    parts: list[Part] = []
    at = 0
    for match in _DIRECTIVE.finditer(text):
        parts += _prose(text[at : match.start()])
        part = _directive(match)
        if parts and part.boxes and parts[-1].kind == part.kind:
            parts[-1].boxes += part.boxes
        else:
            parts.append(part)
        at = match.end()
    return [*parts, *_prose(text[at:])]


def _prose(text: str) -> Iterator[Part]:
    for paragraph in re.split(r"\n\s*\n", text):
        if paragraph.strip():
            yield Part(kind="text", runs=_runs(paragraph.strip()))


def _runs(text: str) -> list[Run]:
    """Divides prose at its asterisks; every second piece is what stood between two."""
    pieces = _STRONG.split(text)
    return [Run(piece, number % 2 == 1) for number, piece in enumerate(pieces) if piece]


def _directive(match: re.Match[str]) -> Part:
    word, body = match[1], match[2].strip()
    if word == "LIST":
        items = [_runs(item.strip()) for item in _COMMA.split(body) if item.strip()]
        return Part(kind="list", items=items)
    if word == "CONVERSATION":
        return Part(kind="script", steps=list(_steps(body)))
    if word in _KINDS:
        return Part(kind=_KINDS[word], boxes=[_box(word, body)])
    return Part(kind="other", runs=[Run(match[0])])


def _box(word: str, body: str) -> Box:
    name, _, rest = body.partition(" ")
    if word == "CHECK":
        return Box(name, None, _runs(rest.strip()))
    label, _, text = rest.strip().partition(" ")
    if word == "RAND":
        text = "a number from " + " to ".join(text.split())
    return Box(name, label, _runs(text.strip()))


def _steps(body: str) -> Iterator[Step]:
    for line in body.splitlines():
        match = _STEP.match(line.strip())
        if match:
            who: Who = match[2] or match[3]  # type: ignore[assignment]  # the pattern allows four
            yield Step(who, match[1] != "hint", match[4])
        elif line.strip():
            yield Step("other", fixed=True, text=line.strip())
