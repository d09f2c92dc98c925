"""Splits of one's own mix threads that were released with candidates and without."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.thorough import one_in

import commonground as cg
from commonground.errors import TaskError
from commonground.store.corpus import Corpus

TASKS = ("mpchat/nrp", "mpchat/gpp", "mpchat/si")


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Corpus]:
    """Invented files, and their import in the released splits."""
    folder = tmp_path_factory.mktemp("released")
    files = cg.simulate("mpchat", folder / "files", dialogues=24)
    cg.import_files("mpchat", files, store=folder / "store")
    return files, cg.load("mpchat", folder / "store")


def import_tested(files: Path, corpus: Corpus, tested: set[str], folder: Path) -> Path:
    """Imports threads again, some of them as `test` and the others as `train`; gives the store."""
    rows = [f"{each},{'test' if each in tested else 'train'}" for each in corpus.ids()]
    listed = folder / "mine.csv"
    listed.write_text("\n".join(["id,split", *rows]), encoding="utf-8")
    cg.import_files("mpchat", files, splits=listed, store=folder / "store")
    return folder / "store"


@pytest.mark.parametrize("task", one_in(3, TASKS))
def test_threads_without_candidates_are_counted(
    task: str, released: tuple[Path, Corpus], tmp_path: Path
) -> None:
    files, corpus = released
    lacking, ranked = corpus.ids("train")[::2], corpus.ids("test")
    store = import_tested(files, corpus, {*lacking, *ranked}, tmp_path)
    asked = [each for each in cg.instances(task, split="test", store=store) if each.gold]
    without = [each for each in asked if "candidates" not in each.inputs]
    assert without
    (result,) = cg.run_baselines(task, "bm25", train="train", test="test", store=store)
    (problem,) = result.problems
    assert (problem.kind, problem.count) == ("messages without candidates", len(without))
    assert problem.example.startswith(f"{without[0].instance_id} in mpchat_")
    assert result.skipped == len(without)
    assert result.n == len(asked) - len(without)


@pytest.mark.parametrize("task", one_in(3, TASKS))
def test_a_split_without_candidates_is_refused(
    task: str, released: tuple[Path, Corpus], tmp_path: Path
) -> None:
    files, corpus = released
    store = import_tested(files, corpus, set(corpus.ids("train")), tmp_path)
    expected = rf"of test has candidates to rank: the first is .* in mpchat_{task[7:]}\.json \$"
    with pytest.raises(TaskError, match=expected):
        list(cg.run_baselines(task, "bm25", train="train", test="test", store=store))
