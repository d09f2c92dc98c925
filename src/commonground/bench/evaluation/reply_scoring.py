"""What language models said, scored reply by reply as predictions in a file are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec

from commonground.bench.evaluation.baselines.methods import get_baselines
from commonground.bench.evaluation.instances import list_instances
from commonground.bench.evaluation.prompts import (
    SEED,
    Question,
    get_prompt,
    pose_question,
    read_answer,
    render_inputs,
    render_target,
    take_out,
)
from commonground.bench.evaluation.tasks import get_task
from commonground.errors import TaskError
from commonground.metric import Values
from commonground.replies import UnknownNameError, read_json
from commonground.reply_outcomes import EMPTY, MALFORMED, OUTCOMES, UNKNOWN
from commonground.statistics.counts import sum_counts
from commonground.store.corpus import Corpus
from commonground.store.opening import load
from commonground.task import Gold, Instance, Scored, Tally, Task

_ROUNDING = 1e-5
"""F1 of SIMMC's lists of attributes has so much added to its denominator."""


class ScoredReply(msgspec.Struct, frozen=True, kw_only=True):
    """One reply, scored.

    Attributes:
        part: part of the corpus that it is of, such as SIMMC's domain; empty where there are none.
        place: place of the instance among all.
        scored: the instance, scored; None where no right answer was released.
        fault: why the reply cannot be read; None where it can.
        outcome: what became of the question, a key of
            :data:`~commonground.reply_outcomes.OUTCOMES`; None where it was answered.
    """

    instance_id: str
    dialogue_id: str
    part: str
    split: str | None
    place: int
    scored: Scored | None
    fault: str | None
    outcome: str | None = None


class AskableInstance(msgspec.Struct, frozen=True):
    """An instance that may be asked about.

    Attributes:
        place: its place among all instances.
        released: the instance as it is scored.
    """

    place: int
    released: Instance
    question: Question
    part: str
    split: str | None

    @property
    def instance(self) -> Instance:
        """The instance as it is asked about."""
        return self.question.instance


class ReplyScorer:
    """Scores replies to the questions of a task.

    Args:
        split: split that instances are of; None for all.
        seed: of the order in which candidates were shown.

    Raises:
        UsageError: there is no such task.
        TaskError: it has no prompt.
    """

    def __init__(
        self, task: str, corpus: Corpus, *, split: str | None = None, seed: int = SEED
    ) -> None:
        self.task: Task = get_task(task)
        self.prompt = get_prompt(task)
        self._baselines = get_baselines(task)
        self._gold = Gold(corpus=corpus, split=split)
        self._seed = seed

    @cached_property
    def lines(self) -> dict[str, AskableInstance]:
        """Every instance by id, in order, as it is asked about."""
        part, corpus = self._baselines.part, self._gold.corpus
        query = "SELECT dialogue_id, split FROM dialogues WHERE corpus = ?"
        splits: dict[str, str | None] = dict(corpus.rows(query, [corpus.name]))
        return {
            each.instance_id: AskableInstance(
                place,
                each,
                pose_question(self.prompt, each, self._seed),
                part(each) if part else "",
                splits.get(each.dialogue_id, self._gold.split),
            )
            for place, each in enumerate(list_instances(self.task, self._gold))
        }

    def list_asked(self) -> list[str]:
        """Returns the ids of the instances that have a right answer, in order."""
        return [name for name, line in self.lines.items() if self._has_target(line)]

    def _has_target(self, line: AskableInstance) -> bool:
        return render_target(self.prompt, line.instance) is not None

    @cached_property
    def known_names(self) -> frozenset[str]:
        """The names that right answers use, such as acts, APIs and labels."""
        if self.prompt.names is None:
            return frozenset()
        targets = (render_target(self.prompt, each.instance) for each in self.lines.values())
        return frozenset(
            name
            for target in targets
            if target is not None
            for name in self.prompt.names(read_json(target))
        )

    def score(self, name: str, text: str, *, ending: str | None = None) -> ScoredReply:
        """Scores what was said of an instance; a reply that cannot be read is wrong.

        Args:
            name: id of the instance.
            ending: what the provider says of its end, one of
                :data:`~commonground.reply_outcomes.ENDINGS`: then what was said is no
                answer; None where it ended by itself.

        Raises:
            TaskError: there is no such instance.
        """
        line = self.lines.get(name)
        if line is None:
            raise TaskError(
                f"{self.task.name} has no instance {name!r} here.",
                "Check that the store has the corpus and split that were asked about.",
            )
        value, fault, outcome = None, None, ending
        if ending is not None:
            fault = f"{name}: {OUTCOMES[ending][:-1]}"
        else:
            try:
                value, outcome = self._read(line, text), self._find_unknown(line, text)
            except TaskError as error:
                fault, outcome = error.message, _name_fault(text, error)
        return ScoredReply(
            instance_id=name,
            dialogue_id=line.instance.dialogue_id,
            part=line.part,
            split=line.split,
            place=line.place,
            scored=self._score(line, value) if self._has_target(line) else None,
            fault=fault,
            outcome=outcome,
        )

    def _find_unknown(self, line: AskableInstance, text: str) -> str | None:
        """Says whether a reply that was read uses a name that there is not."""
        if self.prompt.names is None:
            return None
        numbers = line.question.numbers
        try:
            said, known = take_out(read_json(text)), self.known_names
            if numbers is not None:
                # Of this question only: other questions show other pictures under a number.
                said, known = numbers.hide(numbers.reveal(said)), frozenset()
            unknown = set(self.prompt.names(said)) - known
        # It was read in a form that its names are not looked for in.
        except (ValueError, TypeError, LookupError, AttributeError):
            return None
        if not unknown:
            return None
        shown = render_inputs(self.task, line.instance)
        return None if all(name in shown for name in unknown) else UNKNOWN

    def _read(self, line: AskableInstance, text: str) -> Any:
        answer = read_answer(self.prompt, line.question, text)
        if self._baselines.take is None:
            return answer
        tally = Tally()
        value = self._baselines.take(line.released, answer, tally)
        if value is None:
            name = line.instance.instance_id
            raise TaskError(f"{name}: the answer cannot be read: {tally.describe()}.")
        return value

    def _score(self, line: AskableInstance, value: Any) -> Scored:
        scored = self.task.score(line.released, value, Tally())
        return msgspec.structs.replace(scored, split=line.split)


def _name_fault(text: str, error: TaskError) -> str:
    """Names the outcome of a reply that cannot be read."""
    if not text.strip():
        return EMPTY
    return UNKNOWN if isinstance(error.__cause__, UnknownNameError) else MALFORMED


def combine_scored(task: Task, scored: Iterable[Scored]) -> dict[str, Values]:
    """Returns the values of each measure of a task over scored instances."""
    counts = [each.counts for each in scored]
    return {
        measure.name: measure.combine(
            sum_counts(each[measure.name] for each in counts if measure.name in each)
        )
        for measure in task.measures
    }


def is_right(task: Task, scored: Scored) -> bool:
    """Says whether an instance got the best of every main number that is defined for it.

    Where the best of all of them depends on the data, as that of BLEU does, right is what the right
    answer says, letter by letter.
    """
    values = combine_scored(task, [scored])
    measures = {measure.name: measure for measure in task.measures}
    wanted = task.main or tuple(
        f"{measure}:{name}" for measure in values for name in values[measure]
    )
    is_compared = False
    for measure, _, name in (each.partition(":") for each in wanted):
        value, best = values[measure].get(name), measures[measure].find_best(name)
        if value is None or best is None:
            continue
        if abs(value - best) > _ROUNDING:
            return False
        is_compared = True
    return bool(scored.counts) and (is_compared or scored.predicted == scored.gold)


def score_texts(
    task_name: str,
    texts: Mapping[str, str],
    corpus: str,
    store: str | Path | None = None,
) -> dict[str, float]:
    """Scores what a model said of instances of a task.

    An answer that cannot be read is wrong.

    Args:
        task_name: name of the task.
        texts: what was said, by id of the instance.
        corpus: name of the imported corpus.
        store: folder of the store; None for the usual one.

    Returns:
        Values by ``measure:value``, with part and split before them where a file of predictions
        holds one part only (``fashion/devtest/``); ``asked``, ``unread`` and ``unscored`` (no file
        of predictions has a place for them) count instances.

    Raises:
        TaskError: there is no instance of an id.

    Example:
        >>> import commonground as cg
        >>> first = next(iter(cg.instances("frames/nlu")))
        >>> scores = cg.score_texts("frames/nlu", {first.instance_id: "inform"}, "frames")
        >>> scores["asked"], scores["unread"]
        (1.0, 1.0)
    """
    scorer = ReplyScorer(task_name, load(corpus, store))
    replies = [scorer.score(name, text) for name, text in texts.items()]
    values = {
        "asked": float(len(replies)),
        "unread": float(sum(each.fault is not None for each in replies)),
        "unscored": float(sum(each.scored is None for each in replies)),
    }
    for prefix, mine in group_replies(replies).items():
        found = combine_scored(scorer.task, (each.scored for each in mine if each.scored))
        values |= {
            f"{prefix}{measure}:{name}": value
            for measure, each in found.items()
            for name, value in each.items()
            if value is not None
        }
    return values


def group_replies(replies: Iterable[ScoredReply]) -> dict[str, list[ScoredReply]]:
    """Groups replies by part and split where parts have files of their own; else all are one."""
    groups: dict[str, list[ScoredReply]] = {}
    for each in replies:
        prefix = "".join(f"{name}/" for name in (each.part, each.split) if each.part and name)
        groups.setdefault(prefix, []).append(each)
    return groups
