"""Belief states of SIMMC 1: acts, slots, and where the things are that users refer to."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator

from commonground.corpora.simmc.figures.turns import BeliefTurn, list_turns
from commonground.figure import Data, Row

_SPLIT_ORDER = ("train", "dev", "devtest", "teststd")

Key = tuple[str, str]
Find = Callable[[BeliefTurn], Iterable[Key]]
"""Gives what a turn adds to a figure: the cells of a row, once for each time it counts there."""


def _count(data: Data, find: Find) -> Counter[Key]:
    return Counter(key for turn in data.share(list_turns) for key in find(turn))


def _list_dialogues(data: Data, find: Find) -> list[Row]:
    """Returns what each turn adds with the turn's dialogue, where that is known."""
    found = (
        (*key, turn.dialogue_id)
        for turn in data.share(list_turns)
        if turn.dialogue_id is not None
        for key in find(turn)
    )
    return list(dict.fromkeys(found))


def _iterate_parts(turn: BeliefTurn) -> Iterator[Key]:
    yield turn.domain or "", turn.split or ""


def find_turns(data: Data) -> list[Row]:
    """Gives the dialogues of each domain and split."""
    return _list_dialogues(data, _iterate_parts)


def compute_turns(data: Data) -> list[Row]:
    """Counts dialogues, turns, acts and turns with slots, by domain and split."""
    sums: dict[Key, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for turn in data.share(list_turns):
        slots = any(act.slots for act in turn.acts)
        found = int(turn.is_first), 1, len(turn.acts), int(slots)
        for key in _iterate_parts(turn):
            sums[key] = [a + b for a, b in zip(sums[key], found, strict=True)]
    return [
        [*key, dialogues, turns, acts / turns, 100 * slots / turns]
        for key, (dialogues, turns, acts, slots) in sorted(sums.items(), key=_place)
    ]


def _place(item: tuple[Key, list[int]]) -> tuple[str, int]:
    domain, split = item[0]
    return domain, _SPLIT_ORDER.index(split) if split in _SPLIT_ORDER else len(_SPLIT_ORDER)


def _count_by_domain(found: Counter[Key], limit: int | None = None) -> list[Row]:
    """Turns counts by name and domain into rows, the most frequent name first."""
    totals: Counter[str] = Counter()
    domains: Counter[str] = Counter()
    for (name, domain), count in found.items():
        totals[name] += count
        domains[domain] += count
    order = sorted(totals, key=lambda name: (-totals[name], name))[:limit]
    return [
        [name, domain, found[name, domain], 100 * found[name, domain] / domains[domain]]
        for name in order
        for domain in sorted(domains)
        if found[name, domain]
    ]


def _iterate_acts(turn: BeliefTurn) -> Iterator[Key]:
    for act in turn.acts:
        if act.act:
            yield _short_act(act.act), turn.domain or ""


def compute_acts(data: Data) -> list[Row]:
    """Counts the twenty most frequent acts."""
    return _count_by_domain(_count(data, _iterate_acts), 20)


def find_acts(data: Data) -> list[Row]:
    """Gives the dialogues of each act."""
    return _list_dialogues(data, _iterate_acts)


def _short_act(act: str) -> str:
    """Returns kind, verb and activity: ``DA:ASK:GET`` of ``DA:ASK:GET:CLOTHING.price``."""
    return ":".join(act.partition(".")[0].split(":")[:3])


def _iterate_slots(turn: BeliefTurn) -> Iterator[Key]:
    domain = turn.domain or ""
    for act in turn.acts:
        for name, _value in act.slots:
            yield name.removeprefix(f"{domain}-"), domain


def compute_slots(data: Data) -> list[Row]:
    """Counts the thirty most frequent slots."""
    return _count_by_domain(_count(data, _iterate_slots), 30)


def find_slots(data: Data) -> list[Row]:
    """Gives the dialogues of each slot."""
    return _list_dialogues(data, _iterate_slots)


_VISIBLE, _EARLIER, _NEVER = "visible", "shown earlier", "never shown"


def _iterate_references(turn: BeliefTurn) -> Iterator[Key]:
    named = {
        value for act in turn.acts for name, value in act.slots if name.rpartition("-")[2] == "O"
    }
    for thing in named:
        where = _EARLIER if thing in turn.shown else _NEVER
        yield _VISIBLE if thing in turn.visible else where, turn.domain or ""


def find_references(data: Data) -> list[Row]:
    """Gives the dialogues that refer to things in each place."""
    return _list_dialogues(data, _iterate_references)


def compute_references(data: Data) -> list[Row]:
    """Counts references by whether the thing is in view."""
    found = _count(data, _iterate_references)
    domains = sorted({domain for _where, domain in found})
    sums = {d: sum(count for (_, domain), count in found.items() if domain == d) for d in domains}
    return [
        [where, domain, found[where, domain], 100 * found[where, domain] / sums[domain]]
        for where in (_VISIBLE, _EARLIER, _NEVER)
        for domain in domains
    ]


def _iterate_actions(turn: BeliefTurn) -> Iterator[Key]:
    if turn.action:
        yield turn.action, turn.domain or ""


def compute_actions(data: Data) -> list[Row]:
    """Counts the actions of the target files."""
    return _count_by_domain(_count(data, _iterate_actions))


def find_actions(data: Data) -> list[Row]:
    """Gives the dialogues of each action of the target files."""
    return _list_dialogues(data, _iterate_actions)
