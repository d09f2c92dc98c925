"""Rules of Frames about what acts refer to: frames that are there, and frames that they make."""

from __future__ import annotations

from collections.abc import Iterator

from commonground.corpora.frames.native import FramesDialogue
from commonground.corpora.frames.rules._places import FramesRules, iterate_acts, iterate_slots
from commonground.findings import Place, shorten
from commonground.printing import count_of

rules = FramesRules("CG-FRAMES-", "dialogues", known=0)

# Least and most numbers of ids of an act: all 4,097 offers have one, 727 of 1,821 suggestions.
_ID_COUNTS = {"offer": (1, 1), "suggest": (0, 1)}


@rules.error(25)
def reference_resolves(record: FramesDialogue) -> Iterator[Place]:
    """A reference is to a frame that does not exist.

    The frame cannot be looked up among the frames of the turn.

    Check the number of the frame.
    """
    for turn, path, slot in iterate_slots(record):
        if type(slot.val) is not list:
            continue
        known = {frame.frame_id for frame in turn.labels.frames}
        for index, reference in enumerate(slot.val):
            if reference.frame not in known:
                expected = f"one of the {count_of(len(known), 'frame')} of the turn"
                yield Place(f"{path}.val[{index}].frame", expected, str(reference.frame))


@rules.warning(26)
def reads_and_writes(record: FramesDialogue) -> Iterator[Place]:
    """`read` or `write` occurs in an act other than the wizard's `inform`.

    They say which frame the wizard's information comes from or goes to.

    Use `ref` in other acts.
    """
    for turn, path, act in iterate_acts(record):
        if turn.author == "wizard" and act.name == "inform":
            continue
        for index, slot in enumerate(act.args):
            if slot.key in ("read", "write"):
                yield Place(f"{path}.args[{index}].key", "ref", slot.key)


@rules.note(27, known=24)
def switch_is_active(record: FramesDialogue) -> Iterator[Place]:
    """The frame switched to is not the active frame after the turn.

    The user went back to one frame and changed it at once, which made another.

    Use the target from the act and the state from `active_frame`.
    """
    for turn, path, act in iterate_acts(record):
        active = turn.labels.active_frame
        for index, slot in enumerate(act.args if act.name == "switch_frame" else ()):
            if type(slot.val) is not list or any(r.frame == active for r in slot.val):
                continue
            found = " ".join(str(reference.frame) for reference in slot.val)
            yield Place(f"{path}.args[{index}].val", str(active), found)


@rules.error(28)
def id_is_new(record: FramesDialogue) -> Iterator[Place]:
    """An act creates a frame that is not new in its turn.

    An `id` names the frame that the wizard's offer makes.

    Refer to a frame that exists with `ref`.
    """
    # The frame that an ``id`` names was not there before the turn and is after it.
    known: set[int] = set()
    for number, turn in enumerate(record.turns):
        now = {frame.frame_id for frame in turn.labels.frames}
        for i, act in enumerate(turn.labels.acts):
            for j, slot in enumerate(act.args):
                if slot.key == "id" and slot.val not in now - known:
                    path = f".turns[{number}].labels.acts[{i}].args[{j}].val"
                    yield Place(path, "a new frame", shorten(slot.val))
        known = now


@rules.warning(29)
def offer_has_id(record: FramesDialogue) -> Iterator[Place]:
    """An offer has no `id` or several, or an act that cannot create a frame has one.

    Every offer creates one frame; of other acts only the wizard's `suggest` may.

    Give each offer one `id`.
    """
    for _, path, act in iterate_acts(record):
        count = sum(slot.key == "id" for slot in act.args)
        least, most = _ID_COUNTS.get(act.name, (0, 0))
        if not least <= count <= most:
            expected = f"{least} id" if least == most else "one id at most"
            yield Place(f"{path}.args", expected, f"{count} in {act.name}")


@rules.note(30, known=6)
def anaphora_is_noted(record: FramesDialogue) -> Iterator[Place]:
    """The wording of a reference is stored outside the reference.

    `ref_anaphora` belongs among the annotations of the reference that it puts into words.

    Read it as the wording of the reference of the same act.
    """
    for _, path, slot in iterate_slots(record):
        if slot.key == "ref_anaphora":
            yield Place(path, None, shorten(slot.val))
