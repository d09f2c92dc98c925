"""Errands in free form: the dialect of Taskmaster-1, whose labels say whether it worked out."""

from __future__ import annotations

from commonground.play.scenarios.taskmaster.game.self_dialog import SelfDialog
from commonground.play.scenarios.taskmaster.game.state import Dialect
from commonground.play.scenarios.taskmaster.invention.errands import ACCEPT, REJECT, load_errands
from commonground.play.scenarios.taskmaster.players.voices import TWO_SIDES
from commonground.play.scenarios.taskmaster.release import build_plain, release_plain
from commonground.play.scenarios.taskmaster.scripts.lint import make_scripting

SCENARIO = SelfDialog(
    Dialect(
        name="taskmaster1",
        labels=frozenset(
            f"{errand.prefix}.{slot.label}"
            for errand in load_errands().first
            for slot in errand.slots
        ),
        apis={},  # nothing is called
        build=build_plain,
        release=release_plain,
        endings=(ACCEPT, REJECT),
    )
)
SCRIPTS = make_scripting(SCENARIO.dialect.apis)
VOICES = TWO_SIDES
