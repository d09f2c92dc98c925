"""Indexes that a server makes while it already answers.

A process of its own makes them, one corpus after the other, with others where a corpus is large:
pages need not wait for it, and whoever ends the server ends it, too. It moves an index to its place
only when that is whole.
"""

from __future__ import annotations

import multiprocessing
import signal
import threading
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext, suppress
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess

import msgspec

from commonground.engines.processes import end_with_parent
from commonground.errors import CommongroundError
from commonground.explorer.corpora import CorporaPlan, OpenCorpora, OpenCorpus
from commonground.explorer.web.listening import exit_on_sigterm
from commonground.files.work_folders import clear_work_folders
from commonground.store.index import has_index, open_index
from commonground.store.index.dividing import Progress

Told = Callable[[OpenCorpus], AbstractContextManager[Progress | None]]
"""Says elsewhere, as in a terminal, that a corpus is indexed, and how far that is."""

ENDING_S = 3.0
"""Seconds that a process has to end by itself, and its own before it."""


class Step(msgspec.Struct, frozen=True):
    """How far an index is.

    Attributes:
        done: rows that are in it.
        total: rows there are; 0 where they are not counted yet.
    """

    done: int = 0
    total: int = 0

    @property
    def percent(self) -> int:
        """Rows that are in it, in a hundred."""
        return 100 * self.done // self.total if self.total else 0


class IndexMaker:
    """Makes the indexes that corpora lack, and knows how far it is.

    Args:
        corpora: those that are shown.
        told: says it elsewhere, too; None for nowhere.
        jobs: processes that make the index of a large corpus.

    Attributes:
        total: how many there were to be made at first.
    """

    def __init__(self, corpora: OpenCorpora, told: Told | None = None, jobs: int = 1) -> None:
        self._corpora = corpora
        self._jobs = jobs
        self._told = told
        self._process: BaseProcess | None = None
        self._lock = threading.Lock()
        self._closed = False
        self._steps = {each.name: Step() for each in corpora if not has_index(each.corpus)}
        self.total = len(self._steps)
        for each in corpora:
            each.awaits_index = each.name in self._steps

    def is_at_work(self, name: str) -> bool:
        """Tells whether the index of a corpus is still to be made."""
        return name in self._steps

    def steps(self) -> dict[str, Step]:
        """Returns how far the indexes are that are still to be made, by corpus."""
        return dict(self._steps)

    def run(self) -> None:
        """Makes all of them; returns when they are there, or it was closed."""
        names = list(self._steps)
        if not names:
            return
        # A fork would copy this process's threads' locks, some of them held for ever.
        context = multiprocessing.get_context("spawn")
        reader, writer = context.Pipe(duplex=False)
        with reader:
            with self._lock:
                if self._closed:
                    return
                arguments = (self._corpora.plan(), names, writer, self._jobs)
                # No daemon, as those may not have processes of their own.
                self._process = context.Process(target=_make_all, args=arguments)
                self._process.start()
            writer.close()  # so that this end reads of the other's end
            for name in names:
                self._follow(reader, name)

    def _follow(self, reader: Connection, name: str) -> None:
        """Hears how far one index is, until it is there or given up."""
        opened = self._corpora.get(name)
        with (self._told or _tell_nobody)(opened) as tell, suppress(EOFError, OSError):
            while (step := reader.recv()) is not None:
                self._steps[name] = step
                if tell is not None:
                    tell(step.done, step.total)
        # What is wrong with a corpus is said on its pages.
        with suppress(CommongroundError):
            if not self._closed:
                opened.warm_up()
        opened.awaits_index = False
        del self._steps[name]
        # Answers that were kept say that it is being made.
        self._corpora.put(opened)

    def close(self) -> None:
        """Ends it; what it had not finished is made by the next server."""
        with self._lock:
            self._closed = True
            if self._process is not None:
                self._process.terminate()
                self._process.join(ENDING_S)
                self._process.kill()  # nothing but whole indexes get to their place
                self._process.join()
                clear_work_folders()  # what it had not finished


def _tell_nobody(_opened: OpenCorpus) -> AbstractContextManager[None]:
    return nullcontext()


def _make_all(plan: CorporaPlan, names: Iterable[str], writer: Connection, jobs: int) -> None:
    """Makes indexes in a process of its own; sends each step, and None after each corpus.

    Args:
        plan: how the corpora are opened.
        names: those whose indexes are made.
        writer: where steps are sent to.
        jobs: processes that make the index of a large corpus.
    """
    end_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which ends this
    exit_on_sigterm()  # as it does: those that this one started are to end, too
    corpora = OpenCorpora.from_plan(plan)
    for name in names:
        with suppress(CommongroundError):
            corpus = corpora.get(name).corpus
            open_index(corpus, lambda done, total: writer.send(Step(done, total)), jobs)
        writer.send(None)
