"""The mark of invented data: what ``simulate`` writes carries it, and imports look for it.

Figures compare what is counted with published numbers; invented data must never pass for the
released ones there, in whatever later import.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Literal

from commonground.errors import SourceError
from commonground.files.remote import is_remote

NAME = "SIMULATED.txt"
"""Name of the file that marks a folder as invented."""

_DEEPEST = 3
"""Folders above a file in which its mark may stand: simulated corpora are no deeper."""

Made = Literal["invented", "forked", "repeating"]
"""How files came about: all of it invented; games that go on from an act of earlier ones; or games
in which players repeat what was said or done in earlier ones."""

_TEXTS: dict[Made, str] = {
    "invented": """\
Invented with commonground, in the format of its corpus {corpus}.
Nothing here was released by the authors of {title}, or said by anybody. Leave this file beside the
others: what is imported with it is known as simulated, and is not compared with published numbers.
""",
    "forked": """\
Games that fork from earlier ones, in the format of the corpus {corpus}. Up to one of its acts, each
stands as it was played; from there it goes on with others in its seats. sessions.jsonl says where.
They are neither games that the authors of {title} released nor games that were played from their
start. Leave this file beside the others: what is imported with it is known as simulated, and is not
compared with published numbers.
""",
    "repeating": """\
Played with commonground, in the format of its corpus {corpus}. Some players repeat what was said or
done in earlier dialogues, under the terms of those; the others were not there. sessions.jsonl says
who. These are not dialogues that the authors of {title} released. Leave this file beside the
others: what is imported with it is known as simulated, and is not compared with published numbers.
""",
}


def mark_simulated(folder: Path, corpus: str, title: str, made: Made = "invented") -> None:
    """Marks a folder of files, which look like those of a corpus, as what nobody released.

    Raises:
        OSError: the mark cannot be written.
    """
    text = _TEXTS[made].format(corpus=corpus, title=title)
    (folder / NAME).write_text(text, encoding="utf-8")


def is_mark(name: str) -> bool:
    """Says whether a file marks those beside it as invented, by its name or path."""
    return name.replace("\\", "/").rpartition("/")[2] == NAME


def is_marked(paths: Iterable[str | Path]) -> bool:
    """Says whether a mark stands in one of the folders, or above one of the files or folders.

    Raises:
        SourceError: a folder cannot be looked into.
    """
    for path in map(Path, paths):
        if is_remote(path):  # only what is listed there can be looked at
            continue
        try:
            found = path.resolve()
            folders = [found, *found.parents][: _DEEPEST + 1]
            if any((folder / NAME).is_file() for folder in folders):
                return True
        except OSError as error:
            raise SourceError(f"{path} cannot be read: {error.strerror}.") from error
    return False
