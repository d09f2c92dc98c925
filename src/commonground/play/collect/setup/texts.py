"""The texts of the pages: one catalogue per language, which a study may change."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from commonground.errors import FormatError, SourceError, close_names

DEFAULT = "en"
"""Language whose texts stand where another one has none."""

_VALUES = re.compile(r"\{(\w+)\}")
_RIGHT_TO_LEFT = frozenset(
    {"ar", "arc", "ckb", "dv", "fa", "he", "ps", "sd", "syr", "ug", "ur", "yi"}
)


class Texts:
    """The texts of one language.

    Args:
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

    def has(self, name: str) -> bool:
        """Says whether there is a text of that name."""
        return name in self.texts

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

    @property
    def direction(self) -> str:
        """In which direction the language is written: ``ltr`` or ``rtl``."""
        return "rtl" if self.language.partition("-")[0].lower() in _RIGHT_TO_LEFT else "ltr"


def load_texts(language: str, folders: Iterable[Path]) -> Texts:
    """Reads the catalogue of a language; later folders replace texts of earlier ones.

    A list replaces the whole previous list, so that it may be shorter.

    Args:
        folders: each with an ``xx.toml`` per language; the last may lack it.

    Raises:
        SourceError: there are no texts in that language.
        FormatError: a file is not TOML, or has something that is no text.
    """
    texts = read_texts(language, folders)
    if not texts:
        raise SourceError(f"There are no texts in {language!r}.")
    return Texts(language, texts)


def complete_texts(language: str, folders: Sequence[Path]) -> Texts:
    """Reads the catalogue of a language; what it lacks stands in English.

    Raises:
        FormatError: as of :func:`load_texts`.
    """
    texts, spare = read_texts(language, folders), read_texts(DEFAULT, folders)
    return Texts(language, {**{name: spare[name] for name in find_missing(texts, spare)}, **texts})


def read_texts(language: str, folders: Iterable[Path]) -> dict[str, str]:
    """Reads what there is of a catalogue, if anything; as :func:`load_texts`."""
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
    return texts


def find_missing(texts: Mapping[str, str], whole: Mapping[str, str]) -> list[str]:
    """Returns the names of a whole catalogue that another one lacks.

    A list may be shorter in another language, so it is missing as a whole or not at all.
    """
    lists = {_list_of(name) for name in texts}
    return [name for name in whole if name not in texts and _list_of(name) not in lists - {None}]


def _list_of(name: str) -> str | None:
    """Returns the list that a text is in; None for one that is in none."""
    start, _, last = name.rpartition(".")
    return start if last.isdecimal() else None


class TextFault(msgspec.Struct, frozen=True):
    """A text that the pages cannot use as it is, and what is wrong, as half a sentence."""

    name: str
    what: str


def check_texts(texts: Mapping[str, str], known: Mapping[str, str]) -> list[TextFault]:
    """Returns what is wrong with texts that replace others.

    Args:
        known: texts that the pages ask for, with the values that are put into them in braces.
    """
    faults = []
    lists = {_list_of(name) for name in known} - {None}
    for name, text in texts.items():
        if name not in known:
            if _list_of(name) not in lists:
                advice = close_names(name, known)
                faults.append(TextFault(name, f"is a name that no page uses. {advice}".strip()))
            continue
        wanted, found = (set(_VALUES.findall(each)) for each in (known[name], text))
        lost, new = sorted(wanted - found), sorted(found - wanted)
        if lost:
            faults.append(TextFault(name, f"lacks {_write_values(lost)}."))
        if new:
            faults.append(
                TextFault(name, f"has {_write_values(new)}, for which there is no value.")
            )
        if wanted and re.search(r"[{}]", _VALUES.sub("", text)):
            faults.append(TextFault(name, "has an extra brace."))
    return faults


def _write_values(names: Iterable[str]) -> str:
    return ", ".join(f"{{{name}}}" for name in names)


def write_untranslated(texts: Mapping[str, str], language: str) -> str:
    """Writes a catalogue to be translated from English: each text a comment, until it is given."""
    tables: dict[str, dict[str, str | list[str]]] = {}
    for name, text in texts.items():
        of_list = _list_of(name)
        table, _, key = (of_list or name).rpartition(".")
        entries = tables.setdefault(table, {})
        if of_list is None:
            entries[key] = text
        else:
            entries[key] = [*entries.get(key, []), text]
    lines = [
        f"# The texts of the pages, to be translated into {language!r}. Remove the # from those",
        "# that are done. Names in {braces} are filled in: keep them. Lists may be shorter.",
    ]
    for table, entries in sorted(tables.items()):
        lines += ["", *([f"[{table}]"] if table else [])]
        lines += [f"# {key} = {write_toml(value)}" for key, value in entries.items()]
    return "\n".join(lines) + "\n"


def write_toml(value: object) -> str:
    """Writes a text, a number or a list as TOML has it, which is as in JSON."""
    return msgspec.json.encode(value).decode()


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
