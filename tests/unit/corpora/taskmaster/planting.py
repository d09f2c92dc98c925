"""A simulated record of each format, and how to run the rules on it."""

from __future__ import annotations

import json
from copy import deepcopy
from functools import cache
from random import Random
from typing import Any

import msgspec

from commonground.checks import run_rules
from commonground.corpora import get_corpus
from commonground.corpora.taskmaster.convert import Context, convert, prepare
from commonground.corpora.taskmaster.native.dialogues import (
    CoffeeDialogue,
    PlainDialogue,
    RewardExample,
    TicketDialogue,
)
from commonground.corpora.taskmaster.native.ontology import LabelGroup
from commonground.corpora.taskmaster.native.rows import SplitId
from commonground.files.reading import SideRecord, Where
from commonground.findings import Examined
from commonground.play.scenarios.taskmaster.invention.derived import (
    make_coffee_reward,
    make_reward,
    make_rows,
)
from commonground.play.scenarios.taskmaster.invention.errands import invent_dialogue, load_errands
from commonground.play.scenarios.taskmaster.simulate import write_dialogues
from commonground.play.scenarios.taskmaster.taskmaster1.material import declare_labels
from commonground.play.scenarios.taskmaster.taskmaster3.material import load_ontology

_RECORDS: dict[str, Any] = {
    "taskmaster1": PlainDialogue,
    "taskmaster3": TicketDialogue,
    "taskmaster4": CoffeeDialogue,
}
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
        declared = declare_labels().values()
        sides += [SideRecord("ontology.json", "ontology1", "$", each) for each in declared]
    elif corpus == "taskmaster2":
        for errand in load_errands().second:
            group = LabelGroup(prefix=errand.prefix, annotations=[s.label for s in errand.slots])
            sides.append(SideRecord(f"ontology/{errand.name}.json", "ontology2", "$", group))
    elif corpus == "taskmaster3":
        ontology = deepcopy(load_ontology())
        sides.append(SideRecord("entities.json", "entities3", "$", ontology.entities["movie"]))
        sides += [SideRecord("apis.json", "apis3", "$", each) for each in ontology.apis.values()]
    return prepare(sides)


def invent(fmt: str, seed: int) -> Any:
    """Invents a clean record."""
    rng = Random(seed)
    match fmt:
        case "dialogs1" if seed % 2:
            return _write("taskmaster1", seed)
        case "dialogs1":
            return invent_dialogue(rng, load_errands().first[0], verdicts=True)
        case "dialogs2":
            return invent_dialogue(rng, load_errands().second[0], verdicts=False)
        case "dialogs3":
            return _write("taskmaster3", seed)
        case "dialogs4":
            return _write("taskmaster4", seed)
        case "splits1":
            return SplitId(conversation_id="dlg-1", rest=",", ending="\n")
        case "splits3":
            return list(make_rows(_write("taskmaster3", seed)))[3]
        case "apis3":
            return deepcopy(load_ontology().apis["find_movies"])
        case "reward3":
            return make_reward(_write("taskmaster3", seed), rng)
    return make_coffee_reward(_write("taskmaster4", seed), rng)


@cache
def _write_once(scenario: str, seed: int) -> bytes:
    return msgspec.msgpack.encode(next(write_dialogues(scenario, 1, seed)))


def _write(scenario: str, seed: int) -> Any:
    """Returns a dialogue of its own each time, since cases are broken."""
    return msgspec.msgpack.decode(_write_once(scenario, seed), type=_RECORDS[scenario])


class Case:
    """A clean record of one format, to be broken in one place."""

    def __init__(self, fmt: str, seed: int = 1) -> None:
        self.format = fmt
        self.record = invent(fmt, seed)
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
        """Gives a reward example another context, after a greeting."""
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
