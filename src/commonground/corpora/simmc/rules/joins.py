"""Rules on SIMMC 1 dialogues: what candidates, API calls and tasks say of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from commonground.corpora.simmc.convert.context import AssistantCall
from commonground.corpora.simmc.native.simmc1 import Dialogue1
from commonground.findings import Examined, Place, Ruleset
from commonground.model import Utterance
from commonground.rows import read_column

rules = Ruleset("CG-SIMMC-", "dials", known=0)


@rules.error(29)
def wrong_gold(examined: Examined) -> Iterator[Place]:
    """The correct candidate is not what the assistant said.

    A retrieval score against it is meaningless.

    Check whether candidates and dialogues are of the same release.
    """
    dialogue = examined.dialogue
    if dialogue is None:
        return
    # Columns, since one candidate of a hundred is looked at.
    columns = (read_column(dialogue.candidates, name) for name in ("gold", "event", "text"))
    for gold, event, text in zip(*columns, strict=True):
        if not gold or event is None:
            continue
        said = dialogue.events[event]
        if isinstance(said, Utterance) and said.text and said.text != text:
            path = f".dialogue[{said.turn}].system_transcript"
            yield Place(path, text, said.text, event)


@rules.warning(30)
def missing_action(record: Dialogue1, examined: Examined) -> Iterator[Place]:
    """The API-call file has no action for a turn.

    Older extractions lost turns; what the assistant did is not known.

    Use the API calls of a later release.
    """
    calls = _calls(examined)
    for index, turn in enumerate(record.dialogue):
        if calls and turn.turn_idx not in calls:
            yield Place(f".dialogue[{index}]", "an action of this turn", None)


def _calls(examined: Examined) -> dict[int, AssistantCall]:
    if examined.dialogue is None:
        return {}
    # The side files know a dialogue by the id of its whole form.
    calls = examined.context.calls.get(examined.dialogue.dialogue_id.removesuffix("~public"), {})
    return cast("dict[int, AssistantCall]", calls)


@rules.error(31)
def wrong_focus(examined: Examined) -> Iterator[Place]:
    """The first image of the API calls is not the first image of the task.

    Dialogue, task and API calls do not belong together.

    Check whether the files are of the same release.
    """
    call = _calls(examined).get(0)
    if call is None:
        return
    wanted = (examined.dialogue.attributes or {}).get("focus_image")
    if None not in (wanted, call.focus) and wanted != call.focus:
        yield Place(".dialogue_task_id", str(wanted), str(call.focus))
