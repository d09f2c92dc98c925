"""Providers fail, and processes are killed: nothing is dropped silently, nothing asked twice."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import eval as run_tasks
from inspect_ai import eval_retry
from inspect_ai.log import EvalLog, list_eval_logs, read_eval_log
from inspect_ai.model import GenerateConfig, get_model
from tests.thorough import a_few, thorough
from tests.unit.bench.inspect_tasks.saying import list_values
from tests.unit.bench.inspect_tasks.stub import Answer, Said, Stub, serve

from commonground.bench.evaluation.reporting import make_reports
from commonground.bench.inspect_tasks import TASKS
from commonground.bench.inspect_tasks.logs.results import read_logs
from commonground.errors import TaskError

pytest.importorskip("openai")
TASK = "commonground/photobook_segments"
RIGHT = Said("[]")


def make_command(stub: Stub, store: Path, *more: str) -> tuple[list[str], dict[str, str]]:
    command = [sys.executable, "-m", "inspect_ai", *more, "--display", "plain"]
    environment = {
        **os.environ,
        "COMMONGROUND_STORE": str(store),
        "STUB_BASE_URL": stub.url,
        "STUB_API_KEY": "none",
        "INSPECT_LOG_DIR": "logs",
        "INSPECT_CACHE_DIR": "cache",
        "XDG_DATA_HOME": "data",
        "XDG_CACHE_HOME": "cache",
    }
    return command, environment


def ask(
    stub: Stub, store: Path, folder: Path, options: dict[str, Any] | None = None, **more: Any
) -> EvalLog:
    """Runs a task and returns its log."""
    model = get_model(
        "openai-api/stub/model",
        base_url=stub.url,
        api_key="none",
        memoize=False,
        config=GenerateConfig(**more.pop("config", {})),
    )
    (log,) = run_tasks(
        TASKS["photobook_segments"](split="all", store=str(store), **(options or {})),
        model=model,
        display="none",
        log_dir=str(folder / "logs"),
        log_realtime=False,
        **more,
    )
    return log


def find_file(log: EvalLog) -> Path:
    return Path(log.location.removeprefix("file://"))


def test_tasks_are_asked_of_a_provider(store: Path, tmp_path: Path) -> None:
    with serve(lambda _number, _body: RIGHT) as stub:
        log = ask(stub, store, tmp_path, {"limit": 3})
    assert log.status == "success", log.error
    assert log.eval.task == TASK
    assert len(stub.asked) == len(log.samples or ()) == log.eval.metadata["samples"]  # type: ignore[index]
    roles = [[message["role"] for message in body["messages"]] for body in stub.asked]
    assert roles == [["system", "user"]] * len(roles)


def test_busy_and_broken_providers_are_asked_again(store: Path, tmp_path: Path) -> None:
    faults = {0: Said(status=429), 1: Said(status=500), 2: Said(status=503)}
    with serve(lambda number, _body: faults.get(number, RIGHT)) as stub:
        log = ask(stub, store, tmp_path, {"limit": 3}, config={"max_connections": 3})
    assert log.status == "success", log.error
    assert len(log.samples or ()) == 3
    assert len(stub.asked) == 6


def test_odd_replies_are_counted(store: Path, tmp_path: Path) -> None:
    odd = [Said(""), Said('[{"round": 0, "mess', ends="length"), Said('{"a": 1}')]
    with serve(lambda number, _body: dict(enumerate(odd)).get(number, RIGHT)) as stub:
        log = ask(stub, store, tmp_path, {"limit": 4}, max_samples=1)
    values = list_values(log)
    assert values["unread"] == 3
    (run,) = read_logs([find_file(log)])
    problems = {each.kind: each.count for each in run.evaluation.result.problems}
    assert problems == {"unread replies": 3}
    reasons = [score.reason for each in log.samples or () for score in (each.scores or {}).values()]
    assert sorted(filter(None, reasons)) == ["cut_off", "invalid_response_format", "no_response"]
    told = {name: count for name, count in run.asked.outcomes.items() if count}
    assert told == {"cut off": 1, "malformed": 1, "empty": 1}


LATE = Said("[]", after_s=600.0)
MALFORMED = Said(raw=b"<html>busy</html>")
CUT_OFF = Said("[]", cut_at=40)


def patience(fault: Said) -> int:
    """How many seconds an answer may take: few only where one comes late."""
    return 10 if fault is LATE else 300


@pytest.mark.parametrize("fault", a_few([LATE, CUT_OFF], [CUT_OFF]), ids=["late", "cut off"])
def test_what_comes_late_or_cut_off_is_asked_again(
    fault: Said, store: Path, tmp_path: Path
) -> None:
    with serve(lambda number, _body: fault if number == 0 else RIGHT) as stub:
        config = {"attempt_timeout": patience(fault), "max_retries": 2, "max_connections": 1}
        log = ask(stub, store, tmp_path, {"limit": 2}, config=config)
    assert log.status == "success", log.error
    assert len(log.samples or ()) == 2
    assert len(stub.asked) == 3


@thorough
@pytest.mark.parametrize(
    "fault", a_few([LATE, MALFORMED, CUT_OFF], [MALFORMED]), ids=["late", "malformed", "cut off"]
)
def test_what_stays_broken_is_in_the_log_and_counted(
    fault: Said, store: Path, tmp_path: Path
) -> None:
    """One question fails for good; the others are asked where the user wants that."""
    bad: list[Any] = []

    def answer(_number: int, body: dict[str, Any]) -> Said:
        bad.append(body["messages"])
        return fault if body["messages"] == bad[0] else RIGHT

    with serve(answer) as stub:
        config = {"attempt_timeout": patience(fault), "max_retries": 0, "max_connections": 1}
        log = ask(stub, store, tmp_path, {"limit": 3}, config=config, fail_on_error=False)
    assert log.status == "success", log.error
    failed = [each for each in log.samples or () if each.error is not None]
    assert (len(log.samples or ()), len(failed)) == (3, 1)
    (run,) = read_logs([find_file(log)])
    problems = {each.kind: each.count for each in run.evaluation.result.problems}
    assert problems == {"failed calls": 1}
    # A call that failed is a wrong answer: no number is of those alone that were answered.
    assert (run.evaluation.result.n, run.evaluation.result.n_read) == (3, 2)
    (report,) = make_reports([run.as_result()])
    assert "1 call failed" in report.rows[0].comparable


def test_a_provider_that_says_no_json_ends_the_run(store: Path, tmp_path: Path) -> None:
    with serve(lambda _number, _body: Said(status=400)) as stub:
        log = ask(stub, store, tmp_path, {"limit": 2})
    assert log.status == "error"
    with pytest.raises(TaskError, match="it ended with 'error'"):
        read_logs([find_file(log)])


def test_a_second_run_asks_nobody(
    store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INSPECT_CACHE_DIR", str(tmp_path / "cache"))
    with serve(lambda _number, _body: RIGHT) as stub:
        first = ask(stub, store, tmp_path, {"limit": 2}, config={"cache": True})
        assert len(stub.asked) == 2
    # The cache knows a provider by its address, which another one would not have.
    with serve(lambda _number, _body: Said(status=500), stub.server_address[1]) as stub:
        second = ask(stub, store, tmp_path, {"limit": 2}, config={"cache": True})
        assert not stub.asked
    assert list_values(first) == list_values(second)


def test_a_run_that_broke_off_goes_on_where_it_was(
    store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STUB_API_KEY", "none")
    with serve(lambda number, _body: RIGHT if number < 2 else Said(status=400)) as stub:
        monkeypatch.setenv("STUB_BASE_URL", stub.url)
        broken = ask(stub, store, tmp_path, {"limit": 4}, max_samples=1)
        assert broken.status == "error"
        before, asked = stub.asked[:2], len(stub.asked)
        stub.answer = lambda _number, _body: RIGHT
        (log,) = eval_retry(broken, log_dir=str(tmp_path), display="none")
        after = stub.asked[asked:]
    assert log.status == "success"
    assert len(log.samples or ()) == 4
    assert len(after) == 2
    assert not [body for body in after if body in before]


@thorough
def test_a_killed_run_goes_on_where_it_was(store: Path, tmp_path: Path) -> None:
    is_slow = True

    def answer(number: int, _body: dict[str, Any]) -> Said:
        return Said("[]", after_s=600 if is_slow and number >= 4 else 0)

    with serve(answer) as stub:
        more = ("eval", TASK, "--model", "openai-api/stub/model", "-T", "split=all")
        command, environment = make_command(
            stub, store, *more, "--max-samples", "1", "--log-buffer", "1"
        )
        process = subprocess.Popen(
            command,
            cwd=tmp_path,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        deadline = time.monotonic() + 300
        while len(stub.asked) < 5 and time.monotonic() < deadline:
            time.sleep(0.1)
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        (info,) = list_eval_logs(str(tmp_path / "logs"))
        is_slow = False
        before = [json.dumps(body) for body in stub.asked[:4]]
        retry, environment = make_command(stub, store, "eval-retry", info.name)
        done = subprocess.run(
            retry,
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=600,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        after = [json.dumps(body) for body in stub.asked[5:]]
    log = read_eval_log(list_eval_logs(str(tmp_path / "logs"))[0])
    assert log.status == "success"
    assert len(log.samples or ()) == log.eval.metadata["samples"]  # type: ignore[index]
    assert not set(before) & set(after)


def test_answers_by_schema(store: Path, tmp_path: Path) -> None:
    answers: Answer = lambda _number, _body: Said('{"answer": []}')  # noqa: E731
    with serve(answers) as stub:
        log = ask(stub, store, tmp_path, {"limit": 2, "answers": "schema"})
    assert list_values(log)["unread"] == 0
    form = stub.asked[0]["response_format"]["json_schema"]
    assert form["name"] == "photobook_segments"
    item = form["schema"]["properties"]["answer"]["items"]
    assert item["required"] == ["round", "messages", "images"]


def test_a_run_without_a_provider_ends_at_once(store: Path, tmp_path: Path) -> None:
    """inspect_ai would try to connect for ever."""
    with serve(lambda _number, _body: RIGHT) as stub:
        pass
    more = ("eval", TASK, "--model", "openai-api/stub/model", "-T", "split=all")
    command, environment = make_command(stub, store, *more)
    done = subprocess.run(
        command, env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=300
    )
    said = " ".join((done.stdout + done.stderr).split())
    assert done.returncode != 0
    assert "Nothing answers at" in said
    assert "set STUB_BASE_URL to its address" in said
    assert "Traceback" not in said
