"""Task ``simmc/retrieval``: the assistant's answer among 100 (sub-task 2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from commonground.bench.metrics.retrieval_ranks import (
    RETRIEVAL_RANKS,
    RETRIEVAL_RANKS_EXPECTED,
    RETRIEVAL_RANKS_PESSIMISTIC,
    are_plain,
    find_place,
    score_candidates,
    score_candidates_expected,
    score_candidates_pessimistic,
    score_plain,
)
from commonground.corpora.simmc.tasks.answers import MODES, Format, read_pairs
from commonground.corpora.simmc.tasks.inputs import (
    ALLOWED,
    ALLOWED_RESPONSE,
    TurnView,
    list_turns,
    load_places,
    name_instance,
)
from commonground.corpora.simmc.tasks.released import ReleasedDialogue, read_released
from commonground.errors import TaskError
from commonground.statistics.counts import has_infinite
from commonground.task import Gold, Instance, Predictions, Scored, Tally, Task

_PROBLEMS = {
    "ties": "ranks the right candidate first among its equals, as retrieval_ranks does; "
    "retrieval_ranks_expected gives the mean over all orders",
    "not a number": "takes NaN as smaller than nothing, so a NaN of the right candidate is rank 1; "
    "retrieval_ranks_pessimistic ranks it last",
    "hidden right answers": "stops with a KeyError; here such turns are left out",
    "infinite scores": "takes them as larger or smaller than all others, as here",
    "wrong number of scores": "ranks among those that are there, as here",
    "right candidate without a score": "stops with an IndexError; here such a turn is left out",
    "scores that are not numbers": "compares them as numpy does, as here: texts letter by letter, "
    "truth values as 0 and 1, lists element by element",
    "whole numbers beyond a float's": "compares them as floats where others are, as here",
    "scores that cannot be compared": "stops with a TypeError or ValueError; here such a turn is "
    "left out",
}


class _Right(msgspec.Struct, frozen=True, gc=False):
    """Place of the right candidate, None where it is hidden, and the number of candidates."""

    place: int | None
    candidates: int


def read(path: Path, gold: Gold, *, mode: str | None = None) -> Predictions:
    """Reads a file of candidates' scores.

    Raises:
        TaskError: nothing in it can be scored.
        SourceError: a file cannot be read.
    """
    paired = read_pairs(_FORM, path, gold, mode=mode)
    known = (each for each in paired.found if each.instance.right.place is not None)
    return msgspec.structs.replace(paired, found=known)


def _read_choices(dialogue: ReleasedDialogue) -> list[_Right]:
    choices = zip(dialogue.fields["retrieval_candidates"], dialogue.list_places(), strict=True)
    return [_Right(place, len(each["retrieval_candidates"])) for each, place in choices]


def _check(gold: _Right, item: dict[str, Any]) -> str | None:
    scores = item["scores"]
    if gold.place is None:
        return "hidden right answers"
    # Missing wrong candidates only make the choice easier, as in the official script; without the
    # right one there is no rank.
    if gold.place >= len(scores):
        return "right candidate without a score"
    if not are_plain(scores):
        try:
            find_place(scores, gold.place)
        except TaskError:
            return "scores that cannot be compared"
    return None


_FORM = Format(
    items="candidate_scores",
    fields={"scores": (list, str)},
    example='[{"dialog_id": 1, "candidate_scores": [{"turn_id": 0, "scores": [0.1, ...]}]}], '
    "one score for each candidate",
    official=_PROBLEMS,
    whole={"retrieval": _read_choices},
    check=_check,
)


def score(instance: Instance, item: dict[str, Any] | None, tally: Tally) -> Scored:
    """Scores the scores of candidates; None, where they cannot be read, is the worst rank."""
    place, size = instance.right.place, instance.right.candidates
    # A turn without a prediction is a tie of all, in which the right one comes last.
    scores = [0.0] * size if item is None else item["scores"]
    # Looking at the type of each of a hundred scores takes longer than ranking them.
    is_plain = are_plain(scores)
    official = (score_plain if is_plain else score_candidates)(scores, place)
    # Ties and NaN are rare; without them all three ways rank alike.
    pessimistic = expected = official
    if official["tied"] or official["with_nan"]:
        pessimistic = score_candidates_pessimistic(scores, place)
        expected = score_candidates_expected(scores, place)
    if item is None:
        official = expected = pessimistic
    else:
        _note_scores(instance, scores, tally, is_plain=is_plain)
        tally.add("ties", instance.instance_id, count=int(official["tied"]))
        tally.add("not a number", instance.instance_id, count=int(official["with_nan"]))
    return Scored(
        instance_id=instance.instance_id,
        dialogue_id=instance.dialogue_id,
        counts={
            RETRIEVAL_RANKS_EXPECTED.name: expected,
            RETRIEVAL_RANKS.name: official,
            RETRIEVAL_RANKS_PESSIMISTIC.name: pessimistic,
        },
        gold=place,
        predicted=None if item is None else {"rank": expected["rank"]},
        answer=None if item is None else {"scores": scores},
    )


def _note_scores(
    instance: Instance, scores: Sequence[Any], tally: Tally, *, is_plain: bool
) -> None:
    """Counts scores that are too few or many, or that numpy alone knows how to compare."""
    dialogue, candidates = instance.instance_id, instance.right.candidates
    if len(scores) != candidates:
        found = f"{dialogue}: expected {candidates}, found {len(scores)}"
        tally.add("wrong number of scores", found)
    if not is_plain:
        are_numbers = set(map(type, scores)) <= {int, float}
        kind = "whole numbers beyond a float's" if are_numbers else "scores that are not numbers"
        tally.add(kind, dialogue)
    elif has_infinite(scores):
        tally.add("infinite scores", dialogue)


def instances(gold: Gold) -> Iterator[Instance]:
    """Yields the turns that have candidates.

    Raises:
        TaskError: there are none.
    """
    views, seen = _views(gold), set()
    events = load_places(gold, "utterance", "assistant")
    for released in read_released(gold, ("retrieval",)):
        for dialogue in released.dialogues():
            dialogue_id = f"{released.domain or 'simmc'}-{dialogue.number}"
            places = dialogue.list_places()
            for turn, choice in enumerate(dialogue.fields["retrieval_candidates"]):
                name = name_instance(dialogue_id, turn)
                # The same dialogue may be in a whole file and in a public one.
                if name in seen:
                    continue
                seen.add(name)
                inputs = views[name].inputs(response=True) if name in views else {}
                options = dialogue.look_up(choice["retrieval_candidates"])
                yield Instance(
                    instance_id=name,
                    dialogue_id=dialogue_id,
                    event=events.get(name),
                    inputs={"turn_idx": turn, **inputs, "candidates": options},
                    gold=places[turn],
                    right=_Right(places[turn], len(options)),
                )


def _views(gold: Gold) -> dict[str, TurnView]:
    try:
        return {turn.instance_id: turn for turn in list_turns(gold)}
    except TaskError:
        # Candidates alone say no dialogue: they are scored without its inputs.
        return {}


TASK = Task(
    name="simmc/retrieval",
    title="the assistant's answer among 100 candidates",
    corpora=("simmc",),
    summary=f"JSON: {_FORM.example}.",
    allowed={**ALLOWED, **ALLOWED_RESPONSE, "candidates": "The answers to choose from."},
    measures=(
        RETRIEVAL_RANKS_EXPECTED,
        RETRIEVAL_RANKS,
        RETRIEVAL_RANKS_PESSIMISTIC,
    ),
    instances=instances,
    read=read,
    score=score,
    modes=MODES,
    main=(
        "retrieval_ranks_expected:r1",
        "retrieval_ranks_expected:r5",
        "retrieval_ranks_expected:r10",
        "retrieval_ranks_expected:mean",
        "retrieval_ranks_expected:mrr",
    ),
)
