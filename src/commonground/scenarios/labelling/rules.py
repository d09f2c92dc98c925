"""The scenario of a labelling study: what the ballots of a session are, and what comes of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

from commonground.games.scenario import ReleasedFile, Sitting
from commonground.labelling.answering import ROLE, Labelling, State
from commonground.labelling.ballots import Ballot, name_worker
from commonground.labelling.layers import LabelledUnit, sum_up_ballots

MODEL_VOTES = "extra/model_votes.json"
"""What models said: for each unit and model its answers, or why it skipped."""


class EventLabelling(Labelling):
    """How people answer a question about events of a corpus, and what they made of it.

    Its methods are those of :class:`~commonground.games.scenario.Scenario`.
    """

    corpus = ""
    version = "1"
    material = LabelledUnit

    def finish(self, state: State, sitting: Sitting) -> Sequence[Ballot]:
        """Returns the ballot of the worker; nothing where the session broke off."""
        if not self.is_complete(state):
            return []
        return [
            Ballot(
                unit=state.unit,
                worker=sitting.agents[ROLE],
                number=sitting.number,
                votes=dict(state.answers) if state.submitted else {},
                skipped=state.skipped,
                note=state.note,
                by_model=ROLE in sitting.models,
            )
        ]

    def release(self, records: Iterable[Any]) -> Iterator[ReleasedFile]:
        """Yields a file of labels for each layer, and what models said beside."""
        cast = list(records)
        for file in sum_up_ballots(cast):
            yield ReleasedFile(f"labels/{file.layer}.json", msgspec.json.encode(file))
        models = sorted((each for each in cast if each.by_model), key=lambda each: each.number)
        if models:
            told = [_tell_model(each) for each in models]
            yield ReleasedFile(MODEL_VOTES, msgspec.json.encode(told))


def _tell_model(ballot: Ballot) -> dict[str, Any]:
    return {
        "unit": ballot.unit.id,
        "model": name_worker(ballot.worker, is_model=True),
        "votes": ballot.votes,
        "skipped": ballot.skipped,
        "note": ballot.note,
    }


SCENARIO = EventLabelling("labelling")
