"""The scenario of a labelling study: what comes of the ballots of its sessions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from commonground.play.labelling.answering import Labelling
from commonground.play.labelling.assigning import LABELLING
from commonground.play.labelling.ballots import Ballot, release_model_votes
from commonground.play.labelling.layers import LabelledUnit, sum_up_ballots
from commonground.play.scenario import ReleasedFile


class EventLabelling(Labelling[Ballot]):
    """How people answer a question about events of a corpus, and what they made of it.

    Its methods are those of :class:`~commonground.play.scenario.Scenario`.
    """

    corpus = ""
    version = "1"
    material = LabelledUnit
    ballot = Ballot

    def release(self, records: Iterable[Any]) -> Iterator[ReleasedFile]:
        """Yields a file of labels for each layer, and what models said beside."""
        cast = list(records)
        for file in sum_up_ballots(cast):
            yield ReleasedFile(f"labels/{file.layer}.json", msgspec.json.encode(file))
        yield from release_model_votes(cast)


SCENARIO = EventLabelling("labelling")

ASSIGNER = LABELLING
