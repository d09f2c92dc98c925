"""A store that lost files, or bytes of them, says so wherever it is asked, and is mended."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import urllib.request
from collections.abc import Callable
from pathlib import Path

import pytest

from commonground.corpora import Entry, get_corpus
from commonground.play.simulating import simulate_corpus
from commonground.store.opening import open_store
from tests.faults.stores import SMALL, count_whole, imported_store, write_talks
from tests.faults.tracing import Done, command, environment, run
from tests.thorough import a_few, thorough

Command = Callable[..., Done]
COUNT = "select count(*) as n from events"


@pytest.fixture
def store(toy: Entry, tmp_path: Path) -> Path:
    return imported_store(tmp_path / "work", write_talks(tmp_path / "files", SMALL))


@pytest.fixture
def part(store: Path) -> Path:
    """The file of the events."""
    (path,) = store.glob("toy/data-*/events-*.parquet")
    return path


@pytest.fixture
def ask(store: Path) -> Command:
    """Runs a command beside the store."""
    return lambda *words: run(*words, cwd=store.parent)


def lose(part: Path) -> str:
    part.unlink()
    return "is missing"


def cut(part: Path) -> str:
    held = part.read_bytes()
    part.write_bytes(held[: len(held) // 2])
    return f"has {len(held) // 2:,} bytes, and {len(held):,} were written"


def empty(part: Path) -> str:
    size = part.stat().st_size
    part.write_bytes(b"")
    return f"has 0 bytes, and {size:,} were written"


@pytest.mark.parametrize("damage", a_few([lose, cut, empty], [cut]))
def test_damage_is_an_error_everywhere_and_mended_by_an_import(
    ask: Command, part: Path, store: Path, damage: Callable[[Path], str]
) -> None:
    what = damage(part)
    # However it is damaged, all commands look at it in the same way.
    others = (
        ["check", "toy"],
        ["check", "--store"],
        ["show", "toy", "t1"],
        ["export", "csv", "out"],
        ["site", "out"],
    )
    for words in (["sql", COUNT], *(others if damage is cut else ())):
        done = ask(*words)
        assert done.status != 0, words
        assert "Traceback" not in done.output
        told = " ".join(done.output.split())
        assert f"events-00000.parquet {what}" in told, words
        assert "commonground import toy PATH" in told, words
    verified = ask("check", "--integrity", "--json")
    assert verified.status == 1
    damages = json.loads(verified.output)[0]["damages"]
    assert damages == [{"corpus": "toy", "where": "events-00000.parquet", "what": what}]
    mended = ask("import", "toy", "../files")
    assert "already" not in mended.output
    assert ask("check", "--integrity").status == 0
    assert count_whole(store) == SMALL


def test_a_changed_byte_is_found_and_mended(ask: Command, part: Path, store: Path) -> None:
    held = bytearray(part.read_bytes())
    held[len(held) // 2] ^= 1
    part.write_bytes(held)
    verified = ask("check", "--integrity")
    assert verified.status == 1
    assert "events-00000.parquet has other bytes than were written" in verified.output
    assert "already" not in ask("import", "toy", "../files").output
    assert ask("check", "--integrity").status == 0


@pytest.mark.parametrize("place", a_few(["start", "middle", "end"], ["middle"]))
def test_bytes_that_cannot_be_read_are_an_error_with_the_remedy(
    ask: Command, part: Path, place: str
) -> None:
    held = bytearray(part.read_bytes())
    at = {"start": 0, "middle": len(held) // 3, "end": len(held) - 8}[place]
    held[at : at + 8] = b"\xff" * 8
    part.write_bytes(held)
    for words in (["sql", "select * from events"], ["export", "csv", "out"], ["show", "toy", "t1"]):
        done = ask(*words)
        assert "Traceback" not in done.output
        if done.status:
            assert (
                "commonground check --integrity" in done.output
                or "commonground import" in done.output
            )


def test_a_stranger_among_the_parts_is_told(ask: Command, part: Path) -> None:
    shutil.copy(part, part.with_name("events-00007.parquet"))
    assert json.loads(ask("sql", COUNT, "--json").output) == [{"n": 2 * SMALL}]
    verified = ask("check", "--integrity")
    assert verified.status == 1
    assert "events-00007.parquet is not part of the import" in verified.output


def test_tables_that_do_not_fit_together_are_told(part: Path, ask: Command) -> None:
    """A part that is whole, and of another import."""
    import hashlib

    import pyarrow.parquet as pq

    table = pq.read_table(part)
    pq.write_table(table.slice(1), part)
    manifest = part.parents[1] / "manifest.json"
    held = json.loads(manifest.read_text())
    for each in held["parts"]:
        if each["name"] == part.name:
            data = part.read_bytes()
            each.update(rows=table.num_rows - 1, size=len(data))
            each["sha256"] = hashlib.sha256(data).hexdigest()
    held["counts"]["events"] -= 1
    manifest.write_text(json.dumps(held))
    told = ask("check", "--integrity").output
    assert "dialogues has 1 row whose n_events are not as many" in told
    assert "events has 1 row of dialogues whose events are not numbered from 0 on" in told


@pytest.fixture
def two_corpora(store: Path, tmp_path: Path) -> Path:
    simulate_corpus(get_corpus("frames"), tmp_path / "frames", dialogues=2, seed=1)
    assert run("import", "frames", "../frames", cwd=store.parent).status == 0
    return store


@pytest.mark.parametrize("damaged", a_few(["{", '{"schema_version": 1}', ""], ["{"]))
def test_a_damaged_corpus_disables_no_other(two_corpora: Path, ask: Command, damaged: str) -> None:
    (two_corpora / "frames" / "manifest.json").write_text(damaged)
    listed = ask("info", "--json")
    rows = {row["name"]: row for row in json.loads(listed.output)}
    assert rows["toy"]["imported_dialogues"] == SMALL
    assert "frames" in rows["frames"]["damaged"]
    # A count over all would be wrong, so it is refused; the others can be asked.
    refused = ask("sql", COUNT)
    assert refused.status == 1
    assert "To query only the others: --corpus toy" in refused.output
    asked = ask("sql", COUNT, "--corpus", "toy", "--json")
    assert json.loads(asked.output) == [{"n": 2 * SMALL}]
    assert ask("show", "toy", "t1").status == 0
    assert open_store(two_corpora).corpora() == ["toy"]
    assert ask("check", "--integrity").status == 1
    assert ask("import", "frames", "../frames").status == 0
    assert ask("check", "--integrity").status == 0


READ_ONLY = """
mount --bind commonground-store commonground-store
mount -o remount,ro,bind commonground-store
export HOME=/proc/none
exec "$@"
"""
"""Runs a command that can write neither to the store nor to a home."""


@pytest.fixture
def read_only() -> list[str]:
    words = ["unshare", "--mount", "bash", "-e", "-c", READ_ONLY, "bash"]
    if os.getuid() != 0 or shutil.which("unshare") is None:
        pytest.skip("only root can make a store that cannot be written")
    return words


def test_a_store_that_cannot_be_written_is_read(store: Path, read_only: list[str]) -> None:
    for words in (["sql", COUNT, "--json"], ["info"], ["check", "--integrity"], ["site", "../out"]):
        done = run(*words, cwd=store.parent, under=read_only)
        assert done.status == 0, done.output
    refused = run("import", "toy", "../files", "--force", cwd=store.parent, under=read_only)
    assert refused.status == 1
    assert "cannot be written: Read-only file system" in refused.output


@thorough
def test_a_store_that_cannot_be_written_is_served(store: Path, read_only: list[str]) -> None:
    with subprocess.Popen(
        [*read_only, *command("serve", "--port", "0")],
        cwd=store.parent,
        env=environment(),
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        try:
            text = ""
            while not (match := re.search(r"http://\S+", text)):
                text = process.stdout.readline()
                assert text, "it ended before it served"
            with urllib.request.urlopen(f"{match[0]}toy/d/t1") as page:  # noqa: S310 - our own
                assert b"1 word" in page.read()
        finally:
            process.terminate()
