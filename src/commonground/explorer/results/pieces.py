"""Right answers and predictions in pieces, so that it can be seen which of them differ, and how.

Tasks answer in many forms: images, dialogue acts, calls, spans, places in a ranking, words. A piece
is the least of these that is right or wrong by itself: an image, an act, a slot of it, a span.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import msgspec

Mark = Literal["same", "missed", "extra"]
Kind = Literal["none", "name", "value", "label", "bounds", "missed", "extra", "words", "rank"]

KINDS: dict[Kind, str] = {
    "none": "no prediction",
    "name": "another act or call",
    "value": "another value",
    "label": "another label",
    "bounds": "other bounds",
    "missed": "something missing",
    "extra": "something too much",
    "words": "other words",
    "rank": "not ranked first",
}
"""Kinds of error, with words for people; an instance may have several."""

Form = Literal["flat", "acts", "spans", "parts", "words", "rank"]


class AnswerPiece(msgspec.Struct, frozen=True, kw_only=True):
    """The least of an answer that is right or wrong by itself.

    Attributes:
        head: the act or call that it belongs to, or the label of a span; None for none.
        name: slot or argument of it; None where the piece is the act or call as such.
        value: its value, as text; None for nothing.
        start: first code point of a span; None for what is no span.
        end: code point after its last.
        place: place in a list of candidates, from 0; None for what is no candidate.
    """

    head: str | None = None
    name: str | None = None
    value: str | None = None
    start: int | None = None
    end: int | None = None
    place: int | None = None


class MarkedPiece(msgspec.Struct, frozen=True):
    """A piece, and whether the other side has it.

    Attributes:
        mark: ``same`` where both have it, ``missed`` where only the right answer has it,
            ``extra`` where only the prediction has it.
    """

    piece: AnswerPiece
    mark: Mark


class Pieces(msgspec.Struct, frozen=True):
    """An answer in pieces, which are in the order of the answer."""

    form: Form
    pieces: list[AnswerPiece]


class AnswerDifference(msgspec.Struct, frozen=True, kw_only=True):
    """A right answer and a prediction, piece by piece.

    Attributes:
        predicted: None where there is no prediction.
        kinds: how they differ; empty where they do not.
    """

    form: Form
    gold: list[MarkedPiece]
    predicted: list[MarkedPiece] | None
    kinds: list[Kind]


def find_difference(gold: Any, predicted: Any) -> AnswerDifference:
    """Puts a right answer and a prediction beside each other.

    Args:
        gold: as JSON or as its task shows it.
        predicted: None for no prediction.
    """
    right = cut_answer(gold)
    if predicted is None:
        missed = [MarkedPiece(each, "missed") for each in right.pieces]
        return AnswerDifference(form=right.form, gold=missed, predicted=None, kinds=["none"])
    given = cut_answer(predicted)
    # Tasks of ranking keep the rank that the right candidate got, not what was put first.
    if right.form == "rank" and [each.name for each in given.pieces] == ["rank"]:
        return _judge_rank(right.pieces, given.pieces)
    both = Counter(right.pieces) & Counter(given.pieces)
    form = right.form if right.pieces else given.form
    gold_marked, rest = _mark(right.pieces, both, "missed")
    predicted_marked, added = _mark(given.pieces, both, "extra")
    kinds = _list_kinds(form, rest, added)
    return AnswerDifference(form=form, gold=gold_marked, predicted=predicted_marked, kinds=kinds)


def _judge_rank(gold: list[AnswerPiece], predicted: list[AnswerPiece]) -> AnswerDifference:
    """Judges the rank that the right candidate was given."""
    is_first = predicted[0].value == "1"
    mark: tuple[Mark, Mark] = ("same", "same") if is_first else ("missed", "extra")
    return AnswerDifference(
        form="rank",
        gold=[MarkedPiece(each, mark[0]) for each in gold],
        predicted=[MarkedPiece(each, mark[1]) for each in predicted],
        kinds=[] if is_first else ["rank"],
    )


def _mark(
    pieces: Sequence[AnswerPiece], both: Counter[AnswerPiece], other: Mark
) -> tuple[list[MarkedPiece], list[AnswerPiece]]:
    """Marks what both sides have; returns what one side only has, too."""
    # A copy: what both have is counted down for each side.
    left = Counter(both)
    marked, rest = [], []
    for each in pieces:
        is_same = left[each] > 0
        left[each] -= is_same
        marked.append(MarkedPiece(each, "same" if is_same else other))
        if not is_same:
            rest.append(each)
    return marked, rest


def _list_kinds(form: Form, missed: list[AnswerPiece], extra: list[AnswerPiece]) -> list[Kind]:
    if form in ("words", "rank"):
        found: Kind = "words" if form == "words" else "rank"
        return [found] if missed or extra else []
    kinds: set[Kind] = set()
    # What can be paired is another one of the same kind; the rest is missing or too much.
    # A piece is in one pair only, so the order decides: what is nearest to right comes first.
    pairs: list[tuple[Kind, Callable[[AnswerPiece, AnswerPiece], bool]]] = [
        ("bounds", _are_other_bounds),
        ("label", _are_other_labels),
        ("value", _are_other_values),
        ("name", _are_other_names),
    ]
    for kind, fits in pairs:
        # A copy, as pairs are taken out of the lists meanwhile.
        for each in list(missed):
            other = next((one for one in extra if fits(each, one)), None)
            if other is not None:
                missed.remove(each)
                extra.remove(other)
                kinds.add(kind)
    kinds |= {"missed"} if missed else set()
    kinds |= {"extra"} if extra else set()
    return [each for each in KINDS if each in kinds]


def _are_other_bounds(one: AnswerPiece, other: AnswerPiece) -> bool:
    if one.start is None or one.end is None or other.start is None or other.end is None:
        return False
    return one.head == other.head and one.start < other.end and other.start < one.end


def _are_other_labels(one: AnswerPiece, other: AnswerPiece) -> bool:
    return one.start is not None and (one.start, one.end) == (other.start, other.end)


def _are_other_values(one: AnswerPiece, other: AnswerPiece) -> bool:
    if one.start is not None or other.start is not None or one.value is None or other.value is None:
        return False
    return (one.head, one.name) == (other.head, other.name)


def _are_other_names(one: AnswerPiece, other: AnswerPiece) -> bool:
    pieces = (one, other)
    return all(
        each.head and each.name is None and each.value is None and each.start is None
        for each in pieces
    )


def cut_answer(value: Any) -> Pieces:
    """Cuts an answer, or a right answer, into pieces, whatever its form."""
    if value is None:
        return Pieces("flat", [])
    if isinstance(value, str):
        return Pieces("words", [AnswerPiece(value=value)])
    # Before ``int``, of which ``bool`` is one in Python.
    if isinstance(value, bool | float):
        return Pieces("flat", [AnswerPiece(value=_write(value))])
    if isinstance(value, int):
        return Pieces("rank", [AnswerPiece(place=value)])
    if isinstance(value, dict):
        return _cut_object(value)
    return _cut_list(value)


def _cut_object(value: Mapping[str, Any]) -> Pieces:
    if set(value) == {"rank"}:
        return Pieces("rank", [AnswerPiece(name="rank", value=_write(value["rank"]))])
    if isinstance(value.get("acts"), list):
        rest = {name: each for name, each in value.items() if name != "acts"}
        return Pieces("acts", [*_cut_list(value["acts"]).pieces, *_cut_slots(None, rest.items())])
    if "call" in value or "text" in value:
        return _cut_call(value)
    return Pieces("acts", _cut_slots(None, value.items()))


def _cut_call(value: Mapping[str, Any]) -> Pieces:
    """Cuts what an agent does next: a call with its arguments, words, or both."""
    call, text = value.get("call"), value.get("text")
    said = [] if text is None else [AnswerPiece(value=text)]
    if call is None:
        return Pieces("words", said)
    head = str(call)
    arguments = _cut_slots(head, (value.get("arguments") or {}).items())
    return Pieces("acts", [AnswerPiece(head=head), *arguments, *said])


def _cut_list(values: Sequence[Any]) -> Pieces:
    if not values:
        return Pieces("flat", [])
    first = values[0]
    if isinstance(first, dict) and {"start", "end", "label"} <= first.keys():
        return Pieces("spans", [_cut_span(each) for each in values])
    if isinstance(first, dict) and ("act" in first or "name" in first):
        return Pieces("acts", [piece for each in values for piece in _cut_act(each)])
    if isinstance(first, list) and _is_part(first):
        return Pieces("parts", [_cut_part(each) for each in values])
    return Pieces("flat", [AnswerPiece(value=_write(each)) for each in values])


def _cut_span(span: Mapping[str, Any]) -> AnswerPiece:
    return AnswerPiece(head=str(span["label"]), start=span["start"], end=span["end"])


def _cut_act(act: Any) -> list[AnswerPiece]:
    """Cuts an act: slots are pairs, or objects with a key and a value."""
    if not isinstance(act, dict):
        return [AnswerPiece(value=_write(act))]
    head = str(act.get("act", act.get("name")))
    slots: list[tuple[Any, Any]] = []
    for each in act.get("slots") or act.get("args") or ():
        if isinstance(each, dict):
            slots.append((each.get("key"), each.get("val")))
        elif isinstance(each, list | tuple) and len(each) == 2:
            slots.append((each[0], each[1]))
        else:
            slots.append((None, each))
    return [AnswerPiece(head=head), *_cut_slots(head, slots)]


def _cut_slots(head: str | None, slots: Any) -> list[AnswerPiece]:
    return [
        AnswerPiece(head=head, name=str(name), value=None if value is None else _write(value))
        for name, value in slots
    ]


def _is_part(value: Sequence[Any]) -> bool:
    """Tells whether a list is a part of a dialogue: id, part of it, messages, what it is about."""
    return len(value) == 4 and isinstance(value[2], list) and isinstance(value[3], list)


def _cut_part(value: Sequence[Any]) -> AnswerPiece:
    messages = ", ".join(map(str, value[2]))
    return AnswerPiece(head=f"part {value[1]}: {messages}", value="\n".join(map(str, value[3])))


def _write(value: Any) -> str:
    """Writes a value for people: lists with commas, objects by their fields, the rest as JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return ", ".join(map(_write, value)) or "none"
    if isinstance(value, dict):
        return ", ".join(f"{name} {_write(each)}" for name, each in value.items()) or "none"
    return json.dumps(value, ensure_ascii=False)
