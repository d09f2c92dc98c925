from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from starlette.testclient import TestClient

from commonground.corpora import get_corpus
from commonground.explorer.corpora import OpenCorpora, Reloader
from commonground.explorer.server.app import create_app
from commonground.explorer.server.serving import open_app
from commonground.play.simulating import simulate_corpus
from commonground.store.importing import import_corpus
from commonground.store.opening import open_store


def test_each_process_answers_as_the_application_does(corpora: OpenCorpora) -> None:
    alone = TestClient(create_app(corpora))
    with TestClient(open_app(corpora.plan())) as served:
        for path in ("/", "/frames/?q=the", "/photobook/d/3.json", "/frames/?q=nosuch:1"):
            made, expected = served.get(path), alone.get(path)
            assert (made.status_code, made.content) == (expected.status_code, expected.content)
        assert served.get("/sql.json", params={"q": "SELECT 1"}).json()["rows"] == [[1]]


def test_what_makes_pages_is_ready_without_pandas() -> None:
    # pyarrow imports it with the first array, which takes as long as all else together.
    code = (
        "import commonground.explorer.server.app, commonground.explorer.static_site.dialogues, sys;"
        "print('pandas' in sys.modules)"
    )
    words = [sys.executable, "-c", code]
    told = subprocess.run(words, capture_output=True, text=True, check=True)
    assert told.stdout == "False\n"


def test_a_new_import_is_noticed(tmp_path: Path) -> None:
    store, entry = tmp_path / "store", get_corpus("frames")
    for number in (3, 5):
        simulate_corpus(entry, tmp_path / f"files-{number}", dialogues=number, seed=1)
    import_corpus(entry, [tmp_path / "files-3"], store=store, jobs=1)
    corpora = OpenCorpora(open_store(store))
    assert corpora.get("frames").searcher.n_dialogues == 3
    import_corpus(entry, [tmp_path / "files-5"], store=store, jobs=1)
    Reloader(corpora).reload()
    assert corpora.get("frames").searcher.n_dialogues == 5


def test_an_import_leaves_the_figures_of_other_corpora_as_they_are(tmp_path: Path) -> None:
    store = tmp_path / "store"
    for name in ("frames", "mpchat"):
        simulate_corpus(get_corpus(name), tmp_path / name, dialogues=3, seed=1)
        import_corpus(get_corpus(name), [tmp_path / name], store=store, jobs=1)
    corpora = OpenCorpora(open_store(store))
    client = TestClient(create_app(corpora))
    simulate_corpus(get_corpus("frames"), tmp_path / "more", dialogues=5, seed=1)
    import_corpus(get_corpus("frames"), [tmp_path / "more"], store=store, jobs=1)
    Reloader(corpora).reload()
    for path in ("/mpchat/figures.json", "/frames/figures.json", "/figures.json"):
        assert client.get(path).json()["figures"], path
