"""Scripted players that go through a copy of a study."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.thorough import one_in
from tests.unit.play.rooms.conftest import COMMAND, PATIENCE_S

from commonground.cli.collect import rehearse
from commonground.errors import CommongroundError, FormatError, UsageError
from commonground.play.collect.setup.preparing import prepare_study
from commonground.play.collect.setup.study import open_study
from commonground.play.rooms.players.rehearsing import (
    copy_study,
    find_share_ms,
    invite,
    serve_beside,
)


def test_a_rehearsal_leaves_the_study_as_it_was(tmp_path: Path) -> None:
    study = prepare_study(tmp_path / "pilot", "taskmaster4", material=None, languages=("en",))
    before = study.log_path.read_bytes()
    words = [str(study.folder), "--sessions", "2", "--speed", "500"]
    words += ["--out", str(tmp_path / "OUT"), "--json"]
    ran = CliRunner().invoke(rehearse, words, catch_exceptions=False)
    assert ran.exit_code == 0, ran.output
    told = json.loads(ran.stdout)
    assert told["exits"] == {"completed": 2}
    assert told["complete"] == 2
    assert told["acts"] > 10
    assert told["findings"]["error"] == 0
    assert (tmp_path / "OUT" / "datasheet.md").is_file()
    assert study.log_path.read_bytes() == before


@pytest.mark.parametrize(
    ("number", "code"), one_in(2, [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
)
def test_a_rehearsal_that_is_stopped_says_so_and_leaves_nothing(
    number: signal.Signals, code: int, tmp_path: Path
) -> None:
    study = prepare_study(tmp_path / "pilot", "photobook", material=None, languages=("en",))
    before = sorted(each.name for each in study.folder.iterdir())
    with subprocess.Popen(
        [sys.executable, "-c", COMMAND, "collect", "rehearse", str(study.folder), "--speed", "1"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(tmp_path)},
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),
    ) as running:
        while not list(tmp_path.glob("commonground-*/pilot/log.sqlite-wal")):
            assert running.poll() is None, "it ended before it was stopped"
            time.sleep(0.05)
        running.send_signal(number)
        _, told = running.communicate(timeout=PATIENCE_S)
    assert (running.returncode, told.strip()) == (code, "Stopped. The study was not changed.")
    assert sorted(each.name for each in study.folder.iterdir()) == before
    assert not list(tmp_path.glob("commonground-*"))


def test_a_copy_lets_everybody_in_and_has_the_pictures(tmp_path: Path) -> None:
    study = prepare_study(tmp_path / "pilot", "photobook", material=None, languages=("en",))
    path = study.folder / "study.toml"
    path.write_text(path.read_text("utf-8").replace("plain = true", "plain = false"), "utf-8")
    copy = copy_study(open_study(study.folder), tmp_path / "copy")
    assert copy.settings.recruiting.plain
    assert copy.images is not None
    assert study.images is not None
    assert copy.images.resolve() == study.images.resolve()
    assert len(copy.stock) == len(study.stock)


def test_nobody_meets_a_model_in_a_rehearsal(tmp_path: Path) -> None:
    study = prepare_study(tmp_path / "pilot", "photobook", material=None, languages=("en",))
    path = study.folder / "study.toml"
    text = path.read_text("utf-8").replace("model_partners = false", "model_partners = true")
    prices = '[models.prices."a/b"]\ninput = 1.0\noutput = 1.0\n'
    conditions = '[models]\nconditions = [\n  {},\n  {A = "a/b"},\n]\nstudy_cost = 1.0\n'
    path.write_text(text + conditions + prices, "utf-8")
    study = open_study(study.folder)
    assert study.settings.models is not None
    copy = copy_study(study, tmp_path / "copy")
    assert copy.settings.models is None
    assert copy.settings.model_partners
    path.write_text(
        'models = {seats = {B = "a/b"}, share = 1.0}\n'
        + path.read_text("utf-8").partition("[models]")[0],
        "utf-8",
    )
    with pytest.raises(FormatError, match="a table of their own"):
        copy_study(open_study(study.folder), tmp_path / "other")


def test_a_study_that_cannot_be_served_says_why(tmp_path: Path) -> None:
    with pytest.raises(CommongroundError, match=r"study\.toml"), serve_beside(tmp_path / "none"):
        pass


def test_a_share_of_times_is_found_in_any_order() -> None:
    assert find_share_ms([], 0.5) is None
    assert find_share_ms([0.3, 0.1, 0.2], 0.5) == pytest.approx(200)
    assert find_share_ms([0.3, 0.1, 0.2], 0.99) == pytest.approx(300)


def test_so_many_people_label_all_there_is(tmp_path: Path) -> None:
    study = prepare_study(tmp_path / "pilot", "mpchat", material=None, languages=("en",))
    path = study.folder / "study.toml"
    path.write_text(path.read_text("utf-8").replace("sessions_each = 40", "sessions_each = 60"))
    words = [str(study.folder), "--people", "3", "--speed", "1000", "--json"]
    told = json.loads(CliRunner().invoke(rehearse, words, catch_exceptions=False).stdout)
    assert told["exits"] == {"completed": 3}
    assert told["complete"] == told["sessions"]
    assert told["complete"] >= 3 * len(study.stock)
    assert told["released"]


def test_a_rehearsal_in_which_nothing_was_completed_says_what_it_takes(tmp_path: Path) -> None:
    study = prepare_study(tmp_path / "pilot", "mpchat", material=None, languages=("en",))
    done = CliRunner().invoke(rehearse, [str(study.folder), "--speed", "1000"])
    assert done.exit_code == 1
    # 60 invented units, each for three people.
    assert "nothing to import and check. To have all of 60 units labelled: --sessions 180" in (
        done.stdout
    )


def test_fewer_people_than_a_unit_needs_are_refused(tmp_path: Path) -> None:
    study = prepare_study(tmp_path / "pilot", "mpchat", material=None, languages=("en",))
    with pytest.raises(UsageError, match="Each unit is for 3 people: with 2 none would be done"):
        invite(study, "http://HOST", sessions=1, people=2, speed=1)


def test_people_are_counted_where_they_work_alone_only(tmp_path: Path) -> None:
    study = prepare_study(tmp_path / "pilot", "photobook", material=None, languages=("en",))
    with pytest.raises(UsageError, match="People of photobook play in sessions of 2"):
        invite(study, "http://HOST", sessions=1, people=2, speed=1)
