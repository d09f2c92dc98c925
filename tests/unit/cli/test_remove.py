"""``commonground remove`` on the toy corpus."""

from __future__ import annotations

import os
import pty
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.conftest import TOY_FOLDER
from tests.forks import Fork, run

import commonground as cg
from commonground.store.importing.summary import ImportSummary
from commonground.store.layout.manifest import list_imports


@pytest.fixture
def store(
    write_talks: Callable[..., Path], import_toy: Callable[..., ImportSummary], tmp_path: Path
) -> Path:
    import_toy(write_talks({"t1": ["one"], "t2": ["two"]}))
    return tmp_path / "store"


def test_a_corpus_is_removed_and_no_other(store: Path, tmp_path: Path) -> None:
    files = cg.simulate("frames", tmp_path / "frames", dialogues=1)
    cg.import_files("frames", files, store=store)
    done = run("remove", "toy", "--yes", "--store", store)
    assert (done.returncode, done.stderr) == (0, "")
    assert list_imports(store) == ["frames"]
    assert not list((store / "toy").glob("data-*"))
    assert len(cg.load("frames", store=store)) == 1


def test_who_has_it_open_reads_on(store: Path, open_toy: Callable[[], cg.Corpus]) -> None:
    corpus = open_toy()
    assert run("remove", "toy", "--yes", "--store", store).returncode == 0
    assert [each.dialogue_id for each in corpus] == ["t1", "t2"]


def test_a_damaged_corpus_is_removed(store: Path) -> None:
    (store / "toy" / "manifest.json").write_text("{", encoding="utf-8")
    assert run("remove", "toy", "--yes", "--store", store).returncode == 0
    assert list_imports(store) == []
    assert not list((store / "toy").glob("data-*"))


def test_it_can_be_imported_again(
    store: Path, write_talks: Callable[..., Path], import_toy: Callable[..., ImportSummary]
) -> None:
    run("remove", "toy", "--yes", "--store", store)
    summary = import_toy(write_talks({"t3": ["three"]}), replace=False)
    assert (summary.replaced, summary.manifest.counts["dialogues"]) == (None, 1)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["toy"], "has to be confirmed"),
        (["nosuch", "--yes"], "'nosuch' is not in the store"),
        (["../store/toy", "--yes"], "is not in the store"),
    ],
)
def test_what_is_refused_removes_nothing(store: Path, words: list[str], says: str) -> None:
    done = run("remove", *words, "--store", store)
    assert done.returncode != 0
    assert says in done.stderr
    assert list_imports(store) == ["toy"]


@pytest.mark.parametrize(("answer", "left"), [("n", ["toy"]), ("y", [])])
def test_people_are_asked(store: Path, answer: str, left: list[str]) -> None:
    ours, theirs = pty.openpty()
    with os.fdopen(theirs, "r+b", buffering=0) as terminal, os.fdopen(ours, "r+b", 0) as keys:
        environment = {**os.environ, "COMMONGROUND_CORPORA": str(TOY_FOLDER)}
        asking = Fork(
            *("remove", "toy", "--store", store),
            env=environment,
            stdin=terminal,
            stderr=terminal,
        )
        keys.write(f"{answer}\n".encode())
        asking.wait()
        asking.stdout.close()
        assert b"Remove toy, 2 dialogues?" in keys.read(4096)
    assert list_imports(store) == left
