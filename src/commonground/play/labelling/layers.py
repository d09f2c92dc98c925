"""Votes of people put together: a file of labels for each layer of a study."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

import msgspec

from commonground.play.labelling.ballots import Ballot, choose_counted, is_done, name_worker
from commonground.play.labelling.units import Unit
from commonground.store.label_files import EVENT, Label, LabelFile, find_majority


class LabelledUnit(Unit, frozen=True, kw_only=True):
    """A unit that is about an event of a corpus; votes are answers.

    Attributes:
        event: number of the event in its dialogue.
        layer: name that the labels are to have.
        of: hash of the event, by which the store finds it again; None where it is invented.
    """

    corpus: str
    dialogue_id: str
    event: int
    layer: str
    of: str | None = None
    gold: dict[str, str] | None = None
    known: dict[str, str] = msgspec.field(default_factory=dict)


def sum_up_ballots(ballots: Iterable[Ballot]) -> list[LabelFile]:
    """Puts the votes of people together, a file for each layer; of units that are done only."""
    units: dict[str, LabelledUnit] = {}
    cast: dict[str, list[Ballot]] = defaultdict(list)
    # By session, whatever order they were read in: the first votes are those that count.
    for ballot in sorted(ballots, key=lambda each: each.number):
        unit = ballot.unit
        if isinstance(unit, LabelledUnit) and unit.gold is None and not ballot.by_model:
            units.setdefault(unit.id, unit)
            cast[unit.id].append(ballot)
    layers: dict[tuple[str, str], list[str]] = defaultdict(list)
    for name, unit in units.items():
        if is_done(cast[name]):
            layers[unit.corpus, unit.layer].append(name)
    files = []
    for names in layers.values():
        first, made = units[names[0]], [_label_unit(units[name], cast[name]) for name in names]
        file = LabelFile(
            layer=first.layer,
            corpus=first.corpus,
            question=first.question,
            answers=list(first.answers),
            people=first.people,
            labels=[label for labels in made for label in labels],
            skipped=sum(not labels for labels in made),
        )
        files.append(file)
    return files


def _label_unit(unit: LabelledUnit, ballots: Sequence[Ballot]) -> list[Label]:
    """Labels the candidates of a unit; none where people skipped it."""
    chosen = choose_counted(ballots)
    # Done without as many people: it was skipped too often.
    if len(chosen) < unit.people:
        return []
    return [
        Label(
            dialogue_id=unit.dialogue_id,
            event=unit.event,
            votes=(votes := [(name_worker(each.worker), each.votes[c.id]) for each in chosen]),
            label=find_majority(votes),
            candidate=None if c.id == EVENT else c.id,
            text=c.text or None,
            of=unit.of,
        )
        for c in unit.candidates
    ]
