"""The questions of the benchmark tasks as rows of a data set, and the ``eval.yaml`` for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from commonground.bench.evaluation.prompts import find_prompts, inspect_name
from commonground.bench.evaluation.tasks import get_task
from commonground.bench.inspect_tasks.asking.questions import Asking, Made, make_dataset
from commonground.bench.inspect_tasks.logs.standings import Benchmark, write_eval_yaml
from commonground.errors import CommongroundError
from commonground.exports.formats.hf.export import legal_split
from commonground.store.arrow import pa, pq

EVAL_NAME = "eval.yaml"


def write_questions(
    corpus: str, store: Path, staged: Path, report: Callable[[str, CommongroundError], None]
) -> dict[str, dict[str, int]]:
    """Writes the questions of each task of a corpus, and ``eval.yaml``.

    A task is a configuration: ``data/TASK/SPLIT-00000-of-00001.parquet`` with what a model is
    asked and the right answer, as text. Tasks that ask nothing of these dialogues are left out.

    Args:
        staged: folder of the repository in the making.
        report: is given each task that is left out, and why.

    Returns:
        The rows of each configuration by split.
    """
    written: dict[str, dict[str, int]] = {}
    benchmarks: list[Benchmark] = []
    for task in sorted(find_prompts()):
        if corpus not in get_task(task).corpora:
            continue
        try:
            made = make_dataset(
                Asking(task=task, corpus=corpus, split="all", variant="text", store=str(store)),
                to_score=False,
            )
        except CommongroundError as error:
            report(task, error)
            continue
        counts = _write_task(task, made, staged)
        written[inspect_name(task)] = counts
        benchmarks += [Benchmark(task, split) for split in counts]
    if benchmarks:
        (staged / EVAL_NAME).write_text(write_eval_yaml(benchmarks), encoding="utf-8")
    return written


def _write_task(task: str, made: Made, staged: Path) -> dict[str, int]:
    by_split: dict[str, list[dict[str, str | None]]] = {}
    for split, row in _list_rows(made):
        by_split.setdefault(split, []).append(row)
    folder = staged / "data" / inspect_name(task)
    folder.mkdir(parents=True, exist_ok=True)
    schema = pa.schema([(name, pa.string()) for name in ("id", "dialogue_id", "input", "target")])
    for split, rows in by_split.items():
        table = pa.Table.from_pylist(rows, schema)
        pq.write_table(table, folder / f"{split}-00000-of-00001.parquet", compression="zstd")
    return {split: len(rows) for split, rows in by_split.items()}


def _list_rows(made: Made) -> Iterator[tuple[str, dict[str, str | None]]]:
    for sample in made.dataset:
        about = sample.metadata or {}
        text = "\n".join(each.text for each in sample.input if not isinstance(each, str))
        yield (
            legal_split(about["split"]),
            {
                "id": str(sample.id),
                "dialogue_id": about["dialogue_id"],
                "input": f"{made.ask}\n\n{text}",
                "target": str(sample.target),
            },
        )
