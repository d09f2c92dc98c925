"""Tests of the context that templates of pages get."""

from __future__ import annotations

from typing import Any

import jinja2
import pytest

from commonground.site.contexts import PageContext
from commonground.site.escaping import EscapingEnvironment

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
