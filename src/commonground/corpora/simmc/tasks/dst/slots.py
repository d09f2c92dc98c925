"""The slots of an act: which objects it is about, and which of the user's words are values.

What a slot could be filled with is judged for each act of a turn by itself. Values are runs of
words that were values before, in the act's own sentence more likely than in others.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from commonground.bench.learners.ranking import Judge, Ranker, train_ranker
from commonground.bench.learners.tokens import split_tokens
from commonground.bench.metrics.simmc_dst import BeliefFrame
from commonground.corpora.simmc.tasks.dst.acts import Possible, split_sentences
from commonground.task import Instance

OBJECT = "O"
"""Slot that names an object in view or seen before."""

# Chosen on a quarter of the dialogues of fashion's dev, learning from the others.
_LIKELY = 0.4  # probability from which a slot is filled
_OTHER = 0.3  # weight of what is likely if the act is another one; by three folds of fashion's dev
_STRENGTH = 0.3
_LEAST = 2  # times that a feature must occur to be learned
_LONGEST = 5  # words of a value that is looked for in the text
_LATE = 3  # later turns count as this one

# `OBJECT_2 : pos left color ['Red'] class_name Sofas` in the scene of a target line.
_THING = re.compile(r"(OBJECT_\d{1,9}) : (?:pos (\w+))?(.*?)(?=OBJECT_\d{1,9} : |<EOM>|$)")
_LISTED = re.compile(r"'([^']+)'")


class StateTurn(msgspec.Struct, frozen=True):
    """What is known at a turn of what is and was in view.

    Attributes:
        sentences: of the user's words.
        turn: number of the turn in its dialogue, from 0.
        view: what is in view, by name, with its place.
        before: what was in view at the turn before.
        seen: what was in view at any turn before, the newest last.
        looks: words that describe what is or was in view, such as its colours, by name.
        focus: the object that the image in focus showed when it was last in view; None where no
            object is known to be in focus.
        moved: whether the image in focus was not in focus before.
    """

    inputs: Mapping[str, Any]
    sentences: list[str]
    turn: int
    view: dict[str, str]
    before: dict[str, str]
    seen: list[str]
    looks: dict[str, frozenset[str]]
    focus: str | None
    moved: bool


class Filler(msgspec.Struct, frozen=True):
    """A slot with a value that it could have, and what speaks for it besides the act."""

    slot: str
    value: str
    facts: list[str]


class SlotModel(msgspec.Struct, frozen=True):
    """What was learned of slots.

    Attributes:
        values: slots by the values, in lower case, that they were seen with.
        looks: words that describe objects.
        ranker: judges a filler for an act.
    """

    values: dict[str, list[str]]
    looks: list[str]
    ranker: Ranker


def walk_turns(instances: Iterable[Instance]) -> Iterator[StateTurn]:
    """Yields turns with what was seen before; those of a dialogue must come in order."""
    dialogue, turn = "", 0
    before, seen = dict[str, str](), list[str]()
    looks, shown = dict[str, frozenset[str]](), dict[Any, str | None]()
    for each in instances:
        if each.dialogue_id != dialogue:
            dialogue, turn, before, seen, looks, shown = each.dialogue_id, 0, {}, [], {}, {}
        described = _read_view(each.inputs)
        view = {name: place for name, (place, _looks) in described.items()}
        looks = looks | {name: found for name, (_place, found) in described.items()}
        image = each.inputs.get("focus_image")
        moved = image is not None and image not in shown
        focused = [name for name, place in view.items() if place == "focus"]
        if image is not None:
            shown[image] = focused[0] if focused else shown.get(image)
        yield StateTurn(
            inputs=each.inputs,
            sentences=split_sentences(str(each.inputs.get("transcript") or "")),
            turn=turn,
            view=view,
            before=before,
            seen=seen,
            looks=looks,
            focus=shown.get(image),
            moved=moved,
        )
        before, turn = view, turn + 1
        seen = [name for name in seen if name not in view] + list(view)


def _read_view(inputs: Mapping[str, Any]) -> dict[str, tuple[str, frozenset[str]]]:
    """Returns the place of each object in view, and the words that describe it."""
    if "context" in inputs:
        context = inputs["context"]
        start = context.rfind("<SOM>")
        scene = context[start:] if start >= 0 else ""
        return {
            name: (place or "", frozenset(map(str.lower, _LISTED.findall(rest))))
            for name, place, rest in _THING.findall(scene)
        }
    things = inputs.get("visual_objects") or {}
    return {
        name: (str(thing.get("pos", "")), _list_looks(thing))
        for name, thing in things.items()
        if isinstance(thing, dict)
    }


def _list_looks(thing: Mapping[str, Any]) -> frozenset[str]:
    listed = [value for value in thing.values() if isinstance(value, list)]
    return frozenset(str(one).lower() for value in listed for one in value)


def describe_view(turn: StateTurn) -> list[str]:
    """Returns what is in view, for choosing acts."""
    places = " ".join(sorted(turn.view.values()))
    return [f"view {places}", f"view of {len(turn.view)}"]


def list_fillers(
    turn: StateTurn,
    sentence: int | None,
    values: Mapping[str, Sequence[str]],
    looks: Iterable[str] = (),
) -> list[Filler]:
    """Returns what the slots of an act in a sentence, None if unknown, could be filled with.

    ``values`` and ``looks`` are as in :class:`SlotModel`.
    """
    found: dict[tuple[str, str], list[str]] = {}
    for each in [
        *_list_objects(turn, sentence, frozenset(looks)),
        *_list_words(turn, sentence, values),
    ]:
        facts = found.setdefault((each.slot, each.value), [])
        facts += [fact for fact in each.facts if fact not in facts]
    return [Filler(slot, value, facts) for (slot, value), facts in found.items()]


def _list_objects(turn: StateTurn, sentence: int | None, looks: frozenset[str]) -> Iterator[Filler]:
    """Yields all objects up to the highest number that was seen, and one more."""
    names = [*turn.seen, *turn.view]
    numbers = [int(name.partition("_")[2]) for name in names]
    highest = max(numbers, default=-1)
    words = _lower(" ".join(turn.sentences))
    own = _lower(turn.sentences[sentence]) if sentence is not None else words
    # One more, for an object that comes into view only by the answer.
    for number in range(highest + 2):
        name = f"OBJECT_{number}"
        status = _find_status(turn, name, is_new=number > highest)
        focus = "nothing" if turn.focus is None else "this" if turn.focus == name else "other"
        facts = _describe_object(turn, name, status, focus, looks & own, looks & words)
        facts.append(f"{status} {'first' if number == 0 else highest - number}")
        crossed = [f"{status} {focus}: {word}" for word in sorted(words)]
        crossed += [f"{status} own {word}" for word in sorted(own)]
        yield Filler(OBJECT, name, [*facts, *crossed])


def _lower(text: str) -> set[str]:
    return {token.text.lower() for token in split_tokens(text)}


def _find_status(turn: StateTurn, name: str, *, is_new: bool) -> str:
    if name in turn.view:
        return "in view"
    if name in turn.before:
        return "before"
    if is_new:
        return "new"
    return "seen" if name in turn.seen else "unseen"


def _describe_object(
    turn: StateTurn, name: str, status: str, focus: str, own: frozenset[str], said: frozenset[str]
) -> list[str]:
    """Returns what is known of an object.

    Args:
        status: where it is.
        focus: whether it is in focus.
        own: words of the act's sentence that describe objects.
        said: such words of the whole turn.
    """
    size, mine = len(turn.view), turn.looks.get(name, frozenset())
    place = turn.view.get(name) or turn.before.get(name)
    alike, alike_all = _compare(mine, own), _compare(mine, said)
    facts = [
        status,
        f"{status} of {size}",
        f"{status} at {place} of {size}",
        f"{status} focus {focus} of {size}",
        f"{status} focus {focus} moved {turn.moved} of {size}",
        f"{status} focus {focus} turn {min(turn.turn, _LATE)}",
        f"{status} looks {alike}",
        f"{status} looks in all {alike_all}",
        f"focus {focus} looks {alike}",
        name,
    ]
    newest = [each for each in turn.seen if each not in turn.view][-1:]
    return [*facts, f"newest of {size}", f"newest focus {focus}"] if newest == [name] else facts


def _compare(looks: frozenset[str], said: frozenset[str]) -> str:
    """Returns how the words that describe an object agree with those that were said."""
    if not said:
        return "unsaid"
    if not looks:
        return "unknown"
    return "alike" if looks & said else "different"


def _list_words(
    turn: StateTurn, sentence: int | None, values: Mapping[str, Sequence[str]]
) -> Iterator[Filler]:
    """Yields runs of words that a slot was seen with."""
    for number, text in enumerate(turn.sentences):
        whose = "" if sentence is None else "own " if number == sentence else "other "
        tokens = split_tokens(text)
        # Two empty words at each end, so that every run has neighbours; word n is at n + 2.
        lower = ["", "", *(token.text.lower() for token in tokens), "", ""]
        taken = -1
        for start in range(len(tokens)):
            # The longest first, so that shorter ones within it are known to be parts of it.
            for size in range(min(_LONGEST, len(tokens) - start), 0, -1):
                value = text[tokens[start].start : tokens[start + size - 1].end]
                slots = values.get(value.lower(), ())
                inside = "inside" if start + size <= taken else "alone"
                left, right = lower[start : start + 2], lower[start + size + 2 : start + size + 4]
                facts = [
                    whose,
                    f"= {value.lower()}",
                    f"{whose}= {value.lower()}",
                    f"{whose}{inside}",
                    f"after {left[1]}",
                    f"{whose}after {left[1]}",
                    f"after {' '.join(left)}",
                    f"before {right[0]}",
                    f"before {' '.join(right)}",
                    f"{whose}before the end {lower[-3]}",
                    f"capital {value[0].isupper()}",
                ]
                for slot in slots:
                    yield Filler(slot, value, facts)
                if slots:
                    taken = max(taken, start + size)


def describe_filler(filler: Filler, acts: Sequence[str], place: int) -> dict[str, float]:
    """Returns features of a filler for the act at a place among the acts of its turn, in order."""
    slot, act = filler.slot, acts[place]
    # Without the attribute that it is about, an act is one of a few.
    about = [act, act.partition(".")[0], f"{place}/{len(acts)}"]
    last = acts[place - 1] if place else "-"
    following = acts[place + 1] if place + 1 < len(acts) else "-"
    names = [slot, *(f"{slot} {each}" for each in about)]
    names += [f"{slot} after {last}", f"{slot} before {following}"]
    for fact in filler.facts:
        names += [f"{slot} {fact}", *(f"{slot} {fact} {each}" for each in about)]
    return dict.fromkeys(names, 1.0)


def train_slots(
    turns: Sequence[StateTurn],
    frames: Sequence[Sequence[BeliefFrame]],
    sentences: Sequence[Sequence[int]],
) -> SlotModel:
    """Learns slots; ``sentences`` has the sentence of each frame of each turn.

    Raises:
        NothingToLearnError: there is nothing to learn from.
    """
    values = _collect_values(frame for each in frames for frame in each)
    looks = sorted({word for turn in turns for found in turn.looks.values() for word in found})
    known = zip(turns, frames, sentences, strict=True)
    ranker = train_ranker(
        (choice for each in known for choice in _list_choices(*each, values, looks)),
        single=False,
        strength=_STRENGTH,
        least=_LEAST,
    )
    return SlotModel(values, looks, ranker)


def _collect_values(frames: Iterable[BeliefFrame]) -> dict[str, list[str]]:
    found: dict[str, set[str]] = {}
    for slot, value in (pair for frame in frames for pair in frame.slots):
        if slot != OBJECT:
            found.setdefault(value.lower(), set()).add(slot)
    return {value: sorted(slots) for value, slots in sorted(found.items())}


def _list_choices(
    turn: StateTurn,
    frames: Sequence[BeliefFrame],
    sentences: Sequence[int],
    values: Mapping[str, Sequence[str]],
    looks: Sequence[str],
) -> Iterator[tuple[list[dict[str, float]], list[int]]]:
    """Yields the fillers of each act with the places of the right ones."""
    acts = [frame.act or "" for frame in frames]
    for place, (frame, sentence) in enumerate(zip(frames, sentences, strict=True)):
        fillers = list_fillers(turn, sentence, values, looks)
        group = [describe_filler(each, acts, place) for each in fillers]
        yield group, [i for i, one in enumerate(fillers) if (one.slot, one.value) in frame.slots]


def fill_slots(
    model: SlotModel, judge: Judge, turn: StateTurn, possible: Sequence[Possible]
) -> list[BeliefFrame]:
    """Returns the acts of a turn with the slots that are likely, whatever its acts are.

    ``judge`` is of the model's ranker. The first of the possible acts are those that are returned.
    """
    chosen = possible[0].acts
    scores = [defaultdict[tuple[str, str], float](float) for _act in chosen]
    weights = [0.0 for _act in chosen]
    for one in possible:
        for place, sentence in enumerate(one.sentences[: len(chosen)]):
            weight = one.share * (1.0 if one.acts[place] == chosen[place] else _OTHER)
            weights[place] += weight
            fillers = list_fillers(turn, sentence, model.values, model.looks)
            found = judge.score([describe_filler(each, one.acts, place) for each in fillers])
            for each, score in zip(fillers, found, strict=True):
                scores[place][each.slot, each.value] += weight * score
    return [
        BeliefFrame(act, tuple(pair for pair, score in mine.items() if score > _LIKELY * weight))
        for act, mine, weight in zip(chosen, scores, weights, strict=True)
    ]
