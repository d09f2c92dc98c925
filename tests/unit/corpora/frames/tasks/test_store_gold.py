"""Instances name the events of the import that they are about."""

from __future__ import annotations

from pathlib import Path

import pytest

from commonground.corpora import get_corpus
from commonground.corpora.frames.tasks.nlu import task as nlu
from commonground.play.simulating import simulate_corpus
from commonground.store.importing import import_corpus
from commonground.store.opening import load
from commonground.task import Gold


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("frames")
    entry = get_corpus("frames")
    simulate_corpus(entry, folder / "files", dialogues=11, seed=2)
    import_corpus(entry, [folder / "files"], store=folder / "store", jobs=1)
    return folder


def test_events_are_those_of_the_store(folder: Path) -> None:
    corpus = load("frames", folder / "store")
    query = "SELECT dialogue_id, event, text FROM events WHERE speaker = 'user'"
    wanted = {(dialogue, event, text) for dialogue, event, text in corpus.rows(query)}
    found = nlu.TASK.instances(Gold(corpus=corpus))
    assert {(each.dialogue_id, each.event, each.inputs["text"]) for each in found} == wanted
