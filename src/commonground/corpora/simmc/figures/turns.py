"""The user turns of SIMMC 1 whose belief states are known, from both places that give them.

The annotated dialogues give them, and so do the files of state tracking targets, which were
released for dialogues whose annotations were not. Target files name no dialogue, but their turns
stand in the order of the other files of their split: that is how the dialogue of a turn is known.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from commonground.corpora.simmc.native.simmc1 import domain_of_name, split_of_name
from commonground.corpora.simmc.native.targets import Target, TargetAct, parse_targets
from commonground.figure import Data, Row

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
    for dialogue, event, act, slots, values in _annotated_acts(data):
        pairs = [list(each) for each in zip(slots or (), values or (), strict=True)]
        acts.setdefault((dialogue, event), []).append(TargetAct(act=act, slots=pairs))
    turns: list[BeliefTurn] = []
    begun, shown = "", frozenset[str]()
    for domain, split, dialogue, event, names in _annotated_scenes(data):
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
    return target.line.count("User :") == 1
