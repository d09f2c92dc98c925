"""What a model may see at test time: SIMMC's table of allowed inputs, turn by turn.

Source: facebookresearch/simmc@2747421 TASK_INPUTS.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import zip_longest
from typing import Any, Literal

import msgspec

from commonground.corpora.simmc.tasks.released import Released, read_released
from commonground.corpora.simmc.tasks.target_lines import list_line_records
from commonground.task import Gold, Instance

ALLOWED = {
    "transcript": "The user's words.",
    "domain": "`fashion` or `furniture`.",
    "domains": "Domains of the dialogue.",
    "dialogue_idx": "Number of the dialogue.",
    "turn_idx": "Number of the turn in its dialogue, from 0.",
    "visual_objects": "What is in view, by name.",
    "history": "Earlier turns: their transcript, system_transcript, visual_objects, and action "
    "with action_supervision where API calls are available.",
    "focus_image": "Fashion: number of the image in focus.",
    "carousel_state": "Furniture: what is in view before the action.",
}
"""Inputs of every sub-task, in the order in which models are shown them."""

ALLOWED_RESPONSE = {
    "action": "What the assistant does at this turn.",
    "action_supervision": "Attributes of that action.",
    "action_output_state": "Furniture: what is in view after the action.",
}
"""Further inputs of sub-task 2: generation and retrieval."""

_TURN = ("domain", "turn_idx", "transcript", "visual_objects")
_PAST = ("transcript", "system_transcript", "visual_objects")


class TurnView(msgspec.Struct, frozen=True):
    """A turn with all that is released of it.

    Attributes:
        dialogue: facts about the dialogue.
        fields: the turn; empty where its words are not there.
        call: the API call; empty where it is not there.
        focus_image: image in focus before it (fashion).
    """

    instance_id: str
    dialogue_id: str
    dialogue: dict[str, Any]
    fields: dict[str, Any]
    call: dict[str, Any]
    focus_image: int | None
    history: list[dict[str, Any]]

    def inputs(self, *, response: bool = False, context: bool = False) -> dict[str, Any]:
        """Returns the allowed inputs that are there.

        Args:
            response: whether those of sub-task 2, which sees the current action, are wanted.
            context: whether that of sub-task 3, the line before the belief state, is wanted.
        """
        inputs = dict(self.dialogue)
        fields = (*_TURN, "context") if context else _TURN
        inputs |= {name: self.fields[name] for name in fields if name in self.fields}
        inputs |= {"history": self.history}
        if self.focus_image is not None:
            inputs["focus_image"] = self.focus_image
        names = ("carousel_state", *(ALLOWED_RESPONSE if response else ()))
        return inputs | {name: self.call[name] for name in names if name in self.call}


def name_instance(dialogue_id: str, turn: int) -> str:
    """Returns the id of a turn."""
    return f"{dialogue_id}:{turn}"


def list_turns(gold: Gold) -> Iterator[TurnView]:
    """Yields all turns of a gold source with their API calls; a dialogue is yielded once.

    What dialogues lack, as the public form lacks the end of each, is taken from target lines;
    turns that only API calls tell of have no words.

    Raises:
        TaskError: there is none.
    """
    sources = read_released(gold, ("dials", "api_calls", "targets"))
    calls = _collect(sources, "api_calls", "dialog_id")
    records = _collect(sources, "dials", "dialogue_idx")
    for dialogue_id, lines in list_line_records(sources):
        records[dialogue_id] = _complete(records.get(dialogue_id, {}), lines)
        if lines["actions"]:
            calls.setdefault(dialogue_id, lines)
    for dialogue_id, call in calls.items():
        records.setdefault(dialogue_id, {"dialogue_idx": call.get("dialog_id")})
    for dialogue_id, record in records.items():
        yield from _view(dialogue_id, record, calls.get(dialogue_id, {}))


def _complete(record: dict[str, Any], lines: dict[str, Any]) -> dict[str, Any]:
    """Adds to the turns of a dialogue what target lines say and it does not."""
    turns = record.get("dialogue") or []
    both: Iterator[tuple[dict[str, Any], dict[str, Any]]]
    both = zip_longest(lines["dialogue"], turns, fillvalue={})
    # The dialogue's own word stands, unless it is empty, as in the public form.
    merged = [line | {k: v for k, v in turn.items() if v or k not in line} for line, turn in both]
    return lines | record | {"dialogue": merged}


def _collect(sources: Sequence[Released], kind: str, key: str) -> dict[str, dict[str, Any]]:
    """Returns the records of a format by dialogue id; of two of a dialogue the longer one."""
    found: dict[str, dict[str, Any]] = {}
    for source in sources:
        for record in source.records if source.format == kind else []:
            domain = (record.get("domains") or [source.domain or "simmc"])[0]
            dialogue_id = f"{source.domain or domain}-{record.get(key)}"
            if _length(record) > _length(found.get(dialogue_id, {})):
                found[dialogue_id] = record
    return found


def _length(record: dict[str, Any]) -> int:
    return len(record.get("dialogue") or record.get("actions") or ())


def _view(dialogue_id: str, record: dict[str, Any], call: dict[str, Any]) -> Iterator[TurnView]:
    facts: dict[str, Any] = {k: record[k] for k in ("domains", "dialogue_idx") if k in record}
    turns, actions = record.get("dialogue") or [], call.get("actions") or []
    images = call.get("focus_images") or []
    history: list[dict[str, Any]] = []
    # Either may be longer: the public form cuts dialogues off, and its API calls are whole.
    for number in range(max(len(turns), len(actions))):
        fields = turns[number] if number < len(turns) else {}
        action = actions[number] if number < len(actions) else {}
        yield TurnView(
            instance_id=name_instance(dialogue_id, number),
            dialogue_id=dialogue_id,
            dialogue=facts,
            fields={"turn_idx": number, **fields},
            call=action,
            focus_image=images[number] if number < len(images) else None,
            # A copy, for the list grows on and earlier views must not.
            history=list(history),
        )
        past = {name: fields[name] for name in _PAST if name in fields}
        past |= {k: action[k] for k in ("action", "action_supervision") if k in action}
        history.append(past)


Kind = Literal["utterance", "action"]
Who = Literal["user", "assistant"]


def load_places(gold: Gold, kind: Kind, speaker: Who) -> dict[str, int]:
    """Returns the number of each turn's event of a kind and speaker, by instance id.

    Empty where the right answers are not from a store; a turn whose event was not released (the
    words of a dialogue with API calls only) is not there.

    Raises:
        StoreError: the store is damaged.
    """
    if gold.corpus is None:
        return {}
    rows = gold.corpus.rows(
        "SELECT dialogue_id, turn, min(event) FROM events "
        "WHERE corpus = ? AND kind = ? AND speaker = ? AND turn IS NOT NULL GROUP BY 1, 2",
        [gold.corpus.name, kind, speaker],
    )
    return {name_instance(dialogue, turn): event for dialogue, turn, event in rows}


def list_instances(
    kind: Kind,
    speaker: Who,
    read: Callable[[TurnView], tuple[Any, Any]],
    gold: Gold,
    *,
    response: bool = False,
    context: bool = False,
) -> Iterator[Instance]:
    """Yields the turns of a gold source; with dialogues and API calls each has all its inputs.

    Args:
        kind: of the event that is predicted.
        speaker: of that event.
        read: gives the right answer of a turn as released, and as scoring takes it; None for none.
        response: as in :meth:`TurnView.inputs`.
        context: likewise.

    Raises:
        TaskError: there are none.
    """
    places = load_places(gold, kind, speaker)
    for turn in list_turns(gold):
        answer, right = read(turn)
        yield Instance(
            instance_id=turn.instance_id,
            dialogue_id=turn.dialogue_id,
            event=places.get(turn.instance_id),
            inputs=turn.inputs(response=response, context=context),
            gold=answer,
            right=right,
        )


def list_pictures(instance: Instance) -> Iterator[str]:
    """Yields the catalogue ids of what is in view at a turn, as far as its inputs tell.

    The authors' own models saw no picture: those of sub-tasks 1 and 2 had means of word vectors of
    a few attributes, those of sub-task 3 the text of ``visual_objects``.

    Source: facebookresearch/simmc@2747421 mm_action_prediction/tools/embed_fashion_assets.py and
    embed_furniture_assets.py, mm_dst/gpt2_dst/utils/convert.py.
    """
    inputs = instance.inputs
    if inputs.get("focus_image") is not None:
        yield f"fashion/{inputs['focus_image']}"
    for name in ("carousel_state", "action_output_state"):
        state = inputs.get(name)
        if isinstance(state, dict):
            shown = (state.get("focus"), *(state.get("carousel") or ()))
            yield from (f"furniture/{number}" for number in shown if number)
