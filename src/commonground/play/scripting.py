"""Scripts that people write for a scenario, and what helps them to write sound ones.

Where a scenario is played along texts of its own language, one of its modules has a constant
``SCRIPTS``, an object of :class:`Scripting`. Commands and studies find it there and know nothing
of the language.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from commonground.findings import Severity


class Remark(msgspec.Struct, frozen=True):
    """Something that is wrong with a script, or may be.

    Attributes:
        file: that it is in, as it was named.
        line: from 1.
        column: from 1, in characters.
        severity: ``error`` where nothing can be played by the script, or records would be wrong.
        found: what stands there, cut to a readable length; may be empty.
    """

    file: str
    line: int
    column: int
    severity: Severity
    code: str
    message: str
    found: str

    def __str__(self) -> str:
        said = f"{self.message.rstrip('.')}: “{self.found}”" if self.found else self.message
        place = f"{self.file}:{self.line}:{self.column}"
        return f"{place}: {self.severity}: {said} [{self.code}]"


class Scripting(msgspec.Struct, frozen=True):
    """What can be done with scripts of a language: the constant ``SCRIPTS`` of a module.

    Attributes:
        find: returns the scripts in a folder, in their order.
        lint: returns what is wrong with a file, in order of place; what stands beside it in its
            folder, such as declarations, counts.

    Both raise :class:`~commonground.errors.SourceError` for what cannot be read and
    :class:`~commonground.errors.FormatError` for what is no text.
    """

    find: Callable[[Path], Sequence[Path]]
    lint: Callable[[Path], Sequence[Remark]]


def list_files(scripts: Scripting, paths: Sequence[Path]) -> list[Path]:
    """Returns files as they are named, and for folders the scripts in them.

    Raises:
        SourceError: a folder cannot be read.
        FormatError: it holds no scripts.
    """
    return [each for path in paths for each in (scripts.find(path) if path.is_dir() else [path])]
