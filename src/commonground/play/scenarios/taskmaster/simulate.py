"""Writes invented Taskmaster corpora in the layout of the released files.

Generations 3 and 4 and the written half of generation 1 are what scripted workers write by the
rules of their scenarios. The spoken half and generation 2 have no rules that are known.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

from commonground.corpora.taskmaster.native.dialogues import PlainDialogue, RewardExample
from commonground.corpora.taskmaster.native.rows import (
    SplitId,
    SplitRow,
    render_split_ids,
    render_split_rows,
)
from commonground.play.player import Seat
from commonground.play.scenario import Sitting
from commonground.play.scenarios import get_scenario
from commonground.play.scenarios.taskmaster.invention.derived import (
    make_coffee_reward,
    make_reward,
    make_rows,
)
from commonground.play.scenarios.taskmaster.invention.errands import invent_dialogue, load_errands
from commonground.play.scenarios.taskmaster.material import write_json
from commonground.play.scenarios.taskmaster.release import DIALOGUES_PER_FILE, write_array
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
    spoken = [
        invent_dialogue(rng, rng.choice(errands), verdicts=True) for _ in range(dialogues // 2)
    ]
    written = list(write_dialogues("taskmaster1", (dialogues + 1) // 2, seed))
    write_lines(out / "self-dialogs.json", written)
    write_lines(out / "woz-dialogs.json", spoken)
    lists: dict[str, list[SplitId]] = {split: [] for split in SPLITS}
    for dialogue in written:
        line = SplitId(conversation_id=dialogue.conversation_id, rest=",", ending="\n")
        lists[rng.choices(SPLITS, _WEIGHTS)[0]].append(line)
    folder = out / "train-dev-test"
    folder.mkdir(parents=True, exist_ok=True)
    for split, lines in lists.items():
        (folder / f"{split}.csv").write_bytes(render_split_ids(lines))
    # Of another seed: the released sample is none of the dialogues either.
    (sample,) = write_dialogues("taskmaster1", 1, seed + 1)
    write_json(out / "sample.json", sample)
    get_scenario("taskmaster1").material_source().write([], out, seed)


def _write_second(out: Path, dialogues: int, seed: int) -> None:
    rng, errands = Random(f"taskmaster2 {seed}"), load_errands().second
    made: dict[str, list[PlainDialogue]] = {errand.name: [] for errand in errands}
    for number in range(dialogues):
        errand = errands[number % len(errands)]
        dialogue = invent_dialogue(rng, errand, verdicts=False)
        dialogue.instruction_id = f"{errand.name}-{rng.randint(1, 9)}"
        made[errand.name].append(dialogue)
    for name, each in made.items():
        write_lines(out / "data" / f"{name}.json", each)
    for errand in errands:
        group = {"prefix": errand.prefix, "annotations": [slot.label for slot in errand.slots]}
        ontology = {errand.name.replace("-", "_"): [group]}
        write_json(out / "ontology" / f"{errand.name}.json", ontology)


def _write_third(out: Path, dialogues: int, seed: int) -> None:
    """Writes dialogues, and rows and reward examples made of them."""
    rng, made = Random(f"taskmaster3 {seed}"), write_dialogues("taskmaster3", dialogues, seed)
    get_scenario("taskmaster3").material_source().write([], out, seed)
    for number, part in _divide(made):
        write_lines(out / "data" / f"data_{number:02}.json", part)
        reward: list[RewardExample] = []
        rows: dict[str, list[SplitRow]] = {split: [] for split in SPLITS}
        for place, dialogue in enumerate(part):
            if place % 5 == 0:
                reward.append(make_reward(dialogue, rng))
            # Now and then a dialogue is in no split, as `split` may be null.
            if rng.random() < 0.95:
                rows[rng.choices(SPLITS, _WEIGHTS)[0]] += make_rows(dialogue)
        write_lines(out / "reward" / f"reward_{number:02}.json", reward)
        for split, lines in rows.items():
            path = out / "splits" / split / f"{split}-{_letters(number)}.tsv"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(render_split_rows(lines))


def _write_fourth(out: Path, dialogues: int, seed: int) -> None:
    """Writes dialogues, and reward examples made of others: the released ones share no id."""
    rng, made = Random(f"taskmaster4 {seed}"), write_dialogues("taskmaster4", dialogues, seed)
    for number, part in _divide(made):
        write_lines(out / "data" / f"data_{number:02}.json", part)
        reward = [make_coffee_reward(dialogue, rng) for dialogue in part[::2]]
        write_lines(out / "reward" / f"reward_{number:02}.json", reward)


def _divide(dialogues: Iterator[Any]) -> Iterator[tuple[int, list[Any]]]:
    """Divides dialogues among files: number and content of each, the first one at any rate."""
    yield 0, list(islice(dialogues, DIALOGUES_PER_FILE))
    number = 1
    while part := list(islice(dialogues, DIALOGUES_PER_FILE)):
        yield number, part
        number += 1


def _letters(number: int) -> str:
    """Names the parts of a split as `split` does: ``aa``, ``ab``, ..., ``ba``."""
    first, second = divmod(number, 26)
    head = _letters(first - 26)[:-1] if first >= 26 else ""
    return head + chr(97 + first % 26) + chr(97 + second)


def write_lines(path: Path, records: Sequence[Any]) -> None:
    """Writes a JSON list, a record a line; no file without records."""
    if records:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(write_array(records))
