"""How templates write values, and what they know."""

from __future__ import annotations

from typing import Any

import jinja2
import pytest
from markupsafe import Markup, escape

from commonground.explorer.web.templates import (
    EscapingEnvironment,
    PageContext,
    escape_text,
    make_environment,
    plain_text,
)

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


def test_templates_are_compiled_that_way() -> None:
    made = make_environment(jinja2.DictLoader({}))
    assert "environment.escape_text(" in made.compile("{{ value }}", raw=True)
    with pytest.raises(jinja2.UndefinedError, match="'value' is undefined"):
        made.from_string("{{ value }}").render()


def test_a_text_between_tags_keeps_its_quotation_marks() -> None:
    assert plain_text('{"a": "</pre>&amp;"}') == '{"a": "&lt;/pre&gt;&amp;amp;"}'


PARENT = (
    "{% block all %}{% set told = 'told' %}{% for row in rows %}"
    "{% block row scoped %}{{ row }}{{ loop.index }}{{ told }}{% endblock %};{% endfor %}"
    "{% endblock %}{% block end %}{{ row is defined }}{% endblock %}"
)
CHILD = (
    "{% extends 'parent' %}{% import 'parts' as parts with context %}"
    "{% macro own(x, y='z') %}{{ x }}{{ y }}{{ caller() if caller }}{% endmacro %}"
    "{% block row %}{{ super() }} {{ own(row) }} {{ own(y=row, x='<') }} {{ parts.seen(row) }}"
    "{% call own('c') %}called {{ row }}{% endcall %} {{ '{}'.format(row) }}"
    " {{ known.get(row, 'none') }} {{ tell('named') }} {{ join(*rows, **{'by': '-'}) }}"
    "{% endblock %}"
)
PARTS = "{% macro seen(x) %}{{ x }} of {{ rows | length }}{% endmacro %}"


@jinja2.pass_context
def tell(context: jinja2.runtime.Context, name: str) -> str:
    """Reads what the place that calls it knows."""
    return f"{context[name]} {context['row']}"


def join(*each: str, by: str) -> str:
    return by.join(each)


def render(kind: type[jinja2.Environment]) -> str:
    sources = {"parent": PARENT, "child": CHILD, "parts": PARTS}
    made = kind(loader=jinja2.DictLoader(sources), autoescape=True)
    values: dict[str, Any] = {"rows": ["a", "<b>"], "known": {"a": 1}, "named": "N"}
    return made.get_template("child").render(tell=tell, join=join, **values)


def test_templates_know_what_they_know_in_jinja() -> None:
    written = render(EscapingEnvironment)
    assert written == render(jinja2.Environment)
    assert "&lt;b&gt;2told" in written
    assert "N &lt;b&gt;" in written
    assert written.endswith("False")


def test_a_wrong_call_is_an_error_as_in_jinja() -> None:
    for kind in (EscapingEnvironment, jinja2.Environment):
        made = kind().from_string("{% macro m(x) %}{% endmacro %}{{ m(1, 2) }}")
        with pytest.raises(TypeError, match="takes not more than 1 argument"):
            made.render()


def test_pages_have_that_context() -> None:
    made = EscapingEnvironment().from_string("").new_context()
    assert isinstance(made, PageContext)
