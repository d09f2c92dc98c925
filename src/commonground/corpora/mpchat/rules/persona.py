"""Rules on persona elements, the same in all three task files."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from commonground.corpora.mpchat.native import (
    MAX_PERSONAS,
    GppThread,
    Persona,
    Thread,
    image_file_name,
)
from commonground.corpora.mpchat.rules._lists import (
    candidate_lists,
    own_lists,
    placed_personas,
    ranked_lists,
)
from commonground.corpora.mpchat.rules.thread import every_file
from commonground.findings import Examined, Place, shorten
from commonground.records import UNSET


@every_file("warning", 21)
def persona_named_after_post(thread: Thread) -> Iterator[Place]:
    """The file name of a persona element is not built from its id and address.

    The authors' script saves images as `{id}_{last part of the address}`.

    Rename the image, or download it by hand.
    """
    for placed in placed_personas(chain(own_lists(thread), ranked_lists(thread))):
        persona = placed.persona
        if persona.direct_url is not UNSET:
            expected = image_file_name(persona.id, persona.direct_url)
            if persona.file_name != expected:
                path = f"{placed.path}.file_name"
                yield Place(path, expected, persona.file_name, placed.event)


@every_file("warning", 22)
def persona_in_map(thread: Thread, examined: Examined) -> Iterator[Place]:
    """The address map does not yield a persona element's image under its file name.

    The authors' script downloads what persona_image_urls.json lists, so the image is missing.

    Add the element's id and `direct_url` to the map.
    """
    # Makes the name that the download would give; says nothing where the map is not given.
    urls = examined.context.persona_urls
    if not urls:
        return
    for placed in placed_personas(chain(own_lists(thread), ranked_lists(thread))):
        persona = placed.persona
        url = urls.get(persona.id)
        saved = None if url is None else image_file_name(persona.id, url)
        if saved != persona.file_name:
            expected = saved or "an element in persona_image_urls.json"
            path = f"{placed.path}.file_name"
            yield Place(path, expected, persona.file_name, placed.event)


@every_file("warning", 23)
def persona_by_main_author(thread: Thread) -> Iterator[Place]:
    """A persona element of the main author is by another author.

    It says nothing about the main author.

    Leave the element out.
    """
    for placed in placed_personas(own_lists(thread)):
        if placed.persona.author != thread.main_author:
            path = f"{placed.path}.author"
            yield Place(path, thread.main_author, placed.persona.author, placed.event)


@every_file("warning", 24)
def persona_once(thread: Thread) -> Iterator[Place]:
    """A list holds the same persona element twice.

    It is counted, shown or ranked twice.

    Leave the second one out.
    """
    for persona_list in chain(own_lists(thread), ranked_lists(thread)):
        if persona_list.path == ".gpp_grounded_persona":
            continue  # not one list: several messages may be grounded on one element
        seen: set[str] = set()
        for index, persona in enumerate(persona_list.personas):
            if persona is not None and persona.id in seen:
                path = f"{persona_list.path}[{index}].id"
                yield Place(path, "an element of its own", persona.id, persona_list.event)
            elif persona is not None:
                seen.add(persona.id)


@every_file("warning", 25)
def persona_among_all(thread: Thread) -> Iterator[Place]:
    """A candidate, grounded or ungrounded element is not among all of the main author's.

    According to the description, `all_personas` holds every element of the main author.

    Treat `all_personas` as incomplete for this thread.
    """
    known = {persona.id for persona in thread.all_personas}
    for placed in placed_personas(own_lists(thread)):
        if placed.persona.id not in known:
            path = f"{placed.path}.id"
            yield Place(path, "an id of all_personas", placed.persona.id, placed.event)


_DOCUMENTED = ("subreddit", "url", "score", "permalink", "direct_url")


@every_file("warning", 26)
def persona_complete(thread: Thread) -> Iterator[Place]:
    """A persona element lacks a documented field.

    The column or attribute is null; no loader of the authors reads the field.

    Nothing, unless you need the field.
    """
    # Looks for absent fields of the main author's elements; either name of the time will do.
    for placed in placed_personas(own_lists(thread)):
        persona, event = placed.persona, placed.event
        for name in _DOCUMENTED:
            if getattr(persona, name) is UNSET:
                yield Place(f"{placed.path}.{name}", "a value", None, event)
        if persona.created_utc is UNSET and persona.created_utcs is UNSET:
            yield Place(f"{placed.path}.created_utc", "a value, or created_utcs", None, event)


_COPIED = ("title", "author", "subreddit", "url", "score", "permalink", "direct_url", "file_name")


@every_file("warning", 27)
def copies_agree(thread: Thread) -> Iterator[Place]:
    """Two copies of a persona element in one thread differ.

    It is not known which of the two is right; the tables hold the first.

    Compare the two places.
    """
    first: dict[str, Persona] = {}
    for placed in placed_personas(own_lists(thread)):
        persona = placed.persona
        original = first.setdefault(persona.id, persona)
        if original is persona:
            continue
        for name in _COPIED:
            expected, found = getattr(original, name), getattr(persona, name)
            # A copy may leave fields out; only what both have can differ.
            if expected != found and UNSET not in (expected, found):
                path = f"{placed.path}.{name}"
                yield Place(path, shorten(expected), shorten(found), placed.event)
        if _created(original) != _created(persona):
            expected, found = _created(original), _created(persona)
            yield Place(f"{placed.path}.created_utc", expected, found, placed.event)


def _created(persona: Persona) -> str | None:
    """Returns the time of an element in one form, whichever the file has."""
    created = persona.created_utc if persona.created_utcs is UNSET else persona.created_utcs
    if created is UNSET:
        return None
    try:
        return str(float(created))
    except (ValueError, OverflowError):
        return str(created)


@every_file("warning", 28)
def candidates_within_limits(thread: Thread) -> Iterator[Place]:
    """The main author has no candidate elements, or more than the description allows.

    The authors' models take one to five elements (four beside the one to be found).

    Use the first ones, as a model that reads no more would.
    """
    # One less where the element to be found is left out of those given.
    limit = MAX_PERSONAS - isinstance(thread, GppThread)
    for persona_list in candidate_lists(thread):
        count = len(persona_list.personas)
        if not 1 <= count <= limit:
            yield Place(persona_list.path, f"1 to {limit} elements", str(count), persona_list.event)
