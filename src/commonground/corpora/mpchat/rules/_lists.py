"""The lists of persona elements in a thread, each with its JSON path: what the rules walk over."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from commonground.corpora.mpchat.native import Persona, Thread
from commonground.records import UNSET


class PersonaList(NamedTuple):
    """A list of persona elements.

    Attributes:
        path: its JSON path below the record.
        personas: the elements; null where the list has a place but no element.
        event: number of the message it belongs to; null where it belongs to none.
    """

    path: str
    personas: Sequence[Persona | None]
    event: int | None = None


class PlacedElement(NamedTuple):
    """An element of a :class:`PersonaList`, with its own path and the event of its list."""

    path: str
    persona: Persona
    event: int | None


_OWN = {
    "all_personas": False,
    "candidate_personas": False,
    "grounded_personas": True,
    "ungrounded_personas": True,
    "gpp_grounded_persona": False,
    "gpp_candidate_personas": True,
    "si_main_author_candidate_personas": False,
}


def list_fields(thread: Thread, fields: Mapping[str, bool]) -> Iterator[PersonaList]:
    """Yields the lists of some fields that a thread has.

    ``fields`` says of each whether it has a list for each message; else it is one list.
    """
    for name, is_by_message in fields.items():
        values = getattr(thread, name, UNSET)
        if values is UNSET:
            continue
        if not is_by_message:
            yield PersonaList(f".{name}", values)
            continue
        for event, personas in enumerate(values):
            yield PersonaList(f".{name}[{event}]", personas, event)


def own_lists(thread: Thread) -> Iterator[PersonaList]:
    """Yields the lists of the main author's elements, ``all_personas`` first."""
    return list_fields(thread, _OWN)


def ranked_lists(thread: Thread) -> Iterator[PersonaList]:
    """Yields the lists of elements that are options of a ranking, or parts of one."""
    yield from list_fields(thread, {"gpp_candidate_authors_candidate_personas": True})
    for each in list_fields(thread, {"si_candidate_authors_candidate_personas": True}):
        yield each._replace(event=None)  # a list for each author


def candidate_lists(thread: Thread) -> Iterator[PersonaList]:
    """Yields the lists of the main author's elements that a task's model is given."""
    single = {"candidate_personas": False, "si_main_author_candidate_personas": False}
    yield from list_fields(thread, single)
    lists = list_fields(thread, {"gpp_candidate_personas": True})
    # Not strict, here and in all rules: lists of another length are a finding of their own.
    for each, grounded in zip(lists, getattr(thread, "gpp_grounded_persona", ()), strict=False):
        if grounded is not None:
            yield each


def placed_personas(lists: Iterable[PersonaList]) -> Iterator[PlacedElement]:
    """Yields every element of some lists."""
    for each in lists:
        for place, persona in enumerate(each.personas):
            if persona is not None:
                yield PlacedElement(f"{each.path}[{place}]", persona, each.event)
