"""Writes invented MPChat files: threads for the three tasks, address maps and pictures.

One thread is told once in each task file, as in the released files. Everything is written as it
is made, so memory does not grow with the corpus.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from commonground.corpora.mpchat import wording
from commonground.corpora.mpchat.native import CANDIDATES, Task, Thread
from commonground.corpora.mpchat.telling import tell_thread
from commonground.corpora.mpchat.threads import invent_conversation
from commonground.corpora.mpchat.world import World, draw_picture

TASKS: tuple[Task, ...] = ("nrp", "gpp", "si")
SHARE = 0.15
"""Share of the threads that go to ``test``, and again to ``val``."""
MIN_AUTHORS = CANDIDATES + 28
"""Enough for a hundred candidates, however few threads there are."""


def simulate(out: Path, *, corpus: str, dialogues: int, seed: int) -> None:  # noqa: ARG001
    """Writes an invented corpus below ``out``, pictures in ``out/images``.

    A thread gives up to three dialogues, one for each task; a task without any has no file.

    Args:
        out: folder to write to.
        corpus: name of the corpus; there is one only.
        dialogues: number of dialogues in all files together.
        seed: the same seed gives the same files.
    """
    threads = -(-dialogues // len(TASKS))
    world = World(seed, max(MIN_AUTHORS, threads), wording.title)
    out.mkdir(parents=True, exist_ok=True)
    for place, task in enumerate(TASKS[:dialogues]):
        told = range((dialogues - place - 1) // len(TASKS) + 1)
        with (out / f"mpchat_{task}.json").open("wb") as file:
            file.writelines(_render_task(world, task, threads, told))
    _write_map(out / "dialog_image_urls.json", _dialog_images(world, threads, out))
    _write_map(out / "persona_image_urls.json", _persona_images(world, out))


def _render_task(world: World, task: Task, threads: int, told: range) -> Iterator[bytes]:
    """Yields a task file piece by piece."""
    opening = b"{"
    for split, numbers in divide_splits(threads).items():
        yield opening + msgspec.json.encode(split) + b": ["
        opening = b",\n"
        separator = b"\n"
        for number in numbers:
            if number in told:
                record = _tell(world, number, task, split)
                yield separator + msgspec.json.encode(record)
                separator = b",\n"
        yield b"]"
    yield b"}\n"


def _tell(world: World, number: int, task: Task, split: str) -> Thread:
    return tell_thread(world, invent_conversation(world, number), task, split)


def divide_splits(threads: int) -> dict[str, range]:
    """Divides the numbers of the threads; the first ones are tested, so small corpora have some."""
    part = max(1, round(threads * SHARE))
    test, val = min(threads, part), min(threads, 2 * part)
    return {"train": range(val, threads), "val": range(test, val), "test": range(test)}


def _write_map(path: Path, addresses: Iterable[tuple[str, str]]) -> None:
    with path.open("wb") as file:
        separator = b"{"
        for native_id, address in addresses:
            pair = msgspec.json.encode(native_id) + b": " + msgspec.json.encode(address)
            file.write(separator + pair)
            separator = b",\n"
        file.write(b"{}\n" if separator == b"{" else b"}\n")


def _dialog_images(world: World, threads: int, out: Path) -> Iterator[tuple[str, str]]:
    """Draws the images of the posts and yields their addresses."""
    for number in range(threads):
        conversation = invent_conversation(world, number)
        if conversation.scene is not None and conversation.address is not None:
            path = out / "images" / "dialog" / f"{conversation.file_name}"
            draw_picture(path, conversation.scene)
            yield conversation.turns[0].native_id, conversation.address


def _persona_images(world: World, out: Path) -> Iterator[tuple[str, str]]:
    """Draws the images of all personas and yields their addresses."""
    for number in range(world.size):
        author = world.author(number)
        for persona, scene in zip(author.personas, author.scenes, strict=True):
            draw_picture(out / "images" / "persona" / persona.file_name, scene)
            yield persona.id, str(persona.direct_url)
