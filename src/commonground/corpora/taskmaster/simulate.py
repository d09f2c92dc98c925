"""Writes invented Taskmaster corpora in the layout of the released files."""

from __future__ import annotations

from contextlib import ExitStack
from itertools import count
from pathlib import Path
from random import Random

from commonground.corpora.taskmaster.cinemas import APIS, ENTITIES
from commonground.corpora.taskmaster.coffees import invent_coffee, invent_reward
from commonground.corpora.taskmaster.errands import TASKS_1, TASKS_2, Task
from commonground.corpora.taskmaster.plain import invent_plain
from commonground.corpora.taskmaster.prompts import make_reward, make_rows
from commonground.corpora.taskmaster.rows import SplitId, render_split_ids, render_split_rows
from commonground.corpora.taskmaster.tickets import invent_tickets
from commonground.corpora.taskmaster.writing import ArrayFile, write_json

DIALOGUES_PER_FILE = 500
SPLITS = ("train", "dev", "test")
_WEIGHTS = (8, 1, 1)


def simulate(out: Path, *, corpus: str, dialogues: int, seed: int) -> None:
    """Writes an invented corpus below ``out``.

    Args:
        out: folder to write to; made if need be.
        corpus: ``taskmaster1`` to ``taskmaster4``.
        dialogues: how many.
        seed: the same seed gives the same bytes.
    """
    write = {
        "taskmaster1": _write_first,
        "taskmaster2": _write_second,
        "taskmaster3": _write_third,
        "taskmaster4": _write_fourth,
    }[corpus]
    write(out, dialogues, Random(f"{corpus} {seed}"))


def _write_first(out: Path, dialogues: int, rng: Random) -> None:
    """Writes written and spoken dialogues in turn; the written ones are in splits."""
    names = [out / "train-dev-test" / f"{split}.csv" for split in SPLITS]
    names[0].parent.mkdir(parents=True, exist_ok=True)
    with (
        ArrayFile(out / "self-dialogs.json") as written,
        ArrayFile(out / "woz-dialogs.json") as spoken,
        ExitStack() as stack,
    ):
        lists = [stack.enter_context(name.open("wb")) for name in names]
        for number in range(dialogues):
            is_spoken = number % 2 == 1
            task = rng.choice(TASKS_1)
            dialogue = invent_plain(rng, task, spoken=is_spoken, verdicts=True)
            (spoken if is_spoken else written).add(dialogue)
            if not is_spoken:
                line = SplitId(conversation_id=dialogue.conversation_id, rest=",", ending="\n")
                rng.choices(lists, _WEIGHTS)[0].write(render_split_ids([line]))
    sample = invent_plain(rng, TASKS_1[0], spoken=False, verdicts=True)
    write_json(out / "sample.json", sample)
    write_json(out / "ontology.json", {task.prefix: _ontology(task) for task in TASKS_1})


def _ontology(task: Task) -> dict[str, object]:
    names = [slot.label for slot in task.slots]
    return {
        "id": task.prefix,
        "vertical": task.name.rpartition("-")[0],
        "required": names[:-1],
        "optional": names[-1:],
    }


def _write_second(out: Path, dialogues: int, rng: Random) -> None:
    with ExitStack() as stack:
        files = {
            task.name: stack.enter_context(ArrayFile(out / "data" / f"{task.name}.json"))
            for task in TASKS_2
        }
        for number in range(dialogues):
            task = TASKS_2[number % len(TASKS_2)]
            dialogue = invent_plain(rng, task, spoken=True, verdicts=False)
            dialogue.instruction_id = f"{task.name}-{rng.randint(1, 9)}"
            files[task.name].add(dialogue)
    for task in TASKS_2:
        group = {"prefix": task.prefix, "annotations": [slot.label for slot in task.slots]}
        ontology = {task.name.replace("-", "_"): [group]}
        write_json(out / "ontology" / f"{task.name}.json", ontology)


def _write_third(out: Path, dialogues: int, rng: Random) -> None:
    """Writes dialogues, and rows and reward examples made of them."""
    write_json(out / "ontology" / "apis.json", APIS)
    write_json(out / "ontology" / "entities.json", ENTITIES)
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
                dialogue = invent_tickets(rng)
                data.add(dialogue)
                if i % 5 == 0:
                    reward.add(make_reward(dialogue, rng))
                # Now and then a dialogue is in no split, as `split` may be null.
                if rng.random() < 0.95:
                    made = render_split_rows(list(make_rows(dialogue)))
                    rng.choices(rows, _WEIGHTS)[0].write(made)


def _write_fourth(out: Path, dialogues: int, rng: Random) -> None:
    for number, size in _file_sizes(dialogues):
        with (
            ArrayFile(out / "data" / f"data_{number:02}.json") as data,
            ArrayFile(out / "reward" / f"reward_{number:02}.json") as reward,
        ):
            for i in range(size):
                data.add(invent_coffee(rng))
                if i % 2 == 0:
                    reward.add(invent_reward(rng))


def _file_sizes(dialogues: int) -> list[tuple[int, int]]:
    """Divides the dialogues among files: number and size of each."""
    starts = range(0, max(dialogues, 1), DIALOGUES_PER_FILE)
    return [(n, min(DIALOGUES_PER_FILE, dialogues - start)) for n, start in zip(count(), starts)]


def _letters(number: int) -> str:
    """Names the parts of a split as `split` does: ``aa``, ``ab``, ..., ``ba``."""
    first, second = divmod(number, 26)
    head = _letters(first - 26)[:-1] if first >= 26 else ""
    return head + chr(97 + first % 26) + chr(97 + second)
