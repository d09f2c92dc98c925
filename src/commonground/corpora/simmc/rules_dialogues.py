"""Rules on SIMMC 1 dialogues: words, turns, and what is in view."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import UNSET

from commonground.corpora.simmc.context import Context
from commonground.corpora.simmc.native import Dialogue1, domain_of_name
from commonground.corpora.simmc.reprs import parse_literal
from commonground.findings import Examined, Place, rule
from commonground.model import Dialogue

PLACES = frozenset({"focus", "left", "center", "right"})


def event_of(examined: Examined, turn: int, speaker: str) -> int | None:
    """Returns the number of the utterance of a turn and speaker; null where there is none."""
    dialogue = examined.dialogue
    for number, event in enumerate(dialogue.events if isinstance(dialogue, Dialogue) else ()):
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


_LOCALT = re.compile(r"212 Localt\w*")


@rule(
    "CG-SIMMC-001",
    "note",
    "A user utterance says `212 Localt` in place of `cost`.",
    why="A brand was replaced by text search, and `cos` inside `cost` with it.",
    advice="Read `212 Localt` as `cost`; version 1.1 has the right word.",
    format="dials",
    known=149,
)
def user_localt(record: Dialogue1, examined: Examined) -> Iterator[Place]:
    """Looks for the artefact in user utterances."""
    return _texts(record, examined, "transcript", _LOCALT)


@rule(
    "CG-SIMMC-002",
    "note",
    "An assistant utterance says `212 Localt` in place of `cost`.",
    why="A brand was replaced by text search, and `cos` inside `cost` with it.",
    advice="Read `212 Localt` as `cost`; version 1.1 has the right word.",
    format="dials",
    known=243,
)
def assistant_localt(record: Dialogue1, examined: Examined) -> Iterator[Place]:
    """Looks for the artefact in assistant utterances."""
    return _texts(record, examined, "system_transcript", _LOCALT)


_JOINED = re.compile(r"\b[a-z]+(?:Who|What|Which|Where|When|How|Does|Could|Please)\b")


@rule(
    "CG-SIMMC-003",
    "note",
    "Two words of a user utterance have run together.",
    why="Word counts and spans behind the place are off by a space.",
    advice="Split before the capital letter if you need the words.",
    format="dials",
    known=1,
)
def joined_words(record: Dialogue1, examined: Examined) -> Iterator[Place]:
    """Looks for a question word in the middle of a word."""
    return _texts(record, examined, "transcript", _JOINED)


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


@rule(
    "CG-SIMMC-004",
    "note",
    "The attribute `hemLength` is spelt `hemlength`.",
    why="A query for one spelling misses the other.",
    advice="Take both together.",
    format="dials",
    known=77,
)
def hemlength(record: Dialogue1, examined: Examined) -> Iterator[Place]:  # noqa: ARG001
    """Looks for the second spelling."""
    return _named(record, "hemlength", "hemLength")


@rule(
    "CG-SIMMC-005",
    "note",
    "The attribute `embellishments` is spelt `embellishment`.",
    why="A query for one spelling misses the other.",
    advice="Take both together.",
    format="dials",
    known=38,
)
def embellishment(record: Dialogue1, examined: Examined) -> Iterator[Place]:  # noqa: ARG001
    """Looks for the second spelling."""
    return _named(record, "embellishment", "embellishments")


@rule(
    "CG-SIMMC-006",
    "warning",
    "A `decor_style` is a text that holds no readable list.",
    why="The styles of the thing are not known to a program.",
    advice="Mend the quotes, as the authors' own scripts do.",
    format="dials",
    known=18,
)
def unreadable_style(record: Dialogue1, examined: Examined) -> Iterator[Place]:  # noqa: ARG001
    """Looks for texts that are neither empty nor a list."""
    for path, _, name, value in _attributes(record):
        if name == "decor_style" and isinstance(value, str) and value:
            if not isinstance(parse_literal(value), list):
                yield Place(path, "a list", value)


@rule(
    "CG-SIMMC-007",
    "note",
    "A `decor_style` is an empty text in place of an empty list.",
    why="Code that expects a list finds a text.",
    advice="Take it as no style.",
    format="dials",
    known=1030,
)
def empty_style(record: Dialogue1, examined: Examined) -> Iterator[Place]:  # noqa: ARG001
    """Looks for empty texts."""
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
_DOUBLED = re.compile(r"Traditionall")
_SLEEVE = re.compile(r".+_sleeveStyle")


@rule(
    "CG-SIMMC-008",
    "note",
    "Two values stand in one text, with a comma between them.",
    why="A query for either value misses the thing.",
    advice="Split the text at the comma.",
    format="dials",
    known=16,
)
def joined_values(record: Dialogue1, examined: Examined) -> Iterator[Place]:  # noqa: ARG001
    """Looks for values such as `Gray,Black`."""
    return _values(record, _TWO_COLOURS)


@rule(
    "CG-SIMMC-009",
    "note",
    "The value `Traditional` is spelt `Traditionall`.",
    why="A query for one spelling misses the other.",
    advice="Take both together.",
    format="dials",
    known=13,
)
def traditionall(record: Dialogue1, examined: Examined) -> Iterator[Place]:  # noqa: ARG001
    """Looks for the doubled letter."""
    return _values(record, _DOUBLED)


@rule(
    "CG-SIMMC-010",
    "note",
    "A sleeve value ends in `_sleeveStyle` where `_sleeve` is meant.",
    why="`sleeve` was replaced by text search in the values too.",
    advice="Read `_sleeveStyle` as `_sleeve`.",
    format="dials",
    known=246,
)
def sleeve_values(record: Dialogue1, examined: Examined) -> Iterator[Place]:  # noqa: ARG001
    """Looks for values that end in the name of the attribute."""
    return _values(record, _SLEEVE)


def _is_fashion(record: Dialogue1, examined: Examined) -> bool:
    if record.domains:
        return record.domains[0] == "fashion"
    return domain_of_name(examined.source_file) == "fashion"


@rule(
    "CG-SIMMC-011",
    "warning",
    "A fashion dialogue has no `dialogue_task_id`.",
    why="The images in memory and to be found are not known for it.",
    advice="The authors' scripts take task 1874 in its place; leave it out instead.",
    format="dials",
    known=1,
)
def missing_task(record: Dialogue1, examined: Examined) -> Iterator[Place]:
    """Looks for the missing number."""
    if record.dialogue_task_id is UNSET and _is_fashion(record, examined):
        annotated = any(turn.visual_objects is not UNSET for turn in record.dialogue)
        if annotated:
            yield Place(".dialogue_task_id", "the number of a task", None)


@rule(
    "CG-SIMMC-012",
    "error",
    "The task of a dialogue is not in the file's `task_mapping`.",
    why="The images of the dialogue are not known.",
    advice="See whether dialogues and tasks are of the same release.",
    format="dials",
    known=0,
)
def unknown_task(record: Dialogue1, examined: Examined) -> Iterator[Place]:
    """Compares the number with those of the file."""
    context = examined.context
    file = context.files.get(examined.source_file) if isinstance(context, Context) else None
    number = record.dialogue_task_id
    if file is not None and file.tasks and number is not UNSET and number not in file.tasks:
        yield Place(".dialogue_task_id", "a task of the file", str(number))


@rule(
    "CG-SIMMC-013",
    "error",
    "A turn's `turn_idx` is not its place in the dialogue.",
    why="API calls and candidates are joined by this number.",
    advice="Number the turns from 0 in order.",
    format="dials",
    known=0,
)
def turn_order(record: Dialogue1, examined: Examined) -> Iterator[Place]:  # noqa: ARG001
    """Compares numbers with places."""
    for index, turn in enumerate(record.dialogue):
        if turn.turn_idx != index:
            yield Place(f".dialogue[{index}].turn_idx", str(index), str(turn.turn_idx))


@rule(
    "CG-SIMMC-014",
    "error",
    "A turn is of a domain that its dialogue is not of.",
    why="Slots and catalogues differ between the domains.",
    advice="See which of the two is right.",
    format="dials",
    known=0,
)
def turn_domain(record: Dialogue1, examined: Examined) -> Iterator[Place]:  # noqa: ARG001
    """Compares the domains."""
    for index, turn in enumerate(record.dialogue):
        if turn.domain not in record.domains:
            yield Place(f".dialogue[{index}].domain", " or ".join(record.domains), turn.domain)


@rule(
    "CG-SIMMC-015",
    "note",
    "The last answer of the dialogue is left out.",
    why="It is what a system is to answer in the test form of the corpus.",
    advice="Do not take the empty text for an answer.",
    format="dials",
    known=1942,
)
def hidden_answer(record: Dialogue1, examined: Examined) -> Iterator[Place]:
    """Looks at the last turn."""
    if record.dialogue and record.dialogue[-1].system_transcript == "":
        last = len(record.dialogue) - 1
        event = event_of(examined, record.dialogue[-1].turn_idx, "assistant")
        yield Place(f".dialogue[{last}].system_transcript", "what was said", "", event)


@rule(
    "CG-SIMMC-016",
    "warning",
    "An utterance before the last answer is empty.",
    why="Nothing was said where something must have been.",
    advice="Compare the dialogue with the released file.",
    format="dials",
    known=0,
)
def empty_text(record: Dialogue1, examined: Examined) -> Iterator[Place]:  # noqa: ARG001
    """Looks for empty texts anywhere but at the end."""
    last = len(record.dialogue) - 1
    for index, turn in enumerate(record.dialogue):
        if not turn.transcript:
            yield Place(f".dialogue[{index}].transcript", "what was said", "")
        if not turn.system_transcript and index != last:
            yield Place(f".dialogue[{index}].system_transcript", "what was said", "")


@rule(
    "CG-SIMMC-017",
    "warning",
    "A fashion scene is not one image in focus.",
    why="The shopper sees one image at a time; none is shown at some later turns.",
    advice="See what was in focus in the API-call file.",
    format="dials",
    known=0,
)
def fashion_scene(record: Dialogue1, examined: Examined) -> Iterator[Place]:
    """Looks at number and place of the things in view."""
    if not _is_fashion(record, examined):
        return
    for index, turn in enumerate(record.dialogue):
        scene = turn.visual_objects
        if scene is UNSET:
            continue
        places = [attributes.get("pos") for attributes in scene.values()]
        if places != ["focus"] and (places or index == 0):
            yield Place(f".dialogue[{index}].visual_objects", "one image in focus", str(places))


@rule(
    "CG-SIMMC-018",
    "warning",
    "A furniture scene is neither one thing in focus nor a row of up to three.",
    why="Positions of the scene cannot be trusted.",
    advice="See what was in view in the API-call file.",
    format="dials",
    known=0,
)
def furniture_scene(record: Dialogue1, examined: Examined) -> Iterator[Place]:
    """Looks at number and place of the things in view."""
    if _is_fashion(record, examined):
        return
    for index, turn in enumerate(record.dialogue):
        scene = turn.visual_objects
        if not isinstance(scene, dict) or not scene:
            continue
        places = [str(attributes.get("pos")) for attributes in scene.values()]
        twice = len(set(places)) < len(places)
        alone = "focus" not in places or len(places) == 1
        if index == 0 or twice or not alone or not PLACES.issuperset(places):
            path = f".dialogue[{index}].visual_objects"
            yield Place(path, "focus, or left, center and right", ", ".join(places))
