"""What released calls say of a world, and the same calls executed again on it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from commonground.corpora import get_corpus
from commonground.errors import FormatError, StoreError, find_named
from commonground.files.documents import iterate_records
from commonground.files.gold import read_gold
from commonground.play.world import (
    CallError,
    Course,
    FoundRecord,
    SeenCall,
    World,
    WorldSource,
    iterate_answered,
    name_call,
)
from commonground.store.identify import identify_documents
from commonground.store.opening import open_store
from commonground.task import Gold, Tally

Progress = Callable[[int, int], None]
"""Called with how many documents are done, and how many there are."""

REASONS = {
    "unreadable": "The call, its arguments or its answer cannot be read.",
    "unknown_function": "The world has no such function.",
    "untyped": "The function does not take these arguments.",
    "refused": "The call names something that does not exist, such as an order.",
    "answered_twice": "The same call had several answers; another is kept.",
    "other_answer": "The world derives something else.",
}
"""Why a call does not come to what people saw, by code."""


class CallCounts(msgspec.Struct):
    """How the calls of a function came out.

    Attributes:
        unanswered: those that nothing came back of in the files; the others are executed again.
        typed: those whose arguments are of the function's type.
        as_seen: those that come to what people saw, the order of lists apart.
        worked_out: those of these that come to it without any kept answer.
        elsewhere: those of the rest of these whose answer another call of the same arguments had.
        own: those that only their own answer tells.
    """

    calls: int = 0
    unanswered: int = 0
    typed: int = 0
    as_seen: int = 0
    worked_out: int = 0
    elsewhere: int = 0
    own: int = 0

    def __add__(self, other: CallCounts) -> CallCounts:
        names = self.__struct_fields__
        return CallCounts(*(getattr(self, name) + getattr(other, name) for name in names))

    @property
    def executed(self) -> int:
        """Calls that people saw an answer of."""
        return self.calls - self.unanswered

    @property
    def rate(self) -> float | None:
        """Share of executed calls that come to what people saw; None where there are none."""
        return self.as_seen / self.executed if self.executed else None


class CallDifference(msgspec.Struct, frozen=True):
    """A call that does not come to what people saw.

    Attributes:
        code: of its reason in :data:`REASONS`.
        source: name of its file.
        path: where it stands in its record.
        detail: what is wrong with it; empty where the code says all.
    """

    code: str
    source: str
    dialogue: str
    path: str
    function: str
    detail: str = ""


class Rerun(msgspec.Struct):
    """What came of executing released calls again.

    Attributes:
        counts: by function, in order of name.
        reasons: how many calls differ for each reason.
        unread: for each record or file that cannot be read, why.
    """

    counts: dict[str, CallCounts] = {}
    reasons: dict[str, int] = {}
    differences: list[CallDifference] = []
    unread: dict[str, str] = {}

    @property
    def total(self) -> CallCounts:
        """The counts of all functions together."""
        return sum(self.counts.values(), CallCounts())


def build_released(
    source: WorldSource, folder: Path, dialogue: str | None = None
) -> World[Any, Any]:
    """Makes a world of what released calls tell.

    Args:
        folder: a store, or a folder of released files.
        dialogue: id of the one dialogue whose facts are wanted; None for all.

    Raises:
        UnknownNameError: there is no such dialogue.
        FormatError: there are no calls that something came back of.
        StoreError: the corpus was not imported.
        SourceError: the folder or a file cannot be read.
    """
    formats = get_corpus(source.corpus).formats()
    try:
        store = open_store(folder)
    except StoreError:  # what is no store is a folder of files
        gold = Gold(files=(folder,))
    else:
        gold = Gold(corpus=store.corpus(source.corpus))
    records = read_gold(gold, formats, [each.name for each in formats], Tally(), whole=True)
    courses = [course for each in records for course in source.read(each.record)]
    if dialogue is not None:
        groups = {each.dialogue: each.group for each in courses}
        group = find_named("dialogue", dialogue, groups)
        courses = [each for each in courses if each.group == group]
    if not any(iterate_answered(courses)):
        raise FormatError(
            f"{folder} has no calls of {source.name} with their answers.",
            f"Name a store with {source.corpus}, or a folder of its released files.",
        )
    return source.build(courses)


class _FoundCourse(msgspec.Struct, frozen=True):
    source: str
    course: Course


def rerun_files(
    source: WorldSource, paths: Sequence[Path], progress: Progress | None = None
) -> Rerun:
    """Executes all calls of released files again, each group on the facts that its calls tell.

    Args:
        paths: files, folders or archives.

    Raises:
        SourceError: a path does not exist or is empty.
        FormatError: no file is of the corpus.
    """
    identified = identify_documents(get_corpus(source.corpus), paths)
    rerun = Rerun()
    groups: dict[str, list[_FoundCourse]] = {}

    def iterate_known() -> Iterator[FoundRecord]:
        for number, (document, fmt) in enumerate(identified.known, 1):
            for read in iterate_records(document, fmt):
                if read.record is None:
                    where = f"{document.name} {read.raw.path}"
                    rerun.unread[where] = "; ".join(each.message for each in read.findings)
                    continue
                raw = read.raw
                yield FoundRecord(document.name, raw.path, read.record, raw.key)
            if progress is not None:
                progress(number, len(identified.known))

    if source.join is not None:
        for course in source.join(iterate_known()):
            groups.setdefault(course.group, []).append(_FoundCourse(course.source, course))
    else:
        for each in iterate_known():
            for course in source.read(each.record):
                groups.setdefault(course.group, []).append(_FoundCourse(each.source, course))
    for found in groups.values():
        _rerun_group(source, found, rerun)
    rerun.counts = dict(sorted(rerun.counts.items()))
    return rerun


def _rerun_group(source: WorldSource, found: list[_FoundCourse], rerun: Rerun) -> None:
    courses = [each.course for each in found]
    world = source.build(courses)
    often = Counter(name_call(each.function, each.arguments) for each in iterate_answered(courses))
    for each in found:
        for call, counts, code, detail in _rerun_course(source, world, each.course, often):
            rerun.counts[call.function] = rerun.counts.get(call.function, CallCounts()) + counts
            if not code:
                continue
            rerun.reasons[code] = rerun.reasons.get(code, 0) + 1
            where = (each.source, each.course.dialogue, call.path)
            rerun.differences.append(CallDifference(code, *where, call.function, detail))


def _rerun_course(
    source: WorldSource, world: World[Any, Any], course: Course, often: Counter[str]
) -> Iterator[tuple[SeenCall, CallCounts, str, str]]:
    """Yields each call with its counts, and the code and details of what is wrong with it."""
    state = world.beginning
    bare = World(world.name, world.functions.values(), world.facts, world.beginning)
    for call in course.calls:
        counts = CallCounts(calls=1, unanswered=int(call.result is None and not call.fault))
        if call.fault:
            yield call, counts, "unreadable", call.fault
            continue
        try:
            world.functions[call.function].read(call.arguments)
            counts.typed = 1
        except KeyError:
            yield call, counts, "unknown_function", call.function
            continue
        except CallError as error:
            yield call, counts, "untyped", error.message
            continue
        if call.result is None:
            # What a model called last: nobody saw what would have come of it.
            yield call, counts, "", ""
            continue
        if call.before:
            state = msgspec.structs.replace(state, **call.before)
        try:
            answer = bare.call(state, call.function, call.arguments)
        except CallError as error:
            yield call, counts, "refused", error.message
            continue
        state = answer.state
        key = name_call(call.function, call.arguments)
        is_kept = key in world.answers
        result = world.answers[key] if is_kept else answer.result
        if not source.same(result, call.result):
            code = "answered_twice" if is_kept else "other_answer"
            yield call, counts, code, ""
            continue
        counts.as_seen = 1
        # Facts alone come to it, without a look at what was seen.
        if not is_kept or source.same(answer.result, call.result):
            counts.worked_out = 1
        elif often[key] > 1:
            counts.elsewhere = 1
        else:
            counts.own = 1
        yield call, counts, "", ""
