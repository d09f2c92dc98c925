"""What a fashion session is played with: a task of about ten images, and what they show.

Released tasks have one image in focus, three or none in memory, and six to nine to be found.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

import msgspec

from commonground.corpora.simmc.native.simmc1 import Envelope, Task
from commonground.errors import FormatError
from commonground.findings import Place
from commonground.play.scenario import MaterialSource
from commonground.play.scenarios.simmc.shop.catalogues import (
    read_fashion,
    read_records,
    write_shop,
)
from commonground.play.scenarios.simmc.shop.invented import invent_fashion
from commonground.play.scenarios.simmc.shop.items import Item
from commonground.play.scenarios.simmc.shop.pictures import remark_pictures

FIRST_TASK = 1000
TASKS = 12
"""Tasks that are invented; sessions share them."""

_IMAGES = 10
"""Images of a task."""


class FashionMaterial(msgspec.Struct, frozen=True):
    """What a session is played with.

    Attributes:
        items: those that the task names, in its order.
    """

    task: Task
    items: tuple[Item, ...]


def _check_task(task: Task) -> Iterator[Place]:
    parts = [task.focus_image, *task.memory_images, *task.database_images]
    if len(set(parts)) < len(parts):
        twice = next(each for each in parts if parts.count(each) > 1)
        yield Place(".task", "each image in one place", str(twice))
    if sorted(set(parts)) != sorted(set(task.image_ids)):
        expected = "the image in focus, those in memory and those to be found"
        yield Place(".task.image_ids", expected, str(task.image_ids))
    if not task.database_images:
        yield Place(".task.database_images", "an image or more", "none")


def _check_items(material: FashionMaterial) -> Iterator[Place]:
    numbers = [each.number for each in material.items]
    if len(set(numbers)) < len(numbers):
        yield Place(".items", "items with different numbers", str(numbers))
    for number in material.task.image_ids:
        if number not in numbers:
            yield Place(".items", f"an item with number {number}", "none")


def require_sound(material: FashionMaterial) -> None:
    """Does nothing for material that can be played with.

    In all released tasks the image in focus and those in memory and database are different, are
    all the images of the task, and at least six are to be found.

    Raises:
        FormatError: it cannot; the message names the first fault.
    """
    for fault in (*_check_task(material.task), *_check_items(material)):
        where = f"Task {material.task.task_id}, {fault.path[1:]}"
        raise FormatError(
            f"{where}: expected {fault.expected}, found {fault.found}.",
            "Correct the task, or leave it out.",
        )


def make_material(task: Task, shelf: dict[int, Item]) -> FashionMaterial:
    """Returns the material of a task; images that no shelf has are left to the check."""
    named = dict.fromkeys(task.image_ids)
    return FashionMaterial(task, tuple(shelf[number] for number in named if number in shelf))


def invent_material(seed: int) -> list[FashionMaterial]:
    """Invents a catalogue and tasks."""
    items, rng = invent_fashion(seed), Random(f"{seed} tasks")
    shelf = {each.number: each for each in items}
    return [make_material(_invent_task(rng, items, FIRST_TASK + n), shelf) for n in range(TASKS)]


def _invent_task(rng: Random, items: Sequence[Item], task_id: int) -> Task:
    # None, or three: two released tasks of three have a memory.
    memory = rng.choice((0, 3, 3))
    found = rng.choice((6, 8, 9))
    numbers = [each.number for each in rng.sample(items, 1 + memory + found)]
    return _deal_task(task_id, numbers, memory)


def _deal_task(task_id: int, numbers: Sequence[int], memory: int) -> Task:
    """Deals images to a task: the first in focus, so many in memory, the rest to be found."""
    return Task(
        task_id=task_id,
        image_ids=list(numbers),
        focus_image=numbers[0],
        memory_images=list(numbers[1 : 1 + memory]),
        database_images=list(numbers[1 + memory :]),
    )


def read_material(folder: Path) -> list[FashionMaterial]:
    """Reads catalogue and tasks of a folder.

    Tasks are those of the files of dialogues (``fashion_*_dials*.json``) that lie there. Without
    such a file the items are dealt ten at a time, in order of number, every second time without a
    memory, as released tasks are; the last task is filled with the first items.

    Raises:
        SourceError: there is no catalogue, or a file cannot be read.
        FormatError: a file has a fault, or too few items are there.
    """
    shelf = {each.number: each for each in read_fashion(folder)}
    tasks = [*_read_tasks(folder)] or [*_deal_tasks(sorted(shelf))]
    if not tasks:
        raise FormatError(
            f"{folder}: a task takes ten items, and there are {len(shelf)}.",
            "Add items to the catalogue.",
        )
    materials = [make_material(task, shelf) for task in tasks]
    for each in materials:
        require_sound(each)
    return materials


def _read_tasks(folder: Path) -> Iterator[Task]:
    known: set[int] = set()
    for path in sorted(folder.glob("fashion_*dials*.json")):
        if "api_calls" in path.name or "retrieval" in path.name:
            continue
        for _, record in read_records(path, "dials"):
            if isinstance(record, Envelope) and isinstance(record.task_mapping, list):
                for task in record.task_mapping:
                    if task.task_id not in known:
                        known.add(task.task_id)
                        yield task


def _deal_tasks(numbers: list[int]) -> Iterator[Task]:
    if len(numbers) < _IMAGES:
        return
    for number, start in enumerate(range(0, len(numbers), _IMAGES)):
        memory = 0 if number % 2 else 3
        dealt = numbers[start : start + _IMAGES]
        # A rest of fewer is filled with the first items, so that none is left out.
        yield _deal_task(FIRST_TASK + number, [*dealt, *numbers[: _IMAGES - len(dealt)]], memory)


def write_material(used: Sequence[FashionMaterial], out: Path, seed: int | None) -> None:
    """Writes the catalogue, and where it was invented, the images; see :func:`write_shop`."""
    items = {each.number: each for material in used for each in material.items}
    write_shop("fashion", [items[number] for number in sorted(items)], out, seed)


MATERIAL = MaterialSource(
    title="A fashion catalogue, the released one or your own, with or without released tasks.",
    invent=lambda _, seed: invent_material(seed),  # all sessions share them
    read=read_material,
    write=write_material,
    remarks=lambda used: remark_pictures(
        (item for each in used for item in each.items), turned=False
    ),
)
