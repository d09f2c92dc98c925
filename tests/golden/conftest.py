"""The authors' own numbers, where they are: beside the folder that COMMONGROUND_DATA names."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real files."""
    named = os.environ.get("COMMONGROUND_DATA")
    if not named or not Path(named).is_dir():
        pytest.skip("COMMONGROUND_DATA names no folder of real files")
    return Path(named)


@pytest.fixture(scope="session")
def golden(data: Path) -> Path:
    """The folder of predictions and expected numbers."""
    folder = data.parent / "golden"
    if not (folder / "expected.json").is_file():
        pytest.skip("there is no folder `golden` beside the one that COMMONGROUND_DATA names")
    return folder


@pytest.fixture(scope="session")
def expected(golden: Path) -> Any:
    """What the official scripts print."""
    return json.loads((golden / "expected.json").read_bytes())


def read_json(path: Path) -> Any:
    return json.loads(path.read_bytes())


def hash_text(text: str) -> int:
    """H of the golden numbers' rules: the first 32 bits of a text's sha256."""
    return int(hashlib.sha256(text.encode()).hexdigest()[:8], 16)
