"""The instructions that a worker was given: prose, lists and fields of a small form language.

Generations 3 and 4 publish them as written for the tool that showed them, in the language of
``script_language``. Nothing is evaluated; what is of another form stays text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

import msgspec

from commonground.corpora.taskmaster.script_language import (
    Check,
    Conversation,
    Enter,
    Force,
    Hide,
    Hint,
    Prose,
    Rand,
    Response,
    ScriptCall,
    ScriptList,
    print_line,
    print_part,
    read_script,
)
from commonground.corpora.taskmaster.script_language import Part as Node

Kind = Literal["text", "list", "given", "asked", "script", "check", "other"]
Who = Literal["user", "assistant", "call", "response", "other"]


class ProseRun(msgspec.Struct, frozen=True):
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
        label: what kind of value it is, such as ``name.movie``; None for what is confirmed.
        runs: the value, the question or the statement.
    """

    name: str
    label: str | None
    runs: list[ProseRun]


class BriefPart(msgspec.Struct, kw_only=True):
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
    runs: list[ProseRun] = []
    items: list[list[ProseRun]] = []
    boxes: list[Box] = []
    steps: list[Step] = []


# `*bold*` within a line.
_STRONG = re.compile(r"\*([^*\n]+)\*")
# The tool divided a list at every comma; here one in brackets is left to be read as it was meant.
_COMMA = re.compile(r",(?![^()]*\))\s*")


def parse_brief(text: str) -> list[BriefPart]:
    """Divides instructions into their parts, in order."""
    script, _ = read_script(text)
    parts: list[BriefPart] = []
    for node in script.parts:
        for part in _prose(node.text) if isinstance(node, Prose) else [_directive(node)]:
            if parts and part.boxes and parts[-1].kind == part.kind:
                parts[-1].boxes += part.boxes
            else:
                parts.append(part)
    return parts


def _prose(text: str) -> Iterator[BriefPart]:
    # An empty line, which may have white space in it, ends a paragraph.
    for paragraph in re.split(r"\n\s*\n", text):
        if paragraph.strip():
            yield BriefPart(kind="text", runs=_runs(paragraph.strip()))


def _runs(text: str) -> list[ProseRun]:
    """Divides prose at its asterisks; every second piece is what stood between two."""
    pieces = _STRONG.split(text)
    return [ProseRun(piece, number % 2 == 1) for number, piece in enumerate(pieces) if piece]


def _directive(node: Node) -> BriefPart:
    match node:
        case ScriptList():
            items = [item.strip() for item in _COMMA.split(",".join(node.raw))]
            return BriefPart(kind="list", items=[_runs(item) for item in items if item])
        case Conversation():
            return BriefPart(kind="script", steps=list(_steps(node)))
        case Hide():
            return BriefPart(kind="given", boxes=[Box(node.name, node.type, _runs(node.value))])
        case Rand():
            drawn = f"a number from {node.low} to {node.high}"
            return BriefPart(kind="given", boxes=[Box(node.name, node.type, _runs(drawn))])
        case Enter():
            return BriefPart(kind="asked", boxes=[Box(node.name, node.type, _runs(node.prompt))])
        case Check():
            return BriefPart(kind="check", boxes=[Box(node.name, None, _runs(node.text))])
    return BriefPart(kind="other", runs=[ProseRun(print_part(node))])


def _steps(conversation: Conversation) -> Iterator[Step]:
    for line in conversation.lines:
        match line:
            case Hint():
                yield Step(line.speaker, fixed=False, text=f"({line.text}){line.gaps[-1].rstrip()}")
            case Force():
                yield Step(line.speaker, fixed=True, text=line.text)
            case ScriptCall() | Response():
                who: Who = "call" if isinstance(line, ScriptCall) else "response"
                yield Step(who, fixed=True, text=f"{line.api}{line.gaps[2]}{line.body}")
            case _ if print_line(line).strip():
                yield Step("other", fixed=True, text=print_line(line).strip())
