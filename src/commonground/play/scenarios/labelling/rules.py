"""The scenario of a labelling study: what comes of the ballots of its sessions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from commonground.play.labelling.adjudicating import Decided, adjudicate
from commonground.play.labelling.answering import Labelling
from commonground.play.labelling.assigning import LABELLING
from commonground.play.labelling.ballots import Ballot, release_model_votes
from commonground.play.labelling.layers import LabelledUnit, sum_up_ballots
from commonground.play.scenario import ReleasedFile
from commonground.store.label_files import EVENT
from commonground.store.label_tables import write_label_table


class EventLabelling(Labelling[Ballot]):
    """How people answer a question about events of a corpus, and what they made of it.

    Its methods are those of :class:`~commonground.play.scenario.Scenario`.
    """

    corpus = ""
    version = "1"
    material = LabelledUnit
    ballot = Ballot

    def release(self, records: Iterable[Any]) -> Iterator[ReleasedFile]:
        """Yields files of labels for each layer, and what models said beside.

        A layer that somebody has decided on is there twice: as people voted, and adjudicated.
        """
        given = list(records)
        cast = [each for each in given if isinstance(each, Ballot)]
        decided = {(e.unit, e.candidate): e for e in given if isinstance(e, Decided)}
        for votes in sum_up_ballots(cast):
            for file in (votes, *adjudicate(votes, decided, EVENT)):
                name = f"labels/{file.layer}"
                yield ReleasedFile(f"{name}.json", msgspec.json.encode(file))
                yield ReleasedFile(f"{name}.csv", write_label_table(file).encode())
        yield from release_model_votes(cast)


SCENARIO = EventLabelling("labelling")

ASSIGNER = LABELLING
