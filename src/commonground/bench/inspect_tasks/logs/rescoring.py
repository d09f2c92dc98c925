"""Logs that are scored again: nothing is believed of them but what was said.

The questions are written anew from the store and compared with those of the log, and each reply is
scored by the task. What a log says of its own numbers is only compared with what came of that.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from inspect_ai.dataset import Sample
from inspect_ai.event import ModelEvent
from inspect_ai.log import EvalLog, EvalSample
from inspect_ai.model import ChatMessage, ChatMessageAssistant, Content, ContentImage, ContentText

from commonground.bench.evaluation.access import ALL
from commonground.bench.evaluation.scoring import Evaluation
from commonground.bench.inspect_tasks.asking.instructing import write_instructions
from commonground.bench.inspect_tasks.asking.pictures import LARGEST
from commonground.bench.inspect_tasks.asking.questions import Asking, Made, make_dataset
from commonground.bench.inspect_tasks.logs.results import (
    SCORER,
    LoggedRun,
    make_run,
    read_log,
)
from commonground.bench.inspect_tasks.scoring.logged_replies import (
    Row,
    group_rows,
    merge_epochs,
    summarise,
)
from commonground.bench.inspect_tasks.scoring.official import describe_reply, read_reply
from commonground.bench.inspect_tasks.scoring.open_scorers import Asked, open_scorer
from commonground.bench.inspect_tasks.scoring.rates import ENDS
from commonground.errors import TaskError
from commonground.printing import count_of
from commonground.reply_outcomes import FAILED, find_ending
from commonground.task import Scored

_SAME = 1e-6
"""Numbers that differ by less are the same: sums of fractions come in any order."""

_SETTINGS = (
    "task",
    "corpus",
    "split",
    "part",
    "where",
    "limit",
    "per_dialogue",
    "few_shot",
    "seed",
    "answers",
    "variant",
    "image_size",
    "prompt_version",
    "prompt_hash",
    "dialogues",
    "samples",
    "instances",
)
"""Facts of a log that the store has to give again."""


class RescoredLog(msgspec.Struct, frozen=True):
    """A log, scored again.

    Attributes:
        runs: its numbers, part by part, all of our own counting.
        differs: how the numbers that stand in the log differ from these; empty where they agree.
    """

    path: Path
    runs: list[LoggedRun]
    differs: list[str]


def rescore_log(path: Path, store: str | None = None) -> RescoredLog:
    """Scores the replies of a log again, and says how far its own numbers are from that.

    Raises:
        SourceError: it cannot be read.
        TaskError: it is not of a task, its data are others than those of the store, or its
            questions or replies are not what the store and the log itself say they are.
        StoreError: its corpus was not imported.
    """
    log = read_log(path, resolve_attachments=True)
    facts = log.eval.metadata or {}
    if "task" not in facts:
        advice = "Numbers of games, agents and the probe are shown by commonground report."
        raise TaskError(
            f"{path} is a log of {log.eval.task}, which is not a benchmark task.", advice
        )
    if log.status != "success":
        advice = "Continue with `inspect eval-retry`."
        raise TaskError(f"{path} is of a run that ended with {log.status!r}.", advice)
    made = _ask_again(path, facts, store)
    samples = _match_samples(path, log, made)
    rows, scored = _score(facts, samples, made, store)
    log.eval.metadata = {**facts, "overlap": made.facts["overlap"]}
    runs = [
        _keep_answers(make_run(path, log, group, mine), scored)
        for group, mine in group_rows(rows).items()
    ]
    return RescoredLog(path, runs, _list_differences(log, samples, rows))


def _ask_again(path: Path, facts: Mapping[str, Any], store: str | None) -> Made:
    """Writes the questions of a log anew, after seeing that they are of the same data."""
    try:
        asking = msgspec.convert(
            {name: facts[name] for name in Asking.__struct_fields__ if name in facts}
            | {"split": facts["split"] or ALL, "image_size": facts["image_size"] or LARGEST}
            | {"store": store},
            Asking,
        )
    except (KeyError, msgspec.ValidationError) as error:
        raise TaskError(f"{path} does not say what was asked: {error}.") from error
    made = make_dataset(asking)
    if _hash_data(made.facts) != _hash_data(facts):
        raise TaskError(
            f"{path} was made on other data than the store has of {asking.corpus}.",
            "Import the files that it was asked about, or name their store with --store.",
        )
    for name in _SETTINGS:
        if made.facts[name] != facts.get(name):
            raise TaskError(
                f"{path} says {name} {facts.get(name)!r}; here it is {made.facts[name]!r}.",
                "Score it with the version of commonground that asked, or ask again.",
            )
    return made


def _hash_data(facts: Mapping[str, Any]) -> str | None:
    return (facts.get("data") or {}).get("sha256_of_hashes")


def _match_samples(path: Path, log: EvalLog, made: Made) -> list[EvalSample]:
    """Returns the samples of a log, each of which is a question of the store with its reply."""
    questions = {str(each.id): each for each in made.dataset}
    instructions = write_instructions(made.ask, made.examples)
    found: dict[tuple[str, int], EvalSample] = {}
    for sample in log.samples or ():
        name = str(sample.id)
        if name not in questions:
            raise TaskError(f"{path} has a reply to {name!r}, which is not one of its questions.")
        if (name, sample.epoch) in found:
            raise TaskError(f"{path} has two replies to {name!r}.")
        _check_question(path, sample, questions[name], instructions)
        _check_reply(path, sample)
        found[name, sample.epoch] = sample
    _check_all_there(path, log, found, questions)
    return list(found.values())


def _check_all_there(
    path: Path,
    log: EvalLog,
    found: Mapping[tuple[str, int], EvalSample],
    questions: Mapping[str, Sample],
) -> None:
    """Sees that no reply was taken out: all questions have one, as often as they were asked."""
    config = log.eval.config
    # What inspect_ai's own options left out was not asked; the report names these options.
    is_narrowed = config.limit is not None or config.sample_id is not None
    asked = {name for name, _epoch in found} if is_narrowed else questions.keys()
    wanted = len(asked) * (config.epochs or 1)
    if not found or len(found) < wanted:
        advice = "Continue with `inspect eval-retry`."
        raise TaskError(f"{path} has {len(found):,} of {wanted:,} replies.", advice)


def _check_question(
    path: Path, sample: EvalSample, question: Sample, instructions: Sequence[ChatMessage]
) -> None:
    asked = question.input
    shown = _read_contents([asked] if isinstance(asked, str) else [each.content for each in asked])
    logged = sample.input
    as_input = [logged] if isinstance(logged, str) else [each.content for each in logged]
    before = [*_read_contents([each.content for each in instructions]), *shown]
    said = _read_contents([each.content for each in sample.messages])
    # A sample that failed may end before anything was said to the model.
    is_asked = said[: len(before)] == before or (sample.error is not None and not said)
    if _read_contents(as_input) != shown or not is_asked:
        raise TaskError(
            f"{path} asked something else about {sample.id} than the store has.",
            "Its questions were changed, or written by another version of commonground.",
        )


def _read_contents(contents: Sequence[str | list[Content]]) -> list[str]:
    """Returns what a model is shown, piece by piece; a text is one piece however it is kept."""
    pieces = []
    for content in contents:
        for each in [ContentText(text=content)] if isinstance(content, str) else content:
            if isinstance(each, ContentText):
                pieces.append(each.text)
            elif isinstance(each, ContentImage):
                pieces.append(each.image)
    return pieces


def _check_reply(path: Path, sample: EvalSample) -> None:
    """Sees that a log tells one story of what was said: output, messages and events agree."""
    last = sample.messages[-1] if sample.messages else None
    replies = [last.text] if isinstance(last, ChatMessageAssistant) else []
    calls = [each for each in sample.events if isinstance(each, ModelEvent) and not each.error]
    replies += [each.output.completion for each in calls[-1:] if each.role is None]
    if any(each != sample.output.completion for each in replies):
        raise TaskError(
            f"{path} has two different replies to {sample.id}.",
            "One of them was changed after the model gave it.",
        )


def _score(
    facts: Mapping[str, Any], samples: Sequence[EvalSample], made: Made, store: str | None
) -> tuple[list[Row], list[Scored]]:
    asked = Asked(facts["task"], facts["corpus"], facts["split"], facts["seed"])
    scorer = open_scorer(asked, store)
    about = {str(each.id): each.metadata or {} for each in made.dataset}
    rows: list[Row] = []
    scored: list[Scored] = []
    for sample in samples:
        name = str(sample.id)
        said = read_reply(asked.task, facts["answers"], sample.output)
        failed = sample.error is not None
        reply = scorer.score(
            name, "" if failed else said, ending=None if failed else find_ending(sample.output)
        )
        described = describe_reply(reply)
        if sample.error is not None:
            fault = f"{name}: the call failed: {sample.error.message}"
            described |= {"fault": fault, "outcome": FAILED}
        rows.append((about[name], described, name))
        if reply.scored is not None:
            scored.append(reply.scored)
    return rows, merge_epochs(scored)


def _keep_answers(run: LoggedRun, scored: Sequence[Scored]) -> LoggedRun:
    """Puts right answers and predictions beside the counts, for pages that show them."""
    mine = {each.instance_id for each in run.evaluation.instances}
    kept = [each for each in scored if each.instance_id in mine]
    return msgspec.structs.replace(run, evaluation=Evaluation(run.evaluation.result, kept))


def _list_differences(
    log: EvalLog, samples: Sequence[EvalSample], rows: Sequence[Row]
) -> list[str]:
    """Says how the numbers that a log has of itself differ from those of its replies."""
    logged = [(each.scores or {}).get(SCORER) for each in samples]
    # inspect_ai counts no sample whose call failed.
    counted = [row for score, row in zip(logged, rows, strict=True) if score is not None]
    ours = {name: value for name, value in summarise(counted).items() if not name.endswith(ENDS)}
    scores = log.results.scores if log.results else []
    theirs = {
        name: metric.value
        for score in scores
        if score.name == SCORER
        for name, metric in score.metrics.items()
    }
    found = [
        f"{name} {theirs[name]:.3f} in the log, {value:.3f} by its replies"
        for name, value in ours.items()
        if name in theirs and abs(theirs[name] - value) > _SAME
    ]
    wrong = sum(
        score is not None and (score.metadata or {}).get("counts") != row[1].get("counts")
        for score, row in zip(logged, rows, strict=True)
    )
    if wrong:
        found.append(f"the scores of {count_of(wrong, 'reply', 'replies')}")
    return found
