"""Whole requests to the explorer on loopback, alone and with eight clients, and the static site.

``COMMONGROUND_STORE`` may name a store with PhotoBook and Frames; otherwise they are imported.
"""

from __future__ import annotations

import http.client
import json
import os
import random
import re
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import combinations, product
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import quote

from benchmarks.measure import Line, python, run_process
from benchmarks.scaling import REAL_GAMES

COMMAND = python("from commonground.cli import main; main()")
CLIENTS = 8
REQUESTS = 160
BARS_MS = {"browse": 40.0, "search": 30.0, "dialogue": 25.0}
TAIL = 3.0
TIMES_LARGER = 16
MOST_SLOWER = 3.0
SITE_PER_SECOND = 150.0
CORPORA = ("photobook", "frames")


@dataclass(frozen=True)
class Server:
    """A running explorer.

    Attributes:
        port: of loopback.
        pid: its process.
    """

    port: int
    pid: int

    def get(self, connection: http.client.HTTPConnection, path: str) -> float:
        """Asks for a page; returns milliseconds until the last byte."""
        began = time.perf_counter()
        connection.request("GET", path)
        answer = connection.getresponse()
        answer.read()
        if answer.status != 200:
            raise RuntimeError(f"{path}: {answer.status}")
        return (time.perf_counter() - began) * 1e3

    def connect(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)

    def alone(self, paths: list[str]) -> list[float]:
        connection = self.connect()
        return [self.get(connection, path) for path in paths]

    def together(self, paths: list[str]) -> list[float]:
        """Asks with several clients at once; each page once, as what it finds is remembered."""
        found: list[float] = []

        def client(number: int) -> None:
            found.extend(self.alone(paths[number::CLIENTS]))

        threads = [threading.Thread(target=client, args=(n,)) for n in range(CLIENTS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return found


@contextmanager
def served(store: Path, *options: str) -> Iterator[Server]:
    """Serves a store in a process of its own, with further options."""
    words = [*COMMAND, "serve", "--port", "0", "--store", str(store), *options]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        found = re.search(r":(\d+)/", process.stdout.readline())
        assert found is not None
        yield Server(int(found[1]), process.pid)
    finally:
        process.terminate()
        process.wait()


def paths_of(server: Server, corpus: str) -> dict[str, list[str]]:
    """Invents requests of each kind from what the explorer says is there, each another."""
    connection = server.connect()

    def ask(path: str) -> Any:
        connection.request("GET", f"/{corpus}/{path}")
        return json.loads(connection.getresponse().read())

    chooser = random.Random(7)
    first = ask("browse.json")
    pages = first["paging"]["pages"]
    numbers = chooser.sample(range(1, pages + 1), min(REQUESTS * 2 // 25 + 1, pages))
    cards = [each["card"] for n in numbers for each in ask(f"browse.json?page={n}")["dialogues"]]
    facets = [[value["query"] for value in facet["values"][:12]] for facet in first["facets"]]
    pairs = [
        " ".join(pair) for one, other in combinations(facets, 2) for pair in product(one, other)
    ]
    queries = [query for facet in facets for query in facet] + chooser.sample(
        pairs, min(REQUESTS * 2, len(pairs))
    )
    kinds = {
        "browse": [f"/{corpus}/?q={quote(query)}" for query in queries],
        "search": [f"/{corpus}/?q={quote(query)}" for query in _searches(cards, chooser)],
        "dialogue": [f"/{corpus}/d/{quote(card['dialogue_id'])}" for card in cards],
    }
    for paths in kinds.values():
        chooser.shuffle(paths)
    return {kind: list(dict.fromkeys(paths))[: REQUESTS * 2] for kind, paths in kinds.items()}


def _searches(cards: list[dict[str, Any]], chooser: random.Random) -> list[str]:
    """Makes words, beginnings and pairs of words of what dialogues begin with."""
    found = []
    for card in cards:
        words = re.findall(r"[a-z]{3,}", str(card["opening"]).lower())
        if len(words) > 1:
            start = chooser.randrange(len(words) - 1)
            found += [words[start], f"{words[start][:3]}*", f"{words[start]} {words[start + 1]}"]
    chooser.shuffle(found)
    return list(dict.fromkeys(found))


def measure(store: Path, corpora: list[str]) -> dict[tuple[str, str], tuple[float, float]]:
    """Returns the median alone and the 99th percentile with all clients, in milliseconds."""
    found = {}
    with served(store) as server:
        for corpus in corpora:
            for kind, paths in paths_of(server, corpus).items():
                half = len(paths) // 2
                alone = server.alone(paths[:half])
                tail = sorted(server.together(paths[half:]))
                found[corpus, kind] = median(alone), tail[int(len(tail) * 0.99)]
    return found


def site_rate(store: Path, corpus: str) -> float:
    """Writes the static site without pictures; returns dialogues a second."""
    with tempfile.TemporaryDirectory() as folder:
        words = [*COMMAND, "site", f"{folder}/site", "--json", "--yes"]
        words += ["--corpus", corpus, "--no-images", "--jobs", "2", "--store", str(store)]
        output = run_process(words).output
        # Behind what it says of its progress.
        summary = json.loads(output[output.index("{") :])
    return float(summary["dialogues"] / summary["dialogues_s"])


def run() -> list[Line]:
    with tempfile.TemporaryDirectory() as folder:
        store = _real_store(Path(folder))
        if store is None:
            return []
        corpora = [name for name in CORPORA if (store / name).is_dir()]
        found = measure(store, corpora)
        lines = [_line(corpus, kind, *times) for (corpus, kind), times in found.items()]
        lines += [_site_line(corpus, site_rate(store, corpus)) for corpus in corpora]
        if "photobook" in corpora:
            lines += _larger(Path(folder) / "larger", found)
    return lines


def _real_store(folder: Path) -> Path | None:
    if os.environ.get("COMMONGROUND_STORE"):
        return Path(os.environ["COMMONGROUND_STORE"])
    if not os.environ.get("COMMONGROUND_DATA"):
        return None
    photobook = Path(os.environ["COMMONGROUND_DATA"]) / "photobook"
    logs = photobook / "logs"
    import_words("photobook", logs if logs.is_dir() else photobook, folder / "store")
    if os.environ.get("COMMONGROUND_FRAMES"):
        import_words("frames", Path(os.environ["COMMONGROUND_FRAMES"]), folder / "store")
    return folder / "store"


def import_words(corpus: str, source: Path, store: Path, *options: str) -> None:
    """Imports a corpus from the command line, with further options."""
    words = [*COMMAND, "import", corpus, str(source), *options]
    run_process([*words, "--store", str(store)])


def _larger(folder: Path, real: dict[tuple[str, str], tuple[float, float]]) -> list[Line]:
    from commonground.corpora import get_corpus
    from commonground.play.simulating import simulate_corpus

    games = int(os.environ.get("COMMONGROUND_BENCH_GAMES", REAL_GAMES)) * TIMES_LARGER
    simulate_corpus(get_corpus("photobook"), folder / "files", dialogues=games, seed=1)
    import_words("photobook", folder / "files", folder / "store")
    lines = []
    for (corpus, kind), (alone, _tail) in measure(folder / "store", ["photobook"]).items():
        ratio = alone / real[corpus, kind][0]
        reference = f"{real[corpus, kind][0]:.1f} ms on the real games"
        holds = ratio <= MOST_SLOWER
        job = f"{kind} in {games:,} simulated games"
        bar = f"{MOST_SLOWER:g} times"
        lines.append(Line(job, f"{alone:.1f} ms", reference, ratio, bar, holds))
    return lines


def _line(corpus: str, kind: str, alone: float, tail: float) -> Line:
    bar = BARS_MS[kind]
    return Line(
        f"{kind}, {corpus}",
        f"{alone:.1f} ms; 99 % of {CLIENTS} clients {tail:.0f} ms",
        "",
        None,
        f"{bar:g} ms; {TAIL * bar:g} ms",
        alone <= bar and tail <= TAIL * bar,
    )


def _site_line(corpus: str, rate: float) -> Line:
    holds = rate >= SITE_PER_SECOND
    bar = f"{SITE_PER_SECOND:g}/s"
    return Line(f"static site, {corpus}, two processes", f"{rate:.0f}/s", "", None, bar, holds)
