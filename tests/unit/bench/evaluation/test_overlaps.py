"""What is tested and also occurs in training is said in every result."""

from __future__ import annotations

import shutil
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

import commonground as cg
from commonground.bench.evaluation.overlaps import list_overlaps
from commonground.bench.evaluation.reporting import make_reports, read_results
from commonground.cli import group
from commonground.errors import TaskError
from commonground.store.corpus import Corpus


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return cg.simulate("photobook", tmp_path_factory.mktemp("games"), dialogues=8)


@pytest.fixture
def corpus(games: Path, tmp_path: Path) -> Corpus:
    return cg.import_files("photobook", games, holdout=0.25, store=tmp_path / "store")


def find_images(corpus: Corpus, split: str) -> set[str]:
    """File names of the pictures of a split."""
    query = "select object_id from displays join dialogues using (dialogue_id) where split = ?"
    return {path.rpartition("/")[2] for (path,) in corpus.rows(query, [split])}


def test_pictures_of_test_are_looked_for_in_training(corpus: Corpus, tmp_path: Path) -> None:
    test, train = find_images(corpus, "test"), find_images(corpus, "train")
    wanted = f"{len(test & train)} of {len(test)} images of test"
    (found,) = cg.run_baselines(
        "photobook/reference", "random", store=corpus.store.path, out=tmp_path
    )
    scored = cg.evaluate(
        "photobook/reference", found.predictions.path, store=corpus.store.path
    ).result
    assert scored.overlap == found.overlap == list_overlaps(corpus)
    assert found.overlap[0].describe().startswith(wanted)
    words = ["baseline", "photobook/reference", "--method", "random", "--store"]
    shown = CliRunner().invoke(group, [*words, str(corpus.store.path)]).stdout
    assert f"Overlap: {wanted}" in " ".join(shown.split())
    assert wanted in scored.sheet().notes[-1]


def test_a_report_says_it_and_compares_with_nothing_published(
    corpus: Corpus, tmp_path: Path
) -> None:
    list(cg.run_baselines("photobook/reference", "random", store=corpus.store.path, out=tmp_path))
    (report,) = make_reports(read_results([tmp_path / "result-random.json"]))
    row = report.rows[0]
    assert "a hold-out of 25.0% with seed 1" in row.source
    assert "images of test also occur in train" in row.source
    assert row.comparable == "no: on splits other than the released ones"


def test_a_report_says_where_it_could_not_be_counted(corpus: Corpus, tmp_path: Path) -> None:
    """As where split rows of Taskmaster-3 stand for dialogues that the store does not have."""
    list(cg.run_baselines("photobook/reference", "random", store=corpus.store.path, out=tmp_path))
    (result,) = read_results([tmp_path / "result-random.json"])
    (report,) = make_reports([msgspec.structs.replace(result, overlap=[])])
    assert "; overlap with training could not be counted" in report.rows[0].source


def test_where_files_have_the_answers_it_is_said_that_nothing_was_counted(
    games: Path, corpus: Corpus, tmp_path: Path
) -> None:
    (found,) = cg.run_baselines(
        "photobook/reference", "random", store=corpus.store.path, out=tmp_path
    )
    scored = cg.evaluate("photobook/reference", found.predictions.path, gold=[games]).result
    assert scored.sheet().notes[-1] == "Overlap: could not be counted"


def test_users_of_one_fold_are_in_no_other(tmp_path: Path) -> None:
    files = cg.simulate("frames", tmp_path / "files", dialogues=12)
    store = tmp_path / "store"
    cg.import_files("frames", files, store=store)
    (found,) = cg.run_baselines("frames/nlu", "majority", store=store)
    overlap = {each.what: each for each in found.overlap}
    assert (overlap["user"].shared, overlap["user"].test) == (0, "each fold")
    assert overlap["speaker"].shared > 0


def test_a_model_that_learned_from_other_splits_is_refused(
    corpus: Corpus, games: Path, tmp_path: Path
) -> None:
    store = corpus.store.path
    list(cg.run_baselines("photobook/segments", "rounds", store=store, out=tmp_path))
    model = tmp_path / "model-rounds.msgpack"
    (again,) = cg.run_baselines("photobook/segments", model=model, store=store)
    assert again.overlap == list_overlaps(corpus)
    with pytest.raises(TaskError, match=r"trained on train: .* --test, which stands for test"):
        cg.run_baselines("photobook/segments", model=model, test="train", store=store)
    cg.import_files("photobook", games, holdout=0.25, seed=2, store=store)
    told = r"was trained on other splits .* with seed 1.* with seed 2"
    with pytest.raises(TaskError, match=told):
        cg.run_baselines("photobook/segments", model=model, store=store)


def test_a_model_of_a_hold_out_of_other_games_is_refused(games: Path, tmp_path: Path) -> None:
    """Which games are held out depends on which there are, though the splits are named alike."""
    store = tmp_path / "store"
    for place in (0, 1):
        some = tmp_path / f"without-{place}"
        shutil.copytree(games, some)
        sorted((some / "logs").glob("*.json"))[place].unlink()
        cg.import_files("photobook", some, holdout=0.25, store=store)
        if not place:
            list(cg.run_baselines("photobook/segments", "rounds", store=store, out=tmp_path))
    with pytest.raises(TaskError, match="was trained on other files of photobook"):
        cg.run_baselines("photobook/segments", model=tmp_path / "model-rounds.msgpack", store=store)


def test_the_command_line_says_it_of_each_split(corpus: Corpus) -> None:
    words = ["info", "--overlap", "--store", str(corpus.store.path)]
    told = " ".join(CliRunner().invoke(group, words, catch_exceptions=False).output.split())
    assert "The splits of photobook are a hold-out of 25.0% with seed 1." in told
    for each in list_overlaps(corpus):
        assert f"photobook test train {each.what} {each.of:,} {each.shared:,}" in told
    assert "what it is" not in told


def test_an_import_without_splits_to_compare_is_named(tmp_path: Path) -> None:
    words = ["info", "--overlap", "--store", str(tmp_path / "store")]
    told = CliRunner().invoke(group, words, catch_exceptions=False).output
    assert told.split() == ["The", "store", "has", "no", "corpus", "yet."]
    for corpus in ("taskmaster3", "taskmaster4"):
        files = cg.simulate(corpus, tmp_path / corpus, dialogues=1)
        cg.import_files(corpus, files, store=tmp_path / "store")
    told = CliRunner().invoke(group, words, catch_exceptions=False).output
    wanted = "Without a training split and another to compare: taskmaster3, taskmaster4"
    assert " ".join(told.split()) == wanted
