"""Erasing ends, whatever breaks it off: what is ordered is done by the next order or start."""

from __future__ import annotations

import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from itertools import product
from pathlib import Path

import pytest

from commonground.errors import UsageError
from commonground.play.collect.erasing import UnfinishedError, backup_study, erase_named
from commonground.play.collect.exports.exporting import export_study
from commonground.play.collect.identities import Identities, Identity
from commonground.play.collect.setup.preparing import prepare_study
from commonground.play.collect.setup.study import Study, open_study
from tests.studies import copy_study
from tests.thorough import a_few
from tests.unit.play.collect.party import StudyParty

NAME = "zora-of-the-platform"
SAID = "what nobody but Zora said"
STEPS = (
    *("order_erasing", "end_sessions", "clear_log", "_clear_identities"),
    *("export_study", "_find_traces", "write_orders", "finish_erasing"),
)
KILLS = (("order_erasing", "before"), ("_clear_identities", "before"), ("finish_erasing", "after"))
"""The first moment, one amid the work and the last; what follows a step is before the next."""

NOTHING_ORDERED = {("order_erasing", "before"), ("write_orders", "before")}

KILLED = """
import os, signal, sys
from pathlib import Path
from commonground.play.collect import erasing
from commonground.play.collect.setup.study import open_study
folder, name, step, moment = sys.argv[1:]
whole = getattr(erasing, step)
def broken(*args, **options):
    if moment == "before":
        os.kill(os.getpid(), signal.SIGKILL)
    whole(*args, **options)
    os.kill(os.getpid(), signal.SIGKILL)
setattr(erasing, step, broken)
erasing.erase_named(open_study(Path(folder)), name)
"""
"""Erases, and is killed before or after a step of it."""


@pytest.fixture
def study(tmp_path: Path) -> Study:
    """A game of Zora and Yuri, with an export and two backups."""
    study = copy_study(tmp_path / "pilot")
    identities = Identities(study.identities_path)
    party, pids = StudyParty(study, identities), []
    for name in (NAME, "yuri-of-the-platform"):
        identity = Identity("prolific", name, {"STUDY_ID": "the-study"})
        pids.append(identities.pseudonym(identity))
        identities.remember(pids[-1], identity)
    browsers = party.pair(*pids)
    for browser in browsers:
        said = SAID if browser.pid == pids[0] else "what only Yuri said"
        party.act(browser, "chat.message", text=said)
    party.play_game(browsers)
    party.file.close()
    identities.close()
    for _ in range(2):
        backup_study(study, tmp_path / "BACKUPS")
    export_study(study, tmp_path / "OUT")
    return study


def traces(folder: Path, *needles: str) -> set[str]:
    """Returns the files in which something stands."""
    return {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file() and any(each.encode() in path.read_bytes() for each in needles)
    }


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Holds a file of SQLite for itself, as another program would."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("BEGIN EXCLUSIVE")
        yield


def pseudonym(study: Study) -> str:
    with closing(Identities(study.identities_path)) as identities:
        return identities.pseudonym(Identity("prolific", NAME))


@pytest.mark.parametrize(("step", "moment"), a_few(product(STEPS, ("before", "after")), KILLS))
def test_what_a_kill_breaks_off_the_next_order_finishes(
    study: Study, tmp_path: Path, step: str, moment: str
) -> None:
    words = [sys.executable, "-c", KILLED, str(study.folder), NAME, step, moment]
    assert subprocess.run(words, check=False).returncode == -signal.SIGKILL
    if (step, moment) in NOTHING_ORDERED:
        assert traces(tmp_path, SAID)
    # Anyone who is named: what was ordered is done first.
    with pytest.raises(UsageError, match="no participant 'somebody'"):
        erase_named(study, "somebody")
    if (step, moment) in NOTHING_ORDERED:
        erase_named(study, NAME)
    assert traces(tmp_path, SAID, NAME, pseudonym(study)) == set()
    assert traces(tmp_path, "what only Yuri said")


@pytest.mark.parametrize("name", ["identities.sqlite", "log.sqlite"])
def test_a_locked_file_of_a_backup_keeps_nothing_else(
    study: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(sqlite3, "connect", hasty(sqlite3.connect))
    path = sorted((tmp_path / "BACKUPS").rglob(name))[0]
    with locked(path), pytest.raises(UnfinishedError, match=f"{path} cannot be"):
        erase_named(study, NAME)
    left = {path.relative_to(tmp_path).as_posix(), "pilot/erasing.json"}
    assert traces(tmp_path, NAME, pseudonym(study), SAID) <= left
    assert erase_named(study, NAME) == 0
    assert traces(tmp_path, NAME, pseudonym(study), SAID) == set()


def test_a_reader_of_the_log_is_told_of(
    study: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(sqlite3.connect(study.log_path)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM events").fetchone()
        monkeypatch.setattr(sqlite3, "connect", hasty(sqlite3.connect))
        with pytest.raises(UnfinishedError, match="another program reads it"):
            erase_named(study, NAME)
    assert erase_named(study, NAME) == 0
    assert traces(tmp_path, NAME, pseudonym(study), SAID) == set()


def test_a_damaged_backup_is_named_until_it_is_gone(study: Study, tmp_path: Path) -> None:
    path = sorted((tmp_path / "BACKUPS").rglob("log.sqlite"))[0]
    path.write_bytes(b"no log, but " + SAID.encode())
    for _ in range(2):
        with pytest.raises(UnfinishedError, match=f"{path} cannot be cleared"):
            erase_named(study, NAME)
    assert path.relative_to(tmp_path).as_posix() in traces(tmp_path, SAID)
    path.unlink()
    erase_named(study, NAME)
    assert traces(tmp_path, NAME, pseudonym(study), SAID) == set()


def test_what_somebody_wrote_beside_an_export_is_searched_and_kept(
    study: Study, tmp_path: Path
) -> None:
    own = tmp_path / "OUT/private/decided.csv"
    own.write_text(f"{NAME},pay\nyuri-of-the-platform,pay\n")
    with pytest.raises(UnfinishedError, match=f"{own} still has data of"):
        erase_named(study, NAME)
    assert NAME in own.read_text()
    own.write_text("yuri-of-the-platform,pay\n")
    erase_named(study, NAME)
    assert traces(tmp_path, NAME, pseudonym(study), SAID) == set()
    assert own.is_file()


def test_a_copy_of_a_study_touches_nothing_of_the_original(study: Study, tmp_path: Path) -> None:
    export_study(study, study.folder / "exports/first")
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    shutil.copytree(study.folder, tmp_path / "elsewhere/pilot")
    copy = open_study(tmp_path / "elsewhere/pilot")
    erase_named(copy, NAME)
    assert {path: path.read_bytes() for path in before} == before
    # An export in the copy is the copy's.
    assert traces(copy.folder, NAME, SAID) == set()
    assert (copy.folder / "exports/first/datasheet.md").is_file()


def test_a_study_that_was_moved_has_its_exports_still(study: Study, tmp_path: Path) -> None:
    study.folder.rename(tmp_path / "moved")
    erase_named(open_study(tmp_path / "moved"), NAME)
    assert traces(tmp_path, NAME, SAID) == set()


def test_an_export_of_another_study_in_the_same_place_stays(study: Study, tmp_path: Path) -> None:
    prepare_study(tmp_path / "other", "photobook", material=None, languages=("en",))
    other = open_study(tmp_path / "other")
    with pytest.raises(UsageError, match="holds the export of another study"):
        export_study(other, tmp_path / "OUT")
    shutil.rmtree(tmp_path / "OUT")
    export_study(other, tmp_path / "OUT")
    sheet = (tmp_path / "OUT/datasheet.md").read_text()
    erase_named(study, NAME)
    assert (tmp_path / "OUT/datasheet.md").read_text() == sheet


def hasty(connect: object) -> object:
    """Returns a connecting that waits for no lock, so that the test need not either."""

    def connect_hastily(*args: object, **options: object) -> object:
        assert callable(connect)
        return connect(*args, **{**options, "timeout": 0})

    return connect_hastily
