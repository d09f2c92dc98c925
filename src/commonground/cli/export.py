"""``commonground export``: one command for each export format that is found."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from commonground.cli._ending import told_when_stopped
from commonground.cli._options import (
    Form,
    choose_form,
    csv_option,
    force_option,
    form_options,
    json_option,
    offer_corpora,
    plain,
    print_data,
    print_rich,
    print_table,
    progress_bar,
    store_option,
)
from commonground.printing import count_of

if TYPE_CHECKING:
    from commonground.exports.format import Export, Option
    from commonground.exports.run import Report

SECTION = "export"


_OUT = "OUT is a new folder, or an export that is to be replaced; what you added to it stays."


class _Formats(click.Group):
    """One command per export format, with the format's own options."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's
        from commonground.exports.format import iterate_exports

        return [export.name for export in iterate_exports()]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command:  # noqa: ARG002 - click's
        from commonground.exports.format import get_export

        return _format_command(get_export(cmd_name))


def _format_command(export: Export) -> click.Command:
    example = f"\n\n\b\nExample:\n  commonground export {export.example}" if export.example else ""
    command = click.Command(
        export.name,
        callback=click.pass_context(_run),
        short_help=f"{export.title}.",
        help=f"{export.title}.\n\n{export.summary}\n\n{_OUT}{example}",
    )
    command.params = [
        click.Argument(["out"], type=click.Path(path_type=Path)),
        click.Option(["--corpus"], multiple=True, help="Corpus; may be repeated.  [default: all]"),
        click.Option(["--split"], multiple=True, help="Split; may be repeated.  [default: all]"),
        click.Option(["--where"], metavar="SQL", help="Condition over the columns of dialogues."),
        *map(_click_option, export.options),
    ]
    # click's decorators add options to a command that is made already, too.
    force_option(command)
    csv_option(command)
    json_option(command)
    store_option(command)
    offer_corpora(command)
    return command


def _click_option(option: Option) -> click.Option:
    name = _write_option(option)
    if isinstance(option.default, bool):
        return click.Option([name], is_flag=True, default=option.default, help=option.help)
    return click.Option(
        [name],
        type=click.Choice(option.choices) if option.choices else None,
        default=option.default,
        show_default=option.default is not None,
        help=option.help,
    )


@click.group(
    cls=_Formats,
    invoke_without_command=True,
    short_help="Write dialogues in the formats of other tools.",
)
@click.option("--list", "listed", is_flag=True, help="List the formats and what each is.")
@form_options
@store_option
@click.pass_context
def command(context: click.Context, listed: bool, form: Form, store: Path | None) -> None:
    """Write imported dialogues in the format of another tool.

    Every export is a folder with a file loss.json, which counts what does not fit the format, so
    that nothing is dropped silently, and a file LICENCE-AND-TERMS.md. Each format has its own
    options: see commonground export FORMAT --help.

    \b
    Example:
      commonground export --list
      commonground export csv tables --corpus frames --split fold-1
    """
    # --store, --json and --csv may stand before the name of the format or after it.
    context.obj = (store, form)
    if listed or context.invoked_subcommand is None:
        _print_formats(form)
        if context.invoked_subcommand is not None:
            raise click.exceptions.Exit


def _print_formats(form: Form) -> None:
    from commonground.exports.format import iterate_exports

    exports = list(iterate_exports())
    names = ("name", "title", "summary", "options", "example")
    told = [{name: getattr(each, name) for name in names} for each in exports]
    rows = ((each.name, each.title, [o.name for o in each.options]) for each in exports)
    if print_data(form, told, ("format", "title", "options"), rows):
        return
    shown = (
        (each.name, each.title, "\n".join(map(_write_option, each.options))) for each in exports
    )
    print_table(("format", "what comes out", "options"), shown)


def _write_option(option: Option) -> str:
    return f"--{option.name.replace('_', '-')}"


def _run(
    context: click.Context,
    out: Path,
    corpus: tuple[str, ...],
    split: tuple[str, ...],
    where: str | None,
    force: bool,
    as_json: bool,
    as_csv: bool,
    store: Path | None,
    **options: Any,
) -> None:
    from commonground.exports.format import get_export
    from commonground.exports.run import run_export
    from commonground.exports.selection import Selection
    from commonground.exports.terms import list_licensed
    from commonground.files.outputs import refuse_file_name
    from commonground.store import arrow
    from commonground.store.opening import open_store

    refuse_file_name(out)
    # Exports write Arrow and text, and none of them may want pandas.
    arrow.forgo_pandas()
    of_group, form_of_group = context.obj
    export = get_export(str(context.command.name))
    stopped = told_when_stopped(f"Nothing was written to {out}.")
    with stopped, progress_bar(f"writing {export.name}") as progress:
        selection = Selection(open_store(store or of_group), corpus, split, where, progress)
        report = run_export(export, selection, out, options, force=force)
    form = choose_form(as_json=as_json, as_csv=as_csv) or form_of_group
    if not print_data(form, report, ("kind", "name", "count", "example", "why"), report.lost):
        licensed = list_licensed(selection)
        _print_report(report, out, [each.about.title for each in licensed if each.is_barred])


def _print_report(report: Report, out: Path, barred: Sequence[str]) -> None:
    from commonground.exports.terms import TERMS_NAME

    dialogues = sum(report.corpora.values())
    many = (
        f"{len(report.corpora)} corpora" if len(report.corpora) > 1 else next(iter(report.corpora))
    )
    print_rich(plain(f"{count_of(dialogues, 'dialogue')} of {many} in {out}, as {report.format}."))
    print_rich(plain(report.describe_losses(out)))
    for title in barred:
        print_rich(plain(f"The terms of {title} bar redistribution: see {out / TERMS_NAME}."))
