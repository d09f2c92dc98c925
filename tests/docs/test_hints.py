"""Every command that a message, an advice or a help names is one that can be typed."""

from __future__ import annotations

import ast
import importlib
import re
import shlex
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import click
import pytest

from commonground.cli import _file_names

SOURCE = Path(__file__).parents[2] / "src" / "commonground"
MENTION = re.compile(r"(?<![\w./-])commonground (?P<rest>[a-z_]+[^\n`;]*)")
PROSE = frozenset(
    {
        "and",
        "as",
        "asks",
        "by",
        "failed",
        "has",
        "invented",
        "knows",
        "model",
        "needs",
        "raises",
        "split_words",
        "than",
        "that",
    }
)
"""Words that follow the name of the program where it is spoken of: ``commonground failed on``."""
END = re.compile(r"""(?<![.])[.)](?=\s|$)|,(?=\s)|\s(?=[>(]|(or|and|for|to|lists)\s)|</code>""")
"""Where a command in a sentence ends; the texts of SQL stand in quotes."""


def texts(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yields the texts of a module; what is filled in stands there as ``X``."""
    inner: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            inner.update(id(each) for each in node.values)
            parts = [
                str(each.value) if isinstance(each, ast.Constant) else "X" for each in node.values
            ]
            yield node.lineno, "".join(parts)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in inner:
            yield node.lineno, node.value


def find_hints(text: str) -> Iterator[str]:
    """Yields what follows ``commonground`` in a text."""
    for found in MENTION.finditer(text):
        rest = found["rest"]
        position = 0
        while (end := END.search(rest, position)) is not None:
            before = rest[: end.start()]
            if before.count('"') % 2 == 0 and before.count("'") % 2 == 0:
                rest = before
                break
            position = end.end()
        yield rest.strip()


def find_command(name: str) -> click.Command:
    module = _file_names().get(name)
    assert module is not None, f"there is no command {name}"
    command: click.Command = importlib.import_module(f"commonground.cli.{module}").command
    return command


def check_hint(hint: str) -> None:
    """Asserts that a command line names a command, options and arguments that are there."""
    name, *words = shlex.split(hint.replace("[", "").replace("]", ""))
    command = find_command(name)
    with click.Context(command, info_name=name) as context:
        while isinstance(command, click.Group) and words and not words[0].startswith("-"):
            known = command.list_commands(context)
            found = command.get_command(context, known[0] if words[0].isupper() else words[0])
            assert found is not None
            command, words = found, words[1:]
    if not words:
        return  # a command that is only named
    is_whole = "..." not in words
    words = [word for word in words if word != "..."]
    known_options = {"--store": True, "--help": False}
    for each in command.params:
        if isinstance(each, click.Option):
            known_options |= dict.fromkeys(each.opts + each.secondary_opts, not each.is_flag)
    positional = []
    given = iter(words)
    for word in given:
        if not word.startswith("-"):
            positional.append(word)
            continue
        option, equals, _ = word.partition("=")
        # Some commands take options of which only a corpus knows, each with a value.
        takes_any = command.context_settings.get("ignore_unknown_options", False)
        assert takes_any or option in known_options, f"{name} has no option {option}"
        if known_options.get(option, True) and not equals:
            next(given, None)
    arguments = [each for each in command.params if isinstance(each, click.Argument)]
    needed = [each for each in arguments if each.required]
    if is_whole and positional:
        assert len(positional) >= len(needed), f"{name} needs {[each.name for each in needed]}"
    if all(each.nargs != -1 for each in arguments):
        assert len(positional) <= len(arguments), f"{name} takes no {positional}"


@cache
def find_all_hints() -> list[tuple[str, str]]:
    """Lists the modules that name a command, each with the command line."""
    found = {
        (path.relative_to(SOURCE).as_posix(), hint)
        for path in SOURCE.rglob("*.py")
        if "commonground " in (text := path.read_text(encoding="utf-8"))
        for _, said in texts(ast.parse(text))
        for hint in find_hints(said)
        if hint.split()[0] not in PROSE
    }
    return sorted(found)


def test_hints_can_be_typed() -> None:
    wrong = []
    for where, hint in find_all_hints():
        try:
            check_hint(hint)
        except AssertionError as error:
            wrong.append(f"{where}: {hint}: {error}")
    assert wrong == []


def test_hints_are_found() -> None:
    assert len(find_all_hints()) > 60
    told = "See: commonground check --store X --corpus X. Or `commonground info CODE`, or what."
    assert list(find_hints(told)) == ["check --store X --corpus X", "info CODE"]
    with pytest.raises(AssertionError, match="check has no option --corpus"):
        check_hint("check --store X --corpus X")
    with pytest.raises(AssertionError, match="there is no command mend"):
        check_hint("mend X")
    with pytest.raises(AssertionError, match="import needs"):
        check_hint("import frames")
