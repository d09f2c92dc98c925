"""Rules of Frames about what acts refer to: frames that are there, and frames that they make."""

from __future__ import annotations

from collections.abc import Iterator

from commonground.corpora.frames.native import FramesDialogue
from commonground.corpora.frames.rules._places import event_of, iterate_slots
from commonground.findings import Place, Ruleset, shorten
from commonground.printing import count_of

rules = Ruleset("CG-FRAMES-", "dialogues", known=0)

# Least and most numbers of ids of an act: all 4,097 offers have one, 727 of 1,821 suggestions.
_ID_COUNTS = {"offer": (1, 1), "suggest": (0, 1)}


@rules.error(25)
def reference_resolves(record: FramesDialogue) -> Iterator[Place]:
    """A reference is to a frame that does not exist.

    The frame cannot be looked up among the frames of the turn.

    Check the number of the frame.
    """
    # Frames referred to are among those of the turn.
    for number, turn in enumerate(record.turns):
        for path, slot in iterate_slots(turn):
            if type(slot.val) is not list:
                continue
            known = {frame.frame_id for frame in turn.labels.frames}
            for index, reference in enumerate(slot.val):
                if reference.frame not in known:
                    place = f".turns[{number}].labels{path}.val[{index}].frame"
                    expected = f"one of the {count_of(len(known), 'frame')} of the turn"
                    yield Place(place, expected, str(reference.frame), event_of(record, number))


@rules.warning(26)
def reads_and_writes(record: FramesDialogue) -> Iterator[Place]:
    """`read` or `write` occurs in an act other than the wizard's `inform`.

    They say which frame the wizard's information comes from or goes to.

    Use `ref` in other acts.
    """
    # ``read`` and ``write`` are the wizard's, in ``inform``.
    for number, turn in enumerate(record.turns):
        for i, act in enumerate(turn.labels.acts):
            if turn.author == "wizard" and act.name == "inform":
                continue
            for j, slot in enumerate(act.args):
                if slot.key in ("read", "write"):
                    path = f".turns[{number}].labels.acts[{i}].args[{j}].key"
                    yield Place(path, "ref", slot.key, event_of(record, number))


@rules.note(27, known=24)
def switch_is_active(record: FramesDialogue) -> Iterator[Place]:
    """The frame switched to is not the active frame after the turn.

    The user went back to one frame and changed it at once, which made another.

    Use the target from the act and the state from `active_frame`.
    """
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
        for path, slot in iterate_slots(turn):
            if slot.key == "id" and slot.val not in now - known:
                place = f".turns[{number}].labels{path}.val"
                yield Place(place, "a new frame", shorten(slot.val), event_of(record, number))
        known = now


@rules.warning(29)
def offer_has_id(record: FramesDialogue) -> Iterator[Place]:
    """An offer has no `id` or several, or an act that cannot create a frame has one.

    Every offer creates one frame; of other acts only the wizard's `suggest` may.

    Give each offer one `id`.
    """
    # Offers have one ``id``, suggestions one at most, other acts none.
    for number, turn in enumerate(record.turns):
        for index, act in enumerate(turn.labels.acts):
            count = sum(slot.key == "id" for slot in act.args)
            least, most = _ID_COUNTS.get(act.name, (0, 0))
            if not least <= count <= most:
                path = f".turns[{number}].labels.acts[{index}].args"
                expected = f"{least} id" if least == most else "one id at most"
                yield Place(path, expected, f"{count} in {act.name}", event_of(record, number))


@rules.note(30, known=6)
def anaphora_is_noted(record: FramesDialogue) -> Iterator[Place]:
    """The wording of a reference is stored outside the reference.

    `ref_anaphora` belongs among the annotations of the reference that it puts into words.

    Read it as the wording of the reference of the same act.
    """
    for number, turn in enumerate(record.turns):
        for path, slot in iterate_slots(turn):
            if slot.key == "ref_anaphora":
                place = f".turns[{number}].labels{path}"
                yield Place(place, None, shorten(slot.val), event_of(record, number))
