"""The Croissant description: accepted by mlcroissant, which reads the records through it."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from commonground import __version__
from commonground.corpora import get_corpus
from commonground.exports.formats.croissant import plain_text
from commonground.exports.run import Report
from commonground.schema import get_table
from commonground.store.opening import Store
from tests.thorough import a_few

from ..conftest import CORPORA

Exporting = Callable[..., tuple[Path, Report]]


def read(out: Path, corpus: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((out / corpus / "croissant.json").read_bytes())
    return found


def test_files_are_described_as_they_are(export: Exporting) -> None:
    out, report = export("croissant", "frames")
    assert report.lost == []
    described = {each["contentUrl"]: each for each in read(out, "frames")["distribution"]}
    files = {path.name: path.read_bytes() for path in (out / "frames").glob("*.parquet")}
    assert described.keys() == files.keys()
    for name, data in files.items():
        assert described[name]["sha256"] == hashlib.sha256(data).hexdigest()
        assert described[name]["contentSize"] == f"{len(data)} B"


def test_licence_terms_and_citation_are_carried(export: Exporting) -> None:
    out, _ = export("croissant", "taskmaster4", "photobook")
    for name in ("taskmaster4", "photobook"):
        found, manifest = read(out, name), get_corpus(name).manifest
        assert found["usageInfo"]["text"] == manifest.terms
        assert found["citeAs"] == manifest.citation.strip()
        assert found["url"] == manifest.homepage
    licence = read(out, "taskmaster4")["license"]
    assert licence == "https://creativecommons.org/licenses/by/4.0/"
    assert read(out, "photobook")["license"] == "none stated"
    names = [each["name"] for each in read(out, "photobook")["creator"]]
    assert "Tim Baumgärtner" in names


def test_the_version_is_semantic_and_changes_with_the_files(export: Exporting) -> None:
    once = read(export("croissant", "frames")[0], "frames")["version"]
    again = read(export("croissant", "frames")[0], "frames")["version"]
    other = read(export("croissant", "photobook")[0], "photobook")["version"]
    assert re.fullmatch(re.escape(__version__) + r"\+[0-9a-f]{12}", once)
    assert once == again
    assert once != other


def test_a_part_says_so(export: Exporting) -> None:
    out, _ = export("croissant", "frames", where="n_events > 0")
    assert "A part: 6 dialogues" in read(out, "frames")["rai:dataLimitations"][-1]


@pytest.mark.parametrize(
    ("tex", "plain"),
    [
        ('Baumg{\\"a}rtner, Tim', "Baumgärtner, Tim"),
        ("Fern{\\'a}ndez,\n Raquel", "Fernández, Raquel"),
        ("{El Asri}", "El Asri"),
    ],
)
def test_names_are_plain(tex: str, plain: str) -> None:
    assert plain_text(tex) == plain


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("corpus", a_few(CORPORA, ["taskmaster3"]))
def test_mlcroissant_reads_it(corpus: str, store: Store, export: Exporting) -> None:
    library = pytest.importorskip("mlcroissant", reason="needs mlcroissant")
    out, _ = export("croissant", corpus)
    dataset = library.Dataset(out / corpus / "croissant.json")
    issues = dataset.metadata.ctx.issues
    assert not issues.errors
    assert not any("version" in str(each) for each in issues.warnings)
    for name in ("dialogues", "speakers", "outcomes"):
        table = store.corpus(corpus).table(name)
        if table.num_rows:
            assert sum(1 for _ in dataset.records(name)) == table.num_rows
    events = store.corpus(corpus).table("events").to_pylist()
    for record, row in zip(dataset.records("events"), events, strict=True):
        found = {key.removeprefix("events/"): value for key, value in record.items()}
        assert list(found) == list(get_table("events").names)
        assert (found["text"] or b"").decode() == (row["text"] or "")
        assert found["event"] == row["event"]
