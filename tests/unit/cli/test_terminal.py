"""No text of data acts on a terminal, whatever the command; machines get every byte."""

from __future__ import annotations

import importlib
import io
import json
import os
import pty
import re
import shlex
import shutil
import signal
import socket
from collections.abc import Callable, Iterator
from operator import attrgetter
from pathlib import Path
from typing import Any

import click
import pytest
from tests.conftest import finding_toy
from tests.forks import Fork
from tests.thorough import a_few
from tests.unit.explorer import hostile

from commonground.cli import _file_names, main
from commonground.cli._streams import VisibleStream
from commonground.corpora import Entry, get_corpus, iterate_corpora
from commonground.printing import make_visible

KINDS = ("frames", "photobook", "simmc2")
"""Corpora that are drawn each in another way."""

EVIL = (
    "\x1b]52;c;ZXZpbA==\x07\x1b]0;owned\x1b\\\x1b[2J\x1b[31m\x9b2J\x9d0;x\x9c\x90q\x9c"
    "\b\b\v\f\r\x00\x7f\x85\u2028\u202eevil\u2066[red]:warning:[/]"
)
ACTING = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
COLOURS = re.compile(r"\x1b\[[0-9;]*m")
FOLDER = "a\x1b[31m\x9b\u202eb"
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="module")
def evil_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store in which every text is evil."""
    with finding_toy() as toy, pytest.MonkeyPatch.context() as patch:
        patch.setattr(hostile, "LINK", EVIL)
        return hostile.write_hostile_store(toy, tmp_path_factory.mktemp("evil"), payload=EVIL)


@pytest.fixture
def evil(toy: Entry, evil_store: Path, tmp_path: Path) -> Path:
    """A folder of evil name with such a store, and files for commands."""
    folder = tmp_path / FOLDER
    shutil.copytree(evil_store, folder / "hostile")
    talks = {EVIL: [{"talk_id": EVIL, "lines": [{"who": EVIL, "says": EVIL, EVIL: 1}, {EVIL: 2}]}]}
    (folder / f"talks{FOLDER}.json").write_text(json.dumps(talks), encoding="utf-8")
    (folder / "result.json").write_text(json.dumps({EVIL: EVIL}), encoding="utf-8")
    return folder


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Run]:
    """Runs a command to its end; the explorer ends as soon as it is ready."""
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    monkeypatch.setattr("commonground.store.arrow.forgo_pandas", lambda: None)
    monkeypatch.setattr("click.launch", lambda _: None)

    def serve_nobody(_: object, sockets: list[socket.socket]) -> None:
        for each in sockets:
            each.close()

    monkeypatch.setattr("uvicorn.Server.run", serve_nobody)
    monkeypatch.setattr("uvicorn.supervisors.Multiprocess.run", lambda _: None)

    def call(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.argv", ["commonground", *words])
        with pytest.raises(SystemExit) as ended:
            main()
        return int(ended.value.code or 0), *capsys.readouterr()

    yield call
    for number, handler in handlers.items():
        signal.signal(number, handler)


def value_of(parameter: click.Parameter, folder: Path) -> str:
    """Returns what makes a command do most; for what nobody has thought of, an evil text."""
    known = {
        "corpus": "toy",
        "corpora": "toy",
        "dialogue_id": f"t0{EVIL}",
        "task_name": "toy/mood",
        "query": "select * from events",
        "code": f"CG-EVIL{EVIL}",
        "format_name": "talk",
        "paths": str(folder / f"talks{FOLDER}.json"),
        "results": str(folder / "result.json"),
        "predictions": str(folder / "result.json"),
        "out": str(folder / f"out{FOLDER}"),
        "store": str(folder / "hostile"),
        "port": "0",
    }
    if isinstance(parameter.type, click.Choice):
        return str(parameter.type.choices[0])
    if isinstance(parameter.type, click.types.IntParamType) and parameter.name not in known:
        return "1"
    return known.get(str(parameter.name), str(folder / EVIL.replace("\x00", "")))


def list_calls(command: click.Command, folder: Path) -> Iterator[list[str]]:
    """Lists a command's calls: with what it must have, and with each option of it in turn."""
    if isinstance(command, click.Group):
        with click.Context(command) as context:
            for name in command.list_commands(context):
                found = command.get_command(context, name)
                assert found is not None
                for words in list_calls(found, folder):
                    yield [name, *words]
        return
    needed: list[str] = []
    for each in command.params:
        if isinstance(each, click.Argument):
            needed.append(value_of(each, folder))
        elif each.required or each.name == "store":
            needed += [each.opts[0], value_of(each, folder)]
    yield needed
    yield [each.replace("\x00", "") for each in [*needed, f"--{EVIL}"]]
    for each in command.params:
        if isinstance(each, click.Option) and not each.required and each.name != "store":
            more = [] if each.is_flag else [value_of(each, folder)]
            yield [*needed, each.opts[0], *more]


def is_for_machines(words: list[str]) -> bool:
    return (
        any(each in words for each in ("--json", "--csv", "--format", "--native"))
        or words[0] == "schema"
    )


@pytest.mark.parametrize(
    "name", a_few(sorted(_file_names().keys() - {"mcp"}), _file_names().keys() - {"demo"})
)
def test_no_command_prints_what_acts(run: Run, evil: Path, name: str) -> None:
    command = importlib.import_module(f"commonground.cli.{_file_names()[name]}").command
    for words in list_calls(command, evil):
        code, out, err = run(name, *words)
        assert code in (0, 1, 2), (words, err)
        assert ACTING.findall(err) == [], (words, err)
        assert "Traceback" not in err
        if not is_for_machines([name, *words]):
            assert ACTING.findall(out) == [], (words, out)


def test_what_was_said_is_shown(run: Run, evil: Path) -> None:
    store = str(evil / "hostile")
    for words in (["show", "toy", f"t0{EVIL}"], ["sql", "select text from events"], ["check"]):
        _, out, _ = run(*words, "--store", store)
        joined = re.sub(r"\s+", "", out)
        assert r"\u001b]52;c;ZXZpbA==\u0007" in joined, words
        assert r"\u0008\u0008\u000b\u000c\u000d\u0000\u007f\u0085\u2028\u202eevil" in joined


@pytest.mark.parametrize("name", a_few(map(attrgetter("name"), iterate_corpora()), KINDS))
def test_no_corpus_draws_what_acts(run: Run, tmp_path: Path, name: str) -> None:
    entry = get_corpus(name)
    store = hostile.write_hostile_store(entry, tmp_path, dialogues=1, payload=EVIL)
    code, out, _ = run("sql", "select dialogue_id from dialogues", "--json", "--store", str(store))
    (row,) = json.loads(out)
    code, out, err = run("show", name, row["dialogue_id"], "--annotations", "--store", str(store))
    assert (code, ACTING.findall(out + err)) == (0, [])
    assert r"\u001b]52;c;" in out


def test_machines_get_every_byte(run: Run, evil: Path) -> None:
    query = "select text from events where event = 0 limit 1"
    said = f"hello 2{EVIL}"
    store = ("--store", str(evil / "hostile"))
    assert json.loads(run("sql", query, "--json", *store)[1]) == [{"text": said}]
    assert said in run("sql", query, "--format", "csv", *store)[1]
    run("sql", query, "--output", str(evil / "x.csv"), *store)
    assert said.encode() in (evil / "x.csv").read_bytes()


def on_terminal(words: list[str]) -> str:
    """Runs a command whose output and errors are a terminal."""
    mine, theirs = pty.openpty()
    environment = {**os.environ, "COMMONGROUND_CORPORA": str(Path(__file__).parents[2] / "corpora")}
    environment |= {"TERM": "xterm-256color", "COLUMNS": "100"}
    with os.fdopen(theirs, "wb") as terminal:
        fork = Fork(*words, env=environment, stdout=terminal)
    fork.stdout.close()
    data = b""
    while True:
        try:
            data += os.read(mine, 1 << 16)
        except OSError:  # the other end was closed
            break
    os.close(mine)
    fork.wait(timeout=300)
    return data.decode().replace("\r\n", "\n")


@pytest.mark.parametrize(
    "words",
    [
        "show toy {id}",
        "check",
        "check --code {code}",
        "sql 'select * from events'",
        "sql 'select text from events' --format csv",
        "sql 'select text from events' --json",
        "show toy {id} --native",
        "show toy nobody",
        "info {id}",
    ],
)
def test_on_a_terminal_nothing_acts_but_our_colours(evil: Path, words: str) -> None:
    given = {"id": f"t0{EVIL}".replace("\x00", ""), "code": f"CG-EVIL{EVIL}".replace("\x00", "")}
    listed = [each.format(**given) for each in shlex.split(words)]
    shown = on_terminal([*listed, "--store", str(evil / "hostile")])
    assert ACTING.findall(COLOURS.sub("", shown)) == []
    assert r"\u001b" in shown or r"\x1b" in shown  # as we write it, or as Python quotes it
    if "--json" in words:
        assert json.loads(shown)[0]["text"].startswith(f"hello 2{EVIL}")


def test_json_stays_json() -> None:
    text = json.dumps(EVIL, ensure_ascii=False)
    assert json.loads(make_visible(text)) == EVIL


def test_layout_stays() -> None:
    assert make_visible("a\tb\r\nc\nשלום \u200fא") == "a\tb\r\nc\nשלום \u200fא"
    assert make_visible("a\tb\nc", one_line=True) == r"a\u0009b\u000ac"


def test_nobody_goes_round_the_stream_unasked() -> None:
    shown = io.StringIO()
    stream: Any = VisibleStream(shown)
    assert not hasattr(stream, "buffer")
    assert stream.write(b"\x1b[2Jplain") == 9
    assert "\x1b" not in shown.getvalue()
    assert shown.getvalue().endswith("[2Jplain")
