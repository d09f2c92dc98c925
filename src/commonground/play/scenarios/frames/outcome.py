"""What a session of Frames comes to: whether the wizard says that the user got what was wanted."""

from __future__ import annotations

from commonground.play.scenario import Outcome
from commonground.play.scenarios.frames.game.state import FramesState


def count_success(state: FramesState) -> float:
    """Returns 1 where the wizard's survey says that the task was done; it is the wizard's word."""
    return float(bool(state.success))


OUTCOME = Outcome("success by the wizard's word", count_success, 1.0)

FORK_POINTS = {"switch": frozenset({"frames.frame_switch"})}
