"""Files with faults, read as users read them: nothing stops, and nothing is lost silently."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import warnings
import zipfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from commonground.corpora import get_corpus
from commonground.play.simulating import simulate_corpus
from tests.thorough import thorough

from .commands import find, run, run_process

Simulate = Callable[..., Path]


@pytest.fixture(scope="module")
def simulated(tmp_path_factory: pytest.TempPathFactory) -> Simulate:
    """Writes a few invented dialogues of a corpus, once, and returns their folder."""

    @cache
    def write(corpus: str, dialogues: int) -> Path:
        folder = tmp_path_factory.mktemp("simulated") / corpus
        simulate_corpus(get_corpus(corpus), folder, dialogues=dialogues, seed=1)
        shutil.rmtree(folder / "images", ignore_errors=True)  # which are never read here
        return folder

    return write


@pytest.fixture
def simulate(simulated: Simulate, tmp_path: Path) -> Simulate:
    """Copies a few invented dialogues of a corpus, to be damaged, and returns their folder."""

    def write(corpus: str, dialogues: int = 3) -> Path:
        return Path(shutil.copytree(simulated(corpus, dialogues), tmp_path / corpus))

    return write


def change(path: Path, old: bytes, new: bytes) -> None:
    data = path.read_bytes()
    assert data.count(old) >= 1
    path.write_bytes(data.replace(old, new, 1))


def export(folder: Path) -> Path:
    """Exports the store natively and returns the folder of the files."""
    done = run(folder, "export", "native", "out")
    assert done.code == 0, done.err
    return folder / "out"


def pairs(path: Path) -> object:
    """Reads JSON as lists of pairs, so that order and repeats count."""
    return json.loads(path.read_bytes(), object_pairs_hook=list)


@pytest.mark.parametrize(
    ("file", "old"),
    [
        ("fashion_dev_dials.json", b'"domain":"fash'),
        ("fashion_dev_dials_retrieval_candidates.json", b'"system_transcript_pool": ["'),
        ("fashion_metadata.json", b'"url":"'),
        ("furniture_metadata.csv", b"\n"),
    ],
)
def test_a_stray_byte_in_one_file_stops_no_other(
    simulate: Simulate, tmp_path: Path, file: str, old: bytes
) -> None:
    path = next(simulate("simmc", 12).rglob(file))
    change(path, old, old + b"\xff")
    done = run_process(tmp_path, "import", "simmc", "simmc", "--json")
    assert done.code == 1, done.err
    name = path.relative_to(tmp_path / "simmc").as_posix()
    assert {each["name"] for each in done.json()["unreadable"]} == {name}
    assert ("CG-JSON-006", name) in {(c, f) for c, f, _ in find(tmp_path, "simmc", "simmc")}
    loss = json.loads((export(tmp_path) / "loss.json").read_bytes())
    assert name in json.dumps(loss)
    written = (tmp_path / "out/simmc" / name).read_bytes()
    assert b"xff" in written
    json.loads(written) if file.endswith(".json") else written.decode()


def test_a_key_that_stands_twice_is_found_kept_and_no_round_trip(
    simulate: Simulate, tmp_path: Path
) -> None:
    log = sorted(simulate("photobook").glob("logs/*.json"))[0]
    log.write_bytes(log.read_bytes()[:-1] + b',"rounds":[]}')
    name = f"logs/{log.name}"
    assert ("CG-JSON-007", name, "$.rounds") in find(tmp_path, "photobook", "photobook")
    done = run(tmp_path, "roundtrip", "photobook", "photobook", "--json")
    assert done.code == 1
    assert [each["document"] for each in done.json()["differing"]] == [name]
    assert "$.rounds" in done.json()["differing"][0]["difference"]
    run(tmp_path, "import", "photobook", "photobook")
    assert pairs(export(tmp_path) / "photobook" / name) == pairs(log)


@pytest.mark.parametrize(
    ("corpus", "file", "old", "new", "path"),
    [
        pytest.param(
            *("frames", "frames.json", b'"text":', b'"text":"no","text":'),
            r"\$\[0\]\.turns\[0\]\.text",
            marks=thorough,
        ),
        ("frames", "frames.json", b'"text":', b'"t\\u0065xt":"no","text":', r".*\.text"),
        ("mpchat", "mpchat_nrp.json", b'"train":', b'"train":[],"train":', r"\$\.train"),
        pytest.param(
            *("simmc", "fashion_dev_dials.json", b'"split":', b'"split":"no","split":'),
            r"\$\.split",
            marks=thorough,
        ),
        (
            "simmc",
            "fashion_dev_dials.json",
            b'"dialogue_data":',
            b'"dialogue_data":[],"dialogue_data":',
            r"\$\.dialogue_data",
        ),
        pytest.param(
            *("taskmaster4", "data_00.json", b'"utterances":', b'"utterances":[],"utterances":'),
            ".*",
            marks=thorough,
        ),
    ],
)
def test_keys_that_stand_twice_are_found_at_every_depth(
    simulate: Simulate, tmp_path: Path, corpus: str, file: str, old: bytes, new: bytes, path: str
) -> None:
    changed = next(simulate(corpus, 12).rglob(file))
    change(changed, old, new)
    name = changed.relative_to(tmp_path / corpus).as_posix()
    found = [p for c, f, p in find(tmp_path, corpus, corpus) if c == "CG-JSON-007" and f == name]
    assert len(found) == 1
    assert re.fullmatch(path, found[0])
    assert run(tmp_path, "roundtrip", corpus, corpus).code == 1
    run(tmp_path, "import", corpus, corpus)
    assert pairs(export(tmp_path) / corpus / name) == pairs(changed)


def test_both_items_of_a_catalogue_that_have_one_id_are_kept(
    simulate: Simulate, tmp_path: Path
) -> None:
    path = next(simulate("simmc", 12).rglob("fashion_metadata.json"))
    first, second = list(json.loads(path.read_bytes()))[:2]
    change(path, f'"{second}":'.encode(), f'"{first}":'.encode())
    name = path.relative_to(tmp_path / "simmc").as_posix()
    assert ("CG-JSON-007", name, f'$["{first}"]') in find(tmp_path, "simmc", "simmc")
    run(tmp_path, "import", "simmc", "simmc")
    query = f"select count(*) from native where source_path = '$[\"{first}\"]'"
    assert run(tmp_path, "sql", query, "--format", "csv").out.split()[-1] == "2"
    assert pairs(export(tmp_path) / "simmc" / name) == pairs(path)


@pytest.mark.parametrize(
    ("corpus", "file", "change"),
    [
        ("mpchat", "mpchat_gpp.json", {"val": []}),
        ("mpchat", "mpchat_gpp.json", {"odd [3]": [], "train": []}),
        ("simmc", "fashion_dev_dials.json", {"dialogue_data": []}),
        ("simmc", "fashion_dev_dials.json", {"dialogue_data": None}),
        ("simmc", "fashion_dev_dials.json", {"dialogue_data": ...}),
        ("simmc", "fashion_dev_dials_retrieval_candidates.json", {"retrieval_candidates": ...}),
        ("taskmaster1", "self-dialogs.json", {}),
    ],
    ids=["split", "odd", "envelope", "null", "absent", "side", "array"],
)
def test_what_is_empty_or_absent_comes_back_so(
    simulate: Simulate, tmp_path: Path, corpus: str, file: str, change: dict[str, object]
) -> None:
    path = next(simulate(corpus, 12).rglob(file))
    tree = json.loads(path.read_bytes())
    if isinstance(tree, list):
        tree = []
    for key, value in change.items():
        if value is ...:
            del tree[key]
        else:
            tree[key] = value
    path.write_text(json.dumps(tree), encoding="utf-8")
    name = path.relative_to(tmp_path / corpus).as_posix()
    done = run(tmp_path, "roundtrip", corpus, corpus, "--json")
    differing = [each["document"] for each in done.json()["differing"]]
    assert differing == ([name] if None in change.values() else [])
    run(tmp_path, "import", corpus, corpus)
    assert pairs(export(tmp_path) / corpus / name) == pairs(path)


ODD = b"odd \xff name"


def test_names_that_are_not_utf8_are_read_and_shown_with_escapes(
    simulate: Simulate, tmp_path: Path
) -> None:
    folder = simulate("taskmaster4")
    data = next(folder.rglob("data_00.json"))
    odd_folder = data.parent / os.fsdecode(b"\xfe" + ODD)
    odd_folder.mkdir()
    data.rename(odd_folder / "data_00.json")
    (folder / os.fsdecode(b"stranger " + ODD)).write_text("nothing")
    done = run_process(tmp_path, "import", "taskmaster4", "taskmaster4", "--json")
    assert done.code == 0, done.err
    assert done.json()["left_alone"] == ["stranger odd \\xff name"]
    (name,) = [
        each["name"]
        for each in done.json()["manifest"]["sources"]
        if each["name"].endswith("data_00.json")
    ]
    assert name.endswith("\\xfeodd \\xff name/data_00.json")
    assert run(tmp_path, "import", "taskmaster4", "taskmaster4").code == 0
    assert run(tmp_path, "check", "taskmaster4", "taskmaster4", "--json").code == 0
    assert run(tmp_path, "roundtrip", "taskmaster4", "taskmaster4", "--json").code == 0
    out = export(tmp_path) / "taskmaster4" / name
    assert pairs(out) == pairs(odd_folder / "data_00.json")


def test_a_file_whose_own_name_is_not_utf8_is_read(simulate: Simulate, tmp_path: Path) -> None:
    data = next(simulate("frames").rglob("frames.json"))
    odd = data.rename(data.with_name(os.fsdecode(b"\xff.json")))
    for words in (["import"], ["check"], ["roundtrip"]):
        assert run(tmp_path, *words, "frames", odd, "--json").code == 0
    assert (export(tmp_path) / "frames/\\xff.json").exists()
    missing = run(tmp_path, "import", "frames", b"no \xff such")
    assert (missing.code, "no \\xff such does not exist" in missing.err) == (1, True)


def test_an_image_folder_whose_name_is_not_utf8_is_used(simulate: Simulate, tmp_path: Path) -> None:
    folder = simulate("mpchat")
    images = tmp_path / os.fsdecode(ODD)
    (images / "dialog").mkdir(parents=True)
    (images / "dialog" / os.fsdecode(b"\xff.jpg")).write_bytes(b"")
    done = run(tmp_path, "import", "mpchat", folder, "--images", images, "--json")
    assert done.code == 0, done.err
    assert done.json()["manifest"]["images"].endswith("odd \\xff name")
    again = run(tmp_path, "import", "mpchat", folder, "--images", images, "--json")
    assert again.json()["unchanged"]
    from commonground.store.opening import open_store

    assert open_store(tmp_path / "commonground-store").corpus("mpchat").images == images


@pytest.mark.parametrize("words", [["import"], ["check"], ["roundtrip"]])
def test_what_is_no_file_is_refused(tmp_path: Path, words: list[str]) -> None:
    os.mkfifo(tmp_path / "pipe.json")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "socket"))
        for path, kind in (("/dev/zero", "device"), ("pipe.json", "pipe"), ("socket", "socket")):
            done = run_process(tmp_path, *words, "frames", path, timeout_s=300)
            assert (done.code, f"{path} is a {kind}, not a file." in done.err) == (1, True)


def test_predictions_that_are_no_file_are_refused(simulate: Simulate, tmp_path: Path) -> None:
    simulate("frames")
    os.mkfifo(tmp_path / "pipe")
    for path in ("/dev/zero", "pipe"):
        words = ("evaluate", "frames/nlu", "--predictions", path, "--gold", "frames/frames.json")
        done = run_process(tmp_path, *words, timeout_s=300)
        assert done.code == 1
        assert "not a file" in done.err


def test_a_pipe_beside_the_data_is_a_finding(simulate: Simulate, tmp_path: Path) -> None:
    os.mkfifo(simulate("frames") / "pipe.json")
    assert ("CG-SOURCE-001", "pipe.json", "") in find(tmp_path, "frames", "frames")


def test_a_file_without_a_size_is_read_to_a_limit() -> None:
    from commonground.errors import SourceError
    from commonground.files.sources import read_path

    assert read_path("/proc/self/status").startswith(b"Name:")
    with pytest.raises(SourceError, match="is a device, not a file"):
        read_path("/dev/zero")


def test_an_archive_whose_entries_are_too_much_together_is_a_finding(
    simulate: Simulate, tmp_path: Path
) -> None:
    simulate("frames")
    many = tmp_path / "frames/many.zip"
    with zipfile.ZipFile(many, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for number in range(4):
            archive.writestr(f"{number}.json", b" " * (20 << 20))
    done = run(tmp_path, "check", "frames", "frames", "--json")
    (place,) = done.json()["findings"]["CG-SOURCE-003"]
    assert place["source_file"] == "many.zip"
    assert "83,886,080 bytes in 4 entries" in place["found"]
    assert run(tmp_path, "import", "frames", "frames", "--allow-unreadable").code == 0


def test_entries_whose_names_no_file_can_have_are_told_and_stop_nothing(
    simulate: Simulate, tmp_path: Path
) -> None:
    data = (simulate("frames") / "frames.json").read_bytes()
    names = ["a/frames.json", "a/frames.json/frames.json", "./c/frames.json", "c/frames.json"]
    names += ["b" * 300 + "/frames.json", "new\nline/frames.json"]
    with zipfile.ZipFile(tmp_path / "frames/x.zip", "w") as archive:
        for name in [*names, names[-1]]:
            with warnings.catch_warnings(action="ignore"):
                archive.writestr(name, data)
    found = find(tmp_path, "frames", "frames")
    assert ("CG-SOURCE-004", f"x.zip/{names[-1]}", "") in found  # the name stands there twice
    run(tmp_path, "import", "frames", "frames")
    out = export(tmp_path)
    lost = {
        each["name"]: each["count"] for each in json.loads((out / "loss.json").read_bytes())["lost"]
    }
    assert lost["impossible file names"] == 3
    assert len(list(out.rglob("frames.json"))) == 4
