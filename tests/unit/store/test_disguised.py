"""Files that are packed, JSON Lines or UTF-16 under released names, and what undoes that."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import os
import shutil
import subprocess
import tarfile
import zipfile
from collections.abc import Callable, Iterable, Mapping
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from tests.thorough import a_few, one_in

import commonground as cg
from commonground.findings import Finding

RELEASED = {
    "frames": "frames.json",
    "mpchat": "dialog_image_urls.json",
    "photobook": "data_splits.json",
    "simmc": "train_dialog_ids",
    "simmc2": "simmc2_dials_dstc10_train.json",
    "taskmaster1": "train.csv",
}
"""A file of each corpus, of every layout and role."""


@pytest.fixture(scope="module")
def corpora(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Path]:
    folder = tmp_path_factory.mktemp("corpora")
    return {name: cg.simulate(name, folder / name, dialogues=12) for name in RELEASED}


def zipped(data: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("frames.json", data)
    return file.getvalue()


def tarred(data: bytes) -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as archive:
        entry = tarfile.TarInfo("frames.json")
        entry.size = len(data)
        archive.addfile(entry, io.BytesIO(data))
    return file.getvalue()


def recoded(data: bytes) -> bytes:
    return data.decode().encode("utf-16")


def write_lines(records: Iterable[Any]) -> bytes:
    return "".join(f"{json.dumps(each)}\n" for each in records).encode()


def disguise(folder: Path, name: str, copy: Path, change: Callable[[bytes], bytes]) -> Path:
    """Copies a corpus and changes one of its files."""
    shutil.copytree(folder, copy, ignore=shutil.ignore_patterns("images"))
    path = next(copy.rglob(name))
    path.write_bytes(change(path.read_bytes()))
    return path


def find_disguised(corpus: str, folder: Path) -> Finding:
    findings = cg.check(corpus, folder).findings
    (found,) = (each for each in findings if " && " in each.message or ": mv " in each.message)
    return found


def undo(found: Finding) -> None:
    command = found.message.partition(". ")[2].partition(": ")[2]
    for part in command.split(" && "):
        if shutil.which(part.split()[0]) is None:
            pytest.skip(f"{part.split()[0]} is not installed")
    subprocess.run(["bash", "-c", command], check=True)


@pytest.mark.parametrize(
    ("change", "corpus"), one_in(6, product([gzip.compress, recoded], RELEASED))
)
def test_a_file_of_every_corpus_is_named_and_read_again(
    corpus: str, change: Callable[[bytes], bytes], corpora: Mapping[str, Path], tmp_path: Path
) -> None:
    copy = tmp_path / "it's in"
    path = disguise(corpora[corpus], RELEASED[corpus], copy, change)
    found = find_disguised(corpus, copy)
    assert found.code == ("CG-JSON-006" if change is recoded else "CG-SOURCE-005")
    assert found.source_file == path.relative_to(copy).as_posix()
    undo(found)
    assert cg.check(corpus, copy).findings == cg.check(corpus, corpora[corpus]).findings


@pytest.mark.parametrize(
    "change", a_few([bz2.compress, lzma.compress, tarred, zipped], [lzma.compress, zipped])
)
def test_however_a_file_is_packed_the_command_unpacks_it(
    change: Callable[[bytes], bytes], corpora: Mapping[str, Path], tmp_path: Path
) -> None:
    copy = tmp_path / "in"
    disguise(corpora["frames"], "frames.json", copy, change)
    undo(find_disguised("frames", copy))
    assert cg.check("frames", copy).counts == cg.check("frames", corpora["frames"]).counts


def pairs(whole: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [{key: value} for key, value in whole.items()]


@pytest.mark.parametrize(
    ("corpus", "name", "take", "made"),
    [
        ("frames", "frames.json", lambda whole: whole, None),
        ("frames", "frames.json", lambda whole: whole[:1], lambda lines: lines),
        ("mpchat", "dialog_image_urls.json", pairs, None),
        ("mpchat", "mpchat_nrp.json", pairs, None),
        (
            "photobook",
            "data_splits.json",
            lambda whole: [{key: [each]} for key in whole for each in whole[key]],
            None,
        ),
        # Rows that say nothing of their split, nor of what stood around them.
        (
            "mpchat",
            "mpchat_nrp.json",
            lambda whole: [each for split in whole.values() for each in split],
            lambda lines: {"unsplit": lines},
        ),
        (
            "simmc2",
            "simmc2_dials_dstc10_train.json",
            lambda whole: whole["dialogue_data"],
            lambda lines: {"dialogue_data": lines},
        ),
    ],
)
def test_json_lines_become_what_is_read(
    corpus: str,
    name: str,
    take: Callable[[Any], list[Any]],
    made: Callable[[list[Any]], Any] | None,
    corpora: Mapping[str, Path],
    tmp_path: Path,
) -> None:
    whole = json.loads(next(corpora[corpus].rglob(name)).read_bytes())
    lines = take(whole)
    copy = tmp_path / "it's in"
    path = disguise(corpora[corpus], name, copy, lambda _: write_lines(lines))
    found = find_disguised(corpus, copy)
    assert (found.code, found.source_file) == ("CG-JSON-008", name)
    undo(found)
    assert json.loads(path.read_bytes()) == (whole if made is None else made(lines))


def test_lines_without_a_released_form_are_named(
    corpora: Mapping[str, Path], tmp_path: Path
) -> None:
    def double(data: bytes) -> bytes:
        return write_lines([json.loads(data)] * 2)

    disguise(corpora["taskmaster1"], "sample.json", tmp_path / "in", double)
    findings = cg.check("taskmaster1", tmp_path / "in").findings
    (found,) = (each for each in findings if each.code == "CG-JSON-008")
    assert "No command makes the released file of them" in found.message


def test_a_command_works_in_a_folder_whose_name_is_not_utf8(
    corpora: Mapping[str, Path], tmp_path: Path
) -> None:
    folder = tmp_path / os.fsdecode(b"not 'utf' \xff")
    path = disguise(corpora["frames"], "frames.json", folder, recoded)
    command = find_disguised("frames", folder).message.partition("UTF-8: ")[2]
    subprocess.run(["bash", "-c", command], check=True)
    assert path.read_bytes() == (corpora["frames"] / "frames.json").read_bytes()
    assert not cg.check("frames", folder).findings
