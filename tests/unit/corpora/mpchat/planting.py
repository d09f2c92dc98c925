"""A simulated thread of each task, to be broken in one place."""

from __future__ import annotations

from functools import cache
from typing import Any

import msgspec

from commonground.checks.running import run_rules
from commonground.corpora import get_corpus
from commonground.corpora.mpchat import wording
from commonground.corpora.mpchat.convert import convert
from commonground.corpora.mpchat.native import GppThread, NrpThread, SiThread, Task, Thread
from commonground.corpora.mpchat.objects import Context
from commonground.corpora.mpchat.shelves import own_shelves, placed_personas, ranked_shelves
from commonground.corpora.mpchat.telling import tell_thread
from commonground.corpora.mpchat.threads import Conversation, invent_conversation
from commonground.corpora.mpchat.world import World
from commonground.findings import Examined, Finding
from commonground.reading import ConversionError, Where

TYPES: dict[Task, type[Thread]] = {"nrp": NrpThread, "gpp": GppThread, "si": SiThread}
WORLD = World(11, 128, wording.title)


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
        conversation = find_conversation()
        told = msgspec.json.encode(tell_thread(WORLD, conversation, task, "test"))
        self.thread: Any = msgspec.json.decode(told, type=TYPES[task])
        self.task = task
        self.split = "test"
        authors = self.thread.authors
        self.mine = next(i for i, turn in enumerate(conversation.turns) if turn.grounded)
        self.other = next(i for i, name in enumerate(authors) if name != authors[self.mine])
        self.context = cover(self.thread)

    @property
    def unused(self) -> int:
        """Number of an element that is in no list but ``all_personas``."""
        chosen = find_conversation().chosen
        return next(i for i in range(len(self.thread.all_personas)) if i not in chosen)

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
def find_conversation() -> Conversation:
    """Finds a thread with everything in it that a fault can be planted in."""
    for number in range(WORLD.size):
        conversation = invent_conversation(WORLD, number)
        turns = conversation.turns
        if (
            conversation.scene is not None
            and len(turns) in (4, 6)
            and len(conversation.main.personas) > 5
            and sum(bool(turn.grounded) for turn in turns) == 1
            and any(turn.grounded and turn.ungrounded for turn in turns)
        ):
            return conversation
    raise AssertionError("the simulator makes no such thread any more")


def cover(thread: Thread) -> Context:
    """Makes maps of addresses that cover a thread."""
    context = Context()
    if thread.direct_url:
        context.dialog_urls[thread.message_ids[0]] = thread.direct_url
    for shelves in (own_shelves(thread), ranked_shelves(thread)):
        for placed in placed_personas(shelves):
            context.persona_urls[placed.persona.id] = str(placed.persona.direct_url)
    return context
