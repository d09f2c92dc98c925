"""Belief states of SIMMC 1: acts, slots, and where the things are that users refer to."""

from __future__ import annotations

from collections import Counter, defaultdict

from commonground.corpora.simmc.figures.published import published_splits
from commonground.corpora.simmc.figures.turns import list_turns
from commonground.figure import Chart, Data, Figure, FigureColumn, Row

_ONLY = ("simmc",)
_SPLIT_ORDER = ("train", "dev", "devtest", "teststd")
_FROM = "from the annotated dialogues, else from the state tracking targets"

Key = tuple[str, str]


def _compute_turns(data: Data) -> list[Row]:
    sums: dict[Key, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for turn in data.share(list_turns):
        slots = any(act.slots for act in turn.acts)
        found = int(turn.is_first), 1, len(turn.acts), int(slots)
        key = turn.domain or "", turn.split or ""
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
    link="split:{split} domain:{domain}",
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


def _compute_acts(data: Data) -> list[Row]:
    found: Counter[Key] = Counter()
    for turn in data.share(list_turns):
        found.update((_short_act(act.act), turn.domain or "") for act in turn.acts if act.act)
    return _count_by_domain(found, 20)


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
    compute=_compute_acts,
    chart=Chart(x="act", y=("acts",), color="domain"),
    corpora=_ONLY,
)


def _compute_slots(data: Data) -> list[Row]:
    found: Counter[Key] = Counter()
    for turn in data.share(list_turns):
        domain = turn.domain or ""
        for act in turn.acts:
            found.update((name.removeprefix(f"{domain}-"), domain) for name, _value in act.slots)
    return _count_by_domain(found, 30)


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
    compute=_compute_slots,
    chart=Chart(x="slot", y=("slots",), color="domain"),
    corpora=_ONLY,
)

_VISIBLE, _EARLIER, _NEVER = "visible", "shown earlier", "never shown"


def _compute_references(data: Data) -> list[Row]:
    found: Counter[Key] = Counter()
    for turn in data.share(list_turns):
        named = {
            value
            for act in turn.acts
            for name, value in act.slots
            if name.rpartition("-")[2] == "O"
        }
        for thing in named:
            where = _EARLIER if thing in turn.shown else _NEVER
            found[turn.domain or "", _VISIBLE if thing in turn.visible else where] += 1
    domains = sorted({domain for domain, _where in found})
    sums = {d: sum(count for (domain, _), count in found.items() if domain == d) for d in domains}
    return [
        [where, domain, found[domain, where], 100 * found[domain, where] / sums[domain]]
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
    corpora=_ONLY,
)


def _compute_target_actions(data: Data) -> list[Row]:
    found: Counter[Key] = Counter(
        (turn.action, turn.domain or "") for turn in data.share(list_turns) if turn.action
    )
    return _count_by_domain(found)


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
    compute=_compute_target_actions,
    chart=Chart(x="action", y=("turns",), color="domain"),
    corpora=_ONLY,
)

BELIEFS_FIGURES = (TURNS, ACTS, SLOTS, REFERENCES, TARGET_ACTIONS)
