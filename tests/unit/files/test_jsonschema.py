"""What JSON Schemas say of files and their fields."""

from __future__ import annotations

from commonground.corpora import get_corpus
from commonground.files.jsonschema import render_schema, split_attributes


def test_a_docstring_is_taken_apart() -> None:
    docstring = """A meal.

    Hot, as a rule.

    Attributes:
        soup, bread: what comes first,
            however long: one line.
        price: in cents.
    """
    whole, about = split_attributes(docstring)
    assert whole == "A meal.\n\nHot, as a rule."
    first = "what comes first, however long: one line."
    assert about == {"soup": first, "bread": first, "price": "in cents."}


def test_fields_are_described_where_they_stand() -> None:
    fmt = next(each for each in get_corpus("photobook").formats() if each.name == "log")
    message = render_schema("photobook", fmt)["$defs"]["Message"]
    assert "Attributes" not in message["description"]
    assert message["properties"]["speaker"] == {
        "description": "label of the player, ``A`` or ``B``.",
        "type": "string",
    }
