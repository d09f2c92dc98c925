"""Rules on speaker identification: the last message and the ranked authors."""

from __future__ import annotations

from collections.abc import Iterator

from commonground.corpora.mpchat.native import CANDIDATES, MAX_PERSONAS, Persona, SiThread
from commonground.findings import Place, Ruleset
from commonground.records import UNSET

rules = Ruleset("CG-MPCHAT-", "si")

_PATH = ".si_candidate_authors_candidate_personas"


def _rankings(thread: SiThread) -> list[list[Persona]]:
    lists = thread.si_candidate_authors_candidate_personas
    return [] if lists is UNSET else lists


@rules.warning(351)
def main_author_speaks_last(thread: SiThread) -> Iterator[Place]:
    """The last message is not the main author's.

    The task asks who wrote the last message, and takes it to be the main author.

    Leave the thread out.
    """
    # An author who writes nothing at all is another finding (CG-MPCHAT-302).
    if thread.main_author in thread.authors[:-1] and thread.authors[-1] != thread.main_author:
        event = len(thread.authors) - 1
        yield Place(f".authors[{event}]", thread.main_author, thread.authors[-1], event)


@rules.error(361)
def right_author_first(thread: SiThread) -> Iterator[Place]:
    """The first ranked persona is not the main author's.

    The authors' loaders take the first as the right one; they compare titles and fail here.

    Leave the thread out.
    """
    mine = [(each.id, each.title) for each in thread.si_main_author_candidate_personas]
    for first in _rankings(thread)[:1]:
        theirs = [(each.id, each.title) for each in first]
        if theirs != mine:
            expected, found = ([native_id for native_id, _ in each] for each in (mine, theirs))
            yield Place(f"{_PATH}[0]", " ".join(expected), " ".join(found))


@rules.error(362)
def hundred_authors(thread: SiThread) -> Iterator[Place]:
    """The number of ranked authors is not a hundred.

    Recall and rank are defined over a hundred.

    Leave the thread out where you compare with published figures.
    """
    lists = thread.si_candidate_authors_candidate_personas
    if lists is not UNSET and len(lists) != CANDIDATES:
        yield Place(_PATH, f"{CANDIDATES} authors", str(len(lists)))


@rules.warning(363)
def one_author_each(thread: SiThread) -> Iterator[Place]:
    """A ranked persona has elements of several authors.

    An option stands for one author.

    Keep it in mind when you look at individual errors.
    """
    for place, personas in enumerate(_rankings(thread)):
        for i, persona in enumerate(personas):
            if persona.author != personas[0].author:
                path = f"{_PATH}[{place}][{i}].author"
                yield Place(path, personas[0].author, persona.author)


@rules.warning(364)
def authors_ranked_once(thread: SiThread) -> Iterator[Place]:
    """An author is ranked twice.

    An author has one place in the ranking, the main author the first.

    Keep it in mind when you look at individual errors.
    """
    seen: set[str] = set()
    for place, personas in enumerate(_rankings(thread)):
        if not personas:
            continue
        author = personas[0].author
        if author in seen:
            yield Place(f"{_PATH}[{place}]", "another author", author)
        seen.add(author)


@rules.warning(365)
def options_within_limits(thread: SiThread) -> Iterator[Place]:
    """A ranked persona has no elements, or more than the description allows.

    The authors' models take one to five elements.

    Use the first five, as a model that reads no more would.
    """
    for place, personas in enumerate(_rankings(thread)):
        if not 1 <= len(personas) <= MAX_PERSONAS:
            expected = f"1 to {MAX_PERSONAS} elements"
            yield Place(f"{_PATH}[{place}]", expected, str(len(personas)))
