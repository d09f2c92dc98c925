"""A simulated record of each format, and how to run the rules on it."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import msgspec

from commonground.checks.running import run_rules
from commonground.corpora import get_corpus
from commonground.corpora.taskmaster.cinemas import APIS, ENTITIES
from commonground.corpora.taskmaster.coffees import invent_coffee, invent_reward
from commonground.corpora.taskmaster.convert import Context, convert, prepare
from commonground.corpora.taskmaster.errands import TASKS_1, TASKS_2
from commonground.corpora.taskmaster.native import RewardExample
from commonground.corpora.taskmaster.ontology import (
    ApiDeclaration,
    Entities,
    LabelGroup,
    PlainOntology,
)
from commonground.corpora.taskmaster.plain import invent_plain
from commonground.corpora.taskmaster.prompts import make_reward, make_rows
from commonground.corpora.taskmaster.rows import SplitId
from commonground.corpora.taskmaster.tickets import invent_tickets
from commonground.findings import Examined
from commonground.reading import Options, Side, Where

CORPUS_OF = {
    "dialogs1": "taskmaster1",
    "splits1": "taskmaster1",
    "dialogs2": "taskmaster2",
    "dialogs3": "taskmaster3",
    "splits3": "taskmaster3",
    "apis3": "taskmaster3",
    "reward3": "taskmaster3",
    "dialogs4": "taskmaster4",
    "reward4": "taskmaster4",
}


def make_context(corpus: str) -> Context:
    """Prepares what the simulated side files of a corpus say."""
    sides = []
    if corpus == "taskmaster1":
        for task in TASKS_1:
            names = [slot.label for slot in task.slots]
            told = PlainOntology(id=task.prefix, vertical="v", required=names, optional=[])
            sides.append(Side("ontology.json", "ontology1", "$", told))
    elif corpus == "taskmaster2":
        for task in TASKS_2:
            group = LabelGroup(prefix=task.prefix, annotations=[s.label for s in task.slots])
            sides.append(Side(f"ontology/{task.name}.json", "ontology2", "$", group))
    elif corpus == "taskmaster3":
        entities = msgspec.convert(ENTITIES["movie"], Entities)
        sides.append(Side("entities.json", "entities3", "$", entities))
        for declared in APIS.values():
            api = msgspec.convert(declared, ApiDeclaration)
            sides.append(Side("apis.json", "apis3", "$", api))
    return prepare(sides, [], Options(corpus))


def invent(fmt: str, rng: Random) -> Any:
    """Invents a clean record."""
    match fmt:
        case "dialogs1":
            return invent_plain(rng, TASKS_1[0], spoken=False, verdicts=True)
        case "dialogs2":
            return invent_plain(rng, TASKS_2[0], spoken=True, verdicts=False)
        case "dialogs3":
            return invent_tickets(rng)
        case "dialogs4":
            return invent_coffee(rng)
        case "splits1":
            return SplitId(conversation_id="dlg-1", rest=",", ending="\n")
        case "splits3":
            return list(make_rows(invent_tickets(rng)))[3]
        case "apis3":
            return msgspec.convert(APIS["find_movies"], ApiDeclaration)
        case "reward3":
            return make_reward(invent_tickets(rng), rng)
    return invent_reward(rng)


class Case:
    """A clean record of one format, to be broken in one place."""

    def __init__(self, fmt: str, seed: int = 1) -> None:
        self.format = fmt
        self.record = invent(fmt, Random(seed))
        self.context = make_context(CORPUS_OF[fmt])

    @property
    def utterances(self) -> list[Any]:
        found: list[Any] = self.record.utterances
        return found

    def with_segments(self, count: int = 1) -> int:
        """Returns the number of an utterance with as many segments, or more."""
        return next(
            n for n, each in enumerate(self.utterances) if len(each.segments or ()) >= count
        )

    def without_segments(self) -> int:
        """Returns the number of an utterance without segments."""
        return next(n for n, each in enumerate(self.utterances) if not each.segments)

    def calling(self, name: str) -> int:
        """Returns the number of the first utterance of tickets whose first call has the name."""
        return next(
            n for n, each in enumerate(self.utterances) if each.apis and each.apis[0].name == name
        )

    def add(self, speaker: str, text: str = "Well then.") -> int:
        """Adds an utterance and returns its number."""
        number = len(self.utterances)
        rest: dict[str, Any] = {"index": number, "speaker": speaker, "text": text}
        if self.format == "dialogs4":
            rest |= {"segments": [], "annotations": []}
        self.utterances.append(type(self.utterances[0])(**rest))
        return number

    def set_context(self, *turns: dict[str, Any]) -> None:
        """Gives a reward example another context, behind a greeting."""
        assert isinstance(self.record, RewardExample)
        greeting = {"role": "agent", "text": "Hello."}
        self.record.context = json.dumps([greeting, *turns])

    def places(self) -> set[tuple[str, str]]:
        """Runs all rules and returns the code and path of every finding."""
        document = "data/flights.json" if self.format == "dialogs2" else "x.json"
        dialogue = None
        if self.format.startswith("dialogs"):
            dialogue = convert(self.record, Where(document, "$", self.format), self.context)
        rules = get_corpus(CORPUS_OF[self.format]).rules()
        mine = [rule for rule in rules if rule.format == self.format]
        examined = Examined(dialogue, self.context, document)
        found = run_rules(mine, self.record, examined, "$", None)
        return {(each.code.rpartition("-")[2], str(each.source_path)) for each in found}
