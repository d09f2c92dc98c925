"""Rules on grounding persona prediction: the grounded elements and the ranked ones."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from commonground.corpora.mpchat.native import CANDIDATES, GppThread, Persona
from commonground.findings import Place, Ruleset
from commonground.records import UNSET

rules = Ruleset("CG-MPCHAT-", "gpp")


@rules.warning(251)
def grounded_at_main_author(thread: GppThread) -> Iterator[Place]:
    """A message that is not the main author's has a grounded element.

    Only the main author has a persona; the loaders skip the message.

    Leave the grounding out.
    """
    pairs = zip(thread.gpp_grounded_persona, thread.authors, strict=False)
    for event, (persona, author) in enumerate(pairs):
        if persona is not None and author != thread.main_author:
            found = f"{persona.id} at a message of {author}"
            yield Place(f".gpp_grounded_persona[{event}]", "null", found, event)


@rules.warning(252)
def candidates_where_grounded(thread: GppThread) -> Iterator[Place]:
    """A message without a grounded element has candidate elements.

    There is nothing to predict; the loaders skip the message.

    Leave them out.
    """
    pairs = zip(thread.gpp_grounded_persona, thread.gpp_candidate_personas, strict=False)
    for event, (persona, candidates) in enumerate(pairs):
        if persona is None and candidates:
            path, found = f".gpp_candidate_personas[{event}]", str(len(candidates))
            yield Place(path, "no element", found, event)


@rules.note(253)
def answer_not_given(thread: GppThread) -> Iterator[Place]:
    """The element to be found is among those that the model is given.

    The model reads the answer with its input.

    Leave it out of the input where you train a model.
    """
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


@rules.error(261)
def right_element_first(thread: GppThread) -> Iterator[Place]:
    """The first ranked element is not the grounded one.

    The authors' loaders take the first as the right one, and fail here.

    Leave the turn out.
    """
    for each in _rankings(thread):
        if each.gold is not None and each.options and each.options[0].id != each.gold.id:
            yield Place(f"{each.path}[0].id", each.gold.id, each.options[0].id, each.event)


@rules.error(262)
def hundred_elements(thread: GppThread) -> Iterator[Place]:
    """A grounded message does not have a hundred ranked elements.

    Recall and rank are defined over a hundred.

    Leave the turn out where you compare with published figures.
    """
    for each in _rankings(thread):
        if each.gold is not None and len(each.options) != CANDIDATES:
            found = str(len(each.options))
            yield Place(each.path, f"{CANDIDATES} elements", found, each.event)


@rules.warning(263)
def ranked_where_grounded(thread: GppThread) -> Iterator[Place]:
    """A message without a grounded element has ranked elements.

    There is nothing to predict; the loaders skip the message.

    Leave them out.
    """
    for each in _rankings(thread):
        if each.gold is None and each.options:
            yield Place(each.path, "no element", str(len(each.options)), each.event)


@rules.note(264)
def wrong_elements_foreign(thread: GppThread) -> Iterator[Place]:
    """Another element of the main author is among the wrong ones.

    According to the description, wrong elements come from other authors; this one may fit as well.

    Keep it in mind when you look at individual errors.
    """
    for each in _rankings(thread):
        for i, persona in enumerate(each.options):
            right = each.gold is not None and persona.id == each.gold.id
            # The first element is the right one, and may well be the main author's.
            if i and persona.author == thread.main_author and not right:
                path = f"{each.path}[{i}].author"
                yield Place(path, "another author", persona.author, each.event)
