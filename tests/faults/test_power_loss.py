"""Power fails at any moment of an import, and the disk has done some of what it was not waited for.

The system calls of a real import are recorded, then replayed up to every point. What was not
synced by then is taken to be on the disk or not, in each of the ways below; whatever the mix, the
store must open as the previous import or as the new one, whole.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import pytest

from commonground.corpora import Entry
from tests.faults.stores import (
    LARGE,
    SMALL,
    count_whole,
    imported_store,
    work_folder,
    write_much,
    write_talks,
)
from tests.faults.tracing import Call, needs_strace, points, record
from tests.thorough import a_few

Chance = Callable[[], bool]


class Inode:
    """A file or folder: how much of it was written, and how much of that is surely on the disk."""

    def __init__(self, *, folder: bool, content: bytes = b"") -> None:
        self.folder = folder
        self.content = content
        self.size = self.synced = len(content)


class Disk:
    """What processes see of a folder, and what the disk surely has of it.

    Attributes:
        seen: by path, what processes see.
        entries: by path, what the disk has under that name for certain.
    """

    def __init__(self, root: Path) -> None:
        self.root = str(root)
        self.seen: dict[str, Inode] = {str(root): Inode(folder=True)}
        for path in sorted(root.rglob("*")):
            content = path.read_bytes() if path.is_file() else b""
            self.seen[str(path)] = Inode(folder=path.is_dir(), content=content)
        self.entries = dict(self.seen)

    def apply(self, call: Call) -> None:
        """Follows one system call."""
        paths = [path for path in call.paths if path.startswith(self.root)]
        if not paths:
            return
        path = paths[0]
        if call.name == "open" and call.creates:
            if path not in self.seen:
                self.seen[path] = Inode(folder=False)
            self.seen[path].size = self.seen[path].synced = 0
        elif call.name == "mkdir":
            self.seen[path] = Inode(folder=True)
        elif call.name in ("write", "pwrite"):
            self.seen[path].size += call.result
        elif call.name in ("fsync", "fdatasync"):
            self._sync(path)
        elif call.name == "syncfs":
            for each in list(self.seen):
                self._sync(each)
        elif call.name == "rename":
            self.seen[paths[1]] = self.seen.pop(paths[0])
        elif call.name in ("unlink", "rmdir"):
            del self.seen[path]

    def _sync(self, path: str) -> None:
        inode = self.seen[path]
        inode.synced = inode.size
        if not inode.folder:
            return
        for each in {*self.seen, *self.entries}:
            if each.rpartition("/")[0] == path:
                if each in self.seen:
                    self.entries[each] = self.seen[each]
                else:
                    self.entries.pop(each, None)

    def fill_in(self) -> None:
        """Takes the content of all files from what is there after the import."""
        for path, inode in self.seen.items():
            if not inode.folder:
                inode.content = Path(path).read_bytes()

    def write(self, out: Path, entry: Chance, data: Chance) -> None:
        """Writes what a disk may have after power failed.

        Args:
            out: folder to write to.
            entry: whether a name that was made, moved or removed and not synced is on the disk.
            data: whether the bytes of a file that were not synced are.
        """
        chosen: dict[str, Inode] = {}
        for path in sorted({*self.seen, *self.entries}):
            now, before = self.seen.get(path), self.entries.get(path)
            inode = before if now is before or not entry() else now
            if inode is not None:
                chosen[path] = inode
        for path, inode in chosen.items():
            place = out / Path(path).relative_to(self.root)
            if not place.parent.is_dir():
                continue  # its folder is not on the disk, so it is not either
            if inode.folder:
                place.mkdir(exist_ok=True)
            else:
                # SQLite writes some pages more than once.
                size = min(inode.size if data() else inode.synced, len(inode.content))
                held = inode.content[:size]
                place.write_bytes(held + bytes(size - len(held)))


def always() -> bool:
    return True


def never() -> bool:
    return False


def chances(seed: int) -> Iterator[tuple[Chance, Chance]]:
    """Yields ways in which a disk may have done what it was not waited for."""
    yield never, never
    yield always, never  # names without contents: the classic loss
    yield always, always
    random = Random(seed)
    for share in (0.2, 0.5, 0.8):
        chance = lambda share=share: random.random() < share  # noqa: E731
        yield chance, chance


@needs_strace
@pytest.mark.parametrize("several", a_few([False, True], [True]), ids=["one process", "several"])
def test_power_may_fail_at_any_moment(toy: Entry, tmp_path: Path, several: bool) -> None:
    before = imported_store(tmp_path / "before", write_talks(tmp_path / "old", SMALL))
    make = write_much if several else (lambda folder: write_talks(folder, LARGE))
    files = make(tmp_path / "new")
    work = work_folder(tmp_path / "work", before)
    store = work / "commonground-store"
    disk = Disk(store)
    final = Disk(store)
    calls = record("import", "toy", str(files), cwd=work)
    for call in calls:
        final.apply(call)
    final.fill_in()
    mine = [call for call in calls if any(path.startswith(disk.root) for path in call.paths)]
    chosen = set(points(len(mine), 10))
    seen = set()
    for number, call in enumerate(mine, 1):
        disk.apply(call)
        copy_contents(disk, final)
        if number not in chosen:
            continue
        for way, (entry, data) in enumerate(chances(number)):
            out = tmp_path / "crashed"
            out.mkdir()
            disk.write(out, entry, data)
            count = count_whole(out)
            assert count in (SMALL, LARGE), f"after {call.name} {call.paths}, way {way}"
            seen.add(count)
            shutil.rmtree(out)
    assert seen == {SMALL, LARGE}


def copy_contents(disk: Disk, final: Disk) -> None:
    """Gives files that are being written the bytes that they had in the end."""
    for path, inode in disk.seen.items():
        there = final.seen.get(path) or final.seen.get(path.removesuffix(".new"))
        if there is not None and not inode.folder and not inode.content:
            inode.content = there.content
