"""The texts of the pages: one catalogue per language, which a study may change."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from commonground.errors import FormatError, SourceError


class Texts:
    """The texts of one language.

    Args:
        language: code of the language, such as ``en``.
        texts: by name, such as ``waiting.title``; lists of texts have names of their own.
    """

    def __init__(self, language: str, texts: Mapping[str, str]) -> None:
        self.language = language
        self.texts = dict(texts)

    def __call__(self, name: str, **values: object) -> str:
        """Returns a text with its ``{values}`` put in.

        Raises:
            KeyError: there is no text of that name, which is a bug.
        """
        text = self.texts[name]
        return text.format_map(values) if values else text

    def below(self, prefix: str) -> dict[str, str]:
        """Returns the texts whose names start so, without that start: those of a script."""
        start = f"{prefix}."
        return {
            name.removeprefix(start): text
            for name, text in self.texts.items()
            if name.startswith(start)
        }

    def many(self, prefix: str) -> list[str]:
        """Returns a list of texts: those named ``prefix.0``, ``prefix.1`` and so on."""
        found: list[str] = []
        while f"{prefix}.{len(found)}" in self.texts:
            found.append(self.texts[f"{prefix}.{len(found)}"])
        return found


def load_texts(language: str, folders: Iterable[Path]) -> Texts:
    """Reads the catalogue of a language; later folders replace texts of earlier ones.

    A list replaces the whole previous list, so that it may be shorter.

    Args:
        language: code of the language.
        folders: each with an ``xx.toml`` per language; the last may lack it.

    Raises:
        SourceError: there are no texts in that language.
        FormatError: a file is not TOML, or has something that is no text.
    """
    texts: dict[str, str] = {}
    for folder in folders:
        path = folder / f"{language}.toml"
        if not path.is_file():
            continue
        try:
            found = tomllib.loads(path.read_text(encoding="utf-8"))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise FormatError(f"{path}: {error}.") from error
        lists = tuple(f"{name}." for name in _list_names(found))
        texts = {name: text for name, text in texts.items() if not name.startswith(lists)}
        texts.update(_flatten(found, path))
    if not texts:
        raise SourceError(f"There are no texts in {language!r}.")
    return Texts(language, texts)


def _list_names(value: Any, name: str = "") -> Iterator[str]:
    if isinstance(value, list):
        yield name
    elif isinstance(value, dict):
        for key, each in value.items():
            yield from _list_names(each, f"{name}.{key}" if name else str(key))


def _flatten(value: Any, path: Path, name: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield name, value
    elif isinstance(value, dict | list):
        pairs = value.items() if isinstance(value, dict) else enumerate(value)
        for key, each in pairs:
            yield from _flatten(each, path, f"{name}.{key}" if name else str(key))
    else:
        raise FormatError(f"{path}: {name} is not a text.")
