"""Findings: located faults in data, and the rules that find them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from inspect import cleandoc, signature
from typing import Any, Literal

import msgspec
from msgspec import UNSET, UnsetType

Severity = Literal["error", "warning", "note"]
"""``error``: the format is broken. ``warning``: a documented property does not hold.
``note``: a known oddity of the released data."""

SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")


class Finding(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One fault, located. Codes are never reused.

    Attributes:
        code: rule, as in ``commonground check --explain CODE``.
        severity: ``error``, ``warning`` or ``note``.
        message: one sentence.
        source_file: file, below what was imported; None: the whole.
        source_path: JSON path, or ``line N`` of a text, ``row N`` of Parquet; None: the whole
            file.
        dialogue_id: dialogue it concerns; None: none in particular.
        event: event it concerns; None: none in particular.
        expected: what should be there; None: it is obvious.
        found: what is there, shortened; None: nothing.
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
        expected: what should stand there; None where it goes without saying.
        found: what stands there; None where nothing does.
        event: number of the event in the dialogue; None where it concerns none.
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
        why: what it means for anyone who uses the data.
        advice: what to do about it.
        format: name of the file format whose records it is run on; ``*`` for faults of any file.
        known: number of places in the released files; None where it is not known, 0 where
            the released files are free of it. A known fault is an erratum of the release.
        check: takes the native record and its :class:`Examined` and yields the places; None for
            faults that are found while reading.
    """

    code: str
    severity: Severity
    title: str
    why: str
    advice: str
    format: str = "*"
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
        """Builds the finding of this rule at one place.

        Args:
            source_file: name of the document; None where the fault is in none.
            source_path: JSON path in it; None for the whole document.
            message: what is wrong here; None for the rule's title.
            expected: what should stand there; None where that cannot be said.
            found: what stands there, shortened where it is long; None where nothing does.
            dialogue_id: the dialogue that the place became a part of; None for none.
            event: number of the event in that dialogue; None for no single one.
        """
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
        dialogue: the :class:`~commonground.model.Dialogue` that the record became; None where
            it became none.
        context: what the corpus prepared from its side files.
        source_file: name of the file of the record.
    """

    dialogue: Any
    context: Any
    source_file: str


Check = Callable[..., Iterable[Place]]
"""A check as it is written: takes what its rules look at, ``examined``, or both, in this order."""


Known = int | None | UnsetType
"""See :attr:`Rule.known`; unset for what the ruleset says."""


class Ruleset(msgspec.Struct, frozen=True):
    '''What the rules of a module share; its methods declare them, above their checks.

    The docstring of a check is the text of its rule, in three paragraphs: the title, why it
    matters, and what to do::

        rules = Ruleset("CG-TOY-", "talk", known=0)

        @rules.warning(1)
        def empty_line(talk: Talk) -> Iterator[Place]:
            """A line is empty.

            Nobody says nothing.

            Leave the line out.
            """

    Attributes:
        prefix: what their codes begin with; the number fills it up to three digits.
        format: name of the file format whose records they are run on.
        known: see :class:`Rule`; for rules that do not say it.
        of: what the checks look at, made from the record and its :class:`Examined`; None for
            the record itself. Several rules can share one pass over a record so.
    '''

    prefix: str
    format: str = "*"
    known: int | None = None
    of: Callable[[Any, Examined], Any] | None = None

    def error(self, number: int, known: Known = UNSET) -> Callable[[Check], Rule]:
        """Declares a rule without which the format is broken."""
        return lambda check: self._declare("error", number, known, check)

    def warning(self, number: int, known: Known = UNSET) -> Callable[[Check], Rule]:
        """Declares a rule that states a documented property."""
        return lambda check: self._declare("warning", number, known, check)

    def note(self, number: int, known: Known = UNSET) -> Callable[[Check], Rule]:
        """Declares a rule that finds a known oddity of the released data."""
        return lambda check: self._declare("note", number, known, check)

    def _declare(self, severity: Severity, number: int, known: Known, check: Check) -> Rule:
        # A prefix may end in the first digits itself; a code has three of them in all.
        digits = 3 - len(self.prefix.rpartition("-")[2])
        title, why, advice = _read_texts(check)
        return Rule(
            code=f"{self.prefix}{number:0{digits}}",
            severity=severity,
            title=title,
            why=why,
            advice=advice,
            format=self.format,
            known=self.known if known is UNSET else known,
            check=self._adapt(check),
        )

    def _adapt(self, check: Check) -> Callable[[Any, Examined], Iterable[Place]]:
        """Lets a check take what it wants to know, and no more."""
        of, names = self.of, tuple(signature(check).parameters)
        # By names, not by number: one argument may be the record or what there is beside it.
        if names == ("examined",):
            return lambda _, examined: check(examined)
        if of is None:
            return check if len(names) > 1 else lambda record, _: check(record)
        if len(names) > 1:
            return lambda record, examined: check(of(record, examined), examined)
        return lambda record, examined: check(of(record, examined))


def declare_in_each(
    rulesets: Sequence[Ruleset], severity: Severity, number: int
) -> Callable[[Check], tuple[Rule, ...]]:
    """Declares a rule that holds in files of several formats.

    Args:
        rulesets: one for each format, which gives the rule's code there.
        severity: names the method that declares it: ``ruleset.warning(21)(check)``.
        number: the argument of that method.
    """
    return lambda check: tuple(getattr(each, severity)(number)(check) for each in rulesets)


def _read_texts(check: Check) -> tuple[str, str, str]:
    """Reads title, why and advice off a docstring."""
    if check.__doc__ is None:  # python -OO takes docstrings away: the name has to do
        return f"{check.__name__.replace('_', ' ')}.", "", ""
    paragraphs = cleandoc(check.__doc__).split("\n\n")
    if len(paragraphs) != 3:
        raise ValueError(f"{check.__qualname__}: a rule has a title, a why and an advice.")
    title, why, advice = (" ".join(each.split()) for each in paragraphs)
    return title, why, advice


def shorten(value: object, width: int = 120) -> str:
    """Writes a value for a message: its text if it is one, else its ``repr``, cut to ``width``."""
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= width else text[: width - 1] + "…"
