"""A demo store, the explorer serving it, and a real browser to look at it with."""

from __future__ import annotations

import shutil
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from tests.browser.visiting import Served
from tests.sharing import build_once

from commonground.bench.evaluation.instances import write_scored
from commonground.corpora import iterate_corpora
from commonground.metric import Counts
from commonground.play.simulating import simulate_corpus
from commonground.store.importing import import_corpus
from commonground.store.opening import open_store
from commonground.task import Scored

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
FOLDER = Path(__file__).parent
DIALOGUES = 8
PATIENCE = 120_000  # ms that a page may take; a busy machine is slow, not wrong
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser")
ARGUMENTS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking")


@pytest.fixture(scope="session")
def demo_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with a few simulated dialogues of every corpus, with pictures where there are any."""

    def build(folder: Path) -> None:
        for entry in iterate_corpora():
            files = folder / entry.name
            simulate_corpus(entry, files, dialogues=DIALOGUES, seed=1)
            pictures = files / "images"
            images = pictures if pictures.is_dir() else None
            import_corpus(entry, [files], store=folder / "store", images=images, jobs=1)

    return build_once(tmp_path_factory, "demo", build) / "store"


@pytest.fixture(scope="session")
def scored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Scored instances: one right, one wrong."""
    path = tmp_path_factory.mktemp("scored") / "scored.parquet"
    counts: dict[str, Counts] = {"f1": {"n": 1}}
    answers = [("1", "yes"), ("2", "no")]
    rows = [
        Scored(instance_id=i, dialogue_id="3", counts=counts, gold="yes", predicted=answer)
        for i, answer in answers
    ]
    write_scored(rows, path)
    return path


@pytest.fixture(scope="session")
def serve_store(scored: Path) -> Iterator[Callable[..., str]]:
    """Serves a store while the tests run; returns the address without the last slash."""
    import uvicorn

    from commonground.explorer.corpora import OpenCorpora
    from commonground.explorer.server.app import create_app

    running: list[tuple[uvicorn.Server, threading.Thread]] = []

    def run(store: Path, results: Path = scored) -> str:
        listener = socket.create_server(("127.0.0.1", 0))
        corpora = OpenCorpora(open_store(store), results=[results])
        application = create_app(corpora)
        config = uvicorn.Config(application, log_level="error", lifespan="off")
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.01)
        running.append((server, thread))
        return f"http://127.0.0.1:{listener.getsockname()[1]}"

    yield run
    for server, thread in running:
        server.should_exit = True
        thread.join(timeout=10)


@pytest.fixture(scope="session")
def explorer(demo_store: Path, serve_store: Callable[..., str]) -> str:
    """Address of the explorer on the demo store."""
    return serve_store(demo_store)


_started = ExitStack()


@cache
def _launch(path: str) -> Any:
    running = _started.enter_context(playwright.sync_playwright())
    browser = running.chromium.launch(executable_path=path, args=list(ARGUMENTS))
    _started.callback(browser.close)
    return browser


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(nextitem: pytest.Item | None) -> None:
    """Ends the browser with the tests of this folder: beside it no other could run a loop."""
    if nextitem is None or nextitem.path.parent != FOLDER:
        _launch.cache_clear()
        _started.close()


@pytest.fixture
def chromium() -> Any:
    """The system's Chromium, without a window; its build that has none takes half the time."""
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        pytest.skip("there is no chromium on this machine")
    playwright.expect.set_options(timeout=PATIENCE)
    return _launch(path)


@pytest.fixture
def new_context(chromium: Any) -> Iterator[Callable[..., Any]]:
    """Opens contexts of the browser, whose pages have all the time that a busy machine needs."""
    contexts: list[Any] = []

    def run(**options: Any) -> Any:
        context = chromium.new_context(**options)
        context.set_default_timeout(PATIENCE)
        contexts.append(context)
        return context

    yield run
    for each in contexts:
        each.close()


@pytest.fixture
def afterwards() -> Iterator[ExitStack]:
    """Calls what ends something, such as a server, once pages are closed: they would complain."""
    with ExitStack() as stack:
        yield stack


@pytest.fixture
def open_page(
    afterwards: ExitStack, new_context: Callable[..., Any]
) -> Iterator[Callable[..., Any]]:
    """Opens pages; afterwards none may have complained or asked for anything elsewhere."""
    complaints: list[str] = []
    contexts: list[Any] = []

    def watch(message: Any) -> None:
        if message.type in ("error", "warning"):
            complaints.append(message.text)

    def ask(request: Any) -> None:
        if not request.url.startswith(("http://127.0.0.1:", "file:", "data:", "blob:")):
            complaints.append(f"asked for {request.url}")

    def run(address: str, **options: Any) -> Any:
        context = new_context(reduced_motion="reduce", **options)
        contexts.append(context)
        page = context.new_page()
        page.on("console", watch)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", ask)
        page.goto(address)
        return page

    yield run
    for context in contexts:
        context.close()
    assert complaints == []


@pytest.fixture
def study(tmp_path: Path) -> Iterator[Served]:
    """A study in English and German that is not served yet."""
    study = Served(tmp_path, "en", "de")
    yield study
    study.kill()


@pytest.fixture
def served(study: Served) -> Served:
    study.start()
    return study
