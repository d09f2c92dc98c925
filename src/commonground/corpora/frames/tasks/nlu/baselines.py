"""Simple ways to understand a user turn: its acts, slots and values.

What a turn means has two parts: stretches of the text that are values, and all the rest.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from commonground.bench.learners.labels import find_labels, train_labels
from commonground.bench.learners.linear import LinearModel, classify_linear, train_linear
from commonground.bench.learners.ngrams import count_ngrams
from commonground.bench.learners.tokens import (
    Stretch,
    Token,
    TokenModel,
    find_stretches,
    split_tokens,
    train_tokens,
)
from commonground.corpora.frames.tasks.nlu.task import PredictedAct
from commonground.files.predictions import write_lines
from commonground.method import Baseline, Baselines, Encode, TrainingSet, encode_texts
from commonground.task import Instance, Tally

# Slots that stand in an act of their own, and slots whose value is a label and not in the text.
_APART = frozenset({"intent"})
_WITHOUT_TEXT = frozenset({"intent", "action"})


class ActItem(msgspec.Struct, frozen=True, order=True):
    """An act without slots, or with one whose value is not in the text.

    Attributes:
        act: name of the act.
        slot: name of the slot; empty where it has none.
        value: its value as JSON; ``null`` where it has none.
    """

    act: str
    slot: str = ""
    value: str = "null"


class Held(msgspec.Struct, frozen=True):
    """A slot whose value is in the text.

    Attributes:
        start: first code point.
        end: the code point after the last.
        act: name of the act that has it.
        slot: its key.
    """

    start: int
    end: int
    act: str
    slot: str


class Meaning(msgspec.Struct):
    """The two parts of what a turn means."""

    held: list[Held] = []
    items: list[ActItem] = []


def divide_acts(text: str, acts: Iterable[Mapping[str, Any]]) -> Meaning:
    """Divides annotated acts; a value that is in the text more than once takes the first place."""
    found = Meaning()
    taken: set[int] = set()
    for act in acts:
        if not act["args"]:
            found.items.append(ActItem(act["name"]))
        for arg in act["args"]:
            slot, value = arg["key"], arg.get("val")
            place = None if slot in _WITHOUT_TEXT else _find_value(text, value, taken)
            if place is None:
                found.items.append(ActItem(act["name"], slot, msgspec.json.encode(value).decode()))
            else:
                taken.add(place[0])
                found.held.append(Held(*place, act["name"], slot))
    return found


def _find_value(text: str, value: Any, taken: set[int]) -> tuple[int, int] | None:
    """Returns where a value stands as words of its own; None where it does not."""
    if not isinstance(value, str) or not value:
        return None
    # Not `\b`, which asks for a letter beside it: a value such as "$500" begins with a mark.
    pattern = rf"(?<!\w){re.escape(value)}(?!\w)"
    for match in re.finditer(pattern, text, re.IGNORECASE):
        if match.start() not in taken:
            return match.span()
    return None


def join_acts(text: str, meaning: Meaning) -> list[dict[str, Any]]:
    """Joins the parts to acts, one for each name, in the form of ``acts_without_refs``.

    An intent stands in an act of its own, as annotated.
    """
    acts: dict[tuple[str, bool], list[dict[str, Any]]] = {}
    # Annotators list the slots of an act as they stand in the text.
    for held in sorted(meaning.held, key=lambda each: each.start):
        value = {"key": held.slot, "val": text[held.start : held.end]}
        acts.setdefault((held.act, False), []).append(value)
    for item in meaning.items:
        args = acts.setdefault((item.act, item.slot in _APART), [])
        if item.slot:
            args.append({"key": item.slot, "val": msgspec.json.decode(item.value)})
    return [{"name": name, "args": args} for (name, _), args in acts.items()]


def write_acts(answers: Iterable[tuple[Instance, Any]], path: Path) -> None:
    """Writes acts as JSON lines, one per turn."""
    lines = (
        {"dialogue_id": one.dialogue_id, "turn": len(one.inputs["history"]), "acts": acts}
        for one, acts in answers
    )
    write_lines(path, lines)


def _take_acts(_instance: Instance, acts: Any, tally: Tally) -> list[PredictedAct] | None:
    """Takes acts in the form of the released `acts_without_refs`; None where they have another."""
    try:
        return msgspec.convert(acts, list[PredictedAct])
    except msgspec.ValidationError as error:
        tally.add("unreadable acts", str(error))
        return None


def divide_all(instances: Sequence[Instance]) -> list[Meaning]:
    """Divides the acts of annotated turns."""
    return [divide_acts(each.inputs["text"], each.gold) for each in instances]


_LONGEST = 6  # words of a phrase that is looked up
# Of the turns with a phrase, how many must mean the same; what no stretch bears out needs more.
_SHARE_HELD, _SHARE_ITEM = 0.5, 0.7
_FEWEST_TURNS = 3


class Lexicon(msgspec.Struct, frozen=True):
    """What phrases mean; a phrase is its words in lower case with blanks between them.

    Attributes:
        held: act and slot of a phrase that is a value.
        items: what a phrase tells without being a value.
        otherwise: the act of a turn without any known phrase.
    """

    held: dict[str, tuple[str, str]]
    items: dict[str, list[ActItem]]
    otherwise: str


class _Phrase(msgspec.Struct, frozen=True):
    start: int
    end: int
    text: str


def train_lexicon(training: TrainingSet) -> Lexicon:
    """Keeps the phrases that mostly mean the same."""
    seen: Counter[str] = Counter()
    held: dict[str, Counter[tuple[str, str]]] = {}
    items: dict[str, Counter[ActItem]] = {}
    acts: Counter[str] = Counter()
    for instance, meaning in zip(training.instances, divide_all(training.instances), strict=True):
        acts.update(act["name"] for act in instance.gold)
        text = instance.inputs["text"]
        phrases = sorted({each.text for each in _list_phrases(text)})
        seen.update(phrases)
        for each in meaning.held:
            words = _join(split_tokens(text[each.start : each.end]))
            held.setdefault(words, Counter())[each.act, each.slot] += 1
        for phrase in phrases:
            items.setdefault(phrase, Counter()).update(set(meaning.items))
    return Lexicon(
        {
            phrase: found.most_common(1)[0][0]
            for phrase, found in held.items()
            if found.total() >= _SHARE_HELD * seen[phrase] and phrase in seen
        },
        _keep_items(items, seen),
        acts.most_common(1)[0][0] if acts else "inform",
    )


def _keep_items(items: dict[str, Counter[ActItem]], seen: Counter[str]) -> dict[str, list[ActItem]]:
    kept = {}
    for phrase, found in items.items():
        enough = max(_FEWEST_TURNS, _SHARE_ITEM * seen[phrase])
        mine = sorted(item for item, count in found.items() if count >= enough)
        if mine:
            kept[phrase] = mine
    return kept


def _list_phrases(text: str) -> Iterator[_Phrase]:
    """Yields the phrases of a text, longer ones first."""
    tokens = split_tokens(text)
    for size in range(min(_LONGEST, len(tokens)), 0, -1):
        for start in range(len(tokens) - size + 1):
            part = tokens[start : start + size]
            yield _Phrase(part[0].start, part[-1].end, _join(part))


def _join(tokens: Iterable[Token]) -> str:
    return " ".join(token.text.lower() for token in tokens)


def predict_lexicon(
    model: Lexicon, instances: Iterable[Instance]
) -> Iterator[list[dict[str, Any]]]:
    """Looks up the longest phrases first; a value may not share words with a longer one."""
    for instance in instances:
        text = instance.inputs["text"]
        meaning = Meaning()
        items: set[ActItem] = set()
        for phrase in _list_phrases(text):
            items.update(model.items.get(phrase.text, ()))
            known = model.held.get(phrase.text)
            if known is not None and _is_free(phrase, meaning.held):
                meaning.held.append(Held(phrase.start, phrase.end, *known))
        meaning.items = sorted(items)
        yield join_acts(text, meaning) or [{"name": model.otherwise, "args": []}]


def _is_free(phrase: _Phrase, held: Iterable[Held]) -> bool:
    return all(phrase.end <= each.start or each.end <= phrase.start for each in held)


_FEWEST = 5  # values that a slot must have had, for its stretches to be learned
_LEAST = 3  # examples that must have a feature for it to be learned
# Chosen on fold 1, learning from fold 2 to 5.
_TURN, _BEFORE = 6.0, 3.0  # lengths of the vectors of a turn and of the turn of the wizard before

Acts = list[dict[str, Any]]


class MajorityModel(msgspec.Struct, frozen=True):
    """The most frequent act of all turns, by name."""

    act: str


class NluModel(msgspec.Struct, frozen=True):
    """What was learned about turns.

    Attributes:
        slots: finds the stretches of a text that are values, and their slots.
        acts: gives the act of a slot.
        items: gives what is told without a value in the text, each item as JSON.
    """

    slots: TokenModel
    acts: LinearModel
    items: LinearModel


def train_majority(training: TrainingSet) -> MajorityModel:
    """Finds the act that is annotated most often, whatever its slots."""
    counts = Counter(act["name"] for each in training.instances for act in each.gold)
    return MajorityModel(counts.most_common(1)[0][0] if counts else "inform")


def predict_majority(model: MajorityModel, instances: Iterable[Instance]) -> Iterator[Acts]:
    """Gives every turn the same act, without slots."""
    for _instance in instances:
        yield [{"name": model.act, "args": []}]


def train_linear_nlu(training: TrainingSet, *, encodes: bool = False) -> NluModel:
    """Learns where values are, whose act a slot is of, and what is told without a value.

    With ``encodes``, vectors of turns are looked at, too.
    """
    texts = [each.inputs["text"] for each in training.instances]
    words = [_count_words(each.inputs) for each in training.instances]
    vectors = _encode_turns(training.instances, training.encode) if encodes else None
    meanings = divide_all(training.instances)
    counts = Counter(held.slot for each in meanings for held in each.held)
    kept = [[h for h in each.held if counts[h.slot] >= _FEWEST] for each in meanings]
    stretches = [[Stretch(h.start, h.end, h.slot) for h in mine] for mine in kept]
    examples, acts, turns = [], [], []
    for turn, (text, mine, known) in enumerate(zip(texts, kept, words, strict=True)):
        for each in mine:
            examples.append(_describe_slot(text, each.start, each.slot, known))
            acts.append(each.act)
            turns.append(turn)
    labels = [{msgspec.json.encode(item).decode() for item in each.items} for each in meanings]
    seed, held = training.seed, None if vectors is None else vectors[turns]
    return NluModel(
        train_tokens(texts, stretches, seed=seed, least=_LEAST),
        train_linear(examples, acts, seed=seed, least=_LEAST, vectors=held),
        train_labels(words, labels, seed=seed, least=_LEAST, fewest=_FEWEST, vectors=vectors),
    )


def _encode_turns(instances: Sequence[Instance], encode: Encode) -> NDArray[np.float32]:
    """Returns the vectors of each turn and of the turn of the wizard before it, side by side."""
    said = [str(each.inputs["text"]) for each in instances]
    before = ["\n".join(t["text"] for t in each.inputs["history"][-1:]) for each in instances]
    vectors = encode_texts([*said, *before], encode)
    sides = ((said, _TURN), (before, _BEFORE))
    parts = [length * np.stack([vectors[text] for text in side]) for side, length in sides]
    return np.concatenate(parts, axis=1, dtype=np.float32)


def _count_words(inputs: Mapping[str, Any]) -> dict[str, float]:
    """Counts n-grams of the turn, and of the turn of the wizard before it."""
    before = inputs["history"][-1:]
    found = count_ngrams(inputs["text"])
    for turn in before:
        found |= count_ngrams(turn["text"], prefix="wizard ")
    return found if before else found | {"first turn": 1.0}


def _describe_slot(
    text: str, start: int, slot: str, words: Mapping[str, float]
) -> dict[str, float]:
    """Returns what speaks for the act of a slot: its name, what is before it, and all words."""
    # About four words: what an act is told by stands right before the value ("from", "is there").
    before = count_ngrams(text[max(0, start - 25) : start], prefix="before ")
    named = {f"{slot} {name}": 1.0 for name in before}
    return {**words, **before, **named, f"slot {slot}": 1.0}


def predict_linear_nlu(
    model: NluModel, instances: Iterable[Instance], encode: Encode | None = None
) -> Iterator[Acts]:
    """Finds values, gives each its act, and adds what is told without a value.

    Args:
        model: what was learned.
        instances: instances to answer.
        encode: gives the vectors of texts, as the encoder that was learned with does; None for a
            model that learned without.
    """
    asked = list(instances)
    vectors = _encode_turns(asked, encode) if encode and asked else None
    texts = [each.inputs["text"] for each in asked]
    words = [_count_words(each.inputs) for each in asked]
    stretches = find_stretches(model.slots, texts)
    examples = [
        _describe_slot(text, each.start, each.label, known)
        for text, mine, known in zip(texts, stretches, words, strict=True)
        for each in mine
    ]
    turns = [turn for turn, mine in enumerate(stretches) for _each in mine]
    held = None if vectors is None else vectors[turns]
    acts = iter(classify_linear(model.acts, examples, held))
    labels = find_labels(model.items, words, vectors)
    for text, mine, items in zip(texts, stretches, labels, strict=True):
        # Acts were asked for all stretches of all turns at once, and come back in that order.
        values = [Held(each.start, each.end, next(acts), each.label) for each in mine]
        yield join_acts(
            text, Meaning(values, [msgspec.json.decode(i, type=ActItem) for i in items])
        )


BASELINES = Baselines(
    task="frames/nlu",
    methods=(
        Baseline(
            name="majority",
            title="The most frequent act, without slots.",
            model=MajorityModel,
            train=train_majority,
            predict=predict_majority,
        ),
        Baseline(
            name="dictionary",
            title="Phrases that mostly mean the same, the longest first.",
            model=Lexicon,
            train=train_lexicon,
            predict=predict_lexicon,
        ),
        Baseline(
            name="linear",
            title=(
                "A classifier of tokens for values and their slots, and linear models over "
                "n-grams for acts and for slots without a value in the text."
            ),
            model=NluModel,
            train=train_linear_nlu,
            predict=predict_linear_nlu,
        ),
        Baseline(
            name="encoder",
            title="As linear, with vectors of the turn and of the turn before.",
            model=NluModel,
            train=partial(train_linear_nlu, encodes=True),
            predict=predict_linear_nlu,
            encodes=True,
        ),
    ),
    write=write_acts,
    take=_take_acts,
    ending=".jsonl",
)
