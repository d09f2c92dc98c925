"""What the three tasks have in common: scores of candidates in, recall and MRR out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from commonground.bench.metrics.recall_at_k import (
    MAX_CANDIDATES,
    RECALL_AT_K,
    RECALL_AT_K_OPTIMISTIC,
    RECALL_AT_K_PESSIMISTIC,
    count_unranked,
    score_ranking,
    score_ranking_optimistic,
    score_ranking_pessimistic,
)
from commonground.corpora.mpchat.tasks.threads import RankingExample
from commonground.errors import TaskError
from commonground.files.predictions import Named, decode_lines, decode_typed, read_predictions
from commonground.method import Prompt, Reply
from commonground.printing import count_of
from commonground.statistics.counts import has_infinite
from commonground.task import Gold, Instance, Prediction, Predictions, Scored, Tally, Task

ADVICE = 'Write lines such as {"dialogue_id": "...", "turn": 2, "scores": [...]}.'


class AnswerLine(Named):
    """The scores of one instance.

    Attributes:
        scores: one per candidate, in the order given; the highest is the answer.
        label: place of the right candidate among them; 0 in the released files.
    """

    scores: list[float]
    label: int = 0


class Matrix(msgspec.Struct):
    """The scores of all instances of a split in order; ``labels`` are all 0 where None."""

    logits: list[list[float]]
    labels: list[int] | None = None


def read_answers(path: Path, tally: Tally) -> Matrix | dict[str, Named]:
    """Reads a file of scores, in order or by instance.

    Raises:
        SourceError: the file cannot be read.
        TaskError: it has no scores.
    """
    data = read_predictions(path)
    start = data.lstrip()[:1]
    # JSON lines begin with a brace, too; no line of scores names ``logits``.
    if start == b"[" or (start == b"{" and b'"logits"' in data[:2000]):
        return _read_matrix(path, data)
    return _read_lines(path, data, tally)


def _read_matrix(path: Path, data: bytes) -> Matrix:
    wanted: Any = list[list[float]] if data.lstrip()[:1] == b"[" else Matrix
    try:
        found = decode_typed(data, wanted)
    except (msgspec.ValidationError, ValueError) as error:
        problem = f"{path.name} is not a matrix of scores, or was cut off: {error}."
        raise TaskError(problem, "Write one list of scores per instance.") from error
    matrix = found if isinstance(found, Matrix) else Matrix(found)
    if matrix.labels is not None and len(matrix.labels) != len(matrix.logits):
        counts = (
            f"{count_of(len(matrix.logits), 'row')} and {count_of(len(matrix.labels), 'label')}"
        )
        raise TaskError(f"{path.name} has {counts}.", "Write one label per row, or none at all.")
    return matrix


def _read_lines(path: Path, data: bytes, tally: Tally) -> dict[str, Named]:
    answers: dict[str, Named] = {}
    lacking = "line of scores"
    for answer in decode_lines(path, data, AnswerLine, tally, lacking=lacking, advice=ADVICE):
        if answer.instance_id in answers:
            tally.add("repeated instances", answer.instance_id)
        answers[answer.instance_id] = answer
    return answers


ListExamples = Callable[[Gold, Tally], Iterator[RankingExample]]

OFFICIAL = {
    "messages without candidates": "Reads them of val and test only, where all have some; here "
    "they are left out.",
    "unreadable records": "It reads no file; they are left out.",
    "unreadable lines": "It reads no file; here the instances that they name count as wrong.",
    "unknown instances": "It reads no file; they are left out.",
    "repeated instances": "It would count each; here the last one counts.",
    "missing instances": "It takes the mean over the rows that are there, as here.",
    "wrong number of scores": "Stops: the rows are one tensor. Here they count as wrong.",
    "candidates that differ in number": "Stops: the rows are one tensor. Each has its own k here.",
    "too many candidates": f"Refuses more than {MAX_CANDIDATES}.",
    "labels out of range": "Never finds them for recall, and stops at the mean reciprocal rank. "
    "Here they count as wrong.",
    "labels other than 0": "Takes them as they are; its loaders put the right candidate first.",
    "not a number": "Sorts it before all numbers, as here; recall_at_k_pessimistic sorts it last.",
    "infinite scores": "Sorts them before or behind all numbers, as here.",
    "ties": "Its sort is not stable, so their order is left to chance; recall_at_k gives the mean "
    "over all orders, recall_at_k_optimistic and recall_at_k_pessimistic the two ends.",
}


def read(list_examples: ListExamples, name: str, path: Path, gold: Gold) -> Predictions:
    """Reads a file of candidate scores; examples come in the order of the authors' loaders.

    Raises:
        TaskError: the file has no scores, or there are no candidates.
    """
    tally = Tally(OFFICIAL)
    # First, since a file of answers to what cannot be ranked is empty, and says nothing of that.
    examples = keep_ranked(list(list_examples(gold, tally)), tally)
    answers = read_answers(path, tally)
    usual = len(examples[0].instance.inputs["candidates"])
    return Predictions(
        found=_pair(_align(path, examples, answers, tally), usual, tally),
        tally=tally,
        advice=f"Check that it is for {name} and for this split.",
    )


def keep_ranked(examples: Sequence[RankingExample], tally: Tally) -> list[RankingExample]:
    """Keeps the examples that have candidates to rank.

    Those without are counted, in splits that have candidates elsewhere.

    Raises:
        TaskError: none has any.
    """
    ranked = [each for each in examples if "candidates" in each.instance.inputs]
    if not ranked:
        names = sorted({each.thread.split or "" for each in examples})
        of = f" of {', '.join(names)}" if any(names) else ""
        first = f": the first is {_locate(examples[0])}" if examples else ""
        raise TaskError(
            f"None of the {count_of(len(examples), 'message')}{of} has candidates to rank{first}.",
            "Threads that were released for training have none: name a split with threads of the "
            "released val or test.",
        )
    splits = {each.thread.split for each in ranked}
    for each in examples:
        if "candidates" not in each.instance.inputs and each.thread.split in splits:
            tally.add("messages without candidates", _locate(each), skipped=1)
    return ranked


def _locate(example: RankingExample) -> str:
    thread = example.thread
    return f"{example.instance.instance_id} in {thread.document} {thread.raw.path}"


def _pair(
    aligned: Iterable[tuple[RankingExample, Named | None]], usual: int, tally: Tally
) -> Iterator[Prediction]:
    for (thread, instance), answer in aligned:
        is_ranked = isinstance(answer, AnswerLine) and _find_fault(instance, answer) is None
        # Judged here, since a script that takes all rows as one tensor stops at such a row.
        if is_ranked and len(instance.inputs["candidates"]) != usual:
            tally.add("candidates that differ in number", instance.instance_id)
        yield Prediction(
            instance=instance,
            value=answer if isinstance(answer, AnswerLine) else None,
            split=thread.split,
            is_missing=answer is None,
            # Nothing counted: the authors' mean is over the rows that are there.
            is_ignored=answer is None,
        )


def _align(
    path: Path,
    examples: Sequence[RankingExample],
    answers: Matrix | dict[str, Named],
    tally: Tally,
) -> Iterator[tuple[RankingExample, Named | None]]:
    if isinstance(answers, Matrix):
        yield from _align_matrix(path, examples, answers)
        return
    for example in examples:
        # Taken out one by one, so that those that are left are of no instance.
        line = answers.pop(example.instance.instance_id, None)
        if line is None:
            tally.add("missing instances", example.instance.instance_id, skipped=1)
        yield example, line
    for instance_id in answers:
        tally.add("unknown instances", instance_id)


def _align_matrix(
    path: Path, examples: Sequence[RankingExample], matrix: Matrix
) -> Iterator[tuple[RankingExample, AnswerLine]]:
    if len(matrix.logits) != len(examples):
        raise TaskError(
            f"{path.name} has {count_of(len(matrix.logits), 'row')} of scores, and the gold "
            f"threads have {count_of(len(examples), 'instance')}, so it is not known which is "
            "which.",
            "Name the split that the rows are for, or write JSON lines with dialogue ids.",
        )
    # The authors' loaders put the right candidate first.
    labels = matrix.labels or [0] * len(examples)
    for example, scores, label in zip(examples, matrix.logits, labels, strict=True):
        turn = example.instance.event or 0
        yield example, AnswerLine(example.thread.dialogue_id, turn, scores, label)


def _score_unreadable(instance: Instance) -> Scored:
    """Returns an instance whose scores cannot be read or ranked: no rank finds the right one."""
    candidates = len(instance.inputs["candidates"])
    counts = count_unranked(candidates) if candidates <= MAX_CANDIDATES else None
    measures = (RECALL_AT_K, RECALL_AT_K_OPTIMISTIC, RECALL_AT_K_PESSIMISTIC)
    return Scored(
        instance_id=instance.instance_id,
        dialogue_id=instance.dialogue_id,
        counts={} if counts is None else {each.name: counts for each in measures},
    )


def score(instance: Instance, answer: AnswerLine | None, tally: Tally) -> Scored:
    """Scores the scores of candidates; None where they cannot be read."""
    if answer is None:
        return _score_unreadable(instance)
    where, scores, label = instance.instance_id, answer.scores, answer.label
    candidates = len(instance.inputs["candidates"])
    fault = _find_fault(instance, answer)
    if fault is not None:
        kind, found = fault
        problem = f"{where}: expected {candidates} candidates, found {found}"
        tally.add(kind, problem, skipped=int(candidates > MAX_CANDIDATES))
        return _score_unreadable(instance)
    official = score_ranking(scores, label)
    for kind, odd in (
        ("labels other than 0", label != 0),
        ("not a number", any(value != value for value in scores)),  # only nan differs from itself
        ("infinite scores", has_infinite(scores)),
        ("ties", bool(official["tied"])),
    ):
        if odd:
            tally.add(kind, where)
    return Scored(
        instance_id=where,
        dialogue_id=instance.dialogue_id,
        counts={
            RECALL_AT_K.name: official,
            RECALL_AT_K_OPTIMISTIC.name: score_ranking_optimistic(scores, label),
            RECALL_AT_K_PESSIMISTIC.name: score_ranking_pessimistic(scores, label),
        },
        gold=label,
        predicted=max(range(candidates), key=scores.__getitem__),
        # The right candidate is released first, wherever it was put among these.
        answer=[scores[label], *scores[:label], *scores[label + 1 :]],
    )


def _find_fault(instance: Instance, answer: AnswerLine) -> tuple[str, str] | None:
    """Returns why an instance cannot be scored, as kind and what was found; None where it can."""
    candidates = len(instance.inputs["candidates"])
    if len(answer.scores) != candidates:
        return "wrong number of scores", f"{len(answer.scores)} scores"
    if candidates > MAX_CANDIDATES:
        return "too many candidates", f"{candidates} scores"
    if not 0 <= answer.label < candidates:
        return "labels out of range", f"label {answer.label}"
    return None


def list_instances(list_examples: ListExamples, gold: Gold) -> Iterator[Instance]:
    """Gives the instances of a task; those without released candidates have none as input.

    Raises:
        TaskError: there are none.
    """
    return (each.instance for each in list_examples(gold, Tally(OFFICIAL)))


SUMMARY = (
    "Predictions are JSON lines with `dialogue_id`, `turn` (number of the message, from 0) and "
    "`scores`, one per candidate in the released order, the higher the better. If "
    "you shuffle the candidates, add `label`, the position of the right one. "
    "Instead, a JSON matrix may hold the "
    "scores of all instances of a split in the order of the authors' loaders: a list of rows, "
    "or an object with `logits` and `labels`. The right candidate is the first one. "
)
ALLOWED = {
    "context": "The messages before the one in question, in order.",
    "image": "File name of the image of the post; null where it has none.",
}
CANDIDATES = "The candidates to rank, the correct one first; in val and test only."


def make_task(
    name: str,
    title: str,
    allowed: dict[str, str],
    ranked: str,
    list_examples: ListExamples,
) -> Task:
    """Makes a task of the way its examples are listed.

    Args:
        allowed: its inputs beside those of all tasks.
        ranked: one sentence on what its instances are.
        list_examples: lists the examples of a gold source in the order of the authors' loaders.
    """
    return Task(
        name=name,
        title=title,
        corpora=("mpchat",),
        summary=SUMMARY + ranked,
        allowed=ALLOWED | allowed | {"candidates": CANDIDATES},
        measures=(
            RECALL_AT_K,
            RECALL_AT_K_OPTIMISTIC,
            RECALL_AT_K_PESSIMISTIC,
        ),
        instances=partial(list_instances, list_examples),
        read=partial(read, list_examples, name),
        score=score,
        main=(
            "recall_at_k:recall@1",
            "recall_at_k:recall@5",
            "recall_at_k:recall@10",
            "recall_at_k:mrr",
        ),
    )


def read_candidates(reply: Reply) -> list[float]:
    """Returns scores of the candidates, in the released order."""
    return reply.score_candidates(len(reply.instance.inputs["candidates"]))


def list_right(instance: Instance) -> list[int] | None:
    """Returns the number of the right candidate; None where it is not among them."""
    gold = instance.gold
    for number, each in enumerate(instance.inputs.get("candidates", ())):
        if each == gold or _is_part(each, gold):
            return [number]
    return None


def _is_part(each: Any, gold: Any) -> bool:
    # Gold may have more fields than a candidate.
    both = isinstance(each, dict) and isinstance(gold, dict)
    return both and all(gold.get(name) == value for name, value in each.items())


def list_pictures(instance: Instance) -> Iterator[str]:
    """Yields the pictures of the post, of its author's persona, and of the candidates."""
    yield from list_fewer_pictures(instance)
    yield from _list_images(_flatten(instance.inputs.get("candidates", ())))


def list_fewer_pictures(instance: Instance) -> Iterator[str]:
    """Yields the pictures of the post and of its author's persona.

    Candidates that are personas of a hundred authors have more than four hundred.
    """
    inputs = instance.inputs
    if inputs.get("image"):
        yield inputs["image"]
    yield from _list_images(inputs.get("personas", ()))


def _list_images(elements: Iterable[Any]) -> Iterator[str]:
    for element in elements:
        if isinstance(element, dict) and element.get("image"):
            yield element["image"]


def _flatten(candidates: Iterable[Any]) -> Iterator[Any]:
    """Yields candidates, and the elements of those that are whole personas."""
    for each in candidates:
        yield from each if isinstance(each, list) else [each]


def make_prompt(task: str, *, shows_candidates: bool) -> Prompt:
    """Makes the prompt of a task: the right candidate is released first, so they are shuffled."""
    return Prompt(
        task=task,
        answer=read_candidates,
        say=lambda answered: answered.say_scores(answered.value),
        target=list_right,
        form=list[int],
        shuffled="candidates",
        pictures=list_pictures,
        fewer_pictures=list_fewer_pictures if shows_candidates else None,
    )
