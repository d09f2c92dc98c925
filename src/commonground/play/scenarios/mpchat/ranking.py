"""The records of the three tasks, derived from a labelled thread, and their hundred candidates.

The authors' own sampling is not published. Candidates are drawn here from what is exported with
the thread, always alike for the same threads, and a note beside the files says so.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any, NamedTuple, Protocol

import msgspec

from commonground.corpora.mpchat import native
from commonground.records import UNSET

SEED = 20230709
"""Decides which candidates are drawn; the note beside the files names it."""

NOTE = f"""\
The candidates of val and test in these files were not made by the authors of MPChat. commonground
drew them with seed {SEED} from the threads in these files, the right one first: the responses of
other main authors for mpchat_nrp.json, one element each of other main authors for
mpchat_gpp.json, and the candidate elements of other main authors for mpchat_si.json.
Scores on them cannot be compared with published ones.
"""
"""Marks candidates as drawn by this program."""


class Pool(Protocol):
    """Where wrong candidates come from; all that it gives are 99."""

    def responses(self, rng: Random, thread: native.NrpThread, right: str) -> list[str]:
        """Draws responses of other people, each with another text, none with the right one."""

    def personas(self, rng: Random, thread: native.NrpThread) -> list[Sequence[native.Persona]]:
        """Draws one to five elements of each of so many other authors."""


class Exported:
    """What threads that are exported together have for each other's rankings."""

    def __init__(self, threads: Sequence[native.NrpThread]) -> None:
        self._personas: dict[str, Sequence[native.Persona]] = {}
        self._texts: dict[str, set[str]] = {}
        for thread in threads:
            name = thread.main_author
            if thread.candidate_personas:
                self._personas.setdefault(name, thread.candidate_personas)
            pairs = zip(thread.authors, thread.messages, strict=True)
            said = {text for author, text in pairs if author == name}
            self._texts.setdefault(name, set()).update(said)
        self._said_by = Counter(text for texts in self._texts.values() for text in texts)

    def is_enough(self, thread: native.NrpThread) -> bool:
        """Says whether 99 wrong candidates can be drawn for every message of a thread."""
        mine = self._texts[thread.main_author]
        own_only = sum(self._said_by[text] == 1 for text in mine)
        # A right response may be somebody else's text as well, which is then left out.
        texts = len(self._said_by) - own_only - 1
        return min(len(self._personas) - 1, texts) >= native.CANDIDATES - 1

    def responses(self, rng: Random, thread: native.NrpThread, right: str) -> list[str]:
        """Draws responses of other main authors, none of which repeats the right one."""
        # A dict is a set that keeps the order in which texts were drawn.
        others = {right: None}
        # Sorted, here and below: what is drawn must not depend on the order of a set.
        authors = sorted(self._texts)
        while len(others) < native.CANDIDATES:
            author = rng.choice(authors)
            if author != thread.main_author:
                others[rng.choice(sorted(self._texts[author]))] = None
        # The right one was there to keep its text out.
        return [*others][1:]

    def personas(self, rng: Random, thread: native.NrpThread) -> list[Sequence[native.Persona]]:
        """Draws other main authors, with their candidate elements."""
        names = [name for name in self._personas if name != thread.main_author]
        return [self._personas[name] for name in rng.sample(names, native.CANDIDATES - 1)]


class TaskThread(NamedTuple):
    """A record of a thread, and the task whose file it is for."""

    task: native.Task
    thread: native.Thread


def tell_tasks(thread: native.NrpThread, pool: Pool | None) -> Iterator[TaskThread]:
    """Yields a labelled thread as a record of each task; train has no candidates, so no pool."""
    asked = thread
    if pool is not None:
        rng = _draws("nrp", thread)
        ranked = [
            [text, *pool.responses(rng, thread, text)] if author == thread.main_author else []
            for author, text in zip(thread.authors, thread.messages, strict=True)
        ]
        asked = msgspec.structs.replace(thread, nrp_candidate_responses=ranked)
    yield TaskThread("nrp", asked)
    yield TaskThread("gpp", derive_gpp(thread, pool))
    yield TaskThread("si", derive_si(thread, pool))


def _draws(task: native.Task, thread: native.NrpThread) -> Random:
    # Of each thread by itself: what else is exported does not change the draws, only the pool.
    return Random(f"{SEED}/{task}/{native.thread_id(thread)}")


def derive_gpp(thread: native.NrpThread, pool: Pool | None) -> native.GppThread:
    """Asks of each grounded response on which element it is grounded.

    The right element is the one with most votes. The other candidate elements, less those that it
    is grounded on as well, are given to the model; where none is left, there is nothing to ask.
    """
    rng = _draws("gpp", thread)
    given = [_others(thread, grounded) for grounded in thread.grounded_personas]
    right = [
        _most_voted(grounded) if others else None
        for grounded, others in zip(thread.grounded_personas, given, strict=True)
    ]
    ranked = [
        []
        if gold is None or pool is None
        else [_bare(gold, native.Persona), *map(rng.choice, pool.personas(rng, thread))]
        for gold in right
    ]
    return native.GppThread(
        **_shared(thread, len(thread.messages)),
        gpp_grounded_persona=[
            None if gold is None else _bare(gold, native.LabelledPersona) for gold in right
        ],
        gpp_candidate_personas=given,
        gpp_candidate_authors_candidate_personas=UNSET if pool is None else ranked,
    )


def _others(
    thread: native.NrpThread, grounded: Sequence[native.LabelledPersona]
) -> list[native.Persona]:
    """Returns the candidate elements beside the grounded ones; none where nothing is grounded."""
    ids = {each.id for each in grounded}
    return [each for each in thread.candidate_personas if ids and each.id not in ids]


def _most_voted(grounded: Sequence[native.LabelledPersona]) -> native.LabelledPersona | None:
    strong = [each for each in grounded if each.label_overall == native.LABELS[max(native.LABELS)]]
    return next(iter([*strong, *grounded]), None)


def _bare(persona: native.Persona, kind: type[native.Persona]) -> Any:
    return kind(**{name: getattr(persona, name) for name in native.Persona.__struct_fields__})


def derive_si(thread: native.NrpThread, pool: Pool | None) -> native.SiThread:
    """Asks whose the main author's last message is: the thread ends with it."""
    rng = _draws("si", thread)
    # Behind the main author's last message.
    end = len(thread.authors) - thread.authors[::-1].index(thread.main_author)
    mine = thread.candidate_personas
    others = [] if pool is None else pool.personas(rng, thread)
    options = [mine, *(list(each[: native.MAX_PERSONAS]) for each in others)]
    return native.SiThread(
        **_shared(thread, end),
        si_main_author_candidate_personas=mine,
        si_candidate_authors_candidate_personas=UNSET if pool is None else options,
    )


def _shared(thread: native.NrpThread, end: int) -> dict[str, Any]:
    """Returns what all tasks say of a thread, up to one of its messages."""
    fields = {name: getattr(thread, name) for name in native.Thread.__struct_fields__}
    for name in ("messages", "message_ids", "authors", "created_utcs"):
        fields[name] = fields[name][:end]
    return fields
