"""The reference page of the export formats."""

from __future__ import annotations

from collections.abc import Iterator

from commonground.exports.format import Export, Option, iterate_exports
from commonground.exports.loss import Carried
from commonground.schema import TABLES

_INTRODUCTION = (
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


def render_exports_page() -> str:
    """Returns the page in Markdown: the formats at a glance, then one by one."""
    exports = list(iterate_exports())
    lines = [_INTRODUCTION, "| format | what is written | tables lost | columns lost |\n"]
    lines.append("|---|---|---|---|\n")
    for export in exports:
        tables, columns = _lost_tables(export), _lost_columns(export)
        link = f"[{export.name}](#{export.name})"
        lines.append(
            f"| {link} | {export.title} | {', '.join(tables) or 'none'} "
            f"| {len(columns) or 'none'} |\n"
        )
    lines += [_section(export) for export in exports]
    return "".join(lines)


def _section(export: Export) -> str:
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
    lines += [f"| {name} | {_cell(why)} |\n" for name, why in losses]
    return "".join(lines)


def _option_row(option: Option) -> str:
    values = ", ".join(f"`{each}`" for each in option.choices) or "any text"
    default = f"`{option.default}`" if option.default else "—"
    if isinstance(option.default, bool):
        values, default = "a flag", "off"
    name = option.name.replace("_", "-")
    return f"| `--{name}` | {values} | {default} | {_cell(option.help)} |\n"


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


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
