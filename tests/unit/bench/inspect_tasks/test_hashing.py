"""What was asked has the same hash before and after, and another one where anything differs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import read_eval_log
from tests.unit.bench.inspect_tasks.saying import run, say_target

from commonground.bench.inspect_tasks import TASKS
from commonground.bench.inspect_tasks.asking.hashing import hash_log, hash_made
from commonground.bench.inspect_tasks.asking.questions import Asking, Made, make_dataset
from commonground.errors import TaskError


def make(store: Path, **options: Any) -> Made:
    chosen = {"task": "photobook/reference", "corpus": "photobook", "split": "all", **options}
    return make_dataset(Asking(store=str(store), **chosen))


@pytest.mark.parametrize("variant", ["text", "pictures"])
def test_a_log_has_the_hash_of_what_was_made(store: Path, tmp_path: Path, variant: str) -> None:
    task = TASKS["photobook_reference"](store=str(store), split="all", variant=variant)
    log = run(task, say_target, tmp_path, epochs=2)
    made = hash_made(make(store, variant=variant))
    assert bool(made.pictures) == (variant == "pictures")
    for resolved in (False, True):
        assert hash_log(read_eval_log(log.location, resolve_attachments=resolved)) == made


def test_a_part_of_a_log_has_the_hash_of_these_samples(store: Path, tmp_path: Path) -> None:
    task = TASKS["photobook_reference"](store=str(store), split="all")
    log = run(task, say_target, tmp_path, limit=3)
    ids = {str(each.id) for each in log.samples or ()}
    made = make(store)
    assert hash_log(log) == hash_made(made, ids) != hash_made(made)


@pytest.mark.parametrize("options", [{"limit": 2}, {"split": "test"}])
def test_other_questions_have_another_hash(store: Path, options: dict[str, Any]) -> None:
    one, other = hash_made(make(store)), hash_made(make(store, **options))
    assert one.texts != other.texts
    assert one.pictures != other.pictures


def test_smaller_pictures_change_the_hash_of_pictures_alone(store: Path) -> None:
    one, other = hash_made(make(store)), hash_made(make(store, image_size=16))
    assert one.texts == other.texts
    assert one.pictures != other.pictures


def test_the_order_of_samples_changes_nothing(store: Path) -> None:
    made = make(store)
    before = hash_made(made)
    made.dataset.shuffle(seed=3)
    assert hash_made(made) == before


def test_a_log_without_pictures_is_refused_in_words(store: Path, tmp_path: Path) -> None:
    task = TASKS["photobook_reference"](store=str(store), split="all", limit=1)
    log = run(task, say_target, tmp_path, log_images=False)
    with pytest.raises(TaskError, match="the log has no pictures"):
        hash_log(log)
