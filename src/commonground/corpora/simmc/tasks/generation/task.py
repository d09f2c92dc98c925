"""Task ``simmc/generation``: the assistant's words (sub-task 2)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from commonground.bench.metrics.bleu import BLEU, BLEU_ALL_TURNS, score_text
from commonground.bench.metrics.words import name_tokenizer
from commonground.corpora.simmc.tasks.answers import (
    MODES,
    Format,
    GoldFile,
    read_gold,
    read_pairs,
)
from commonground.corpora.simmc.tasks.inputs import (
    ALLOWED,
    ALLOWED_RESPONSE,
    list_turns,
    load_places,
)
from commonground.corpora.simmc.tasks.released import ReleasedDialogue
from commonground.task import Gold, Instance, Predictions, Scored, Tally, Task

_PROBLEMS = {
    "empty responses": "scores them 0",
    "empty right answers": "scores against them, and anything is 0; the public form of the test "
    "sets hides the last answer so",
}
_FORM = Format(
    items="predictions",
    fields={"response": str},
    example='[{"dialog_id": 1, "predictions": [{"turn_id": 0, "response": "Here you are."}]}]',
    official=_PROBLEMS,
)


def read(predictions: Path, gold: Gold, *, mode: str | None = None) -> Predictions:
    """Reads a file of generated answers.

    What was said is in the dialogues and in target lines, and is the right candidate of the
    retrieval task. The mode ``single-round`` scores last turns only, None all.

    Raises:
        TaskError: nothing in it can be scored.
        SourceError: a file cannot be read.
    """

    def read_files(entries: list[Any], faults: Tally) -> list[GoldFile]:
        return read_gold(gold, entries, _FORM, _READ, _read_words, faults)

    return read_pairs(predictions, _FORM, read_files, mode, {"tokenizer": name_tokenizer()})


def _read_words(dialogue: ReleasedDialogue) -> list[str]:
    return [str(turn.get("system_transcript") or "") for turn in dialogue.fields["dialogue"]]


def _read_candidates(dialogue: ReleasedDialogue) -> list[str]:
    choices = dialogue.fields["retrieval_candidates"]
    return [
        # Where the right candidate is hidden, the answer is as in the public form: empty.
        ""
        if place is None
        else dialogue.look_up(choice["retrieval_candidates"][place : place + 1])[0]
        for choice, place in zip(choices, dialogue.list_places(), strict=True)
    ]


_READ = {"dials": _read_words, "retrieval": _read_candidates}


def score(instance: Instance, item: dict[str, Any] | None, tally: Tally) -> Scored:
    """Scores a generated answer; None where it cannot be read."""
    gold, response = instance.right, "" if item is None else item["response"]
    found = score_text(gold, response)
    is_empty = item is not None and not response.strip()
    tally.add("empty responses", instance.instance_id, count=int(is_empty))
    tally.add("empty right answers", instance.instance_id, count=int(not gold))
    return Scored(
        instance_id=instance.instance_id,
        dialogue_id=instance.dialogue_id,
        counts={BLEU.name: found, BLEU_ALL_TURNS.name: found},
        gold=gold,
        predicted=None if item is None else response,
        answer=None if item is None else {"response": response},
    )


def instances(gold: Gold) -> Iterator[Instance]:
    """Yields the turns; with dialogues and API calls each has all its inputs.

    Raises:
        TaskError: there are neither.
    """
    places = load_places(gold, "utterance", "assistant")
    for turn in list_turns(gold):
        yield Instance(
            instance_id=turn.instance_id,
            dialogue_id=turn.dialogue_id,
            event=places.get(turn.instance_id),
            inputs=turn.inputs(response=True),
            # An empty answer is one that the public form of the test set hides.
            gold=turn.fields.get("system_transcript") or None,
            right=turn.fields.get("system_transcript") or None,
        )


TASK = Task(
    name="simmc/generation",
    title="the assistant's words",
    corpora=("simmc",),
    summary=f"JSON: {_FORM.example}",
    allowed={**ALLOWED, **ALLOWED_RESPONSE},
    measures=(BLEU, BLEU_ALL_TURNS),
    instances=instances,
    read=read,
    score=score,
    modes=MODES,
    main=("bleu:bleu",),
)
