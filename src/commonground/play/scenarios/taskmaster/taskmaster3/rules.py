"""Tickets: the dialect of Taskmaster-3, whose calls are objects and whose entities are declared."""

from __future__ import annotations

from commonground.play.player import PlayerKind
from commonground.play.scenarios.taskmaster.game.self_dialog import SelfDialog
from commonground.play.scenarios.taskmaster.game.state import Dialect
from commonground.play.scenarios.taskmaster.material import declare_apis
from commonground.play.scenarios.taskmaster.players.voices import TWO_SIDES
from commonground.play.scenarios.taskmaster.players.worker import enter_worker
from commonground.play.scenarios.taskmaster.release import build_tickets, release_data
from commonground.play.scenarios.taskmaster.scripts.lint import make_scripting
from commonground.play.scenarios.taskmaster.taskmaster3.material import load_ontology
from commonground.play.worlds.tickets import WORLD

NAME = "taskmaster3"


_GROUPS = load_ontology().entities.values()
SCENARIO = SelfDialog(
    Dialect(
        name=NAME,
        labels=frozenset(name for each in _GROUPS for name in (*each.required, *each.optional)),
        apis=declare_apis(load_ontology().apis),
        build=build_tickets,
        release=release_data,
        world=WORLD,
    )
)
PLAYER = PlayerKind(
    name="script",
    title="Writes both sides of a ticket call with ready phrases, by the hints of the script.",
    enter=enter_worker(NAME),
)
SCRIPTS = make_scripting(SCENARIO.dialect.apis, has_world=True)
VOICES = TWO_SIDES
