"""Belief states of SIMMC 1: acts, slots, and where the things are that users refer to.

The annotated dialogues give belief states, and so do the files of state tracking targets, which
were released for dialogues whose annotations were not. Target files name no dialogue, but their
turns stand in the order of the other files of their split: that is how the dialogue of a turn is
known.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence

import msgspec

from commonground.corpora.simmc.native.simmc1 import domain_of_name, split_of_name
from commonground.corpora.simmc.native.targets import Target, TargetAct, parse_targets
from commonground.figure import Data, Row
from commonground.statistics.means import bound_ratio

_ANNOTATED = """
    SELECT DISTINCT dialogue_id FROM acts WHERE corpus = $corpus AND layer = 'belief_state'
"""

Part = tuple[str | None, str | None]
"""Domain and split; None where no name says it."""


class BeliefTurn(msgspec.Struct, frozen=True, gc=False):
    """A user turn with its belief state.

    Attributes:
        domain: ``fashion`` or ``furniture``; None where no name says it.
        split: the split; None where no name says it.
        is_first: whether it begins a dialogue.
        acts: the acts of the belief state.
        visible: names of the things shown at this turn.
        shown: names of the things shown at earlier turns of the dialogue.
        action: what the assistant does then; None where the targets do not say it.
        dialogue_id: the dialogue; None where it is not imported, or no file tells which it is.
    """

    domain: str | None
    split: str | None
    is_first: bool
    acts: Sequence[TargetAct]
    visible: frozenset[str]
    shown: frozenset[str]
    action: str | None = None
    dialogue_id: str | None = None


def list_turns(data: Data) -> list[BeliefTurn]:
    """Returns all turns, those of a split's target file only where none is annotated."""
    annotated = _annotated_turns(data)
    known = {(each.domain, each.split) for each in annotated}
    return annotated + [
        each for each in _target_turns(data) if (each.domain, each.split) not in known
    ]


def _annotated_turns(data: Data) -> list[BeliefTurn]:
    acts: dict[tuple[str, int], list[TargetAct]] = {}
    # Both lists leave out the same rows, so that they are equally long.
    for dialogue, event, act, slots, values in _annotated_acts(data):
        pairs = [list(each) for each in zip(slots or (), values or (), strict=True)]
        acts.setdefault((dialogue, event), []).append(TargetAct(act=act, slots=pairs))
    turns: list[BeliefTurn] = []
    begun, shown = "", frozenset[str]()
    for domain, split, dialogue, event, names in _annotated_scenes(data):
        # Rows come dialogue by dialogue: what was shown before belongs to this one only.
        if dialogue != begun:
            shown = frozenset()
        visible = frozenset(names or ())
        found = acts.get((dialogue, event), [])
        turns.append(
            BeliefTurn(
                domain, split, dialogue != begun, found, visible, shown, dialogue_id=dialogue
            )
        )
        begun, shown = dialogue, shown | visible
    return turns


def _annotated_acts(data: Data) -> list[Row]:
    return data.rows(
        """
        SELECT dialogue_id, event, any_value(act),
               list(slot ORDER BY slot_index) FILTER (slot IS NOT NULL),
               list(coalesce(value, '') ORDER BY slot_index) FILTER (slot IS NOT NULL)
        FROM acts WHERE corpus = $corpus AND layer = 'belief_state'
        GROUP BY dialogue_id, event, act_index ORDER BY dialogue_id, event, act_index
        """
    )


def _annotated_scenes(data: Data) -> list[Row]:
    return data.rows(
        f"""
        WITH annotated AS ({_ANNOTATED}), things AS (
            SELECT dialogue_id, event, list(attributes ->> 'name')
                       FILTER (attributes ->> 'name' IS NOT NULL) AS names
            FROM displays SEMI JOIN annotated USING (dialogue_id)
            WHERE corpus = $corpus GROUP BY ALL
        ), said AS (
            SELECT dialogue_id, event FROM events SEMI JOIN annotated USING (dialogue_id)
            WHERE corpus = $corpus AND kind = 'utterance' AND speaker = 'user'
        ), about AS (
            SELECT dialogue_id, domain, split FROM dialogues WHERE corpus = $corpus
        )
        SELECT domain, split, dialogue_id, event, names
        FROM said JOIN about USING (dialogue_id) LEFT JOIN things USING (dialogue_id, event)
        ORDER BY dialogue_id, event
        """
    )


def _target_turns(data: Data) -> list[BeliefTurn]:
    """Reads one target file of each domain and split, one with actions where there is one."""
    lines: dict[str, list[str]] = {}
    # A path is ``line`` and a number. As texts, line 10 would stand before line 2.
    for file, line in data.rows(
        """
        SELECT source_file, json FROM native WHERE corpus = $corpus AND format = 'targets'
        ORDER BY source_file, TRY_CAST(substring(source_path, 6) AS INTEGER)
        """
    ):
        lines.setdefault(file, []).append(line)
    chosen: dict[Part, str] = {}
    # One file for each domain and split: that with system actions where there is one, since it has
    # all that the other has.
    for file in sorted(lines, key=lambda name: "<EOR>" not in lines[name][0]):
        chosen.setdefault(_part_of(file), file)
    orders = _list_orders(data)
    return [
        turn
        for part, file in sorted(chosen.items(), key=lambda each: each[1])
        for turn in _read_turns(lines[file], part, orders.get(part, ()))
    ]


def _part_of(file: str) -> Part:
    return domain_of_name(file), split_of_name(file.rpartition("/")[2])


def _list_orders(data: Data) -> dict[Part, list[list[str]]]:
    """Returns the imported dialogues in the order of each file that names them."""
    files: dict[str, list[str]] = {}
    for file, dialogue in data.rows(
        """
        SELECT source_file, dialogue_id
        FROM native SEMI JOIN (SELECT dialogue_id FROM dialogues WHERE corpus = $corpus)
             USING (dialogue_id)
        WHERE corpus = $corpus AND format IN ('dials', 'api_calls', 'retrieval')
        ORDER BY format, source_file,
                 TRY_CAST(regexp_extract(source_path, '\\[([0-9]+)\\]', 1) AS INTEGER)
        """
    ):
        files.setdefault(file, []).append(dialogue)
    orders: dict[Part, list[list[str]]] = {}
    for file, dialogues in files.items():
        orders.setdefault(_part_of(file), []).append(dialogues)
    return orders


def _read_turns(lines: list[str], part: Part, orders: Iterable[Sequence[str]]) -> list[BeliefTurn]:
    targets = [each.record for each in parse_targets("\n".join(lines))]
    known = [each for each in targets if isinstance(each, Target) and each.acts is not None]
    begun = sum(map(_is_first, known))
    # A file with another number of dialogues is of another choice of them.
    order = next((each for each in orders if len(each) == begun), ())
    turns = []
    place = -1
    for target in known:
        place += _is_first(target)
        turns.append(
            BeliefTurn(
                *part,
                _is_first(target),
                target.acts or (),
                frozenset(target.visible),
                frozenset(target.shown),
                target.action.act if target.action else None,
                order[place] if order and place >= 0 else None,
            )
        )
    return turns


def _is_first(target: Target) -> bool:
    # A line holds its dialogue so far: that of the first turn has one text of the user.
    return target.line.count("User :") == 1


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
    sums: dict[Key, list[list[int]]] = defaultdict(list)
    for turn in data.share(list_turns):
        found = [1, len(turn.acts), 100 * any(act.slots for act in turn.acts)]
        for key in _iterate_parts(turn):
            # Turns stand in order, those of a file that names no dialogues as well.
            if turn.is_first or not sums[key]:
                sums[key].append([0, 0, 0])
            dialogue = sums[key][-1]
            sums[key][-1] = [a + b for a, b in zip(dialogue, found, strict=True)]
    rows: list[Row] = []
    for key, dialogues in sorted(sums.items(), key=_place):
        turns, acts, slots = ([each[n] for each in dialogues] for n in range(3))
        ratios = *bound_ratio(acts, turns), *bound_ratio(slots, turns)
        rows.append([*key, len(dialogues), sum(turns), *ratios])
    return rows


def _place(item: tuple[Key, object]) -> tuple[str, int]:
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


# ``fashion-O`` and ``furniture-O`` hold things; all of their values are ``OBJECT_n``.
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
    """Counts references by whether the object is in view."""
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
