"""The generated JSON Schemas hold for the released files."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from commonground.corpora import get_corpus
from commonground.files.jsonschema import render_schema
from commonground.store.identify import identify_documents
from tests.thorough import a_few

DATA = os.environ.get("COMMONGROUND_DATA")
FOLDERS = {
    "photobook": "photobook/logs",
    "simmc": "simmc1",
    "simmc2": "simmc2",
    "taskmaster1": "taskmaster1",
    "taskmaster2": "taskmaster2",
    "taskmaster3": "taskmaster3",
    "taskmaster4": "taskmaster4/data",
}
FILES, RECORDS = 6, 40
"""jsonschema is slow, so of each format the first files are taken, and of each list the first
records."""


def first(tree: Any) -> Any:
    if isinstance(tree, list):
        return tree[:RECORDS]
    if not isinstance(tree, dict):
        return tree
    long = {k: v for k, v in tree.items() if isinstance(v, list) and len(v) > RECORDS}
    return {**tree, **{k: v[:RECORDS] for k, v in long.items()}}


@pytest.mark.skipif(DATA is None, reason="COMMONGROUND_DATA names no folder of released files")
@pytest.mark.parametrize("name", a_few(FOLDERS, [name for name in FOLDERS if name != "simmc"]))
def test_released_files_fit_their_json_schema(name: str) -> None:
    entry = get_corpus(name)
    taken: dict[str, int] = {}
    for document, fmt in identify_documents(entry, [Path(DATA or "") / FOLDERS[name]]).known:
        taken[fmt.name] = taken.get(fmt.name, 0) + 1
        if fmt.layout == "text" or taken[fmt.name] > FILES:
            continue
        validator = jsonschema.Draft202012Validator(render_schema(name, fmt))
        validator.validate(first(json.loads(document.read())))
    assert taken
