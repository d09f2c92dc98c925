"""A small simulated corpus on disk, whose records tests take, break and check."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import msgspec

from commonground.checks import run_rules
from commonground.corpora import get_corpus
from commonground.files.dividing import RawRecord, decode_raw, divide_document
from commonground.files.formats import FileFormat
from commonground.files.reading import ConversionError, Main, Options, SideRecord, Where
from commonground.files.sources import Document
from commonground.findings import Examined
from commonground.model import Dialogue
from commonground.play.simulating import simulate_corpus
from commonground.store.identify import identify_documents

Codes = set[tuple[str, str]]


class Shelf:
    """Files of a simulated corpus, with the context of all of them."""

    def __init__(self, name: str, folder: Path, dialogues: int = 20) -> None:
        self.entry = get_corpus(name)
        self.folder = folder
        simulate_corpus(self.entry, folder, dialogues=dialogues, seed=5)
        self.known = identify_documents(self.entry, [folder]).known
        self.context = self.prepare(self.known)

    def prepare(self, known: list[tuple[Document, FileFormat]]) -> Any:
        sides = [side for document, fmt in known for side in _sides(document, fmt)]
        mains = [Main(document, fmt) for document, fmt in known if fmt.role == "main"]
        return self.entry.converter().prepare(sides, mains, Options(self.entry.name))

    def document(self, base: str) -> tuple[Document, FileFormat]:
        return next(pair for pair in self.known if pair[0].base == base)

    def records(self, base: str) -> list[Any]:
        """Returns the records of a file, as plain values."""
        document, fmt = self.document(base)
        division = divide_document(document.name, document.read(), fmt)
        if fmt.layout == "text":
            return [raw.record for raw in division.records]
        return [json.loads(raw.data) for raw in division.records if not raw.is_envelope]

    def record(self, base: str, number: int = 0) -> Any:
        return copy.deepcopy(self.records(base)[number])

    def convert(self, base: str, record: Any) -> Dialogue:
        document, fmt = self.document(base)
        typed = msgspec.convert(record, fmt.record)
        where = Where(document.name, "$", fmt.name)
        made: Dialogue = self.entry.converter().convert(typed, where, self.context)
        return made

    def codes(self, base: str, record: Any) -> Codes:
        """Returns code and path of every finding that the rules make of a record."""
        document, fmt = self.document(base)
        typed, dialogue = record, None
        if fmt.layout != "text":
            raw = RawRecord("$", json.dumps(record).encode())
            typed = decode_raw(document.name, raw, fmt).record
            assert typed is not None
        if fmt.role == "main":
            try:
                dialogue = self.convert(base, record)
            except ConversionError:
                dialogue = None
        rules = [rule for rule in self.entry.rules() if rule.format == fmt.name]
        examined = Examined(dialogue, self.context, document.name)
        found = run_rules(rules, typed, examined, "$", None)
        return {(finding.code, str(finding.source_path)) for finding in found}


def _sides(document: Document, fmt: FileFormat) -> list[SideRecord]:
    if fmt.role != "side":
        return []
    raws = divide_document(document.name, document.read(), fmt).records
    return [
        SideRecord(
            document.name, fmt.name, raw.path, read.record, raw.split, raw.key, raw.is_envelope
        )
        for raw in raws
        if (read := decode_raw(document.name, raw, fmt)).record is not None
    ]
