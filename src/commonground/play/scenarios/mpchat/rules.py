"""The scenario of MPChat: what the ballots of a session are, and how they are released.

The rules themselves are those of all labelling: ``commonground.play.labelling.answering``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from commonground.play.labelling.answering import ROLE, Labelling, State
from commonground.play.scenario import ReleasedFile, Sitting
from commonground.play.scenarios.mpchat.material import Unit
from commonground.play.scenarios.mpchat.release import Ballot, release_ballots


class PersonaLabelling(Labelling):
    """How a worker says which elements of the main author's persona a response is grounded in.

    Its methods are those of :class:`~commonground.play.scenario.Scenario`.
    """

    corpus = "mpchat"
    version = "2"
    material = Unit

    def finish(self, state: State, sitting: Sitting) -> Sequence[Ballot]:
        """Returns the ballot of the worker; nothing where the session broke off."""
        if not self.is_complete(state):
            return []
        assert isinstance(state.unit, Unit)  # noqa: S101 - as its material says
        answers = state.answers if state.submitted else {}
        votes = {each.id: int(answers[each.id] == "yes") for each in state.order if answers}
        return [
            Ballot(
                unit=state.unit,
                worker=sitting.agents[ROLE],
                number=sitting.number,
                votes=votes,
                skipped=state.skipped,
                note=state.note,
                by_model=ROLE in sitting.models,
            )
        ]

    def release(self, records: Iterable[Any]) -> Iterator[ReleasedFile]:
        """Yields the files of the threads that are labelled to their end."""
        return release_ballots(records)


SCENARIO = PersonaLabelling("mpchat")
