"""Errands in free form: the dialect of Taskmaster-1, whose labels say whether it worked out."""

from __future__ import annotations

from commonground.corpora.taskmaster.scenario.game.self_dialog import SelfDialog
from commonground.corpora.taskmaster.scenario.game.state import Dialect
from commonground.corpora.taskmaster.scenario.invention.errands import ACCEPT, REJECT, load_errands
from commonground.corpora.taskmaster.scenario.players.voices import TWO_SIDES
from commonground.corpora.taskmaster.scenario.release import build_plain, release_plain
from commonground.corpora.taskmaster.scenario.scripts.authoring import make_scripting

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
SCRIPTS = make_scripting(SCENARIO)
VOICES = TWO_SIDES
