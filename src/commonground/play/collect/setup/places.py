"""Where copies of a study's data lie, so that erasing finds them: ``places.json``.

A study that was copied together with its list must not touch what belongs to the original: the
list says which study noted it, and a place below the study is noted as it is seen from there.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import msgspec

from commonground.errors import FormatError
from commonground.files.outputs import write_file
from commonground.play.collect.setup.study import LOG, PLACES, Study


class Places(msgspec.Struct):
    """Where copies of a study's data were written to.

    Attributes:
        study: folder of the study that noted them; empty where that is not known.
        exports: folders of exports; relative ones are below the study.
        backups: folders of backups, likewise.
        others: folders that belong to the study of which this one is a copy.
    """

    study: str = ""
    exports: list[str] = []
    backups: list[str] = []
    others: list[str] = []


def read_places(study: Study) -> Places:
    """Returns where copies of a study's data lie, in absolute paths.

    Raises:
        FormatError: the file that says so is damaged.
    """
    path, here = study.folder / PLACES, study.folder.resolve()
    if not path.is_file():
        return Places(str(here))
    try:
        noted = msgspec.json.decode(path.read_bytes(), type=Places)
    except msgspec.DecodeError as error:
        raise FormatError(f"{path}: {error}.", "It lists exports and backups.") from error
    others = list(noted.others)
    is_copy = noted.study not in ("", str(here)) and (Path(noted.study) / LOG).is_file()

    def resolve(folders: list[str]) -> list[str]:
        if is_copy:
            others.extend(each for each in folders if Path(each).is_absolute())
            folders = [each for each in folders if not Path(each).is_absolute()]
        return [str(here / each) for each in folders]

    return Places(str(here), resolve(noted.exports), resolve(noted.backups), others)


def note_place(study: Study, kind: Literal["exports", "backups"], folder: Path) -> None:
    """Notes a folder with a copy of a study's data; those that are gone are forgotten."""
    places, here, new = read_places(study), study.folder.resolve(), folder.resolve()
    getattr(places, kind).append(str(new))

    def known(folders: list[str]) -> list[str]:
        found = {Path(each) for each in folders if Path(each).is_dir() or Path(each) == new}
        return sorted(
            str(each.relative_to(here) if each.is_relative_to(here) else each) for each in found
        )

    places.exports, places.backups = known(places.exports), known(places.backups)
    path = study.folder / PLACES
    write_file(path, msgspec.json.format(msgspec.json.encode(places)))
    path.chmod(0o600)
