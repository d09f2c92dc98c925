"""Rules of Frames about what acts refer to: frames that are there, and frames that they make."""

from __future__ import annotations

from collections.abc import Iterator

from commonground.corpora.frames.native import FramesDialogue
from commonground.corpora.frames.places import event_of, iterate_slots
from commonground.findings import Examined, Place, rule, shorten

_ID_COUNTS = {"offer": (1, 1), "suggest": (0, 1)}


@rule(
    "CG-FRAMES-025",
    "error",
    "A reference is to a frame that does not exist.",
    why="The frame cannot be looked up among the frames of the turn.",
    advice="Check the number of the frame.",
    format="dialogues",
    known=0,
)
def reference_resolves(record: FramesDialogue, examined: Examined) -> Iterator[Place]:  # noqa: ARG001
    """Frames referred to are among those of the turn."""
    for number, turn in enumerate(record.turns):
        for path, slot in iterate_slots(turn):
            if type(slot.val) is not list:
                continue
            known = {frame.frame_id for frame in turn.labels.frames}
            for index, reference in enumerate(slot.val):
                if reference.frame not in known:
                    place = f".turns[{number}].labels{path}.val[{index}].frame"
                    expected = f"one of the {len(known)} frames of the turn"
                    yield Place(place, expected, str(reference.frame), event_of(record, number))


@rule(
    "CG-FRAMES-026",
    "warning",
    "`read` or `write` stands in an act other than the wizard's `inform`.",
    why="They say which frame the wizard's news comes from or goes to.",
    advice="Use `ref` in other acts.",
    format="dialogues",
    known=0,
)
def reads_and_writes(record: FramesDialogue, examined: Examined) -> Iterator[Place]:  # noqa: ARG001
    """``read`` and ``write`` are the wizard's, in ``inform``."""
    for number, turn in enumerate(record.turns):
        for i, act in enumerate(turn.labels.acts):
            if turn.author == "wizard" and act.name == "inform":
                continue
            for j, slot in enumerate(act.args):
                if slot.key in ("read", "write"):
                    path = f".turns[{number}].labels.acts[{i}].args[{j}].key"
                    yield Place(path, "ref", slot.key, event_of(record, number))


@rule(
    "CG-FRAMES-027",
    "note",
    "The frame switched to is not the active frame after the turn.",
    why="The user went back to one frame and changed it at once, which made another.",
    advice="Take the target from the act and the state from `active_frame`.",
    format="dialogues",
    known=24,
)
def switch_is_active(record: FramesDialogue, examined: Examined) -> Iterator[Place]:  # noqa: ARG001
    """The target of ``switch_frame`` is active."""
    for number, turn in enumerate(record.turns):
        active = turn.labels.active_frame
        for i, act in enumerate(turn.labels.acts):
            if act.name != "switch_frame":
                continue
            for j, slot in enumerate(act.args):
                if type(slot.val) is not list or any(r.frame == active for r in slot.val):
                    continue
                path = f".turns[{number}].labels.acts[{i}].args[{j}].val"
                found = " ".join(str(reference.frame) for reference in slot.val)
                yield Place(path, str(active), found, event_of(record, number))


@rule(
    "CG-FRAMES-028",
    "error",
    "An act creates a frame that is not new in its turn.",
    why="An `id` names the frame that the wizard's offer makes.",
    advice="Refer to a frame that exists with `ref`.",
    format="dialogues",
    known=0,
)
def id_is_new(record: FramesDialogue, examined: Examined) -> Iterator[Place]:  # noqa: ARG001
    """The frame that an ``id`` names was not there before the turn and is after it."""
    known: set[int] = set()
    for number, turn in enumerate(record.turns):
        now = {frame.frame_id for frame in turn.labels.frames}
        for path, slot in iterate_slots(turn):
            if slot.key == "id" and slot.val not in now - known:
                place = f".turns[{number}].labels{path}.val"
                yield Place(place, "a new frame", shorten(slot.val), event_of(record, number))
        known = now


@rule(
    "CG-FRAMES-029",
    "warning",
    "An offer has no `id` or several, or an act that cannot create a frame has one.",
    why="Every offer creates one frame; of other acts only the wizard's `suggest` may.",
    advice="Give each offer one `id`.",
    format="dialogues",
    known=0,
)
def offer_has_id(record: FramesDialogue, examined: Examined) -> Iterator[Place]:  # noqa: ARG001
    """Offers have one ``id``, suggestions one at most, other acts none."""
    for number, turn in enumerate(record.turns):
        for index, act in enumerate(turn.labels.acts):
            count = sum(slot.key == "id" for slot in act.args)
            least, most = _ID_COUNTS.get(act.name, (0, 0))
            if not least <= count <= most:
                path = f".turns[{number}].labels.acts[{index}].args"
                expected = f"{least} id" if least == most else "one id at most"
                yield Place(path, expected, f"{count} in {act.name}", event_of(record, number))


@rule(
    "CG-FRAMES-030",
    "note",
    "The words of a reference stand outside the reference.",
    why="`ref_anaphora` belongs among the annotations of the reference that it voices.",
    advice="Read it as the wording of the reference of the same act.",
    format="dialogues",
    known=6,
)
def anaphora_is_noted(record: FramesDialogue, examined: Examined) -> Iterator[Place]:  # noqa: ARG001
    """``ref_anaphora`` is no slot of its own."""
    for number, turn in enumerate(record.turns):
        for path, slot in iterate_slots(turn):
            if slot.key == "ref_anaphora":
                place = f".turns[{number}].labels{path}"
                yield Place(place, None, shorten(slot.val), event_of(record, number))
