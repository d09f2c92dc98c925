"""Evaluation results: what was predicted beside what was to be, instance by instance.

The instances of one file, or of two side by side, can be filtered by kind of error, by what
changed between the two and by each number, and sorted by it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import msgspec
import numpy as np

from commonground.errors import UsageError, find_named
from commonground.explorer.corpora import OpenCorpora
from commonground.explorer.pages.parts.paging import Paging, cut_page
from commonground.explorer.results.files import Flags, ResultFile
from commonground.explorer.results.runs import ONLY, FilterChoice, Only, ResultColumn, ResultFiles
from commonground.explorer.results.showing import ShownResult, show_results

INSTANCES = 50
"""Instances of a page."""


class ResultsPage(msgspec.Struct, frozen=True, kw_only=True):
    """The instances of a file, or of two.

    Attributes:
        beside: name of the file beside this one; None for none.
        by_task: names of the files of each task; of those that do not say, under no name.
        can_be_beside: names of the files that are of the same task as this one.
        task: None where the file does not say.
        title: what is predicted; empty where the file does not say.
        n_right: instances whose prediction equals the gold.
        n_wrong: the others that are scored.
        n_unscored: those left out of the numbers, as nothing was predicted.
        elsewhere: instances of dialogues that a site of files does not have.
        changes: what differs between the two files; empty for one.
        measure: the number that is filtered by; empty for none.
        low, high: the least and the most that it may be; None for any.
        sort: order of the list; empty for that of the file.
    """

    file: str
    beside: str | None
    files: list[str]
    by_task: dict[str, list[str]]
    can_be_beside: list[str]
    task: str | None
    title: str
    only: Only
    n_right: int
    n_wrong: int
    n_unscored: int
    elsewhere: int
    errors: list[FilterChoice]
    changes: list[FilterChoice]
    columns: list[ResultColumn]
    measure: str
    low: float | None
    high: float | None
    sort: str
    paging: Paging
    rows: list[ShownResult]

    @property
    def asked(self) -> dict[str, str | None]:
        """What addresses say of this list, beside the number of its page."""
        return {
            "run": self.file if self.file != self.files[0] else None,
            "beside": self.beside,
            "only": self.only if self.only != "all" else None,
            "error": next((each.name for each in self.errors if each.chosen), None),
            "change": next((each.name for each in self.changes if each.chosen), None),
            "measure": self.measure,
            "low": None if self.low is None else f"{self.low:g}",
            "high": None if self.high is None else f"{self.high:g}",
            "sort": self.sort,
        }


class ResultQuery(msgspec.Struct, frozen=True, kw_only=True):
    """What is asked of results, as an address has it.

    Attributes:
        run: name of the file; empty for the first.
        beside: name of the one beside it; empty for none, as is the name of the run itself, or
            of one of another task.
        only: which instances, one of :data:`ONLY`.
        error, change: empty for all.
        measure: the number to filter by; empty for none.
        low, high: the least and the most that it may be; empty for any.
        sort: order of the list; empty for that of the file.
        page: from 1.
    """

    run: str = ""
    beside: str = ""
    only: str = "all"
    error: str = ""
    change: str = ""
    measure: str = ""
    low: str = ""
    high: str = ""
    sort: str = ""
    page: int = 1


def build_results_page(
    corpora: OpenCorpora, files: ResultFiles, asked: ResultQuery | None = None
) -> ResultsPage:
    """Lists instances.

    Args:
        corpora: those that are shown; the dialogues of the instances are looked for in them.
        asked: which of them; None for all of the first file.

    Raises:
        UsageError: there is no such file, filter, number, order or page.
    """
    asked = asked or ResultQuery()
    name, file = files.choose(asked.run)
    asked = _drop_others(files, file, asked)
    pair = files.pair(asked.run, asked.beside)
    only = find_named("filter", asked.only, {each: each for each in ONLY})
    low, high = _read_bound(asked.low), _read_bound(asked.high)
    # By name, since the counts beside the values of one filter are of what all the others leave.
    filters = {
        "only": pair.keep_only(only),
        "error": pair.keep_error(asked.error),
        "change": pair.keep_change(asked.change),
        "range": pair.keep_range(asked.measure, low, high),
    }
    kept = _all_of(filters)
    numbers = pair.order(np.flatnonzero(kept), asked.sort)
    paging = cut_page(len(numbers), asked.page, INSTANCES)
    shown = paging.take(numbers)
    return ResultsPage(
        file=name,
        beside=asked.beside if pair.other else None,
        files=list(files.by_name),
        by_task=files.by_task,
        can_be_beside=files.list_beside(name),
        task=file.task_name or None,
        title=file.task.title if file.task else "",
        only=only,
        n_right=int((file.right & file.scored).sum()),
        n_wrong=int((~file.right & file.scored).sum()),
        n_unscored=int((~file.scored).sum()),
        elsewhere=file.elsewhere,
        errors=pair.list_errors(_all_of(filters, but="error"), asked.error),
        changes=pair.list_changes(_all_of(filters, but="change"), asked.change),
        columns=pair.list_columns(kept, asked.sort),
        measure=asked.measure,
        low=low,
        high=high,
        sort=asked.sort,
        paging=paging,
        rows=show_results(corpora, file, shown, pair.other),
    )


def _drop_others(files: ResultFiles, file: ResultFile, asked: ResultQuery) -> ResultQuery:
    """Drops the number and the order of another task, which stay asked for when a run is chosen."""
    own = {each.name for each in file.measured}
    sorted_by = asked.sort.rpartition("-")[0]
    if asked.measure not in own and files.is_number(asked.measure):
        asked = msgspec.structs.replace(asked, measure="", low="", high="")
    if sorted_by not in own and files.is_number(sorted_by):
        asked = msgspec.structs.replace(asked, sort="")
    return asked


def _read_bound(text: str) -> float | None:
    if not text.strip():
        return None
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if math.isnan(number):
        raise UsageError(f"{text[:40]!r} is not a number.", "Write it like 0.5.")
    return number


def _all_of(filters: Mapping[str, Flags], but: str = "") -> Flags:
    """Returns the instances that all filters keep, or all but one of them."""
    kept: Flags = np.logical_and.reduce([each for name, each in filters.items() if name != but])
    return kept
