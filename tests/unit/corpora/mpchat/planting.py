"""A simulated thread of each task, to be broken in one place."""

from __future__ import annotations

from functools import cache
from typing import Any

import msgspec

from commonground.checks import run_rules
from commonground.corpora import get_corpus
from commonground.corpora.mpchat.convert import Context, convert
from commonground.corpora.mpchat.native import GppThread, NrpThread, SiThread, Task, Thread
from commonground.corpora.mpchat.rules._lists import own_lists, placed_personas, ranked_lists
from commonground.files.reading import ConversionError, Where
from commonground.findings import Examined, Finding
from commonground.play.scenarios.mpchat.invented_reddit import InventedReddit
from commonground.play.scenarios.mpchat.ranking import tell_tasks
from commonground.play.scenarios.mpchat.simulate import Neighbours, label_invented

TYPES: dict[Task, type[Thread]] = {"nrp": NrpThread, "gpp": GppThread, "si": SiThread}
WORLD = InventedReddit(11)


class Case:
    """A clean thread, its maps of addresses, and what it needs to be broken.

    Attributes:
        thread: the record.
        context: both maps, covering the thread.
        split: the split it is said to be in.
        mine: number of a grounded message of the main author.
        other: number of a message of somebody else.
    """

    def __init__(self, task: Task) -> None:
        labelled = find_thread()
        records = dict(tell_tasks(labelled, Neighbours(WORLD)))
        told = msgspec.json.encode(records[task])
        self.thread: Any = msgspec.json.decode(told, type=TYPES[task])
        self.task = task
        self.split = "test"
        authors = self.thread.authors
        self.mine = next(i for i, each in enumerate(labelled.grounded_personas) if each)
        self.other = next(i for i, name in enumerate(authors) if name != authors[self.mine])
        self.context = cover(self.thread)

    @property
    def unused(self) -> int:
        """Number of an element that is in no list but ``all_personas``."""
        chosen = {each.id for each in find_thread().candidate_personas}
        return next(i for i, each in enumerate(self.thread.all_personas) if each.id not in chosen)

    def findings(self) -> list[Finding]:
        """Runs all rules on the record."""
        where = Where(f"mpchat_{self.task}.json", "$", self.task, self.split)
        try:
            dialogue = convert(self.thread, where, self.context)
        except ConversionError:
            dialogue = None
        rules = [rule for rule in get_corpus("mpchat").rules() if rule.format == self.task]
        return run_rules(
            rules, self.thread, Examined(dialogue, self.context, where.document), "$", None
        )

    def places(self) -> set[tuple[str, str]]:
        """Returns the code and path of every finding."""
        return {(each.code, str(each.source_path)) for each in self.findings()}


@cache
def find_thread() -> NrpThread:
    """Finds a labelled thread with everything in it that a fault can be planted in."""
    for number in range(WORLD.size):
        invented = WORLD.thread(number)
        if (
            invented.scene is not None
            and len(invented.thread.messages) in (4, 6)
            and invented.thread.authors[-1] == invented.thread.main_author
            and len(invented.thread.all_personas) > 5
        ):
            labelled = label_invented(invented, 11)
            grounded = [len(each) for each in labelled.grounded_personas if each]
            if grounded == [1]:
                return labelled
    raise AssertionError("the simulator makes no such thread any more")


def cover(thread: Thread) -> Context:
    """Makes maps of addresses that cover a thread."""
    context = Context()
    if thread.direct_url:
        context.dialog_urls[thread.message_ids[0]] = thread.direct_url
    for lists in (own_lists(thread), ranked_lists(thread)):
        for placed in placed_personas(lists):
            context.persona_urls[placed.persona.id] = str(placed.persona.direct_url)
    return context
