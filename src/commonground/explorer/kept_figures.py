"""Figures that are counted and drawn once for an import, and kept beside its index.

To count and draw all figures of a large corpus takes some ten seconds, to read them again a few
milliseconds. While a server has none, a process of their own makes them: pages need not wait.
"""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from multiprocessing.process import BaseProcess
from multiprocessing.queues import SimpleQueue
from pathlib import Path

import msgspec

import commonground
from commonground.engines.processes import end_with_parent
from commonground.errors import CommongroundError, SourceError
from commonground.explorer.corpora import CorporaPlan, OpenCorpora, OpenCorpus
from commonground.figures.views import FigureView
from commonground.files.outputs import write_file

FIGURES = Path(commonground.__file__).parent / "figures"
CODE = (".py", ".sql", ".toml")
NICENESS = 10
"""How far the drawing gives way to the pages, in the system's steps from 0 to 19."""

COMPARISONS = ""
"""Stands for the comparisons among the names of corpora."""


class DrawnFigures(msgspec.Struct, frozen=True):
    """All figures of a corpus.

    Attributes:
        figures: with their numbers, in order.
        charts: SVG of those that have one, by name.
        waits: titles of those that are still to be counted; empty where all are there.
    """

    figures: list[FigureView]
    charts: dict[str, str]
    waits: list[str] = []


def read_figures(opened: OpenCorpus, address: str) -> DrawnFigures | None:
    """Returns the figures that were kept of an import; None where there are none.

    Args:
        opened: the corpus.
        address: that charts link to, as an example; a site of files has others than a server.
    """
    return _read(_place(opened, address))


def _read(path: Path) -> DrawnFigures | None:
    try:
        return msgspec.msgpack.decode(path.read_bytes(), type=DrawnFigures)
    except (OSError, msgspec.MsgspecError):
        return None


def keep_figures(opened: OpenCorpus, address: str, drawn: DrawnFigures) -> None:
    """Keeps the figures of an import, where its folder can be written to.

    Args:
        opened: the corpus.
        address: that charts link to, as an example.
        drawn: its figures.
    """
    with suppress(SourceError):
        write_file(_place(opened, address), msgspec.msgpack.encode(drawn), in_store=True)
        _place_of_some(opened, address).unlink(missing_ok=True)


def read_some_figures(opened: OpenCorpus, address: str) -> DrawnFigures | None:
    """Returns the figures that are there so far, while others are counted; None before the first.

    Args:
        opened: the corpus.
        address: as of :func:`read_figures`.
    """
    return _read(_place_of_some(opened, address))


def keep_some_figures(opened: OpenCorpus, address: str, drawn: DrawnFigures) -> None:
    """Keeps the figures that are there so far, until all are.

    Args:
        opened: the corpus.
        address: as of :func:`keep_figures`.
        drawn: those figures.
    """
    with suppress(SourceError):
        write_file(_place_of_some(opened, address), msgspec.msgpack.encode(drawn), in_store=True)


def _place_of_some(opened: OpenCorpus, address: str) -> Path:
    return _place(opened, address).with_suffix(".some")


def read_comparisons(corpora: OpenCorpora) -> DrawnFigures | None:
    """Returns the comparisons of these very imports that were kept; None where there are none."""
    return _read(_place_of_comparisons(corpora))


def keep_comparisons(corpora: OpenCorpora, drawn: DrawnFigures) -> None:
    """Keeps the comparisons of corpora with the first of them, where that can be written to."""
    with suppress(SourceError):
        write_file(_place_of_comparisons(corpora), msgspec.msgpack.encode(drawn), in_store=True)


def has_kept_comparisons(corpora: OpenCorpora) -> bool:
    """Tells whether comparisons of these very imports are kept."""
    return _place_of_comparisons(corpora).is_file()


def _place_of_comparisons(corpora: OpenCorpora) -> Path:
    """Names the file after all that its content comes from; another import is another name."""
    digest = _digest(_imports(corpora), (FIGURES,))
    return next(iter(corpora)).index.folder / f"comparisons-{digest}.msgpack"


def _imports(corpora: OpenCorpora) -> str:
    return "\n".join(f"{each.name} {each.corpus.manifest.data}" for each in corpora)


def _place(opened: OpenCorpus, address: str) -> Path:
    """Names the file after all that its content comes from but the data, which it lies with."""
    digest = _digest(address, (opened.entry.folder, FIGURES))
    return opened.index.folder / f"figures-{digest}.msgpack"


def _digest(about: str, folders: Iterable[Path]) -> str:
    """Returns a name for the code of some folders, and what else a result depends on."""
    said = hashlib.sha256(f"{commonground.__version__}\n{about}".encode())
    for folder in folders:
        for path in sorted(each for each in folder.rglob("*") if each.suffix in CODE):
            file = path.stat()
            # By size and time, as reading all code would take longer than the page.
            said.update(f"{path}\n{file.st_size}\n{file.st_mtime_ns}\n".encode())
    return said.hexdigest()[:16]


class FigureDrawer:
    """Has figures drawn by a process of their own, which gives way to those of the pages.

    Args:
        plan: how that process opens the corpora.
        address: gives what charts of a corpus link to, as an example, by the corpus's name.
        draw: draws and keeps the figures of one corpus; a function of a module.
        compare: draws and keeps the comparisons of all, when those are done; likewise.
    """

    def __init__(
        self,
        plan: CorporaPlan,
        address: Callable[[str], str],
        draw: Callable[[OpenCorpus], object],
        compare: Callable[[OpenCorpora], object],
    ) -> None:
        self._plan = plan
        self._address = address
        self._draw = draw
        self._compare = compare
        self._processes: dict[tuple[str, datetime], BaseProcess] = {}
        self._started: list[BaseProcess] = []
        self._asked: dict[BaseProcess, SimpleQueue[str]] = {}
        self._kept: set[tuple[str, datetime]] = set()
        self._hurried: set[tuple[str, datetime]] = set()
        self._comparing: dict[str, BaseProcess] = {}
        self._awaited: set[str] = set()  # those that somebody waits for
        self._closed = False
        # Pages ask for figures while the thread after them starts what is missing. A process that
        # is ended while this one still hands it its work complains of that, so closing waits.
        self._lock = threading.Lock()

    def start(self, corpora: Iterable[OpenCorpus]) -> None:
        """Starts to draw what is neither kept nor being drawn, one corpus after the other."""
        with self._lock:
            wanted = {}
            for each in corpora:
                # What is wrong with a corpus is said on its pages.
                with suppress(CommongroundError):
                    if self._is_missing(each) and _key(each) not in self._processes:
                        wanted[_key(each)] = each.name
            compared = self._lacking_comparisons(corpora)
            is_to_compare = compared is not None and compared not in self._comparing
            if self._closed or (not wanted and not is_to_compare):
                return
            # A fork would copy this process's threads' locks, some of them held for ever.
            context = multiprocessing.get_context("spawn")
            asked: SimpleQueue[str] = context.SimpleQueue()
            compare = self._compare if is_to_compare else None
            arguments = (self._plan, list(wanted.values()), self._draw, compare, asked)
            process = context.Process(target=_draw_all, args=arguments, daemon=True)
            process.start()
            self._processes.update(dict.fromkeys(wanted, process))
            self._started.append(process)
            self._asked[process] = asked
            if compared is not None and is_to_compare:
                self._comparing[compared] = process

    def is_at_work(self, opened: OpenCorpus) -> bool:
        """Tells whether the figures of a corpus are being drawn; starts that for a new import."""
        if not self._is_missing(opened):
            return False
        if _key(opened) not in self._processes:
            self.start([opened])
        process = self._processes.get(_key(opened))
        if process is None:  # closed meanwhile
            return False
        if _key(opened) not in self._hurried:
            self._hurried.add(_key(opened))
            self._asked[process].put(opened.name)  # somebody waits for these
        return process.is_alive()

    def is_comparing(self, corpora: OpenCorpora) -> bool:
        """Tells whether the comparisons of all are being drawn; starts that where they lack."""
        compared = self._lacking_comparisons(corpora)
        if compared is None:
            return False
        if compared not in self._comparing:
            self.start(corpora)
        process = self._comparing.get(compared)
        if process is None:  # closed meanwhile
            return False
        if compared not in self._awaited:
            self._awaited.add(compared)
            self._asked[process].put(COMPARISONS)  # somebody waits for these
        return process.is_alive()

    def close(self) -> None:
        """Ends the processes that draw; what they had not finished is drawn when asked for."""
        with self._lock:
            self._closed = True
        for process in self._started:
            process.kill()  # it writes nothing but whole files
            process.join()

    def _is_missing(self, opened: OpenCorpus) -> bool:
        key = _key(opened)
        if key not in self._kept and opened.has_figures:
            if not _place(opened, self._address(opened.name)).is_file():
                return True
            self._kept.add(key)
        return False

    def _lacking_comparisons(self, corpora: Iterable[OpenCorpus]) -> str | None:
        """Names the imports whose comparisons are missing; None where none are."""
        if not isinstance(corpora, OpenCorpora) or len(corpora) < 2 or not corpora.shows_all:
            return None
        imports = _imports(corpora)
        return None if has_kept_comparisons(corpora) else imports


def _key(opened: OpenCorpus) -> tuple[str, datetime]:
    return opened.name, opened.corpus.manifest.imported_at


def _draw_all(
    plan: CorporaPlan,
    names: list[str],
    draw: Callable[[OpenCorpus], object],
    compare: Callable[[OpenCorpora], object] | None,
    asked: SimpleQueue[str],
) -> None:
    """Draws figures of corpora, then comparisons; what is wrong with one is said on its page.

    Args:
        plan: how they are opened.
        names: those whose figures are wanted.
        draw: draws the figures of one.
        compare: draws the comparisons of all; None where they are kept, or not wanted.
        asked: what somebody waits for comes first: names of corpora, or the comparisons.
    """
    end_with_parent()
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    corpora = OpenCorpora.from_plan(plan)
    for name in _ordered([*names, *([] if compare is None else [COMPARISONS])], asked):
        with suppress(CommongroundError):
            if name != COMPARISONS:
                draw(corpora.get(name))
            elif compare is not None:
                compare(corpora)
    os._exit(0)  # DuckDB's threads need not be waited for


def _ordered(names: Sequence[str], asked: SimpleQueue[str]) -> Iterator[str]:
    """Yields each name once; of those left, the last one that was asked for comes first."""
    left = list(names)
    while left:
        while not asked.empty():
            name = asked.get()
            if name in left:
                left.remove(name)
                left.insert(0, name)
        yield left.pop(0)
