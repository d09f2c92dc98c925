"""Rules of Frames about dialogue acts: slots, values, and the frames that they refer to."""

from __future__ import annotations

from collections.abc import Iterator

from commonground.corpora.frames.native import DialogueAct, FramesDialogue, Slot
from commonground.corpora.frames.rules._places import (
    FramesRules,
    iterate_acts,
    iterate_noted,
    iterate_slots,
)
from commonground.corpora.frames.vocabulary import ACTS, DONT_CARE, FLAGS, LABELS, REFERENCES, SLOTS
from commonground.findings import Place, shorten
from commonground.printing import count_of
from commonground.records import UNSET

rules = FramesRules("CG-FRAMES-", "dialogues", known=0)


@rules.note(18, known=138)
def has_act(record: FramesDialogue) -> Iterator[Place]:
    """A turn has no dialogue act.

    Small talk and remarks on the task were left without acts.

    Count it as a turn without labels, not as missing data.
    """
    for number, turn in enumerate(record.turns):
        if not turn.labels.acts:
            yield Place(f".turns[{number}].labels.acts")


@rules.warning(19)
def act_is_known(record: FramesDialogue) -> Iterator[Place]:
    """A dialogue act is not one that its author can make.

    Users have 12 acts and wizards 16; any other is a misspelling or an extension.

    Compare the name with the list in the corpus card.
    """
    for turn, path, act in iterate_acts(record):
        if act.name not in ACTS[turn.author]:
            yield Place(f"{path}.name", f"an act of the {turn.author}", act.name)


@rules.warning(20)
def slot_is_known(record: FramesDialogue) -> Iterator[Place]:
    """A slot of an act is not one of the corpus's slots.

    Acts have 60 slots; any other is a misspelling or an extension.

    Compare the name with the list in the corpus card.
    """
    for _, path, slot in iterate_slots(record):
        if slot.key not in SLOTS and slot.key not in REFERENCES and slot.key != "id":
            yield Place(f"{path}.key", "a known slot", slot.key)
        for note, key in iterate_noted(slot):
            if key not in SLOTS:
                yield Place(f"{path}.val{note}.key", "a known slot", key)


@rules.note(21, known=69)
def value_is_in_text(record: FramesDialogue) -> Iterator[Place]:
    """The value of a slot does not occur in the text.

    Values were marked in the text, but some were typed over or the text was corrected.

    Do not count on finding the value; `intent` and `action` hold labels and never do.
    """
    for turn, path, slot in iterate_slots(record):
        value, text = slot.val, turn.text
        # Letter by letter first: 26,268 of 28,196 values are there so, and need no folding.
        if type(value) is not str or value in text or value == DONT_CARE or slot.key in LABELS:
            continue
        if value.casefold() not in text.casefold():
            yield Place(f"{path}.val", "a stretch of the text", value)


@rules.note(22, known=9)
def flag_is_boolean(record: FramesDialogue) -> Iterator[Place]:
    """A yes-or-no slot has the text "-1".

    It means that any will do, as it does for other slots, but it is not a boolean.

    Read it as `don't care`.
    """
    for _, path, slot in iterate_slots(record):
        if slot.val == DONT_CARE and slot.key in FLAGS:
            yield Place(f"{path}.val", "true or false", f'"{DONT_CARE}"')


@rules.error(23)
def value_fits_slot(record: FramesDialogue) -> Iterator[Place]:
    """The value of a slot is not of the kind that the slot takes.

    `id` takes a number; `ref`, `read` and `write` take references; others text or yes/no.

    Compare the value with the JSON Schema and the corpus card.
    """
    # No text is empty, and no list of references.
    for _, path, slot in iterate_slots(record):
        expected = _misfit(slot)
        if expected is not None:
            found = None if slot.val is UNSET else shorten(slot.val)
            yield Place(f"{path}.val", expected, found)


def _misfit(slot: Slot) -> str | None:
    """Says what a slot should hold; null where it does."""
    key, value = slot.key, slot.val
    if key in REFERENCES:
        return None if type(value) is list and value else "a list of references"
    if key == "id":
        return None if type(value) is int else "the number of a frame"
    if value is UNSET or value == DONT_CARE:
        return None
    if key in FLAGS:
        return None if type(value) is bool else "true or false"
    return None if type(value) is str and value else "a text"


@rules.error(24)
def bare_acts_agree(record: FramesDialogue) -> Iterator[Place]:
    """The acts without references are not the acts with references taken out.

    Frame tracking predicts the one from the other, act by act and slot by slot.

    Make both lists from the same annotation.
    """
    for number, turn in enumerate(record.turns):
        bare = turn.labels.acts_without_refs
        if bare is UNSET:
            continue
        full = turn.labels.acts
        path = f".turns[{number}].labels.acts_without_refs"
        if [act.name for act in full] != [act.name for act in bare]:
            expected, found = (" ".join(act.name for act in acts) for acts in (full, bare))
            yield Place(path, expected, found)
            continue
        for index, (act, stripped) in enumerate(zip(full, bare, strict=True)):
            keys = [slot.key for slot in stripped.args]
            if _bare_keys(act) != keys:
                expected = " ".join(_bare_keys(act))
                yield Place(f"{path}[{index}].args", expected, " ".join(keys))


def _bare_keys(act: DialogueAct) -> list[str]:
    keys = []
    for slot in act.args:
        if type(slot.val) is list:
            keys += [key for _, key in iterate_noted(slot)]
        else:
            keys.append(slot.key)
    return keys


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
