"""Chooses and trims instances before a method sees them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

import msgspec

from commonground.bench.evaluation.baselines.results import HELD_OUT_OF, Size
from commonground.task import Instance, Task

Instances = list[Instance]


def measure_size(instances: Iterable[Instance]) -> Size:
    """Counts instances and their dialogues, each once."""
    pairs = {(each.dialogue_id, each.instance_id) for each in instances}
    return Size(len({dialogue for dialogue, _name in pairs}), len(pairs))


def hold_out(instances: Iterable[Instance]) -> frozenset[str]:
    """Returns the ids of the derived hold-out: a tenth, the same on every machine.

    Of a few dialogues none may be in that tenth: then one is held out, that of the least hash.
    """
    # Not Python's `hash`, which gives a text another number in each process.
    hashes = {
        each.dialogue_id: int(hashlib.sha256(each.dialogue_id.encode()).hexdigest(), 16)
        for each in instances
    }
    found = frozenset(each for each, value in hashes.items() if value % HELD_OUT_OF == 0)
    return found or frozenset(sorted(hashes, key=lambda each: hashes[each])[:1])


def allow_inputs(task: Task, instance: Instance) -> Instance:
    """Leaves an instance the inputs that the authors allow."""
    inputs = {name: value for name, value in instance.inputs.items() if name in task.allowed}
    return msgspec.structs.replace(instance, inputs=inputs)


def cut_dialogues(instances: Sequence[Instance], limit: int | None) -> Sequence[Instance]:
    """Keeps the instances of the first dialogues; all where there is no limit."""
    if limit is None:
        return instances
    chosen = list(dict.fromkeys(each.dialogue_id for each in instances))[:limit]
    kept = frozenset(chosen)
    return [each for each in instances if each.dialogue_id in kept]


def keep_answered(instances: Sequence[Instance]) -> Instances:
    """Keeps the dialogues that have right answers; the rest could be answered but not scored."""
    kept = frozenset(each.dialogue_id for each in instances if each.gold is not None)
    return [each for each in instances if each.dialogue_id in kept]


def keep_learnable(instances: Iterable[Instance]) -> Instances:
    """Keeps the instances that have a right answer."""
    return [each for each in instances if each.gold is not None]


def hide_gold(instances: Iterable[Instance]) -> Instances:
    """Takes the right answers away, so that no method can look at them."""
    return [msgspec.structs.replace(each, gold=None) for each in instances]
