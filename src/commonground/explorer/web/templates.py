"""Jinja templates that escape all that is data."""

from __future__ import annotations

import jinja2
from markupsafe import Markup


def plain_text(text: str) -> Markup:
    """Writes a long text between two tags, where quotation marks need no escaping.

    JSON is full of them, and each would take five characters.
    """
    return Markup(text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"))  # noqa: S704


def make_environment(loader: jinja2.BaseLoader) -> jinja2.Environment:
    """Makes an environment for pages: all is escaped, and a name that is not given is an error.

    Templates are compiled once; a changed one needs a new environment.
    """
    return jinja2.Environment(
        loader=loader,
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
        cache_size=-1,
    )
