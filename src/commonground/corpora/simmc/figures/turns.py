"""The user turns of SIMMC 1 whose belief states are known, from both places that give them.

The annotated dialogues give them, and so do the files of state tracking targets, which were
released for dialogues whose annotations were not.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from commonground.corpora.simmc.native import domain_of_name, split_of_name
from commonground.corpora.simmc.targets import Target, TargetAct, parse_targets
from commonground.figure import Data, Row

_ANNOTATED = """
    SELECT DISTINCT dialogue_id FROM acts WHERE corpus = $corpus AND layer = 'belief_state'
"""


class BeliefTurn(msgspec.Struct, frozen=True, gc=False):
    """A user turn with its belief state.

    Attributes:
        domain: ``fashion`` or ``furniture``; null where no name says it.
        split: the split; null where no name says it.
        is_first: whether it begins a dialogue.
        acts: the acts of the belief state.
        visible: names of the things shown at this turn.
        shown: names of the things shown at earlier turns of the dialogue.
        action: what the assistant does then; null where the targets do not say it.
    """

    domain: str | None
    split: str | None
    is_first: bool
    acts: Sequence[TargetAct]
    visible: frozenset[str]
    shown: frozenset[str]
    action: str | None = None


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
        turns.append(BeliefTurn(domain, split, dialogue != begun, found, visible, shown))
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
            SELECT dialogue_id, event, list(attributes ->> 'name') AS names
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
    chosen: dict[tuple[str | None, str | None], str] = {}
    for file in sorted(lines, key=lambda name: "<EOR>" not in lines[name][0]):
        base = file.rpartition("/")[2]
        chosen.setdefault((domain_of_name(file), split_of_name(base)), file)
    return [
        turn
        for (domain, split), file in sorted(chosen.items(), key=lambda each: each[1])
        for turn in _read_turns(lines[file], domain, split)
    ]


def _read_turns(lines: list[str], domain: str | None, split: str | None) -> list[BeliefTurn]:
    turns = []
    for each in parse_targets("\n".join(lines).encode()):
        target = each.record
        if not isinstance(target, Target) or target.acts is None:
            continue
        turns.append(
            BeliefTurn(
                domain,
                split,
                target.line.count("User :") == 1,
                target.acts,
                frozenset(target.visible),
                frozenset(target.shown),
                target.action.act if target.action else None,
            )
        )
    return turns
