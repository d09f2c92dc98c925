"""Dialogues of the model that no corpus has: awkward texts, empty fields, nested values."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec
from hypothesis import strategies as st

from commonground.model import (
    Act,
    Action,
    Candidate,
    Dialogue,
    Display,
    Event,
    Grounding,
    Object,
    Outcome,
    Role,
    Span,
    Speaker,
    State,
    Utterance,
    Withheld,
)

AWKWARD = (
    "",
    " ",
    "\n",
    "\r\n\t",
    "\0",
    "\u2028\u2029\x85",
    "\ufeff",
    "null",
    '"',
    "\\",
    '{"value":1}',
    "שלום, עולם",
    "e\u0301👩‍👩‍👧",
    "\U0010ffff",
    "a,b;'c'",
    "<script>",
    "$corpus",
)
"""Texts at which some format has stumbled, or might."""

texts = st.one_of(
    st.sampled_from(AWKWARD),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=12),
)
numbers = st.integers(-(2**31), 2**31 - 1)
places = st.integers(0, 9)
floats = st.floats(allow_nan=False, allow_infinity=False)
values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-(2**63), 2**63 - 1), floats, texts),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(texts, inner, max_size=3)),
    max_leaves=6,
)
_OF_TYPE: dict[str, st.SearchStrategy[Any]] = {
    "str": texts,
    "int": numbers,
    "float": floats,
    "bool": st.booleans(),
    "Json": values,
}


def records(kind: Any, **given: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Makes structs of a kind: each field of its type, or null where that is allowed."""
    fields = dict(given)
    for name in kind.__struct_fields__:
        declared = kind.__annotations__[name].split(" | ")
        strategy = _OF_TYPE.get(declared[0], texts)
        fields.setdefault(name, st.none() | strategy if "None" in declared else strategy)
    return st.builds(kind, **fields)


@st.composite
def dialogues(draw: st.DrawFn) -> Dialogue:
    """Makes a dialogue; its annotations point at any event number, there or not."""
    names = draw(st.lists(texts, min_size=1, max_size=3, unique=True))
    roles: tuple[Role, ...] = ("user", "assistant", "peer")
    speakers = [
        draw(records(Speaker, speaker=st.just(n), role=st.sampled_from(roles))) for n in names
    ]
    who = st.sampled_from(names)
    events: list[Event] = draw(
        st.lists(
            st.one_of([records(kind, speaker=who) for kind in (Utterance, Action, Withheld)]),
            max_size=6,
        )
    )
    lists = {
        name: draw(st.lists(records(kind, **given), max_size=3)) for name, kind, given in _LISTS
    }
    return Dialogue(
        dialogue_id=draw(texts),
        split=draw(st.sampled_from((None, "train", "fold-1", "a/b", "a b", "ünï", "all"))),
        domain=draw(st.none() | texts),
        started_at=draw(st.none() | st.datetimes(datetime(1900, 1, 1), datetime(2200, 1, 1))),
        attributes=draw(values),
        speakers=speakers,
        events=events,
        **lists,
    )


_LISTS: tuple[tuple[str, Any, dict[str, Any]], ...] = (
    ("spans", Span, {"event": places}),
    ("acts", Act, {"event": places}),
    ("states", State, {"event": places}),
    ("objects", Object, {}),
    ("displays", Display, {"event": st.none() | places}),
    ("groundings", Grounding, {"event": places}),
    ("candidates", Candidate, {"event": st.none() | places}),
    ("outcomes", Outcome, {}),
)

corpora = st.lists(dialogues(), min_size=1, max_size=4, unique_by=lambda each: each.dialogue_id)


class Converter:
    """Stands for the toy corpus's converter, and gives the dialogues it holds."""

    def __init__(self) -> None:
        self._known: dict[str, Dialogue] = {}

    def write(self, dialogues: Sequence[Dialogue], path: Path) -> None:
        """Writes a file of as many talks, to be imported as these dialogues.

        What is said in a talk is all that its dialogue holds, so that the released record has it.
        """
        self._known = {each.dialogue_id: each for each in dialogues}
        talks = [
            {
                "talk_id": each.dialogue_id,
                "lines": [{"who": "ann", "says": msgspec.json.encode(each).decode()}],
            }
            for each in dialogues
        ]
        path.write_text(json.dumps({"train": talks}), encoding="utf-8")

    def convert(self, talk: Any, *_: object) -> Dialogue:
        """Returns the dialogue of a talk's id."""
        return self._known[talk.talk_id]
