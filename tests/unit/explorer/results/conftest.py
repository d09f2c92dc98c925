"""Two files of scored instances about the simulated games."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from commonground.bench.evaluation.instances import write_scored
from commonground.bench.evaluation.tasks import get_task
from commonground.bench.metrics.set_f1 import score_choice
from commonground.explorer.corpora import OpenCorpus
from commonground.explorer.results.runs import ResultFiles
from commonground.metric import Counts
from commonground.task import Gold, Scored

WriteRun = Callable[[str, list[list[str] | None]], Path]


@pytest.fixture
def images(photobook: OpenCorpus) -> list[str]:
    """The images that the first game shows."""
    dialogue = photobook.index.blocks.dialogue(0)
    return sorted({each.object_id for each in dialogue.displays})


@pytest.fixture
def write_run(tmp_path: Path, photobook: OpenCorpus, images: list[str]) -> WriteRun:
    """Writes a run: choices for one instance after the other, whose right answer is an image."""
    task, game = get_task("photobook/reference"), photobook.index.blocks.ids[0]

    def write(name: str, choices: list[list[str] | None]) -> Path:
        rows = []
        for number, chosen in enumerate(choices):
            scores = {image: float(image in (chosen or ())) for image in images}
            counts: dict[str, Counts] = {"set_f1": score_choice([images[0]], scores, chosen)}
            rows.append(
                Scored(
                    instance_id=f"{game}:{number}",
                    dialogue_id=game,
                    counts={} if chosen is None else counts,
                    gold=[images[0]],
                    predicted=chosen,
                )
            )
        path = tmp_path / f"{name}.parquet"
        write_scored(rows, path, task=task, gold=Gold(corpus=photobook.corpus))
        return path

    return write


@pytest.fixture
def runs(write_run: WriteRun, images: list[str]) -> ResultFiles:
    """Two runs: right, missed, other, nothing predicted; then the first two the other way."""
    right, wrong = [images[0]], [images[1]]
    first = write_run("first", [right, [], wrong, None])
    second = write_run("second", [wrong, right, wrong])
    return ResultFiles.open([first, second])
