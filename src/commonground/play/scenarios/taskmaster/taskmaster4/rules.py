"""Coffee: the dialect of Taskmaster-4, whose calls are JSON and whose only label is a request."""

from __future__ import annotations

from commonground.play.player import PlayerKind
from commonground.play.scenarios.taskmaster.game.self_dialog import SelfDialog
from commonground.play.scenarios.taskmaster.game.state import Dialect
from commonground.play.scenarios.taskmaster.material import Api
from commonground.play.scenarios.taskmaster.players.voices import TWO_SIDES
from commonground.play.scenarios.taskmaster.players.worker import enter_worker
from commonground.play.scenarios.taskmaster.release import build_coffee, release_data
from commonground.play.scenarios.taskmaster.scripts.lint import make_scripting
from commonground.play.scenarios.taskmaster.taskmaster4.material import load_bar
from commonground.play.worlds.coffee import WORLD

NAME = "taskmaster4"
SCENARIO = SelfDialog(
    Dialect(
        name=NAME,
        labels=frozenset({"request"}),
        # Arguments are JSON here, so nothing need be told apart by declared names.
        apis={name: Api(()) for name in load_bar().apis},
        build=build_coffee,
        release=release_data,
        world=WORLD,
    )
)
PLAYER = PlayerKind(
    name="script",
    title="Writes both sides of an order with ready phrases, by the hints of the script.",
    enter=enter_worker(NAME),
)
SCRIPTS = make_scripting(SCENARIO.dialect.apis, has_world=True)
VOICES = TWO_SIDES
