"""What an import prints: what was read, what was not, and what to type next."""

from __future__ import annotations

import gzip
import json
import os
import shlex
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests import forks
from tests.thorough import a_few
from tests.unit.object_store import ObjectStore

TOY = Path(__file__).parents[2] / "corpora"
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Runs a command line in a folder of the test, as a user would."""

    def call(*words: object, line: str = "") -> subprocess.CompletedProcess[str]:
        words = (*shlex.split(line)[1:], *words)
        environment = {**os.environ, "COMMONGROUND_CORPORA": str(TOY)}
        return forks.run(*words, cwd=tmp_path, env=environment)

    return call


def commands(output: str) -> Iterator[str]:
    """Yields the commands that stand on lines of their own."""
    for line in output.splitlines():
        if line.startswith("  commonground "):
            yield line.strip()


def write_talks(path: Path, *texts: str) -> None:
    talks = [{"talk_id": text or "x", "lines": [{"who": "ann", "says": text}]} for text in texts]
    path.write_text(json.dumps({"train": talks}), encoding="utf-8")


@pytest.mark.parametrize("store", a_few(["another", "a [/b] 'c'"], ["a [/b] 'c'"]))
def test_the_command_for_findings_shows_them(run: Run, tmp_path: Path, store: str) -> None:
    write_talks(tmp_path / "talks.json", "")
    done = run("import", "toy", "talks.json", "--store", store)
    assert done.returncode == 0
    assert "findings: no errors, 1 warning, no notes. To see them:" in done.stdout
    (command,) = commands(done.stdout)
    shown = run(line=command)
    assert shown.returncode == 0
    assert "CG-TOY-001" in shown.stdout


def test_a_single_dialogue_is_not_called_dialogues(run: Run, tmp_path: Path) -> None:
    write_talks(tmp_path / "talks.json", "hello")
    told = run("import", "toy", "talks.json").stdout
    assert "toy: 1 dialogue and 1 event written to commonground-store in " in told
    assert "findings: none" in told


def test_a_file_that_cannot_be_read_is_named_with_line_and_column(run: Run, tmp_path: Path) -> None:
    write_talks(tmp_path / "talks.json", "hello")
    (tmp_path / "talks-2.json").write_text("{\n  nonsense}", encoding="utf-8")
    done = run("import", "toy", "talks.json", "talks-2.json")
    assert done.returncode == 1
    assert "1 file could not be read, or only in part:" in done.stdout
    told = " ".join(done.stdout.split())
    assert "talks-2.json: The text is not valid JSON here: " in told
    assert "(line 2, column 3)." in told
    assert "toy: 1 dialogue and 1 event written" in done.stdout


def test_unreadable_files_can_be_allowed(run: Run, tmp_path: Path) -> None:
    write_talks(tmp_path / "talks.json", "hello")
    (tmp_path / "talks-2.json").write_bytes(b"")
    (tmp_path / "broken.zip").write_bytes(b"PK")
    words = ("import", "toy", "talks.json", "talks-2.json", "broken.zip", "--json")
    done = run(*words, "--allow-unreadable")
    assert done.returncode == 0
    told = json.loads(done.stdout)
    assert [each["name"] for each in told["unreadable"]] == ["broken.zip", "talks-2.json"]
    assert told["severities"] == {"error": told["errors"], "warning": 0, "note": 0}
    assert run(*words).returncode == 1  # also where nothing had to be done


def test_records_that_are_left_out_are_counted(run: Run, tmp_path: Path) -> None:
    write_talks(tmp_path / "talks.json", "hello")
    talks = [{"talk_id": 7, "lines": []}, {"lines": []}]
    (tmp_path / "talks-2.json").write_text(json.dumps({"train": talks}), encoding="utf-8")
    words = ("import", "toy", "talks.json", "talks-2.json")
    told = "2 records left out, because of errors; their content is in the table native"
    for _ in range(2):  # also where nothing had to be done
        done = run(*words)
        assert done.returncode == 0
        assert told in done.stdout
    assert json.loads(run(*words, "--json").stdout)["left_out"] == 2
    write_talks(tmp_path / "talks-2.json", "bye")
    assert "left out" not in run(*words).stdout


def test_splits_are_in_order_and_numbers_beside_their_names(run: Run, tmp_path: Path) -> None:
    talk = {"lines": [{"who": "ann", "says": "hello"}]}
    talks = {f"fold-{number}": [{"talk_id": f"{number}", **talk}] for number in range(40, 0, -1)}
    (tmp_path / "talks.json").write_text(json.dumps(talks), encoding="utf-8")
    out = run("import", "toy", "talks.json").stdout
    start = out.index("splits: ")
    told = out[start : out.index("findings:")].replace("\n", " ").strip()
    splits = ", ".join(f"fold-{number}\xa01" for number in range(1, 41))
    assert told == f"splits: {splits}"


def test_what_is_replaced_is_told(run: Run, tmp_path: Path) -> None:
    write_talks(tmp_path / "talks.json", "one", "two", "three")
    run("import", "toy", "talks.json")
    write_talks(tmp_path / "talks.json", "one", "two")
    told = " ".join(run("import", "toy", "talks.json").stdout.split())
    assert "replaced: 3 talks imported on 20" in told
    assert "by 2; 1 of the old ones is not among the new" in told


@pytest.mark.parametrize("corpus", a_few(["photobook", "simmc", "mpchat"], ["photobook", "simmc"]))
def test_pictures_beside_the_files_are_offered(run: Run, tmp_path: Path, corpus: str) -> None:
    run("simulate", corpus, "my files", "--dialogues", "2")
    done = run("import", corpus, "my files", "--store", "s")
    assert "They are not used yet. To use them:" in done.stdout
    offered = next(commands(done.stdout))
    assert "--images 'my files/images' " in offered
    again = run(line=offered)
    assert again.returncode == 0
    assert "They are not used yet" not in again.stdout
    summary = json.loads(run("--json", line=offered).stdout)
    images = summary["images"]
    assert images["used"] is True
    assert images["found"] == images["wanted"] - len(images["missing"]) > 0
    assert summary["manifest"]["images"] == images["folder"]


@pytest.mark.parametrize("named", a_few(["files/logs", "elsewhere/logs"], ["files/logs"]))
def test_pictures_beside_the_folder_are_offered(run: Run, tmp_path: Path, named: str) -> None:
    run("simulate", "photobook", "files", "--dialogues", "2")
    shutil.copytree(tmp_path / "files" / "logs", tmp_path / "elsewhere" / "logs")
    done = run("import", "photobook", named, "--json")
    images = json.loads(done.stdout)["images"]
    if named == "files/logs":
        assert images["folder"] == "files/images"
        assert (images["used"], images["missing"]) == (False, [])
        offered = next(commands(run("import", "photobook", named).stdout))
        assert json.loads(run("--json", line=offered).stdout)["images"]["used"] is True
    else:
        assert images is None


def test_pictures_in_an_object_store_are_to_be_copied(
    run: Run, tmp_path: Path, objects: ObjectStore
) -> None:
    run("simulate", "photobook", "files", "--dialogues", "2")
    shutil.copytree(tmp_path / "files", objects.folder / "talks/files")
    told = " ".join(run("import", "photobook", "s3://talks/files").stdout.split())
    assert "next to the files, in an object store. To use them, copy them to a local folder" in told
    assert "s3:/" not in told


def test_pictures_in_archives_are_to_be_unpacked(run: Run, tmp_path: Path) -> None:
    run("simulate", "photobook", "files", "--dialogues", "2")
    number = len(list((tmp_path / "files").rglob("*.jpg")))
    shutil.make_archive(str(tmp_path / "packed"), "zip", tmp_path / "files")
    told = " ".join(run("import", "photobook", "packed.zip").stdout.split())
    assert f"pictures: {number} pictures next to the files, in archives. To use them" in told
    unpacked = ("files/logs", "--images", "files/images", "--json", "--replace")
    images = json.loads(run("import", "photobook", *unpacked).stdout)["images"]
    assert (images["used"], images["missing"]) == (True, [])


def test_pictures_that_are_missing_are_named(run: Run, tmp_path: Path) -> None:
    run("simulate", "photobook", "files", "--dialogues", "2")
    first, *rest = sorted((tmp_path / "files").rglob("*.jpg"))
    first.unlink()
    images = rest[0].parents[1]
    done = run("import", "photobook", "files", "--images", images)
    told = " ".join(done.stdout.split())
    assert f"pictures: {len(rest)} of {len(rest) + 1} found below " in told
    assert f"missing: {first.relative_to(images)}" in told


def test_the_command_that_unpacks_a_file_stands_on_one_line(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / ("a folder with a name so long that lines are broken " * 3).strip()
    folder.mkdir()
    write_talks(folder / "talks.json", "one", "two")
    packed = folder / "other" / "talks.json"
    packed.parent.mkdir()
    packed.write_bytes(gzip.compress((folder / "talks.json").read_bytes()))
    imported, checked = (run(word, "toy", folder) for word in ("import", "check"))
    assert (imported.returncode, checked.returncode) == (1, 1)
    (command,) = {
        line.partition("Unpack it: ")[2]
        for line in (imported.stdout + checked.stdout).splitlines()
        if "Unpack it: " in line
    }
    subprocess.run(["bash", "-c", command], check=True)
    assert packed.read_bytes() == (folder / "talks.json").read_bytes()


def test_columns_of_chats_that_are_not_known_are_kept_and_named(run: Run, tmp_path: Path) -> None:
    table = "chat,author,text,mood,sent\n1,ann,hi,glad,noon\n1,ben,hello,,noon\n"
    (tmp_path / "chats.csv").write_text(table, encoding="utf-8")
    assert "kept in details of events: mood, sent\n" in run("import", "chats", "chats.csv").stdout
    line = '{"messages": [{"role": "user", "content": "hi", "weight": 1}], "topic": "tea"}\n'
    (tmp_path / "chats.jsonl").write_text(line, encoding="utf-8")
    said = run("import", "chats", "chats.jsonl", "--store", "other").stdout
    assert "kept in details of events: weight\nkept in attributes of dialogues: topic\n" in said
