"""Predict the mood of each line; a file of predictions is a JSON object of moods by instance."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from commonground.errors import TaskError
from commonground.metric import Counts, Metric, Values
from commonground.task import Gold, Instance, Problem, Scored, Scoring, Task


def instances(gold: Gold) -> Iterator[Instance]:
    if gold.corpus is None:
        raise TaskError("The moods of toys are read from the store.", "Leave --gold away.")
    for dialogue in gold.corpus.dialogues(split=gold.split):
        moods = {act.event: act.act for act in dialogue.acts}
        for number, event in enumerate(dialogue.events):
            yield Instance(
                instance_id=f"{dialogue.dialogue_id}:{number}",
                dialogue_id=dialogue.dialogue_id,
                event=number,
                inputs={"text": event.text, "speaker": event.speaker},
                gold=moods.get(number),
            )


def score(path: Path, gold: Gold) -> Scoring:
    predicted = json.loads(path.read_text(encoding="utf-8"))
    scoring = Scoring()
    missing = []
    for each in instances(gold):
        if each.instance_id not in predicted:
            missing.append(each.instance_id)
            scoring.instances.append(
                Scored(
                    instance_id=each.instance_id,
                    dialogue_id=each.dialogue_id,
                    counts={},
                    is_missing=True,
                )
            )
            continue
        scoring.instances.append(
            Scored(
                instance_id=each.instance_id,
                dialogue_id=each.dialogue_id,
                counts={"accuracy": score_mood(each.gold, predicted[each.instance_id])},
                gold=each.gold,
                predicted=predicted[each.instance_id],
            )
        )
    if missing:
        count = len(missing)
        scoring.problems.append(
            Problem(
                kind="missing lines",
                count=count,
                example=missing[0],
                official="has none",
                skipped=count,
            )
        )
    return scoring


def score_mood(gold: str, predicted: str) -> Counts:
    return {"right": float(gold == predicted), "n": 1.0}


def combine(counts: Counts) -> Values:
    n = counts.get("n", 0)
    return {"accuracy": counts["right"] / n if n else None}


TASK = Task(
    name="toy/mood",
    title="mood of a line",
    corpora=("toy",),
    summary="a JSON object of moods by instance id",
    allowed={"text": "what was said"},
    measures=(
        Metric(
            name="accuracy",
            version="1",
            title="share of right moods",
            score=score_mood,
            combine=combine,
        ),
    ),
    instances=instances,
    score=score,
)
