"""Right answers of released files are those of their import."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from commonground.bench.evaluation.instances import list_instances
from commonground.task import Gold, Instance, Task
from tests.contract.conftest import Simulate
from tests.contract.test_perfect import CASES


def list_plain(task: Task, gold: Gold) -> list[Instance]:
    """The instances, without what only an import tells: their places among the events."""
    change: Any = msgspec.structs.replace
    return [change(each, event=None) for each in list_instances(task, gold)]


@pytest.mark.parametrize(("task", "corpus"), CASES, ids=lambda each: getattr(each, "name", each))
def test_instances_of_files_are_those_of_the_import(
    task: Task, corpus: str, simulate: Simulate
) -> None:
    simulated = simulate(corpus)
    imported, files = simulated.corpus, [simulated.files]
    stored = list_plain(task, Gold(corpus=imported))
    assert stored == list_plain(task, Gold(files=files))
    kept = frozenset(each.dialogue_id for each in stored[::3])
    part = list_plain(task, Gold(corpus=imported, dialogues=kept))
    assert part == [each for each in stored if each.dialogue_id in kept]
    assert part == list_plain(task, Gold(files=files, dialogues=kept))
