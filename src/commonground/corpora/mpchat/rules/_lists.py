"""The lists of persona elements in a thread, each with its JSON path: what the rules walk over."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from commonground.corpora.mpchat.native import GppThread, NrpThread, Persona, SiThread, Thread
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
    """A persona element of a list, and where it is.

    Attributes:
        persona_list: the list that holds it.
        place: its number in the list, from 0.
        persona: the element.
    """

    persona_list: PersonaList
    place: int
    persona: Persona

    @property
    def path(self) -> str:
        """JSON path of the element below the record."""
        return f"{self.persona_list.path}[{self.place}]"


def own_lists(thread: Thread) -> Iterator[PersonaList]:
    """Yields the lists of the main author's elements, ``all_personas`` first."""
    yield PersonaList(".all_personas", thread.all_personas)
    if isinstance(thread, NrpThread):
        yield PersonaList(".candidate_personas", thread.candidate_personas)
        for event, grounded in enumerate(thread.grounded_personas):
            yield PersonaList(f".grounded_personas[{event}]", grounded, event)
        for event, ungrounded in enumerate(thread.ungrounded_personas):
            yield PersonaList(f".ungrounded_personas[{event}]", ungrounded, event)
    elif isinstance(thread, GppThread):
        yield PersonaList(".gpp_grounded_persona", thread.gpp_grounded_persona)
        for event, candidates in enumerate(thread.gpp_candidate_personas):
            yield PersonaList(f".gpp_candidate_personas[{event}]", candidates, event)
    elif isinstance(thread, SiThread):
        path = ".si_main_author_candidate_personas"
        yield PersonaList(path, thread.si_main_author_candidate_personas)


def ranked_lists(thread: Thread) -> Iterator[PersonaList]:
    """Yields the lists of elements that are options of a ranking, or parts of one."""
    if isinstance(thread, GppThread):
        options = thread.gpp_candidate_authors_candidate_personas
        if options is not UNSET:
            path = ".gpp_candidate_authors_candidate_personas"
            for event, personas in enumerate(options):
                yield PersonaList(f"{path}[{event}]", personas, event)
    elif isinstance(thread, SiThread):
        authors = thread.si_candidate_authors_candidate_personas
        if authors is not UNSET:
            path = ".si_candidate_authors_candidate_personas"
            for place, personas in enumerate(authors):
                yield PersonaList(f"{path}[{place}]", personas)


def candidate_lists(thread: Thread) -> Iterator[PersonaList]:
    """Yields the lists of the main author's elements that a task's model is given."""
    if isinstance(thread, GppThread):
        path = ".gpp_candidate_personas"
        # Not strict, here and in all rules: lists of another length are a finding of their own.
        pairs = zip(thread.gpp_candidate_personas, thread.gpp_grounded_persona, strict=False)
        for event, (candidates, grounded) in enumerate(pairs):
            if grounded is not None:
                yield PersonaList(f"{path}[{event}]", candidates, event)
    elif isinstance(thread, NrpThread):
        yield PersonaList(".candidate_personas", thread.candidate_personas)
    elif isinstance(thread, SiThread):
        path = ".si_main_author_candidate_personas"
        yield PersonaList(path, thread.si_main_author_candidate_personas)


def placed_personas(lists: Iterator[PersonaList]) -> Iterator[PlacedElement]:
    """Yields every element of some lists."""
    for persona_list in lists:
        for place, persona in enumerate(persona_list.personas):
            if persona is not None:
                yield PlacedElement(persona_list, place, persona)
