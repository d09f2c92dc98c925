"""MPChat threads as dialogues: every message is an utterance, pictures and personas are objects."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime

from commonground.corpora.mpchat.native import (
    Epoch,
    GppThread,
    LabelledPersona,
    NrpThread,
    Persona,
    SiThread,
    Thread,
    task_of,
    thread_id,
)
from commonground.corpora.mpchat.objects import (
    Context,
    list_images,
    mapped_object,
    persona_object,
    persona_set,
    persona_set_id,
    post_object,
    post_object_id,
)
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
from commonground.reading import ConversionError, Main, Options, Side, Where
from commonground.records import UNSET

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


def prepare(sides: Iterable[Side], mains: Iterable[Main], options: Options) -> Context:  # noqa: ARG001
    """Gathers the two maps of addresses and the images that are at hand."""
    context = Context(
        dialog_files=list_images(options.images, "dialog"),
        persona_files=list_images(options.images, "persona"),
    )
    maps = {"dialog_urls": context.dialog_urls, "persona_urls": context.persona_urls}
    for side in sides:
        if side.key is not None:
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
        ConversionError: there is no message, parallel lists differ in length, or a time is not
            one.
    """
    _require_parallel_lists(thread)
    times = parse_times(thread.created_utcs)
    dialogue = Dialogue(
        dialogue_id=thread_id(thread) or "",
        split=where.split,
        domain=thread.subreddit,
        started_at=_started_at(times[0]),
        attributes={
            "task": task_of(thread),
            "main_author": thread.main_author,
            "has_image": thread.has_image,
        },
        speakers=_speakers(thread),
        events=_utterances(thread, times),
    )
    personas: Personas = {}
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


def parse_times(created_utcs: Sequence[Epoch]) -> list[float]:
    """Turns the released times into seconds since 1970, in UTC.

    Raises:
        ConversionError: one is not a number.
    """
    times = []
    for i, created in enumerate(created_utcs):
        try:
            seconds = float(created)
        except (ValueError, OverflowError):
            seconds = math.nan
        if not math.isfinite(seconds):
            raise ConversionError(f".created_utcs[{i}]", "seconds since 1970", created)
        times.append(seconds)
    return times


def _started_at(seconds: float) -> datetime:
    try:
        return datetime.fromtimestamp(seconds, UTC).replace(tzinfo=None)
    except (ValueError, OverflowError, OSError):
        raise ConversionError(".created_utcs[0]", "seconds since 1970", seconds) from None


def _speakers(thread: Thread) -> list[Speaker]:
    authors = dict.fromkeys((*thread.authors, thread.main_author))
    return [Speaker(author, "peer", None if author == DELETED else author) for author in authors]


def _utterances(thread: Thread, times: Sequence[float]) -> list[Event]:
    rows = zip(thread.authors, thread.messages, times, thread.message_ids, strict=True)
    return [
        Utterance(author, text, turn, None, at - times[0], message_id)
        for turn, (author, text, at, message_id) in enumerate(rows)
    ]


Personas = dict[str, Persona]
"""The persona elements that a dialogue speaks of, by id, each once."""


def _add_nrp(dialogue: Dialogue, thread: NrpThread, personas: Personas) -> None:
    _display_personas(dialogue, thread, thread.candidate_personas, personas)
    for event, grounded in enumerate(thread.grounded_personas):
        _ground(dialogue, event, "grounded", grounded, personas)
        _ground(dialogue, event, "ungrounded", thread.ungrounded_personas[event], personas)
    if thread.nrp_candidate_responses is UNSET:
        return
    for event, responses in enumerate(thread.nrp_candidate_responses):
        for position, text in enumerate(responses):
            candidate = Candidate(event, "mpchat/nrp", position, text, None, position == 0)
            dialogue.candidates.append(candidate)


def _add_gpp(dialogue: Dialogue, thread: GppThread, personas: Personas) -> None:
    _display_personas(dialogue, thread, None, personas)
    for event, grounded in enumerate(thread.gpp_grounded_persona):
        if grounded is not None:
            _ground(dialogue, event, "grounded", [grounded], personas)
        _display_at(dialogue, thread, event, thread.gpp_candidate_personas[event], personas)
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


def _display_at(
    dialogue: Dialogue,
    thread: Thread,
    event: int,
    chosen: Sequence[Persona],
    personas: Personas,
) -> None:
    for place, persona in enumerate(chosen):
        personas.setdefault(persona.id, persona)
        dialogue.displays.append(
            Display(persona.id, thread.main_author, event, None, None, True, {"candidate": place})
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
