"""Rules of Frames about dialogue acts, their slots and values."""

from __future__ import annotations

from collections.abc import Iterator

from commonground.corpora.frames.native import DialogueAct, FramesDialogue, Slot
from commonground.corpora.frames.rules._places import (
    FramesRules,
    iterate_acts,
    iterate_noted,
    iterate_slots,
)
from commonground.corpora.frames.vocabulary import (
    ACTS,
    DONT_CARE,
    FLAGS,
    LABELS,
    REFERENCES,
    SLOTS,
)
from commonground.findings import Place, shorten
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
