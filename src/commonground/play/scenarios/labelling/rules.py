"""The scenario of a labelling study: what the ballots of a session are, and what comes of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

from commonground.play.labelling.answering import ROLE, Labelling, State
from commonground.play.labelling.ballots import Ballot, encode_model_votes
from commonground.play.labelling.layers import LabelledUnit, sum_up_ballots
from commonground.play.scenario import ReleasedFile, Sitting

MODEL_VOTES = "extra/model_votes.json"
"""What models said: for each unit and model its answers, or why it skipped."""


class EventLabelling(Labelling):
    """How people answer a question about events of a corpus, and what they made of it.

    Its methods are those of :class:`~commonground.play.scenario.Scenario`.
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
        if votes := encode_model_votes(cast):
            yield ReleasedFile(MODEL_VOTES, votes)


SCENARIO = EventLabelling("labelling")
