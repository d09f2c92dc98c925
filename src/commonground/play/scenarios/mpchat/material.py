"""What is labelled: for each response of a main author, the elements of the own persona.

Units are made of threads in the released format: from one's own ``mpchat_nrp.json``, whose labels
are left aside, or invented.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from commonground.checks import find_repeats
from commonground.corpora.mpchat.convert import list_images
from commonground.corpora.mpchat.native import (
    FORMATS,
    LABELS,
    MAX_PERSONAS,
    NrpThread,
    thread_id,
)
from commonground.errors import FormatError, SourceError
from commonground.files.documents import decode_all
from commonground.play.labelling import units
from commonground.play.labelling.units import PEOPLE, Candidate, ContextLine, require_sound
from commonground.play.scenario import MaterialSource
from commonground.play.scenarios.mpchat.invented_reddit import Author, Invented, InventedReddit
from commonground.play.scenarios.mpchat.scenes import draw_picture

QUESTION = "Does the framed line follow from this picture and its title, wholly or in part?"
VOTES = max(LABELS)
"""People who label each unit: three."""

assert VOTES == PEOPLE  # noqa: S101 - the released labels count to three

THREADS = "mpchat_nrp.json"
GOLD = "gold"
"""Folder of threads whose labels are known to be right."""

_NRP = FORMATS[0]
_ADVICE = "Compare the file with the corpus card, or correct the thread."


class Origin(msgspec.Struct, frozen=True):
    """Where to release labels in a corpus of threads; the thread is without labels and rankings."""

    thread: NrpThread
    split: str


class Unit(units.Unit, frozen=True, kw_only=True):
    """A response to be labelled; votes are true for yes.

    Attributes:
        gold: see :class:`commonground.play.labelling.units.Unit`.
        known: likewise.
        origin: the thread, the same for all of its responses; None for units of none.
        event: number of the message in the thread that the question is about.
    """

    gold: dict[str, bool] | None = None
    known: dict[str, bool] = msgspec.field(default_factory=dict)
    origin: Origin | None = None
    event: int = 0


_Pictures = dict[str, dict[str, str]] | None
"""The pictures that are at hand: the kind (``dialog`` or ``persona``), then the file name, to the
path below the image folder; None where all that are named will be there."""


def _find_picture(known: _Pictures, kind: str, file_name: str) -> tuple[str | None, bool]:
    """Returns the path of a picture, and whether it is not at hand."""
    path = f"{kind}/{file_name}" if known is None else known[kind].get(file_name)
    return path, path is None


def list_responses(thread: NrpThread) -> list[int]:
    """Lists the messages that are labelled: the main author's answers, if there are elements."""
    if not thread.candidate_personas:
        return []
    # The first message is the post itself, which answers nobody.
    authors = list(enumerate(thread.authors))[1:]
    return [event for event, author in authors if author == thread.main_author]


def _list_units(
    thread: NrpThread, split: str, pictures: _Pictures, meant: dict[int, frozenset[str]] | None
) -> Iterator[Unit]:
    """Yields a unit for each response of the main author."""
    # Without what is to be found out about the thread, and without its rankings.
    bare = msgspec.structs.replace(
        thread,
        grounded_personas=[[] for _ in thread.messages],
        ungrounded_personas=[[] for _ in thread.messages],
        nrp_candidate_responses=msgspec.UNSET,
    )
    origin = Origin(bare, split)
    lines = [
        ContextLine(author, text)
        for author, text in zip(thread.authors, thread.messages, strict=True)
    ]
    if lines and thread.has_image:
        found = _find_picture(pictures, "dialog", thread.file_name or "")
        lines[0] = ContextLine(lines[0].speaker, lines[0].text, *found)
    candidates = tuple(
        Candidate(each.id, each.title, *_find_picture(pictures, "persona", each.file_name))
        for each in thread.candidate_personas
    )
    for event in list_responses(thread):
        right = None if meant is None else meant[event]
        yield Unit(
            id=f"{thread_id(thread)}:{event}",
            question=QUESTION,
            context=tuple(lines[: event + 1]),
            candidates=candidates,
            known={} if right is None else {each.id: each.id in right for each in candidates},
            origin=origin,
            event=event,
        )


def invent_material(sessions: int, seed: int) -> list[Unit]:
    """Invents threads for about so many sessions: three of each unit, and some that are skipped.

    From a hundred sessions on there are units with known answers, too.
    """
    gold = sessions // 100
    # The rest is left for units that somebody skips, and for those with known answers.
    wanted = max(1, int(sessions * (0.88 if gold else 0.96) / VOTES))
    units: list[Unit] = []
    for invented in _threads(seed):
        if len(units) == wanted:
            break
        made = [*units_of(invented)]
        # Whole threads only: a thread is released when all of its responses are labelled.
        if made and len(units) + len(made) <= wanted:
            units += made
    # Units whose answers are known are of threads of another invented Reddit.
    known: list[Unit] = []
    for invented in _threads(_gold_seed(seed)):
        if len(known) >= gold:
            break
        known += [msgspec.structs.replace(each, gold=each.known) for each in units_of(invented)]
    return units + known[:gold]


def _threads(seed: int) -> Iterator[Invented]:
    reddit, number = InventedReddit(seed), 0
    while True:
        yield reddit.thread(number)
        number += 1


def units_of(invented: Invented, split: str = "train") -> Iterator[Unit]:
    """Yields the units of an invented thread; all its pictures will be there."""
    return _list_units(invented.thread, split, None, invented.meant)


def _gold_seed(seed: int) -> int:
    # Far from any seed that somebody would give, so that the two worlds have no id in common.
    return seed + 1_000_003


def write_material(used: Sequence[Unit], out: Path, seed: int | None) -> None:
    """Draws the pictures of invented threads below ``images``.

    Args:
        seed: that invented them; None for threads from a file, whose pictures stay where they are.
    """
    if seed is None:
        return
    # Threads are made again, as nothing but their ids is kept of those that were labelled.
    for world_seed in (seed, _gold_seed(seed)):
        gold = world_seed != seed
        ids = {each.id.rpartition(":")[0] for each in used if (each.gold is not None) == gold}
        reddit = InventedReddit(world_seed)
        for invented in _threads(world_seed):
            if not ids:
                break
            name = thread_id(invented.thread)
            if name in ids:
                ids.remove(name)
                draw_thread(reddit, invented, out / "images")


def draw_thread(reddit: InventedReddit, invented: Invented, images: Path) -> None:
    """Draws the post's image and all elements of the main author, but none that is there.

    Args:
        invented: without a scene its post has no image.
        images: folder with ``dialog`` and ``persona`` in it, where the pictures go.
    """
    thread = invented.thread
    if invented.scene is not None and thread.file_name:
        draw_picture(images / "dialog" / thread.file_name, invented.scene)
    draw_author(reddit.author(invented.number), images)


def draw_author(author: Author, images: Path) -> None:
    """Draws the elements of an author, but none that is there."""
    for persona, scene in zip(author.personas, author.scenes, strict=True):
        path = images / "persona" / persona.file_name
        if not path.exists():
            draw_picture(path, scene)


def read_material(folder: Path) -> list[Unit]:
    """Makes units of the threads in ``mpchat_nrp.json``, in their order.

    The file lies in the folder or beside it, the pictures in ``dialog`` and ``persona`` below the
    folder or below its ``images``. The answers to units of threads in ``gold/mpchat_nrp.json``
    are their labels there.

    Raises:
        SourceError: a file cannot be read.
        FormatError: it is no such file, or a thread cannot be labelled; says which and why.
    """
    path = next((p for p in (folder / THREADS, folder.parent / THREADS) if p.is_file()), None)
    if path is None:
        raise FormatError(f"{folder} holds no {THREADS}.", MATERIAL.title)
    below = "images/" if (folder / "images").is_dir() else ""
    pictures = {
        kind: {name: below + path for name, path in list_images(str(folder / below), kind).items()}
        for kind in ("dialog", "persona")
    }
    units = _read_units(path, pictures)
    gold = path.parent / GOLD / THREADS
    known = _read_gold(gold, pictures) if gold.is_file() else []
    names = {each.id for each in units}
    for unit in known:
        if unit.id in names:
            raise FormatError(
                f"{gold}: {unit.id} is among the units to be labelled, too.",
                f"Take its thread out of {THREADS} or out of {GOLD}.",
            )
    if not units:
        raise FormatError(f"{path} has no response by a main author with persona elements.")
    return units + known


def _read_units(path: Path, pictures: _Pictures) -> list[Unit]:
    units = []
    for where, split, thread in _read_threads(path):
        if len(thread.candidate_personas) > MAX_PERSONAS:
            found = f"expected {MAX_PERSONAS} elements or fewer"
            number = len(thread.candidate_personas)
            raise FormatError(f"{where}.candidate_personas: {found}, found {number}.", _ADVICE)
        for unit in _list_units(thread, split, pictures, None):
            _require_sound_at(where, unit)
            units.append(unit)
    for index, repeated in find_repeats(each.id for each in units):
        raise FormatError(
            f"{path}: unit {index} has the same id as an earlier one: {repeated}.", _ADVICE
        )
    return units


def _require_sound_at(where: str, unit: Unit) -> None:
    try:
        require_sound(unit)
    except FormatError as error:
        raise FormatError(f"{where}: {error.message}", error.advice) from error


def _read_gold(path: Path, pictures: _Pictures) -> list[Unit]:
    """Returns the units that have labels, with those of their candidates that have them."""
    units = []
    for where, split, thread in _read_threads(path):
        for unit in _list_units(thread, split, pictures, None):
            event = unit.event
            answers = {each.id: True for each in thread.grounded_personas[event]}
            answers |= {each.id: False for each in thread.ungrounded_personas[event]}
            labelled = tuple(each for each in unit.candidates if each.id in answers)
            if labelled:
                gold = {each.id: answers[each.id] for each in labelled}
                made = msgspec.structs.replace(unit, candidates=labelled, gold=gold)
                _require_sound_at(where, made)
                units.append(made)
    return units


def _read_threads(path: Path) -> Iterator[tuple[str, str, NrpThread]]:
    """Yields each thread of a file with its place there and its split."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise SourceError(f"{path} cannot be read: {error.strerror}.") from error
    for read in decode_all(str(path), data, _NRP, _ADVICE):
        if read.raw.is_envelope:
            continue
        thread: NrpThread = read.record
        for name in ("authors", "grounded_personas", "ungrounded_personas"):
            if len(getattr(thread, name)) != len(thread.messages):
                found = f"{len(thread.messages)} places, found {len(getattr(thread, name))}"
                raise FormatError(f"{path}: {read.raw.path}.{name}: expected {found}.", _ADVICE)
        yield f"{path}: {read.raw.path}", read.raw.split or "train", thread


MATERIAL = MaterialSource(
    title=f"A folder with {THREADS} and, where they are at hand, its pictures.",
    invent=invent_material,
    read=read_material,
    write=write_material,
)
