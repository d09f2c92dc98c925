"""Checks: rules run on records, and what rules of several corpora look for."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import pairwise
from operator import ge, gt
from typing import Any, TypeVar

from commonground.files import faults
from commonground.findings import Examined, Finding, Rule

T = TypeVar("T", bound=Hashable)


def run_rules(
    rules: Iterable[Rule],
    record: Any,
    examined: Examined,
    path: str,
    dialogue_id: str | None,
) -> list[Finding]:
    """Runs rules on one record and returns their findings, located in its document.

    A rule that fails is a finding, too: a bug of ours must not cost an import.

    Args:
        rules: those of the record's format.
        record: the typed record.
        examined: what the rules may look at besides it.
        path: JSON path of the record in its document; paths of places are below it.
        dialogue_id: the dialogue that the record became; None where it became none.
    """
    findings: list[Finding] = []
    for each in rules:
        if each.check is None:
            continue
        try:
            # A plain loop: most rules find nothing in most records, and a generator costs a frame.
            for place in each.check(record, examined):
                finding = each.finding(
                    examined.source_file,
                    path + place.path,
                    expected=place.expected,
                    found=place.found,
                    dialogue_id=dialogue_id,
                    event=place.event,
                )
                findings.append(finding)
        # Whatever it is: the rule of one corpus must not end the import of all the others.
        except Exception as error:
            found = f"{each.code}: {type(error).__name__}: {error}"
            name = examined.source_file
            findings.append(faults.CONVERTER_FAILED.finding(name, path, found=found))
    return findings


def find_repeats(values: Iterable[T]) -> Iterator[tuple[int, T]]:
    """Yields position and value of everything that stood before in ``values``."""
    seen: set[T] = set()
    for index, value in enumerate(values):
        if value in seen:
            yield index, value
        seen.add(value)


def find_disorder(values: Sequence[Any], *, strict: bool) -> Iterator[tuple[int, int]]:
    """Yields positions of two neighbours that are not in order (or, if strict, are equal).

    What is None is passed over.
    """
    wrong = ge if strict else gt
    known = ((index, value) for index, value in enumerate(values) if value is not None)
    for (first, before), (second, after) in pairwise(known):
        if wrong(before, after):
            yield first, second


def span_gives(text: str, start: int, end: int, words: str) -> bool:
    """Says whether a span lies inside the text and covers just these words.

    Args:
        text: the whole text.
        start: first code point.
        end: code point after the last.
        words: what the span should cover.
    """
    return 0 <= start <= end <= len(text) and text[start:end] == words
