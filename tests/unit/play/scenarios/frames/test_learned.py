from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import msgspec
import numpy as np
import pytest
from benchmarks.suggesting import Figures, measure, measure_learned
from click.testing import CliRunner, Result
from tests.unit.corpora.frames.samples import simulated
from tests.unit.play.scenarios.frames.chats import Chat, offered, slot

from commonground.cli.collect import _use_learned, command
from commonground.corpora.frames.native import FramesDialogue
from commonground.errors import FormatError, SourceError, UsageError
from commonground.play.collect.setup.study import open_study
from commonground.play.scenarios.frames.game.hearing import hear
from commonground.play.scenarios.frames.game.learned import (
    PairModel,
    choose_pairs,
    describe,
    learn,
    read_dialogues,
    read_pairs_model,
    read_turns,
    save_pairs,
)
from commonground.play.scenarios.frames.game.suggesting import suggest_gestures
from commonground.play.scenarios.frames.rules import SCENARIO


@cache
def dialogues() -> list[FramesDialogue]:
    return list(simulated())


@cache
def model() -> PairModel:
    return learn(read_turns(dialogues()))


def test_suggestions_of_invented_dialogues_keep_their_bars() -> None:
    figures = measure(read_turns(dialogues()))
    assert figures.turns == sum(t.author == "user" for d in dialogues() for t in d.turns)
    assert figures.precision() >= 0.7
    assert figures.outcomes["right"] >= 0.6 * figures.switches > 0
    assert (figures.refused, figures.renewed) == (0, 0)


def test_what_is_not_annotated_counts_as_wrong() -> None:
    thanks = {"type": "frames.act", "payload": {"of": "user", "name": "goodbye", "args": []}}
    figures = measure(read_turns(dialogues()[:3]), lambda _: [thanks])
    assert figures.suggested.total() == figures.turns
    assert figures.wrong == figures.turns - figures.right["goodbye"]
    assert figures.outcomes.keys() <= {"missed"}


def test_a_saved_model_suggests_the_same(tmp_path: Path) -> None:
    save_pairs(model(), tmp_path / "suggestions.npz")
    read = read_pairs_model(tmp_path / "suggestions.npz")
    assert (read.pairs, read.features) == (model().pairs, model().features)
    assert np.array_equal(read.weights, model().weights)
    chat = Chat()
    chat.user("Please look at Brook.")
    (found,) = suggest_gestures(chat.state, read)
    assert found["payload"]["args"] == [slot("dst_city", "Brook")]
    assert suggest_gestures(chat.state, model()) == [found]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Elm House, please", {"mention made name", "mention made of name"}),
        ("Thanks", {"made without mention"}),
    ],
)
def test_a_model_goes_by_frames_that_were_just_made(text: str, said: set[str]) -> None:
    chat = offered()
    chat.user(text)
    names = {"mention made name", "mention made of name", "made without mention"}
    assert describe(hear(chat.state)) & names == said


@pytest.mark.parametrize("data", [b"", b"no model", b"PK\x05\x06" + bytes(18)])
def test_what_is_no_model_is_said_so(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "bad.npz").write_bytes(data)
    with pytest.raises(FormatError, match="is not a model of suggestions"):
        read_pairs_model(tmp_path / "bad.npz")
    with pytest.raises(SourceError, match="cannot be read"):
        read_pairs_model(tmp_path / "none.npz")


def test_an_act_has_slots_or_none() -> None:
    assert choose_pairs({("affirm", ""): 0.6, ("affirm", "seat"): 0.9}) == {("affirm", "seat")}
    assert choose_pairs({("affirm", ""): 0.9, ("affirm", "seat"): 0.6}) == {("affirm", "")}
    assert choose_pairs({("negate", ""): 0.1, ("negate", "*"): 0.5}) == {("negate", "")}
    assert choose_pairs({("thankyou", ""): 0.1}) == set()


def released() -> list[FramesDialogue]:
    if "COMMONGROUND_FRAMES" not in os.environ:
        pytest.skip("COMMONGROUND_FRAMES names no frames.json, folder or zip")
    return read_dialogues(Path(os.environ["COMMONGROUND_FRAMES"]))


def check(figures: Figures, exact: float, precision: float, switches: float) -> None:
    assert figures.exact / figures.turns >= exact
    assert figures.precision() >= precision
    assert figures.outcomes["right"] / figures.switches >= switches
    assert (figures.refused, figures.renewed) == (0, 0)


def test_patterns_read_released_dialogues() -> None:
    check(measure(read_turns(released()[:400])), 0.33, 0.69, 0.6)


def test_a_model_reads_released_dialogues_that_it_has_not_seen() -> None:
    figures = measure_learned(released())
    check(figures, 0.57, 0.85, 0.7)
    for act in ("affirm", "negate", "request_compare"):
        assert figures.found(act) >= 0.5


def run_command(*words: str | Path) -> Result:
    return CliRunner().invoke(command, list(map(str, words)))


def test_a_study_is_served_with_what_was_learned_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    released, study = tmp_path / "frames.json", tmp_path / "study"
    released.write_bytes(msgspec.json.encode(dialogues()))
    assert run_command("new", study, "--scenario", "frames").exit_code == 0
    monkeypatch.setattr(SCENARIO, "suggests", None)
    _use_learned(open_study(study))
    assert SCENARIO.suggests is None
    done = run_command("learn", study, released)
    assert (done.exit_code, "is ready" in done.output) == (0, True)
    _use_learned(open_study(study))
    assert SCENARIO.suggests is not None
    assert SCENARIO.suggests.pairs == model().pairs


def test_only_studies_of_frames_learn(tmp_path: Path) -> None:
    study = tmp_path / "study"
    assert run_command("new", study, "--scenario", "photobook").exit_code == 0
    refused = run_command("learn", study, tmp_path)
    assert isinstance(refused.exception, UsageError)
    assert "is a study of photobook" in str(refused.exception)
