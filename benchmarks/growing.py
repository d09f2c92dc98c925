"""PhotoBook many times over and a million small dialogues: what imports and pages cost.

The games are the released ones, or simulated ones without ``COMMONGROUND_DATA``, each repeated
under new numbers. The small dialogues are simulated in the format of Taskmaster-2, each another.
``COMMONGROUND_BENCH_CASES`` names the cases (all but the two largest, unless it does),
``COMMONGROUND_BENCH_KEEP`` a folder for files and stores that later runs use again,
``COMMONGROUND_BENCH_WRITE`` a JSON file that the measures of each case are written to, and
``COMMONGROUND_BENCH_STEPS`` those of ``import,serve`` that are to be measured: of the other, the
file says what was measured before. ``clusters`` compares the import with that of Dask.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from math import nan
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

import msgspec

from benchmarks.clusters import MOST_MB, import_on, seconds_of
from benchmarks.explorer import Server, paths_of, served
from benchmarks.measure import Line, tree_cpu_s, tree_mb
from benchmarks.scaling import REAL_GAMES

GAMES, SMALL = "photobook", "taskmaster2"
MOST_GROWTH = 1.1
"""Times that the largest import may take longer than its size says: 5.5 for five times as much."""

REQUESTS = 30

WORDS = 10
"""Words that are searched for, of those that are frequent and of those that are rare."""

_BATCH = 50_000
_NUMBER = re.compile(rb'"game_id": ?(\d+)')
_APART = 100_000
"""Between the numbers of two copies of a game; the released ones are below it."""


class Case(msgspec.Struct, frozen=True):
    """What is imported and shown.

    Attributes:
        name: as ``COMMONGROUND_BENCH_CASES`` says it.
        corpus: name of the corpus.
        dialogues: how many.
        always: whether it is measured where no cases are named.
    """

    name: str
    corpus: str
    dialogues: int
    always: bool = True


CASES = (
    Case("x1", GAMES, REAL_GAMES),
    Case("x10", GAMES, 10 * REAL_GAMES),
    Case("x50", GAMES, 50 * REAL_GAMES, always=False),
    Case("small", SMALL, 20_000),
    Case("million", SMALL, 1_000_000, always=False),
)


class Measured(msgspec.Struct, kw_only=True):
    """What a case costs; no number for what was not measured yet.

    Attributes:
        case: what was measured.
        mb: of the released files.
        import_s: of the import, with its index.
        import_cpu_s: of all its processes.
        import_mb: of memory, of the largest process.
        server_mb: of memory, of the explorer's processes together, when all was asked.
        pages_ms: median of each kind of page.
        pages_cpu_ms: of the explorer's processes for a page of each kind, on average.
    """

    case: Case
    mb: float
    import_s: float = nan
    import_cpu_s: float = nan
    import_mb: float = nan
    server_mb: float = nan
    pages_ms: dict[str, float] = {}
    pages_cpu_ms: dict[str, float] = {}


def run() -> list[Line]:
    wanted = os.environ.get("COMMONGROUND_BENCH_CASES")
    named = wanted.split(",") if wanted else [case.name for case in CASES if case.always]
    found: dict[str, Measured] = {}
    with _folder() as folder:
        for case in CASES:
            if case.name in named:
                found[case.name] = _measure(case, folder)
    return [line for measured in found.values() for line in _lines(measured, found)]


@contextmanager
def _folder() -> Iterator[Path]:
    if kept := os.environ.get("COMMONGROUND_BENCH_KEEP"):
        yield Path(kept)
        return
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


def _measure(case: Case, folder: Path) -> Measured:
    files, store = folder / "files" / case.name, folder / "stores" / case.name
    if not files.is_dir():
        beside = files.with_name(f"{case.name}.new")
        _make_games(beside, case) if case.corpus == GAMES else _make_small(beside, case)
        beside.rename(files)
    size = sum(path.stat().st_size for path in files.rglob("*") if path.is_file())
    found = _read(case) or Measured(case=case, mb=size / 1e6)
    store.parent.mkdir(parents=True, exist_ok=True)
    for name in (os.environ.get("COMMONGROUND_BENCH_STEPS") or ",".join(_STEPS)).split(","):
        _STEPS[name](found, files, store)
        _write(found)
    return found


def _import(found: Measured, files: Path, store: Path) -> None:
    shutil.rmtree(store, ignore_errors=True)
    done = import_on("pool", found.case.corpus, files, store)
    found.import_s, found.import_cpu_s = seconds_of(done), done.cpu_s
    found.import_mb = done.largest_mb


def _serve(found: Measured, _files: Path, store: Path) -> None:
    with served(store) as server:
        found.pages_ms, found.pages_cpu_ms = {}, {}
        # None is asked for twice, since answers are kept.
        for kind, paths in _list_pages(server, found.case):
            before = tree_cpu_s(server.pid)
            found.pages_ms[kind] = median(server.alone(paths))
            found.pages_cpu_ms[kind] = (tree_cpu_s(server.pid) - before) / len(paths) * 1e3
        found.server_mb = sum(tree_mb(server.pid))


_STEPS = {"import": _import, "serve": _serve}


def _make_games(folder: Path, case: Case) -> None:
    """Writes games again and again, each time under new numbers, until there are enough."""
    texts = list(_read_games(folder))
    (folder / "logs").mkdir(parents=True, exist_ok=True)
    for number in range(case.dialogues):
        copy, place = divmod(number, len(texts))
        name, text = texts[place]
        found = _NUMBER.search(text)
        assert found is not None
        game = str(int(found[1]) + copy * _APART)
        text = text[: found.start(1)] + game.encode() + text[found.end(1) :]
        name = f"{game}_{name.split('_', 1)[1]}"
        # Folders of like size: one with a hundred thousand files is slow on some disks.
        (folder / f"logs/{copy}").mkdir(exist_ok=True)
        (folder / f"logs/{copy}/{name}").write_bytes(text)


def _read_games(folder: Path) -> Iterator[tuple[str, bytes]]:
    from commonground.corpora import get_corpus
    from commonground.play.simulating import simulate_corpus

    data = os.environ.get("COMMONGROUND_DATA")
    with tempfile.TemporaryDirectory() as made:
        logs = Path(data or made) / "photobook/logs"
        if data is None:
            simulate_corpus(get_corpus(GAMES), logs, dialogues=REAL_GAMES, seed=1)
            folder.mkdir(parents=True)
            (folder / "SIMULATED.txt").write_bytes((logs / "SIMULATED.txt").read_bytes())
        for path in sorted(logs.rglob("*_*_*_*.json")):
            yield path.name, path.read_bytes()


def _make_small(folder: Path, case: Case) -> None:
    """Simulates dialogues in batches, since a single one would be in memory as a whole."""
    from commonground.corpora import get_corpus
    from commonground.play.simulating import simulate_corpus

    for number, first in enumerate(range(0, case.dialogues, _BATCH)):
        dialogues = min(_BATCH, case.dialogues - first)
        below = folder / f"{number:02}"
        simulate_corpus(get_corpus(SMALL), below, dialogues=dialogues, seed=100 + number)


def _list_pages(server: Server, case: Case) -> Iterator[tuple[str, list[str]]]:
    """Yields the addresses of each kind of page."""
    chooser = Random(3)
    server.alone(["/", f"/{case.corpus}/"])  # what is made once for all that follow
    yield "home", [f"/?again={number}" for number in range(REQUESTS)]
    # The shortest list has 40 pages of 25.
    last = case.dialogues // 25 - 1
    numbers = chooser.sample(range(2, last), min(REQUESTS, last - 2))
    yield "list", [f"/{case.corpus}/?page={number}" for number in numbers]
    paths = paths_of(server, case.corpus)
    yield "facet", paths["browse"][:REQUESTS]
    words = [f"/{case.corpus}/?q={word}" for word in _count_words(server, case)]
    frequent, rare = words[:WORDS], words[-WORDS:]
    yield "search, frequent word", frequent
    yield "search, rare word", rare
    yield "search", [each for each in paths["search"] if each not in frequent + rare][:REQUESTS]
    yield "dialogue", paths["dialogue"][:REQUESTS]
    yield "SQL, counting events", list(_ask("kind, count(*)", "event > {} GROUP BY kind"))
    yield "SQL, text of events", list(_ask("count(*)", "contains(text, '{} ')"))


def _count_words(server: Server, case: Case) -> list[str]:
    """Returns words that are said, first those that most of some events have."""
    connection = server.connect()

    def ask(address: str) -> Any:
        connection.request("GET", f"/{case.corpus}/browse.json?{address}")
        return json.loads(connection.getresponse().read())

    counts: Counter[str] = Counter()
    pages = ask("tab=events")["paging"]["pages"]
    for number in Random(5).sample(range(1, pages), min(20, pages - 1)):
        for each in ask(f"tab=events&page={number}")["events"]:
            text = each["hit"]["text"] or {"text": ""}
            counts.update(set(re.findall(r"[a-z]+", text["text"].lower())))
    return [word for word, _ in counts.most_common()]


def _ask(columns: str, condition: str) -> Iterator[str]:
    for number in range(8):
        query = f"SELECT {columns} FROM events WHERE {condition.format(number)}"
        yield f"/sql?q={query.replace(' ', '+')}"


def _read(case: Case) -> Measured | None:
    """Returns what an earlier run wrote of a case; None where it wrote nothing."""
    name = os.environ.get("COMMONGROUND_BENCH_WRITE")
    if not name or not (path := Path(name)).exists():
        return None
    cases = msgspec.json.decode(path.read_bytes(), type=dict[str, dict[str, Any]])
    found = cases.get(case.name)
    # What was not measured is null there, since JSON has no other word for it.
    known = {key: value for key, value in (found or {}).items() if value is not None}
    return msgspec.convert(known, Measured) if found else None


def _write(measured: Measured) -> None:
    """Puts a case into the file of measures; others stay as they are."""
    if not (name := os.environ.get("COMMONGROUND_BENCH_WRITE")):
        return
    path = Path(name)
    cases: dict[str, msgspec.Raw] = {}
    if path.exists():
        cases = msgspec.json.decode(path.read_bytes(), type=dict[str, msgspec.Raw])
    cases[measured.case.name] = msgspec.Raw(msgspec.json.encode(measured))
    ordered = {case.name: cases[case.name] for case in CASES if case.name in cases}
    path.write_bytes(msgspec.json.format(msgspec.json.encode(ordered), indent=1) + b"\n")


def _lines(found: Measured, all_found: dict[str, Measured]) -> Iterator[Line]:
    case = found.case
    job = f"{case.name}, {case.dialogues:,} dialogues"
    measured = f"{found.import_s:.1f} s, {found.import_mb:.0f} MB in the largest process"
    bar, holds = f"at most {MOST_MB} MB a process", found.import_mb <= MOST_MB
    yield Line(f"import {job}", measured, "", None, bar, holds)
    first = all_found.get("x1" if case.corpus == GAMES else "small", found)
    for kind, page_ms in found.pages_ms.items():
        before = first.pages_ms.get(kind, nan)
        reference = f"{before:.1f} ms of {first.case.name}"
        yield Line(f"{kind}, {job}", f"{page_ms:.1f} ms", reference, page_ms / before, "", None)
    smaller = all_found.get("x10")
    if case.name == "x50" and smaller is not None:
        growth, most = found.import_s / smaller.import_s, MOST_GROWTH * 5
        reference, bar = f"{smaller.import_s:.1f} s of x10", f"at most {most:g} times"
        holds = growth <= most
        yield Line(f"import {job}", f"{found.import_s:.1f} s", reference, growth, bar, holds)
