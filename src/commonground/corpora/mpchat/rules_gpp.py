"""Rules on grounding persona prediction: the grounded elements and the ranked ones."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from commonground.corpora.mpchat.native import CANDIDATES, GppThread, Persona
from commonground.findings import Examined, Place, rule
from commonground.records import UNSET


@rule(
    "CG-MPCHAT-251",
    "warning",
    "A message that is not the main author's has a grounded element.",
    why="Only the main author has a persona; the loaders skip the message.",
    advice="Leave the grounding out.",
    format="gpp",
)
def grounded_at_main_author(thread: GppThread, _examined: Examined) -> Iterator[Place]:
    """Compares the authors of the messages with the main author."""
    pairs = zip(thread.gpp_grounded_persona, thread.authors, strict=False)
    for event, (persona, author) in enumerate(pairs):
        if persona is not None and author != thread.main_author:
            found = f"{persona.id} at a message of {author}"
            yield Place(f".gpp_grounded_persona[{event}]", "null", found, event)


@rule(
    "CG-MPCHAT-252",
    "warning",
    "A message without a grounded element has candidate elements.",
    why="There is nothing to predict; the loaders skip the message.",
    advice="Leave them out.",
    format="gpp",
)
def candidates_where_grounded(thread: GppThread, _examined: Examined) -> Iterator[Place]:
    """Looks for elements beside null."""
    pairs = zip(thread.gpp_grounded_persona, thread.gpp_candidate_personas, strict=False)
    for event, (persona, candidates) in enumerate(pairs):
        if persona is None and candidates:
            path, found = f".gpp_candidate_personas[{event}]", str(len(candidates))
            yield Place(path, "no element", found, event)


@rule(
    "CG-MPCHAT-253",
    "note",
    "The element to be found is among those that the model is given.",
    why="The model reads the answer with its input.",
    advice="Leave it out of the input where you train a model.",
    format="gpp",
)
def answer_not_given(thread: GppThread, _examined: Examined) -> Iterator[Place]:
    """Looks for the grounded element among the candidates of its message."""
    pairs = zip(thread.gpp_grounded_persona, thread.gpp_candidate_personas, strict=False)
    for event, (grounded, candidates) in enumerate(pairs):
        for i, persona in enumerate(candidates):
            if grounded is not None and persona.id == grounded.id:
                path = f".gpp_candidate_personas[{event}][{i}].id"
                yield Place(path, "another element", persona.id, event)


class _Ranking(NamedTuple):
    event: int
    gold: Persona | None
    options: list[Persona]

    @property
    def path(self) -> str:
        return f".gpp_candidate_authors_candidate_personas[{self.event}]"


def _rankings(thread: GppThread) -> Iterator[_Ranking]:
    lists = thread.gpp_candidate_authors_candidate_personas
    if lists is not UNSET:
        pairs = zip(thread.gpp_grounded_persona, lists, strict=False)
        for event, (grounded, options) in enumerate(pairs):
            yield _Ranking(event, grounded, options)


@rule(
    "CG-MPCHAT-261",
    "error",
    "The first ranked element is not the grounded one.",
    why="The authors' loaders take the first as the right one, and stop here.",
    advice="Leave the turn out.",
    format="gpp",
)
def right_element_first(thread: GppThread, _examined: Examined) -> Iterator[Place]:
    """Compares ids."""
    for each in _rankings(thread):
        if each.gold is not None and each.options and each.options[0].id != each.gold.id:
            yield Place(f"{each.path}[0].id", each.gold.id, each.options[0].id, each.event)


@rule(
    "CG-MPCHAT-262",
    "error",
    "A grounded message has not a hundred ranked elements.",
    why="Recall and rank are defined over a hundred.",
    advice="Leave the turn out where you compare with published figures.",
    format="gpp",
)
def hundred_elements(thread: GppThread, _examined: Examined) -> Iterator[Place]:
    """Counts the elements."""
    for each in _rankings(thread):
        if each.gold is not None and len(each.options) != CANDIDATES:
            found = str(len(each.options))
            yield Place(each.path, f"{CANDIDATES} elements", found, each.event)


@rule(
    "CG-MPCHAT-263",
    "warning",
    "A message without a grounded element has ranked elements.",
    why="There is nothing to predict; the loaders skip the message.",
    advice="Leave them out.",
    format="gpp",
)
def ranked_where_grounded(thread: GppThread, _examined: Examined) -> Iterator[Place]:
    """Looks for elements beside null."""
    for each in _rankings(thread):
        if each.gold is None and each.options:
            yield Place(each.path, "no element", str(len(each.options)), each.event)


@rule(
    "CG-MPCHAT-264",
    "note",
    "Another element of the main author stands among the wrong ones.",
    why="Wrong elements are said to come from other authors; this one may fit as well.",
    advice="Mind it where you look at single errors.",
    format="gpp",
)
def wrong_elements_foreign(thread: GppThread, _examined: Examined) -> Iterator[Place]:
    """Compares the authors of the wrong elements with the main author."""
    for each in _rankings(thread):
        for i, persona in enumerate(each.options):
            right = each.gold is not None and persona.id == each.gold.id
            if i and persona.author == thread.main_author and not right:
                path = f"{each.path}[{i}].author"
                yield Place(path, "another author", persona.author, each.event)
