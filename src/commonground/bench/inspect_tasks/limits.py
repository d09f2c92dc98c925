"""What a model takes in one request, and which questions are more than that.

Context windows are inspect_ai's where it knows a model; ``model_limits.toml`` has others, and how
many pictures providers take.
"""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
from inspect_ai.model import get_model_info

from commonground.bench.inspect_tasks.asking.questions import Made
from commonground.bench.inspect_tasks.counting import SampleCount, choose_rule, count_samples
from commonground.printing import count_of

_WIDE = 200_000


class Limits(msgspec.Struct, frozen=True):
    """What a model takes in one request; None where nobody knows.

    Attributes:
        context: tokens of question and answer together.
    """

    context: int | None = None
    pictures: int | None = None


class _Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    pattern: str
    source: str
    context: int | None = None
    pictures: int | None = None
    wide_pictures: int | None = None


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    as_of: str
    models: list[_Entry]


@cache
def _read_table() -> _Table:
    data = Path(__file__).with_name("model_limits.toml").read_bytes()
    return msgspec.toml.decode(data, type=_Table)


def find_limits(model: str, context: int | None = None, pictures: int | None = None) -> Limits:
    """Returns what a model takes.

    Args:
        model: its name as inspect_ai knows it: ``openai/...``.
        context: tokens that it takes, where the user says so; None to look it up.
        pictures: pictures that it takes, likewise.
    """
    entries = (each for each in _read_table().models if fnmatchcase(model.lower(), each.pattern))
    known = next(entries, _Entry(model, ""))
    info = get_model_info(model)
    window = context or (info.context_length if info else None) or known.context
    taken = known.pictures
    if known.wide_pictures is not None and window is not None and window > _WIDE:
        taken = known.wide_pictures
    return Limits(window, pictures or taken)


def list_excess(
    facts: dict[str, Any], model: str, limits: Limits, counted: Sequence[SampleCount]
) -> list[str]:
    """Says how many questions are more than a model takes, and what helps.

    Args:
        facts: what is known of the questions, as ``Made`` has it.
    """
    return [
        *_warn(facts, model, "pictures", [each.pictures for each in counted], limits.pictures),
        *_warn(facts, model, "tokens", [each.tokens for each in counted], limits.context),
    ]


def _warn(
    facts: dict[str, Any], model: str, what: str, found: Sequence[float], limit: int | None
) -> list[str]:
    over = [round(each) for each in found if limit is not None and each > limit]
    if not over:
        return []
    about = "about " if what == "tokens" else ""
    return [
        f"{facts['task']}: {len(over):,} of {count_of(len(found), 'question')} have more {what} "
        f"than {model} takes in one request: {about}{min(over):,} to {max(over):,}, and it takes "
        f"{limit:,}. {_advise(facts, what)}"
    ]


def _advise(facts: dict[str, Any], what: str) -> str:
    named = "max_pictures" if what == "pictures" else "context"
    wrong = f"set -T {named}=N if that limit is wrong."
    ways = []
    if facts["variant"] == "pictures" and facts["has_fewer_pictures"]:
        ways.append("show fewer pictures with -T variant=fewer")
    if facts["variant"] != "text":
        ways.append("show none with -T variant=text")
    if what == "tokens" and facts["few_shot"]:
        ways.append("give fewer examples with -T few_shot=N")
    ways = ways or ["ask a model that takes more"]
    advice = ", or ".join([*ways, wrong])
    return advice[0].upper() + advice[1:]


def find_excess(made: Made, model: str) -> list[str]:
    """Counts what is to be asked, and returns what :func:`list_excess` says of it.

    Args:
        made: what is to be asked, with the limits that the user named.
    """
    limits = find_limits(model, made.facts["context"], made.facts["max_pictures"])
    if limits == Limits():
        return []
    return list_excess(made.facts, model, limits, count_samples(made, choose_rule(model)[1]))
