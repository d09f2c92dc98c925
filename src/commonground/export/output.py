"""The folder that an export is written to: whole, or not at all."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from commonground.errors import SourceError, UsageError
from commonground.export.leftovers import clear_leftovers, hidden_folder
from commonground.export.loss import Lost

LOSS_NAME = "loss.json"

_FILE_SUFFIXES = frozenset(
    {".arrow", ".csv", ".feather", ".htm", ".html", ".json", ".jsonl", ".md", ".ndjson", ".tsv"}
    | {".parquet", ".pkl", ".py", ".sqlite", ".txt", ".xlsx", ".xml", ".yaml", ".yml"}
    | {".bz2", ".gz", ".tar", ".tgz", ".xz", ".zip", ".zst", ".jpg", ".pdf", ".png", ".svg"}
)
"""Endings of names that are meant for a file."""


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


@contextmanager
def new_folder(out: Path, store: Path, *, force: bool = False) -> Iterator[Path]:
    """Gives an empty folder beside ``out`` that takes its place when all went well.

    Args:
        out: the folder wanted. An empty folder or an export of ours is replaced.
        store: folder of the store, which is never replaced.
        force: replace whatever is there.

    Raises:
        UsageError: it is named like a file, something else is there, or the store or the current
            folder is in it.
        SourceError: it cannot be written.
    """
    refuse_file_name(out)
    target = out.resolve()
    clear_leftovers(target)
    _check_target(target, out, store, force=force)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with hidden_folder(target, "new") as beside:
            beside.chmod(0o755)
            yield beside
            _replace(target, beside)
    except OSError as error:
        raise _unwritable(out, error) from error


def refuse_file_name(out: Path) -> None:
    """Refuses a name that is meant for a file where a folder is to be written.

    Raises:
        UsageError: it ends like the name of a file.
    """
    name = Path(out.name)
    while name.suffix.lower() in _FILE_SUFFIXES:
        name = Path(name.stem)
    if name.name != out.name:
        told = f"{out} is named like a file, and a folder is written."
        raise UsageError(told, f"Name a folder, such as {out.parent / name}.")


def _unwritable(out: Path, error: OSError) -> SourceError:
    return SourceError(f"{out} cannot be written: {error.strerror or error}.")


def _check_target(target: Path, out: Path, store: Path, *, force: bool) -> None:
    kept = {"the folder you are in": Path.cwd(), "your home": Path.home(), "the store": store}
    for what, folder in kept.items():
        if folder.resolve().is_relative_to(target):
            raise UsageError(f"{out} holds {what}.", "Name a new folder.")
    if not target.exists() or force:
        return
    if not target.is_dir():
        raise UsageError(f"{out} is a file.", "Name a new folder.")
    if any(target.iterdir()) and not is_export(target):
        advice = "Name a new folder, or give --force to replace all that is in it."
        raise UsageError(f"{out} is there already and no export of ours.", advice)


def _replace(target: Path, beside: Path) -> None:
    """Moves a folder into place; what was there goes only when the new one stands."""
    if not target.exists():
        beside.rename(target)
        return
    with hidden_folder(target, "old") as aside:
        old = aside / target.name
        try:
            target.rename(old)
            beside.rename(target)
        except BaseException:
            if not target.exists():
                old.rename(target)
            raise
