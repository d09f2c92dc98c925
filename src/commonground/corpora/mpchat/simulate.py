"""Writes invented MPChat files: threads for the three tasks, address maps and pictures.

One thread is told once in each task file, as in the released files. Everything is written as it
is made, so memory does not grow with the corpus.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import msgspec

from commonground.corpora.mpchat import wording
from commonground.corpora.mpchat.native import GppThread, NrpThread, Persona, SiThread, Task, Thread
from commonground.corpora.mpchat.threads import (
    CANDIDATES,
    Conversation,
    Turn,
    invent_conversation,
    invent_responses,
    label_persona,
    message_id,
    sample_authors,
    with_whole_time,
)
from commonground.corpora.mpchat.world import World, draw_picture
from commonground.records import UNSET

TASKS: tuple[Task, ...] = ("nrp", "gpp", "si")
SHARE = 0.15
"""Share of the threads that go to ``test``, and again to ``val``."""


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
    world = World(seed, max(CANDIDATES + 28, threads), wording.title)
    out.mkdir(parents=True, exist_ok=True)
    for place, task in enumerate(TASKS[:dialogues]):
        missing = (len(TASKS) * threads - dialogues) > len(TASKS) - 1 - place
        _write_task(out / f"mpchat_{task}.json", world, task, threads, int(missing))
    _write_map(out / "dialog_image_urls.json", _dialog_images(world, threads, out))
    _write_map(out / "persona_image_urls.json", _persona_images(world, out))


def _write_task(path: Path, world: World, task: Task, threads: int, missing: int) -> None:
    """Writes one task file; ``missing`` is the number of last threads to leave out."""
    with path.open("wb") as file:
        separator = b"{"
        for split, numbers in divide_splits(threads).items():
            file.write(separator + msgspec.json.encode(split) + b": [")
            told = [number for number in (numbers.start,) if number < numbers.stop - missing]
            file.write(b"")
            for number in range(numbers.start, min(numbers.stop, threads - missing)):
                record = tell_thread(world, invent_conversation(world, number), task, split)
                file.write((b"\n" if number in told else b",\n") + msgspec.json.encode(record))
            file.write(b"]")
            separator = b",\n"
        file.write(b"}\n")


def divide_splits(threads: int) -> dict[str, range]:
    """Divides the numbers of the threads; the first ones are tested, so small corpora have some."""
    part = max(1, round(threads * SHARE))
    test, val = min(threads, part), min(threads, 2 * part)
    return {"train": range(val, threads), "val": range(test, val), "test": range(test)}


def tell_thread(world: World, conversation: Conversation, task: Task, split: str) -> Thread:
    """Writes a conversation as a record of one task; only val and test have candidates."""
    rng = Random(f"{world.seed}/{task}/{conversation.number}")
    ranked = split != "train"
    if task == "nrp":
        return _tell_nrp(rng, world, conversation, ranked)
    if task == "gpp":
        return _tell_gpp(rng, world, conversation, ranked)
    return _tell_si(rng, world, conversation, ranked)


def _shared_fields(rng: Random, conversation: Conversation, turns: list[Turn]) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "subreddit": conversation.craft.subreddit,
        "messages": [turn.text for turn in turns],
        "message_ids": [turn.native_id for turn in turns],
        "main_author": conversation.main.name,
        "authors": [turn.author for turn in turns],
        "created_utcs": [turn.created for turn in turns],
        "has_image": conversation.scene is not None,
        "all_personas": list(conversation.main.personas),
    }
    if conversation.scene is not None or rng.random() < 0.5:
        fields["direct_url"] = conversation.address
        fields["file_name"] = conversation.file_name
    return fields


def _candidate_personas(conversation: Conversation) -> list[Persona]:
    """Returns the main author's candidate elements; those that workers saw say it by the time."""
    seen = {each for turn in conversation.turns for each in (*turn.grounded, *turn.ungrounded)}
    personas = conversation.main.personas
    return [
        with_whole_time(personas[each]) if each in seen else personas[each]
        for each in conversation.chosen
    ]


def _tell_nrp(
    rng: Random, world: World, conversation: Conversation, ranked: bool
) -> NrpThread:
    turns = _extend(rng, world, conversation)
    main = conversation.main
    responses = [
        invent_responses(rng, world, conversation.number, turn.text)
        if ranked and turn.author == main.name
        else []
        for turn in turns
    ]
    return NrpThread(
        **_shared_fields(rng, conversation, turns),
        grounded_personas=[
            [label_persona(rng, main.personas[each], entailed=True) for each in turn.grounded]
            for turn in turns
        ],
        ungrounded_personas=[
            [label_persona(rng, main.personas[each], entailed=False) for each in turn.ungrounded]
            for turn in turns
        ],
        candidate_personas=_candidate_personas(conversation),
        nrp_candidate_responses=responses if ranked else UNSET,
    )


def _extend(rng: Random, world: World, conversation: Conversation) -> list[Turn]:
    """Lets somebody else have the last word now and then."""
    turns = conversation.turns
    if rng.random() < 0.7:
        return turns
    native_id = message_id(world.seed, conversation.number, len(turns))
    text = wording.closing(rng, conversation.craft)
    return [*turns, Turn(native_id, turns[-2].author, text, turns[-1].created + 600)]


def _tell_gpp(
    rng: Random, world: World, conversation: Conversation, ranked: bool
) -> GppThread:
    personas, turns = conversation.main.personas, conversation.turns
    grounded = [with_whole_time(personas[t.grounded[0]]) if t.grounded else None for t in turns]
    candidates = [
        [personas[each] for each in conversation.chosen if each not in turn.grounded]
        if turn.grounded
        else []
        for turn in turns
    ]
    options: list[list[Persona]] = []
    for gold in grounded:
        others = sample_authors(rng, world, conversation.number) if gold is not None else []
        options.append([rng.choice(author.personas) for author in others])
        if gold is not None:
            options[-1].insert(0, gold)
    return GppThread(
        **_shared_fields(rng, conversation, turns),
        gpp_grounded_persona=[label and _as_labelled(label) for label in grounded],
        gpp_candidate_personas=[each[:4] for each in candidates],
        gpp_candidate_authors_candidate_personas=options if ranked else UNSET,
    )


def _tell_si(
    rng: Random, world: World, conversation: Conversation, ranked: bool
) -> SiThread:
    mine = _candidate_personas(conversation)
    others = sample_authors(rng, world, conversation.number) if ranked else []
    return SiThread(
        **_shared_fields(rng, conversation, conversation.turns),
        si_main_author_candidate_personas=mine,
        si_candidate_authors_candidate_personas=(
            [mine, *(list(author.personas[:5]) for author in others)] if ranked else UNSET
        ),
    )


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
