"""Rules on SIMMC 1 dialogues: what is in view, words, turns and tasks."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import UNSET

from commonground.corpora.simmc.native.reprs import parse_literal
from commonground.corpora.simmc.native.simmc1 import Dialogue1, domain_of_name
from commonground.findings import Examined, Place, Ruleset

rules = Ruleset("CG-SIMMC-", "dials", known=0)

PLACES = frozenset({"focus", "left", "center", "right"})


def is_fashion(record: Dialogue1, examined: Examined) -> bool:
    """Says whether a dialogue is about fashion."""
    if record.domains:
        return record.domains[0] == "fashion"
    return domain_of_name(examined.source_file) == "fashion"


def _attributes(record: Dialogue1) -> Iterator[tuple[str, int, str, str | list[str]]]:
    """Yields path, turn, name and value of every attribute of a thing in view."""
    for index, turn in enumerate(record.dialogue):
        if isinstance(turn.visual_objects, dict):
            for thing, attributes in turn.visual_objects.items():
                for name, value in attributes.items():
                    path = f".dialogue[{index}].visual_objects.{thing}.{name}"
                    yield path, turn.turn_idx, name, value


def _named(record: Dialogue1, wanted: str, right: str) -> Iterator[Place]:
    for path, _, name, _ in _attributes(record):
        if name == wanted:
            yield Place(path, right, wanted)


@rules.note(4, known=77)
def hemlength(record: Dialogue1) -> Iterator[Place]:
    """The attribute `hemLength` is spelt `hemlength`.

    A query for one spelling misses the other.

    Treat both as one.
    """
    return _named(record, "hemlength", "hemLength")


@rules.note(5, known=38)
def embellishment(record: Dialogue1) -> Iterator[Place]:
    """The attribute `embellishments` is spelt `embellishment`.

    A query for one spelling misses the other.

    Treat both as one.
    """
    return _named(record, "embellishment", "embellishments")


@rules.warning(6, known=18)
def unreadable_style(record: Dialogue1) -> Iterator[Place]:
    """A `decor_style` is a text that cannot be read as a list.

    Programs cannot read the styles of the item.

    Correct the quotes, as the authors' own scripts do.
    """
    for path, _, name, value in _attributes(record):
        if name != "decor_style" or not isinstance(value, str) or not value:
            continue
        if not isinstance(parse_literal(value), list):
            yield Place(path, "a list", value)


@rules.note(7, known=1030)
def empty_style(record: Dialogue1) -> Iterator[Place]:
    """A `decor_style` is an empty string instead of an empty list.

    Code that expects a list finds a text.

    Treat it as no style.
    """
    for path, _, name, value in _attributes(record):
        if name == "decor_style" and value == "":
            yield Place(path, "a list", "")


def _values(record: Dialogue1, pattern: re.Pattern[str]) -> Iterator[Place]:
    for path, _, name, value in _attributes(record):
        if name != "description" and isinstance(value, list):
            for place, each in enumerate(value):
                if pattern.fullmatch(each):
                    yield Place(f"{path}[{place}]", None, each)


_TWO_COLOURS = re.compile(r"[A-Z]\w+,[A-Z]\w+")
# Matched as a whole value, so that `Traditional` is not found.
_DOUBLED = re.compile(r"Traditionall")
_SLEEVE = re.compile(r".+_sleeveStyle")


@rules.note(8, known=16)
def joined_values(record: Dialogue1) -> Iterator[Place]:
    """Two values are in one text, separated by a comma.

    A query for either value misses the object.

    Split the text at the comma.
    """
    # Looks for values such as `Gray,Black`.
    return _values(record, _TWO_COLOURS)


@rules.note(9, known=13)
def traditionall(record: Dialogue1) -> Iterator[Place]:
    """The value `Traditional` is spelt `Traditionall`.

    A query for one spelling misses the other.

    Treat both as one.
    """
    return _values(record, _DOUBLED)


@rules.note(10, known=246)
def sleeve_values(record: Dialogue1) -> Iterator[Place]:
    """A sleeve value ends in `_sleeveStyle` where `_sleeve` is meant.

    A search and replace for `sleeve` changed the values, too.

    Read `_sleeveStyle` as `_sleeve`.
    """
    return _values(record, _SLEEVE)


@rules.warning(17)
def fashion_scene(record: Dialogue1, examined: Examined) -> Iterator[Place]:
    """A fashion scene is not exactly one image in focus.

    The shopper sees one image at a time; none is shown at some later turns.

    Check what was in focus in the API-call file.
    """
    if not is_fashion(record, examined):
        return
    for index, turn in enumerate(record.dialogue):
        scene = turn.visual_objects
        if scene is UNSET:
            continue
        places = [attributes.get("pos") for attributes in scene.values()]
        # Nothing in view is usual at later turns (974 in the public devtest), never at the first.
        if places != ["focus"] and (places or index == 0):
            yield Place(f".dialogue[{index}].visual_objects", "one image in focus", str(places))


@rules.warning(18)
def furniture_scene(record: Dialogue1, examined: Examined) -> Iterator[Place]:
    """A furniture scene is neither one object in focus nor a row of up to three.

    Positions of the scene cannot be trusted.

    Check what was in view in the API-call file.
    """
    if is_fashion(record, examined):
        return
    for index, turn in enumerate(record.dialogue):
        scene = turn.visual_objects
        if not isinstance(scene, dict) or not scene:
            continue
        places = [str(attributes.get("pos")) for attributes in scene.values()]
        twice = len(set(places)) < len(places)
        alone = "focus" not in places or len(places) == 1
        # All 960 public devtest dialogues begin with nothing in view.
        if index == 0 or twice or not alone or not PLACES.issuperset(places):
            path = f".dialogue[{index}].visual_objects"
            yield Place(path, "focus, or left, center and right", ", ".join(places))


def is_test_form(document: str) -> bool:
    """Says by a file's name whether it is in the form in which the test set was given out."""
    return "teststd" in document.rpartition("/")[2]


def event_of(examined: Examined, turn: int, speaker: str) -> int | None:
    """Returns the number of the utterance of a turn and speaker; null where there is none.

    A turn is given by its own number, ``turn_idx``, a speaker as ``user`` or ``assistant``.
    """
    for number, event in enumerate(examined.dialogue.events if examined.dialogue else ()):
        if event.turn == turn and event.speaker == speaker and event.kind == "utterance":
            return number
    return None


def _texts(
    record: Dialogue1, examined: Examined, field: str, pattern: re.Pattern[str]
) -> Iterator[Place]:
    speaker = "user" if field == "transcript" else "assistant"
    for index, turn in enumerate(record.dialogue):
        text = getattr(turn, field)
        match = pattern.search(text)
        if match:
            event = event_of(examined, turn.turn_idx, speaker)
            yield Place(f".dialogue[{index}].{field}", None, match[0], event)


# "212 Localt", "212 Localts": cost and costs, whose "Cos" was taken for a brand.
_LOCALT = re.compile(r"212 Localt\w*")


@rules.note(1, known=149)
def user_localt(record: Dialogue1, examined: Examined) -> Iterator[Place]:
    """A user utterance says `212 Localt` instead of `cost`.

    A brand was replaced by search and replace, and `cos` inside `cost` with it.

    Read `212 Localt` as `cost`; version 1.1 has the right word.
    """
    return _texts(record, examined, "transcript", _LOCALT)


@rules.note(2, known=243)
def assistant_localt(record: Dialogue1, examined: Examined) -> Iterator[Place]:
    """An assistant utterance says `212 Localt` instead of `cost`.

    A brand was replaced by search and replace, and `cos` inside `cost` with it.

    Read `212 Localt` as `cost`; version 1.1 has the right word.
    """
    return _texts(record, examined, "system_transcript", _LOCALT)


# Words that begin a sentence, right after a small letter: other words with a capital inside, such
# as brands, are meant so.
_JOINED = re.compile(r"\b[a-z]+(?:Who|What|Which|Where|When|How|Does|Could|Please)\b")


@rules.note(3, known=1)
def joined_words(record: Dialogue1, examined: Examined) -> Iterator[Place]:
    """Two words of a user utterance have run together.

    Word counts and spans after the place are off by a space.

    Split before the capital letter if you need the words.
    """
    return _texts(record, examined, "transcript", _JOINED)


@rules.warning(11, known=1)
def missing_task(record: Dialogue1, examined: Examined) -> Iterator[Place]:
    """A fashion dialogue has no `dialogue_task_id`.

    The images in memory and to be found are not known for it.

    The authors' scripts take task 1874 in its place; leave it out instead.
    """
    if record.dialogue_task_id is UNSET and is_fashion(record, examined):
        # A dialogue without any scene is in a form that leaves all of this out.
        annotated = any(turn.visual_objects is not UNSET for turn in record.dialogue)
        if annotated:
            yield Place(".dialogue_task_id", "the number of a task", None)


@rules.error(12)
def unknown_task(record: Dialogue1, examined: Examined) -> Iterator[Place]:
    """The task of a dialogue is not in the file's `task_mapping`.

    The images of the dialogue are not known.

    Check whether dialogues and tasks are of the same release.
    """
    file = examined.context.files.get(examined.source_file)
    number = record.dialogue_task_id
    if file is not None and file.tasks and number is not UNSET and number not in file.tasks:
        yield Place(".dialogue_task_id", "a task of the file", str(number))


@rules.error(13)
def turn_order(record: Dialogue1) -> Iterator[Place]:
    """A turn's `turn_idx` is not its place in the dialogue.

    API calls and candidates are joined by this number.

    Number the turns from 0 in order.
    """
    for index, turn in enumerate(record.dialogue):
        if turn.turn_idx != index:
            yield Place(f".dialogue[{index}].turn_idx", str(index), str(turn.turn_idx))


@rules.error(14)
def turn_domain(record: Dialogue1) -> Iterator[Place]:
    """A turn belongs to a domain that its dialogue does not belong to.

    Slots and catalogues differ between the domains.

    Check which of the two is right.
    """
    for index, turn in enumerate(record.dialogue):
        if turn.domain not in record.domains:
            yield Place(f".dialogue[{index}].domain", " or ".join(record.domains), turn.domain)


@rules.warning(15)
def hidden_answer(record: Dialogue1, examined: Examined) -> Iterator[Place]:
    """The last answer is left out of a dialogue that is not in the test format.

    The test format hides what a system is to answer; no other file does.

    Do not take the empty text for an answer.
    """
    if is_test_form(examined.source_file):
        return
    if record.dialogue and record.dialogue[-1].system_transcript == "":
        last = len(record.dialogue) - 1
        event = event_of(examined, record.dialogue[-1].turn_idx, "assistant")
        yield Place(f".dialogue[{last}].system_transcript", "what was said", "", event)


@rules.warning(16)
def empty_text(record: Dialogue1) -> Iterator[Place]:
    """An utterance before the last answer is empty.

    Nothing was said where something must have been.

    Compare the dialogue with the released file.
    """
    last = len(record.dialogue) - 1
    for index, turn in enumerate(record.dialogue):
        if not turn.transcript:
            yield Place(f".dialogue[{index}].transcript", "what was said", "")
        if not turn.system_transcript and index != last:
            yield Place(f".dialogue[{index}].system_transcript", "what was said", "")
