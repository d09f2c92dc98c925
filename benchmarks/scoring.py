"""Scoring against the authors' own functions, resampling, and segmentation.

``COMMONGROUND_UPSTREAM`` names a folder with a checkout of facebookresearch/simmc in ``simmc``;
without it, what is held against their functions is only timed.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import random
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.measure import Line, best_of
from commonground.bench.evaluation.scoring import SEED, tabulate_instances
from commonground.bench.evaluation.tasks import get_task
from commonground.corpora.photobook.games import load_games
from commonground.corpora.photobook.segments import segment_game
from commonground.corpora.simmc.tasks import beliefs
from commonground.statistics.bootstrap import bootstrap_intervals
from commonground.task import Gold

RESAMPLES_BAR_S = 2.0
SEGMENTS_BAR_S = 1.5


def run() -> list[Line]:
    data = os.environ.get("COMMONGROUND_DATA")
    if not data:
        return []
    with tempfile.TemporaryDirectory() as folder:
        return list(_measure(Path(data), Path(folder)))


def _measure(data: Path, folder: Path) -> Iterator[Line]:
    candidates = data / "simmc1/fashion/fashion_devtest_dials_retrieval_candidates.json"
    scores = folder / "scores.json"
    _write_scores(candidates, scores)
    yield _against(
        "score 5,397 x 100 candidates, files read",
        "simmc/retrieval",
        scores,
        candidates,
        _official_retrieval,
    )
    target = data / "simmc1/furniture/furniture_devtest_dials_target.txt"
    predicted = data.parent / "golden/simmc/furniture_devtest_dst_predicted_a.txt"
    if predicted.exists():
        yield _against(
            "score 7,355 turns of belief states, files read",
            "simmc/dst",
            predicted,
            target,
            _official_dst,
        )
    yield _resampling(scores, candidates)
    yield _segmentation(data / "photobook/logs")


def _write_scores(candidates: Path, out: Path) -> None:
    """Writes seeded scores of all candidates of all turns."""
    draw = random.Random(1)
    dialogues = json.loads(candidates.read_bytes())["retrieval_candidates"]
    entries = []
    for each in dialogues:
        turns = []
        for number, turn in enumerate(each["retrieval_candidates"]):
            found = [draw.random() for _ in turn["retrieval_candidates"]]
            turns.append({"turn_id": number, "scores": found})
        entries.append({"dialog_id": each["dialogue_idx"], "candidate_scores": turns})
    out.write_text(json.dumps(entries))


def _against(
    job: str,
    task: str,
    predictions: Path,
    gold: Path,
    official: Callable[[Path, Path, Path], Callable[[], Any]],
) -> Line:
    chosen = get_task(task)

    def score() -> Any:
        beliefs.parse_belief.cache_clear()
        beliefs.match_end.cache_clear()
        return chosen.score_file(predictions, Gold(files=(gold,)))

    mine = best_of(score, 5)
    upstream = Path(os.environ.get("COMMONGROUND_UPSTREAM") or "nowhere") / "simmc"
    if not upstream.is_dir():
        note = "COMMONGROUND_UPSTREAM names no checkout"
        return Line(job, f"{mine:.2f} s", note, None, "no slower", None)
    theirs = best_of(official(upstream, predictions, gold), 5)
    return Line(
        job,
        f"{mine:.2f} s",
        f"the authors' function, reading included, {theirs:.2f} s",
        mine / theirs,
        "no slower",
        mine <= theirs,
    )


@contextlib.contextmanager
def _importing_from(folder: Path) -> Iterator[None]:
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))


def _official_retrieval(upstream: Path, predictions: Path, gold: Path) -> Callable[[], Any]:
    with _importing_from(upstream / "mm_action_prediction"):
        from tools.retrieval_evaluation import (  # type: ignore[import-not-found]
            evaluate_response_retrieval,
        )

    def score() -> Any:
        right = json.loads(gold.read_text())
        for each in right["retrieval_candidates"]:
            for turn in each["retrieval_candidates"]:
                turn.setdefault("gt_index", 0)  # which the script wants and devtest lacks
        with contextlib.redirect_stdout(io.StringIO()):
            return evaluate_response_retrieval(
                right, json.loads(predictions.read_text()), compute_std_err=True
            )

    return score


def _official_dst(upstream: Path, predictions: Path, gold: Path) -> Callable[[], Any]:
    with _importing_from(upstream / "mm_dst"):
        from gpt2_dst.utils.convert import (  # type: ignore[import-not-found]
            parse_flattened_results_from_file,
        )
        from utils.evaluate_dst import (  # type: ignore[import-not-found]
            evaluate_from_flat_list,
        )

    def score() -> Any:
        right, given = map(parse_flattened_results_from_file, (str(gold), str(predictions)))
        return evaluate_from_flat_list(right, given)

    return score


def _resampling(predictions: Path, gold: Path) -> Line:
    task = get_task("simmc/retrieval")
    scoring = task.score_file(predictions, Gold(files=(gold,)))
    measure = task.measures[0]

    def resample() -> Any:
        table = tabulate_instances(scoring.instances, measure.name)
        return bootstrap_intervals(table, measure.combine, seed=SEED)

    seconds = best_of(resample)
    return Line(
        "1,000 bootstrap resamples of 5,397 turns",
        f"{seconds:.2f} s",
        "",
        None,
        f"at most {RESAMPLES_BAR_S} s",
        seconds <= RESAMPLES_BAR_S,
    )


def _segmentation(logs: Path) -> Line:
    def segment() -> Any:
        games = load_games(Gold(files=(logs,))).by_id
        return [segment_game(game) for game in games.values()]

    seconds = best_of(segment)
    return Line(
        "segment all PhotoBook games, logs read",
        f"{seconds:.2f} s",
        "",
        None,
        f"at most {SEGMENTS_BAR_S} s",
        seconds <= SEGMENTS_BAR_S,
    )
