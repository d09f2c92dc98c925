"""Writes the generated pages of ``docs/``; a test compares them with what is committed."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import click
import msgspec
from scripts.figure_pages import read_numbers, render_page, render_waiting_page

from commonground.bench.evaluation.rendering import escape_cell, render_markdown, render_spread
from commonground.bench.evaluation.reporting import ResultFile, read_results, report_task
from commonground.bench.evaluation.tasks import iterate_tasks
from commonground.cli import group, list_sections
from commonground.corpora import Entry, get_corpus, iterate_corpora
from commonground.exports.format import Export, Option, iterate_exports
from commonground.exports.loss import Carried
from commonground.figures.figure_files import find_figures
from commonground.files.faults import GENERIC_RULES
from commonground.files.jsonschema import render_schema
from commonground.findings import SEVERITIES, Rule
from commonground.printing import count_of
from commonground.schema import TABLES, VIEWS
from commonground.store.shared import UNCOUNTED
from commonground.task import Published, Task

ROOT = Path(__file__).resolve().parents[1] / "docs"
RESULTS_INTRODUCTION = (
    "What the baselines score on the released files (`make results`, then `make docs`), and what "
    "others published. Intervals are 95 % bootstrap intervals over dialogues; ± and asterisks are "
    "what a source prints behind a number: a deviation over runs, a mark of significance. A note "
    "below each table says what was learned from and tested on, or where a published number "
    "stands, and whether lines may be compared: only on the same split, whole, and by the same "
    "measure. Methods answer without seeing right answers or inputs that the authors do not "
    "allow. Some times were taken while the machine had other work to do, and are longer than they "
    "need be. `commonground report` makes such tables of results of your own.\n\n"
    "SIMMC's organisers learned from `train`. Of that, only the API calls of fashion were "
    "available, without words, so that all else here learned from `dev`, with a sixth as many "
    "dialogues.\n"
)
EXPORTS_INTRODUCTION = (
    "# Export formats\n\n"
    "Written with `commonground export FORMAT OUT [--corpus NAME] [--split NAME] [--where SQL]`. "
    "Every export has a `loss.json`, which counts what in the selected dialogues "
    "does not fit, with an example of each kind; the tables below list what that "
    "can be, with default options. A format says which columns it carries and "
    "every other value is counted, so "
    "nothing is dropped silently; rows of dialogues that are not written at all are counted by "
    "table. The licence, the terms and the citation of each corpus are in "
    "`LICENCE-AND-TERMS.md` beside it.\n\n"
)
NOTE = "<!-- Written by `make docs`; edit the code it comes from. -->\n\n"


def schema_page() -> str:
    """The reference of the tables, from ``schema.py``."""
    parts = [NOTE, "# The tables of a store\n\n"]
    parts.append(
        "Every table carries `corpus`; `dialogue_id` and `event` join them. Types: `text`, `int`, "
        "`float`, `bool`, `timestamp` (microseconds, no zone), `json` (text that holds one JSON "
        "value). Positions in text are code points; ends are exclusive.\n"
    )
    for table in (*TABLES, *VIEWS):
        parts.append(f"\n## {table.name}\n\nA row is {table.row}.\n\n")
        parts.append("| column | type | what it holds | null means |\n|---|---|---|---|\n")
        parts += [f"| {c.name} | {c.type} | {c.doc} | {c.null or '—'} |\n" for c in table.columns]
    return "".join(parts)


def findings_page() -> str:
    """Every finding code, from the rules."""
    parts = [NOTE, "# Finding codes\n\n", _rules_table("Any file", GENERIC_RULES)]
    seen: set[str] = set()
    for entry in iterate_corpora():
        rules = tuple(rule for rule in entry.rules() if rule.code not in seen)
        seen.update(rule.code for rule in rules)
        if rules:
            parts.append(_rules_table(entry.manifest.title, rules))
    return "".join(parts)


def _rules_table(title: str, rules: tuple[Rule, ...]) -> str:
    lines = [
        f"## {title}\n\n| code | severity | in the released files | what |\n|---|---|---|---|\n"
    ]
    for rule in rules:
        known = "not counted" if rule.known is None else f"{rule.known:,}"
        text = rule.title.replace("|", "\\|")
        lines.append(f"| {rule.code} | {rule.severity} | {known} | {text} |\n")
    return "".join(lines) + "\n"


def commands_page() -> str:
    """The help text of every command, by section; then of those that ``--help`` does not list."""
    parts = [NOTE, "# Commands\n"]
    sections = list_sections()
    context = click.Context(group, info_name="commonground")
    hidden = {*group.list_commands(context)}.difference(*sections.values())
    for title, names in (sections | {"not listed by --help": sorted(hidden)}).items():
        parts.append(f"\n## {title.capitalize()}\n")
        for name in names:
            command = group.get_command(context, name)
            assert command is not None  # noqa: S101 - it was listed
            parts += _describe_command(command, name, context)
    return "".join(parts)


def _describe_command(
    command: click.Command, name: str, context: click.Context, level: str = "###"
) -> Iterator[str]:
    """Writes the help of a command, and below it of those that it holds."""
    inner = click.Context(command, info_name=name, parent=context, max_content_width=90)
    title = inner.command_path.removeprefix("commonground ")
    yield f"\n{level} {title}\n\n```\n{command.get_help(inner)}\n```\n"
    if isinstance(command, click.Group):
        for each, found in sorted(command.commands.items()):
            yield from _describe_command(found, each, inner, f"{level}#")


def tasks_page() -> str:
    """Every benchmark task: what a file of predictions is, allowed inputs, measures, results."""
    parts = [NOTE, "# Benchmark tasks\n\n"]
    parts.append(
        "Every instance is scored separately, and scores are computed from summed counts; "
        "`--per-instance` writes the counts of each instance. A measure that matches an official "
        "script keeps its quirks; a corrected version is listed under its own name.\n"
    )
    for task in iterate_tasks():
        parts.append(f"\n## {task.name}\n\n{task.title}.\n\n{task.summary}\n\n")
        parts.append("| input | what it is |\n|---|---|\n")
        parts += [f"| {name} | {text} |\n" for name, text in task.allowed.items()]
        parts.append("\n| measure | what it measures | matches |\n|---|---|---|\n")
        for each in task.measures:
            row = (f"`{each.name}` {each.version}", each.title, each.matches or "ours")
            parts.append("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |\n")
        if task.modes:
            parts.append("\n| mode | what it does |\n|---|---|\n")
            parts += [f"| `--mode {name}` | {text} |\n" for name, text in task.modes.items()]
        parts += _published(task)
    return "".join(parts)


def _published(task: Task) -> list[str]:
    if not task.published:
        return [f"\n{task.unlisted}\n"] if task.unlisted else []
    lines = ["\n| published | split | numbers | source | comparable |\n|---|---|---|---|---|\n"]
    for each in task.published:
        numbers = ", ".join(_published_number(each, name) for name in each.values)
        row = (each.system, each.split, numbers, each.source, each.comparable)
        lines.append("| " + " | ".join(map(escape_cell, row)) + " |\n")
    return [*lines, f"\n{task.unlisted}\n"] if task.unlisted else lines


def _published_number(published: Published, name: str) -> str:
    spread = render_spread(published.deviations.get(name), published.marks.get(name, ""))
    return f"{name} {published.values[name]:g}{spread}"


def exports_page() -> str:
    """The formats of exports at a glance, then one by one."""
    exports = list(iterate_exports())
    lines = [
        NOTE,
        EXPORTS_INTRODUCTION,
        "| format | what is written | tables lost | columns lost |\n",
    ]
    lines.append("|---|---|---|---|\n")
    for export in exports:
        tables, columns = _lost_tables(export), _lost_columns(export)
        link = f"[{export.name}](#{export.name})"
        lines.append(
            f"| {link} | {export.title} | {', '.join(tables) or 'none'} "
            f"| {len(columns) or 'none'} |\n"
        )
    lines += [_describe_export(export) for export in exports]
    return "".join(lines)


def _describe_export(export: Export) -> str:
    lines = [f"\n## {export.name}\n\n{export.title}. {export.summary}\n"]
    if export.example:
        lines.append(f"\n```sh\ncommonground export {export.example}\n```\n")
    if export.options:
        lines.append("\n| option | values | by default | what it does |\n|---|---|---|---|\n")
        lines += map(_option_row, export.options)
    losses = list(_losses(export))
    if not losses:
        return "".join(lines) + "\nNothing is lost.\n"
    lines.append("\n| lost | why |\n|---|---|\n")
    lines += [f"| {name} | {escape_cell(why)} |\n" for name, why in losses]
    return "".join(lines)


def _option_row(option: Option) -> str:
    values = ", ".join(f"`{each}`" for each in option.choices) or "any text"
    default = f"`{option.default}`" if option.default else "—"
    if isinstance(option.default, bool):
        values, default = "a flag", "off"
    name = option.name.replace("_", "-")
    return f"| `--{name}` | {values} | {default} | {escape_cell(option.help)} |\n"


def _carried(export: Export) -> Carried:
    """Returns what a format carries with the options as they are by default."""
    return export.carried(export.complete({}))


def _lost_tables(export: Export) -> list[str]:
    carried = _carried(export)
    return [table.name for table in TABLES if table.name not in carried.columns]


def _lost_columns(export: Export) -> list[str]:
    carried = _carried(export).columns
    return [
        f"{table.name}.{column}"
        for table in TABLES
        if table.name in carried
        for column in table.names
        if column not in carried[table.name]
    ]


def _losses(export: Export) -> Iterator[tuple[str, str]]:
    """Yields everything that a format may lose, with the reason."""
    carried = _carried(export)
    for table in _lost_tables(export):
        yield f"table `{table}`", carried.reason(table)
    for name in _lost_columns(export):
        yield f"column `{name}`", carried.reason(*name.split("."))
    for part in carried.partly:
        yield f"some of column `{part.column}`", part.why
    for name, why in carried.counted.items():
        yield f"some of {'column' if '.' in name else 'table'} `{name}`", why
    for name, feature in export.features.items():
        yield name, feature.why


def corpus_page(entry: Entry) -> str:
    """The card of a corpus, with its files and their schemas."""
    # Some corpora share a card; each page has the name of its own.
    text = entry.card().rstrip().partition("\n")[2]
    parts = [NOTE, f"# {entry.manifest.title}\n", text, "\n\n## Files\n\n"]
    parts.append("| format | what it holds | name | schema |\n|---|---|---|---|\n")
    for fmt in entry.formats():
        pattern = fmt.pattern.replace("|", "\\|")
        link = f"../schemas/{entry.name}.{fmt.name}.schema.json"
        parts.append(f"| {fmt.name} | {fmt.title} | `{pattern}` | [JSON Schema]({link}) |\n")
    return "".join(parts) + _native_only(entry) + _errata(entry)


def _native_only(entry: Entry) -> str:
    """What of the released records only the table ``native`` has."""
    known = entry.manifest.native_only
    if not known:
        return "\n## Only in `native`\n\nNothing: every released value is in another table too.\n"
    lines = ["\n## Only in `native`\n\n", "Every other released value is in another table too.\n\n"]
    lines.append("| what | why |\n|---|---|\n")
    lines += [f"| `{path}` | {why} |\n" for path, why in known.items()]
    return "".join(lines)


def _errata(entry: Entry) -> str:
    """The known errors in the released files of one corpus."""
    known = [rule for rule in entry.rules() if rule.known]
    if not known:
        return ""
    known.sort(key=lambda rule: (SEVERITIES.index(rule.severity), -(rule.known or 0)))
    lines = ["\n## Errata: known errors in the released files\n\n"]
    lines.append("| code | severity | places | what | what to do |\n|---|---|---|---|---|\n")
    for rule in known:
        cells = (rule.code, rule.severity, f"{rule.known:,}", rule.title, rule.advice)
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |\n")
    return "".join(lines)


def figure_pages() -> dict[str, str]:
    """The figures of each corpus, from the numbers that `make figures` wrote, if it did."""
    files = sorted((ROOT / "figures").glob("*.json"))
    found = {f"figures/{f.stem}.md": NOTE + render_page(read_numbers(f)) for f in files}
    for entry in iterate_corpora():
        figures = find_figures(entry.name)
        if figures:
            page = NOTE + render_waiting_page(entry.name, entry.manifest.title, figures)
            found.setdefault(f"figures/{entry.name}.md", page)
    return found


def results_page() -> str:
    """Results of the baselines, from what `make results` wrote, beside published ones."""
    results = read_results(sorted((ROOT / "results").glob("*.json")))
    parts = [NOTE, "# Results\n\n", *_overlap_table(results), RESULTS_INTRODUCTION]
    for task in iterate_tasks():
        report = report_task(task, results)
        if report.rows:
            parts.append("\n" + render_markdown([report]))
        else:
            parts.append(f"\n## {task.name}\n\n{task.title}.\n")
        parts += _results_notes(task, results)
    return "".join(parts)


def _overlap_table(results: list[ResultFile]) -> list[str]:
    """What the splits share on which baselines were run, each line of numbers once."""
    rows: dict[str, None] = {}
    for each in results:
        run = each.baseline
        if run is None:
            continue
        part = f", {run.protocol.part}" if run.protocol.part else ""
        split, shares = "the hold-out against the rest", UNCOUNTED
        if each.overlap:
            split = f"{each.overlap[0].test} against {each.overlap[0].train}"
            shares = ", ".join(
                f"{one.shared:,} of {count_of(one.of, one.what)}" for one in each.overlap
            )
        rows.setdefault(f"| {run.corpus}{part} | {split} | {shares} |\n")
    if not rows:
        return []
    return [
        "First, how much of the tested dialogues also occurs in the training data. A method "
        "may have memorised that, so that numbers on such a split say little of what is new; "
        "[other splits](how-to/benchmarks.md#first-does-the-split-leak) are asked for at "
        "import.\n\n"
        "| corpus | split | also in training |\n| --- | --- | --- |\n",
        *rows,
        "\n",
    ]


def _results_notes(task: Task, results: list[ResultFile]) -> list[str]:
    """What a reader must know of a task's table: what is not in it, and how long it took."""
    mine = [each for each in results if each.task == task.name]
    notes = []
    if not mine:
        notes.append("No baseline has been run on the released files.")
    if not task.published:
        notes.append("No published number is listed, since none was found for just these measures.")
    runs = [each.baseline for each in mine if each.baseline is not None]
    if runs:
        slowest = max(runs, key=lambda run: run.train_s or 0)
        train_s, each = slowest.train_s or 0, ""
        if slowest.protocol.kind == "folds" and slowest.protocol.test is None:
            folds = len(get_corpus(slowest.corpus).manifest.splits)
            each = f" ({train_s / folds:.0f} s for each of {folds} models, one a fold)"
        notes.append(
            f"The slowest method, {slowest.method}, learned in {train_s:.0f} s{each} from "
            f"{slowest.learned_from.instances:,} instances and answered "
            f"{slowest.answered.instances:,} in {slowest.answer_s:.0f} s."
        )
    return ["\n" + " ".join(notes) + "\n"] if notes else []


def pages() -> dict[str, str]:
    """Every generated page by its path below ``docs/``."""
    found = {
        "reference/tables.md": schema_page(),
        "reference/findings.md": findings_page(),
        "reference/commands.md": commands_page(),
        "reference/tasks.md": tasks_page(),
        "reference/exports.md": exports_page(),
        "results.md": results_page(),
    }
    for entry in iterate_corpora():
        found[f"corpora/{entry.name}.md"] = corpus_page(entry)
        for fmt in entry.formats():
            schema = msgspec.json.encode(render_schema(entry.name, fmt))
            text = msgspec.json.format(schema, indent=1).decode() + "\n"
            found[f"schemas/{entry.name}.{fmt.name}.schema.json"] = text
    return found | figure_pages()


def main() -> None:
    """Writes the pages."""
    for name, text in pages().items():
        path = ROOT / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    sys.stdout.write(f"{len(pages())} pages in {ROOT}\n")


if __name__ == "__main__":
    main()
