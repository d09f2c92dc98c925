"""Templates compiled so that what needs no escaping costs nothing.

Jinja makes a ``Markup`` of every value that a template writes, and a page has thousands. A text
without any of the five characters that HTML reads is written as it is; all else goes the usual
way. Were Jinja to compile templates in another manner, it would escape as it always does.
"""

from __future__ import annotations

from typing import Any

import jinja2
from jinja2 import nodes
from jinja2.compiler import CodeGenerator, Frame
from markupsafe import Markup, escape

from commonground.site.contexts import PageContext


def escape_text(value: Any) -> str:
    """Writes a value of a template as HTML: markup as it is, anything else escaped."""
    kind = type(value)
    if kind is str:
        if "<" in value or "&" in value or '"' in value or ">" in value or "'" in value:
            return escape(value)
        text: str = value
        return text
    if kind is Markup:
        markup: Markup = value
        return markup
    if kind is int:
        return str(value)
    return escape(value)


def plain_text(text: str) -> Markup:
    """Writes a long text between two tags, where quotation marks need no escaping.

    JSON is full of them, and each would take five characters.
    """
    return Markup(text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"))  # noqa: S704


class _Compiler(CodeGenerator):
    def _output_child_pre(self, node: nodes.Expr, frame: Frame, finalize: Any) -> None:
        if finalize.src is None and frame.eval_ctx.autoescape and not frame.eval_ctx.volatile:
            self.write("environment.escape_text(")
        else:
            super()._output_child_pre(node, frame, finalize)


class EscapingEnvironment(jinja2.Environment):
    """An environment whose templates escape with :func:`escape_text`."""

    code_generator_class = _Compiler
    context_class = PageContext
    escape_text = staticmethod(escape_text)
