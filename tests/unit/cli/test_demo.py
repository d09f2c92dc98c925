"""``commonground demo``: what is made, where, and how it goes on."""

from __future__ import annotations

import re
import signal
from pathlib import Path
from urllib.request import urlopen

import pytest
from tests.forks import Fork, run

import commonground as cg
from commonground.errors import UsageError
from commonground.play.demo import CORPORA, STORE, write_demo

ONE = ("--dialogues", "1")


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made") / "demo"
    done = run("demo", folder, *ONE, "--no-serve")
    assert done.returncode == 0, done.stderr
    assert f"cd {folder}" in done.stdout
    return folder


def test_every_corpus_is_imported_where_commands_find_it(demo: Path) -> None:
    listed = run("sql", "select corpus, count(*) from dialogues group by 1", cwd=demo).stdout
    assert all(re.search(rf"{name}\s+1\b", listed) for name in CORPORA)
    assert cg.load("photobook", store=demo / STORE).pictures is not None


def test_a_demo_is_opened_again_and_not_made_again(demo: Path) -> None:
    steps: list[str] = []
    write_demo(demo, dialogues=3, progress=lambda _done, _total, what: steps.append(what))
    assert steps == []
    assert len(cg.load("frames", store=demo / STORE)) == 1


def test_a_demo_that_was_stopped_goes_on(tmp_path: Path) -> None:
    steps: list[str] = []

    def stop_at(last: int) -> None:
        def tell(done: int, total: int, what: str) -> None:
            assert total == 2 * len(CORPORA)
            if done == last:
                raise KeyboardInterrupt
            steps.append(what)

        write_demo(tmp_path, dialogues=1, progress=tell)

    for last in (0, 1, 4):
        with pytest.raises(KeyboardInterrupt):
            stop_at(last)
    stop_at(-1)
    assert len(steps) == len(set(steps)) == 2 * len(CORPORA)


@pytest.mark.parametrize("what", ["commonground-store", "photobook", "notes.txt"])
def test_another_folder_is_left_alone(what: str, tmp_path: Path) -> None:
    (tmp_path / what).mkdir()
    with pytest.raises(UsageError, match="neither empty nor a demo"):
        write_demo(tmp_path)
    assert [each.name for each in tmp_path.rglob("*")] == [what]


def test_the_explorer_is_served_until_it_is_stopped(demo: Path) -> None:
    server = Fork("demo", demo, "--serve")
    try:
        said = ""
        while "The explorer is at" not in said:
            line = server.stdout.readline()
            assert line, said
            said += line
        found = re.search(r"http://\S+", said)
        assert found is not None
        with urlopen(found[0]) as page:  # noqa: S310 - this machine
            assert b"PhotoBook" in page.read()
        server.send_signal(signal.SIGINT)
        assert server.wait() == 130
    finally:
        server.kill()
        server.stdout.close()
