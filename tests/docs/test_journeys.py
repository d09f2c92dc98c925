"""The four journeys of the map, made: what they name is called, in the order that they tell."""

from __future__ import annotations

import inspect
import json
import re
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import pytest
from starlette.testclient import TestClient
from tests.docs.test_design import DESIGN, NAMES, SOURCE

import commonground as cg
from commonground.corpora import get_corpus
from commonground.explorer.corpora import OpenCorpora
from commonground.explorer.server.app import create_app
from commonground.play.simulating import simulate_corpus
from commonground.store.importing import import_corpus
from commonground.store.opening import open_store

JOURNEYS = DESIGN.read_text(encoding="utf-8").split("## Four journeys")[1].split("\n## ")[0]


def list_told(title: str) -> list[str]:
    """Lists the names of a journey in the order in which it tells of them."""
    text = JOURNEYS.split(f"\n### {title}\n")[1].split("\n### ")[0]
    return [name for name in dict.fromkeys(re.findall(r"`([\w.]+)`", text)) if name in NAMES]


@contextmanager
def note_calls() -> Iterator[list[str]]:
    """Notes functions of the package as they are called for the first time, as dotted names."""
    found: dict[str, None] = {}

    def note(frame: FrameType, event: str, _value: object) -> None:
        path = frame.f_code.co_filename
        # Bodies of modules and classes run, too, where something is first imported.
        is_function = frame.f_code.co_flags & inspect.CO_OPTIMIZED
        if event == "call" and is_function and path.startswith(str(SOURCE)):
            module = path[len(str(SOURCE)) + 1 :].removesuffix(".py").removesuffix("/__init__")
            place = module.replace("/", ".")
            found[place] = found[f"{place}.{frame.f_code.co_qualname}"] = None

    called: list[str] = []
    threading.setprofile(note)
    sys.setprofile(note)
    try:
        yield called
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
        called += found


def follow(title: str, called: list[str], *elsewhere: str) -> None:
    """Sees that a journey goes as it is told.

    Args:
        title: of the journey.
        called: what was called, in order.
        elsewhere: what the journey tells of another turn that the way may take.
    """
    told = [name for name in list_told(title) if name not in elsewhere]
    # What is told of types is what they are, and not when they are called.
    ways = [name for name in told if not name.rpartition(".")[2][0].isupper()]
    assert [name for name in ways if name in called] == ways
    assert sorted(ways, key=called.index) == ways


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("frames")
    simulate_corpus(get_corpus("frames"), folder, dialogues=10, seed=1)
    return folder


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory, files: Path) -> Path:
    folder = tmp_path_factory.mktemp("store")
    import_corpus(get_corpus("frames"), [files], store=folder, jobs=1)
    return folder


def test_a_released_file_to_the_tables(files: Path, tmp_path: Path) -> None:
    with note_calls() as called:
        import_corpus(get_corpus("frames"), [files], store=tmp_path / "store", jobs=1)
    # Nothing was labelled in an earlier import.
    follow("A released file to the tables", called, "store.layers.keep_layers")


def test_a_file_of_predictions_to_a_number(store: Path, tmp_path: Path) -> None:
    answer = {"dialogue_id": cg.load("frames", store).ids()[0], "turn": 0, "acts": []}
    path = tmp_path / "predictions.jsonl"
    path.write_text(json.dumps(answer))
    with note_calls() as called:
        cg.evaluate("frames/nlu", path, store=store)
    follow("A file of predictions to a number", called)


def test_a_dialogue_to_its_page(store: Path) -> None:
    corpora = OpenCorpora(open_store(store))
    dialogue = corpora.get("frames").index.blocks.ids[0]
    with note_calls() as called:
        client = TestClient(create_app(corpora))
        assert client.get(f"/frames/d/{dialogue}").status_code == 200
    follow("A dialogue to its page", called, "site.dialogue.draw_stored")


def test_a_selection_to_an_export(store: Path, tmp_path: Path) -> None:
    with note_calls() as called:
        cg.export("chat", tmp_path / "out", corpus="frames", store=store)
    follow("A selection to an export", called)
