"""The scorer: what ``commonground evaluate`` says of each reply, and of all of them together."""

from __future__ import annotations

from typing import Any

import anyio
import anyio.to_thread
from inspect_ai.model import ModelOutput
from inspect_ai.scorer import (
    Metric,
    SampleScore,
    Score,
    Scorer,
    Target,
    accuracy,
    metric,
    scorer,
    stderr,
)
from inspect_ai.solver import TaskState

from commonground.bench.evaluation.prompts import get_prompt, write_json
from commonground.bench.evaluation.reply_scoring import ScoredReply, combine_scored, is_right
from commonground.bench.evaluation.reporting import short_name
from commonground.bench.evaluation.tasks import get_task
from commonground.bench.inspect_tasks.asking.tools import write_reply
from commonground.bench.inspect_tasks.scoring.logged_replies import summarise
from commonground.bench.inspect_tasks.scoring.open_scorers import open_scorer, read_asked
from commonground.reply_outcomes import (
    CUT,
    EMPTY,
    FILTERED,
    MALFORMED,
    OVERFLOW,
    REFUSED,
    UNKNOWN,
    find_ending,
)

MISSING_PLACE = "no right answer was released"

_REASONS = {
    OVERFLOW: "context_overflow",
    CUT: "cut_off",
    FILTERED: "refusal",
    REFUSED: "refusal",
    EMPTY: "no_response",
    MALFORMED: "invalid_response_format",
    UNKNOWN: "invalid_response_format",
}
"""inspect_ai's words for why a reply is no answer, and two of ours where it has none."""


@metric(scores="unreduced")
def measures() -> Metric:
    """The main numbers of a benchmark task over all replies, with 95 % intervals over dialogues.

    Replies of several epochs count one by one; dialogues are drawn anew with all of them.
    """

    def compute(scores: list[SampleScore]) -> dict[str, float]:
        return summarise(
            (each.sample_metadata or {}, each.score.metadata or {}, str(each.sample_id))
            for each in scores
        )

    return compute


@scorer(metrics=[measures(), accuracy(), stderr(cluster="dialogue_id")])
def official(store: str | None = None) -> Scorer:
    """Scores replies as the authors' script scores predictions.

    The value is 1 where a reply gets the best of every main number, so that accuracy, ``pass_k``
    and their like are of these; the metadata has the counts of every measure, as ``commonground
    evaluate --per-instance``. What was asked stands in the metadata of each sample.

    Args:
        store: folder of the store; None for the usual one.
    """
    # Held while the right answers are read, which every sample waits for.
    lock = anyio.Lock()

    async def score(state: TaskState, target: Target) -> Score:  # noqa: ARG001 - inspect_ai's
        asked = read_asked(state.metadata)
        said = read_reply(asked.task, state.metadata.get("answers"), state.output)
        ending = find_ending(state.output)

        def score_reply() -> ScoredReply:
            return open_scorer(asked, store).score(str(state.sample_id), said, ending=ending)

        async with lock:
            reply = await anyio.to_thread.run_sync(score_reply)
        return _make_score(asked.task, reply, said)

    return score


def read_reply(task: str, answers: str | None, output: ModelOutput) -> str:
    """Returns what a model said, or what it called as the answer that was asked for.

    Args:
        answers: how answers are given; None as the prompt says.
    """
    if answers != "tools":
        return output.completion
    try:
        return write_reply(get_prompt(task), output)
    except ValueError as error:
        # No task takes it for an answer, so that it counts as one that cannot be read.
        return f"?? {error}"


def describe_reply(reply: ScoredReply) -> dict[str, Any]:
    """Returns what a log keeps of a scored reply."""
    scored = reply.scored
    facts: dict[str, Any] = {
        "part": reply.part,
        "split": reply.split,
        "place": reply.place,
        "fault": reply.fault,
        "outcome": reply.outcome,
    }
    if scored is not None:
        facts |= {
            "counts": {name: dict(counts) for name, counts in scored.counts.items()},
            "predicted": None if scored.predicted is None else write_json(scored.predicted),
            "is_missing": scored.is_missing,
        }
    return facts


def _make_score(task: str, reply: ScoredReply, text: str) -> Score:
    scored = reply.scored
    right = scored is not None and reply.fault is None and is_right(get_task(task), scored)
    return Score(
        value=int(right),
        answer=text,
        explanation=reply.fault or _explain(task, reply),
        reason=None if reply.fault is None else _REASONS.get(reply.outcome or MALFORMED),
        metadata=describe_reply(reply),
    )


def _explain(task_name: str, reply: ScoredReply) -> str:
    """Writes the main numbers of one reply."""
    if reply.scored is None:
        return MISSING_PLACE
    task = get_task(task_name)
    values = combine_scored(task, [reply.scored])
    if task.main:
        named = {short_name(task, each): each for each in task.main}
    else:
        # Tasks that name no main numbers have few; three fit on a line of the viewer.
        first = [(m, name) for m in values for name in values[m]][:3]
        named = {name: f"{measure}:{name}" for measure, name in first}
    parts = ((name, each.partition(":")) for name, each in named.items())
    numbers = ((name, values.get(measure, {}).get(number)) for name, (measure, _, number) in parts)
    return ", ".join(f"{name} {value:g}" for name, value in numbers if value is not None)
