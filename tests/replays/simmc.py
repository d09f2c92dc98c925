"""Released fashion dialogues played again by the rules.

A file of dialogues holds the words and what was in view. What was clicked is in raw keystrokes
where the file has them; otherwise a click is where another thing comes into view, and the first
images of the task that are not used yet stand for things that the file only names. The public form
withholds the last answer, so its last round stays open. What the assistant pressed is not in these
files.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from commonground.corpora.simmc.native.simmc1 import FORMATS, Dialogue1, Envelope, Task, Turn
from commonground.errors import FormatError
from commonground.files.dividing import decode_raw, divide_document
from commonground.findings import shorten
from commonground.play.scenario import Act, Refusal, Replay, ReplayDifference, Sitting
from commonground.play.scenarios.simmc.fashion.material import FashionMaterial
from commonground.play.scenarios.simmc.fashion.rules import SCENARIO, FashionState
from commonground.play.scenarios.simmc.shop.items import Item, look_of_fashion
from commonground.records import UNSET
from tests.replays import Comparer

_DIALS = next(each for each in FORMATS if each.name == "dials")

_REASONS = {
    "unplayable": "The file does not say which images the dialogue was held with.",
    "empty": "The text is empty: the public form withholds the last answer.",
    "too_long": "The text is longer than the field of the game.",
    "unprintable": "The text has a character that cannot be seen.",
    "reserved_sign": "The text has a sign that divides the parts of target lines.",
    "no_such_image": "What came into view is not among the images that can be brought there.",
    "already_clicked": "A second image was clicked in one round; it never came into view.",
    "over": "Something after the dialogue was over.",
    "name": "Released numbers count things in memory as well; ours count what was seen.",
    "spelling": "The released scene spells `hemLength` or `embellishments` in a second way.",
    "scene_given": "The released scene is there although the image is that of the turn before.",
    "scene_missing": "The released scene is empty although the image has just changed.",
    "scene": "The released scene shows other attributes of the thing than before.",
    "transcript": "The user's words would be written in another way.",
    "system_transcript": "The assistant's words would be written in another way.",
    "focus_twice": "One thing has two names in the released dialogue.",
}


def replay_dialogues(name: str, data: bytes) -> Replay:
    """Plays the dialogues of a file again.

    Args:
        name: of the file, for the list of differences.
        data: its bytes.

    Raises:
        FormatError: it is no file of fashion dialogues; the message says where.
    """
    division = divide_document(name, data, _DIALS)
    tasks: dict[int, Task] = {}
    replay, place = Replay(), 0
    for raw in division.records:
        record = decode_raw(name, raw, _DIALS).record
        if isinstance(record, Envelope):
            if record.domain != "fashion":
                raise FormatError(f"{name}: expected fashion dialogues, found {record.domain}.")
            tasks = {each.task_id: each for each in record.task_mapping or ()}
        elif isinstance(record, Dialogue1):
            number = record.dialogue_task_id
            task = None if number is UNSET else tasks.get(number)
            replay += _Dialogue(name, f"$.dialogue_data[{place}]", record).replay(task)
            place += 1
    if not place:
        raise FormatError(f"{name}: expected fashion dialogues, found none.")
    return replay


class _Dialogue:
    """A released dialogue on its way through the rules, and what came out otherwise so far."""

    def __init__(self, name: str, path: str, record: Dialogue1) -> None:
        self._name = name
        self._path = path
        self._record = record
        self._differences: list[ReplayDifference] = []
        self._at_us = 0
        self._acts = 0

    def replay(self, task: Task | None) -> Replay:
        """Plays it and compares what comes out."""
        if task is None:
            self._differ("", "unplayable", "a task of the file", str(self._record.dialogue_task_id))
            return Replay(sessions=1, differences=self._differences)
        images = _name_images(self._record, task)
        try:
            state = SCENARIO.start(_material(self._record, task, images), 0)
        except FormatError as error:
            self._differ("", "unplayable", error.message, str(task.task_id))
            return Replay(sessions=1, differences=self._differences)
        for number, turn in enumerate(self._record.dialogue):
            state = self._play(state, number, turn, images)
        compared, equal = self._compare(state)
        return Replay(1, self._acts, compared, equal, self._differences)

    def _play(
        self, state: FashionState, number: int, turn: Turn, images: dict[str, int]
    ) -> FashionState:
        path = f".dialogue[{number}]"
        state = self._try(state, "user", "chat.message", f"{path}.transcript", text=turn.transcript)
        for image in self._clicks(state, number, images):
            state = self._try(state, "assistant", "simmc.focus", path, image=image)
        where = f"{path}.system_transcript"
        text = turn.system_transcript
        return self._try(state, "assistant", "chat.message", where, text=text)

    def _clicks(self, state: FashionState, number: int, images: dict[str, int]) -> Iterator[int]:
        """Yields the images that the assistant clicked in a round."""
        turns = self._record.dialogue
        strokes = turns[number].raw_assistant_keystrokes
        if isinstance(strokes, list):
            for stroke in strokes:
                if isinstance(stroke, dict) and str(stroke.get("image_id", "")).isdecimal():
                    yield int(stroke["image_id"])
        # Without keystrokes only the next turn's scene tells what was clicked.
        elif number + 1 < len(turns):
            scene = turns[number + 1].visual_objects or {}
            for image in (images[name] for name in scene if name in images):
                if image != state.focus:
                    yield image

    def _try(
        self, state: FashionState, role: str, kind: str, path: str, **payload: Any
    ) -> FashionState:
        self._at_us += 1_000_000
        self._acts += 1
        result = SCENARIO.apply(state, Act(kind, role, payload, self._at_us))
        if isinstance(result, Refusal):
            self._differ(path, result.code, "refused", str(next(iter(payload.values()))))
            return state
        return result

    def _differ(self, path: str, code: str, expected: str, found: str) -> None:
        where = self._path + path
        told = shorten(expected), shorten(found)
        self._differences.append(ReplayDifference(self._name, where, code, *told))

    def _compare(self, state: FashionState) -> tuple[dict[str, int], dict[str, int]]:
        records = SCENARIO.finish(state, Sitting(self._record.dialogue_idx, {}))
        made: list[Turn] = records[0].dialogue if records else []
        names = ("transcript", "system_transcript", "scene")
        compared, equal = dict.fromkeys(names, 0), dict.fromkeys(names, 0)
        before = {each.path for each in self._differences}
        for number, (ours, theirs) in enumerate(zip(made, self._record.dialogue, strict=False)):
            self._compare_turn(f".dialogue[{number}]", ours, theirs)
            differ = {each.path for each in self._differences} - before
            for name in names:
                compared[name] += 1
                equal[name] += f"{self._path}.dialogue[{number}].{name}" not in differ  # true is 1
        return compared, equal

    def _compare_turn(self, path: str, ours: Turn, theirs: Turn) -> None:
        for name in ("transcript", "system_transcript"):
            mine, released = getattr(ours, name), getattr(theirs, name)
            if mine != released:
                self._differ(f"{path}.{name}", name, mine, released)
        mine, released = ours.visual_objects or {}, theirs.visual_objects or {}
        code = _compare_scenes(mine, released)
        if code:
            self._differ(f"{path}.scene", code, str(mine), str(released))


def _compare_scenes(ours: dict[str, Any], theirs: dict[str, Any]) -> str:
    """Returns the code of the difference of two scenes; empty for none."""
    if not ours or not theirs:
        return "scene_given" if theirs else "scene_missing" if ours else ""
    mine, released = (next(iter(each.values())) for each in (ours, theirs))
    if mine != released:
        # Released scenes have these spellings beside the usual ones.
        seconds = {"hemlength", "embellishment"}
        known = {name: value for name, value in released.items() if name not in seconds}
        return "spelling" if mine == known else "scene"
    return "name" if ours.keys() != theirs.keys() else ""


def _name_images(record: Dialogue1, task: Task) -> dict[str, int]:
    """Returns the image of each thing that the dialogue shows, by its name."""
    mapped = record.dialogue_coref_map
    if mapped is not UNSET:
        return {f"OBJECT_{number}": int(item) for item, number in mapped.items()}
    names = dict.fromkeys(name for turn in record.dialogue for name in turn.visual_objects or ())
    # The first is in focus from the start; released dialogues find three of four in the database.
    free = [task.focus_image, *task.database_images, *task.memory_images]
    return dict(zip(names, free, strict=False))


def _material(record: Dialogue1, task: Task, images: dict[str, int]) -> FashionMaterial:
    """Returns the task with what the dialogue shows of its images."""
    seen: dict[int, dict[str, Any]] = {}
    for turn in record.dialogue:
        for name, facts in (turn.visual_objects or {}).items():
            if name in images:
                shown = {key: value for key, value in facts.items() if key != "pos"}
                seen.setdefault(images[name], shown)
    items = [
        Item(number, str(facts.get("type", "")), facts, look_of_fashion(facts))
        for number in dict.fromkeys(task.image_ids)
        for facts in (seen.get(number, {}),)
    ]
    return FashionMaterial(msgspec.structs.replace(task), tuple(items))


REPLAY = Comparer(
    reasons=_REASONS,
    replay=replay_dialogues,
)
