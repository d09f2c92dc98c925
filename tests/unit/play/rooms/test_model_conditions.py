"""Who sits where: games of people, of people and models, and of models, in one figure."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.thorough import thorough
from tests.unit.bench.inspect_tasks.stub import serve
from tests.unit.play.rooms.minds import (
    MODEL,
    answer_by,
    environment,
    play_photobook_scripts,
    settings_of,
)

from commonground.corpora import get_corpus
from commonground.games import study_models
from commonground.play.collect.setup.preparing import prepare_study
from commonground.play.collect.setup.study import Study, open_study
from commonground.play.curves import get_measuring, make_curves, measure_sets
from commonground.play.rooms.players.models import make_kind
from commonground.play.rooms.players.rehearsing import rehearse_study
from commonground.play.scenarios import get_scenario
from commonground.play.sessions import play_sessions
from commonground.play.sessions.schedules import read_schedule

pytest.importorskip("openai")
pytestmark = pytest.mark.filterwarnings("ignore:The .initial. parameter:DeprecationWarning")

GAMES = 1  # of each condition; a turn of the three of the study takes four people
SPEED = 500


def prepare(folder: Path) -> Study:
    """Makes a study in which a model has no seat, A's or B's."""
    prepare_study(folder, "photobook", material=None, languages=("en",))
    path = folder / "study.toml"
    text = path.read_text("utf-8").replace("model_partners = false", "model_partners = true")
    path.write_text(text + settings_of({}, {"A": MODEL}, {"B": MODEL}), "utf-8")
    return open_study(folder)


@thorough
def test_people_and_models_stand_in_one_figure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All four conditions are played, three of them over the pages of a server."""
    study, exported, played = prepare(tmp_path / "pilot"), tmp_path / "out", tmp_path / "played"
    played.mkdir()
    with serve(answer_by(play_photobook_scripts(study, SPEED), eyes=study.images)) as stub:
        for name, value in environment(stub).items():
            monkeypatch.setenv(name, value)
        done = rehearse_study(study, exported, sessions=3 * GAMES, speed=SPEED, models=True)
        assert (done.complete, done.exits) == (3 * GAMES, {"completed": 4 * GAMES})
        stub.answer = answer_by(play_photobook_scripts(study, SPEED), eyes=study.images)
        scenario = get_scenario("photobook")
        model = make_kind(scenario, MODEL, pictures=study.images)
        schedule = read_schedule(scenario, exported)
        players = {"A": model, "B": model}
        alone = play_sessions(scenario, players, played, sessions=GAMES, seed=1, schedule=schedule)
        stub.answer = answer_by(play_photobook_scripts(study, SPEED), eyes=study.images)
        pairs = study_models(
            scenario,
            ["people", MODEL],
            tmp_path / "pairs",
            schedule=exported,
            games=GAMES,
            served=True,
            material=study.images,
        )
    # By one command it is the same: only the models among themselves are played then.
    assert pairs.stopped == ""
    assert [*pairs.games] == ["model-model"]
    assert pairs.measured is not None
    assert (tmp_path / "pairs" / "curves.svg").is_file()
    assert (alone.complete, alone.stuck) == (GAMES, [])
    entry, sets = get_corpus("photobook"), {"study": exported, "model-model": played}
    measured = measure_sets(entry, sets, conditions=True, same=True)
    assert {name: each.games for name, each in measured.items()} == {
        "study people-people": GAMES,
        "study model-people": GAMES,
        "study people-model": GAMES,
        "model-model": GAMES,
    }
    together = {name: each.games for name, each in pairs.measured.sets.items()}
    assert together == {name: each.games for name, each in measured.items()}
    rows = make_curves(get_measuring(entry), measured).rows
    assert [row[:2] for row in rows] == [[name, page] for name in measured for page in range(1, 6)]
