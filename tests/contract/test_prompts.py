"""What prompts say that a model is told stands in the tables."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from commonground.evaluation.prompts import find_prompts
from commonground.evaluation.tasks import get_task
from commonground.store.corpus import Corpus
from commonground.task import Gold

from .conftest import Simulated


def read_numbers(corpus: Corpus, name: str) -> dict[str, set[Any]]:
    """Returns value and event of each row of a column, by dialogue; any event may be unknown."""
    table, column = name.split(".")
    rows = corpus.table(table).select(["dialogue_id", column, "event"]).to_pylist()
    found: dict[str, set[Any]] = defaultdict(set)
    for row in rows:
        value = row[column]
        for event in (row["event"], None):
            found[row["dialogue_id"]].add((type(value), value, event))
    return found


def test_what_is_told_is_in_the_tables(simulated: Simulated) -> None:
    corpus, rows = simulated.corpus, {}
    for name, prompt in find_prompts().items():
        task = get_task(name)
        if corpus.name not in task.corpora or prompt.tells is None:
            continue
        for instance in task.instances(Gold(corpus=corpus)):
            if instance.gold is None or prompt.target(instance) is None:
                continue
            for told in prompt.tells(instance):
                if told.column not in rows:
                    rows[told.column] = read_numbers(corpus, told.column)
                number = type(told.value), told.value, told.event
                assert number in rows[told.column][instance.dialogue_id], (instance, told)
