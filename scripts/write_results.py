"""Runs all baselines on a store of the real corpora and renews ``docs/results/``.

Usage: ``python scripts/write_results.py [TASK ...]``; ``COMMONGROUND_STORE`` names the store.
``python scripts/write_results.py --form`` runs nothing: of the results that are there, it leaves
out what no result has any more. ``--overlap`` runs nothing, either: it counts anew what the splits
of the results that are there share, where the store has as many instances as they are of.
``python scripts/write_results.py --encoders [TASK ...]`` runs only the baselines that read texts
with a sentence encoder or look at pictures, and puts their results in place of those that are
there; it needs ``make encoders`` and torch, and all else leaves their results alone.
"""

from __future__ import annotations

import statistics
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from commonground.bench.evaluation.access import run_baselines
from commonground.bench.evaluation.baselines.jobs import plan_baselines
from commonground.bench.evaluation.baselines.methods import iterate_baselines
from commonground.bench.evaluation.baselines.protocols import find_plan_overlap
from commonground.bench.evaluation.reporting import ResultFile, condense_result, list_main
from commonground.bench.evaluation.tasks import get_task
from commonground.errors import CommongroundError
from commonground.method import Baselines
from commonground.store.opening import open_store
from commonground.store.shared import Overlap
from commonground.task import Task

ALSO_FROM = {"simmc/actions": "dev"}
"""Splits to learn from as well, where the released one may come without words."""
SEEDS = (1, 2, 3)
"""Seeds that baselines with an encoder are run with; the first one's numbers stand in the table."""
OUT = Path(__file__).resolve().parents[1] / "docs" / "results"


def main() -> None:
    """Runs the baselines of the named tasks, or of all."""
    OUT.mkdir(exist_ok=True)
    if sys.argv[1:] == ["--form"]:
        for path in sorted(OUT.glob("*.json")):
            path.write_bytes(_indent(leave_out_unknown(path.read_bytes())))
        return
    if sys.argv[1:] == ["--overlap"]:
        for path in sorted(OUT.glob("*.json")):
            results = msgspec.json.decode(path.read_bytes(), type=list[ResultFile])
            overlaps = [_count_overlap(each) for each in results]
            path.write_bytes(_indent(put_in(path.read_bytes(), overlaps)))
        return
    if sys.argv[1:2] == ["--encoders"]:
        for each in iterate_baselines():
            if not sys.argv[2:] or each.task in sys.argv[2:]:
                _write_encoded(each)
        return
    wanted = sys.argv[1:] or [each.task for each in iterate_baselines()]
    imported = open_store().corpora()
    for name in wanted:
        task = get_task(name)
        for corpus in task.corpora:
            if corpus in imported:
                _write(task, corpus)
                if name in ALSO_FROM:
                    _write(task, corpus, ALSO_FROM[name])
            else:
                sys.stdout.write(f"{name}: {corpus} is not in the store\n")


def leave_out_unknown(data: bytes) -> bytes:
    """Leaves out of a file of results what no result has any more; nothing is added.

    Args:
        data: the file, a list of results.
    """
    kept = ResultFile.__struct_fields__
    results = msgspec.json.decode(data, type=list[dict[str, msgspec.Raw]])
    return msgspec.json.encode([{k: each[k] for k in each if k in kept} for each in results])


def put_in(data: bytes, overlaps: Sequence[list[Overlap]]) -> bytes:
    """Puts what splits share into a file of results; all else stays as it is.

    Args:
        data: the file, a list of results.
        overlaps: for each of them.
    """
    results = msgspec.json.decode(data, type=list[dict[str, msgspec.Raw]])
    for each, found in zip(results, overlaps, strict=True):
        each["overlap"] = msgspec.Raw(msgspec.json.encode(found))
    return msgspec.json.encode(results)


def _count_overlap(result: ResultFile) -> list[Overlap]:
    """Counts what the splits of a result share, unless the store has other dialogues."""
    run = result.baseline
    if run is None or run.corpus not in open_store().corpora():
        return result.overlap
    jobs = plan_baselines(
        result.task,
        run.method,
        corpus=run.corpus,
        part=run.protocol.part,
        train=run.protocol.train if run.protocol.kind == "splits" else None,
        test=run.protocol.test if run.protocol.kind == "splits" else None,
    )
    plans = [job.plan for job in jobs if job.plan.learned_from() == run.learned_from]
    if not plans or plans[0].answered() != run.answered:
        sys.stdout.write(f"{result.task} on {run.corpus}: the store has different dialogues\n")
        return result.overlap
    return find_plan_overlap(plans[0])


def _indent(data: bytes) -> bytes:
    return msgspec.json.format(data, indent=1) + b"\n"


def _write(task: Task, corpus: str, train: str | None = None) -> None:
    ending = f"-from-{train}" if train else ""
    path = OUT / f"{task.name.replace('/', '-')}-{corpus}{ending}.json"
    try:
        results = list(_run(task, corpus, train))
    except CommongroundError as error:
        sys.stdout.write(f"{task.name} on {corpus}: {error}\n")
        return
    results += [each for each in _read(path) if each.baseline and each.baseline.encoder]
    path.write_bytes(_indent(msgspec.json.encode(results)))
    sys.stdout.write(f"{len(results)} results in {path.name}\n")


def _read(path: Path) -> list[ResultFile]:
    if not path.exists():
        return []
    return msgspec.json.decode(path.read_bytes(), type=list[ResultFile])


def _write_encoded(baselines: Baselines) -> None:
    """Runs the methods of a task that read or see, and puts in what they score."""
    task = get_task(baselines.task)
    names = [each.name for each in baselines.methods if each.encodes or each.sees]
    imported = open_store().corpora()
    for corpus in [each for each in task.corpora if names and each in imported]:
        path = OUT / f"{task.name.replace('/', '-')}-{corpus}.json"
        runs = [list(_run(task, corpus, None, names, seed)) for seed in SEEDS]
        found = [_join_seeds(task, each) for each in zip(*runs, strict=True)]
        kept = [e for e in _read(path) if e.baseline is None or e.baseline.method not in names]
        path.write_bytes(_indent(msgspec.json.encode(kept + found)))
        sys.stdout.write(f"{len(found)} results put into {path.name}\n")


def _join_seeds(task: Task, results: Sequence[ResultFile]) -> ResultFile:
    """Returns the first result, with the mean and the spread of all."""
    values: dict[str, list[float]] = {}
    for result in results:
        for each in list_main(task, result.measures):
            if each.value is not None:
                values.setdefault(each.name, []).append(each.value)
    told = ", ".join(
        f"{name} {statistics.mean(mine):.3f} ± {statistics.stdev(mine):.4f}"
        for name, mine in values.items()
        if len(mine) == len(results)
    )
    seeds = ", ".join(map(str, SEEDS))
    said = {f"seeds {seeds}, mean ± standard deviation": told}
    return msgspec.structs.replace(results[0], settings=results[0].settings | said)


def _run(
    task: Task, corpus: str, train: str | None, methods: Sequence[str] = (), seed: int = 1
) -> Iterator[ResultFile]:
    for result in run_baselines(task.name, *methods, corpus=corpus, train=train, seed=seed):
        read = msgspec.json.decode(msgspec.json.encode(result), type=ResultFile)
        yield condense_result(task, read)
        run = result.baseline
        part = f", {run.protocol.part}" if run.protocol.part else ""
        sys.stdout.write(f"{task.name} on {corpus}{part}: {run.method}, {run.train_s} s\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
