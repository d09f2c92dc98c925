"""``labelling.toml``: what a labelling study asks, and of which events."""

from __future__ import annotations

import tomllib
from pathlib import Path

import msgspec

from commonground.errors import FormatError, SourceError
from commonground.play.labelling.units import PEOPLE, YES_OR_NO
from commonground.store.label_files import is_layer_name

NAME = "labelling.toml"
_ADVICE = "The page on labelling says what it holds: docs/how-to/label.md."


class Plan(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a study asks.

    Attributes:
        layer: name of the layer that the labels become.
        corpus: whose events are labelled.
        question: that people answer, of each candidate.
        query: SQL over the store, with a row for each candidate, or for each event where the
            question is about the event itself; or the name of a file beside this one that ends
            in ``.sql``.
        answers: to choose from.
        people: how many answer it for each event.
        context: events before it that are shown, too.
        store: folder of the store, as seen from this file, or its address such as
            ``s3://bucket/prefix``; None for ``$COMMONGROUND_STORE`` or ``./commonground-store``.
    """

    layer: str
    corpus: str
    question: str
    query: str
    answers: tuple[str, ...] = YES_OR_NO
    people: int = PEOPLE
    context: int = 6
    store: str | None = None


def read_plan(folder: Path) -> Plan:
    """Reads the plan of a study.

    Args:
        folder: that holds ``labelling.toml``.

    Raises:
        SourceError: it, or the file that it names, cannot be read.
        FormatError: it is not TOML, lacks a field, has a strange one, or a value that is not
            allowed.
    """
    path = folder / NAME
    try:
        raw = tomllib.loads(_read(path))
        plan = msgspec.convert(raw, Plan, strict=True)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise FormatError(f"{path}: {error}.", _ADVICE) from error
    for name, wrong in (
        ("layer", not is_layer_name(plan.layer)),
        ("question", not plan.question.strip()),
        ("people", plan.people < 1),
        ("context", plan.context < 0),
    ):
        if wrong:
            raise FormatError(f"{path}: {name} = {getattr(plan, name)!r} is not allowed.", _ADVICE)
    # A name of a file has one line; a query that happens to end so has more.
    if plan.query.endswith(".sql") and "\n" not in plan.query:
        return msgspec.structs.replace(plan, query=_read(folder / plan.query))
    return plan


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise SourceError(f"{path}: {error.strerror}.", _ADVICE) from error
    except UnicodeDecodeError as error:
        raise FormatError(f"{path} is not text in UTF-8: {error}.") from error
