"""Tests of how templates write values."""

from __future__ import annotations

import jinja2
import pytest
from markupsafe import Markup, escape

from commonground.site.escaping import EscapingEnvironment, escape_text, plain_text
from commonground.site.rendering import environment

VALUES = ["", "a b", "a<b", "a&b", 'a"b', "a>b", "a'b", "<&\">'", "é‮", None, 3, 2.5, True]


class Shouting(str):
    """A text that is more than a text."""


class Drawn:
    """Writes itself as HTML."""

    def __html__(self) -> str:
        return "<b>drawn</b>"


@pytest.mark.parametrize("value", [*VALUES, Shouting("<i>"), Drawn(), Markup("<b>"), ["<"]])
def test_a_value_is_written_as_markupsafe_writes_it(value: object) -> None:
    assert escape_text(value) == escape(value)


@pytest.mark.parametrize("value", [*VALUES, ["<"]])
def test_a_template_escapes_what_it_writes(value: object) -> None:
    source = "{{ value }}|{% for each in [value] %}{{ each }}{% endfor %}"
    plain = jinja2.Environment(autoescape=True).from_string(source)
    ours = EscapingEnvironment(autoescape=True).from_string(source)
    assert ours.render(value=value) == plain.render(value=value)


def test_macros_and_joins_are_escaped_once() -> None:
    source = "{% macro m(x) %}<p>{{ x }}</p>{% endmacro %}{{ m('<') }}{{ ['&', '<'] | join(',') }}"
    made = EscapingEnvironment(autoescape=True).from_string(source).render()
    assert made == "<p>&lt;</p>&amp;,&lt;"


def test_pages_are_compiled_that_way() -> None:
    source, _, _ = environment().loader.get_source(environment(), "problem.html")  # type: ignore[union-attr]
    assert "environment.escape_text(" in environment().compile(source, raw=True)


def test_a_text_between_tags_keeps_its_quotation_marks() -> None:
    assert plain_text('{"a": "</pre>&amp;"}') == '{"a": "&lt;/pre&gt;&amp;amp;"}'
