"""The task ``photobook/reference``: which of the displayed images a segment is about."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from typing import Any

import msgspec

from commonground.bench.metrics.set_f1 import SET_F1, score_choice
from commonground.corpora.photobook.games import list_images, look_up_messages
from commonground.corpora.photobook.native import Game
from commonground.corpora.photobook.segments import Segment, segment_game
from commonground.corpora.photobook.tasks.lines import LineForm, list_instances, read_lines
from commonground.metric import Counts, Metric
from commonground.statistics.counts import to_float
from commonground.task import (
    Instance,
    Scored,
    Tally,
    Task,
)

_LINE = (
    'A line is {"instance_id": "12:3", "scores": {image path: number, ...}, "targets": [image '
    'paths]}; without "targets" they are the images with a score of at least 0.5, without '
    '"scores" the targets score 1 and all others 0.'
)
_NEVER = -math.inf

Texts = list[list[str]]
"""Speaker and text of each message of a segment."""


class ReferencePrediction(msgspec.Struct, frozen=True):
    """A prediction: scores of all displayed images, and the chosen ones, None for the default."""

    scores: dict[str, float]
    chosen: list[str] | None


_LEFT_OUT = "such a segment is left out; building the authors' data fails on it."


def _list_mentions(game_id: str, game: Game, faults: Tally) -> Iterator[Instance]:
    """Yields the segments of the authors' heuristic that are about displayed images, in order."""
    segments = segment_game(game).segments
    texts = [
        [[each.speaker, each.message] for each in messages]
        for _, _, messages in look_up_messages(game, segments)
    ]
    images = [list_images(each) for each in game.rounds]
    for number, segment in enumerate(segments):
        name, shown = f"{game_id}:{number}", images[segment.round_index]
        unseen = set(segment.targets).difference(shown)
        if unseen:
            place = f"{name}, {min(unseen)}"
            faults.add("targets that are not displayed", place, _LEFT_OUT, skipped=True)
            continue
        yield Instance(
            instance_id=name,
            dialogue_id=game_id,
            event=next(iter(segment.messages), None),
            inputs={
                "segment": texts[number],
                "images": shown,
                "history": _list_history(shown, segments[:number], texts),
            },
            gold=list(segment.targets),
        )


def _list_history(
    images: list[str], earlier: list[Segment], texts: list[Texts]
) -> dict[str, list[Texts]]:
    """Gives for each displayed image the earlier segments of its chain."""
    history: dict[str, list[Texts]] = {image: [] for image in images}
    # Texts are those of all segments; of them as many count as came before.
    for each, unscripted in zip(earlier, texts, strict=False):
        for image in each.targets:
            if image in history:
                history[image].append(unscripted)
    return history


def _holds_choice(value: dict[str, Any]) -> bool:
    scores, targets = value.get("scores"), value.get("targets")
    is_some = scores is not None or targets is not None
    return is_some and isinstance(scores, dict | None) and isinstance(targets, list | None)


def read_choice(instance: Instance, value: dict[str, Any], faults: Tally) -> ReferencePrediction:
    """Reads what was predicted of a segment.

    Args:
        instance: the segment.
        value: `scores` by image, `targets`, or both.
        faults: counts its faults.
    """
    images, chosen = instance.inputs["images"], value.get("targets")
    if chosen is not None:
        chosen = [image for image in chosen if _is_displayed(image, instance, faults)]
    if value.get("scores") is None:
        return ReferencePrediction(
            {image: float(image in (chosen or ())) for image in images}, chosen
        )
    return ReferencePrediction(
        _read_scores(value["scores"], instance, chosen is None, faults), chosen
    )


def _is_displayed(image: Any, instance: Instance, faults: Tally) -> bool:
    if image in instance.inputs["images"]:
        return True
    place = f"{instance.instance_id}, {image}"
    faults.add("images that are not displayed", place, "they are ignored.")
    return False


def _read_scores(
    given: dict[str, Any], instance: Instance, is_choice: bool, faults: Tally
) -> dict[str, float]:
    """Gives a score to every displayed image; the lowest where there is no number.

    Args:
        given: what is predicted.
        instance: of which segment.
        is_choice: whether scores say what is chosen, too: then they are probabilities.
        faults: takes what is odd.
    """
    scores = dict.fromkeys(instance.inputs["images"], _NEVER)
    for image, score in given.items():
        if not _is_displayed(image, instance, faults):
            continue
        place = f"{instance.instance_id}, {image}"
        # ``true`` is a number to Python, and NaN has no place in an order.
        if isinstance(score, bool) or not isinstance(score, int | float) or score != score:
            faults.add("scores that are not numbers", place, "such an image comes last.")
            continue
        scores[image] = to_float(score)
        if math.isinf(scores[image]):
            faults.add("infinite scores", place, "they are larger or smaller than all others.")
        if is_choice and not 0 <= score <= 1:
            consequence = 'without "targets" whatever has 0.5 or more is chosen all the same.'
            faults.add("scores that are not probabilities", place, consequence)
    if scores.keys() - given.keys():
        place = f"{instance.instance_id}, {min(scores.keys() - given.keys())}"
        faults.add("segments with images without a score", place, "such an image comes last.")
    return scores


_FORM = LineForm(
    "segments",
    "scores or targets",
    _holds_choice,
    read_choice,
    _LINE,
    "nothing of them counts as right.",
)


def score(instance: Instance, given: ReferencePrediction | None, faults: Tally) -> Scored:
    """Scores the choice of a segment.

    Args:
        instance: the segment.
        given: the choice; None where it cannot be read.
        faults: counts its faults.
    """
    choice = given or ReferencePrediction(dict.fromkeys(instance.inputs["images"], _NEVER), [])
    counts: dict[str, float] = score_choice(instance.gold, choice.scores, choice.chosen)
    if given is None:
        # What was not judged was not judged right, and what was not ranked has no rank.
        counts |= {"rejected": 0, "reciprocal": 0.0, "tied": 0, "first": 0}
    elif counts["tied"]:
        consequence = "wrong images come before right ones of the same score."
        faults.add("ties", instance.instance_id, consequence)
    history = instance.inputs["history"]
    part = "set_f1_later" if any(history[image] for image in instance.gold) else "set_f1_first"
    both: dict[str, Counts] = {"set_f1": counts, part: counts}
    return Scored(
        instance_id=instance.instance_id,
        dialogue_id=instance.dialogue_id,
        counts=both,
        gold=instance.gold,
        predicted=None if given is None else _chosen(choice),
        answer=None if given is None else {"scores": choice.scores, "targets": _chosen(choice)},
    )


def _chosen(choice: ReferencePrediction) -> list[str]:
    if choice.chosen is not None:
        return choice.chosen
    return [image for image, score in choice.scores.items() if score >= 0.5]


def _part(name: str, which: str) -> Metric:
    """Makes the metric of some segments: the same counts under another name."""
    title = f"{SET_F1.title[:-1]}, {which}."
    return msgspec.structs.replace(SET_F1, name=name, title=title)


TASK = Task(
    name="photobook/reference",
    title="which of the displayed images a segment is about",
    corpora=("photobook",),
    summary=(
        f"{_LINE} Segments and their images come from the authors' heuristic; the "
        f"candidates are the images that either player sees. A model without "
        f"history takes the inputs "
        "segment and images only."
    ),
    allowed={
        "segment": "Speaker and text of each message of the segment.",
        "images": "Paths of the images that either player sees, sorted.",
        "history": "For each of them, the earlier segments of the game that were about it.",
    },
    measures=(
        _part("set_f1", "over all segments"),
        _part("set_f1_first", "where no target was referred to before"),
        _part("set_f1_later", "where a target was referred to before"),
    ),
    instances=partial(list_instances, _list_mentions),
    read=partial(read_lines, _list_mentions, _FORM),
    score=score,
    main=(
        "set_f1:precision",
        "set_f1:recall",
        "set_f1:f1",
        "set_f1:mrr",
        "set_f1_first:mrr",
        "set_f1_later:mrr",
    ),
)
