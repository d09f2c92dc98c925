"""MPChat threads as dialogues: every message is an utterance, pictures and personas are objects."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import PurePath
from typing import Literal

import msgspec

from commonground.corpora.mpchat.native import (
    Epoch,
    GppThread,
    LabelledPersona,
    NrpThread,
    Persona,
    SiThread,
    Thread,
    image_file_name,
    parse_time,
    task_of,
    thread_id,
)
from commonground.files.reading import ConversionError, Options, SideRecord, Where
from commonground.files.sources import safe_name
from commonground.model import (
    Candidate,
    Dialogue,
    Display,
    Event,
    Grounding,
    Object,
    Speaker,
    Utterance,
)
from commonground.records import UNSET, UnsetType

PARALLEL = ("message_ids", "authors", "created_utcs")
"""Fields with one place per message, in every file."""

PER_TURN = (
    "grounded_personas",
    "ungrounded_personas",
    "nrp_candidate_responses",
    "gpp_grounded_persona",
    "gpp_candidate_personas",
    "gpp_candidate_authors_candidate_personas",
)
"""Fields with one place per message, in one of the files."""

DELETED = "[deleted]"
"""What Reddit writes for the author of a message whose account is gone."""


def prepare(sides: Iterable[SideRecord], options: Options) -> Context:
    """Gathers the two maps of addresses and the images that are at hand."""
    context = Context(
        dialog_files=list_images(options.images, "dialog"),
        persona_files=list_images(options.images, "persona"),
    )
    maps = {"dialog_urls": context.dialog_urls, "persona_urls": context.persona_urls}
    for side in sides:
        if side.key is not None:
            # A file of addresses is one object: its keys are the ids, its values the addresses.
            maps[side.format][side.key] = side.record
    return context


def shared_objects(context: Context) -> Iterator[Object]:
    """Gives the images that the maps of addresses name; those in threads are known better."""
    for native_id, url in context.dialog_urls.items():
        yield mapped_object(native_id, url, "dialog", context)
    for native_id, url in context.persona_urls.items():
        yield mapped_object(native_id, url, "persona", context)


def convert(thread: Thread, where: Where, context: Context) -> Dialogue:
    """Turns a thread into a dialogue.

    Raises:
        ConversionError: there is no message, or parallel lists differ in length.
    """
    _require_parallel_lists(thread)
    times = [parse_time(created) for created in thread.created_utcs]
    began = None
    if times[0] is not None:
        began = datetime.fromtimestamp(times[0], UTC).replace(tzinfo=None)
    authors = dict.fromkeys((*thread.authors, thread.main_author))
    dialogue = Dialogue(
        dialogue_id=thread_id(thread) or "",
        split=where.split,
        domain=thread.subreddit,
        started_at=began,
        attributes={
            "task": task_of(thread),
            "main_author": thread.main_author,
            "has_image": thread.has_image,
        },
        # One label for everybody whose account is gone: it names nobody, so it is no agent's id.
        speakers=[Speaker(each, "peer", None if each == DELETED else each) for each in authors],
        events=_utterances(thread, times),
    )
    personas: Personas = {}
    # The whole persona first: where copies of an element differ, this one is kept (CG-MPCHAT-127).
    for persona in thread.all_personas:
        personas.setdefault(persona.id, persona)
    if thread.has_image:
        dialogue.objects.append(post_object(thread, context))
        dialogue.displays.append(Display(post_object_id(thread.message_ids[0]), None, 0))
    if isinstance(thread, NrpThread):
        _add_nrp(dialogue, thread, personas)
    elif isinstance(thread, GppThread):
        _add_gpp(dialogue, thread, personas)
    elif isinstance(thread, SiThread):
        _add_si(dialogue, thread, personas)
    dialogue.objects.extend(persona_object(each, context) for each in personas.values())
    return dialogue


def _require_parallel_lists(thread: Thread) -> None:
    count = len(thread.messages)
    if not count:
        raise ConversionError(".messages", "at least one message", thread.messages)
    for name in (*PARALLEL, *PER_TURN):
        values = getattr(thread, name, UNSET)
        if values is not UNSET and len(values) != count:
            raise ConversionError(f".{name}", f"{count} places, one per message", len(values))


def _utterances(thread: Thread, times: Sequence[float | None]) -> list[Event]:
    began = times[0]
    rows = zip(thread.authors, thread.messages, times, thread.message_ids, strict=True)
    return [
        Utterance(
            author,
            text,
            turn,
            None,
            None if at is None or began is None else at - began,
            message_id,
        )
        for turn, (author, text, at, message_id) in enumerate(rows)
    ]


Personas = dict[str, Persona]
"""The persona elements that a dialogue speaks of, by id, each once."""


def _add_nrp(dialogue: Dialogue, thread: NrpThread, personas: Personas) -> None:
    _display_personas(dialogue, thread, thread.candidate_personas, personas)
    for event, grounded in enumerate(thread.grounded_personas):
        _ground(dialogue, event, "grounded", grounded, personas)
        _ground(dialogue, event, "ungrounded", thread.ungrounded_personas[event], personas)
    # Candidates to rank were released for the splits val and test only.
    if thread.nrp_candidate_responses is UNSET:
        return
    for event, responses in enumerate(thread.nrp_candidate_responses):
        for position, text in enumerate(responses):
            # `data/mpchat_nrp.py`, `mpchat_gpp.py` and `mpchat_si.py` of the authors assert it.
            # The released lists have the right answer first, in all three tasks.
            candidate = Candidate(event, "mpchat/nrp", position, text, None, position == 0)
            dialogue.candidates.append(candidate)


def _add_gpp(dialogue: Dialogue, thread: GppThread, personas: Personas) -> None:
    _display_personas(dialogue, thread, None, personas)
    for event, grounded in enumerate(thread.gpp_grounded_persona):
        if grounded is not None:
            _ground(dialogue, event, "grounded", [grounded], personas)
        for place, persona in enumerate(thread.gpp_candidate_personas[event]):
            personas.setdefault(persona.id, persona)
            facts = {"candidate": place}
            dialogue.displays.append(
                Display(persona.id, thread.main_author, event, None, None, True, facts)
            )
    if thread.gpp_candidate_authors_candidate_personas is UNSET:
        return
    for event, options in enumerate(thread.gpp_candidate_authors_candidate_personas):
        for position, persona in enumerate(options):
            personas.setdefault(persona.id, persona)
            gold = position == 0
            dialogue.candidates.append(
                Candidate(event, "mpchat/gpp", position, None, persona.id, gold, persona.id)
            )


def _add_si(dialogue: Dialogue, thread: SiThread, personas: Personas) -> None:
    _display_personas(dialogue, thread, thread.si_main_author_candidate_personas, personas)
    if thread.si_candidate_authors_candidate_personas is UNSET:
        return
    # The task asks about the last message only.
    event = len(dialogue.events) - 1
    for position, options in enumerate(thread.si_candidate_authors_candidate_personas):
        for persona in options:
            personas.setdefault(persona.id, persona)
        author = options[0].author if options else None
        chosen, gold = persona_set_id(options), position == 0
        dialogue.candidates.append(
            Candidate(event, "mpchat/si", position, None, chosen, gold, author)
        )
        dialogue.objects.append(persona_set(options))


def _display_personas(
    dialogue: Dialogue, thread: Thread, chosen: Sequence[Persona] | None, personas: Personas
) -> None:
    """Shows the main author their persona, and which elements of it the task's model is given."""
    places = {persona.id: place for place, persona in enumerate(chosen or ())}
    for position, persona in enumerate(thread.all_personas):
        # Taken out, so that what is left in the end is chosen and not of the author's own persona.
        place = places.pop(persona.id, None)
        dialogue.displays.append(
            Display(
                persona.id,
                thread.main_author,
                0,
                None,
                position,
                None if chosen is None else place is not None,
                None if place is None else {"candidate": place},
            )
        )
    for persona in chosen or ():
        if persona.id in places:
            personas.setdefault(persona.id, persona)
            place = places.pop(persona.id)
            dialogue.displays.append(
                Display(persona.id, thread.main_author, 0, None, None, True, {"candidate": place})
            )


def _ground(
    dialogue: Dialogue,
    event: int,
    relation: str,
    grounded: Sequence[LabelledPersona],
    personas: Personas,
) -> None:
    for persona in grounded:
        personas.setdefault(persona.id, persona)
        label = persona.label_overall
        votes = persona.label_per_worker
        dialogue.groundings.append(
            Grounding(
                event,
                persona.id,
                relation,
                None if label is UNSET else label,
                None,
                None if votes is UNSET else votes,
            )
        )


ImageKind = Literal["dialog", "persona"]
"""The two kinds of images that the authors' script saves, each to a folder."""


class Context(msgspec.Struct):
    """What the side files and the image folder say.

    Web addresses are by the id of a post or a persona element, and empty where their map is not
    given. Files are paths below the image folder by their names, those at hand only.
    """

    dialog_urls: dict[str, str] = {}
    persona_urls: dict[str, str] = {}
    dialog_files: dict[str, str] = {}
    persona_files: dict[str, str] = {}


def list_images(images: str | None, kind: ImageKind) -> dict[str, str]:
    """Lists the images of one kind: file name to path below the image folder.

    The authors' script takes where to save the two kinds, so their folders have any names. Of
    files of one name, that in the folder ``dialog`` or ``persona`` counts, and else the first.
    """
    if images is None:
        return {}
    paths: list[str] = []
    for folder, folders, names in os.walk(images):
        # In place, since ``os.walk`` goes on with this very list.
        folders.sort()
        below = PurePath(folder).relative_to(images)
        paths += [(below / name).as_posix() for name in sorted(names)]
    paths.sort(key=lambda path: not path.startswith(f"{kind}/"))
    found: dict[str, str] = {}
    for path in map(safe_name, paths):
        found.setdefault(path.rpartition("/")[2], path)
    return found


def post_object_id(post_id: str) -> str:
    """Returns the object id of a post's image.

    It is not the bare id of the post: the same post may be somebody's persona element too.
    """
    return f"post-{post_id}"


def post_object(thread: Thread, context: Context) -> Object:
    """Describes the image of a thread's post."""
    url, file_name = thread.direct_url or None, thread.file_name or None
    mapped = _other_address(context.dialog_urls, thread.message_ids[0], url)
    attributes = {
        "subreddit": thread.subreddit,
        "author": thread.authors[0],
        "direct_url": url,
        "mapped_url": mapped,
        "file_name": file_name,
    }
    return Object(
        post_object_id(thread.message_ids[0]),
        "post_image",
        thread.messages[0],
        context.dialog_files.get(file_name or "", url or mapped),
        {name: value for name, value in attributes.items() if value is not None},
    )


def persona_object(persona: Persona, context: Context) -> Object:
    """Describes a persona element; what the file does not say is left out of the attributes."""
    one, other = _whole(persona.created_utcs), _whole(persona.created_utc)
    # Both names are kept only where they say different times.
    created = other if one is UNSET else one
    mapped = _other_address(context.persona_urls, persona.id, persona.direct_url or None)
    attributes = {
        "author": persona.author,
        "subreddit": persona.subreddit,
        "score": persona.score,
        "created_utc": created,
        "other_created_utc": UNSET if other in (UNSET, created) else other,
        "url": persona.url,
        "direct_url": persona.direct_url,
        "mapped_url": UNSET if mapped is None else mapped,
        "permalink": persona.permalink,
        "file_name": persona.file_name,
    }
    return Object(
        persona.id,
        "persona",
        persona.title,
        context.persona_files.get(persona.file_name) or persona.direct_url or mapped,
        {name: value for name, value in attributes.items() if value is not UNSET},
    )


def _other_address(urls: Mapping[str, str], native_id: str, url: str | None) -> str | None:
    """Returns the address that a map has for an image; None where it is the record's own."""
    mapped = urls.get(native_id)
    return None if mapped == url else mapped


def _whole(created: Epoch | UnsetType) -> Epoch | UnsetType:
    """Makes whole seconds a whole number: the same element is written ``5.0`` here, ``5`` there."""
    if isinstance(created, float) and math.isfinite(created) and created.is_integer():
        return int(created)
    return created


def persona_set_id(personas: Sequence[Persona]) -> str:
    """Returns the object id of a set of persona elements: their ids, in order."""
    return "set-" + "+".join(persona.id for persona in personas)


def persona_set(personas: Sequence[Persona]) -> Object:
    """Describes the persona elements by which one author is known in speaker identification.

    The title is what the authors' loaders make of them: the titles with a blank between.
    """
    return Object(
        persona_set_id(personas),
        "persona_set",
        " ".join(persona.title for persona in personas),
        None,
        {
            "author": personas[0].author if personas else None,
            "personas": [persona.id for persona in personas],
        },
    )


def mapped_object(native_id: str, url: str, kind: ImageKind, context: Context) -> Object:
    """Describes an image of which only a map of addresses is known.

    ``native_id`` is that of a post or of a persona element, by ``kind``. Where no file of the image
    is at hand, ``url`` stands for it.
    """
    files = context.dialog_files if kind == "dialog" else context.persona_files
    uri = files.get(image_file_name(native_id, url), url)
    if kind == "dialog":
        return Object(post_object_id(native_id), "post_image", None, uri, {"direct_url": url})
    return Object(native_id, "persona", None, uri, {"direct_url": url})
