"""The pictures of a study: copied into its folder when it is made, and the same ever after.

``pictures.json`` has the SHA-256 of each by its name in the material. Who plays must see what the
researcher saw, so nothing that cannot be shown gets into a study, and a study is not served with
other pictures than those that it was made with.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path, PurePosixPath

import msgspec

from commonground.errors import FormatError, SourceError
from commonground.files.listings import hash_file
from commonground.files.pictures import examine_picture
from commonground.files.sources import is_file
from commonground.printing import count_of

IMAGES = "images"
"""Folder of a study that has its pictures, by their names in the material."""

HASHES = "pictures.json"

_NAMED = 10
"""Pictures that a message names; of more, their number is said."""


def find_picture(folder: Path, name: str) -> Path | None:
    """Returns the file of a picture by its name in material; None where there is none.

    What is no picture, or cannot be shown, is none either.

    Args:
        folder: of the material, or of its pictures.
    """
    found = locate_picture(folder, name)
    return None if found is None or examine_picture(found).fault else found


def locate_picture(folder: Path, name: str) -> Path | None:
    """Returns the file that is there for a picture, whatever it holds; as :func:`find_picture`."""
    # A folder that is itself a set of pictures is named by its own name.
    places = (folder / name, folder.parent / name, folder / "images" / name)
    return next(filter(is_file, places), None)


def keep_pictures(
    names: Iterable[str], source: Path, images: Path, together: Iterable[Sequence[str]]
) -> dict[str, str]:
    """Copies pictures into a study that is being made, and returns the hash of each.

    A name without a file is left out: it may be any text that ends as names of pictures do.

    Args:
        images: folder to copy them to; the same as ``source`` where they were drawn there.
        together: names of pictures that somebody has to tell apart.

    Raises:
        FormatError: files are no pictures that can be shown, or two that have to be told apart are
            the same.
    """
    found = {name: locate_picture(source, name) for name in sorted(names)}
    paths = {name: path for name, path in found.items() if path is not None}
    faults = {name: fault for name, path in paths.items() if (fault := _find_fault(name, path))}
    hashes = {name: hash_file(path) for name, path in paths.items() if name not in faults}
    for group in together:
        faults |= _find_same(group, hashes)
    if faults:
        raise FormatError(
            f"{len(faults):,} of {count_of(len(paths), 'picture')} in {source} cannot be played "
            f"with. {_list(faults)} No study was made.",
            "Replace or remove these files, and make the study again.",
        )
    for name, path in paths.items():
        copy = images / name
        if copy != path:
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)
    return hashes


def _find_fault(name: str, path: Path) -> str:
    parts = PurePosixPath(name)
    if parts.is_absolute() or ".." in parts.parts:
        return "outside of the folder"
    return examine_picture(path, decode=True).fault


def _find_same(names: Sequence[str], hashes: Mapping[str, str]) -> dict[str, str]:
    """Says which pictures of a game are the same as another one of it."""
    first: dict[str, str] = {}
    same: dict[str, str] = {}
    for name in sorted(names):
        other = first.setdefault(hashes[name], name) if name in hashes else name
        if other != name:
            same[name] = f"the same picture as {other}"
    return same


def _list(faults: Mapping[str, str]) -> str:
    named = [f"{name} is {fault}" for name, fault in list(faults.items())[:_NAMED]]
    more = len(faults) - _NAMED
    return "; ".join(named) + (f"; and {more:,} more." if more > 0 else ".")


def read_hashes(folder: Path) -> dict[str, str] | None:
    """Returns the hash of each picture of a study; None for one made before there were hashes.

    Raises:
        FormatError: the file is damaged.
    """
    path = folder / HASHES
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, str])
    except FileNotFoundError:
        return None
    except (OSError, msgspec.DecodeError) as error:
        raise FormatError(f"{path}: {error}.", "It has the hash of each picture.") from error


def require_pictures(folder: Path, images: Path | None, names: Iterable[str]) -> None:
    """Makes sure that a study has the pictures that it was made with.

    Args:
        images: None where there are no pictures.
        names: of the pictures in its material; of a study without hashes all that is known.

    Raises:
        SourceError: pictures are gone, were changed, or cannot be shown.
        FormatError: the file of the hashes is damaged.
    """
    hashes = read_hashes(folder)
    if hashes is None:
        paths = {name: locate_picture(images, name) for name in names} if images else {}
        hashes = dict.fromkeys((name for name, path in paths.items() if path is not None), "")
    faults = {
        name: fault
        for name, digest in sorted(hashes.items())
        if (fault := _find_change(images and locate_picture(images, name), digest))
    }
    if faults:
        count = f"{len(faults):,} of {count_of(len(hashes), 'picture')}"
        raise SourceError(
            f"{folder} was made with other pictures than it has now: {count}. {_list(faults)}",
            f"Put them back into {images or folder / IMAGES}, or make a new study of the new ones.",
        )


def _find_change(path: Path | None, digest: str) -> str:
    if path is None:
        return "gone"
    try:
        changed = bool(digest) and hash_file(path) != digest
    except OSError as error:
        return f"a file that cannot be read ({error.strerror})"
    fault = examine_picture(path).fault
    return fault or ("another picture now" if changed else "")


def find_aliases(hashes: Mapping[str, str]) -> dict[str, str]:
    """Returns the first name of each picture that has several, by the other names."""
    first: dict[str, str] = {}
    names = {name: first.setdefault(digest, name) for name, digest in sorted(hashes.items())}
    return {name: other for name, other in names.items() if name != other}


def name_met(met: Sequence[frozenset[str]], hashes: Mapping[str, str]) -> list[frozenset[str]]:
    """Returns what people have seen of each piece, with each picture by one name only."""
    aliases = find_aliases(hashes)
    if not aliases:
        return list(met)
    return [frozenset(aliases.get(each, each) for each in names) for names in met]


def describe_copies(hashes: Mapping[str, str]) -> list[str]:
    """Says, in a sentence at most, which pictures of a study are there more than once."""
    aliases = find_aliases(hashes)
    if not aliases:
        return []
    same = {name: f"the same as {other}" for name, other in aliases.items()}
    count = f"{len(same):,} of {count_of(len(hashes), 'picture')}"
    return [f"{count}: the same under another name. {_list(same)} Nobody gets both."]
