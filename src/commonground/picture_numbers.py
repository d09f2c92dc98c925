"""Pictures by number: what players and models are shown in place of file names and ids.

A file name is the same for everybody who sees a picture. Two who compare names need not look at the
pictures, so names are kept from them; released files and logs have them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


class PictureNumbers:
    """The pictures that somebody sees, as ``picture 1`` and so on in the order of that person.

    Args:
        names: file names or ids; one that comes again is the same picture.
    """

    def __init__(self, names: Iterable[str]) -> None:
        numbered = enumerate(dict.fromkeys(names), 1)
        self._labels = {name: f"picture {number}" for number, name in numbered}
        self._names = {label: name for name, label in self._labels.items()}

    def label(self, name: str) -> str:
        """Returns what a picture is called; any other text is returned as it is."""
        return self._labels.get(name, name)

    def hide(self, value: Any) -> Any:
        """Returns plain values, however deep, in which pictures are called by number; keys, too."""
        return _replace(value, self._labels)

    def reveal(self, value: Any) -> Any:
        """Returns plain values in which pictures have their names again.

        Capitals and blanks around what a player or a model said do not count.
        """
        return _replace(value, self._names, is_said=True)


def _replace(value: Any, texts: dict[str, str], *, is_said: bool = False) -> Any:
    if isinstance(value, str):
        return texts.get(value.strip().casefold() if is_said else value, value)
    if isinstance(value, list | tuple):
        return [_replace(each, texts, is_said=is_said) for each in value]
    if isinstance(value, dict):
        return {
            _replace(key, texts, is_said=is_said): _replace(each, texts, is_said=is_said)
            for key, each in value.items()
        }
    return value
