"""Logs on a leaderboard: each scored again, or refused with the reason."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import yaml

from commonground.bench.evaluation.leaderboard import (
    Board,
    Entry,
    Leaderboard,
    Refused,
    make_boards,
)
from commonground.bench.evaluation.prompts import inspect_name
from commonground.bench.evaluation.reporting import Number
from commonground.bench.evaluation.scoring import Evaluation, hash_file
from commonground.bench.inspect_tasks.logs.rescoring import rescore_log
from commonground.bench.inspect_tasks.logs.results import read_log
from commonground.errors import CommongroundError


class Benchmark(msgspec.Struct, frozen=True):
    """A task and a part of it on which systems can be compared.

    Attributes:
        part: of the corpus, and last the split: ``test``, ``fashion/devtest``.
    """

    task: str
    part: str


class Scored(msgspec.Struct, frozen=True):
    """A result that a leaderboard takes, with the instances that a page of it shows."""

    entry: Entry
    evaluation: Evaluation


class Collected(msgspec.Struct, frozen=True):
    """What came of some logs.

    Attributes:
        errors: why logs were refused, as it was raised.
    """

    scored: list[Scored]
    refused: list[Refused]
    errors: list[CommongroundError]

    def join(self, other: Collected) -> Collected:
        """Returns what came of these logs and of others."""
        return Collected(
            [*self.scored, *other.scored],
            [*self.refused, *other.refused],
            [*self.errors, *other.errors],
        )

    def as_leaderboard(self) -> Leaderboard:
        """Returns all of it as boards."""
        boards = make_boards(each.entry for each in self.scored)
        return Leaderboard(boards=boards, refused=self.refused)


def collect_logs(paths: Sequence[Path], store: str | None = None) -> Collected:
    """Scores logs again; one that is refused costs no other.

    Args:
        paths: the logs; of two that are alike byte for byte, the second is left out.
    """
    found = Collected([], [], [])
    seen: set[str] = set()
    for path in paths:
        try:
            digest = hash_file(path).sha256
            if digest in seen:
                continue
            seen.add(digest)
            again = rescore_log(path, store)
        except CommongroundError as error:
            found.refused.append(Refused(path.name, error.message.replace(str(path), "it")))
            found.errors.append(error)
            continue
        for run in again.runs:
            entry = Entry(
                result=run.as_result(),
                ids=tuple(each.instance_id for each in run.evaluation.instances),
                log=path.name,
                sha256=digest,
                differs=again.differs,
            )
            found.scored.append(Scored(entry, run.evaluation))
    return found


def choose_logs(paths: Sequence[Path], tasks: Collection[str]) -> list[Path]:
    """Returns the logs of some tasks, and those that cannot be read, for the error to be said."""
    names = {None, *map(inspect_name, tasks)}
    return [path for path in paths if _find_task(path) in names]


def _find_task(path: Path) -> str | None:
    try:
        log = read_log(path, header_only=True)
    except CommongroundError:
        return None
    return log.eval.task.rpartition("/")[2]


def write_eval_yaml(boards: Iterable[Board | Benchmark]) -> str:
    """Writes ``eval.yaml``, by which a data set on the Hugging Face Hub is a benchmark.

    Args:
        boards: boards, or benchmarks without results; each is a task there.
    """
    tasks = {
        _name_task(board): {
            "id": _name_task(board),
            "config": inspect_name(board.task),
            "split": board.part.rpartition("/")[2],
            "field_spec": {"input": "input", "target": "target"},
            "solvers": [{"name": "generate"}],
            "scorers": [{"name": "commonground/official"}],
        }
        for board in boards
    }
    return _dump(
        {
            "name": "commonground",
            "description": "Grounded dialogue: PhotoBook, SIMMC, Taskmaster, Frames, MPChat. "
            "Every question counts, and numbers have intervals over dialogues.",
            "evaluation_framework": "inspect-ai",
            "tasks": list(tasks.values()),
        }
    )


def _name_task(board: Board | Benchmark) -> str:
    return "_".join([inspect_name(board.task), *board.part.split("/")])


def write_eval_results(boards: Sequence[Board], dataset: str) -> dict[str, str]:
    """Writes what a model's repository on the Hugging Face Hub has in ``.eval_results/``.

    Args:
        boards: the boards; of each, what models and not baselines came to.
        dataset: the benchmark on the Hub, ``OWNER/NAME``.

    Returns:
        The files' contents by name, one of each model.
    """
    found: dict[str, list[dict[str, Any]]] = {}
    for board in boards:
        for each in board.standings:
            if each.kind != "model" or each.number.value is None:
                continue
            of = "" if board.of is None else f" of {board.of:,}"
            found.setdefault(each.system, []).append(
                {
                    "dataset": {"id": dataset, "task_id": _name_task(board)},
                    "value": round(each.number.value, 4),
                    "date": each.asked_at[:10],
                    "notes": f"{board.number}{write_interval(each.number)}, n = {each.n:,}{of}, "
                    f"questions {board.questions}; {each.asked}",
                }
            )
    return {f"{name_file(system)}.yaml": _dump(rows) for system, rows in found.items()}


def write_interval(number: Number) -> str:
    """Writes the interval of a number, to stand after it; nothing where it has none."""
    if number.low is None or number.high is None:
        return ""
    return f", 95 % {number.low:.3f} to {number.high:.3f}"


def name_file(system: str) -> str:
    """Returns a name of a system that any file system takes."""
    kept = "".join(each if each.isalnum() or each in "._-" else "-" for each in system)
    return kept.strip(".-") or "system"


def _dump(value: Any) -> str:
    text: str = yaml.safe_dump(value, sort_keys=False, allow_unicode=True, width=100)
    return text
