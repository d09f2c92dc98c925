"""``leaderboard`` and ``report-card``: numbers that are scored again, as a page and as tables."""

from __future__ import annotations

import csv
import io
import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner
from inspect_ai.log import EvalLog, read_eval_log, write_eval_log
from tests.sharing import build_once, keep_open
from tests.thorough import thorough

from commonground.bench.evaluation.overlaps import find_dialogue_overlap
from commonground.bench.inspect_tasks.logs.standings import collect_logs
from commonground.cli import group
from commonground.corpora import get_corpus
from commonground.errors import SourceError, UsageError
from commonground.play.simulating import simulate_corpus
from commonground.store.importing import import_corpus
from commonground.store.opening import load
from commonground.store.shared import describe_overlaps

pytestmark = [
    pytest.mark.filterwarnings(f"ignore::{each}")
    for each in ("ResourceWarning", "DeprecationWarning", "pytest.PytestUnraisableExceptionWarning")
]

TASKS = ("frames/nlu", "mpchat/nrp")
ASKED = [word for name in TASKS for word in ("--task", name)]


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A store of two corpora, and the logs of a card of two tasks."""

    def build(folder: Path) -> None:
        for name in ("frames", "mpchat"):
            simulate_corpus(get_corpus(name), folder / name, dialogues=6, seed=1)
            import_corpus(get_corpus(name), [folder / name], store=folder / "store")
        command = ["report-card", str(folder / "logs"), "--scripted", "--chance", *ASKED]
        done = invoke(*command, "--dialogues", "3", store=folder / "store")
        assert "Asking: frames/nlu, baseline majority" in done.stderr

    folder = build_once(tmp_path_factory, "carded", build)
    with keep_open(folder / "store"):
        yield folder


class Done:
    """What a command printed, and its exit code."""

    def __init__(self, stdout: str, stderr: str, code: int) -> None:
        self.stdout, self.stderr, self.code = stdout, stderr, code


def invoke(*command: str, store: Path, code: int = 0) -> Done:
    done = CliRunner().invoke(group, [*command, "--store", str(store)])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == code, done.output
    return Done(done.stdout, done.stderr, done.exit_code)


def forge(logs: Path, out: Path, change: Callable[[EvalLog], None]) -> Path:
    """Copies logs, and changes the first one."""
    shutil.copytree(logs, out)
    first = min(out.glob("*.eval"))
    log = read_eval_log(str(first))
    change(log)
    write_eval_log(log, str(first))
    return first


def test_a_card_has_a_number_of_each_task_and_system(made: Path) -> None:
    card = json.loads(
        invoke("report-card", str(made / "logs"), "--json", store=made / "store").stdout
    )
    systems = {
        board["task"]: {each["system"] for each in board["standings"]} for board in card["boards"]
    }
    assert systems == {
        "frames/nlu": {"baseline majority", "baseline chance"},
        "mpchat/nrp": {"baseline bm25", "baseline chance"},
    }
    assert {(each["task"], each["number"]) for each in card["boards"]} == {
        ("frames/nlu", "value_f1"),
        ("mpchat/nrp", "recall@1"),
    }


def test_a_card_of_a_task_reads_no_log_of_another(made: Path, tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    shutil.copytree(made / "logs", logs)
    (logs / "cut.eval").write_bytes(b"PK")
    done = invoke(
        "report-card", str(logs), "--task", "mpchat/nrp", "--json", store=made / "store", code=1
    )
    card = json.loads(done.stdout)
    assert [each["task"] for each in card["boards"]] == ["mpchat/nrp"]
    assert [each["log"] for each in card["refused"]] == ["cut.eval"]


def test_a_card_is_printed_and_is_csv(made: Path) -> None:
    printed = invoke("report-card", str(made / "logs"), store=made / "store").stdout
    assert "script" in printed.split()
    told = invoke("report-card", str(made / "logs"), "--csv", store=made / "store").stdout
    rows = list(csv.DictReader(io.StringIO(told)))
    assert len(rows) == 4
    assert all(float(row["low"] or 0) <= float(row["value"]) for row in rows)
    assert len({row["questions"] for row in rows}) == len(TASKS)


def test_a_card_and_a_board_say_how_splits_leak(made: Path, tmp_path: Path) -> None:
    store = made / "store"
    runs = collect_logs(sorted((made / "logs").glob("*.eval")), str(store)).scored
    invoke("leaderboard", str(made / "logs"), str(tmp_path / "out"), "--no-replies", store=store)
    page = (tmp_path / "out" / "index.html").read_text()
    printed = " ".join(invoke("report-card", str(made / "logs"), store=store).stdout.split())
    as_csv = invoke("report-card", str(made / "logs"), "--csv", store=store).stdout
    told = {(row["task"], row["overlap"]) for row in csv.DictReader(io.StringIO(as_csv))}
    for each in runs:
        task, dialogues = each.entry.result.task, {s.dialogue_id for s in each.evaluation.instances}
        corpus = load(task.partition("/")[0], store)
        wanted = describe_overlaps(find_dialogue_overlap(corpus, dialogues))
        assert (task, wanted) in told
        assert wanted in printed
        assert wanted in page
    assert any(overlap for _task, overlap in told)


def test_what_was_asked_is_not_asked_again(made: Path, tmp_path: Path) -> None:
    shutil.copytree(made / "logs", tmp_path / "logs")
    before = sorted(path.name for path in (tmp_path / "logs").iterdir())
    options = ("--scripted", *ASKED, "--dialogues", "3")
    done = invoke("report-card", str(tmp_path / "logs"), *options, store=made / "store")
    assert "Asking" not in done.stderr
    assert sorted(path.name for path in (tmp_path / "logs").iterdir()) == before


def test_the_same_questions_whatever_the_order_of_the_files(made: Path, tmp_path: Path) -> None:
    """Ids are drawn by hash: another import, of files read in another order, has the same."""
    store = tmp_path / "store"
    files = sorted((made / "frames").iterdir(), reverse=True)
    import_corpus(get_corpus("frames"), files, store=store)
    options = ("--chance", "--task", "frames/nlu", "--dialogues", "3", "--json")
    again = json.loads(invoke("report-card", str(tmp_path / "logs"), *options, store=store).stdout)
    card = json.loads(
        invoke("report-card", str(made / "logs"), "--json", store=made / "store").stdout
    )
    mine = {each["task"]: each["questions"] for each in card["boards"]}
    assert again["boards"][0]["questions"] == mine["frames/nlu"]


def test_a_task_of_no_import_is_left_out(made: Path, tmp_path: Path) -> None:
    options = ("--chance", "--task", "simmc/dst", "--task", "mpchat/nrp", "--dialogues", "1")
    done = invoke("report-card", str(tmp_path / "logs"), *options, store=made / "store")
    assert "Left out: simmc/dst, since simmc is not imported." in done.stderr


def test_a_task_whose_test_split_is_lacking_is_left_out(made: Path, tmp_path: Path) -> None:
    """What a system may have learned from tells nothing of it."""
    files, store = tmp_path / "taskmaster3", tmp_path / "store"
    simulate_corpus(get_corpus("taskmaster3"), files, dialogues=4, seed=1)
    import_corpus(get_corpus("taskmaster3"), [files / "data"], store=store)
    import_corpus(get_corpus("frames"), [made / "frames"], store=store)
    options = (
        "--chance",
        "--dialogues",
        "1",
        "--task",
        "frames/nlu",
        "--task",
        "taskmaster3/spans",
    )
    done = invoke("report-card", str(tmp_path / "logs"), *options, store=store)
    left_out = "Left out: taskmaster3/spans, since the import of taskmaster3 has no split 'test'."
    assert left_out in done.stderr
    assert len(list((tmp_path / "logs").iterdir())) == 1


def test_people_stand_first_where_a_task_has_their_answers(tmp_path: Path) -> None:
    files, store = tmp_path / "photobook", tmp_path / "store"
    simulate_corpus(get_corpus("photobook"), files, dialogues=6, seed=1)
    import_corpus(get_corpus("photobook"), [files], store=store)
    options = ("--chance", "--dialogues", "6", "--task", "photobook/marks")
    logs = str(tmp_path / "logs")
    printed = invoke("report-card", logs, *options, store=store).stdout.splitlines()
    assert printed[1].split()[:4] == ["task", "number", "n", "people"]
    card = json.loads(invoke("report-card", logs, "--json", store=store).stdout)
    (board,) = card["boards"]
    kinds = [(each["system"], each["kind"]) for each in board["standings"]]
    assert kinds == [("people", "people"), ("baseline chance", "baseline")]


def test_a_folder_without_logs_has_no_card(made: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="There is no log in "):
        invoke("report-card", str(tmp_path), store=made / "store")


def test_a_leaderboard_is_a_page_and_data(made: Path, tmp_path: Path) -> None:
    out = tmp_path / "board"
    done = invoke("leaderboard", str(made / "logs"), str(out), store=made / "store")
    assert f"Open {out / 'index.html'}" in done.stdout
    data = json.loads((out / "leaderboard.json").read_text())
    page = (out / "index.html").read_text()
    for board in data["boards"]:
        values = [each["number"]["value"] for each in board["standings"]]
        assert values == sorted(values, reverse=True)
        for each in board["standings"]:
            assert f"{each['number']['value']:.3f}" in page
            # One click away is what was said.
            assert (out / each["replies"]).is_file()
            assert each["replies"] in page
    assert data["refused"] == []


@thorough
def test_a_forged_score_changes_no_number_and_is_told(made: Path, tmp_path: Path) -> None:
    def change(log: EvalLog) -> None:
        assert log.results is not None
        for score in log.results.scores:
            for metric in score.metrics.values():
                metric.value = 0.987

    forged = forge(made / "logs", tmp_path / "logs", change)
    out = tmp_path / "board"
    done = invoke(
        "leaderboard", str(tmp_path / "logs"), str(out), "--no-replies", store=made / "store"
    )
    assert f"{forged.name} says otherwise: " in " ".join(done.stdout.split())
    honest = invoke(
        "leaderboard",
        str(made / "logs"),
        str(tmp_path / "honest"),
        "--no-replies",
        "--json",
        store=made / "store",
    )
    mine = json.loads((out / "leaderboard.json").read_text())
    numbers = [
        [each["number"] for board in found["boards"] for each in board["standings"]]
        for found in (mine, json.loads(honest.stdout))
    ]
    assert numbers[0] == numbers[1]
    assert "The log says otherwise: " in (out / "index.html").read_text()


def test_a_refused_log_is_named_and_costs_no_other(made: Path, tmp_path: Path) -> None:
    def change(log: EvalLog) -> None:
        assert log.samples is not None
        log.samples[0].messages[0].content = "Say nothing."

    forged = forge(made / "logs", tmp_path / "logs", change)
    (tmp_path / "logs" / "broken.eval").write_bytes(b"PK")
    out = tmp_path / "board"
    done = invoke(
        "leaderboard",
        str(tmp_path / "logs"),
        str(out),
        "--no-replies",
        store=made / "store",
        code=1,
    )
    assert f"Refused: {forged} asked something else about " in done.stderr.replace("\n", " ")
    data = json.loads((out / "leaderboard.json").read_text())
    assert {each["log"] for each in data["refused"]} == {forged.name, "broken.eval"}
    assert sum(len(each["standings"]) for each in data["boards"]) == 3
    assert forged.name in (out / "index.html").read_text()


def test_nothing_is_written_where_all_logs_are_refused(made: Path, tmp_path: Path) -> None:
    (tmp_path / "broken.eval").write_bytes(b"PK")
    with pytest.raises(SourceError, match="is not a log of inspect_ai"):
        invoke(
            "leaderboard",
            str(tmp_path / "broken.eval"),
            str(tmp_path / "out"),
            store=made / "store",
        )
    assert not (tmp_path / "out").exists()


def test_files_for_the_hub_name_models_and_not_baselines(made: Path, tmp_path: Path) -> None:
    def change(log: EvalLog) -> None:
        log.eval.solver = None
        log.eval.model = "openai/some model"

    forge(made / "logs", tmp_path / "logs", change)
    out = tmp_path / "board"
    options = ("--no-replies", "--dataset", "me/mine")
    invoke("leaderboard", str(tmp_path / "logs"), str(out), *options, store=made / "store")
    (file,) = (out / ".eval_results").iterdir()
    assert file.name == "openai-some-model.yaml"
    (row,) = yaml.safe_load(file.read_text())
    tasks = {each["id"]: each for each in yaml.safe_load((out / "eval.yaml").read_text())["tasks"]}
    assert row["dataset"]["id"] == "me/mine"
    assert row["dataset"]["task_id"] in tasks
    assert 0 <= row["value"] <= 1
    assert "n = 3 of " in row["notes"]
    assert all({"field_spec", "solvers", "scorers"} <= each.keys() for each in tasks.values())
