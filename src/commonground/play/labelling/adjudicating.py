"""Adjudication: units on which people differ, what was decided of them, and what that changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime

import msgspec

from commonground.play.labelling.ballots import Ballot, choose_counted, is_done, name_worker
from commonground.statistics.agreement import compute_alpha
from commonground.store.label_files import Decision, LabelFile, find_label, find_majority

SUFFIX = "-adjudicated"
"""What the name of a layer ends in that has decisions in place of the votes they are about."""


class Decided(msgspec.Struct, frozen=True):
    """What somebody decided of one candidate of a unit.

    Attributes:
        unit, candidate: their ids.
        by: who decided, as they named themselves.
        at_us: when, in Unix microseconds.
        note: why; empty where nothing was written.
    """

    unit: str
    candidate: str
    answer: str
    by: str
    at_us: int
    note: str = ""

    def to_decision(self) -> Decision:
        """Returns it as files of labels have it."""
        at = datetime.fromtimestamp(self.at_us / 1e6, UTC).isoformat(timespec="seconds")
        return Decision(self.answer, self.by, at, self.note)


class CastVote(msgspec.Struct, frozen=True):
    """A vote on one candidate.

    Attributes:
        who: pseudonym of the person.
        session: number of the session in which it was, from 0.
    """

    who: str
    answer: str
    session: int


Cast = dict[str, list[CastVote]]
"""The votes on a unit, by candidate."""


def gather_votes(ballots: Iterable[Ballot]) -> Cast:
    """Returns the votes of a unit that has all its votes; nothing of one that has not.

    Args:
        ballots: all of the unit; those of models, and units with known answers, are left out.
    """
    people = [each for each in ballots if not each.by_model and each.unit.gold is None]
    if not people or not is_done(people):
        return {}
    cast: Cast = {}
    for ballot in choose_counted(people):
        for candidate, vote in ballot.votes.items():
            # Some scenarios count yes as 1 and no as 0.
            answer = vote if isinstance(vote, str) else "yes" if vote else "no"
            made = CastVote(name_worker(ballot.worker), answer, ballot.number)
            cast.setdefault(candidate, []).append(made)
    return cast


def is_disputed(votes: Sequence[CastVote]) -> bool:
    """Says whether people differ in what they answered."""
    return len({each.answer for each in votes}) > 1


class Agreement(msgspec.Struct, frozen=True):
    """How far votes agree with the labels that they, or a decision, make.

    Attributes:
        labels: candidates that have all their votes.
        decided: those that have a label.
        agreeing: share of the votes that are the label; None where there is none.
    """

    labels: int
    decided: int
    agreeing: float | None


class Adjudication(msgspec.Struct, frozen=True):
    """How far people agreed, and what decisions made of it.

    Attributes:
        alpha: Krippendorff's alpha of the votes; None where nothing could differ.
        disputed: candidates on which people differ.
        settled: those of them that were decided.
        upheld: decisions for what most people said.
        before: with what most people say.
        after: with what was decided in its place.
    """

    alpha: float | None
    disputed: int
    settled: int
    upheld: int
    before: Agreement
    after: Agreement


def measure(cast: Mapping[str, Cast], decisions: Mapping[tuple[str, str], Decided]) -> Adjudication:
    """Measures agreement before and after decisions.

    Args:
        cast: the votes, by id of the unit.
        decisions: by unit and candidate.
    """
    items = [(unit, name, votes) for unit, each in cast.items() for name, votes in each.items()]
    before = {
        (unit, name): find_majority([(each.who, each.answer) for each in votes])
        for unit, name, votes in items
    }
    chosen = {key: decisions[key].answer for key in before if key in decisions}
    after = before | chosen
    disputed = [(unit, name) for unit, name, votes in items if is_disputed(votes)]
    return Adjudication(
        alpha=compute_alpha([tuple(vote.answer for vote in votes) for _, _, votes in items]),
        disputed=len(disputed),
        settled=sum(key in decisions for key in disputed),
        upheld=sum(before[key] == answer for key, answer in chosen.items()),
        before=_agree(items, before),
        after=_agree(items, after),
    )


def _agree(
    items: Sequence[tuple[str, str, Sequence[CastVote]]],
    labels: Mapping[tuple[str, str], str | None],
) -> Agreement:
    counts = Counter[bool]()
    for unit, name, votes in items:
        label = labels[unit, name]
        if label is not None:
            counts.update(each.answer == label for each in votes)
    return Agreement(
        labels=len(items),
        decided=sum(each is not None for each in labels.values()),
        agreeing=counts[True] / counts.total() if counts else None,
    )


def adjudicate(
    file: LabelFile, decisions: Mapping[tuple[str, str], Decided], event: str
) -> Iterator[LabelFile]:
    """Yields a layer again with what was decided; nothing where nothing was.

    Args:
        file: the layer, whose labels are what most people say.
        decisions: by unit, which is ``DIALOGUE:EVENT``, and candidate.
        event: id of the candidate that is the event itself.
    """
    made = []
    for label in file.labels:
        key = (f"{label.dialogue_id}:{label.event}", label.candidate or event)
        decided = decisions.get(key)
        if decided is not None:
            label = msgspec.structs.replace(label, decision=decided.to_decision())
            label = msgspec.structs.replace(label, label=find_label(label))
        made.append(label)
    if any(each.decision is not None for each in made):
        yield msgspec.structs.replace(file, layer=file.layer + SUFFIX, labels=made)
