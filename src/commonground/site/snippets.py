"""How to get at one dialogue from Python and from SQL, to be copied from its page."""

from __future__ import annotations

import msgspec


class Snippet(msgspec.Struct, frozen=True):
    """A few lines of code.

    Attributes:
        language: ``Python`` or ``SQL``.
        code: the lines.
    """

    language: str
    code: str


def write_snippets(corpus: str, dialogue_id: str) -> list[Snippet]:
    """Writes the code that loads a dialogue."""
    python = (
        f"import commonground as cg\n\ndialogue = cg.load({corpus!r}).dialogue({dialogue_id!r})"
    )
    sql = (
        "SELECT event, speaker, coalesce(text, name) AS what\nFROM events\n"
        f"WHERE corpus = {_quote(corpus)} AND dialogue_id = {_quote(dialogue_id)}\nORDER BY event"
    )
    return [Snippet("Python", python), Snippet("SQL", sql)]


def _quote(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
