"""Finding the picture files of a corpus, and nothing outside its image folder.

The folder is listed once; an object's ``uri`` is only ever looked up in that list, never joined
to a path, so no ``..``, absolute path or encoding can lead out of it.
"""

from __future__ import annotations

import os
import weakref
from collections.abc import Iterator
from functools import cached_property
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

import msgspec

from commonground.errors import SourceError
from commonground.files.pictures import examine_picture
from commonground.files.sources import safe_name

if TYPE_CHECKING:
    from PIL import Image

    from commonground.model import Dialogue

MEDIA_TYPES = {
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".png": "image/png",
    ".gif": "image/gif",
    ".webp": "image/webp",
}
"""Endings that count as pictures. SVG is none: it can hold scripts."""


class PictureFile(msgspec.Struct, frozen=True):
    """A picture that is there.

    Attributes:
        name: path below the image folder, with slashes.
        path: where it is.
        media_type: that its bytes are of, such as ``image/jpeg``.
    """

    name: str
    path: Path
    media_type: str


class Missing(msgspec.Struct, frozen=True):
    """Why a picture is not there.

    Attributes:
        reason: a few words.
        broken: whether there is a file, which is no picture or cannot be read.
    """

    reason: str
    broken: bool = False


class Picture(msgspec.Struct, frozen=True):
    """The picture of an object; a notebook shows it, and ``open(picture, "rb")`` reads its bytes.

    Attributes:
        object_id: id of the object.
        path: the file.
        media_type: such as ``image/jpeg``.
    """

    object_id: str
    path: Path
    media_type: str

    def __fspath__(self) -> str:
        return str(self.path)

    def open(self) -> Image.Image:
        """Opens it with PIL.

        Raises:
            SourceError: it is no picture that PIL reads.
        """
        from PIL import Image

        try:
            return Image.open(self.path)
        except (OSError, ValueError, Image.DecompressionBombError) as error:
            raise SourceError(f"{self.path} cannot be read as a picture: {error}.") from error

    def _repr_jpeg_(self) -> bytes | None:
        return self.path.read_bytes() if self.media_type == "image/jpeg" else None

    def _repr_png_(self) -> bytes | None:
        if self.media_type == "image/jpeg":
            return None
        if self.media_type == "image/png":
            return self.path.read_bytes()
        written = BytesIO()
        with self.open() as picture:
            picture.save(written, "PNG")
        return written.getvalue()


class PictureFolder:
    """The pictures of one corpus.

    Args:
        folder: image folder; None where none was named at import.
        without: what to say where there is no folder.

    Attributes:
        folder: as given.
    """

    def __init__(
        self, folder: Path | None, without: str = "no image folder: import with --images FOLDER"
    ) -> None:
        self.folder = folder
        self._without = without

    @cached_property
    def files(self) -> dict[str, PictureFile]:
        """Every picture by its path below the folder; links that lead out are left out."""
        if self.folder is None:
            return {}
        root = Path(os.path.realpath(self.folder))
        return {file.name: file for file in _list_pictures(root)}

    @cached_property
    def _by_file_name(self) -> dict[str, PictureFile]:
        found: dict[str, PictureFile] = {}
        for name in sorted(self.files):
            # Two folders may hold the same file name; the first by path counts, on every machine.
            found.setdefault(PurePosixPath(name).name, self.files[name])
        return found

    def find(self, uri: str | None) -> PictureFile | Missing:
        """Looks a picture up by its path below the folder, else by its file name.

        Whether it is one is decided by :func:`~commonground.files.pictures.examine_picture`.

        Args:
            uri: as in the ``objects`` table; a web address is looked up by its last part.
        """
        if uri is None:
            return Missing("no picture was released")
        if self.folder is None:
            return Missing(self._without)
        file = self.files.get(uri) or self._by_file_name.get(uri.rpartition("/")[2])
        if file is None:
            return Missing("not in the image folder")
        examined = examine_picture(file.path)
        if examined.fault:
            return Missing(examined.fault, broken=True)
        return msgspec.structs.replace(file, media_type=examined.media_type)

    def size(self, file: PictureFile) -> tuple[int, int]:
        """Returns width and height of a picture in pixels; 4 by 3 where it cannot be read."""
        size = examine_picture(file.path).size
        # Cards keep room for pictures of common proportions.
        return size if all(size) else (4, 3)


_folders: dict[int, PictureFolder] = {}


def keep_folder(dialogue: Dialogue, folder: PictureFolder) -> None:
    """Remembers where the pictures of a dialogue are, as long as there is the dialogue.

    Args:
        dialogue: that was read; it is plain data, which has no place for a folder.
        folder: of its corpus.
    """
    key = id(dialogue)
    _folders[key] = folder
    weakref.finalize(dialogue, _folders.pop, key, None).atexit = False


def folder_of(dialogue: Dialogue) -> PictureFolder:
    """Returns where the pictures of a dialogue are; a folder without any where nobody knows."""
    return _folders.get(id(dialogue)) or PictureFolder(None)


def find_picture(folder: PictureFolder, object_id: str, uri: str | None) -> Picture:
    """Returns the picture of an object.

    Args:
        folder: where pictures are looked for.
        object_id: id of the object.
        uri: what the corpus says where its picture is; None where it has none.

    Raises:
        SourceError: there is none; the message says why.
    """
    found = folder.find(uri)
    if isinstance(found, Missing):
        if found.broken:
            raise SourceError(f"What is there for the picture of {object_id} is {found.reason}.")
        # Where no folder is known the reason says what to do.
        place = f" {folder.folder}" if folder.folder is not None and uri is not None else ""
        raise SourceError(f"The picture of {object_id} is not here: {found.reason}{place}.")
    return Picture(object_id, found.path, found.media_type)


def _list_pictures(root: Path) -> Iterator[PictureFile]:
    for folder, folders, names in os.walk(root):
        # In place, since ``os.walk`` goes on with this very list.
        folders.sort()
        for name in sorted(names):
            media_type = MEDIA_TYPES.get(PurePosixPath(name).suffix.lower())
            path = Path(folder, name)
            if media_type and path.resolve().is_relative_to(root) and path.is_file():
                yield PictureFile(safe_name(path.relative_to(root).as_posix()), path, media_type)
