"""Pictures as models are shown them: in the question itself, no larger than asked for."""

from __future__ import annotations

import base64
import hashlib
import io
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path

from inspect_ai.model import ChatMessage, Content, ContentImage, ContentText
from inspect_ai.model._model import active_model
from PIL import Image

from commonground.picture_numbers import PictureNumbers
from commonground.play.rooms.players.models import refuse_blind_model
from commonground.store.pictures import Missing, PictureFolder

LARGEST = 512
"""Pixels of the longer side, where nothing else is asked for."""

PICTURES = "pictures"
"""What the metadata of a sample holds: hashes of the pictures that were shown, in order."""

DIGITS = 16
"""Digits of a hash."""

_CACHED = 512  # pictures of PhotoBook and some: the same few are shown again and again


def refuse_blind() -> None:
    """Makes sure that the model that is about to be asked can be shown pictures.

    Raises:
        UsageError: it cannot.
    """
    model = active_model()
    if model is not None:
        refuse_blind_model(model, "Ask with -T variant=text, or")


def list_pictures(message: ChatMessage) -> list[str]:
    """Returns the pictures of a message, as they stand in it."""
    parts = message.content if isinstance(message.content, list) else []
    return [part.image for part in parts if isinstance(part, ContentImage)]


class SentPictures:
    """The pictures of a corpus, made small, and a list of those that are missing.

    Args:
        folder: image folder of the corpus; None where none is known.
        largest: pixels of the longer side; larger pictures are made smaller.
        uris: where the pictures of objects are, by object id; None where one has none.

    Attributes:
        missing: names of pictures that were to be shown and are not there, each with the reason.
    """

    def __init__(
        self,
        folder: Path | None,
        largest: int = LARGEST,
        uris: Mapping[str, str | None] | None = None,
    ) -> None:
        self._folder = PictureFolder(folder)
        self._largest = largest
        self._uris = uris or {}
        self.missing: dict[str, str] = {}

    def show(self, names: Iterable[str], numbers: PictureNumbers | None = None) -> list[Content]:
        """Returns the pictures of these names, each after its name; a missing one is named, too.

        Args:
            names: paths below the image folder, file names, or ids of objects.
            numbers: what they are called in place of their names; None for the names.
        """
        shown: list[Content] = []
        for name in dict.fromkeys(names):
            label = name if numbers is None else numbers.label(name)
            found = self._folder.find(self._uris.get(name, name))
            if isinstance(found, Missing):
                self.missing[name] = found.reason
                shown.append(ContentText(text=f"{label}: the picture is missing"))
                continue
            try:
                image = encode_picture(found.path, self._largest)
            # Pictures are strangers' files: whatever Pillow makes of one, the run goes on without
            # it.
            except (OSError, ValueError, Image.DecompressionBombError) as error:
                self.missing[name] = f"it cannot be read: {error}"
                shown.append(ContentText(text=f"{label}: the picture is missing"))
                continue
            shown += [ContentText(text=f"{label}:"), ContentImage(image=image)]
        return shown


@lru_cache(maxsize=_CACHED)
def encode_picture(path: Path, largest: int) -> str:
    """Returns a picture as a data address of a JPEG.

    Args:
        largest: pixels of the longer side.

    Raises:
        OSError: it cannot be read.
    """
    with Image.open(path) as picture:
        small = picture.convert("RGB")
        # Never enlarges: what is small enough stays as it is.
        small.thumbnail((largest, largest))
        buffer = io.BytesIO()
        # JPEG whatever it was before: there is no provider that takes pictures and not these.
        small.save(buffer, "JPEG", quality=85)
    return "data:image/jpeg;base64," + base64.b64encode(buffer.getvalue()).decode()


@lru_cache(maxsize=_CACHED)
def hash_picture(image: str) -> str:
    """Hashes a picture as it is sent, a data address; this names it where a log leaves it out."""
    return hashlib.sha256(image.encode()).hexdigest()[:DIGITS]
