"""Belief states of SIMMC 1: acts, slots, and where the things are that users refer to."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator

from commonground.corpora.simmc.figures.published import published_splits
from commonground.corpora.simmc.figures.turns import BeliefTurn, list_turns
from commonground.figure import Behind, Chart, Data, Figure, FigureColumn, Row

_ONLY = ("simmc",)
_SPLIT_ORDER = ("train", "dev", "devtest", "teststd")
_FROM = "from the annotated dialogues, else from the state tracking targets"

Key = tuple[str, str]
Find = Callable[[BeliefTurn], Iterable[Key]]
"""Gives what a turn adds to a figure: the cells of a row, once for each time it counts there."""


def _count(data: Data, find: Find) -> Counter[Key]:
    return Counter(key for turn in data.share(list_turns) for key in find(turn))


def _behind(find: Find, *keys: str) -> Behind:
    def list_dialogues(data: Data) -> list[Row]:
        found = (
            (*key, turn.dialogue_id)
            for turn in data.share(list_turns)
            if turn.dialogue_id is not None
            for key in find(turn)
        )
        return list(dict.fromkeys(found))

    return Behind(keys=keys, compute=list_dialogues, partial=True)


def _find_part(turn: BeliefTurn) -> Iterator[Key]:
    yield turn.domain or "", turn.split or ""


def _compute_turns(data: Data) -> list[Row]:
    sums: dict[Key, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for turn in data.share(list_turns):
        slots = any(act.slots for act in turn.acts)
        found = int(turn.is_first), 1, len(turn.acts), int(slots)
        for key in _find_part(turn):
            sums[key] = [a + b for a, b in zip(sums[key], found, strict=True)]
    return [
        [*key, dialogues, turns, acts / turns, 100 * slots / turns]
        for key, (dialogues, turns, acts, slots) in sorted(sums.items(), key=_place)
    ]


def _place(item: tuple[Key, list[int]]) -> tuple[str, int]:
    domain, split = item[0]
    return domain, _SPLIT_ORDER.index(split) if split in _SPLIT_ORDER else len(_SPLIT_ORDER)


TURNS = Figure(
    name="belief-turns",
    title="Turns with a belief state",
    caption=f"Dialogues and turns whose belief states are known, {_FROM}.",
    columns=(
        FigureColumn("domain", "domain"),
        FigureColumn("split", "split"),
        FigureColumn("dialogues", "dialogues"),
        FigureColumn("turns", "turns"),
        FigureColumn("acts", "acts of a turn", "", 2),
        FigureColumn("slots", "turns with a slot", "%", 2),
    ),
    compute=_compute_turns,
    chart=Chart(x="split", y=("turns", "acts", "slots"), color="domain"),
    behind=_behind(_find_part, "domain", "split"),
    published=tuple(published_splits(["dev", "devtest"], "dialogues with belief states")),
    corpora=_ONLY,
)


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


def _find_acts(turn: BeliefTurn) -> Iterator[Key]:
    for act in turn.acts:
        if act.act:
            yield _short_act(act.act), turn.domain or ""


def _short_act(act: str) -> str:
    """Returns kind, verb and activity: ``DA:ASK:GET`` of ``DA:ASK:GET:CLOTHING.price``."""
    return ":".join(act.partition(".")[0].split(":")[:3])


ACTS = Figure(
    name="belief-acts",
    title="Acts of belief states",
    caption=(
        "The twenty most frequent acts by kind, verb and activity, whatever they are about; "
        f"{_FROM}."
    ),
    columns=(
        FigureColumn("act", "act"),
        FigureColumn("domain", "domain"),
        FigureColumn("acts", "acts"),
        FigureColumn("share", "share of the domain's acts", "%", 2),
    ),
    compute=lambda data: _count_by_domain(_count(data, _find_acts), 20),
    chart=Chart(x="act", y=("acts",), color="domain"),
    behind=_behind(_find_acts, "act", "domain"),
    corpora=_ONLY,
)


def _find_slots(turn: BeliefTurn) -> Iterator[Key]:
    domain = turn.domain or ""
    for act in turn.acts:
        for name, _value in act.slots:
            yield name.removeprefix(f"{domain}-"), domain


SLOTS = Figure(
    name="belief-slots",
    title="Slots of belief states",
    caption=f"The thirty most frequent slots; O is a thing that is referred to; {_FROM}.",
    columns=(
        FigureColumn("slot", "slot"),
        FigureColumn("domain", "domain"),
        FigureColumn("slots", "slots"),
        FigureColumn("share", "share of the domain's slots", "%", 2),
    ),
    compute=lambda data: _count_by_domain(_count(data, _find_slots), 30),
    chart=Chart(x="slot", y=("slots",), color="domain"),
    behind=_behind(_find_slots, "slot", "domain"),
    corpora=_ONLY,
)

_VISIBLE, _EARLIER, _NEVER = "visible", "shown earlier", "never shown"


def _find_references(turn: BeliefTurn) -> Iterator[Key]:
    named = {
        value for act in turn.acts for name, value in act.slots if name.rpartition("-")[2] == "O"
    }
    for thing in named:
        where = _EARLIER if thing in turn.shown else _NEVER
        yield _VISIBLE if thing in turn.visible else where, turn.domain or ""


def _compute_references(data: Data) -> list[Row]:
    found = _count(data, _find_references)
    domains = sorted({domain for _where, domain in found})
    sums = {d: sum(count for (_, domain), count in found.items() if domain == d) for d in domains}
    return [
        [where, domain, found[where, domain], 100 * found[where, domain] / sums[domain]]
        for where in (_VISIBLE, _EARLIER, _NEVER)
        for domain in domains
    ]


REFERENCES = Figure(
    name="references",
    title="Where the things are that users refer to",
    caption=(
        "References of belief states by whether the thing is in view at that turn, was at an "
        f"earlier one, or never; a thing counts once a turn; {_FROM}."
    ),
    columns=(
        FigureColumn("where", "the thing is"),
        FigureColumn("domain", "domain"),
        FigureColumn("references", "references"),
        FigureColumn("share", "share of the domain's references", "%", 2),
    ),
    compute=_compute_references,
    chart=Chart(x="where", y=("share",), color="domain"),
    behind=_behind(_find_references, "where", "domain"),
    corpora=_ONLY,
)


def _find_action(turn: BeliefTurn) -> Iterator[Key]:
    if turn.action:
        yield turn.action, turn.domain or ""


TARGET_ACTIONS = Figure(
    name="target-actions",
    title="Actions of the target files",
    caption="Turns by the action that the files of action prediction targets give.",
    columns=(
        FigureColumn("action", "action"),
        FigureColumn("domain", "domain"),
        FigureColumn("turns", "turns"),
        FigureColumn("share", "share of the domain's turns", "%", 2),
    ),
    compute=lambda data: _count_by_domain(_count(data, _find_action)),
    chart=Chart(x="action", y=("turns",), color="domain"),
    behind=_behind(_find_action, "action", "domain"),
    corpora=_ONLY,
)

BELIEFS_FIGURES = (TURNS, ACTS, SLOTS, REFERENCES, TARGET_ACTIONS)
