"""Questions of the researcher's own, asked before the instructions or after the last page."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, TypeAlias

import msgspec

When = Literal["before", "after"]

Answers: TypeAlias = dict[str, str | int]
"""Answers by the names of their questions: a text, the number of an option, or a grade."""

LONGEST_ANSWER = 2_000
"""Characters of an answer in somebody's own words."""

_NAME = re.compile(r"[a-z][a-z0-9_]*")


class Question(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A question of ``[[questions]]`` in ``study.toml``; texts by the languages of the study.

    Attributes:
        name: of the question, in exports.
        points: of a scale, from 1.
        low, high: what the lowest and the highest grade mean.
        right: number of the option that shows attention, from 0; None where none is right.
    """

    name: str
    when: When = "after"
    kind: Literal["choice", "text", "scale"] = "text"
    ask: dict[str, str]
    options: dict[str, list[str]] = {}
    points: int = 5
    low: dict[str, str] = {}
    high: dict[str, str] = {}
    optional: bool = False
    right: int | None = None

    def read(self, given: str) -> str | int | None:
        """Reads what a form holds; None where that is no answer."""
        if self.kind == "text":
            return given.strip()[:LONGEST_ANSWER] or None
        if not (given.isascii() and given.isdigit() and len(given) < 4):
            return None
        number = int(given)
        if self.kind == "scale":
            return number if 1 <= number <= self.points else None
        return number if number < self._count else None

    @property
    def _count(self) -> int:
        return min((len(each) for each in self.options.values()), default=0)

    def find_faults(self, languages: Sequence[str]) -> Iterator[str]:
        """Yields what is wrong with it."""
        if not _NAME.fullmatch(self.name):
            yield "its name has lower-case letters, digits and underscores only"
        for language in languages:
            if not self.ask.get(language, "").strip():
                yield f"ask.{language} is missing"
            if self.kind == "choice" and len(self.options.get(language, ())) < 2:
                yield f"options.{language} needs at least two"
        if self.kind == "choice" and len({len(each) for each in self.options.values()}) > 1:
            yield "languages have different numbers of options"
        if self.kind == "scale" and not 2 <= self.points <= 11:
            yield "points are between 2 and 11"
        if self.right is not None and not (self.kind == "choice" and 0 <= self.right < self._count):
            yield "right is the number of an option, from 0"


def find_faults(questions: Sequence[Question], languages: Sequence[str]) -> list[str]:
    """Returns what is wrong with the questions of a study, each with its name."""
    names = [each.name for each in questions]
    twice = [
        f"{name}: the name is there twice" for name in dict.fromkeys(names) if names.count(name) > 1
    ]
    return twice + [
        f"{each.name}: {fault}" for each in questions for fault in each.find_faults(languages)
    ]


def read_answers(
    questions: Sequence[Question], form: Mapping[str, str]
) -> tuple[Answers, list[str]]:
    """Reads the answers of a form; returns them, and names of questions that still need one."""
    found = {each.name: each.read(form.get(each.name, "")) for each in questions}
    answers = {name: answer for name, answer in found.items() if answer is not None}
    missing = [e.name for e in questions if e.name not in answers and not e.optional]
    return answers, missing
