"""Results next to published ones in a line of Python, as on the command line."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from commonground.bench.evaluation.rendering import list_cells, list_headings, list_notes
from commonground.bench.evaluation.reporting import (
    ResultFile,
    TaskReport,
    is_log,
    list_logs,
    make_reports,
    read_results,
)
from commonground.bench.evaluation.scoring import Evaluation, Result
from commonground.extras import needing
from commonground.printing import Sheet, Tabled, count_of


class Reports(Tabled, msgspec.Struct, frozen=True):
    """Results next to published ones.

    Attributes:
        tasks: all that is known of each task.
    """

    tasks: list[TaskReport]

    def sheet(self) -> Sheet:
        """Returns a line for each number of each system."""
        rows, notes = [], []
        for report in self.tasks:
            headings = list_headings(report)[2:-1]
            for row in report.rows:
                system, split, *cells, note = list_cells(report, row)
                numbers = zip(headings, cells, strict=True)
                rows += [
                    (report.task, system, split, *pair, f"[{note}]")
                    for pair in numbers
                    if pair[1] not in ("", "–")
                ]
            notes += [f"[{each.number}] {each.text}" for each in list_notes(report).values()]
        return Sheet(
            title=f"Results of {count_of(len(self.tasks), 'task')}",
            columns=("task", "system", "split", "number", "value", "source"),
            rows=rows,
            right=frozenset({"value"}),
            notes=tuple(notes),
        )


def report(*results: str | Path | Result | Evaluation, task: str | Sequence[str] = ()) -> Reports:
    """Puts results next to published ones, task by task.

    Args:
        results: what :func:`evaluate` and :func:`run_baselines` return, files of it, as ``evaluate
            --json`` and ``baseline --out`` write them, logs of inspect_ai, or folders of logs;
            none for the published results.
        task: name of a task, or several; empty for those of the results.

    Raises:
        UsageError: there is no such task.
        SourceError, TaskError: a file cannot be read, or holds no result.
        MissingExtraError: one is a log, and inspect_ai is not installed.

    Example:
        >>> import commonground as cg
        >>> [each.task for each in cg.report(task="simmc/actions").tasks]
        ['simmc/actions']
    """
    names = [task] if isinstance(task, str) else list(task)
    files = [Path(each) for each in results if isinstance(each, str | Path)]
    paths = [path for each in files for path in (list_logs(each) if each.is_dir() else [each])]
    logs = [path for path in paths if is_log(path)]
    mine = [_read_result(each) for each in results if not isinstance(each, str | Path)]
    mine += read_results(path for path in paths if path not in logs)
    others: list[TaskReport] = []
    if logs:
        with needing("inspect", f"{logs[0]} is a log of inspect_ai"):
            from commonground.bench.inspect_tasks.logs.report_lines import sort_logs
            from commonground.bench.inspect_tasks.logs.results import read_logs
        found = sort_logs(logs)
        mine = [*(run.as_result() for run in read_logs(found.tasks)), *mine]
        others = list(found.others)
    wanted = mine or names or not others
    return Reports([*others, *(make_reports(mine, names) if wanted else [])])


def _read_result(found: Result | Evaluation) -> ResultFile:
    """Reads a result as from the file that it would be written to."""
    result = found.result if isinstance(found, Evaluation) else found
    return msgspec.convert(msgspec.to_builtins(result), ResultFile)
