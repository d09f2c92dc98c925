"""Findings: located faults in data, and the rules that find them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Literal

import msgspec

Severity = Literal["error", "warning", "note"]
"""``error``: the format is broken. ``warning``: a documented property does not hold.
``note``: a known oddity of the released data."""

SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")


class Finding(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One fault, located.

    Attributes:
        code: the rule, such as ``CG-FRAMES-007``. Codes are never reused.
        severity: see :data:`Severity`.
        message: one sentence.
        source_file: name of the file below what was imported; null for a fault of the whole.
        source_path: JSON path in that file, such as ``$[3].turns[0].text``; for text files
            ``line 12``; null where the fault is the file's.
        dialogue_id: the dialogue it concerns; null where it concerns none.
        event: number of the event in that dialogue; null where it concerns none.
        expected: what should stand there; null where it goes without saying.
        found: what stands there, cut to a readable length; null where nothing does.
    """

    code: str
    severity: Severity
    message: str
    source_file: str | None = None
    source_path: str | None = None
    dialogue_id: str | None = None
    event: int | None = None
    expected: str | None = None
    found: str | None = None


class Place(msgspec.Struct, frozen=True, gc=False):
    """Where a rule does not hold, as its check reports it.

    Attributes:
        path: JSON path below the record, starting with a dot or bracket; "" for the whole.
        expected: what should stand there; null where it goes without saying.
        found: what stands there; null where nothing does.
        event: number of the event in the dialogue; null where it concerns none.
    """

    path: str = ""
    expected: str | None = None
    found: str | None = None
    event: int | None = None


class Rule(msgspec.Struct, frozen=True, kw_only=True):
    """Something that must hold of every record of one format.

    Attributes:
        code: ``CG-<CORPUS>-<three digits>``.
        severity: how bad it is when it does not hold.
        title: one sentence that states the fault, for tables and messages.
        why: what it means for whoever uses the data.
        advice: what to do about it.
        format: name of the file format whose records it is run on.
        known: number of places in the released files; null where it is not known, 0 where
            the released files are free of it. A known fault is an erratum of the release.
        check: takes the native record and its :class:`Examined` and yields the places; null for
            faults that are found while reading.
    """

    code: str
    severity: Severity
    title: str
    why: str
    advice: str
    format: str
    known: int | None = None
    check: Callable[[Any, Examined], Iterable[Place]] | None = None

    def finding(
        self,
        source_file: str | None,
        source_path: str | None = None,
        *,
        message: str | None = None,
        expected: str | None = None,
        found: str | None = None,
        dialogue_id: str | None = None,
        event: int | None = None,
    ) -> Finding:
        """Builds the finding of this rule at one place."""
        return Finding(
            code=self.code,
            severity=self.severity,
            message=message or self.title,
            source_file=source_file,
            source_path=source_path,
            dialogue_id=dialogue_id,
            event=event,
            expected=expected,
            found=None if found is None else shorten(found),
        )


class Examined(msgspec.Struct, frozen=True):
    """What a rule may look at besides the record itself.

    Attributes:
        dialogue: the :class:`~commonground.model.Dialogue` that the record became; null where
            it became none.
        context: what the corpus prepared from its side files.
        source_file: name of the file of the record.
    """

    dialogue: Any
    context: Any
    source_file: str


def rule(
    code: str,
    severity: Severity,
    title: str,
    *,
    why: str,
    advice: str,
    format: str,  # noqa: A002 - the word of the declaration
    known: int | None = None,
) -> Callable[[Callable[[Any, Examined], Iterable[Place]]], Rule]:
    """Turns a check function into a :class:`Rule`; registers nothing."""

    def wrap(check: Callable[[Any, Examined], Iterable[Place]]) -> Rule:
        return Rule(
            code=code,
            severity=severity,
            title=title,
            why=why,
            advice=advice,
            format=format,
            known=known,
            check=check,
        )

    return wrap


def shorten(value: object, width: int = 120) -> str:
    """Writes a value for a message: its text if it is one, else its ``repr``, cut to ``width``."""
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= width else text[: width - 1] + "…"
