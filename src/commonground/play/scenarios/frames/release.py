"""A session that was played, as a released dialogue."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from random import Random
from typing import Any
from uuid import UUID

import msgspec

from commonground.corpora.frames import native
from commonground.play.scenario import ReleasedFile, Sitting
from commonground.play.scenarios.frames.game.gestures import iterate_acts
from commonground.play.scenarios.frames.game.state import FramesState, MessageRun
from commonground.records import UNSET

# Without I, O and U, which people read as 1, 0 and V.
_LETTERS = "0123456789ABCDEFGHJKLMNPQRSTVWXYZ"


def build_dialogue(state: FramesState, sitting: Sitting) -> native.FramesDialogue:
    """Builds the released record of a session whose wizard has answered the survey."""
    # Of the session alone, so that exporting a study twice gives the same ids.
    rng = Random(f"{state.setting.seed}:{sitting.number}:{state.first_us}")
    return native.FramesDialogue(
        id=str(UUID(int=rng.getrandbits(128), version=4)),
        user_id=_name_agent(sitting.agents["user"]),
        wizard_id=_name_agent(sitting.agents["wizard"]),
        labels=native.DialogueLabels(
            userSurveyRating=state.rating, wizardSurveyTaskSuccessful=bool(state.success)
        ),
        turns=[build_turn(run) for run in state.runs],
    )


def _name_agent(agent: int) -> str:
    """Returns a pseudonym of the released form: ``U`` and eight letters or digits.

    Different agents have different ones: the last five characters count them.
    """
    rest, counted = agent, ""
    # Five digits of base 33 count 39 million agents; the letters before them only look the part.
    for _ in range(5):
        rest, place = divmod(rest, len(_LETTERS))
        counted = _LETTERS[place] + counted
    return "U" + "".join(Random(f"agent:{agent}").choices(_LETTERS, k=3)) + counted


def build_turn(run: MessageRun) -> native.Turn:
    """Builds a turn of messages in a row, with the frames after them."""
    acts = list(iterate_acts(run.notes))
    by_user = run.author == "user"
    return native.Turn(
        author=run.author,
        text=run.text,
        timestamp=run.at_us / 1_000,
        labels=native.TurnLabels(
            acts=acts,
            active_frame=run.book.active,
            # A copy, to be changed by the one who gets them.
            frames=msgspec.convert(msgspec.to_builtins(run.book.frames), list[native.Frame]),
            acts_without_refs=[_strip_references(act) for act in acts] if by_user else UNSET,
        ),
        db=UNSET
        if by_user
        else native.Database(
            search=[found.query for found in run.searches],
            result=[list(found.packages) for found in run.searches],
        ),
    )


def _strip_references(act: native.DialogueAct) -> native.DialogueAct:
    """Returns an act with what is in its references as plain slots, values asked for None."""
    bare: list[native.Slot] = []
    for slot in act.args:
        notes: list[Any] = [slot]
        if isinstance(slot.val, list):
            notes = [note for reference in slot.val for note in reference.annotations]
        bare += [
            native.Slot(key=note.key, val=None if note.val is UNSET else note.val) for note in notes
        ]
    return native.DialogueAct(name=act.name, args=bare)


def release_dialogues(dialogues: Iterable[native.FramesDialogue]) -> Iterator[ReleasedFile]:
    """Yields ``frames.json``: a list of dialogues, each on a line."""
    lines = b",\n".join(msgspec.json.encode(dialogue) for dialogue in dialogues)
    yield ReleasedFile("frames.json", b"[\n" + lines + b"\n]\n" if lines else b"[]\n")
