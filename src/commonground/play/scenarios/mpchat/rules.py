"""The scenario of MPChat: what the votes of a session are, and how they are released.

The rules themselves are those of all labelling: ``commonground.play.labelling.answering``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from commonground.play.labelling.answering import Labelling, LabellingState
from commonground.play.labelling.assigning import LABELLING
from commonground.play.scenario import ReleasedFile
from commonground.play.scenarios.mpchat.material import Unit
from commonground.play.scenarios.mpchat.release import Ballot, release_ballots


class PersonaLabelling(Labelling[Ballot]):
    """How a worker says which elements of the main author's persona a response is grounded in.

    Its methods are those of :class:`~commonground.play.scenario.Scenario`.
    """

    corpus = "mpchat"
    version = "2"
    material = Unit
    ballot = Ballot

    def list_votes(self, state: LabellingState) -> dict[str, int]:
        """Returns 1 for yes and 0 for no, as in the released votes."""
        return {each.id: int(state.answers[each.id] == "yes") for each in state.order}

    def release(self, records: Iterable[Any]) -> Iterator[ReleasedFile]:
        """Yields the files of the threads that are labelled to their end."""
        return release_ballots(each for each in records if isinstance(each, Ballot))


SCENARIO = PersonaLabelling("mpchat")

ASSIGNER = LABELLING
