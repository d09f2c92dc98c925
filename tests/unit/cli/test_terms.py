"""What says the terms of a corpus where its dialogues are handed on, as a user meets it."""

from __future__ import annotations

import json
import os
import pty
from pathlib import Path

import pytest
from tests.forks import Fork, run
from tests.sharing import build_once
from tests.thorough import thorough

from commonground.corpora import get_corpus
from commonground.exports.format import iterate_exports
from commonground.exports.terms import TERMS_NAME
from commonground.files.simulated import NAME
from commonground.play.simulating import simulate_corpus
from commonground.store.importing import import_corpus
from commonground.store.opening import load


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Frames and Taskmaster as if released, PhotoBook as invented."""

    def build(folder: Path) -> None:
        for name in ("frames", "photobook", "taskmaster3"):
            simulate_corpus(get_corpus(name), folder / name, dialogues=2, seed=1)
            if name != "photobook":
                (folder / name / NAME).unlink()
            import_corpus(get_corpus(name), [folder / name], store=folder / "store")

    return build_once(tmp_path_factory, "terms", build) / "store"


@pytest.mark.parametrize("name", [each.name for each in iterate_exports()])
def test_every_export_says_licence_terms_and_citation(
    store: Path, tmp_path: Path, name: str
) -> None:
    words = ("--corpus", "frames", "--corpus", "taskmaster3", "--store", store)
    done = run("export", name, "out", *words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "The terms of Frames bar redistribution" in done.stdout
    assert "Taskmaster" not in done.stdout
    text = (tmp_path / "out" / TERMS_NAME).read_text(encoding="utf-8")
    for corpus in ("frames", "taskmaster3"):
        about = get_corpus(corpus).manifest
        for each in (about.licence, about.terms, about.homepage, about.citation.strip()):
            assert each in text
    assert text.count("Redistribution: **barred**") == 1
    assert text.count("Redistribution: allowed") == 1
    assert "`loss.json`" in text


def test_invented_dialogues_are_bound_by_no_terms(store: Path, tmp_path: Path) -> None:
    done = run("export", "csv", "out", "--corpus", "photobook", "--store", store, cwd=tmp_path)
    assert "terms" not in done.stdout
    assert "does not bind you" in (tmp_path / "out" / TERMS_NAME).read_text(encoding="utf-8")
    done = run("site", "pages", "--corpus", "photobook", "--store", store, cwd=tmp_path)
    assert done.returncode == 0
    assert "none stated" not in done.stderr


@pytest.mark.parametrize(("corpus", "stated"), [("frames", True), ("photobook", False)])
def test_a_page_to_send_states_the_terms_of_released_dialogues(
    store: Path, tmp_path: Path, corpus: str, stated: bool
) -> None:
    first = load(corpus, store)[0].dialogue_id
    done = run("show", corpus, first, "--html", "page.html", "--store", store, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("page.html: ")
    assert (get_corpus(corpus).manifest.licence in done.stderr) is stated


def test_a_site_that_may_not_be_passed_on_is_not_written_unasked(
    store: Path, tmp_path: Path
) -> None:
    words = ("site", "pages", "--corpus", "frames", "--jobs", "1", "--store", store)
    done = run(*words, cwd=tmp_path)
    assert done.returncode == 2
    assert "The terms of Frames bar redistribution." in done.stderr
    assert "--yes" in done.stderr
    assert not (tmp_path / "pages").exists()
    done = run(*words, "--yes", "--json", cwd=tmp_path)
    assert done.returncode == 0
    assert json.loads(done.stdout)["dialogues"] == 2
    assert get_corpus("frames").manifest.terms in done.stderr
    assert "**barred**" in (tmp_path / "pages" / TERMS_NAME).read_text(encoding="utf-8")


@thorough
def test_a_site_that_may_be_passed_on_states_its_terms(store: Path, tmp_path: Path) -> None:
    words = ("--corpus", "taskmaster3", "--jobs", "1", "--store", store)
    done = run("site", "pages", *words, cwd=tmp_path)
    assert done.returncode == 0
    assert "Licence of Taskmaster-3 (TicketTalk): CC BY 4.0." in done.stderr


def test_others_are_shown_it_only_after_a_question(store: Path, tmp_path: Path) -> None:
    done = run("serve", "--host", "0.0.0.0", "--port", "0", "--store", store, cwd=tmp_path)  # noqa: S104
    assert done.returncode == 2
    assert "The terms of Frames bar redistribution." in done.stderr
    assert done.stdout == ""


def test_people_are_asked(store: Path, tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    with os.fdopen(theirs, "r+b", buffering=0) as terminal, os.fdopen(ours, "r+b", 0) as keys:
        words = ("site", "pages", "--corpus", "frames", "--jobs", "1", "--store", store)
        asking = Fork(*words, cwd=tmp_path, stdin=terminal, stderr=terminal)
        keys.write(b"n\n")
        asking.wait()
        asking.stdout.close()
        assert b"Still write the site, for your own use?" in keys.read(4096)
    assert not (tmp_path / "pages").exists()


def test_terms_of_ones_own_chats_are_ones_own(tmp_path: Path) -> None:
    (tmp_path / "chats.csv").write_text("chat,author,text\n1,ann,hi\n", encoding="utf-8")
    assert run("import", "chats", "chats.csv", cwd=tmp_path).returncode == 0
    assert run("export", "chat", "out", "--corpus", "chats", cwd=tmp_path).returncode == 0
    text = (tmp_path / "out" / TERMS_NAME).read_text(encoding="utf-8")
    assert "- Licence: that of your own files\n" in text
    assert "- Redistribution: yours to decide" in text
    assert "From:" not in text
    assert "http" not in text
