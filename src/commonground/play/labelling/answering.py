"""The rules of labelling: one person answers one question of each candidate of one unit.

1. Choose an answer for each candidate, in any order and again as often as one likes; the last
   one counts. Candidates stand in an order that is drawn for each session, so that nobody's
   attention always wanes at the same one.
2. Submit when all are answered, and the session is over. An answer may still be changed then, which
   counts at once: people go one unit back.
3. Or skip the unit instead, with a reason. Other people get it then.

Who is given which unit is not decided here but in ``assigning``.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from random import Random
from typing import Any, Generic, TypeVar

import msgspec

from commonground.play import acts
from commonground.play.labelling.ballots import Ballot
from commonground.play.labelling.units import Candidate, ContextLine, Unit, require_sound
from commonground.play.scenario import Act, Allowed, Refusal, Sitting, Timer, payload_schema

B = TypeVar("B", bound=Ballot)

ROLE = "worker"
REASONS = ("picture_missing", "unclear", "disturbing", "other")
"""Why somebody may skip a unit; ``other`` needs a note."""

LONGEST_NOTE = 500
"""Characters that the note of a skip may have."""


class LabellingState(msgspec.Struct, frozen=True):
    """A unit between two acts.

    Attributes:
        order: its candidates, as they stand in this session.
        answers: the last answer for each candidate that has one.
        skipped: why the unit was skipped; None where it was not.
        note: what was written about that.
        last_us: time of the last act; None before the first.
        ended: why it was ended before its time; None where it was not.
        chat: what moderators wrote, as :meth:`Labelling.view` shows it.
    """

    unit: Unit
    order: tuple[Candidate, ...]
    answers: dict[str, str] = {}
    submitted: bool = False
    skipped: str | None = None
    note: str = ""
    last_us: int | None = None
    ended: str | None = None
    chat: tuple[dict[str, Any], ...] = ()

    @property
    def missing(self) -> int:
        """How many candidates have no answer yet."""
        return len(self.order) - len(self.answers)


_replace = msgspec.structs.replace


def _find_kind(kind: str) -> str:
    """Returns a type of act without its scenario's name; those of all scenarios as they are."""
    return kind if kind in acts.BY_SERVER else kind.rpartition(".")[2]


def _carry_out(state: LabellingState, act: Act) -> LabellingState:
    payload = act.payload
    match _find_kind(act.type):
        case "label":
            answers = {**state.answers, payload["candidate"]: payload["answer"]}
            return _replace(state, answers=answers)
        case "submit":
            return _replace(state, submitted=True)
        case "skip":
            return _replace(state, skipped=payload["reason"], note=payload["note"])
        case "moderator.message":
            return _replace(state, chat=(*state.chat, acts.show_message(act, payload["text"])))
    return _replace(state, ended=payload["reason"])


_OWN: dict[str, dict[str, type]] = {
    "label": {"candidate": str, "answer": str},
    "submit": {},
    "skip": {"reason": str, "note": str},
}
"""The acts of workers, with the fields that their payloads need."""

_REFUSALS = acts.COMMON_REFUSALS | {
    *("no_candidate", "answers_missing", "no_reason", "note_missing", "too_long"),
}


class Labelling(Generic[B]):
    """How a worker says what is so of each candidate; a scenario adds what becomes of it.

    Its methods are those of :class:`~commonground.play.scenario.Scenario`; a scenario adds
    ``corpus``, ``version``, ``material``, ``ballot`` and ``release``.

    Args:
        name: of the scenario, with which its types of act begin.
    """

    roles = (ROLE,)
    refusals = _REFUSALS
    ballot: type[B]

    def __init__(self, name: str) -> None:
        self.name = name
        own = {f"{name}.{kind}": fields for kind, fields in _OWN.items()}
        self._fields = own | acts.SERVER_FIELDS
        self.act_types = frozenset(self._fields)
        self._authors = {each: (ROLE,) if each in own else (None,) for each in self._fields}

    def start(self, material: Unit, seed: int) -> LabellingState:
        """Draws the order of the candidates."""
        require_sound(material)
        number = len(material.candidates)
        order = Random(f"{seed}:candidates").sample(material.candidates, number)
        return LabellingState(material, tuple(order))

    def apply(self, state: LabellingState, act: Act) -> LabellingState | Refusal:
        """Returns the state after an act, or why it is refused."""
        refusal = self._refuse(state, act)
        if refusal is not None:
            return refusal
        return _carry_out(_replace(state, last_us=act.at_us), act)

    def _refuse(self, state: LabellingState, act: Act) -> Refusal | None:
        is_changed = state.submitted and state.ended is None and _find_kind(act.type) == "label"
        if self.is_over(state) and not is_changed:
            return Refusal("over")
        refusal = acts.refuse_stranger(act, self._authors, state.last_us)
        refusal = refusal or acts.refuse_fields(act.payload, self._fields[act.type])
        if refusal is not None:
            return refusal
        match _find_kind(act.type):
            case "label":
                if act.payload["answer"] not in state.unit.answers:
                    return Refusal("bad_payload", "protocol", {"field": "answer"})
                if all(each.id != act.payload["candidate"] for each in state.order):
                    return Refusal(
                        "no_candidate", parameters={"candidate": act.payload["candidate"]}
                    )
                return None
            case "submit" if state.missing:
                return Refusal("answers_missing", parameters={"missing": state.missing})
            case "skip":
                reason, note = act.payload["reason"], act.payload["note"]
                if reason not in REASONS:
                    return Refusal("no_reason", parameters={"reason": reason})
                if len(note) > LONGEST_NOTE:
                    found = {"most": LONGEST_NOTE, "found": len(note)}
                    return Refusal("too_long", parameters=found)
                if reason == "other" and not note.strip():
                    return Refusal("note_missing")
        return None

    def view(self, state: LabellingState, _role: str, /) -> dict[str, Any]:
        """Returns what the worker sees: nothing of right answers, or of other people's.

        ``unit`` names what is labelled, so that a page sees when it is another one; ``answers``
        are those that may be given. ``context`` has a ``speaker``, ``text``, ``picture`` (path
        below the image folder, or None) and ``lacks_picture`` for each line, and ``is_action``
        where something was done; the question is about the last one. ``candidates`` have ``id``
        and ``answer`` (None until given) beside ``text`` and the picture, in the order of this
        session. ``missing`` is how many have no answer.
        """
        unit = state.unit
        return {
            # Labelling has no rounds, but pages and players of all scenarios look here for one.
            "round": None,
            "phase": "over" if self.is_over(state) else "label",
            "unit": unit.id,
            "question": unit.question,
            "answers": list(unit.answers),
            "context": [
                # Of what was said nothing more is to be said, neither to pages nor to models.
                _show(each, speaker=each.speaker) | ({"is_action": True} if each.is_action else {})
                for each in unit.context
            ],
            "candidates": [
                _show(each, id=each.id, answer=state.answers.get(each.id)) for each in state.order
            ],
            "missing": state.missing,
            "submitted": state.submitted,
            "skipped": state.skipped,
            "reasons": list(REASONS),
            "longest_note": LONGEST_NOTE,
            "ended": state.ended,
            "chat": list(state.chat),
        }

    def allowed(self, state: LabellingState, _role: str, /) -> Sequence[Allowed]:
        """Returns what the worker may do now: answer, skip, and submit what is whole."""
        if self.is_over(state):
            return ()
        ids = tuple(each.id for each in state.order)
        label = _allow_label(self.name, ids, state.unit.answers)
        skip, submit = _allow_ends(self.name)
        return (label, skip) if state.missing else (label, skip, submit)

    def timers(self, _state: LabellingState, /) -> Sequence[Timer]:
        """Returns no timer: there is all the time that it takes."""
        return ()

    def is_over(self, state: LabellingState) -> bool:
        """Says whether the unit was submitted or skipped, or the session was ended."""
        return self.is_complete(state) or state.ended is not None

    def is_complete(self, state: LabellingState) -> bool:
        """Says whether the unit was submitted or skipped."""
        return state.submitted or state.skipped is not None

    def list_votes(self, state: LabellingState) -> dict[str, Any]:
        """Returns the vote for each candidate: the answers as they were given."""
        return dict(state.answers)

    def finish(self, state: LabellingState, sitting: Sitting) -> Sequence[B]:
        """Returns the ballot of the worker; nothing where the session broke off."""
        if not self.is_complete(state):
            return []
        return [
            self.ballot(
                unit=state.unit,
                worker=sitting.agents[ROLE],
                number=sitting.number,
                votes=self.list_votes(state) if state.submitted else {},
                skipped=state.skipped,
                note=state.note,
                by_model=ROLE in sitting.models,
            )
        ]


def _show(shown: ContextLine | Candidate, **fields: Any) -> dict[str, Any]:
    lacks = shown.lacks_picture
    return {**fields, "text": shown.text, "picture": shown.picture, "lacks_picture": lacks}


_NOTE = {"type": "string", "maxLength": LONGEST_NOTE}
_EXPLAINED = {"properties": {"note": {"pattern": r"\S"}}}
_EVIDENT = {"properties": {"reason": {"enum": [each for each in REASONS if each != "other"]}}}
# What `_refuse` asks of a skip, as a schema: another reason, or a note that is not blank.
_SKIP = payload_schema(reason={"enum": list(REASONS)}, note=_NOTE) | {
    "anyOf": [_EVIDENT, _EXPLAINED]
}


@lru_cache
def _allow_ends(name: str) -> tuple[Allowed, Allowed]:
    skip = Allowed(f"{name}.skip", _SKIP, due=False)
    return skip, Allowed(f"{name}.submit", payload_schema())


# Asked for anew after each act of a session, with the same candidates.
@lru_cache(maxsize=2048)
def _allow_label(name: str, candidates: tuple[str, ...], answers: tuple[str, ...]) -> Allowed:
    answer = {"enum": list(answers)}
    return Allowed(
        f"{name}.label", payload_schema(candidate={"enum": list(candidates)}, answer=answer)
    )
