"""Every way of asking for an export format, as far as its options say it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Any

from commonground.exports.format import Export, Option, iterate_exports
from commonground.exports.loss import Lost


def list_values(option: Option, texts: Mapping[str, str]) -> Iterator[Any]:
    """Yields the values of an option but its default; of texts, the one that is given for it."""
    if isinstance(option.default, bool):
        yield not option.default
    elif option.choices:
        yield from (choice for choice in option.choices if choice != option.default)
    elif option.name in texts:
        yield texts[option.name]


def list_variants(export: Export, texts: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """Yields options: none, each value of each option, and each two of them together.

    Args:
        export: the format.
        texts: values of options that may be any text, by name.
    """
    yield {}
    single = [{o.name: value} for o in export.options for value in list_values(o, texts)]
    yield from single
    for one, other in combinations(single, 2):
        if one.keys() != other.keys():
            yield one | other


def is_of_rows(export: Export, lost: Lost, table: str) -> bool:
    """Tells whether a loss counts rows of a table, one by one or with their dialogues."""
    if lost.kind == "feature":
        return table in export.features[lost.name].rows_of
    return lost.kind == "rows" and lost.name.startswith(f"{table} of ")


def list_all_variants(texts: Mapping[str, str]) -> list[tuple[Export, dict[str, Any]]]:
    """Returns every variant of every format that is found."""
    return [(export, each) for export in iterate_exports() for each in list_variants(export, texts)]


def name_variant(export: Export, options: Mapping[str, Any]) -> str:
    """Returns a name for a test: ``chat-per=turn``."""
    return "-".join([export.name, *(f"{name}={value}" for name, value in options.items())])
