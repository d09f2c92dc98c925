"""A corpus in the store whose code is not at hand is shown, and keeps nothing from the others."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

import pytest
from tests.conftest import import_talks
from tests.forks import run
from tests.thorough import a_few

import commonground as cg
from commonground.explorer.corpora import OpenCorpora
from commonground.explorer.server.app import create_app
from commonground.store.opening import open_store


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of Frames and of the toy corpus, which is not found any more."""
    folder = tmp_path_factory.mktemp("strangers")
    place = folder / "store"
    import_talks(folder, {"t1": ["hello there"]})
    cg.import_files("frames", cg.simulate("frames", folder / "files", dialogues=2), store=place)
    return place


READING = {
    "info": "toy",
    "info --overlap": "toy",
    "info toy --overlap": "toy",
    "info toy": "1 dialogues",
    "show toy t1": "hello there",
    "sql 'select text from events'": "hello there",
    "check toy": "Nothing found",
    "check --integrity": "whole",
    "export csv {out}": "3 dialogues of 2 corpora",
    "export hf {out} --corpus toy": "1 dialogue",
    "export native {out}": "Lost: 1 kind of data, mostly files of corpora without code (1)",
    "site {out} --jobs 1": "3 dialogues",
    "stats frames --figure overview": "dialogues",
    "stats all": "frames",
}
"""Commands that read it, or others beside it, and what they say."""


@pytest.mark.parametrize(
    "words", a_few(READING, READING.keys() - {"info --overlap", "site {out} --jobs 1"})
)
def test_it_is_read_like_any_other(words: str, store: Path, tmp_path: Path) -> None:
    line = shlex.split(words.format(out=tmp_path / "out"))
    done = run(*line, "--store", store)
    assert done.returncode == 0, done.stderr
    assert READING[words] in done.stdout


def test_the_explorer_shows_it(store: Path) -> None:
    from starlette.testclient import TestClient

    with TestClient(create_app(OpenCorpora(open_store(store)))) as client:
        for address in (
            "/",
            "/toy/",
            "/toy/d/t1",
            "/toy/findings",
            "/sql",
            "/frames/",
            "/?q=hello",
        ):
            answer = client.get(address)
            assert answer.status_code == 200, address
        assert "hello there" in client.get("/toy/d/t1").text
        assert "was not found" in client.get("/").text


def test_it_cannot_be_imported(store: Path, tmp_path: Path) -> None:
    done = run("import", "toy", tmp_path / "talks.json", "--store", store)
    assert done.returncode == 2
    assert "There is no corpus 'toy'" in done.stderr


def test_its_released_files_are_not_written_and_the_way_is_said(
    store: Path, tmp_path: Path
) -> None:
    done = run("export", "native", tmp_path / "out", "--corpus", "toy", "--store", store)
    assert done.returncode == 2
    assert "The code of toy was not found" in done.stderr
    assert "$COMMONGROUND_CORPORA" in done.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("nowhere", "which is not a folder"),
        ("empty", "in which no folder has a corpus.toml"),
        ("corpora/toy", "which is itself the folder of a corpus"),
    ],
)
def test_a_variable_that_names_no_corpora_is_said(name: str, says: str, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "corpora/toy").mkdir(parents=True)
    (tmp_path / "corpora/toy/corpus.toml").touch()
    environment = {**os.environ, "COMMONGROUND_CORPORA": str(tmp_path / name)}
    done = run("info", env=environment, cwd=tmp_path)
    assert done.returncode == 2
    assert f"$COMMONGROUND_CORPORA names {tmp_path / name}, {says}" in done.stderr
