"""Logs of inspect_ai as results: numbers with intervals, and what was asked of whom."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
from inspect_ai.log import EvalLog, EvalSample, read_eval_log
from inspect_ai.model import ModelUsage

from commonground.bench.evaluation.prompts import get_prompt
from commonground.bench.evaluation.reporting import (
    BASELINE,
    PEOPLE,
    AskedModel,
    Judged,
    ResultFile,
    Used,
)
from commonground.bench.evaluation.scoring import (
    Evaluation,
    Result,
    count_measured,
    hash_file,
    measure_read,
    measure_scored,
)
from commonground.bench.evaluation.tasks import get_task
from commonground.bench.inspect_tasks.scoring.judging import JUDGED, ROLE, summarise
from commonground.bench.inspect_tasks.scoring.logged_replies import (
    UNANSWERED,
    Row,
    group_rows,
    merge_epochs,
    read_scored,
)
from commonground.bench.inspect_tasks.solvers import PROBLEMS, baseline, chance, people, predictions
from commonground.errors import SourceError, TaskError
from commonground.play.rooms.players.budget import count_read
from commonground.reply_outcomes import FAILED, MALFORMED, UNJUDGED, count_outcomes
from commonground.store.shared import Overlap
from commonground.task import Problem, Task

SCORER = "official"
"""Name that scores have in a log."""

_FEW = 3  # ids of samples that are named
_NOTHING = 1e-9  # dollars: differences of sums of fractions


class LoggedRun(msgspec.Struct, frozen=True):
    """One part of what a log tells: all of it, unless parts have files of their own.

    Attributes:
        judged: what a judge thought of the replies; None where none was asked.
    """

    asked: AskedModel
    evaluation: Evaluation
    judged: Judged | None = None

    def as_result(self) -> ResultFile:
        """Returns it as a report reads results."""
        plain = msgspec.to_builtins(self.evaluation.result)
        found = msgspec.convert(plain, ResultFile)
        return msgspec.structs.replace(found, asked=self.asked, judged=self.judged)


def read_logs(paths: Sequence[Path]) -> list[LoggedRun]:
    """Reads logs of inspect_ai.

    Raises:
        SourceError: one cannot be read.
        TaskError: one is not of a task of ours, or has no score.
    """
    return [run for path in paths for run in _read(path)]


def read_log(
    path: Path, *, header_only: bool = False, resolve_attachments: bool = False
) -> EvalLog:
    """Reads a log.

    Args:
        header_only: whether samples are left out.
        resolve_attachments: whether long texts and pictures stand where they belong.

    Raises:
        SourceError: it cannot be read.
    """
    try:
        return read_eval_log(
            str(path), header_only=header_only, resolve_attachments=resolve_attachments
        )
    except FileNotFoundError as error:
        raise SourceError(f"{path} is not there.", "Check the path.") from error
    # inspect_ai raises what its decoders raise: of ZIP, of JSON, of pydantic, of the file system.
    except Exception as error:
        raise SourceError(f"{path} is not a log of inspect_ai, or was cut off: {error}.") from error


def _read(path: Path) -> Iterator[LoggedRun]:
    log = read_log(path)
    facts = log.eval.metadata or {}
    # Written by our tasks only, so it tells their logs from any others.
    if "prompt_hash" not in facts:
        problem = f"{path} is a log of {log.eval.task}, which is not a task of commonground."
        raise TaskError(problem, "commonground tasks lists them.")
    samples = log.samples or []
    rows = [row for each in samples if (row := _make_row(each)) is not None]
    # A run that came to its end without one call that did not fail has a number: all are wrong.
    is_scored = any(SCORER in (each.scores or {}) for each in samples)
    if not rows or not (is_scored or log.status == "success"):
        advice = "Continue with `inspect eval-retry`, or score it with `inspect score`."
        raise TaskError(f"{path} has no scored reply: it ended with {log.status!r}.", advice)
    groups = group_rows(rows)
    for group, mine in groups.items():
        judged = _read_judged(log, {row[2] for row in mine})
        yield make_run(path, log, group, mine, judged)


def _make_row(sample: EvalSample) -> Row | None:
    """Returns what a log tells of a sample; None where it was not scored.

    A call that failed has no score as a rule, and counts as a reply that cannot be read.
    """
    found = (sample.scores or {}).get(SCORER)
    details = None if found is None else found.metadata or {}
    if sample.error is not None:
        silence = (sample.metadata or {}).get(UNANSWERED)
        if details is None and silence is not None:
            about = sample.metadata
            details = {**silence, "part": about.get("part"), "split": about.get("split")}
        if details is not None:
            fault = f"{sample.id}: the call failed: {sample.error.message}"
            details = {**details, "fault": fault, "outcome": FAILED}
    return None if details is None else (sample.metadata, details, str(sample.id))


def make_run(
    path: Path, log: EvalLog, group: str, rows: Sequence[Row], judged: Judged | None = None
) -> LoggedRun:
    """Sums up the scored replies of one part.

    Args:
        group: part and split that the replies are of; empty where the log has no others.
        judged: what a judge thought of them; None where none was asked.
    """
    facts = log.eval.metadata or {}
    task = get_task(facts["task"])
    scored = merge_epochs(filter(None, map(read_scored, rows)))
    measures, infinite = measure_scored(task, scored)
    heard = (row for row in rows if not row[1].get("fault"))
    read = merge_epochs(filter(None, map(read_scored, heard)))
    result = Result(
        task=task.name,
        commonground=facts["commonground"],
        predictions=hash_file(path),
        gold=[],
        store=facts["data"],
        split=facts["split"],
        mode=None,
        n=measures[0].n,
        skipped=0,
        problems=[*_list_problems(log, rows), *infinite],
        measures=measures,
        overlap=_find_overlap(facts, rows),
        n_read=count_measured(task, read),
        read=measure_read(task, read, measures[0].n),
    )
    part, split = rows[0][1].get("part"), rows[0][1].get("split")
    # Whoever asked about one part only is not of all.
    group = group or ("/".join(filter(None, (part, split))) if part else "")
    asked = _describe(log, facts, group, rows, judged)
    return LoggedRun(asked, Evaluation(result, scored), judged)


def _find_overlap(facts: dict[str, Any], rows: Sequence[Row]) -> list[Overlap]:
    """Returns what dialogues share with training ones; logs of earlier versions do not say it."""
    groups = {(row[1].get("part"), row[1].get("split")) for row in rows}
    mine = [each for each in facts.get("overlap", ()) if (each["part"], each["split"]) in groups]
    return msgspec.convert(mine, list[Overlap])


def _find_outcome(row: Row) -> str | None:
    """Returns what became of a question; logs of earlier versions tell faults only."""
    outcome: str | None = row[1].get("outcome")
    return outcome or (MALFORMED if row[1].get("fault") else None)


def _read_judged(log: EvalLog, ids: set[str]) -> Judged | None:
    found = [(each.scores or {}).get(JUDGED) for each in log.samples or () if str(each.id) in ids]
    details = [each.metadata for each in found if each is not None and each.metadata]
    if not details:
        return None
    # Nothing is kept of what a judge took that came afterwards.
    took = log.stats.role_usage.get(ROLE)
    return msgspec.structs.replace(summarise(details), used=count_used([took]) if took else None)


def _list_problems(log: EvalLog, rows: Sequence[Row]) -> list[Problem]:
    """Says what must be known of replies: what could not be read, and what was never said.

    Of files that were replayed, it says what is to be known of these, too.
    """
    stored = [each.store[PROBLEMS] for each in log.samples or () if each.store.get(PROBLEMS)]
    of_files = msgspec.convert(stored[0], list[Problem]) if stored else []
    failed = [row for row in rows if _find_outcome(row) == FAILED]
    unread = [row for row in rows if row[1].get("fault") and _find_outcome(row) != FAILED]
    ended = [f"{each.id}: {each.limit.type}" for each in log.samples or () if each.limit]
    found = [
        ("unread replies", [str(row[1]["fault"]) for row in unread], "counts what is missing"),
        ("failed calls", [str(row[1]["fault"]) for row in failed], "counts what is missing"),
        ("replies ended by a limit", ended, "reads what was said by then"),
        (
            "replies without a place",
            [row[2] for row in rows if "counts" not in row[1]],
            "has no line for them",
        ),
    ]
    return of_files + [
        Problem(kind=kind, count=len(examples), example=examples[0], official=official)
        for kind, examples, official in found
        if examples
    ]


def _name_model(log: EvalLog) -> str:
    """Returns who answered: the model, or what stood in for it."""
    arguments = log.eval.solver_args or {}
    if log.eval.solver == f"commonground/{baseline.__name__}":
        return f"{BASELINE}{arguments.get('method')}"
    if log.eval.solver == f"commonground/{chance.__name__}":
        return f"{BASELINE}chance"
    if log.eval.solver == f"commonground/{people.__name__}":
        return PEOPLE
    if log.eval.solver == f"commonground/{predictions.__name__}":
        files = arguments.get("file") or ""
        names = [files] if isinstance(files, str) else files
        return " + ".join(Path(each).name for each in names)
    return log.eval.model


def _describe(
    log: EvalLog, facts: dict[str, Any], group: str, rows: Sequence[Row], judged: Judged | None
) -> AskedModel:
    outcomes = count_outcomes(map(_find_outcome, rows))
    outcomes[UNJUDGED] = judged.unjudged if judged else 0
    judge = log.stats.role_usage.get(ROLE)
    # As inspect_ai merges them: what is set for the model gives way to what is set for the task.
    config = log.eval.model_generate_config.merge(log.plan.config)
    return AskedModel(
        model=_name_model(log),
        corpus=facts["corpus"],
        asked_at=log.eval.created,
        status=log.status,
        group=group,
        prompt_version=facts["prompt_version"],
        prompt_hash=facts["prompt_hash"],
        answers=_name_answers(facts),
        variant=facts["variant"],
        few_shot=facts["few_shot"],
        narrowed=list(_list_narrowing(log, facts)),
        of=_count_there(facts, rows),
        questions=facts.get("questions_hash"),
        pictures=facts.get("pictures_hash"),
        image_size=facts.get("image_size"),
        temperature=config.temperature,
        max_tokens=config.max_tokens,
        data=str(facts["data"]["sha256_of_hashes"])[:12] if facts["data"] else None,
        dialogues=len({row[0]["dialogue_id"] for row in rows}),
        epochs=log.eval.config.epochs or 1,
        outcomes=outcomes,
        used=count_used(log.stats.model_usage.values(), [judge] if judge else ()),
    )


def _list_narrowing(log: EvalLog, facts: dict[str, Any]) -> Iterator[str]:
    """Yields the options that left questions of a split out: those of the task, inspect_ai's."""
    for name in ("limit", "per_dialogue", "where"):
        if facts.get(name) is not None:
            yield f"-T {name}={facts[name]}"
    config = log.eval.config
    if config.limit is not None:
        span = config.limit if isinstance(config.limit, int) else "-".join(map(str, config.limit))
        yield f"--limit {span}"
    if config.sample_id is not None:
        yield f"--sample-id {_write_option(config.sample_id)}"


def _write_option(value: Any) -> str:
    """Writes the value of an option as it is given; long ones in short."""
    listed = [str(each) for each in value] if isinstance(value, list | tuple) else [str(value)]
    more = ",..." if len(listed) > _FEW else ""
    return ",".join(listed[:_FEW]) + more


def _count_there(facts: dict[str, Any], rows: Sequence[Row]) -> int | None:
    """Counts the instances of the parts and splits that rows are of; None in older logs."""
    if "instances" not in facts:
        return None
    divisions = [{name: row[0].get(name) for name in ("part", "split")} for row in rows]
    parts, splits = ({each[name] for each in divisions} for name in ("part", "split"))
    return sum(
        int(each["instances"])
        for each in facts["instances"]
        # Without parts, a file of predictions has all splits.
        if each["part"] in parts and (each["split"] in splits or not each["part"])
    )


def _name_answers(facts: dict[str, Any]) -> str:
    """Returns how answers were given; words are no JSON, though nothing else was asked for."""
    is_text = facts["answers"] == "json" and get_prompt(facts["task"]).is_text
    return "text" if is_text else str(facts["answers"])


def count_used(usage: Iterable[ModelUsage], other: Sequence[ModelUsage] = ()) -> Used:
    """Sums up what models took, without ``other``, such as a judge's share."""
    # inspect_ai counts by model, a judge's among them: it is taken off again, with a minus.
    signed = [*((1, each) for each in usage), *((-1, each) for each in other)]
    costs = [sign * each.total_cost for sign, each in signed if each.total_cost is not None]
    cost = sum(costs)
    return Used(
        input_tokens=sum(sign * count_read(each) for sign, each in signed),
        output_tokens=sum(sign * each.output_tokens for sign, each in signed),
        # Nothing is left where only what is not to be counted has a price.
        cost=cost if costs and (cost > _NOTHING or not other) else None,
    )


def keep_common(one: LoggedRun, other: LoggedRun) -> tuple[Task, Evaluation, Evaluation, int]:
    """Returns the task of two runs, their instances that both have counts of, and how many not.

    Raises:
        TaskError: they are of different tasks, or have no instance in common.
    """
    tasks = {each.evaluation.result.task for each in (one, other)}
    if len(tasks) > 1:
        raise TaskError(f"The logs are of different tasks: {', '.join(sorted(tasks))}.")
    first, second = (
        {each.instance_id: each for each in run.evaluation.instances if each.counts}
        for run in (one, other)
    )
    common = first.keys() & second.keys()
    if not common:
        advice = "Ask both models with the same split, limit and seed."
        raise TaskError("The logs have no instance in common.", advice)
    kept = [
        Evaluation(each.evaluation.result, [s for name, s in mine.items() if name in common])
        for each, mine in ((one, first), (other, second))
    ]
    return get_task(tasks.pop()), kept[0], kept[1], len(first.keys() ^ second.keys())
