"""The report that is written with an export, and marks its folder as one of ours."""

from __future__ import annotations

from pathlib import Path

import msgspec

from commonground.export.loss import Lost

LOSS_NAME = "loss.json"


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """What ``loss.json`` holds; it also marks a folder as an export of ours.

    Attributes:
        commonground: version that wrote it.
        format: name of the format.
        options: options of the format.
        corpora: dialogues per corpus.
        splits: splits that were asked for; empty for all.
        where: condition that was asked for.
        lost: what did not fit.
    """

    commonground: str
    format: str
    options: dict[str, str | bool | None]
    corpora: dict[str, int]
    splits: list[str]
    where: str | None
    lost: list[Lost]


def is_export(folder: Path) -> bool:
    """Tells whether a folder was written by an export."""
    try:
        msgspec.json.decode((folder / LOSS_NAME).read_bytes(), type=Report)
    except (OSError, msgspec.DecodeError):
        return False
    return True
