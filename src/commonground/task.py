"""What a benchmark task is; corpora fill it, ``evaluation`` runs it.

A task is a file ``corpora/<name>/tasks/<task>.py``, or a folder of that name, with the constants
``TASK``, ``PROMPT`` and ``BASELINES`` (``corpora.Entry.task_parts`` says where). Each
instance is scored by itself first; named values come from summed counts (``metrics.base``), so
every number opens down to its instances.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from commonground.errors import TaskError
from commonground.metric import Counts, Metric
from commonground.printing import Brief

MISSING = "they are left out or, where their split is asked for,"
"""What becomes of instances without a prediction, in problems; what counts then goes after."""


MAIN_VALUES = 3
"""Values of the first measure that sum up a result of a task that names no main ones."""


class Instance(Brief, msgspec.Struct, frozen=True, kw_only=True):
    """One thing to predict.

    Attributes:
        instance_id: unique in its task and split.
        dialogue_id: dialogue it is from; instances of one dialogue are resampled together.
        event: event it is about, as numbered in the store; None where there is none.
        inputs: what the authors allow a model to see, by name.
        gold: what is to be predicted; None where it was never released.
        right: the same in the form in which its task scores against it, which is the task's own;
            None where gold is that, or was never released.
    """

    instance_id: str
    dialogue_id: str
    event: int | None = None
    inputs: dict[str, Any]
    gold: Any = None
    right: Any = None


class Scored(Brief, msgspec.Struct, frozen=True, kw_only=True):
    """One instance, scored.

    Attributes:
        instance_id: of the instance.
        dialogue_id: of the instance.
        counts: its counts, by the name of the metric; empty where it could not be scored.
        gold: what was to be predicted, for people.
        predicted: what was predicted, for people.
        answer: what was predicted, whole, in the form in which baselines of the task answer; None
            where nothing was, or it cannot be read.
        split: its split, where the right answers themselves say; else the store does.
        is_missing: whether it was not predicted; what was predicted and cannot be read is not
            missing, and counts as wrong.
        is_named: whether the predictions name it or its dialogue, though they predict nothing of
            it: then they are of its split, too.
        is_repeated: whether it was scored before.
    """

    instance_id: str
    dialogue_id: str
    counts: dict[str, Counts]
    gold: Any = None
    predicted: Any = None
    answer: Any = None
    split: str | None = None
    is_missing: bool = False
    is_named: bool = False
    is_repeated: bool = False


class Problem(msgspec.Struct, frozen=True, kw_only=True):
    """Something about predictions that a reader of the numbers must know.

    Attributes:
        kind: short name: ``missing turns``, ``ties``, ``not a number``.
        count: how many places.
        example: one of them.
        official: what the official script does about it.
        skipped: instances that are left out of the numbers because of it.
    """

    kind: str
    count: int
    example: str
    official: str
    skipped: int = 0


class Scoring(msgspec.Struct):
    """What scoring a file of predictions gave.

    Attributes:
        instances: the instances, scored.
        problems: what is to be known of the predictions.
        settings: what the numbers depend on beside the predictions, such as the tokenizer.
        is_undefined: whether the official script prints numbers of nothing for these predictions:
            then so does the result, instead of an error.
    """

    instances: list[Scored] = []
    problems: list[Problem] = []
    settings: dict[str, str] = {}
    is_undefined: bool = False


class Tally:
    """Counts faults of predictions by kind, and keeps the first of each as an example.

    Args:
        official: what the official script does, by kind; kinds that are not there say so when
            they are added.
        prefix: put before what is said then.
    """

    def __init__(self, official: Mapping[str, str] | None = None, *, prefix: str = "") -> None:
        self._official = dict(official or {})
        self._prefix = prefix
        self._counts: dict[str, int] = {}
        self._skipped: dict[str, int] = {}
        self._examples: dict[str, str] = {}

    def add(
        self, kind: str, example: str, official: str = "", *, count: int = 1, skipped: int = 0
    ) -> None:
        """Counts a fault, and the instances that are left out of the numbers because of it.

        Args:
            kind: short name of the fault.
            example: where it is; the first one of a kind is kept.
            official: what the official script does, unless that was said before.
            count: how many places; 0 adds nothing.
            skipped: instances that are left out of the numbers because of it.
        """
        # So that callers can add numbers that are mostly 0 without asking.
        if count:
            self._official.setdefault(kind, self._prefix + official)
            self._counts[kind] = self._counts.get(kind, 0) + count
            self._skipped[kind] = self._skipped.get(kind, 0) + skipped
            self._examples.setdefault(kind, example)

    def problems(self) -> list[Problem]:
        """Returns one problem for each kind, in order of first appearance."""
        return [
            Problem(
                kind=kind,
                count=count,
                example=self._examples[kind],
                official=self._official[kind],
                skipped=self._skipped[kind],
            )
            for kind, count in self._counts.items()
        ]

    def describe(self) -> str:
        """Says in a few words what was found."""
        described = [f"{p.count} {p.kind} ({p.example})" for p in self.problems()]
        return "; ".join(described) or "nothing"


class Prediction(msgspec.Struct, frozen=True, kw_only=True):
    """What a file predicts of an instance.

    Attributes:
        instance: the instance.
        value: the prediction, in the form that its task's ``score`` takes; None where nothing can
            be read of it.
        split: split of the instance, where the right answers themselves say.
        is_missing: whether it is not predicted; then ``value`` is what the task takes for that.
        is_ignored: whether official scripts pass over it, so that it counts in measures of whole
            splits only (``Metric.counts_missing``).
        is_named: as in :class:`Scored`, like the next one.
        is_repeated: whether it was predicted before.
    """

    instance: Instance
    value: Any = None
    split: str | None = None
    is_missing: bool = False
    is_ignored: bool = False
    is_named: bool = False
    is_repeated: bool = False


class Predictions(msgspec.Struct, kw_only=True):
    """What a file of predictions says, instance by instance.

    Attributes:
        found: a prediction for each instance; may be gone through once.
        tally: faults of the predictions; complete when all of them were scored.
        problems: what is to be known of the right answers.
        settings: as in :class:`Scoring`, like the next one.
        is_undefined: whether the official script prints numbers of nothing for these predictions.
        advice: what to do where none of them can be scored; None where that is no error.
        check: counts what only all instances together tell, when they were scored; None for
            nothing.
    """

    found: Iterable[Prediction]
    tally: Tally
    problems: list[Problem] = []
    settings: dict[str, str] = {}
    is_undefined: bool = False
    advice: str | None = None
    check: Callable[[Sequence[Scored]], None] | None = None


class Published(msgspec.Struct, frozen=True, kw_only=True):
    """A result that somebody published for a task.

    Attributes:
        system: name of the system.
        split: split it is for.
        values: the numbers, under the names of our measures; under another name where what was
            measured is none of ours.
        source: where it stands, with page or file and commit.
        comparable: whether our data and measure are the same; if not, why.
        deviations: what stands after a ±, by the number's name: deviations over runs.
        marks: marks of significance after numbers, such as ``**``, by the number's name.
    """

    system: str
    split: str
    values: dict[str, float]
    source: str
    comparable: str
    deviations: dict[str, float] = {}
    marks: dict[str, str] = {}


class Gold(msgspec.Struct):
    """Where the right answers come from.

    Attributes:
        files: released files named by the user; empty means the store.
        corpus: the imported corpus (``commonground.store.corpus.Corpus``); None with files.
        split: split to score; None for all that is there.
        dialogues: ids of the dialogues to keep, such as those held out; None for all.
        is_whole: whether all that is there is scored, not only the splits that predictions name.
    """

    files: Sequence[Path] = ()
    corpus: Any = None
    split: str | None = None
    dialogues: frozenset[str] | None = None
    is_whole: bool = False

    def keeps(self, dialogue_id: str) -> bool:
        """Says whether a dialogue is among those to keep."""
        return self.dialogues is None or dialogue_id in self.dialogues


class Task(Brief, msgspec.Struct, frozen=True, kw_only=True):
    """A benchmark task.

    Attributes:
        name: as on the command line: ``simmc/dst``.
        title: what is predicted, in a few words.
        corpora: corpora whose stores have its instances.
        summary: how a file of predictions must look, and what is scored.
        allowed: inputs that the authors allow at test time, by name with a sentence each.
        measures: the metrics.
        instances: gives the instances of a gold source, in order.
        read: reads a file of predictions of the instances of a gold source. Arguments: path of
            the file, gold source; as keyword ``mode``, where the task has modes and one is asked
            for. What official scripts make of odd files is decided here.
        score: scores one prediction. Arguments: the instance; the prediction, as ``read`` gives it
            or ``Baselines.take`` makes it of an answer, None for one that cannot be read, which is
            wrong; what counts its faults.
        published: published results; where tasks are found, those of their corpus's
            ``tasks/published.toml``, like the next.
        unlisted: what others published that is not among them, and why; empty for nothing known.
        main: the values that sum a result up, as ``measure:value``; empty for the first three.
        modes: ways to score beside the usual one, by name with a sentence each.
        show: turns a right answer or a prediction, as ``Scored`` has it, into a form that shows its
            pieces: ``{"call": name, "arguments": {...}, "text": words}``, a list of acts with
            ``act`` and ``slots``, of spans or of ids. None where it has such a form already.
        people: gives what people answered to an instance; None where the corpus has no answer of
            people beside the right one.
    """

    name: str
    title: str
    corpora: tuple[str, ...]
    summary: str
    allowed: dict[str, str]
    measures: tuple[Metric, ...]
    instances: Callable[[Gold], Iterator[Instance]]
    read: Callable[..., Predictions]
    score: Callable[[Instance, Any, Tally], Scored]
    published: tuple[Published, ...] = ()
    unlisted: str = ""
    main: tuple[str, ...] = ()
    modes: dict[str, str] = {}
    show: Callable[[Any], Any] | None = None
    people: Callable[[Instance], Any] | None = None

    def score_file(self, path: Path, gold: Gold, *, mode: str | None = None) -> Scoring:
        """Scores a file of predictions against a gold source.

        Args:
            path: the file.
            gold: where the right answers are.
            mode: one of the task's modes; None for the usual way.

        Raises:
            TaskError: nothing in it can be scored.
            SourceError: a file cannot be read.
        """
        # Tasks without modes take none.
        read = self.read(path, gold) if mode is None else self.read(path, gold, mode=mode)
        instances = [self._score(each, read.tally) for each in read.found]
        if read.check is not None:
            read.check(instances)
        problems = [*read.problems, *read.tally.problems()]
        if read.advice is not None and all(each.answer is None for each in instances):
            why = "; ".join(f"{each.kind}: {each.count} ({each.example})" for each in problems)
            problem = f"Nothing in {path.name} can be scored: {why or 'there is no instance'}."
            raise TaskError(problem, read.advice)
        return Scoring(instances, problems, read.settings, read.is_undefined)

    def _score(self, each: Prediction, tally: Tally) -> Scored:
        scored = self.score(each.instance, each.value, tally)
        counts = scored.counts
        if each.is_ignored or each.is_repeated:
            # Scripts count what they see, as often as it is there; measures of whole splits count
            # each instance once.
            whole = {measure.name for measure in self.measures if measure.counts_missing}
            is_kept = whole.__contains__ if each.is_ignored else lambda name: name not in whole
            counts = {name: one for name, one in counts.items() if is_kept(name)}
        return msgspec.structs.replace(
            scored,
            counts=counts,
            split=each.split,
            is_missing=each.is_missing,
            is_named=each.is_named,
            is_repeated=each.is_repeated,
        )


def select_inputs(task: Task, instance: Instance, names: Iterable[str]) -> dict[str, Any]:
    """Returns the named inputs of an instance.

    Args:
        task: the task, which says what is allowed.
        instance: the instance.
        names: names of the inputs wanted.

    Raises:
        TaskError: the authors do not allow one of them, or there is none of that name.
    """
    chosen = {}
    for name in names:
        if name not in task.allowed or name not in instance.inputs:
            allowed = ", ".join(task.allowed)
            raise TaskError(
                f"{task.name} does not allow {name!r} as an input.", f"Allowed are: {allowed}."
            )
        chosen[name] = instance.inputs[name]
    return chosen
