"""Mutated files through import, check, round trip and native export.

No traceback, no silent loss, and each comes to an end. ``COMMONGROUND_FAULTS`` sets the number of
mutated files per corpus.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import time
import traceback
import zipfile
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from commonground.corpora import Entry, get_corpus, iterate_corpora
from commonground.exports.format import get_export
from commonground.exports.run import run_export
from commonground.exports.selection import Selection
from commonground.files import faults
from commonground.files.dividing import BOM
from commonground.files.formats import FileFormat
from commonground.files.roundtrip import roundtrip_document
from commonground.files.sources import Document
from commonground.play.simulating import simulate_corpus
from commonground.store.corpus import Corpus
from commonground.store.identify import identify_documents
from commonground.store.importing import check_files, import_corpus
from commonground.store.opening import open_store
from tests.contract.mutate import mutate
from tests.contract.test_fuzz import LARGEST, shorten
from tests.thorough import a_few

from .commands import run_process

NAMES = tuple(entry.name for entry in iterate_corpora())
FILES = int(os.environ.get("COMMONGROUND_FAULTS", "10"))
AT_ONCE = 10
"""Mutated files that are imported together: an import by itself costs more than a small file."""

HANGS_S = 30.0
"""Of computing: only what never ends comes near."""

ODD_FOLDERS = (
    "plain",
    os.fsdecode(b"not \xff utf-8"),
    "new\nline",
    "\x1b[31mred",
    "back\\slash \\xff",
    "'quotes\" $(x)",
    "l" + "o" * 200 + "ng",
    "ünï cödé \u202e",
)

DAMAGED = {
    rule.code
    for rule in (
        faults.NOT_JSON,
        faults.NOT_UTF8,
        faults.UNREADABLE,
        faults.DAMAGED_ARCHIVE,
        faults.ARCHIVE_BOMB,
        faults.UNSAFE_ENTRY,
        faults.MISSING_COLUMN,
    )
}
"""What a finding says of a file that cannot come back as it was."""


class Clean:
    """A few invented dialogues of a corpus, with short documents."""

    def __init__(self, name: str, folder: Path) -> None:
        self.entry: Entry = get_corpus(name)
        self.folder = folder
        simulate_corpus(self.entry, folder, dialogues=6, seed=5)
        shutil.rmtree(folder / "images", ignore_errors=True)
        known = identify_documents(self.entry, [folder]).known
        self.documents = [(document.name, _shorten(document.read())) for document, _ in known]
        for name, data in self.documents:
            (folder / name).write_bytes(data)


def _shorten(data: bytes) -> bytes:
    short = shorten(data, 2)
    return short if len(short) < 2 * LARGEST else shorten(data, 1)


@pytest.fixture(scope="module", params=a_few(NAMES, ["photobook", "simmc"]))
def clean(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Clean:
    return Clean(request.param, tmp_path_factory.mktemp("clean") / "files")


def write_mutant(clean: Clean, folder: Path, rng: random.Random) -> None:
    """Writes one mutated document below a folder of its own, now and then in an archive."""
    name, data = rng.choice(clean.documents)
    path = folder / rng.choice(ODD_FOLDERS) / name
    path.parent.mkdir(parents=True)
    if rng.random() < 0.1:
        archive = folder / "archive.zip"
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
            packed.writestr(name, mutate(data, rng))
        if rng.random() < 0.7:
            archive.write_bytes(mutate(archive.read_bytes(), rng))
    else:
        path.write_bytes(mutate(data, rng))


class Road:
    """Where files go: import, check, round trip, native export; each step timed."""

    def __init__(self, entry: Entry, files: Path, work: Path) -> None:
        self.entry, self.files = entry, files
        self.known = self._timed("list", lambda: identify_documents(entry, [files]).known)
        self.summary = self._timed(
            "import", lambda: import_corpus(entry, [files], store=work / "store", jobs=1)
        )
        self.corpus: Corpus = open_store(work / "store").corpus(entry.name)
        (work / "checked").mkdir()
        self.checked = self._timed(
            "check", lambda: check_files(entry, [files], folder=work / "checked", jobs=1)
        )
        self.differences = {
            document.name: self._timed("round trip", lambda d=document, f=fmt: _differ(d, f))
            for document, fmt in self.known
        }
        selection = Selection(open_store(work / "store"), (entry.name,))
        report = self._timed(
            "export", lambda: run_export(get_export("native"), selection, work / "out")
        )
        self.lost = {each.name for each in report.lost}
        self.out = work / "out" / entry.name
        self.findings: dict[str, list[dict[str, Any]]] = defaultdict(list)
        for row in self.corpus.table("findings").to_pylist():
            self.findings[row["source_file"]].append(row)

    def _timed(self, step: str, work: Any) -> Any:
        began = time.process_time()
        try:
            return work()
        finally:
            took = time.process_time() - began
            assert took < HANGS_S, f"{step} took {took:.1f} s"

    def complaints(self) -> Iterator[str]:
        """Says what is wrong with how the files fared."""
        for document, fmt in self.known:
            for complaint in self._complain(document, fmt):
                yield f"{document.path!r} {document.entry or ''}: {complaint}"
        for name, rows in self.findings.items():
            for row in rows:
                if row["code"] == faults.CONVERTER_FAILED.code:
                    yield f"{name} {row['source_path']}: {row['found']}"
        # Values that fit no table are found when tables are made, which a check does not.
        without = {faults.NOT_CONVERTED.code}
        counts = [
            {code: n for code, n in manifest.findings.items() if code not in without}
            for manifest in (self.summary.manifest, self.checked)
        ]
        if counts[0] != counts[1]:
            yield f"an import finds {counts[0]}, a check {counts[1]}"
        yield from self._unconverted()

    def _complain(self, document: Document, fmt: FileFormat) -> Iterator[str]:
        found = {row["code"] for row in self.findings[document.name]}
        difference = self.differences[document.name]
        is_same = self._is_same(document, fmt)
        if difference is not None and not found and fmt.layout != "text":
            yield f"the round trip says {difference!r}, and no finding does"
        if not is_same and not found & DAMAGED:
            yield f"comes back another, and no finding says so: {found}"
        if not is_same and difference is None and fmt.layout != "text":
            yield "comes back another, and the round trip does not say so"

    def _is_same(self, document: Document, fmt: FileFormat) -> bool:
        path = self.out / document.name
        if not path.exists():
            return False
        before, after = document.read().removeprefix(BOM), path.read_bytes()
        if fmt.layout == "text":
            return before == after or (
                "line ends of text files" in self.lost and before.split() == after.split()
            )
        if fmt.gather_rows is not None:
            one, other = (list(fmt.gather_rows(each, ())) for each in (before, after))
            return one == other
        try:
            return bool(_tree(before) == _tree(after))
        except RecursionError:
            return b"".join(before.split()) == b"".join(after.split())
        except ValueError:
            return False

    def _unconverted(self) -> Iterator[str]:
        """Names records that should be dialogues, are not, and have no error."""
        main = {fmt.name: fmt.layout for fmt in self.entry.formats() if fmt.role == "main"}
        there = set(self.corpus.table("dialogues")["dialogue_id"].to_pylist())
        columns = ["dialogue_id", "format", "source_file", "source_path", "json"]
        for row in self.corpus.table("native").select(columns).to_pylist():
            path = row["source_path"]
            is_around = path == "$" and main.get(row["format"]) == "envelope"
            is_gap = row["json"] == "[]"
            if row["format"] not in main or row["dialogue_id"] in there or is_around or is_gap:
                continue
            errors = [
                each
                for each in self.findings[row["source_file"]]
                if each["severity"] == "error" and (each["source_path"] or "").startswith(path)
            ]
            if not errors:
                yield f"{row['source_file']} {path} is no dialogue, and no finding says so"


def _differ(document: Document, fmt: FileFormat) -> str | None:
    return roundtrip_document(document, fmt).difference


def _tree(data: bytes) -> Any:
    """Reads JSON with all its keys in order, and numbers as they are written."""
    return json.loads(
        data.decode(), object_pairs_hook=tuple, parse_int=str, parse_float=repr, strict=False
    )


def travel(entry: Entry, files: Path, work: Path) -> list[str]:
    """Sends files down the road and returns what is wrong with how they fared."""
    try:
        return list(Road(entry, files, work).complaints())
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)[-4:]
        places = " < ".join(f"{each.name}:{each.lineno}" for each in reversed(frames))
        return [f"{type(error).__name__}: {error} ({places})"]


def blame(clean: Clean, mutants: Iterable[Path], work: Path) -> list[str]:
    """Sends mutants down the road one by one, to say which it is that fares badly."""
    told = []
    for mutant in mutants:
        files = work / "alone" / mutant.name
        shutil.copytree(clean.folder, files)
        shutil.copytree(mutant, files / mutant.name)
        told += [f"{mutant}: {each}" for each in travel(clean.entry, files, work / mutant.name)]
    return told


def test_mutated_files_are_read_or_reported_and_come_back(clean: Clean, tmp_path: Path) -> None:
    rng = random.Random(clean.entry.name)
    told: list[str] = []
    for number in range(-(-FILES // AT_ONCE)):
        files, work = tmp_path / f"files-{number}", tmp_path / f"work-{number}"
        shutil.copytree(clean.folder, files)
        work.mkdir()
        mutants = [files / f"mutant-{each:02}" for each in range(AT_ONCE)]
        for mutant in mutants:
            write_mutant(clean, mutant, rng)
        if complaints := travel(clean.entry, files, work):
            told += blame(clean, mutants, tmp_path / f"blame-{number}") or complaints
            if len(told) > 20:
                break
        else:
            shutil.rmtree(files)
            shutil.rmtree(work)
    assert not told, "\n".join(told)


@pytest.mark.parametrize("clean", a_few(["simmc", "taskmaster1"], ["simmc"]), indirect=True)
def test_mutated_files_give_no_traceback_in_a_process(clean: Clean, tmp_path: Path) -> None:
    """With sides beside the dialogues, and without; what is read is that of the test above."""
    rng = random.Random(f"{clean.entry.name} in a process")
    files = tmp_path / "files"
    shutil.copytree(clean.folder, files)
    for each in range(AT_ONCE):
        write_mutant(clean, files / f"mutant-{each:02}", rng)
    done = run_process(
        tmp_path, "import", clean.entry.name, "files", "--json", "--allow-unreadable"
    )
    assert done.code == 0, done.err
    assert done.json()["manifest"]["counts"]["dialogues"]
