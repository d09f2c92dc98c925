"""Reports as Markdown and as HTML: numbers in a table, and below it where each line is from."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import msgspec
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from commonground.bench.evaluation.reporting import Number, SystemRow, TaskReport


class Note(msgspec.Struct, frozen=True):
    """Where lines of a table are from, and whether they may be compared.

    Attributes:
        number: from 1, in the order of first mention.
        comparable: with what they may be compared, in words.
    """

    number: int
    source: str
    comparable: str

    @property
    def text(self) -> str:
        """The source, and whether its numbers may be compared, as the line below a table."""
        source, judged = self.source.removesuffix("."), self.comparable.removesuffix(".")
        # Published files say `yes: why` or `no: why`, or a sentence of their own.
        verdict, _, reason = judged.partition(": ")
        if verdict.lower() == "no":
            return f"{source}. Not comparable: {reason}."
        return f"{source}. Comparable: {reason if verdict.lower() == 'yes' else judged}."


def list_notes(report: TaskReport) -> dict[tuple[str, str], Note]:
    """Returns the notes of a report, numbered from 1, by source and comparability."""
    found: dict[tuple[str, str], Note] = {}
    for row in report.rows:
        origin = row.source, row.comparable
        found.setdefault(origin, Note(len(found) + 1, *origin))
    return found


def render_number(number: Number | None) -> str:
    """Writes a number with its interval or deviation after it; a dash where there is none."""
    if number is None or number.value is None:
        return "–"
    if number.low is None or number.high is None:
        return f"{number.value:.3f}{render_spread(number.deviation, number.mark)}"
    return f"{number.value:.3f} ({number.low:.3f}–{number.high:.3f})"


def render_spread(deviation: float | None, mark: str) -> str:
    """Writes what was published with a number: its deviation and its mark of significance."""
    # More places than the number has: those of a single system would often all be 0.
    return ("" if deviation is None else f" ± {deviation:.4f}") + (f" {mark}" if mark else "")


def list_headings(report: TaskReport) -> list[str]:
    """Returns the headings of a report's table.

    Where something could not be read, a second column has each number of what was.
    """
    read = ["n read", *(f"{name} (read)" for name in report.names)] if _has_unread(report) else []
    return ["system", "split", *report.names, "n", *read, "note"]


def _has_unread(report: TaskReport) -> bool:
    return any(row.n_read is not None and row.n_read != row.n for row in report.rows)


def list_cells(report: TaskReport, row: SystemRow) -> list[str]:
    """Returns the cells of a line, as :func:`list_headings` names them."""
    numbers = [render_number(row.numbers.get(name)) for name in report.names]
    name = f"{row.system} (published)" if row.is_published else row.system
    note = list_notes(report)[row.source, row.comparable]
    read = _list_read(report, row) if _has_unread(report) else []
    count = _render_count(row.n)
    # How much of a split was asked about: 4 of 30.
    count += f" of {row.of:,}" if row.n is not None and row.of is not None else ""
    return [name, row.split, *numbers, count, *read, str(note.number)]


def _list_read(report: TaskReport, row: SystemRow) -> list[str]:
    """Returns the cells of what was read: all of a line where that is everything."""
    found = row.numbers if row.n_read == row.n else row.read
    if row.n_read is None:
        found = {}
    return [_render_count(row.n_read), *(render_number(found.get(name)) for name in report.names)]


def _render_count(count: int | None) -> str:
    return "–" if count is None else f"{count:,}"


def render_markdown(reports: Iterable[TaskReport]) -> str:
    """Writes reports as Markdown, a section for each task."""
    return "\n".join(map(_markdown, reports))


def _markdown(report: TaskReport) -> str:
    lines = [f"## {report.task}\n", f"{report.title}.\n"]
    headings = list_headings(report)
    lines.append(_line(headings))
    lines.append(_line("---" if each in ("system", "split") else "---:" for each in headings))
    lines += [_line(list_cells(report, row)) for row in report.rows]
    lines += ["", *(f"{note.number}. {note.text}" for note in list_notes(report).values())]
    if outcomes := list_outcomes(report):
        head, *rows = outcomes
        aligned = ["---", *("---:" for _each in head[1:])]
        lines += ["", "Questions without a valid answer:", "", *map(_line, (head, aligned, *rows))]
    listed = _list_problems(report.rows)
    if listed:
        lines += ["", "Problems of the predictions:", "", *(f"- {each}" for each in listed)]
    lines += [line for each in report.differences for line in ("", escape_cell(each))]
    if report.unlisted:
        lines += ["", report.unlisted]
    return "\n".join(lines) + "\n"


def list_outcomes(report: TaskReport) -> list[list[str]]:
    """Returns a table of why questions were not answered, its headings first.

    A column has each system that was asked; the table is empty where none was.
    """
    asked = [row for row in report.rows if row.outcomes]
    if not asked:
        return []
    names = dict.fromkeys(name for row in asked for name in row.outcomes)
    head = ["reason", *(row.system for row in asked)]
    return [head, *([name, *(f"{row.outcomes.get(name, 0):,}" for row in asked)] for name in names)]


def _line(cells: Iterable[str]) -> str:
    return "| " + " | ".join(escape_cell(cell) for cell in cells) + " |"


def escape_cell(text: str) -> str:
    """Escapes what a cell of a Markdown table would take for its end or for emphasis."""
    return text.replace("|", "\\|").replace("*", "\\*")


def _list_problems(rows: Sequence[SystemRow]) -> list[str]:
    return [f"{row.system}: {listed}" for row in rows if (listed := describe_problems(row))]


def describe_problems(row: SystemRow) -> str:
    """Says what must be known of a line: its problems, and why numbers of it are undefined."""
    undefined = (f"{name} is undefined: {why}" for name, why in row.undefined.items())
    return "; ".join(filter(None, [", ".join(row.problems), *undefined]))


def render_html(reports: Iterable[TaskReport]) -> str:
    """Writes reports as a page that needs nothing else."""
    page = (
        make_environment()
        .get_template("report.html")
        .render(
            reports=list(reports),
            headings_of=list_headings,
            cells_of=list_cells,
            notes_of=list_notes,
            outcomes_of=list_outcomes,
            problems_of=_list_problems,
        )
    )
    return page + "\n"


def make_environment() -> Environment:
    """Makes what renders the templates of this folder."""
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    # Quotation marks as the standard library writes them.
    environment.filters["plain"] = lambda text: Markup(html.escape(text))  # noqa: S704 - just escaped
    return environment


RENDERERS: dict[str, Callable[[Iterable[TaskReport]], str]] = {
    "markdown": render_markdown,
    "html": render_html,
}
"""Ways of writing reports, by name."""
