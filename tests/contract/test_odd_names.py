"""Names that are not UTF-8 are taken or refused in plain words, by every command."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import click
import pytest

import commonground as cg
from commonground.cli import group
from tests import forks
from tests.faults.commands import COMMAND, run
from tests.thorough import one_in

ODD = os.fsdecode(b"caf\xe9")

STORE = "--store {plain}/store"
LINES = {
    "baseline": ["baseline photobook/reference --model {odd}/none --out {odd}/new " + STORE],
    "check": [
        "check photobook {odd}/files",
        "check photobook {odd}/none",
        "check s3://b/{name}",
        "check --explain {name}",
        "check --integrity {name} " + STORE,
    ],
    "collect backup": ["collect backup {odd}/study {odd}/new"],
    "collect erase": ["collect erase {odd}/study {name} --yes"],
    "collect export": ["collect export {odd}/study {odd}/new"],
    "collect learn": ["collect learn {odd}/study {odd}/none"],
    "collect lint-scripts": ["collect lint-scripts taskmaster1 {odd}/none"],
    "collect links": ["collect links {odd}/study {name} --address http://a.example"],
    "collect new": ["collect new {odd}/new --scenario photobook --material {odd}/none"],
    "collect people": ["collect people {odd}/study", "collect people {odd}/study --csv"],
    "collect preflight": ["collect preflight {odd}/none"],
    "collect prolific approve": ["collect prolific approve {odd}/study {name} --yes"],
    "collect prolific bonus": ["collect prolific bonus {odd}/study {name} 1.50 --yes"],
    "collect prolific create": ["collect prolific create {odd}/study"],
    "collect prolific pause": ["collect prolific pause {odd}/study"],
    "collect prolific publish": ["collect prolific publish {odd}/study --yes"],
    "collect prolific reject": [
        "collect prolific reject {odd}/study {name} --category OTHER --reason {name} --yes"
    ],
    "collect prolific status": ["collect prolific status {odd}/study"],
    "collect rehearse": [
        "collect rehearse {odd}/none",
        "collect rehearse {odd}/none --out {odd}/new",
    ],
    "collect replay": ["collect replay {odd}/study {name}"],
    "collect serve": ["collect serve {odd}/none"],
    "collect status": ["collect status {odd}/study", "collect status {odd}/none"],
    "demo": ["demo {odd}/study --no-serve", "demo {odd}/new --dialogues 1 --no-serve"],
    "evaluate": ["evaluate photobook/reference --predictions {odd}/none " + STORE],
    "export": ["export {name}", "export --list"],
    "fetch": ["fetch frames {odd}/new"],
    "import": [
        "import photobook {odd}/files --store {plain}/new",
        "import photobook {plain}/files --store {odd}/new",
        "import photobook {odd}/files --images {odd}/none --store {plain}/new",
        "import photobook {odd}/files --splits {odd}/none --store {plain}/new",
        "import photobook {odd}/files --splits {name} --store {plain}/new",
        "import photobook {odd}/files --holdout 0.5 --apart {name} --store {plain}/new",
    ],
    "info": [
        "info photobook --store {odd}/store",
        "info --store {odd}/store",
        "info --overlap --store {odd}/store",
        "info --store s3://{name}/x",
    ],
    "layer add": ["layer add {odd}/none " + STORE],
    "layer export": ["layer export photobook {name} " + STORE],
    "layer list": ["layer list --store {odd}/store"],
    "layer remove": ["layer remove photobook {name} " + STORE],
    "leaderboard": ["leaderboard {odd}/none {odd}/new " + STORE],
    "mcp": ["mcp --world {name} " + STORE, "mcp --world frames={odd}/none " + STORE],
    "new-corpus": ["new-corpus greetings {odd}/new"],
    "play": [
        "play photobook --games 1 --out {odd}/new",
        "play photobook --log {odd}/none",
        "play frames --calls {odd}/none",
        "play photobook --measure a={odd}/played --out {odd}/new",
        "play photobook --schedule {odd}/played --fork 0@3 --out {odd}/new",
        "play photobook --schedule {odd}/played --fork {name}@3 --seat {name} --out {odd}/new",
    ],
    "publish": ["publish {odd}/new --to hf --licence CC0-1.0 " + STORE],
    "remove": ["remove {name} --yes " + STORE],
    "report": ["report {odd}/none"],
    "report-card": ["report-card {odd}/none " + STORE],
    "roundtrip": ["roundtrip photobook {odd}/files"],
    "schema": ["schema photobook --out {odd}/new"],
    "serve": ["serve --host {name} --port 0 " + STORE, "serve --port 0 --store {odd}/store"],
    "show": ["show photobook 0 --html {odd}/new " + STORE, "show photobook {name} " + STORE],
    "simulate": ["simulate photobook {odd}/new"],
    "site": ["site {odd}/new " + STORE],
    "sql": ["sql select'{name}' " + STORE, "sql select(1) --output {odd}/new " + STORE],
    "stats": [
        "stats photobook --figure {name} " + STORE,
        "stats photobook --figure sizes --out {odd}/new " + STORE,
    ],
    "study-models": [
        "study-models photobook --seats people,script --games 1 --schedule {odd}/played "
        "--out {odd}/new",
        "study-models photobook --seats people,script --served {odd}/none --out {odd}/new",
    ],
    "tasks": ["tasks {name}"],
    "tasks estimate": [
        "tasks estimate photobook/reference --model {name} --prices {odd}/none " + STORE
    ],
    "tasks instances": ["tasks instances photobook/reference --out {odd}/new " + STORE],
}
"""What is run, by command; those with ``--store`` are run with a store of such a name, too."""


def walk(command: click.Command, name: str, context: click.Context) -> Iterator[str]:
    if not isinstance(command, click.Group):
        yield name
        return
    if command.invoke_without_command:
        yield name
    for each in command.list_commands(context):
        found = command.get_command(context, each)
        assert found is not None
        yield from walk(found, f"{name} {each}".strip(), context)


def list_lines() -> Iterator[str]:
    for name in walk(group, "", click.Context(group)):
        export = [f"{name} {{odd}}/new {STORE}"] if name.startswith("export ") else []
        for line in export or LINES[name]:
            yield line
            if STORE in line:
                yield line.replace("{plain}/store", "{odd}/store")


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("plain")
    cg.simulate("photobook", folder / "files", dialogues=2)
    cg.import_files("photobook", folder / "files", store=folder / "store")
    for words in (
        "play photobook --games 1 --out played",
        "collect new study --scenario photobook",
    ):
        assert forks.run(*words.split(), cwd=folder).returncode == 0
    return folder


@pytest.fixture(scope="module")
def odd(plain: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(shutil.copytree(plain, tmp_path_factory.mktemp("odd") / ODD))


@pytest.fixture
def fill(
    plain: Path, odd: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[str], list[str]]:
    """Fills a line in; what is new is new for each test."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    new = tmp_path / ODD
    new.mkdir()
    return lambda line: [
        word.replace("{odd}/new", f"{new}/new").format(odd=odd, plain=plain, name=ODD)
        for word in line.split()
    ]


def is_plain(code: int, told: str) -> bool:
    """Says whether a command did its work, or said what kept it from that, names as they are."""
    said = code == 0 or "error: " in told or told == "Stopped.\n"
    return said and "Traceback" not in told and "caf?" not in told


# A traceback would be an error of the test itself.
@pytest.mark.parametrize("line", list(list_lines()))
def test_a_name_that_is_no_utf_8_is_taken_or_refused(
    line: str, fill: Callable[[str], list[str]], odd: Path
) -> None:
    done = run(odd, *fill(line))
    assert is_plain(done.code, done.err)


@pytest.mark.parametrize(
    "line",
    ["export csv {odd}/new " + STORE, "check photobook {odd}/none", "info --store {odd}/store"],
)
@pytest.mark.parametrize(
    "language", one_in(2, [{"LC_ALL": "C"}, {"LC_ALL": "", "LANG": "C.UTF-8"}])
)
def test_so_it_is_in_every_language(
    line: str, language: dict[str, str], fill: Callable[[str], list[str]], odd: Path
) -> None:
    done = subprocess.run(
        [*COMMAND, *fill(line)], cwd=odd, env=os.environ | language, capture_output=True
    )
    told = done.stderr.decode()
    assert is_plain(done.returncode, told)
    assert "caf\\xe9" in told
    assert "Rename" in told or "does not exist" in told
