"""The query language of the explorer: from text to terms that know where they stand.

::

    speaker:A act:offer score:<24 image:538682 "green suitcase" -split:test trav*

Terms are joined by "and". Nothing of a query ever becomes SQL.
"""

from __future__ import annotations

import math
import re
from typing import Literal

import msgspec

from commonground.errors import UsageError

Kind = Literal["words", "keyword", "number"]


class QueryField(msgspec.Struct, frozen=True):
    """A field of the language.

    Attributes:
        also: other names of it.
        meaning: one sentence.
    """

    name: str
    also: tuple[str, ...]
    meaning: str
    example: str


FIELDS: tuple[QueryField, ...] = (
    QueryField("speaker", ("by",), "Who says or does everything that matches.", "speaker:A"),
    QueryField("segment", ("round", "part"), "Part of the dialogue it is in.", "round:3"),
    QueryField("kind", (), "`utterance` or `action`.", "kind:action"),
    QueryField("act", (), "A dialogue act.", "act:offer"),
    QueryField("slot", (), "A slot of a dialogue act.", "slot:budget"),
    QueryField("action", ("call",), "An action: a search, an API call, a mark.", "action:search"),
    QueryField("label", ("span",), "Label of a span of the text.", "label:movie"),
    QueryField("grounding", (), "What an event says about an object.", "grounding:common"),
    QueryField("mark", (), "A mark that is `right`, `wrong` or `revised` later.", "mark:wrong"),
    QueryField("layer", (), "A layer of annotation or labels, and a label.", "layer:tone/rude"),
    QueryField("object", ("image", "item"), "An object shown or pointed at.", "image:538682"),
    QueryField("split", (), "Released split of the dialogue.", "split:test"),
    QueryField("domain", ("topic",), "Domain of the dialogue.", "domain:movies"),
    QueryField("finding", ("code",), "A finding in the dialogue.", "finding:CG-FRAMES-007"),
    QueryField("figure", ("bar",), "A bar of a figure.", "figure:rounds/12"),
    QueryField("id", ("dialogue",), "Id of the dialogue.", "id:17"),
    QueryField("events", ("n_events",), "Number of events.", "events:>100"),
    QueryField("utterances", ("n_utterances",), "Number of utterances.", "utterances:10..20"),
)
"""The fields that every corpus has; its outcomes, such as ``score``, are fields too."""

QUALIFIERS = frozenset({"speaker", "segment", "kind"})
"""Fields that say of which events the other terms speak."""

QUANTITY_NAMES = {"events": "n_events", "utterances": "n_utterances"}
_NAMES = {name: each.name for each in FIELDS for name in (each.name, *each.also)}
# `score:` of `score:<24` or `-split:` of `-split:test`.
_FIELD = re.compile(r"-?([A-Za-z_][A-Za-z_0-9]*):")
_NUMBER = r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)"
# Alternatives in this order: ``..5`` and ``3..`` have no sign before them.
# `24`, `<24`, `>=24`, `20..24`, `..24` and `20..`.
_RANGE = re.compile(rf"(?:(<=|>=|<|>|=)?({_NUMBER})|({_NUMBER})?\.\.({_NUMBER})?)")
_SPACE = re.compile(r"\s+")
LONGEST_QUERY = 1_000
"""Characters of the longest query."""


class QueryError(UsageError):
    """A query cannot be read.

    Attributes:
        start: first character of what is wrong.
        end: character after it.
    """

    def __init__(self, message: str, advice: str, start: int, end: int) -> None:
        super().__init__(message, advice)
        self.start = start
        self.end = end


class Span(msgspec.Struct, frozen=True):
    """Numbers from ``low`` to ``high``.

    Attributes:
        above: whether ``low`` itself is left out.
        below: whether ``high`` itself is left out.
    """

    low: float = -math.inf
    high: float = math.inf
    above: bool = False
    below: bool = False


class Term(msgspec.Struct, frozen=True, kw_only=True):
    """One condition of a query.

    Attributes:
        field: name of the field; None for words.
        values: what is looked for; one of several is enough.
        prefix: whether values are only beginnings.
        negated: whether the term began with ``-``.
        span: the numbers that are meant; None where the field holds no numbers.
        start: first character of the term in the query.
        end: character after it.
    """

    field: str | None
    values: tuple[str, ...]
    prefix: bool = False
    negated: bool = False
    span: Span | None = None
    start: int = 0
    end: int = 0


def parse_query(text: str, quantities: tuple[str, ...] = ()) -> list[Term]:
    """Reads a query.

    Args:
        text: empty for everything.
        quantities: names of the corpus's outcomes.

    Raises:
        QueryError: it cannot be read; the error says where.
    """
    if len(text) > LONGEST_QUERY:
        raise QueryError(
            f"The query has {len(text):,} characters.",
            f"At most {LONGEST_QUERY:,} are read.",
            LONGEST_QUERY,
            len(text),
        )
    terms = []
    place = 0
    while place < len(text):
        space = _SPACE.match(text, place)
        if space:
            place = space.end()
            continue
        term = _parse_term(text, place, quantities)
        terms.append(term)
        place = term.end
    return terms


def _parse_term(text: str, start: int, quantities: tuple[str, ...]) -> Term:
    # A minus inside a word, as in `t-shirt`, is part of it.
    negated = text[start] == "-"
    found = _FIELD.match(text, start)
    if found is None:
        values, prefix, end = _parse_values(text, start + negated, several=False)
        if not values[0].strip():
            raise QueryError("There is nothing to search for.", "Write a word.", start, end)
        return Term(field=None, values=values, prefix=prefix, negated=negated, start=start, end=end)
    field = _find_field(found[1], quantities, start + negated)
    values, prefix, end = _parse_values(text, found.end(), several=True)
    if not all(values):
        raise QueryError(
            f"{found[1]}: has no value.",
            f"Write one after the colon: {found[1]}:VALUE",
            start,
            end,
        )
    is_number = field in QUANTITY_NAMES or field in quantities
    return Term(
        field=field,
        values=values,
        prefix=prefix,
        negated=negated,
        span=_parse_span(field, values, found.end(), end) if is_number else None,
        start=start,
        end=end,
    )


def _find_field(name: str, quantities: tuple[str, ...], start: int) -> str:
    lowered = name.lower()
    # Outcomes first: a corpus may call one of its own as a field is called.
    if lowered in quantities or name in quantities:
        return name if name in quantities else lowered
    if lowered in _NAMES:
        return _NAMES[lowered]
    # Only when a field is wrong: it takes as long to load as most queries to answer.
    import difflib

    known = [*_NAMES, *quantities]
    close = difflib.get_close_matches(lowered, known, n=3, cutoff=0.6)
    hint = f"Did you mean {' or '.join(close)}?" if close else f"There are: {', '.join(known)}."
    advice = f'{hint} Words with a colon go in quotes: "{name}:"'
    raise QueryError(f"There is no field {name!r}.", advice, start, start + len(name))


def _parse_values(text: str, place: int, *, several: bool) -> tuple[tuple[str, ...], bool, int]:
    """Reads what stands after the colon; returns values, whether they are prefixes, the end."""
    values = []
    prefix = False
    while True:
        value, starred, place = _parse_value(text, place, several=several)
        values.append(value)
        prefix = prefix or starred
        if not (several and place < len(text) and text[place] == ","):
            return tuple(values), prefix, place
        place += 1


def _parse_value(text: str, place: int, *, several: bool) -> tuple[str, bool, int]:
    if place < len(text) and text[place] == '"':
        close = text.find('"', place + 1)
        if close < 0:
            raise QueryError(
                "A quotation mark is never closed.", 'Add " at its end.', place, len(text)
            )
        starred = text.startswith("*", close + 1)
        return text[place + 1 : close], starred, close + 1 + starred
    end = place
    while end < len(text) and not text[end].isspace() and not (several and text[end] == ","):
        end += 1
    value = text[place:end]
    # A star alone is a word to look for, not the beginning of any.
    starred = len(value) > 1 and value.endswith("*")
    return value[:-1] if starred else value, starred, end


def _parse_span(field: str, values: tuple[str, ...], start: int, end: int) -> Span:
    found = _RANGE.fullmatch(values[0]) if len(values) == 1 else None
    if found is None or values[0] == "..":
        raise QueryError(
            f"{field} is a number, found {','.join(values)!r}.",
            f"Write {field}:24, {field}:<24, {field}:>=24 or {field}:20..24.",
            start,
            end,
        )
    sign, single, low, high = found.groups()
    if single is None:
        return Span(float(low) if low else -math.inf, float(high) if high else math.inf)
    number = float(single)
    if sign in ("<", "<="):
        return Span(high=number, below=sign == "<")
    if sign in (">", ">="):
        return Span(low=number, above=sign == ">")
    return Span(number, number)


def write_term(field: str, value: str) -> str:
    """Writes a term for one value of a field."""
    # What the parser would read as an end, another value or a prefix.
    plain = value and not re.search(r'[\s",*]', value)
    # The language has no way to write a quotation mark; a prefix up to it is the nearest.
    cut = value.partition('"')[0]
    return f"{field}:{value}" if plain else f'{field}:"{cut}"' + ("*" if cut != value else "")


def toggle_term(text: str, terms: list[Term], field: str, value: str) -> str:
    """Adds a term to a query, given as a text and as read, or takes it away where it is there."""
    written = write_term(field, value)
    for term in terms:
        # Cut out at its place, so that the rest stays as it was typed.
        if not term.negated and is_term(term, field, value):
            kept = text[: term.start] + text[term.end :]
            return _SPACE.sub(" ", kept).strip()
    return f"{text.strip()} {written}".strip()


def is_term(term: Term, field: str, value: str) -> bool:
    """Tells whether a term asks for just this value, as :func:`write_term` writes it."""
    return term.field == field and term.values == (value.partition('"')[0],)
