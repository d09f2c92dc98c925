"""Gold from the store is gold from the files."""

from __future__ import annotations

from pathlib import Path

import pytest

from commonground.corpora import get_corpus
from commonground.corpora.mpchat.tasks import gpp, nrp, si
from commonground.play.simulating import simulate_corpus
from commonground.store.importing import import_corpus
from commonground.store.opening import load
from commonground.task import Gold, Task


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("mpchat")
    entry = get_corpus("mpchat")
    simulate_corpus(entry, folder / "files", dialogues=24, seed=2)
    import_corpus(entry, [folder / "files"], store=folder / "store", jobs=1)
    return folder


@pytest.mark.parametrize("split", [None, "test"])
@pytest.mark.parametrize("task", [nrp.TASK, gpp.TASK, si.TASK], ids=lambda task: task.name)
def test_instances_are_the_same(folder: Path, task: Task, split: str | None) -> None:
    corpus = load("mpchat", folder / "store")
    files = sorted((folder / "files").glob("mpchat_*.json"))
    stored = list(task.instances(Gold(corpus=corpus, split=split)))
    assert stored == list(task.instances(Gold(files=files, split=split)))
    assert stored
