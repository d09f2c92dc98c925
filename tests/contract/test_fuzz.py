"""Faulty documents through every reader and checker: read or reported, never a crash or a hang.

``COMMONGROUND_FUZZ`` sets the number of documents per corpus; ``make fuzz`` sets 10,000.
"""

from __future__ import annotations

import json
import os
import random
import time
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from commonground.checks import run_rules
from commonground.corpora import Entry
from commonground.files.dividing import decode_raw, divide_document
from commonground.files.formats import FileFormat
from commonground.files.reading import ConversionError, Main, Options, SideRecord, Where
from commonground.findings import Examined, Finding
from commonground.store.identify import identify_documents
from tests.contract.conftest import NAMES, Simulate, Simulated
from tests.contract.mutate import mutate
from tests.thorough import a_few

DOCUMENTS = int(os.environ.get("COMMONGROUND_FUZZ", "20"))
HANGS_S = 30.0
"""Of computing, where a document takes milliseconds: only what never ends comes near."""

LARGEST = 30_000
"""Lists of larger documents are cut to their first records, so that faults are dense."""


def shorten(data: bytes, items: int = 3) -> bytes:
    """Returns a JSON document with its long lists cut to a few items, if it is large."""
    if len(data) < LARGEST:
        return data
    try:
        tree = json.loads(data)
    except ValueError:
        return data[:LARGEST]
    if isinstance(tree, list):
        tree = tree[:items]
    else:
        tree = {k: v[:items] if isinstance(v, list) else v for k, v in tree.items()}
    return json.dumps(tree).encode()


class Reader:
    """One corpus, with the context of its clean files."""

    def __init__(self, simulated: Simulated) -> None:
        self.entry: Entry = simulated.entry
        known = identify_documents(self.entry, [simulated.files]).known
        self.documents = [(document.name, document.read(), fmt) for document, fmt in known]
        self.small = [(name, shorten(data), fmt) for name, data, fmt in self.documents]
        sides = [side for name, data, fmt in self.documents for side in self.sides(name, data, fmt)]
        mains = [Main(document, fmt) for document, fmt in known if fmt.role == "main"]
        self.options = Options(self.entry.name)
        self.paths: set[str] = set()
        self.context = self.entry.converter().prepare(sides, mains, self.options)

    def sides(self, name: str, data: bytes, fmt: FileFormat) -> list[SideRecord]:
        if fmt.role != "side":
            return []
        found = []
        for raw in divide_document(name, data, fmt).records:
            record = decode_raw(name, raw, fmt).record
            if record is not None:
                found.append(
                    SideRecord(
                        name, fmt.name, raw.path, record, raw.split, raw.key, raw.is_envelope
                    )
                )
        return found

    def read(self, name: str, data: bytes, fmt: FileFormat) -> tuple[int, list[Finding]]:
        """Reads, converts and checks a document; returns the records typed, and the findings."""
        division = divide_document(name, data, fmt)
        findings = list(division.findings)
        typed = 0
        for raw in division.records:
            read = decode_raw(name, raw, fmt)
            findings += read.findings
            if read.record is None or raw.is_envelope:
                continue
            typed += 1
            dialogue: Any = None
            if fmt.role == "main":
                where = Where(name, raw.path, fmt.name, raw.split, raw.key)
                try:
                    dialogue = self.entry.converter().convert(read.record, where, self.context)
                except ConversionError as error:
                    self.paths.add(error.path)
            rules = [rule for rule in self.entry.rules() if rule.format == fmt.name]
            examined = Examined(dialogue, self.context, name)
            findings += run_rules(rules, read.record, examined, raw.path, None)
        if fmt.role == "side":
            self.entry.converter().prepare(self.sides(name, data, fmt), [], self.options)
        return typed, findings


@cache
def make_reader(name: str, simulate: Simulate) -> Reader:
    return Reader(simulate(name))


@pytest.fixture(params=NAMES)
def reader(request: pytest.FixtureRequest, simulate: Simulate) -> Reader:
    return make_reader(request.param, simulate)


def test_faulty_documents_are_read_or_reported(reader: Reader) -> None:
    rng = random.Random(reader.entry.name)
    for number in range(DOCUMENTS):
        name, data, fmt = reader.small[number % len(reader.small)]
        bad = mutate(data, rng)
        began = time.process_time()
        typed, findings = reader.read(name, bad, fmt)
        assert time.process_time() - began < HANGS_S, f"document {number} is slow"
        text_format = not fmt.is_json
        assert typed or findings or text_format or not bad.strip()
    assert all(path == "" or path[0] in ".[" for path in reader.paths)


@pytest.mark.parametrize("reader", a_few(NAMES, ("frames", "photobook")), indirect=True)
@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"null",
        b"[]",
        b"{}",
        b"\xef\xbb\xbf",
        b"[" * 100_000,
        b'{"a":' * 30_000,
        b'"' + b"x" * 10_000_000 + b'"',
        b"[" + b"9" * 5000 + b"]",
        b'[{"id": NaN}]',
    ],
    ids=["empty", "null", "list", "object", "bom", "deep", "deeper", "10MB", "digits", "nan"],
)
def test_hostile_documents_are_read_or_reported(reader: Reader, data: bytes) -> None:
    for fmt in reader.entry.formats():
        began = time.process_time()
        reader.read("hostile", data, fmt)
        assert time.process_time() - began < HANGS_S


def test_clean_documents_have_no_errors(reader: Reader, tmp_path: Path) -> None:
    for name, data, fmt in reader.documents:
        _, findings = reader.read(name, data, fmt)
        assert not [f for f in findings if f.severity == "error"]
