"""What helps authors of scripts: looking a file over, showing what people see, usual spacing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from commonground.corpora.taskmaster.scenario.game.self_dialog import SelfDialog
from commonground.corpora.taskmaster.scenario.material import (
    LEAST_TURNS,
    Api,
    list_scripts,
    read_apis,
    read_script_text,
)
from commonground.corpora.taskmaster.scenario.scripts.filling import draw_values, fill, json_of
from commonground.corpora.taskmaster.scenario.scripts.language import (
    Call,
    Check,
    Conversation,
    Enter,
    Force,
    Hide,
    Hint,
    Line,
    Listing,
    Part,
    Prose,
    Rand,
    Response,
    Script,
    ScriptError,
    parse_script,
    print_script,
    read_script,
)
from commonground.corpora.taskmaster.scenario.scripts.lint import (
    Preview,
    lint_script,
    preview_script,
)
from commonground.errors import FormatError
from commonground.games.scripting import Remark, Scripting, Step

_replace = msgspec.structs.replace
# White space but line feeds, before one.
_TRAILING = re.compile(r"[^\S\n]+\n")


def make_scripting(scenario: SelfDialog) -> Scripting:
    """Returns what can be done with scripts of a scenario.

    Args:
        scenario: whose APIs scripts may call that have no ``apis.json`` beside them.
    """
    apis = scenario.dialect.apis or None
    return Scripting(
        title="Prose with directives such as {{ENTER}}, and a conversation of hints and calls.",
        find=list_scripts,
        lint=lambda path: lint_file(path, apis),
        preview=preview_file,
        rewrite=format_file,
    )


def lint_file(path: Path, apis: Mapping[str, Api] | None) -> list[Remark]:
    """Returns what is wrong with a script in a file.

    Args:
        path: of the file.
        apis: what may be called where no ``apis.json`` stands beside it; None where that is not
            known.
    """
    declared = read_apis(path.parent)
    found = lint_script(read_script_text(path), apis if declared is None else declared)
    return [
        Remark(
            str(path), each.line, each.column, each.severity, each.code, each.message, each.found
        )
        for each in found
    ]


def preview_file(path: Path, values: Mapping[str, str]) -> list[Step]:
    """Returns what people see of a script in a file, and the calls behind it.

    Args:
        path: of the file.
        values: what is entered into fields, by name; their types stand for those missing.
    """
    text = read_script_text(path)
    script, _ = read_script(text)
    known = {each.name: f"<{each.type}>" for each in script.of(Enter)}
    known |= draw_values(script, 0) | dict(values)
    turns = preview_script(text, values)
    return [step for part in script.parts for step in _show_part(part, known, turns)]


def _show_part(part: Part, values: Mapping[str, str], turns: Sequence[Preview]) -> Iterator[Step]:
    match part:
        case Prose():
            if text := fill(part.text.strip(), values):
                yield Step("text", text)
        case Listing():
            yield from (Step("item", fill(each, values)) for each in part.items)
        case Enter():
            yield Step("field", part.prompt, part.name)
        case Check():
            yield Step("check", part.text, part.name)
        case Conversation():
            if not turns:
                yield Step("free", f"user and assistant in turn, {LEAST_TURNS} turns at least")
            for turn in turns:
                yield Step("fixed" if turn.fixed else "hint", turn.text, turn.speaker)
                yield from (Step("call", each) for each in turn.calls)


def format_file(path: Path) -> str:
    """Returns the script in a file in the usual spacing.

    Raises:
        FormatError: something in it is not of the language; the message says where.
    """
    try:
        return format_script(read_script_text(path))
    except ScriptError as error:
        raise FormatError(f"{path}: {error.message}", error.advice) from error


def format_script(text: str) -> str:
    """Returns a script in the usual spacing: one space between words, none at the end of a line.

    Lists have a space behind each comma, blank lines and JSON stay as they are, and the text ends
    with a line feed.

    Raises:
        ScriptError: something in it is not of the language.
    """
    script = parse_script(text)
    written = print_script(Script(tuple(map(_space_part, script.parts))))
    return _TRAILING.sub("\n", written).rstrip() + "\n"


def _space_part(part: Part) -> Part:
    match part:
        case Listing():
            return _replace(part, raw=tuple(f" {item}" for item in part.items))
        case Hide() | Enter():
            return _replace(part, gaps=(" ", " ", " ", ""))
        case Rand():
            return _replace(part, gaps=(" ", " ", " ", " ", ""))
        case Check():
            return _replace(part, gaps=(" ", " ", ""))
        case Conversation():
            return _replace(part, lines=tuple(map(_space_line, part.lines)), gaps=("", ""))
    return part


def _space_line(line: Line) -> Line:
    match line:
        case Hint():
            return _replace(line, text=line.text.strip(), gaps=("", " ", " ", ""))
        case Force():
            return _replace(line, gaps=("", " ", " ", ""))
        # JSON is left as it is: spaces inside its strings are the author's.
        case Call() | Response():
            body = line.body if json_of(line.body) else " ".join(line.body.split())
            return _replace(line, body=body, gaps=("", " ", " " if body else "", ""))
    return _replace(line, source=line.source.strip())
