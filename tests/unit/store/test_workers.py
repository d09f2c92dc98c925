"""Processes of an import that die."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from tests.faults.stores import LARGE, write_much
from tests.thorough import a_few

from commonground.corpora import Entry
from commonground.store.importing import import_corpus, shards, workers


def make(marker: Path) -> bool:
    """Makes a file; no where it is there, so that one of several processes is told yes."""
    try:
        marker.touch(exist_ok=False)
    except FileExistsError:
        return False
    return True


def die_in(function: str, line: int, marker: Path) -> Callable[..., Any]:
    """Returns a tracer that kills its process at a line of a function, counted from its ``def``."""

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        if frame.f_code.co_name != function or frame.f_code.co_filename != workers.__file__:
            return None
        at = frame.f_lineno - frame.f_code.co_firstlineno
        if event == "line" and at == line and make(marker):
            os.kill(os.getpid(), signal.SIGKILL)
        return trace

    return trace


@pytest.mark.parametrize("line", a_few([1, 2], [2]))
def test_one_that_dies_while_it_counts_does_not_hold_up_the_import(
    toy: Entry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: int
) -> None:
    marker = tmp_path / "died"

    def import_shard(*args: Any) -> shards.ShardReport:
        sys.settrace(die_in("step", line, marker))
        return shards.import_shard(*args)

    monkeypatch.setattr(workers, "import_shard", import_shard)
    files = write_much(tmp_path / "files")
    summary = import_corpus(toy, [files], store=tmp_path / "store", jobs=2)
    assert marker.exists()
    assert summary.left_out == 0
    assert summary.manifest.counts["dialogues"] == LARGE


class Untidy:
    """Something in a circle, which says where it is tidied up.

    Args:
        told: file that it writes.
    """

    def __init__(self, told: Path) -> None:
        self.told = told
        self.itself = self

    def __del__(self) -> None:
        with self.told.open("a") as file:
            file.write(f"{os.getpid()}\n")


def test_what_this_process_left_is_tidied_up_here_alone(
    toy: Entry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that is being written would be closed by a process that has no part in it."""

    def import_shard(*args: Any) -> shards.ShardReport:
        gc.collect()
        return shards.import_shard(*args)

    monkeypatch.setattr(workers, "import_shard", import_shard)
    files, told = write_much(tmp_path / "files"), tmp_path / "told"
    gc.disable()
    try:
        Untidy(told)
        import_corpus(toy, [files], store=tmp_path / "store", jobs=2)
    finally:
        gc.enable()
    gc.collect()
    assert told.read_text() == f"{os.getpid()}\n"
