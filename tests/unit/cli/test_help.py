"""Every option has help, and every command's help says what its arguments are."""

from __future__ import annotations

import re
from collections.abc import Iterator

import click
import pytest

from commonground.cli import SECTIONS, group


def iterate_commands(
    command: click.Command, context: click.Context
) -> Iterator[tuple[str, click.Command]]:
    """Yields a command and all below it, each with what is typed for it."""
    yield context.command_path, command
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            assert inner is not None
            yield from iterate_commands(inner, click.Context(inner, info_name=name, parent=context))


COMMANDS = dict(iterate_commands(group, click.Context(group, info_name="commonground")))


@pytest.mark.parametrize("path", COMMANDS)
def test_every_option_has_help(path: str) -> None:
    options = [each for each in COMMANDS[path].params if isinstance(each, click.Option)]
    assert [each.opts for each in options if not each.help and not each.hidden] == []


@pytest.mark.parametrize("path", COMMANDS)
def test_every_argument_is_explained(path: str) -> None:
    command = COMMANDS[path]
    prose = (command.help or "").partition("Example:")[0]
    for each in command.params:
        if isinstance(each, click.Argument):
            for name in each.human_readable_name.replace("...", "").strip("[]").split(" | "):
                assert re.search(rf"(?<!\w){re.escape(name)}(?!\w)", prose), f"{name} of {path}"


def read_sections() -> dict[str, list[str]]:
    """Returns what ``--help`` prints below each heading, by the heading."""
    parts = re.split(r"^(\w+):\n", group.get_help(click.Context(group)), flags=re.MULTILINE)
    return {
        title.lower(): re.findall(r"^  ([\w-]+)", lines, re.MULTILINE)
        for title, lines in zip(parts[1::2], parts[2::2], strict=True)
        if title.lower() in SECTIONS
    }


def test_the_help_lists_commands_in_five_sections() -> None:
    found = read_sections()
    assert tuple(found) == SECTIONS
    assert {"import", "check"} <= {*found["data"]}
    assert found["collect"] == sorted(found["collect"])
    listed = [name for names in found.values() for name in names]
    shown = [path for path, command in COMMANDS.items() if not command.hidden]
    assert sorted(listed) == sorted({path.split()[1] for path in shown if " " in path})


def test_hidden_commands_work_and_are_not_listed() -> None:
    hidden = [path for path, command in COMMANDS.items() if command.hidden]
    assert hidden == ["commonground roundtrip", "commonground schema"]
    assert not re.search("roundtrip|schema", group.get_help(click.Context(group)))
