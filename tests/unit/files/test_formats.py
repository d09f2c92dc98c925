from __future__ import annotations

from commonground.files.formats import FileFormat, identify_document
from commonground.files.sources import Document

from .layouts import LIST, Item


def test_a_file_is_known_by_its_name() -> None:
    assert identify_document(Document("d/a.json", "", None, 0), [LIST]) is LIST
    assert identify_document(Document("d/a.txt", "", None, 0), [LIST]) is None


def test_a_pattern_with_a_slash_wants_the_folder_too() -> None:
    one = FileFormat(name="one", title="one", pattern=r"ontology/a\.json", record=Item)
    assert identify_document(Document("x/ontology/a.json", "", None, 0), [one]) is one
    assert identify_document(Document("x/other/a.json", "", None, 0), [one]) is None
