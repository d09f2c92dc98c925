"""A language model as judge of words: ``-T judge=true --model-role grader=MODEL``.

A judge is a second opinion beside the official metric, never in its place. So it is asked only
where a task asks for words, and only if the user names who it is; how far it agrees with the
metric stands beside what it says.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from inspect_ai._util.error import PrerequisiteError
from inspect_ai.model import (
    ChatMessage,
    ChatMessageSystem,
    ChatMessageUser,
    Content,
    ContentText,
    get_model,
)
from inspect_ai.model._model import model_roles
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, metric, scorer
from inspect_ai.solver import TaskState

from commonground.bench.evaluation.prompts import get_prompt, hash_rubric
from commonground.bench.evaluation.reply_scoring import combine_scored
from commonground.bench.evaluation.reporting import Judged
from commonground.bench.evaluation.scoring import SEED
from commonground.bench.evaluation.tasks import get_task
from commonground.bench.inspect_tasks.scoring.logged_replies import read_scored
from commonground.bench.inspect_tasks.scoring.rates import name_ends
from commonground.bench.metrics.rank_correlation import correlate_ranks
from commonground.errors import TaskError
from commonground.metric import Counts, Values
from commonground.replies import read_json, read_whole
from commonground.reply_outcomes import find_ending
from commonground.statistics.bootstrap import bootstrap_intervals
from commonground.statistics.counts import group_rows, ratio, sum_table, tabulate_counts

ROLE = "grader"
OFFICIAL, JUDGED = "official", "judged"
"""Names that the scores have in a log."""
WORST, BEST = 1, 5
_ADVICE = f"Name one: --model-role {ROLE}=MODEL."


def require_rubric(task: str) -> None:
    """Checks that words of a task can be judged.

    Raises:
        TaskError: the task asks for something else.
    """
    if not get_prompt(task).rubric:
        raise TaskError(f"{task} has no words to judge.", "Leave -T judge out.")


@metric(scores="unreduced")
def judgement() -> Metric:
    """The mean of what the judge says, and how far it agrees with the official metric.

    Both have 95 % intervals, from dialogues drawn anew with all their replies.
    """

    def compute(scores: list[SampleScore]) -> dict[str, float]:
        found = [each.score.metadata or {} for each in scores]
        if not found:
            return {}
        said = summarise(found)
        mean = name_ends("judged", said.mean, said.mean_low, said.mean_high)
        return mean | name_ends(
            "agreement", said.agreement, said.agreement_low, said.agreement_high
        )

    return compute


@scorer(metrics=[judgement()])
def judged() -> Scorer:
    """Asks a judge for points from 1 to 5, by the rubric of the task.

    The judge is the model of the role ``grader``, and no other. An empty reply has 1 point without
    a question. What the judge says is not a score where it cannot be read: such a reply counts as
    unjudged.
    """

    async def score(state: TaskState, target: Target) -> Score:
        task = str(state.metadata["asked_task"])
        require_rubric(task)
        require_grader()
        grader = get_model(role=ROLE)
        said = state.output.completion
        about: dict[str, Any] = {
            "dialogue_id": state.metadata["dialogue_id"],
            "official": _read_official(state),
            "grader": str(grader),
            "rubric_version": get_prompt(task).rubric_version,
            "rubric_hash": hash_rubric(get_prompt(task)),
        }
        if not said.strip() or find_ending(state.output) is not None:
            # Nobody need be paid to say what nothing is worth.
            return Score(value=WORST, answer=said, explanation="no answer", metadata=about)
        output = await grader.generate(_ask(task, state, target.text, said))
        try:
            points, why = read_points(output.completion)
        except (ValueError, TypeError, LookupError) as error:
            about["points"] = None
            return Score.unscored(
                reason="invalid_response_format",
                answer=said,
                explanation=f"The judge cannot be read: {error}: {output.completion}",
                metadata=about,
            )
        return Score(
            value=points, answer=said, explanation=why, metadata=about | {"points": points}
        )

    return score


def require_grader() -> None:
    """Makes sure that a model has the role.

    Raises:
        PrerequisiteError: none has.
    """
    # `get_model` would give the model that is asked for a role that nobody named: its own judge.
    if ROLE not in model_roles():
        raise PrerequisiteError(f"A judge is used only if you name one. {_ADVICE}")


def _read_official(state: TaskState) -> float | None:
    """Returns the first main number of the same reply; None where it has none."""
    found, task = (state.scores or {}).get(OFFICIAL), get_task(state.metadata["asked_task"])
    if found is None or not task.main:
        return None
    scored = read_scored((state.metadata, found.metadata or {}, str(state.sample_id)))
    if scored is None:
        return None
    measure, _, name = task.main[0].partition(":")
    return combine_scored(task, [scored])[measure].get(name)


def _ask(task: str, state: TaskState, right: str, said: str) -> list[ChatMessage]:
    """Writes the question for the judge: what the model was asked, the right answer, the reply."""
    # The last message is the question itself; examples and instructions before it are not judged.
    asked = state.input[-1] if not isinstance(state.input, str) else None
    content = asked.content if asked is not None else str(state.input)
    parts: list[Content] = [ContentText(text=content)] if isinstance(content, str) else [*content]
    parts.append(ContentText(text=f"What a person answered:\n{right}\n\nThe reply:\n{said}"))
    return [ChatMessageSystem(content=get_prompt(task).rubric), ChatMessageUser(content=parts)]


def read_points(text: str) -> tuple[int, str]:
    """Reads what a judge says: points, and why.

    Args:
        text: JSON such as ``{"points": 3, "why": "..."}``, alone or in a code fence.

    Raises:
        ValueError: it is none, or the points are not from 1 to 5.
        TypeError: it is something else.
        LookupError: it has no points.
    """
    value = read_json(text)
    points = read_whole(value["points"])
    if not WORST <= points <= BEST:
        raise ValueError(f"{points} is not from {WORST} to {BEST}")
    return points, str(value.get("why", ""))


def _combine(sums: Counts) -> Values:
    return {"judged": ratio(sums.get("points", 0), sums.get("n"))}


def summarise(found: Sequence[Mapping[str, Any]]) -> Judged:
    """Sums up what a judge said.

    Args:
        found: metadata of the scores; those that could not be read may be among them.
    """
    read = [each for each in found if _points(each) is not None]
    first = found[0]
    table = tabulate_counts({"n": 1, "points": _points(each) or 0} for each in read)
    table = group_rows(table, [each["dialogue_id"] for each in read])
    mean = _combine(sum_table(table))["judged"] if read else None
    interval = bootstrap_intervals(table, _combine, seed=SEED)["judged"] if read else None
    # Ranks are compared where both say something: an undefined metric ranks nothing.
    both = [each for each in read if each["official"] is not None]
    agreement = correlate_ranks(
        [_points(each) or 0 for each in both],
        [each["official"] for each in both],
        [each["dialogue_id"] for each in both],
        seed=SEED,
    )
    return Judged(
        grader=first["grader"],
        rubric_version=first["rubric_version"],
        rubric_hash=first["rubric_hash"],
        mean=mean,
        mean_low=interval.low if interval else None,
        mean_high=interval.high if interval else None,
        agreement=agreement.value,
        agreement_low=agreement.low,
        agreement_high=agreement.high,
        n=len(read),
        unjudged=len(found) - len(read),
    )


def _points(found: Mapping[str, Any]) -> int | None:
    """Returns the points of a reply; an empty one, of which nobody was asked, has the fewest."""
    points: int | None = found.get("points", WORST)
    return points
