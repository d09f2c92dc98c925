"""Readers of a corpus that is imported again and again: each sees one import, whole."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from commonground.corpora import Entry
from commonground.store.opening import open_store
from tests.faults.stores import (
    LARGE,
    SMALL,
    imported_store,
    leftovers,
    write_talks,
)
from tests.faults.tracing import LONG, TOY_FOLDER, command, environment, run
from tests.thorough import thorough

SECONDS = 60 if LONG else 2
LONGEST_S = 600
"""For readers to meet both imports, however busy the machine is."""

EVENTS = {2 * SMALL, 2 * LARGE}

WRITER = """
import sys
from pathlib import Path
from commonground.corpora import get_corpus
from commonground.store.importing import import_corpus
while Path(sys.argv[4]).exists():
    for files in sys.argv[2:4]:
        import_corpus(get_corpus("toy"), [files], store=Path(sys.argv[1]), replace=True)
"""


@pytest.fixture
def store(toy: Entry, tmp_path: Path) -> Path:
    write_talks(tmp_path / "large", LARGE)
    return imported_store(tmp_path / "work", write_talks(tmp_path / "small", SMALL))


@contextmanager
def writer(store: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Imports one and the other in turn, in another process; its last import ends whole."""
    folder = store.parents[1]
    going = folder / "going"
    going.touch()
    words = [str(store), str(folder / "large"), str(folder / "small"), str(going)]
    with subprocess.Popen([command()[0], "-c", WRITER, *words], env=environment()) as process:
        try:
            yield process
        finally:
            going.unlink()
    assert process.returncode == 0


def test_readers_see_one_import_whole(store: Path) -> None:
    seen: set[int] = set()
    began_s = time.monotonic()
    with writer(store) as process:
        while (took_s := time.monotonic() - began_s) < (SECONDS if seen == EVENTS else LONGEST_S):
            assert process.poll() is None, f"the writer ended after {took_s:.0f} s"
            opened = open_store(store)
            corpus = opened.corpus("toy")
            counts = {
                corpus.table("events").num_rows,
                opened.database.rows("SELECT count(*) FROM events")[0][0],
                sum(1 for _ in corpus.iter_events()),
            }
            assert len(counts) == 1
            seen |= counts
    assert seen == EVENTS


def test_a_store_that_is_open_stays_as_it_was(store: Path) -> None:
    opened = open_store(store)
    first = opened.manifests["toy"].data
    until_s = time.monotonic() + LONGEST_S
    with writer(store):
        while open_store(store).manifests["toy"].data == first and time.monotonic() < until_s:
            assert opened.corpus("toy").table("events").num_rows == 2 * SMALL
        for _ in range(20):
            assert opened.corpus("toy").table("events").num_rows == 2 * SMALL
            assert opened.sql("SELECT count(*) AS n FROM events")["n"].to_pylist() == [2 * SMALL]
    assert len(leftovers(store)) == 1  # the import that is read here
    del opened
    assert leftovers(store) == set()


@thorough
def test_commands_see_one_import_whole(store: Path) -> None:
    query = "select count(*) as n from events"
    with writer(store):
        for _ in range(60 if LONG else 6):
            done = run("sql", query, "--json", "--store", str(store), cwd=store.parent)
            assert done.status == 0, done.output
            assert json.loads(done.output)[0]["n"] in EVENTS


def test_the_toy_corpus_is_found() -> None:
    assert (TOY_FOLDER / "toy" / "corpus.toml").exists()
