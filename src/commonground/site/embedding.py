"""Pictures inside a page that stands alone: each is in it once, however often it is shown."""

from __future__ import annotations

import base64

from markupsafe import Markup

from commonground.store.pictures import PictureFile


class EmbeddedPictures:
    """The pictures that a page has shown so far; their data are written at its end."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._shown: dict[str, tuple[PictureFile, tuple[int, int]]] = {}

    def show(self, file: PictureFile, size: tuple[int, int], title: str) -> Markup:
        """Writes a reference to a picture.

        Args:
            file: the picture.
            size: its width and height in pixels.
            title: what to say to those who do not see it.
        """
        self._shown[file.name] = (file, size)
        number = self._numbers.setdefault(file.name, len(self._numbers))
        return Markup(
            '<svg class="pic-in" role="img" aria-label="{}" viewBox="0 0 {} {}">'
            '<use href="#picture-{}"/></svg>'
        ).format(title, *size, number)

    def write(self) -> Markup:
        """Writes the data of every picture shown; nothing where there is none."""
        images = [
            Markup('<image id="picture-{}" width="{}" height="{}" href="{}"/>').format(
                self._numbers[name], *size, _data_url(file)
            )
            for name, (file, size) in self._shown.items()
        ]
        if not images:
            return Markup()
        opened = Markup('<svg class="hidden" width="0" height="0" aria-hidden="true"><defs>')
        return opened + Markup().join(images) + Markup("</defs></svg>")


def _data_url(file: PictureFile) -> str:
    data = base64.b64encode(file.path.read_bytes()).decode()
    return f"data:{file.media_type};base64,{data}"
