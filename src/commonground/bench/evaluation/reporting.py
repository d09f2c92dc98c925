"""Results beside those that others published, task by task."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import takewhile
from pathlib import Path
from typing import Any

import msgspec

from commonground.bench.evaluation.baselines.results import BaselineRun
from commonground.bench.evaluation.coverage import Coverage
from commonground.bench.evaluation.overlaps import TRAIN
from commonground.bench.evaluation.scoring import Hashed, MeasureResult, Value
from commonground.bench.evaluation.tasks import get_task, iterate_tasks
from commonground.errors import SourceError, TaskError
from commonground.printing import count_of
from commonground.reply_outcomes import FAILED
from commonground.store.shared import UNCOUNTED, Overlap, describe_overlaps
from commonground.task import MAIN_VALUES, Problem, Published, Task

KINDS = ("people", "model", "predictions", "baseline", "published")
"""What gave the numbers of a line, ours before others'."""

BASELINE = "baseline "
"""How the name of a baseline begins that stood in for a model."""

PEOPLE = "people"
"""The name of people, whose own answers stood in for a model's."""


class Number(msgspec.Struct, frozen=True):
    """A number; None where undefined or not published.

    Attributes:
        value: the number.
        low: lower end of its 95 % interval; None without one.
        high: upper end.
        deviation: what was published with a ±; None without one.
        mark: mark of significance, as published.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    deviation: float | None = None
    mark: str = ""


class Used(msgspec.Struct, frozen=True, kw_only=True):
    """What models took.

    Attributes:
        input_tokens: tokens that they read.
        output_tokens: tokens that they wrote.
        cost: price in US dollars; None where it is not known.
    """

    input_tokens: int
    output_tokens: int
    cost: float | None = None

    def describe(self) -> str:
        """Writes it in a line: what was read, what was written, and what that cost."""
        text = f"{self.input_tokens:,} + {self.output_tokens:,} tokens"
        return text if self.cost is None else f"{text}, $ {self.cost:,.2f}"


class AskedModel(msgspec.Struct, frozen=True, kw_only=True):
    """Who was asked for predictions, and how.

    Attributes:
        model: name of the model, with its provider.
        corpus: corpus that it was asked about.
        asked_at: when.
        status: how that ended: ``success``, ``error``, ``cancelled``.
        group: part and split that the numbers are of; empty where they are of all.
        prompt_version: version of what was asked.
        prompt_hash: digits that differ where what was asked differs.
        answers: how answers were given: ``text``, ``json``, ``schema``, ``tools``.
        variant: what was shown: ``text``, ``pictures``.
        few_shot: number of examples.
        narrowed: the options that left questions out, as they were given: ``-T limit=3``.
        of: instances with a right answer that the split has, of the part; None where nothing tells.
        questions: digits that differ where any question differs; None in logs of earlier versions.
        pictures: the same of pictures as they were sent; empty where none were.
        image_size: pixels of the longer side of pictures, at most; None where none were sent.
        temperature: with which answers were drawn; None for the provider's default.
        max_tokens: tokens of an answer, at most; None for the provider's default.
        data: digits that differ where other files were imported; None where nothing tells.
        dialogues: number of dialogues.
        epochs: how often everything was asked.
        used: what all questions and replies of the log took; a judge's are not among them.
        outcomes: how many questions were not answered, or not well, by the reason:
            :data:`~commonground.reply_outcomes.OUTCOMES`; failed calls beside them.
    """

    model: str
    corpus: str
    asked_at: str
    status: str
    group: str
    prompt_version: int
    prompt_hash: str
    answers: str
    variant: str
    few_shot: int
    dialogues: int
    epochs: int
    used: Used
    outcomes: dict[str, int] = {}
    narrowed: list[str] = []
    of: int | None = None
    questions: str | None = None
    pictures: str | None = None
    image_size: int | None = None
    temperature: float | None = None
    max_tokens: int | None = None
    data: str | None = None

    @property
    def conditions(self) -> str:
        """Twelve digits that are the same where two models were asked alike."""
        values = [getattr(self, field) for field in _CONDITIONS]
        return hashlib.sha256(msgspec.json.encode(values)).hexdigest()[:12]

    def describe(self) -> str:
        """Says how it was asked, in one line."""
        parts = [
            f"asked on {self.asked_at[:10]}",
            f"prompt {self.prompt_version} ({self.prompt_hash})",
            f"answers as {self.answers}",
            f"temperature {_write_condition('temperature', self.temperature)}",
            f"max_tokens {_write_condition('max_tokens', self.max_tokens)}",
            f"conditions {self.conditions}",
        ]
        parts += [f"{self.few_shot} examples"] if self.few_shot else []
        parts += [f"{self.epochs} times"] if self.epochs > 1 else []
        return ", ".join([*parts, self.used.describe()])


_CONDITIONS = {
    "corpus": "corpus",
    "data": "data",
    "prompt_version": "version of the prompt",
    "prompt_hash": "prompt",
    "questions": "questions",
    "pictures": "pictures",
    "answers": "answers",
    "variant": "variant",
    "image_size": "image size",
    "few_shot": "examples",
    "temperature": "temperature",
    "max_tokens": "max_tokens",
    "epochs": "epochs",
}
"""What has to agree where two models are compared, each with its name in words."""

_UNSET = {
    "temperature": "provider's default",
    "max_tokens": "provider's default",
    "image_size": "none",
}


def list_differences(one: AskedModel, other: AskedModel) -> list[str]:
    """Lists how two models were asked in different ways; empty where they were asked alike."""
    pairs = ((field, getattr(one, field), getattr(other, field)) for field in _CONDITIONS)
    return [
        f"{_CONDITIONS[field]} {_write_condition(field, mine)} against "
        f"{_write_condition(field, theirs)}"
        for field, mine, theirs in pairs
        if mine != theirs
    ]


def _write_condition(field: str, value: Any) -> str:
    if value is None:
        return _UNSET.get(field, "not recorded")
    return f"{value:g}" if isinstance(value, float) else str(value) or "none"


class Judged(msgspec.Struct, frozen=True, kw_only=True):
    """What a language model thought of replies, and how far it agrees with the official metric.

    Attributes:
        grader: who judged.
        rubric_version: version of what it was told.
        rubric_hash: digits that differ where that differs.
        mean: mean of its points, from 1 to 5; None where nothing could be read.
        mean_low: lower end of the 95 % interval, over dialogues.
        mean_high: its upper end.
        agreement: rank correlation with the first main number, reply by reply; None where either
            is the same for all.
        agreement_low: lower end of its 95 % interval, over dialogues.
        agreement_high: its upper end.
        n: replies that it judged.
        unjudged: replies of which it said what cannot be read.
        used: what it took; None where that was not counted.
    """

    grader: str
    rubric_version: int
    rubric_hash: str
    mean: float | None
    mean_low: float | None
    mean_high: float | None
    agreement: float | None
    agreement_low: float | None
    agreement_high: float | None
    n: int
    unjudged: int
    used: Used | None = None

    def describe(self) -> str:
        """Says who judged, by what, and what that took."""
        parts = [f"judged by {self.grader}", f"rubric {self.rubric_version} ({self.rubric_hash})"]
        parts += [f"{self.unjudged:,} unjudged"] if self.unjudged else []
        parts += [self.used.describe()] if self.used else []
        return ", ".join(parts)

    def numbers(self) -> dict[str, Number]:
        """Returns its numbers as a report shows them."""
        return {
            "judged (1 to 5)": Number(self.mean, self.mean_low, self.mean_high),
            "judge's agreement": Number(self.agreement, self.agreement_low, self.agreement_high),
        }


class ResultFile(msgspec.Struct, kw_only=True):
    """What a report reads of a result of ``evaluate --json`` or ``baseline``, or of a log.

    :class:`~commonground.bench.evaluation.scoring.Result` describes the other attributes; what
    results of earlier versions lack is empty or None.

    Attributes:
        predictions: the predictions; None where it is not kept.
        baseline: how a baseline was run; None for other predictions.
        asked: who was asked for the predictions; None where nothing tells.
        judged: what a judge thought of them; None where none was asked.
    """

    task: str
    commonground: str = ""
    store: dict[str, Any] | None = None
    predictions: Hashed | None = None
    split: str | None = None
    mode: str | None = None
    n: int
    skipped: int = 0
    problems: list[Problem] = []
    measures: list[MeasureResult]
    baseline: BaselineRun | None = None
    settings: dict[str, str] = {}
    coverage: list[Coverage] = []
    overlap: list[Overlap] = []
    asked: AskedModel | None = None
    judged: Judged | None = None
    n_read: int | None = None
    read: list[MeasureResult] = []

    @property
    def system(self) -> str:
        """Name of what gave the predictions."""
        if self.asked is not None:
            named = (self.asked.model, self.asked.group, self.asked.variant)
            return ", ".join(filter(None, named))
        if self.baseline is not None:
            part = self.baseline.protocol.part
            return f"{self.baseline.method}, {part}" if part else self.baseline.method
        return Path(self.predictions.path).name if self.predictions else "predictions"


class SystemRow(msgspec.Struct, frozen=True, kw_only=True):
    """A system's line.

    Attributes:
        system: its name.
        split: what it was tested on.
        numbers: by name, as in :attr:`TaskReport.names`.
        n: instances scored; None where that was not published.
        of: instances that there are in the split; None where nothing tells.
        source: where the numbers are from.
        comparable: whether they may be compared with ours, or why not.
        is_published: whether somebody else published them.
        kind: what gave them, one of :data:`KINDS`.
        problems: kinds of problems with the predictions, with their number.
        n_read: how many of the instances have a prediction that was read; None where nothing
            tells.
        read: the numbers of these alone, by name; empty where all were read, or none.
        undefined: the names of numbers that are undefined, with the counts that leave them so.
        outcomes: how many questions a model did not answer, or not well, by the reason; empty
            where nobody was asked.
        conditions: digits that are the same where models were asked alike; empty where nobody was
            asked.
    """

    system: str
    split: str
    numbers: dict[str, Number]
    n: int | None
    source: str
    comparable: str
    is_published: bool
    of: int | None = None
    kind: str = "model"
    problems: list[str] = []
    n_read: int | None = None
    read: dict[str, Number] = {}
    undefined: dict[str, str] = {}
    outcomes: dict[str, int] = {}
    conditions: str = ""


class TaskReport(msgspec.Struct, frozen=True, kw_only=True):
    """All that is known of a task: our results, then published ones.

    Attributes:
        task: its name.
        title: what is predicted.
        names: names of the numbers.
        rows: the lines.
        unlisted: what others published that is not among them, and why; empty for nothing known.
        differences: how models were asked in other ways than the first one, a sentence for each.
    """

    task: str
    title: str
    names: list[str]
    rows: list[SystemRow]
    unlisted: str = ""
    differences: list[str] = []


def is_log(path: Path) -> bool:
    """Says whether a file is a log of inspect_ai, by its name or by how it begins."""
    if path.suffix == ".eval":
        return True
    try:
        with path.open("rb") as file:
            # A log begins {"version": 2, "status": ..., "eval": {...}; our own results have no such
            # field.
            return path.suffix == ".json" and b'"eval"' in file.read(200)
    except OSError:
        return False


def find_logs(folder: Path) -> list[Path]:
    """Lists the logs in a folder and those below it, by name: inspect_ai's begin with the time."""
    return sorted(path for path in folder.rglob("*") if path.is_file() and is_log(path))


def list_logs(folder: Path) -> list[Path]:
    """Lists the logs that :func:`find_logs` finds, of which there must be some.

    Raises:
        SourceError: there is none.
    """
    found = find_logs(folder)
    if not found:
        raise SourceError(f"{folder} has no log of inspect_ai.", "Name the folder of --log-dir.")
    return found


def read_results(paths: Iterable[Path]) -> list[ResultFile]:
    """Reads files of one result or of a list of them.

    Raises:
        SourceError: a file cannot be read.
        TaskError: it holds no result.
    """
    return [each for path in paths for each in _read(path)]


def _read(path: Path) -> list[ResultFile]:
    try:
        # `baseline --json` prints a list, one of each method; `evaluate --json` a single result.
        return msgspec.json.decode(path.read_bytes(), type=list[ResultFile])
    except OSError as error:
        raise SourceError(f"{path} cannot be read: {error.strerror}.") from error
    # No list: one result alone is tried below, whose error is the one to show.
    except (msgspec.DecodeError, UnicodeDecodeError):
        pass
    try:
        return [msgspec.json.decode(path.read_bytes(), type=ResultFile)]
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise TaskError(
            f"{path} holds no result: {error}.",
            "Write one: commonground baseline TASK --json, or commonground evaluate TASK "
            "--predictions ANSWERS --json",
        ) from error


def make_reports(results: Sequence[ResultFile], task_names: Sequence[str] = ()) -> list[TaskReport]:
    """Puts results beside published ones; without results, all that was published.

    Args:
        results: the results.
        task_names: tasks to report; empty for those of the results, or all without results.

    Raises:
        UsageError: a task is not there.
    """
    names = list(task_names) or sorted({each.task for each in results})
    tasks = [get_task(name) for name in names] if names else list(iterate_tasks())
    reports = (report_task(task, results) for task in tasks)
    return [each for each in reports if each.rows]


def report_task(task: Task, results: Sequence[ResultFile]) -> TaskReport:
    """Puts the results of one task beside what was published for it."""
    mine = [each for each in results if each.task == task.name]
    ours = [_row(task, each) for each in mine]
    theirs = [_published_row(each) for each in task.published]
    names = dict.fromkeys(name for row in [*ours, *theirs] for name in row.numbers)
    return TaskReport(
        task=task.name,
        title=task.title,
        names=list(names),
        rows=[*ours, *theirs],
        unlisted=task.unlisted,
        differences=list(dict.fromkeys(_contrast(mine))),
    )


def _contrast(results: Sequence[ResultFile]) -> Iterator[str]:
    """Yields how models were asked in other ways than the first one of the same part."""
    first: dict[str, ResultFile] = {}
    for each in results:
        if each.asked is None:
            continue
        one = first.setdefault(each.asked.group, each)
        if one.asked is not None and (found := list_differences(one.asked, each.asked)):
            yield (
                f"{one.system} and {each.system} were asked under different "
                f"conditions: {'; '.join(found)}."
            )


def condense_result(task: Task, result: ResultFile) -> ResultFile:
    """Keeps what a report needs of a result: its main values, no paths and no examples."""
    wanted = set(task.main)
    measures = [_condense(each, wanted) for each in result.measures]
    problems = [msgspec.structs.replace(each, example="") for each in result.problems]
    return msgspec.structs.replace(
        result,
        predictions=None,
        problems=problems,
        # Without main values, a report shows the first few of the first measure, see `list_main`.
        measures=[each for each in measures if each.values] or result.measures[:1],
        read=[each for each in map(partial(_condense, wanted=wanted), result.read) if each.values],
    )


def _condense(measure: MeasureResult, wanted: set[str]) -> MeasureResult:
    values = [each for each in measure.values if f"{measure.name}:{each.name}" in wanted]
    return msgspec.structs.replace(measure, values=values, tables=[])


def list_main(task: Task, measures: Sequence[MeasureResult]) -> Iterator[Value]:
    """Yields the values that sum a result up.

    They are those of the task's ``main``; without one, the first few of its first measure.
    """
    if not task.main:
        yield from measures[0].values[:MAIN_VALUES] if measures else ()
        return
    there = {f"{m.name}:{value.name}": value for m in measures for value in m.values}
    for name in task.main:
        if name in there:
            yield msgspec.structs.replace(there[name], name=short_name(task, name))


def short_name(task: Task, name: str) -> str:
    """Names a value without its measure, unless another value would be called the same.

    Then what sets its measure apart is added: ``mrr (first)`` of ``set_f1_first``, and
    ``r1 (official)`` of ``ranks`` where another is of ``ranks_expected``.
    """
    measure, _, value = name.partition(":")
    # The first of a name keeps it bare, so that columns of published results, which are named so,
    # meet those of ours.
    same = [each for each in task.main if each.partition(":")[2] == value]
    if same[0] == name:
        return value
    words, others = measure.split("_"), same[0].partition(":")[0].split("_")
    pairs = zip(words, others, strict=False)
    apart = words[len([*takewhile(lambda pair: pair[0] == pair[1], pairs)]) :]
    is_official = any(each.matches for each in task.measures if each.name == measure)
    return f"{value} ({'_'.join(apart) or ('official' if is_official else measure)})"


def _row(task: Task, result: ResultFile) -> SystemRow:
    run, asked = result.baseline, result.asked
    origin = run or asked
    text = run.protocol.describe() if run else "the predictions named"
    text = asked.describe() if asked else text
    text += f", {result.judged.describe()}" if result.judged else ""
    text += f"; splits: {own}" if (own := _name_own_splits(result)) else ""
    text = "; ".join([text, *(f"{name} {each}" for name, each in result.settings.items())])
    shared = describe_overlaps(result.overlap) or (
        f"overlap with training {UNCOUNTED}" if run or result.store is None else ""
    )
    text = "; ".join(filter(None, [text, shared]))
    numbers = _list_numbers(task, result.measures)
    return SystemRow(
        system=result.system,
        split=_name_split(result),
        numbers=numbers | (result.judged.numbers() if result.judged else {}),
        n=result.n,
        source=f"commonground, {origin.corpus}: {text}" if origin else f"commonground: {text}",
        comparable=_compare(task, result),
        is_published=False,
        of=asked.of if asked else sum(each.of for each in result.coverage) or None,
        kind=name_kind(asked.model) if asked else "baseline" if run else "predictions",
        problems=[f"{each.count:,} {each.kind}" for each in result.problems],
        n_read=result.n_read,
        read=_list_numbers(task, result.read),
        undefined=_explain_undefined(task, result.measures),
        outcomes=asked.outcomes if asked else {},
        conditions=asked.conditions if asked else "",
    )


def _list_numbers(task: Task, measures: Sequence[MeasureResult]) -> dict[str, Number]:
    return {v.name: Number(v.value, v.low, v.high) for v in list_main(task, measures)}


def _explain_undefined(task: Task, measures: Sequence[MeasureResult]) -> dict[str, str]:
    """Says of each main number that is undefined which counts leave it so."""
    reasons = {f"{m.name}:{name}": why for m in measures for name, why in m.undefined.items()}
    named = {short_name(task, each): reasons.get(each) for each in task.main}
    return {
        each.name: named.get(each.name) or "its denominator is 0"
        for each in list_main(task, measures)
        if each.value is None
    }


def name_kind(system: str) -> str:
    """Returns what answered a log's questions: ``people``, ``baseline`` or ``model``."""
    if system == PEOPLE:
        return PEOPLE
    return "baseline" if system.startswith(BASELINE) else "model"


def _name_split(result: ResultFile) -> str:
    if result.baseline is None:
        splits = [each.split for each in result.coverage if each.split is not None]
        return result.split or ", ".join(splits) or "all"
    protocol = result.baseline.protocol
    if protocol.kind == "folds":
        return "all folds"
    return protocol.test or "all" if protocol.kind == "splits" else "derived_holdout"


def _compare(task: Task, result: ResultFile) -> str:
    """Says whether a result of ours may stand beside published ones.

    It may if a whole split was asked about and answered, and measured as it is now.
    """
    asked, run = result.asked, result.baseline
    if asked is not None:
        reasons = list(_list_limits(asked, result))
    elif run is not None:
        reasons = ["cut short"] if run.protocol.limit is not None else []
        reasons += ["on our hold-out"] if run.protocol.kind == "derived_holdout" else []
    else:
        reasons = list(_list_gaps(result.coverage))
    reasons += ["on splits other than the released ones"] if _name_own_splits(result) else []
    reasons += [f"mode {result.mode}"] if result.mode else []
    reasons += _list_other_measures(task, result.measures)
    if reasons:
        return f"no: {'; '.join(reasons)}"
    if asked is None and run is None and not result.coverage:
        return "on the same split, if complete"
    part = _name_part(result)
    where = f"on the same split of {part}" if part else "on the same split"
    return where + _name_other_training(run)


def _name_other_training(run: BaselineRun | None) -> str:
    """Says what a baseline learned from, where that is not the split that is meant for it."""
    if run is None or run.protocol.kind != "splits" or run.protocol.train in (None, TRAIN):
        return ""
    learned = count_of(run.learned_from.dialogues, "dialogue")
    return f", but trained on {learned} of {run.protocol.train}, not on {TRAIN}"


def _name_own_splits(result: ResultFile) -> str:
    """Says what splits a result is on, where they are not the released ones; else empty."""
    return str((result.store or {}).get("splits") or "")


def _list_limits(asked: AskedModel, result: ResultFile) -> Iterator[str]:
    """Yields why what was asked of a model is not what others were asked."""
    if asked.status != "success":
        yield f"the run ended with {asked.status!r}"
    by = f" ({', '.join(asked.narrowed)})" if asked.narrowed else ""
    # An option that left nothing out does not count.
    if asked.of is not None and result.n < asked.of:
        yield f"{result.n:,} of {asked.of:,} instances were asked about{by}"
    elif asked.of is None and by:
        yield f"{count_of(asked.dialogues, 'dialogue')} only{by}"
    if failed := asked.outcomes.get(FAILED):
        yield f"{count_of(failed, 'call')} failed"
    if not result.split:
        yield "on all splits"


def _list_gaps(coverage: Sequence[Coverage]) -> Iterator[str]:
    missing, of = sum(each.missing for each in coverage), sum(each.of for each in coverage)
    if missing:
        yield f"{missing:,} of {of:,} instances are missing"
    elif len(coverage) > 1:
        yield "on several splits"


def _list_other_measures(task: Task, measures: Sequence[MeasureResult]) -> list[str]:
    """Lists the main measures that count in another way than when a result was made."""
    main = {name.partition(":")[0] for name in task.main}
    now = {each.name: each.version for each in task.measures if each.name in main}
    return [
        f"measured by {each.name} {each.version}, which is {now[each.name]} now"
        for each in measures
        if each.name in now and each.version != now[each.name]
    ]


def _name_part(result: ResultFile) -> str:
    """Names the part of a corpus that a result is of; empty where it is of all."""
    if result.asked is not None:
        return result.asked.group.partition("/")[0]
    return (result.baseline.protocol.part if result.baseline else None) or ""


def _published_row(published: Published) -> SystemRow:
    return SystemRow(
        system=published.system,
        split=published.split,
        numbers={
            name: Number(
                value,
                deviation=published.deviations.get(name),
                mark=published.marks.get(name, ""),
            )
            for name, value in published.values.items()
        },
        n=None,
        source=published.source,
        comparable=published.comparable,
        is_published=True,
        kind=KINDS[-1],
    )
