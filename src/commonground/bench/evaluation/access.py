"""Tasks, scores and baselines in a line of Python each; the command line calls these functions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from commonground.bench.evaluation.baselines.jobs import plan_baselines
from commonground.bench.evaluation.baselines.results import BaselineResult
from commonground.bench.evaluation.baselines.run import run_baseline
from commonground.bench.evaluation.comparing import ComparedFiles, compare_evaluations
from commonground.bench.evaluation.instances import Instances
from commonground.bench.evaluation.scoring import Evaluation, evaluate_predictions
from commonground.bench.evaluation.tasks import get_task, iterate_tasks, require_corpus
from commonground.store.corpus import Corpus, CorpusPart
from commonground.store.opening import load
from commonground.task import Gold, Task

ALL = "all"
"""Name of no split: all that is there."""


def list_tasks() -> list[str]:
    """Returns the names of the benchmark tasks.

    Example:
        >>> import commonground as cg
        >>> cg.list_tasks()
        ['frames/nlu', 'frames/tracking', ...]
    """
    return [task.name for task in iterate_tasks()]


def find_gold(
    task: Task,
    files: Sequence[Path] = (),
    corpus: str | Corpus | None = None,
    split: str | None = None,
    store: str | Path | None = None,
) -> Gold:
    """Says where the right answers come from: the files named, else the store.

    A part of a corpus keeps to its dialogues.

    Args:
        task: the task.
        files: released files; empty for the store.
        corpus: name of the imported corpus, or a corpus or part of one that is open; None for the
            task's first.
        split: split; ``all`` for all that is there, None for what predictions name of it.
        store: folder of the store; None for the usual one.

    Raises:
        UsageError: the corpus is not one of the task's.
        StoreError: no file is named, and the corpus was not imported.
    """
    # Also with files, of which the corpus says nothing: a wrong name is a mistake there, too.
    require_corpus(task, corpus)
    is_whole = split == ALL
    split = None if is_whole else split
    if files:
        return Gold(files=files, split=split, is_whole=is_whole)
    found = corpus if isinstance(corpus, Corpus) else load(corpus or task.corpora[0], store)
    # A part has its dialogues only; named here, instances of files or other splits are left out,
    # too.
    kept = frozenset(found.ids()) if isinstance(found, CorpusPart) else None
    return Gold(corpus=found, split=split, dialogues=kept, is_whole=is_whole)


def instances(
    task: str,
    *,
    gold: Sequence[str | Path] = (),
    corpus: str | Corpus | None = None,
    split: str | None = None,
    store: str | Path | None = None,
) -> Instances:
    """Returns the instances of a task: what a model may see, and the right answer.

    Args:
        task: name of the task.
        gold: released files; empty for the store.
        corpus: name of the imported corpus, or a corpus or part of one that is open; None for
            the task's first.
        split: split; None for all that is there.
        store: folder of the store; None for the usual one.

    Raises:
        UsageError: a name is unknown.

    Example:
        >>> import commonground as cg
        >>> turn = next(iter(cg.instances("frames/nlu", split="fold-2")))
        >>> list(turn.inputs), [act["name"] for act in turn.gold]
        (['text', 'history'], [...])
    """
    found = get_task(task)
    return Instances(found, find_gold(found, [Path(each) for each in gold], corpus, split, store))


def evaluate(
    task: str,
    predictions: str | Path,
    *,
    gold: Sequence[str | Path] = (),
    corpus: str | Corpus | None = None,
    split: str | None = None,
    mode: str | None = None,
    intervals: bool = True,
    store: str | Path | None = None,
) -> Evaluation:
    """Scores a file of predictions, as its authors' script does.

    Args:
        task: name of the task.
        predictions: the file.
        gold: released files with the right answers; empty for the store.
        corpus: name of the imported corpus, or a corpus or part of one that is open; None for
            the task's first.
        split: split to score, whole, or ``all``; None for those that the predictions name,
            without what they lack.
        mode: one of the task's modes, such as ``"single-round"``; None for the usual way.
        intervals: whether to resample for 95 % intervals.
        store: folder of the store; None for the usual one.

    Raises:
        UsageError: a name is unknown.
        TaskError: nothing in the file can be scored.
        SourceError: a file cannot be read.

    Example:
        >>> import commonground as cg
        >>> made = next(cg.run_baselines("frames/nlu", "majority", out="runs"))
        >>> cg.evaluate("frames/nlu", made.predictions.path).result.n
        137
    """
    found = get_task(task)
    source = find_gold(found, [Path(each) for each in gold], corpus, split, store)
    return evaluate_predictions(
        found,
        Path(predictions),
        source,
        mode=mode,
        intervals=intervals,
    )


def compare(
    task: str,
    first: str | Path | Evaluation,
    second: str | Path | Evaluation,
    *,
    gold: Sequence[str | Path] = (),
    corpus: str | Corpus | None = None,
    split: str | None = None,
    mode: str | None = None,
    store: str | Path | None = None,
) -> ComparedFiles:
    """Compares two files of predictions: which is better, by how much, and how sure that is.

    The test is approximate randomisation over dialogues with 1,000 rounds, two-sided; the
    difference has a 95 % interval. The task's main numbers come first, with p-values that are
    corrected for their count (Holm 1979); those of all other numbers are not corrected.

    Args:
        task: name of the task.
        first: a file of predictions, or what :func:`evaluate` gave for it.
        second: another one of the same instances.
        gold: released files with the right answers; empty for the store.
        corpus: name of the imported corpus, or a corpus or part of one that is open; None for
            the task's first.
        split: split to score, whole, or ``all``; None for those that the predictions name.
        mode: one of the task's modes, such as ``"single-round"``; None for the usual way.
        store: folder of the store; None for the usual one.

    Raises:
        UsageError: a name is unknown.
        TaskError: nothing in a file can be scored, or they are of different instances.
        SourceError: a file cannot be read.

    Example:
        >>> import commonground as cg
        >>> made = list(cg.run_baselines("frames/nlu", "majority", "dictionary", out="runs"))
        >>> files = [each.predictions.path for each in made]
        >>> compared = cg.compare("frames/nlu", *files)
        >>> compared.test
        'approximate randomisation over dialogues, 1,000 rounds, two-sided'
        >>> [number.better for number in compared.numbers if number.name == "act_f1"]
        [...]
    """
    found = get_task(task)
    source = find_gold(found, [Path(each) for each in gold], corpus, split, store)

    def score(given: str | Path | Evaluation) -> Evaluation:
        if isinstance(given, Evaluation):
            return given
        return evaluate_predictions(found, Path(given), source, mode=mode, intervals=False)

    return compare_evaluations(found, score(first), score(second))


def run_baselines(
    task: str,
    *methods: str,
    corpus: str | None = None,
    part: str | None = None,
    train: str | None = None,
    test: str | None = None,
    seed: int = 1,
    limit: int | None = None,
    model: str | Path | None = None,
    out: str | Path | None = None,
    encoder: str | Path | None = None,
    vectors: str | Path | None = None,
    store: str | Path | None = None,
) -> Iterator[BaselineResult]:
    """Trains baselines of a task, answers with them and scores the answers, one by one.

    Args:
        task: name of the task.
        methods: names of the methods; none for all, with those that need a sentence encoder or
            vectors of pictures only where one is named.
        corpus: imported corpus, where a task has several; None for its first.
        part: part of it, such as SIMMC's ``fashion``; None for each by itself.
        train: split to learn from; None for the released one.
        test: split to answer; None for the released one.
        seed: of what is random.
        limit: number of dialogues to cut both splits to; None for no limit.
        model: file of a saved model to answer with; None to learn.
        out: folder for models, predictions and results; None to keep none.
        encoder: sentence encoder for the methods that need one, by name or folder; None for the
            usual one, or that of a saved model.
        vectors: vectors of pictures for the methods that look at them, by name or file; None for
            the usual ones, or those of a saved model.
        store: folder of the store; None for the usual one.

    Raises:
        UsageError: a name is unknown, or scikit-learn is needed and not installed.
        TaskError: there is nothing to learn from or to answer.

    Example:
        >>> import commonground as cg
        >>> for result in cg.run_baselines("frames/nlu", "majority", "dictionary"):
        ...     print(result.baseline.method, result.n)
        majority 137
        dictionary 137
    """
    jobs = plan_baselines(
        task,
        *methods,
        corpus=corpus,
        part=part,
        train=train,
        test=test,
        seed=seed,
        limit=limit,
        model=model,
        out=out,
        encoder=encoder,
        vectors=vectors,
        store=store,
    )
    # No generator: what is wrong with a name is said where it is given, and not where results are
    # asked for.
    return map(run_baseline, jobs)
