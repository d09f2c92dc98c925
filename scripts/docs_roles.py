"""Turns the roles of Sphinx that our docstrings use into Markdown, for the documentation site."""

from __future__ import annotations

import re
from typing import Any

import griffe

ROLE = re.compile(r":(?:attr|class|data|exc|func|meth|mod):`(?:[^`<]+<)?~?\.?([^`>]+)>?`")


def to_markdown(text: str) -> str:
    """Returns a docstring with names as code, and blocks of code after one colon.

    An example becomes a section that is shown as code.
    """
    text = re.sub(r"(?m)^(\s*)Example:$", r"\1Examples:", text)
    text = ROLE.sub(r"`\1`", text).replace("``", "`")
    return re.sub(r"(?m)^\s*::$", "", re.sub(r"(?m)(?<=\S)::$", ":", text))


class MarkdownRoles(griffe.Extension):
    """Rewrites each docstring when it is read."""

    def on_instance(self, *, obj: griffe.Object, **_: Any) -> None:
        """Rewrites the docstring of one module, class, function or attribute."""
        if obj.docstring is not None:
            obj.docstring.value = to_markdown(obj.docstring.value)
