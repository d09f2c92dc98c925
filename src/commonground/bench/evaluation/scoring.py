"""From a file of predictions to numbers that say where they come from."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from commonground import __version__
from commonground.bench.evaluation.coverage import Coverage, score_covered
from commonground.bench.evaluation.overlaps import find_overlap
from commonground.errors import TaskError
from commonground.files.predictions import find_encoding_problems
from commonground.files.sources import list_documents, read_path
from commonground.metric import Metric, PrintedTable
from commonground.printing import Sheet, Tabled, count_of, write_interval, write_number
from commonground.statistics.bootstrap import bootstrap_intervals
from commonground.statistics.counts import CountTable, group_rows, sum_table, tabulate_counts
from commonground.store.shared import UNCOUNTED, Overlap, describe_overlaps
from commonground.task import Gold, Problem, Scored, Scoring, Tally, Task

SEED = 20_190_728
"""Seed of resampling, so that the same files give the same intervals."""


class Hashed(msgspec.Struct, frozen=True):
    """What numbers were computed from.

    Attributes:
        path: the file or folder.
        size: bytes; of a folder those of its files together.
        sha256: of the file; of a folder that of its files' names and hashes, in order of name.
    """

    path: str
    size: int
    sha256: str


class Value(msgspec.Struct, frozen=True, kw_only=True):
    """One number.

    Attributes:
        name: its name in the measure.
        value: the number; None where it is undefined, such as a share of nothing.
        std_err: standard error as the official script computes it; None where it has none.
        low: lower end of the 95 % bootstrap interval over dialogues; None where undefined.
        high: its upper end.
    """

    name: str
    value: float | None
    std_err: float | None
    low: float | None
    high: float | None


class MeasureResult(msgspec.Struct, frozen=True, kw_only=True):
    """The numbers of one measure.

    Attributes:
        name: as of :class:`~commonground.metric.Metric`, like the next three.
        version: raised whenever the same input may give another value.
        title: one sentence on what is measured.
        matches: official script and commit; None where it is ours.
        values: the numbers.
        tables: the tables that the script prints.
        n: instances that the numbers are of.
        undefined: names of the values that are undefined, with the counts that leave them so.
    """

    name: str
    version: str
    title: str
    matches: str | None
    values: list[Value]
    tables: list[PrintedTable] = []
    n: int = 0
    undefined: dict[str, str] = {}


class Result(Tabled, msgspec.Struct, kw_only=True):
    """What a file of predictions scored.

    Attributes:
        task: name of the task.
        commonground: version that computed it.
        predictions: the predictions.
        gold: the released files of the right answers; empty where they are the store's.
        store: the import they are from: corpus, time, sha256 of its files, and what the splits are
            where they are not the released ones; None with files.
        split: the split that was scored; None for several, or where nothing says.
        mode: the mode that was asked for; None for the usual way.
        settings: what the numbers depend on beside all this, such as the tokenizer.
        n: instances that the first measure is of; a turn that is predicted twice counts twice
            where the official script counts it so.
        skipped: instances left out, for reasons that ``problems`` tell.
        problems: what must be known about the predictions.
        measures: the numbers.
        coverage: how much of each split was predicted.
        is_inferred: whether the splits are those that the predictions name; if not, they were
            asked for.
        overlap: how much of what the tested dialogues show also occurs in what is learned from;
            empty where the import has no such split, or released files are scored.
        n_read: how many of the instances have a prediction that was read; None in results of
            earlier versions.
        read: the numbers of these alone; empty where all were read, or none.
    """

    task: str
    commonground: str
    predictions: Hashed
    gold: list[Hashed]
    store: dict[str, Any] | None
    split: str | None
    mode: str | None
    n: int
    skipped: int
    problems: list[Problem]
    measures: list[MeasureResult]
    settings: dict[str, str] = {}
    coverage: list[Coverage] = []
    is_inferred: bool = False
    overlap: list[Overlap] = []
    n_read: int | None = None
    read: list[MeasureResult] = []

    def name_system(self) -> str:
        """Returns what answered, for the title of a table."""
        return self.predictions.path

    def sheet(self) -> Sheet:
        """Returns a line for each number, those of the first measure first."""
        rows = [
            (
                measure.name,
                each.name,
                write_number(each.value),
                write_interval(each.low, each.high),
            )
            for measure in self.measures
            for each in measure.values
        ]
        split = f", split {self.split}" if self.split else ""
        problems = "; ".join(f"{each.count:,} {each.kind}" for each in self.problems)
        notes = [f"To know: {problems}"] if problems else []
        if self.overlap or self.gold:  # files say nothing of what is learned from
            notes.append(f"Overlap: {describe_overlaps(self.overlap) or UNCOUNTED}")
        return Sheet(
            title=f"{self.task}: {self.name_system()}, {count_of(self.n, 'instance')}{split}",
            columns=("measure", "number", "value", "95 % interval"),
            rows=rows,
            right=frozenset({"value"}),
            notes=tuple(notes),
        )


class Evaluation(Tabled, msgspec.Struct):
    """A result, with the instances that it sums up.

    Attributes:
        result: the numbers.
        instances: each instance with its counts.
    """

    result: Result
    instances: list[Scored]

    def sheet(self) -> Sheet:
        """Returns the numbers of the result, without its instances."""
        return self.result.sheet()


def evaluate_predictions(
    task: Task,
    predictions: Path,
    gold: Gold,
    *,
    mode: str | None = None,
    intervals: bool = True,
    overlap: list[Overlap] | None = None,
) -> Evaluation:
    """Scores a file of predictions on the splits asked for, or else on those that it names.

    Args:
        task: the task.
        predictions: the file.
        gold: where the right answers come from.
        mode: one of the task's modes; None for the usual way.
        intervals: whether to resample.
        overlap: what the tested dialogues share with what was learned from; None where that is not
            known: then with the training split of the import, if there is one.

    Raises:
        UsageError: the task has no such mode.
        TaskError: nothing in the file can be scored.
        SourceError: a file cannot be read.
    """
    hashed = hash_file(predictions)  # first, since what cannot be read is said at once by it
    covered = score_covered(task, predictions, gold, mode=mode)
    scoring = covered.scoring
    # Some scripts print nan where nothing is left to count; such a task says so, and it stands.
    if not scoring.is_undefined and not any(each.counts for each in scoring.instances):
        raise _nothing_scored(task, predictions, scoring)
    measures, infinite = measure_scored(task, scoring.instances, intervals=intervals)
    read = [each for each in scoring.instances if each.answer is not None]
    split = covered.gold.split
    if split is None and len(covered.coverage) == 1:
        split = covered.coverage[0].split
    result = Result(
        task=task.name,
        commonground=__version__,
        predictions=hashed,
        gold=[hash_source(path) for path in gold.files],
        store=describe_store(gold),
        split=split,
        mode=mode,
        n=measures[0].n,
        skipped=sum(problem.skipped for problem in scoring.problems),
        problems=[*find_encoding_problems(predictions), *scoring.problems, *infinite],
        measures=measures,
        settings=scoring.settings,
        coverage=covered.coverage,
        is_inferred=covered.is_inferred,
        overlap=find_overlap(gold, scoring.instances) if overlap is None else overlap,
        n_read=count_measured(task, read),
        read=measure_read(task, read, measures[0].n, intervals=intervals),
    )
    return Evaluation(result, scoring.instances)


def measure_scored(
    task: Task,
    instances: Sequence[Scored],
    *,
    intervals: bool = True,
) -> tuple[list[MeasureResult], list[Problem]]:
    """Returns the numbers of scored instances, and what must be known of them.

    Args:
        task: the task.
        instances: the instances.
        intervals: whether to resample.
    """
    infinite = Tally()
    found = [_measure(each, instances, intervals, infinite) for each in task.measures]
    return found, infinite.problems()


def count_measured(task: Task, instances: Sequence[Scored]) -> int:
    """Counts the instances that the first measure of a task is of."""
    return sum(task.measures[0].name in each.counts for each in instances)


def measure_read(
    task: Task, read: Sequence[Scored], asked: int, *, intervals: bool = True
) -> list[MeasureResult]:
    """Returns the numbers of what was read alone; nothing where that is all, or none.

    Args:
        task: the task.
        read: the instances whose prediction was read.
        asked: how many there are, read or not.
        intervals: whether to resample.
    """
    if count_measured(task, read) in (0, asked):
        return []
    return measure_scored(task, read, intervals=intervals)[0]


def _nothing_scored(task: Task, predictions: Path, scoring: Scoring) -> TaskError:
    explanation = "; ".join(
        f"{p.count} {p.kind}, e.g. {p.example} (the official script: {p.official})"
        for p in scoring.problems
    )
    problem = f"Nothing in {predictions} could be scored for {task.name}."
    return TaskError(problem, explanation or f"Expected: {task.summary}")


def hash_file(path: Path) -> Hashed:
    """Describes a file by size and sha256.

    Raises:
        SourceError: it cannot be read, or is no file.
    """
    data = read_path(path)
    return Hashed(str(path), len(data), hashlib.sha256(data).hexdigest())


def hash_source(path: Path) -> Hashed:
    """Describes a file, or a folder by all files below it.

    Raises:
        SourceError: something cannot be read.
    """
    if not path.is_dir():
        return hash_file(path)
    digest, size = hashlib.sha256(), 0
    for document in list_documents([path]).documents:
        each = document.find_sha256()
        # Names and hashes, in order: one file renamed gives another hash, as one changed does.
        digest.update(f"{document.name} {each}\n".encode())
        size += document.size
    return Hashed(str(path), size, digest.hexdigest())


def describe_store(gold: Gold) -> dict[str, Any] | None:
    """Names the import that right answers are from: corpus, time, and a hash of its files.

    Under ``splits`` it says what these are, where they are not the released ones.
    """
    if gold.files or gold.corpus is None:
        return None
    manifest = gold.corpus.manifest
    sources = gold.corpus.store.sources(manifest.corpus)
    # Only files that were read as something: what lay beside them does not change an answer.
    hashes = {source.name: source.sha256 for source in sources if source.format}
    own = manifest.own_splits
    # Where the same files are in other splits, other things are learned and asked.
    hashed = hashes if own is None else [hashes, own]
    together = hashlib.sha256(msgspec.json.encode(hashed, order="sorted")).hexdigest()
    return {
        "corpus": manifest.corpus,
        "imported_at": manifest.imported_at,
        "files": len(hashes),
        "sha256_of_hashes": together,
        **({"splits": own.describe()} if own is not None else {}),
    }


def tabulate_instances(instances: Sequence[Scored], measure: str) -> CountTable:
    """Lays out the counts of one measure, one row per dialogue."""
    mine = [each for each in instances if measure in each.counts]
    table = tabulate_counts(each.counts[measure] for each in mine)
    # Dialogues are resampled and swapped as wholes: turns of one are not independent.
    return group_rows(table, [each.dialogue_id for each in mine])


def _measure(
    measure: Metric, instances: Sequence[Scored], intervals: bool, infinite: Tally
) -> MeasureResult:
    table = tabulate_instances(instances, measure.name)
    sums = sum_table(table)
    values = measure.combine(sums)
    errors = measure.std_err(sums) if measure.std_err else {}
    bounds = bootstrap_intervals(table, measure.combine, seed=SEED) if intervals else {}
    rows, undefined = [], {}
    for name, value in values.items():
        if value is None and (explanation := measure.explain(name, sums)):
            undefined[name] = explanation
        bound = bounds.get(name)
        if value is not None and math.isinf(value):
            official = "prints inf; here the value is null, since JSON has no infinity"
            infinite.add("infinite values", f"{measure.name}:{name}", official)
        rows.append(
            Value(
                name=name,
                value=keep_finite(value),
                std_err=keep_finite(errors.get(name)),
                low=keep_finite(bound.low) if bound else None,
                high=keep_finite(bound.high) if bound else None,
            )
        )
    return MeasureResult(
        name=measure.name,
        version=measure.version,
        title=measure.title,
        matches=measure.matches,
        values=rows,
        tables=[each for each in measure.tables(sums) if each.rows] if measure.tables else [],
        undefined=undefined,
        n=sum(measure.name in each.counts for each in instances),
    )


def keep_finite(value: float | None) -> float | None:
    """Returns a number that JSON has; None for infinities and what is none."""
    return value if value is not None and math.isfinite(value) else None
