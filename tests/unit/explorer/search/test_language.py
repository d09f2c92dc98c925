from __future__ import annotations

import math

import pytest

from commonground.explorer.search.language import (
    FIELDS,
    LONGEST_QUERY,
    QueryError,
    Span,
    Term,
    parse_query,
    toggle_term,
    write_term,
)

QUANTITIES = ("score", "rating")


def one(text: str) -> Term:
    (term,) = parse_query(text, QUANTITIES)
    return term


def test_the_query_of_the_docs_is_read_term_by_term() -> None:
    text = 'speaker:A act:offer score:<24 image:538682 "green suitcase" -split:test trav*'
    terms = parse_query(text, QUANTITIES)
    assert [(t.field, t.values) for t in terms] == [
        ("speaker", ("A",)),
        ("act", ("offer",)),
        ("score", ("<24",)),
        ("object", ("538682",)),
        (None, ("green suitcase",)),
        ("split", ("test",)),
        (None, ("trav",)),
    ]
    assert [t.negated for t in terms] == [False] * 5 + [True, False]
    assert [t.prefix for t in terms] == [False] * 6 + [True]
    assert [text[t.start : t.end] for t in terms][4:6] == ['"green suitcase"', "-split:test"]


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("score:24", Span(24, 24)),
        ("score:<24", Span(high=24, below=True)),
        ("score:<=24", Span(high=24)),
        ("score:>2.5", Span(low=2.5, above=True)),
        ("score:>=-1", Span(low=-1)),
        ("score:20..24", Span(20, 24)),
        ("score:..24", Span(-math.inf, 24)),
        ("events:20..", Span(20, math.inf)),
    ],
)
def test_numbers_are_ranges(text: str, span: Span) -> None:
    assert one(text).span == span


def test_several_values_and_quotes() -> None:
    assert one('act:offer,"no result"').values == ("offer", "no result")
    assert one('label:"movie ti"*').prefix


@pytest.mark.parametrize(
    ("text", "start", "end", "says"),
    [
        ("hello scor:3", 6, 10, "There is no field 'scor'"),
        ("act:", 0, 4, "act: has no value"),
        ('a "b c', 2, 6, "never closed"),
        ("score:high", 6, 10, "score is a number"),
        ("score:..", 6, 8, "score is a number"),
        ("-", 0, 1, "nothing to search for"),
        ("x" * (LONGEST_QUERY + 1), LONGEST_QUERY, LONGEST_QUERY + 1, "1,001 characters"),
    ],
)
def test_errors_say_where(text: str, start: int, end: int, says: str) -> None:
    with pytest.raises(QueryError, match=says) as caught:
        parse_query(text, QUANTITIES)
    assert (caught.value.start, caught.value.end) == (start, end)
    assert caught.value.advice


def test_close_fields_are_named() -> None:
    with pytest.raises(QueryError, match="Did you mean score"):
        parse_query("scores:3", QUANTITIES)


def test_the_examples_of_all_fields_can_be_read() -> None:
    for field in FIELDS:
        assert one(field.example).field == field.name
        for other in field.also:
            assert one(f"{other}:1").field == field.name


@pytest.mark.parametrize("value", ["offer", "no result", "a,b", "x*", "", "-x", "ünï"])
def test_what_is_written_is_read_again(value: str) -> None:
    if value:
        assert one(write_term("act", value)).values == (value,)


def test_a_term_is_added_and_taken_away() -> None:
    query = "hello act:offer split:test"
    terms = parse_query(query)
    assert toggle_term(query, terms, "act", "offer") == "hello split:test"
    assert toggle_term(query, terms, "act", "inform") == f"{query} act:inform"
    assert toggle_term("", [], "domain", "a b") == 'domain:"a b"'
