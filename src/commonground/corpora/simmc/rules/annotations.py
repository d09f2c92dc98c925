"""Rules on SIMMC 1 dialogues: acts, references, spans, and what other files say of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import cast

from msgspec import UNSET

from commonground.checks import span_gives
from commonground.corpora.simmc.convert.context import AssistantCall
from commonground.corpora.simmc.convert.labels import THING
from commonground.corpora.simmc.native.reprs import parse_intents
from commonground.corpora.simmc.native.simmc1 import ActSlots, Dialogue1
from commonground.corpora.simmc.rules.dialogues import is_test_form
from commonground.findings import Examined, Place, Ruleset
from commonground.model import Utterance
from commonground.rows import read_column

rules = Ruleset("CG-SIMMC-", "dials")
joined = Ruleset("CG-SIMMC-", "dials", known=0)

ACT = re.compile(
    r"DA:(?:ASK|CONFIRM|INFORM|PROMPT|REQUEST)"
    r":(?:ADD_TO_CART|CHECK|COMPARE|COUNT|DISPREFER|GET|PREFER|REFINE|ROTATE)"
    r"(?::[A-Z_]+)?(?:\.\w*)?"
    r"|ERR:(?:CHITCHAT|MISSING_LABEL|MISSING_CONTEXT|UNSURE"
    r"|MULTIPLE:(?:OBJECT|ACTION|ATTRIBUTE)|UNSUPPORTED:(?:OBJECT|ATTRIBUTE))"
)
"""The dialogue acts: ``DA:<act>:<activity>[:<object>][.<attribute>]``, or an error."""

NUMBERED = re.compile(r"[a-z]+-[a-z]\w*_\d+")
"""Slots such as ``fashion-size_1``, next to ``fashion-size``."""


def _acts(record: Dialogue1) -> Iterator[tuple[str, int, ActSlots]]:
    """Yields path, place of the turn, and every act of the users' belief states."""
    for index, turn in enumerate(record.dialogue):
        belief = turn.belief_state
        for place, act in enumerate(belief if isinstance(belief, list) else ()):
            if isinstance(act, ActSlots):
                yield f".dialogue[{index}].belief_state[{place}]", index, act


def _slots(record: Dialogue1) -> Iterator[tuple[str, int, str, str]]:
    """Yields path, place of the turn, slot and value."""
    for path, index, act in _acts(record):
        for place, pair in enumerate(act.slots):
            if len(pair) == 2:
                yield f"{path}.slots[{place}]", index, pair[0], pair[1]


@rules.warning(19, known=0)
def hidden_belief(record: Dialogue1, examined: Examined) -> Iterator[Place]:
    """A belief state is an object instead of a list, in a file that is not in the test format.

    The test format hides belief states by `{}`; elsewhere they are lists.

    Treat it as hidden, not as empty.
    """
    if is_test_form(examined.source_file):
        return
    for index, turn in enumerate(record.dialogue):
        if isinstance(turn.belief_state, dict):
            yield Place(f".dialogue[{index}].belief_state", "a list", str(turn.belief_state))


@rules.note(20)
def empty_act(record: Dialogue1) -> Iterator[Place]:
    """A belief state holds an empty entry instead of an act.

    The turn has fewer acts than its list has entries.

    Leave the entry out.
    """
    for index, turn in enumerate(record.dialogue):
        belief = turn.belief_state
        for place, act in enumerate(belief if isinstance(belief, list) else ()):
            if not isinstance(act, ActSlots):
                yield Place(f".dialogue[{index}].belief_state[{place}]", "an act", str(act))


@rules.warning(21, known=0)
def unknown_act(record: Dialogue1) -> Iterator[Place]:
    """A dialogue act is not one of the corpus's acts.

    Counts by act, activity or object come out wrong.

    Check whether it is a typo.
    """
    for path, _, act in _acts(record):
        if not ACT.fullmatch(act.act):
            yield Place(f"{path}.act", "DA:<act>:<activity> or ERR:<error>", act.act)


@rules.warning(22, known=0)
def object_value(record: Dialogue1) -> Iterator[Place]:
    """An object slot holds something other than `OBJECT_n`.

    The reference cannot be followed.

    Check which object is meant.
    """
    # Looks at the values of the slots `fashion-O` and `furniture-O`.
    for path, _, slot, value in _slots(record):
        if slot.endswith("-O") and not THING.match(value):
            yield Place(path, "OBJECT_n", value)


@rules.note(23)
def numbered_slot(record: Dialogue1) -> Iterator[Place]:
    """A slot has a number after its name.

    A query for `size` misses `size_1`.

    Treat the numbered slots like the others.
    """
    for path, _, slot, _ in _slots(record):
        if NUMBERED.fullmatch(slot):
            yield Place(path, None, slot)


@rules.note(24)
def never_in_view(record: Dialogue1) -> Iterator[Place]:
    """A belief state refers to an object that has not been in view.

    Images in memory are never in `visual_objects`; 15 % of the fashion references and 1.6 % of the
    furniture references are of this kind.

    Resolve them by `dialogue_coref_map`, not by what is in view.
    """
    seen: set[str] = set()
    refs: dict[int, dict[str, str]] = {}
    for path, index, slot, value in _slots(record):
        if slot.endswith("-O"):
            refs.setdefault(index, {}).setdefault(value, path)
    for index, turn in enumerate(record.dialogue):
        # With one turn's scene unknown, any later thing may have been in view there.
        if turn.visual_objects is UNSET:
            return
        seen.update(turn.visual_objects)
        for value, path in refs.get(index, {}).items():
            if value not in seen:
                yield Place(path, "a thing in view so far", value)


@rules.error(25)
def unmapped(record: Dialogue1) -> Iterator[Place]:
    """A reference is not in the dialogue's coreference map.

    The catalogue item is not known.

    Check whether the dialogue was cut.
    """
    if record.dialogue_coref_map is UNSET:
        return
    known = {f"OBJECT_{number}" for number in record.dialogue_coref_map.values()}
    for path, _, slot, value in _slots(record):
        if slot.endswith("-O") and value not in known:
            yield Place(path, "a number of the map", value)


@rules.error(26)
def map_clash(record: Dialogue1) -> Iterator[Place]:
    """Two catalogue items have the same number in the coreference map.

    A reference to the number is ambiguous.

    Check which of the two is in view where the number is used.
    """
    if record.dialogue_coref_map is UNSET:
        return
    first: dict[int, str] = {}
    for item, number in record.dialogue_coref_map.items():
        if first.setdefault(number, item) != item:
            yield Place(f'.dialogue_coref_map["{item}"]', "a number of its own", str(number))


@rules.error(27)
def unreadable(record: Dialogue1) -> Iterator[Place]:
    """An annotated transcript cannot be read.

    Its spans and intents are in no table but `native`.

    Compare the text with Python's way of writing lists.
    """
    for index, turn in enumerate(record.dialogue):
        for field in ("transcript_annotated", "system_transcript_annotated"):
            text = getattr(turn, field)
            if isinstance(text, str) and parse_intents(text) is None:
                yield Place(f".dialogue[{index}].{field}", "a list of intents", text)


def _spans(record: Dialogue1) -> Iterator[tuple[str, str, int, int, str]]:
    """Yields path, utterance, and start, end and text of each slot's span."""
    for index, turn in enumerate(record.dialogue):
        pairs = (
            ("transcript_annotated", turn.transcript_annotated, turn.transcript),
            (
                "system_transcript_annotated",
                turn.system_transcript_annotated,
                turn.system_transcript,
            ),
        )
        for field, annotated, text in pairs:
            if annotated is UNSET:
                continue
            for intent in parse_intents(annotated) or ():
                for slot in intent.slots:
                    if slot.span is not None and slot.text is not None:
                        path = f".dialogue[{index}].{field}"
                        yield path, text, slot.span.start, slot.span.end, slot.text


@rules.warning(28, known=3)
def wrong_span(record: Dialogue1) -> Iterator[Place]:
    """A slot's span does not cover the slot's words.

    Version 1.0 has wrong spans; version 1.1 corrects them.

    Trust the words, not the numbers, or take version 1.1 or later.
    """
    for path, text, start, end, words in _spans(record):
        if not span_gives(text, start, end, words):
            yield Place(path, words, text[start:end])


@joined.error(29)
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


@joined.warning(30)
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


@joined.error(31)
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
