"""Rules of Frames about dialogue acts, their slots and values."""

from __future__ import annotations

from collections.abc import Iterator

from commonground.corpora.frames.native import DialogueAct, FramesDialogue, Slot
from commonground.corpora.frames.rules._places import event_of, iterate_noted, iterate_slots
from commonground.corpora.frames.vocabulary import (
    ACTS,
    DONT_CARE,
    FLAGS,
    LABELS,
    REFERENCES,
    SLOTS,
)
from commonground.findings import Place, Ruleset, shorten
from commonground.records import UNSET

rules = Ruleset("CG-FRAMES-", "dialogues", known=0)


@rules.note(18, known=138)
def has_act(record: FramesDialogue) -> Iterator[Place]:
    """A turn has no dialogue act.

    Small talk and remarks on the task were left without acts.

    Count it as a turn without labels, not as missing data.
    """
    for number, turn in enumerate(record.turns):
        if not turn.labels.acts:
            yield Place(f".turns[{number}].labels.acts", event=event_of(record, number))


@rules.warning(19)
def act_is_known(record: FramesDialogue) -> Iterator[Place]:
    """A dialogue act is not one that its author can make.

    Users have 12 acts and wizards 16; any other is a misspelling or an extension.

    Compare the name with the list in the corpus card.
    """
    for number, turn in enumerate(record.turns):
        known = ACTS[turn.author]
        for index, act in enumerate(turn.labels.acts):
            if act.name not in known:
                path = f".turns[{number}].labels.acts[{index}].name"
                expected = f"an act of the {turn.author}"
                yield Place(path, expected, act.name, event_of(record, number))


@rules.warning(20)
def slot_is_known(record: FramesDialogue) -> Iterator[Place]:
    """A slot of an act is not one of the corpus's slots.

    Acts have 60 slots; any other is a misspelling or an extension.

    Compare the name with the list in the corpus card.
    """
    # Names of slots are of the list, in references too.
    for number, turn in enumerate(record.turns):
        for path, slot in iterate_slots(turn):
            if slot.key not in SLOTS and slot.key not in REFERENCES and slot.key != "id":
                place = f".turns[{number}].labels{path}.key"
                yield Place(place, "a known slot", slot.key, event_of(record, number))
            if type(slot.val) is list:
                for note, key in iterate_noted(slot):
                    if key not in SLOTS:
                        place = f".turns[{number}].labels{path}.val{note}.key"
                        yield Place(place, "a known slot", key, event_of(record, number))


@rules.note(21, known=69)
def value_is_in_text(record: FramesDialogue) -> Iterator[Place]:
    """The value of a slot does not occur in the text.

    Values were marked in the text, but some were typed over or the text was corrected.

    Do not count on finding the value; `intent` and `action` hold labels and never do.
    """
    # Values of the acts with references stand in the text, capitals aside.
    for number, turn in enumerate(record.turns):
        text = turn.text
        for path, slot in iterate_slots(turn):
            value = slot.val
            # Letter by letter first: 26,268 of 28,196 values are there so, and need no folding.
            if type(value) is not str or value in text or value == DONT_CARE or slot.key in LABELS:
                continue
            if value.casefold() not in text.casefold():
                place = f".turns[{number}].labels{path}.val"
                yield Place(place, "a stretch of the text", value, event_of(record, number))


@rules.note(22, known=9)
def flag_is_boolean(record: FramesDialogue) -> Iterator[Place]:
    """A yes-or-no slot has the text "-1".

    It means that any will do, as it does for other slots, but it is not a boolean.

    Read it as `don't care`.
    """
    # Slots for yes or no do not hold ``-1``.
    for number, turn in enumerate(record.turns):
        for path, slot in iterate_slots(turn):
            if slot.val == DONT_CARE and slot.key in FLAGS:
                place = f".turns[{number}].labels{path}.val"
                found = f'"{DONT_CARE}"'
                yield Place(place, "true or false", found, event_of(record, number))


@rules.error(23)
def value_fits_slot(record: FramesDialogue) -> Iterator[Place]:
    """The value of a slot is not of the kind that the slot takes.

    `id` takes a number; `ref`, `read` and `write` take references; others text or yes/no.

    Compare the value with the JSON Schema and the corpus card.
    """
    # Each slot holds the kind of value that it takes; no text is empty, no reference list.
    for number, turn in enumerate(record.turns):
        for path, slot in iterate_slots(turn):
            expected = _misfit(slot)
            if expected is not None:
                found = None if slot.val is UNSET else shorten(slot.val)
                place = f".turns[{number}].labels{path}.val"
                yield Place(place, expected, found, event_of(record, number))


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
    # Both lists have the same acts with the same slots, those of references among them.
    for number, turn in enumerate(record.turns):
        bare = turn.labels.acts_without_refs
        if bare is UNSET:
            continue
        full = turn.labels.acts
        path = f".turns[{number}].labels.acts_without_refs"
        if [act.name for act in full] != [act.name for act in bare]:
            expected, found = (" ".join(act.name for act in acts) for acts in (full, bare))
            yield Place(path, expected, found, event_of(record, number))
            continue
        for index, (act, stripped) in enumerate(zip(full, bare, strict=True)):
            keys = [slot.key for slot in stripped.args]
            if _bare_keys(act) != keys:
                expected = " ".join(_bare_keys(act))
                place = f"{path}[{index}].args"
                yield Place(place, expected, " ".join(keys), event_of(record, number))


def _bare_keys(act: DialogueAct) -> list[str]:
    keys = []
    for slot in act.args:
        if type(slot.val) is list:
            keys += [key for _, key in iterate_noted(slot)]
        else:
            keys.append(slot.key)
    return keys
