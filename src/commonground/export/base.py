"""What an export format is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from commonground.errors import unknown_name
from commonground.export.loss import Carried, Loss
from commonground.export.selection import Selection

Options = Mapping[str, Any]
"""Values of a format's options by name; every declared option is there."""


class Option(msgspec.Struct, frozen=True, kw_only=True):
    """An option of one format, on the command line ``--name``.

    Attributes:
        name: with underscores: ``arguments``.
        help: one sentence.
        default: used where the user says nothing; a bool makes it a flag.
        choices: what it may be; empty means any text.
    """

    name: str
    help: str
    default: str | bool | None = None
    choices: tuple[str, ...] = ()


class Export(msgspec.Struct, frozen=True, kw_only=True):
    """A format to export to: the constant ``EXPORT`` of a module in ``export/``.

    Attributes:
        name: as on the command line.
        title: what comes out, in a few words.
        summary: one paragraph: what is written, who reads it, and how.
        carries: says what fits, given the options.
        write: writes files below a new, empty folder. Arguments: selection, folder, options.
            Returns what is lost beyond the columns that are not carried, which are counted
            for it.
        features: what ``write`` may count as lost, by name with the reason.
        options: options of its own.
        example: of a command line, below ``commonground export``.
    """

    name: str
    title: str
    summary: str
    carries: Callable[[Options], Carried]
    write: Callable[[Selection, Path, Options], Loss]
    features: Mapping[str, str] = {}
    options: tuple[Option, ...] = ()
    example: str = ""

    def complete(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Returns the value of every option, given some.

        Raises:
            UsageError: there is no such option, or it may not have that value.
        """
        known = {option.name: option for option in self.options}
        values = {name: option.default for name, option in known.items()}
        for name, value in given.items():
            if name not in known:
                raise unknown_name(f"option of {self.name}", name, known)
            choices = known[name].choices
            if choices and value is not None and value not in choices:
                raise unknown_name(f"value of {name}", str(value), choices)
            values[name] = value
        return values
