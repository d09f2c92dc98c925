"""What a log says is what ``commonground evaluate`` says of the same answers in a file."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from inspect_ai.log import EvalLog, read_eval_log

from commonground.errors import TaskError
from commonground.evaluation.asking import ReplyScorer
from commonground.evaluation.baselines.discovery import get_baselines
from commonground.evaluation.discovery import get_task
from commonground.evaluation.prompts import (
    find_prompts,
    inspect_name,
    read_answer,
    render_target,
)
from commonground.evaluation.scoring import (
    Evaluation,
    MeasureResult,
    evaluate_predictions,
    measure_scored,
)
from commonground.inspect_tasks import TASKS
from commonground.inspect_tasks.logged import Row, group_rows, merge_epochs, read_scored
from commonground.store.opening import load
from commonground.task import Gold, Instance, Scored, Task
from tests.unit.inspect_tasks.saying import list_values, run, say_target, say_texts

NAMES = sorted(find_prompts())
UNREADABLE = "I had rather not say."


def list_rows(log: EvalLog) -> list[Row]:
    assert log.samples is not None
    return [
        (each.metadata, (each.scores or {})["official"].metadata or {}, str(each.id))
        for each in log.samples
    ]


def shift_targets(scorer: ReplyScorer) -> dict[str, str]:
    """Gives each instance the right answer of another one of its part; every seventh, none."""
    texts: dict[str, str] = {}
    for name in scorer.list_asked():
        part = scorer.lines[name].part
        mine = [each for each in scorer.list_asked() if scorer.lines[each].part == part]
        other = mine[mine.index(name) - 1 - mine.index(name) % 2]
        texts[name] = render_target(scorer.prompt, scorer.lines[other].instance) or ""
    for name in list(texts)[3::7]:
        texts[name] = " " if scorer.prompt.is_text else UNREADABLE
    return texts


def read_all(
    scorer: ReplyScorer, texts: dict[str, str], part: str
) -> Iterator[tuple[Instance, Any]]:
    for name, line in scorer.lines.items():
        if line.part == part:
            try:
                yield line.instance, read_answer(scorer.prompt, line.question, texts.get(name, "-"))
            except TaskError:
                if scorer.prompt.blank is not None:
                    yield line.instance, scorer.prompt.blank(line.instance)


def evaluate_files(
    task: Task, scorer: ReplyScorer, texts: dict[str, str], gold: Gold, path: Path
) -> dict[str, Evaluation]:
    """Evaluates the answers as files of predictions, one for each part and split."""
    found = {}
    for part in dict.fromkeys(line.part for line in scorer.lines.values()):
        get_baselines(task.name).write(read_all(scorer, texts, part), path)
        mine = (line for line in scorer.lines.values() if line.part == part)
        # Where dialogues are named, what is missing counts as where a split is asked for.
        kept = frozenset(line.instance.dialogue_id for line in mine)
        narrowed = msgspec.structs.replace(gold, dialogues=kept)
        found[part] = evaluate_predictions(task, path, narrowed)
    return found


def list_numbers(measures: list[MeasureResult]) -> dict[str, float | None]:
    """Returns every number by name, and the ends of its interval."""
    return {
        f"{measure.name}:{each.name}{end}": number
        for measure in measures
        for each in measure.values
        for end, number in (("", each.value), ("_low", each.low), ("_high", each.high))
    }


def list_counts(scored: Scored) -> dict[str, float]:
    return {
        f"{measure}:{name}": count
        for measure, counts in scored.counts.items()
        for name, count in counts.items()
    }


def choose_split(task: str, scorer_store: Path) -> str | None:
    """Returns a released split in which there is something to ask about; null where all is one."""
    baselines, corpus = get_baselines(task), load(get_task(task).corpora[0], scorer_store)
    if baselines.part is None:
        return None
    for split in filter(None, corpus.splits()):
        if ReplyScorer(task, corpus, split=split).list_asked():
            return split
    return None


@pytest.mark.parametrize("name", NAMES)
def test_a_log_gives_the_numbers_of_a_file(name: str, store: Path, tmp_path: Path) -> None:
    task, corpus = get_task(name), load(get_task(name).corpora[0], store)
    split = choose_split(name, store)
    scorer = ReplyScorer(name, corpus, split=split)
    texts = shift_targets(scorer)
    made = TASKS[inspect_name(name)](split=split or "all", store=str(store))
    log = run(made, say_texts(texts), tmp_path)
    gold = Gold(corpus=corpus, split=split)
    files = evaluate_files(task, scorer, texts, gold, tmp_path / "predictions.json")
    groups = group_rows(list_rows(log))
    assert len(groups) == len({scorer.lines[each].part for each in texts})
    for rows in groups.values():
        wanted = files[rows[0][1]["part"]]
        mine = merge_epochs(filter(None, map(read_scored, rows)))
        theirs = {each.instance_id: each for each in wanted.instances}
        for each in mine:
            assert list_counts(each) == pytest.approx(list_counts(theirs[each.instance_id]))
        found = list_numbers(measure_scored(task, mine)[0])
        assert found == pytest.approx(list_numbers(wanted.result.measures), abs=1e-9)
        assert any(value not in (0, 1, None) for value in found.values())


def test_a_log_is_scored_again_without_a_model(store: Path, tmp_path: Path) -> None:
    log = run(TASKS["frames_nlu"](split="all", store=str(store)), say_target, tmp_path)
    command = [sys.executable, "-m", "inspect_ai", "score", log.location, "--overwrite"]
    environment = {**os.environ, "COMMONGROUND_STORE": str(store)}
    done = subprocess.run(
        [
            *command,
            "--scorer",
            "commonground/official",
            "-S",
            "task=frames/nlu",
            "-S",
            "corpus=frames",
            "--action",
            "overwrite",
            "--display",
            "plain",
        ],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    again = read_eval_log(log.location)
    assert list_values(again) == list_values(log)
    assert [row[1] for row in list_rows(again)] == [row[1] for row in list_rows(log)]
