"""``baseline`` and ``report`` as a user types them, on the toy corpus."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from commonground.bench.evaluation import tasks
from commonground.bench.evaluation.baselines import methods as baselines
from commonground.cli import main
from commonground.corpora import Entry

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(
    toy: Entry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Run]:
    """Runs a command in a folder with four toy talks imported: exit code, output, errors."""
    tasks._find_tasks.cache_clear()
    baselines._find_baselines.cache_clear()
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COMMONGROUND_STORE", raising=False)
    monkeypatch.setattr("commonground.store.arrow.forgo_pandas", lambda: None)

    def call(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.argv", ["commonground", *words])
        with pytest.raises(SystemExit) as stopped:
            main()
        out, err = capsys.readouterr()
        return int(stopped.value.code or 0), out, err

    call("simulate", "toy", "files", "--dialogues", "4")
    call("import", "toy", "files")
    yield call
    tasks._find_tasks.cache_clear()
    baselines._find_baselines.cache_clear()


def test_tasks_show_their_baselines(run: Run) -> None:
    found = {each["name"]: each for each in json.loads(run("tasks", "--json")[1])}
    assert found["toy/mood"]["baselines"] == ["majority", "words", "likeness"]


def test_tasks_name_games_and_the_probe(run: Run) -> None:
    found = {each["inspect"]: each for each in json.loads(run("tasks", "--json")[1])}
    assert found["commonground/photobook_game"]["kind"] == "game"
    assert found["commonground/taskmaster4_agent"]["kind"] == "agent"
    assert found["commonground/probe"]["kind"] == "probe"
    printed = run("tasks")[1]
    assert "inspect eval commonground/photobook_game --model MODEL" in printed
    assert "inspect eval commonground/probe --model MODEL" in printed


def test_all_methods_are_shown_in_one_table(run: Run) -> None:
    code, out, _ = run("baseline", "toy/mood")
    assert code == 0
    assert "trained on train, tested on test" in out
    # Two talks are tested: the first line of each is happy, the second nothing.
    assert "trained on 2 instances (2 dialogues), tested on 4 instances (2 dialogues)" in out
    assert "Overlap: could not be counted" in out
    rows = [line.split() for line in out.splitlines()]
    assert [row[:2] for row in rows if row and row[0] in ("majority", "words")] == [
        ["majority", "0.500"],
        ["words", "0.500"],
    ]


def test_a_saved_model_answers_and_is_reported(run: Run) -> None:
    assert run("baseline", "toy/mood", "--method", "words", "--out", "runs")[0] == 0
    code, out, err = run("baseline", "toy/mood", "--model", "runs/model-words.msgpack", "--json")
    assert err.startswith("words (1 of 1): reading the model\n")
    assert code == 0
    (result,) = json.loads(out)
    assert result["baseline"]["train_s"] is None
    _, out, _ = run("report", "runs/result-words.json")
    assert "commonground, toy: trained on train, tested on test" in out
    _, out, _ = run("report", "runs/result-words.json", "--format", "markdown")
    assert out.startswith("## toy/mood\n")
    _, out, _ = run("report", "runs/result-words.json", "--format", "html")
    assert out.startswith("<!doctype html>")
    ((row,),) = [
        each["rows"] for each in json.loads(run("report", "runs/result-words.json", "--json")[1])
    ]
    assert (row["system"], row["n"], row["kind"]) == ("words", 4, "baseline")


def test_a_report_is_a_chart_too(run: Run, tmp_path: Path) -> None:
    pytest.importorskip("vl_convert")
    assert run("baseline", "toy/mood", "--method", "words", "--out", "runs")[0] == 0
    code, out, err = run("report", "runs/result-words.json", "--figures", "charts", "--json")
    assert (code, err) == (0, "2 files in charts\n")
    assert json.loads(out)
    assert sorted(path.name for path in Path("charts").iterdir()) == [
        "toy-mood.png",
        "toy-mood.svg",
    ]


def test_a_saved_model_learns_nothing(run: Run) -> None:
    code, _, err = run("baseline", "toy/mood", "--model", "x", "--limit", "3")
    assert code == 2
    assert "--model cannot be given with" in err


def test_wrong_names_end_in_one_line(run: Run) -> None:
    for words, told in (
        (("toy/modo",), "There is no task 'toy/modo'"),
        (("toy/mood", "--method", "major"), "Did you mean majority"),
        (("toy/mood", "--test", "dev"), "There is no split 'dev'"),
        (("toy/mood", "--part", "fashion"), "There is no part 'fashion'"),
        (("toy/mood", "--corpus", "frames"), "is not in the store"),
        (("toy/mood", "--model", "files/talks.json"), "is not a model file"),
    ):
        code, _, err = run("baseline", *words)
        assert code in (1, 2)
        assert err.startswith("error: ")
        assert told in err


def test_published_results_stand_alone(run: Run) -> None:
    _, out, _ = run("report", "--task", "simmc/dst")
    out = " ".join(out.split())
    assert "GPT-2 (multimodal)," in out
    assert "Not comparable: average of both domains" in out
    assert "the fifth released neither" in out
    _, out, _ = run("report", "--task", "mpchat/si")
    assert "± 0.0056 **" in out
