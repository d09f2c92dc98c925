"""What Taskmaster's baselines learn from, and how their answers are written."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from commonground.task import Instance


def take_sample(instances: Sequence[Instance], most: int, seed: int) -> Sequence[Instance]:
    """Returns at most so many instances, chosen by chance, in their order."""
    if len(instances) <= most:
        return instances
    chosen = sorted(random.Random(seed).sample(range(len(instances)), most))
    return [instances[place] for place in chosen]


def write_lines(answers: Iterable[tuple[Instance, dict[str, Any]]], path: Path) -> None:
    """Writes one JSON object a line: the instance's id, and what is said of it."""
    encode = msgspec.json.encode
    lines = [encode({"instance_id": one.instance_id, **answer}) for one, answer in answers]
    path.write_bytes(b"".join(line + b"\n" for line in lines))
