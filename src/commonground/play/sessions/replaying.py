"""Released records, played again by the rules that they were made by."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import msgspec

from commonground.engines.processes import open_pool
from commonground.errors import CommongroundError, UsageError
from commonground.files.sources import Document
from commonground.findings import Finding
from commonground.play.scenario import Replay, ReplayDifference, Replayer
from commonground.play.scenarios import ScenarioEntry, get_scenario
from commonground.store.identify import identify_documents

_FEW_DOCUMENTS = 64
"""So many are played again sooner than processes start."""

Progress = Callable[[int, int], None]
"""Called with now and then how much is done, and how much there is."""


class Replayed(msgspec.Struct, frozen=True):
    """What :func:`replay_files` found.

    Attributes:
        replay: the differences, and how much was compared.
        unread: for each file that could not be played, why.
        findings: what could not be listed.
    """

    replay: Replay
    unread: dict[str, str]
    findings: list[Finding]


def replay_files(
    scenario: ScenarioEntry,
    paths: Sequence[Path],
    *,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> Replayed:
    """Plays released records again and compares what comes out with them.

    Args:
        paths: files, folders or archives.
        jobs: number of processes; None for as many as there are cores.

    Raises:
        UsageError: nothing plays records by this scenario again.
        SourceError: a path does not exist or is empty.
        FormatError: no file is of its corpus.
    """
    replayer = scenario.replayer()
    if replayer is None or replayer.replay is None:
        raise UsageError(f"Released records of {scenario.name} cannot be played again.")
    identified = identify_documents(scenario.corpus, paths)
    documents = [document for document, fmt in identified.known if fmt.role == "main"]
    replay, unread, finished = Replay(), dict[str, str](), 0
    own = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    for part, failed, number in _map_documents(scenario.name, documents, jobs or own or 1):
        replay, finished = replay + part, finished + number
        unread |= failed
        if progress is not None:
            progress(finished, len(documents))
    return Replayed(replay, unread, identified.findings)


Part = tuple[Replay, dict[str, str], int]
"""What came of some documents: what was found, why some were not played, how many they were."""


def _map_documents(name: str, documents: list[Document], jobs: int) -> Iterator[Part]:
    """Yields what comes of the documents, in their order, some at a time."""
    if jobs == 1 or len(documents) <= _FEW_DOCUMENTS:
        for document in documents:
            yield _replay_documents(name, [document])
        return
    # About eight chunks for each process, so that nobody waits long for the last one.
    # Not fewer than eight: each chunk is sent to a process and back.
    size = max(8, len(documents) // (jobs * 8))
    chunks = [documents[at : at + size] for at in range(0, len(documents), size)]
    # Forked processes have the modules that spawned ones would have to import first; but what
    # speaks to an object store has threads, and these do not come along.
    can_fork = "fork" in multiprocessing.get_all_start_methods()
    method = "fork" if can_fork and not any(each.is_remote for each in documents) else "spawn"
    context = multiprocessing.get_context(method)
    with open_pool(jobs, context, _start_worker) as pool:
        yield from pool.map(_replay_documents, [name] * len(chunks), chunks)


def _start_worker() -> None:
    # Ctrl-C reaches every process of a terminal; this one has nothing to say or to tidy up then.
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _replay_documents(name: str, documents: Iterable[Document]) -> Part:
    replayer: Replayer | None = get_scenario(name).replayer()
    assert replayer is not None and replayer.replay is not None  # noqa: S101, PT018 - checked above
    replay, unread, number = Replay(), dict[str, str](), 0
    # The number that is left behind the loop is how many there were.
    for number, document in enumerate(documents, 1):  # noqa: B007
        try:
            replay += replayer.replay(document.name, document.read())
        except CommongroundError as error:
            unread[document.name] = error.message
    return replay, unread, number


def count_differences(
    differences: Iterable[ReplayDifference],
) -> list[tuple[ReplayDifference, int]]:
    """Returns the first difference of each code and how many there are, the most frequent first."""
    first: dict[str, ReplayDifference] = {}
    number: Counter[str] = Counter()
    for each in differences:
        first.setdefault(each.code, each)
        number[each.code] += 1
    return [(first[code], count) for code, count in number.most_common()]
