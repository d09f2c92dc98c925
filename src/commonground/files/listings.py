"""What a command wrote into a folder: a list of its files with their hashes.

Only what is listed, and is as it was written, is replaced or removed by the same command. What
somebody added or changed is not ours.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import msgspec

from commonground.errors import UsageError

LISTING = ".commonground-files.json"
"""Name of the list, at the top of the folder."""

_NAMED = 3
"""Files that a message names; of more it tells the number."""

_MOUNTS = Path("/proc/self/mountinfo")


class Listing(msgspec.Struct, frozen=True):
    """What a command wrote into a folder.

    Attributes:
        what: was written: ``export``, ``site``.
        files: SHA-256 of each file, by its path below the folder.
        of: from what, where that may not change: the id of a study. Empty where it may.
    """

    what: str
    files: dict[str, str]
    of: str = ""


def write_listing(folder: Path, what: str, of: str) -> None:
    """Lists all files of a folder in it; for ``what`` and ``of`` see :class:`Listing`.

    Raises:
        OSError: a file cannot be read, or the list not written.
    """
    names = [each for each in sorted(_list_files(folder)) if (folder / each).is_file()]
    files = {name: hash_file(folder / name) for name in names}
    listing = Listing(what, files, of)
    (folder / LISTING).write_bytes(msgspec.json.format(msgspec.json.encode(listing)))


def read_listing(folder: Path) -> Listing | None:
    """Returns the list of a folder; None where it has none that can be read."""
    try:
        return msgspec.json.decode((folder / LISTING).read_bytes(), type=Listing)
    except (OSError, msgspec.DecodeError):
        return None


def find_added(folder: Path, listing: Listing) -> list[str]:
    """Returns files, links and empty folders that are not listed, as paths below the folder.

    Raises:
        OSError: a folder in it cannot be read.
    """
    return sorted(name for name in _list_files(folder) if not _is_listed(folder, name, listing))


def find_changed(folder: Path, listing: Listing) -> list[str]:
    """Returns files that are listed and have other bytes by now, as paths below the folder.

    Raises:
        OSError: one of them cannot be read.
    """
    return [
        name
        for name, digest in listing.files.items()
        if _is_listed(folder, name, listing) and hash_file(folder / name) != digest
    ]


def check_mounts(folder: Path, out: Path) -> None:
    """Refuses a folder, named without links, in which a disk or another folder is mounted.

    Raises:
        UsageError: something is mounted in it.
    """
    try:
        lines = _MOUNTS.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:  # a system that does not tell
        return
    for line in lines:
        # Blanks and the like stand there as octal numbers.
        place = re.sub(r"\\(\d{3})", lambda found: chr(int(found[1], 8)), line.split(" ")[4])
        if Path(place).is_relative_to(folder):
            raise UsageError(
                f"In {out} a disk or a folder is mounted, at {place}.",
                "Unmount it, or name another folder.",
            )


def check_unchanged(out: Path, names: list[str], *, force: bool | None) -> None:
    """Refuses to replace what is not ours.

    Args:
        out: the folder as the user named it.
        names: what would be replaced, below it.
        force: None where the command has no ``--force``.

    Raises:
        UsageError: there is any.
    """
    if not names:
        return
    changed = ", ".join(str(out / name) for name in names[:_NAMED])
    if len(names) > _NAMED:
        changed += f" and {len(names) - _NAMED:,} more"
    advice = "Move what you want to keep out of the folder"
    raise UsageError(
        f"Changed since it was written, or added, and would be lost: {changed}.",
        f"{advice}." if force is None else f"{advice}, or give --force to replace it.",
    )


def carry_over(old: Path, new: Path, names: list[str]) -> None:
    """Puts files, links and empty folders of one folder into another one as well.

    A file is linked where that can be, so that it is the same file. What has the place already
    stays.

    Args:
        new: on the same file system.
        names: paths below both.

    Raises:
        OSError: one cannot be put there.
    """
    for name in names:
        source, place = old / name, new / name
        if os.path.lexists(place):
            continue
        below = Path(name).parent
        for part in [*reversed(below.parents[:-1]), below] if below.parts else []:
            if not (new / part).is_dir():
                (new / part).mkdir()
                shutil.copystat(old / part, new / part)
        if source.is_dir() and not source.is_symlink():
            place.mkdir()
            shutil.copystat(source, place)
            continue
        try:
            os.link(source, place, follow_symlinks=False)
        except (OSError, NotImplementedError):  # a file or operating system without second names
            shutil.copy2(source, place, follow_symlinks=False)


def find_taken(new: Path, names: list[str]) -> list[str]:
    """Returns which names, or folders that they are in, are names of other things in a folder."""
    return [
        name
        for name in names
        if os.path.lexists(new / name)
        or any(
            os.path.lexists(new / each) and not (new / each).is_dir()
            for each in Path(name).parents[:-1]
        )
    ]


def hash_file(path: Path) -> str:
    """Returns the SHA-256 of a file, in hexadecimal digits.

    Raises:
        OSError: it cannot be read.
    """
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _is_listed(folder: Path, name: str, listing: Listing) -> bool:
    path = folder / name
    return name in listing.files and path.is_file() and not path.is_symlink()


def _list_files(folder: Path) -> Iterator[str]:
    """Yields what is in a folder but its list: files, links and empty folders; links not followed.

    Raises:
        OSError: a folder in it cannot be read.
    """

    def fail(error: OSError) -> None:
        raise error

    for place, folders, files in os.walk(folder, onerror=fail):
        below = Path(place).relative_to(folder)
        links = [each for each in folders if (Path(place) / each).is_symlink()]
        for name in (*files, *links):
            if below.parts or name != LISTING:
                yield (below / name).as_posix()
        if below.parts and not files and not folders:
            yield below.as_posix()
