"""The scorer: what ``commonground evaluate`` says of each reply, and of all of them together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

import anyio
import anyio.to_thread
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
from commonground.bench.evaluation.reply_scoring import (
    ReplyScorer,
    ScoredReply,
    combine_scored,
    is_right,
)
from commonground.bench.evaluation.reporting import short_name
from commonground.bench.evaluation.tasks import get_task
from commonground.bench.inspect_tasks.asking.tools import write_reply
from commonground.bench.inspect_tasks.scoring.logged_replies import summarise
from commonground.bench.inspect_tasks.scoring.open_scorers import Asked, open_scorer, read_asked

MISSING_PLACE = "no file of predictions has a place for it"


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
    batches: dict[Asked, _Batches] = {}

    async def score(state: TaskState, target: Target) -> Score:  # noqa: ARG001 - inspect_ai's
        asked = read_asked(state.metadata)
        if asked not in batches:
            batches[asked] = _Batches(partial(open_scorer, asked, store))
        said = _read_reply(asked.task, state)
        reply = await batches[asked].score(str(state.sample_id), said)
        return _make_score(asked.task, reply, said)

    return score


def _read_reply(task: str, state: TaskState) -> str:
    """Returns what a model said, or what it called as the answer that was asked for."""
    if state.metadata.get("answers") != "tools":
        return state.output.completion
    try:
        return write_reply(get_prompt(task), state.output)
    except ValueError as error:
        # No task takes it for an answer, so that it counts as one that cannot be read.
        return f"?? {error}"


class _Waiting:
    """A reply that waits to be scored."""

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        self.text = text
        self.found: ScoredReply | Exception | None = None


class _Batches:
    """Scores whatever waits at a time together, as reading right answers takes longer than that.

    Args:
        opens: opens the scorer of a task.
    """

    def __init__(self, opens: partial[ReplyScorer]) -> None:
        self._opens = opens
        self._waiting: list[_Waiting] = []
        # Held while a batch is scored: who waits for it adds to the next one.
        self._lock = anyio.Lock()

    async def score(self, name: str, text: str) -> ScoredReply:
        """Scores a reply; whoever comes first while nothing is scored does it for all."""
        mine = _Waiting(name, text)
        self._waiting.append(mine)
        async with self._lock:
            # Else another one took it along in its batch.
            if mine.found is None:
                batch, self._waiting = self._waiting, []
                # A sample that is ended meanwhile must not take the others' scores with it.
                with anyio.CancelScope(shield=True):
                    await anyio.to_thread.run_sync(self._score, batch)
        if isinstance(mine.found, ScoredReply):
            return mine.found
        raise mine.found or RuntimeError(f"{name} was not scored.")

    def _score(self, batch: Sequence[_Waiting]) -> None:
        try:
            texts = [(each.name, each.text) for each in batch]
            found: Iterable[ScoredReply | Exception] = self._opens().score(texts)
        # Kept for each that waits: raised here, it would end the one that scores and leave the
        # others waiting for ever.
        except Exception as error:
            found = [error] * len(batch)
        for waiting, each in zip(batch, found, strict=True):
            waiting.found = each


def _make_score(task: str, reply: ScoredReply, text: str) -> Score:
    scored = reply.scored
    right = scored is not None and reply.fault is None and is_right(get_task(task), scored)
    told: dict[str, Any] = {
        "part": reply.part,
        "split": reply.split,
        "place": reply.place,
        "fault": reply.fault,
    }
    if scored is not None:
        told |= {
            "counts": {name: dict(counts) for name, counts in scored.counts.items()},
            "predicted": _write(scored.predicted),
            "is_missing": scored.is_missing,
        }
    return Score(
        value=int(right),
        answer=text,
        explanation=reply.fault or _explain(task, reply),
        reason=None if reply.fault is None else _name_fault(text),
        metadata=told,
    )


def _name_fault(text: str) -> str:
    """Returns inspect_ai's word for what is wrong with a reply that cannot be read."""
    return "invalid_response_format" if text.strip() else "no_response"


def _write(value: Any) -> str | None:
    return None if value is None else write_json(value)


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
    told = ((name, values.get(measure, {}).get(number)) for name, (measure, _, number) in parts)
    return ", ".join(f"{name} {value:g}" for name, value in told if value is not None)
