"""Writes invented Taskmaster corpora in the layout of the released files.

Generations 3 and 4 and the written half of generation 1 are what scripted workers write by the
rules of their scenarios. The spoken half and generation 2 have no rules that are known.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from random import Random
from types import TracebackType
from typing import Any, BinaryIO

import msgspec

from commonground.corpora.taskmaster.native.rows import SplitId, render_split_ids, render_split_rows
from commonground.play.player import Seat
from commonground.play.scenario import Sitting
from commonground.play.scenarios import get_scenario
from commonground.play.scenarios.taskmaster.invention.derived import (
    make_coffee_reward,
    make_reward,
    make_rows,
)
from commonground.play.scenarios.taskmaster.invention.errands import invent_dialogue, load_errands
from commonground.play.scenarios.taskmaster.release import DIALOGUES_PER_FILE
from commonground.play.session import play

SPLITS = ("train", "dev", "test")
# About as many dialogues in each as were released.
_WEIGHTS = (8, 1, 1)
# Sessions begin a quarter of an hour apart.
_BETWEEN_US = 900_000_000


def simulate(out: Path, *, corpus: str, dialogues: int, seed: int) -> None:
    """Writes an invented corpus below ``out``.

    Args:
        out: folder to write to; made if need be.
        corpus: ``taskmaster1`` to ``taskmaster4``.
        dialogues: how many.
        seed: the same seed gives the same bytes.
    """
    out.mkdir(parents=True, exist_ok=True)
    write = {
        "taskmaster1": _write_first,
        "taskmaster2": _write_second,
        "taskmaster3": _write_third,
        "taskmaster4": _write_fourth,
    }[corpus]
    write(out, dialogues, seed)


def write_dialogues(scenario: str, dialogues: int, seed: int) -> Iterator[Any]:
    """Yields the records of dialogues that a scripted worker writes, each along one of the scripts.

    Args:
        scenario: ``taskmaster1``, ``taskmaster3`` or ``taskmaster4``.
        dialogues: how many.
        seed: the same seed gives the same records.
    """
    found = get_scenario(scenario)
    player = found.player_kinds()["script"]
    materials = found.material_source().invent(dialogues, seed)
    for number in range(dialogues):
        rng = Random(f"{scenario} {seed}:{number}")
        material = rng.choice(materials)
        players = {"worker": player.enter(Seat("worker", material, rng.getrandbits(32)))}
        start_us = number * _BETWEEN_US
        session = play(found.rules, material, rng.getrandbits(32), players, start_us=start_us)
        yield from found.rules.finish(session.state, Sitting(number, {"worker": number}))


def _write_first(out: Path, dialogues: int, seed: int) -> None:
    """Writes written and spoken dialogues in turn; the written ones are in splits."""
    rng, errands = Random(f"taskmaster1 {seed}"), load_errands().first
    names = [out / "train-dev-test" / f"{split}.csv" for split in SPLITS]
    names[0].parent.mkdir(parents=True, exist_ok=True)
    with (
        ArrayFile(out / "self-dialogs.json") as written,
        ArrayFile(out / "woz-dialogs.json") as spoken,
        ExitStack() as stack,
    ):
        lists = [stack.enter_context(name.open("wb")) for name in names]
        for _ in range(dialogues // 2):
            spoken.add(invent_dialogue(rng, rng.choice(errands), verdicts=True))
        for dialogue in write_dialogues("taskmaster1", (dialogues + 1) // 2, seed):
            written.add(dialogue)
            line = SplitId(conversation_id=dialogue.conversation_id, rest=",", ending="\n")
            rng.choices(lists, _WEIGHTS)[0].write(render_split_ids([line]))
    # Of another seed: the released sample is none of the dialogues either.
    (sample,) = write_dialogues("taskmaster1", 1, seed + 1)
    write_json(out / "sample.json", sample)
    get_scenario("taskmaster1").material_source().write_beside([], out, seed)


def _write_second(out: Path, dialogues: int, seed: int) -> None:
    rng, errands = Random(f"taskmaster2 {seed}"), load_errands().second
    with ExitStack() as stack:
        files = {
            errand.name: stack.enter_context(ArrayFile(out / "data" / f"{errand.name}.json"))
            for errand in errands
        }
        for number in range(dialogues):
            errand = errands[number % len(errands)]
            dialogue = invent_dialogue(rng, errand, verdicts=False)
            dialogue.instruction_id = f"{errand.name}-{rng.randint(1, 9)}"
            files[errand.name].add(dialogue)
    for errand in errands:
        group = {"prefix": errand.prefix, "annotations": [slot.label for slot in errand.slots]}
        ontology = {errand.name.replace("-", "_"): [group]}
        write_json(out / "ontology" / f"{errand.name}.json", ontology)


def _write_third(out: Path, dialogues: int, seed: int) -> None:
    """Writes dialogues, and rows and reward examples made of them."""
    rng, made = Random(f"taskmaster3 {seed}"), write_dialogues("taskmaster3", dialogues, seed)
    get_scenario("taskmaster3").material_source().write_beside([], out, seed)
    for number, size in _file_sizes(dialogues):
        with ExitStack() as stack:
            data = stack.enter_context(ArrayFile(out / "data" / f"data_{number:02}.json"))
            reward = stack.enter_context(ArrayFile(out / "reward" / f"reward_{number:02}.json"))
            rows = []
            for split in SPLITS:
                path = out / "splits" / split / f"{split}-{_letters(number)}.tsv"
                path.parent.mkdir(parents=True, exist_ok=True)
                rows.append(stack.enter_context(path.open("wb")))
            for i in range(size):
                dialogue = next(made)
                data.add(dialogue)
                if i % 5 == 0:
                    reward.add(make_reward(dialogue, rng))
                # Now and then a dialogue is in no split, as `split` may be null.
                if rng.random() < 0.95:
                    lines = render_split_rows(list(make_rows(dialogue)))
                    rng.choices(rows, _WEIGHTS)[0].write(lines)


def _write_fourth(out: Path, dialogues: int, seed: int) -> None:
    """Writes dialogues, and reward examples made of others: the released ones share no id."""
    rng, made = Random(f"taskmaster4 {seed}"), write_dialogues("taskmaster4", dialogues, seed)
    for number, size in _file_sizes(dialogues):
        with (
            ArrayFile(out / "data" / f"data_{number:02}.json") as data,
            ArrayFile(out / "reward" / f"reward_{number:02}.json") as reward,
        ):
            for i in range(size):
                dialogue = next(made)
                data.add(dialogue)
                if i % 2 == 0:
                    reward.add(make_coffee_reward(dialogue, rng))


def _file_sizes(dialogues: int) -> list[tuple[int, int]]:
    """Divides the dialogues among files: number and size of each."""
    starts = range(0, max(dialogues, 1), DIALOGUES_PER_FILE)
    return [(n, min(DIALOGUES_PER_FILE, dialogues - start)) for n, start in zip(count(), starts)]


def _letters(number: int) -> str:
    """Names the parts of a split as `split` does: ``aa``, ``ab``, ..., ``ba``."""
    first, second = divmod(number, 26)
    head = _letters(first - 26)[:-1] if first >= 26 else ""
    return head + chr(97 + first % 26) + chr(97 + second)


class ArrayFile:
    """A JSON list that is written record by record; without a record there is no file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: BinaryIO | None = None

    def __enter__(self) -> ArrayFile:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._file is not None:
            self._file.write(b"\n]\n")
            self._file.close()

    def add(self, record: Any) -> None:
        """Writes one more record of the array; the first one makes the file."""
        if self._file is None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._file = self._path.open("wb")
            self._file.write(b"[\n")
        else:
            self._file.write(b",\n")
        self._file.write(msgspec.json.encode(record))


def write_json(path: Path, value: Any) -> None:
    """Writes one indented JSON value."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(msgspec.json.format(msgspec.json.encode(value)) + b"\n")
