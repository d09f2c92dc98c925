"""Belief states of SIMMC 1: acts, slots, and where the things are that users refer to.

The annotated dialogues give belief states, and so do the files of state tracking targets, which
were released for dialogues whose annotations were not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

import msgspec

from commonground.figure import Data, Row
from commonground.statistics.means import bound_ratio

# Acts have a row for each slot. Of a domain and split one annotation counts: that of the dialogues,
# else the targets, those with actions where there are some, since they have all that others have.
_TURNS = """
    WITH rows AS (
        SELECT dialogue_id, domain, dialogues.split, turn, kind, layer, act_index, slot_index,
               act, slot, coalesce(value, '') AS value
        FROM acts JOIN events USING (corpus, dialogue_id, event)
             JOIN dialogues USING (corpus, dialogue_id)
        WHERE corpus = $corpus AND (layer = 'belief_state' OR layer LIKE '%target')
    ), layers AS (
        SELECT domain, split, layer, bool_or(kind = 'action') AS acts_too
        FROM rows GROUP BY ALL
    ), chosen AS (
        SELECT domain, split,
               arg_min(layer, (layer <> 'belief_state', NOT acts_too, layer)) AS layer
        FROM layers GROUP BY ALL
    ), counted AS (
        SELECT rows.* FROM rows JOIN chosen
        ON rows.layer = chosen.layer AND rows.domain IS NOT DISTINCT FROM chosen.domain
           AND rows.split IS NOT DISTINCT FROM chosen.split
    ), beliefs AS (
        SELECT dialogue_id, turn, list(row(act, slots) ORDER BY act_index) AS acts
        FROM (
            SELECT dialogue_id, turn, act_index, any_value(act) AS act,
                   list([slot, value] ORDER BY slot_index) FILTER (slot IS NOT NULL) AS slots
            FROM counted WHERE kind = 'utterance' GROUP BY ALL
        )
        GROUP BY ALL
    ), actions AS (
        SELECT dialogue_id, turn, any_value(act) AS action
        FROM counted WHERE kind = 'action' GROUP BY ALL
    ), things AS (
        SELECT dialogue_id, event, list(attributes ->> 'name') AS names
        FROM displays WHERE corpus = $corpus AND attributes ->> 'name' IS NOT NULL GROUP BY ALL
    )
    SELECT domain, dialogues.split, dialogue_id, acts, names, action
    FROM events JOIN dialogues USING (corpus, dialogue_id)
         SEMI JOIN counted USING (dialogue_id)
         LEFT JOIN beliefs USING (dialogue_id, turn)
         LEFT JOIN actions USING (dialogue_id, turn)
         LEFT JOIN things USING (dialogue_id, event)
    WHERE corpus = $corpus AND kind = 'utterance' AND speaker = 'user'
    ORDER BY dialogue_id, event
"""


class BeliefAct(msgspec.Struct, frozen=True, gc=False):
    """An act of a belief state; a slot is a name and a value, which may be empty."""

    act: str
    slots: Sequence[Sequence[str]]


class BeliefTurn(msgspec.Struct, frozen=True, gc=False):
    """A user turn with its belief state.

    Attributes:
        domain: ``fashion`` or ``furniture``; None where no name says it.
        split: the split; None where no name says it.
        visible: names of the things shown at this turn.
        shown: names of the things shown at earlier turns of the dialogue.
        action: what the assistant does then; None where the targets do not say it.
    """

    domain: str | None
    split: str | None
    dialogue_id: str
    acts: Sequence[BeliefAct]
    visible: frozenset[str]
    shown: frozenset[str]
    action: str | None


def list_turns(data: Data) -> list[BeliefTurn]:
    """Returns all turns, dialogue by dialogue."""
    turns: list[BeliefTurn] = []
    begun, shown = "", frozenset[str]()
    for domain, split, dialogue, acts, names, action in data.rows(_TURNS):
        if dialogue != begun:
            begun, shown = dialogue, frozenset()
        visible = frozenset(names or ())
        listed = [BeliefAct(act, slots or ()) for act, slots in acts or ()]
        turn = BeliefTurn(domain, split, dialogue, listed, visible, shown, action)
        turns.append(turn)
        shown |= visible
    return turns


_SPLIT_ORDER = ("train", "dev", "devtest", "teststd")

Key = tuple[str, str]
Find = Callable[[BeliefTurn], Iterable[Key]]
"""Gives what a turn adds to a figure: the cells of a row, once for each time it counts there."""


def _list_dialogues(find: Find, data: Data) -> list[Row]:
    """Returns what each turn adds with the turn's dialogue."""
    turns = data.share(list_turns)
    found = ((*key, turn.dialogue_id) for turn in turns for key in find(turn))
    return list(dict.fromkeys(found))


def _count_by_domain(find: Find, data: Data, limit: int | None = None) -> list[Row]:
    """Counts what turns add by name and domain, the most frequent name first."""
    found = Counter(key for turn in data.share(list_turns) for key in find(turn))
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


def _iterate_parts(turn: BeliefTurn) -> Iterator[Key]:
    yield turn.domain or "", turn.split or ""


def compute_turns(data: Data) -> list[Row]:
    """Counts dialogues, turns, acts and turns with slots, by domain and split."""
    parts: dict[Key, dict[str, list[BeliefTurn]]] = {}
    for turn in data.share(list_turns):
        for key in _iterate_parts(turn):
            parts.setdefault(key, {}).setdefault(turn.dialogue_id, []).append(turn)
    rows: list[Row] = []
    for key in sorted(parts, key=_place):
        dialogues = parts[key].values()
        turns = [len(each) for each in dialogues]
        acts = [sum(len(turn.acts) for turn in each) for each in dialogues]
        slots = [
            100 * sum(any(act.slots for act in turn.acts) for turn in each) for each in dialogues
        ]
        ratios = *bound_ratio(acts, turns), *bound_ratio(slots, turns)
        rows.append([*key, len(dialogues), sum(turns), *ratios])
    return rows


def _place(key: Key) -> tuple[str, int]:
    domain, split = key
    return domain, _SPLIT_ORDER.index(split) if split in _SPLIT_ORDER else len(_SPLIT_ORDER)


def _iterate_acts(turn: BeliefTurn) -> Iterator[Key]:
    """Gives kind, verb and activity: ``DA:ASK:GET`` of ``DA:ASK:GET:CLOTHING.price``."""
    for act in turn.acts:
        if act.act:
            yield ":".join(act.act.partition(".")[0].split(":")[:3]), turn.domain or ""


def _iterate_slots(turn: BeliefTurn) -> Iterator[Key]:
    domain = turn.domain or ""
    for act in turn.acts:
        for name, _value in act.slots:
            yield name.removeprefix(f"{domain}-"), domain


_VISIBLE, _EARLIER, _NEVER = "visible", "shown earlier", "never shown"


# ``fashion-O`` and ``furniture-O`` hold things; all of their values are ``OBJECT_n``.
def _iterate_references(turn: BeliefTurn) -> Iterator[Key]:
    named = {
        value for act in turn.acts for name, value in act.slots if name.rpartition("-")[2] == "O"
    }
    for thing in named:
        where = _EARLIER if thing in turn.shown else _NEVER
        yield _VISIBLE if thing in turn.visible else where, turn.domain or ""


def compute_references(data: Data) -> list[Row]:
    """Counts references by whether the object is in view, those of no place as well."""
    rows = {(row[0], row[1]): row for row in _count_by_domain(_iterate_references, data)}
    domains = sorted({domain for _where, domain in rows})
    return [
        rows.get((where, domain), [where, domain, 0, 0.0])
        for where in (_VISIBLE, _EARLIER, _NEVER)
        for domain in domains
    ]


def _iterate_actions(turn: BeliefTurn) -> Iterator[Key]:
    if turn.action:
        yield turn.action, turn.domain or ""


find_turns = partial(_list_dialogues, _iterate_parts)
compute_acts = partial(_count_by_domain, _iterate_acts, limit=20)
find_acts = partial(_list_dialogues, _iterate_acts)
compute_slots = partial(_count_by_domain, _iterate_slots, limit=30)
find_slots = partial(_list_dialogues, _iterate_slots)
find_references = partial(_list_dialogues, _iterate_references)
compute_actions = partial(_count_by_domain, _iterate_actions)
find_actions = partial(_list_dialogues, _iterate_actions)
