"""Figures that are counted and drawn once for an import, and kept beside its index.

To count and draw all figures of a large corpus takes some ten seconds, to read them again a few
milliseconds. While a server has none, a process of their own makes them: pages need not wait.
"""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from multiprocessing.process import BaseProcess
from pathlib import Path

import msgspec

import commonground
from commonground.engines.processes import end_with_parent, without_interrupts
from commonground.errors import CommongroundError, SourceError
from commonground.explorer.corpora import CorporaPlan, OpenCorpora, OpenCorpus
from commonground.figures.views import FigureView
from commonground.files.locks import hold_lock, lock_folder
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
        charts: SVG of those that have one, by name.
        waits: titles of those that are still to be counted; empty where all are there.
    """

    figures: list[FigureView]
    charts: dict[str, str]
    waits: list[str] = []


def read_drawn(path: Path) -> DrawnFigures | None:
    """Returns the figures that a file keeps; None where there are none."""
    try:
        return msgspec.msgpack.decode(path.read_bytes(), type=DrawnFigures)
    except (OSError, msgspec.MsgspecError):
        return None


def keep_drawn(path: Path, drawn: DrawnFigures) -> None:
    """Keeps figures in a file, where its folder can be written to."""
    with suppress(SourceError):
        write_file(path, msgspec.msgpack.encode(drawn), in_store=True)


def place_figures(opened: OpenCorpus, address: str) -> Path:
    """Names the file of an import's figures after all that its content comes from but the data.

    Args:
        opened: the corpus; the data lies where the file does.
        address: that charts link to, as an example; a site of files has others than a server.
    """
    digest = _digest(address, (opened.entry.folder, FIGURES))
    return opened.index.folder / f"figures-{digest}.msgpack"


def place_some(opened: OpenCorpus, address: str) -> Path:
    """Names the file of the figures that are there so far, while others are counted."""
    return place_figures(opened, address).with_suffix(".some")


def place_comparisons(corpora: OpenCorpora) -> Path:
    """Names the file of comparisons after all that they come from, the imports included."""
    digest = _digest(_imports(corpora), (FIGURES,))
    return next(iter(corpora)).index.folder / f"comparisons-{digest}.msgpack"


def _imports(corpora: Iterable[OpenCorpus]) -> str:
    return "\n".join(f"{each.name} {each.corpus.manifest.data}" for each in corpora)


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
    """Has figures drawn by processes of their own, which give way to those of the pages.

    Processes of several servers and workers may be asked for the same figures: only one of them
    draws them, and the others wait for it.

    Args:
        address: gives what charts of a corpus link to, as an example, by the corpus's name.
        draw: draws and keeps the figures of one corpus; a function of a module.
        compare: draws and keeps the comparisons of all; likewise.
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
        self._processes: dict[str, BaseProcess] = {}
        self._started: list[BaseProcess] = []
        self._kept: set[str] = set()
        self._closed = False
        # Several threads ask. A process that is ended while this one still hands it its work
        # complains of that, so closing waits.
        self._lock = threading.Lock()

    def start(self, corpora: OpenCorpora) -> None:
        """Starts to draw all that is missing, one corpus after the other, then the comparisons."""
        wanted = {}
        for each in corpora:
            if self._closed:
                return
            # What is wrong with a corpus is said on its pages.
            with suppress(CommongroundError):
                if self._is_missing(each):
                    wanted[_key(each)] = each.name
        with suppress(CommongroundError):
            if _lack_comparisons(corpora):
                wanted[_imports(corpora)] = COMPARISONS
        self._launch(wanted)

    def is_at_work(self, opened: OpenCorpus) -> bool:
        """Tells whether the figures of a corpus are being drawn; starts that where they lack."""
        return self._is_missing(opened) and self._is_drawing(_key(opened), opened.name)

    def is_comparing(self, corpora: OpenCorpora) -> bool:
        """Tells whether the comparisons of all are being drawn; starts that where they lack."""
        return _lack_comparisons(corpora) and self._is_drawing(_imports(corpora), COMPARISONS)

    def _is_drawing(self, key: str, name: str) -> bool:
        self._launch({key: name})
        process = self._processes.get(key)
        return process is not None and process.is_alive()  # None: it was closed meanwhile

    def _launch(self, wanted: dict[str, str]) -> None:
        """Starts a process that draws what none was started for, in order."""
        with self._lock:
            new = {key: name for key, name in wanted.items() if key not in self._processes}
            if self._closed or not new:
                return
            # A fork would copy this process's threads' locks, some of them held for ever.
            context = multiprocessing.get_context("spawn")
            arguments = (self._plan, list(new.values()), self._draw, self._compare)
            process = context.Process(target=_draw_all, args=arguments, daemon=True)
            with without_interrupts():
                process.start()
            self._processes.update(dict.fromkeys(new, process))
            self._started.append(process)

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
            if not place_figures(opened, self._address(opened.name)).is_file():
                return True
            self._kept.add(key)
        return False


def _lack_comparisons(corpora: OpenCorpora) -> bool:
    is_compared = len(corpora) > 1 and corpora.shows_all
    return is_compared and not place_comparisons(corpora).is_file()


def _key(opened: OpenCorpus) -> str:
    return _imports([opened])


def _draw_all(
    plan: CorporaPlan,
    names: list[str],
    draw: Callable[[OpenCorpus], object],
    compare: Callable[[OpenCorpora], object],
) -> None:
    """Draws figures of corpora or comparisons; what is wrong with one is said on its page.

    Args:
        names: of the corpora; ``COMPARISONS`` for those of all.
        draw: draws the figures of one, unless they are kept.
        compare: draws the comparisons of all, unless they are kept.
    """
    end_with_parent()
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    corpora = plan()
    for name in names:
        with suppress(CommongroundError):
            if name == COMPARISONS:
                with _alone(next(iter(corpora)).index.folder):
                    compare(corpora)
            else:
                with _alone(corpora.get(name).index.folder):
                    draw(corpora.get(name))
    os._exit(0)  # DuckDB's threads need not be waited for


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Waits until no other process draws what is kept in a folder."""
    try:
        number = lock_folder(folder, wait=True)
    except OSError:  # a file system without locks: figures may be drawn twice
        number = None
    with hold_lock(number) if number is not None else nullcontext():
        yield
