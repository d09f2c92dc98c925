"""How templates write values, and what they know."""

from __future__ import annotations

import jinja2
import pytest

from commonground.explorer.web.templates import make_environment, plain_text


def test_a_template_escapes_what_it_writes() -> None:
    source = "{% macro m(x) %}<p>{{ x }}</p>{% endmacro %}{{ m('<') }}{{ ['&', '<'] | join(',') }}"
    made = make_environment(jinja2.DictLoader({"page": f"{source}{{{{ value }}}}"}))
    written = made.get_template("page").render(value="<i title=\"a\" lang='b'>")
    escaped = "&lt;i title=&#34;a&#34; lang=&#39;b&#39;&gt;"
    assert written == f"<p>&lt;</p>&amp;,&lt;{escaped}"


def test_a_name_that_is_not_given_is_an_error() -> None:
    made = make_environment(jinja2.DictLoader({}))
    with pytest.raises(jinja2.UndefinedError, match="'value' is undefined"):
        made.from_string("{{ value }}").render()


def test_a_text_between_tags_keeps_its_quotation_marks() -> None:
    assert plain_text('{"a": "</pre>&amp;"}') == '{"a": "&lt;/pre&gt;&amp;amp;"}'
