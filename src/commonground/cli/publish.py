"""``commonground publish``: makes a repository for the Hugging Face Hub, and uploads it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from commonground.cli._ending import told_when_stopped
from commonground.cli._options import (
    ask,
    force_option,
    json_option,
    print_json,
    progress_bar,
    store_option,
)
from commonground.errors import CommongroundError, UsageError
from commonground.printing import count_of

if TYPE_CHECKING:
    from commonground.exports.hub import Upload
    from commonground.exports.publishing import AddQuestions
    from commonground.exports.run import Report

SECTION = "export"


@click.command(short_help="Publish dialogues as a data set on the Hugging Face Hub.")
@click.argument("out", type=click.Path(path_type=Path))
@click.option("--to", type=click.Choice(["hf"]), required=True, help="hf: the Hugging Face Hub.")
@click.option("--corpus", multiple=True, help="Corpus; may be repeated.  [default: all]")
@click.option("--split", multiple=True, help="Split; may be repeated.  [default: all]")
@click.option("--where", metavar="SQL", help="Condition over the columns of dialogues.")
@click.option(
    "--collected",
    type=click.Path(path_type=Path),
    help="The export of your study from which the dialogues were imported.",
)
@click.option("--licence", help="Licence of your own or simulated dialogues, such as 'CC BY 4.0'.")
@click.option("--no-images", is_flag=True, help="Leave the pictures out.")
@click.option("--repo", metavar="OWNER/NAME", help="Upload to this repository.")
@click.option("--private", is_flag=True, help="Make the repository private.")
@click.option("--yes", is_flag=True, help="Upload without asking.")
@force_option
@json_option
@store_option
def command(
    out: Path,
    to: str,  # noqa: ARG001 - the Hub is the only place so far
    corpus: tuple[str, ...],
    split: tuple[str, ...],
    where: str | None,
    collected: Path | None,
    licence: str | None,
    no_images: bool,
    repo: str | None,
    private: bool,
    yes: bool,
    force: bool,
    as_json: bool,
    store: Path | None,
) -> None:
    """Make a data set repository of imported dialogues, and upload it with --repo.

    OUT is a new folder, or an export that is to be replaced; what you added to it stays. It gets
    Parquet files with pictures, a data set card, a Croissant description, a data sheet and, with
    inspect-ai installed, the questions of the benchmark tasks with eval.yaml.

    A corpus is published only where its licence allows redistribution; several corpora get the
    strictest of their licences. For dialogues that you collected, name the export of your study
    and choose a licence. Before an upload, its files and address are shown and you are asked.

    \b
    Example:
      commonground publish dataset --to hf --corpus taskmaster3
      commonground publish dataset --to hf --collected OUT --licence 'CC BY 4.0'
      commonground publish dataset --to hf --corpus taskmaster3 --repo OWNER/NAME
    """
    from commonground.exports.hub import check_repo, plan_upload, push
    from commonground.exports.publishing import LICENCES, publish
    from commonground.exports.selection import Selection
    from commonground.files.outputs import refuse_file_name
    from commonground.store import arrow
    from commonground.store.opening import open_store

    refuse_file_name(out)
    if repo is not None:
        check_repo(repo)
    if licence is not None and licence not in LICENCES:
        raise UsageError(f"Unknown licence {licence!r}.", f"Choose one of: {', '.join(LICENCES)}")
    # Exports write Arrow and text, and none of them may want pandas.
    arrow.forgo_pandas()
    opened = open_store(store)
    is_whole = not split and where is None
    left_out: dict[str, str] = {}
    stopped = told_when_stopped(f"Nothing was written to {out}.")
    with stopped, progress_bar("writing the repository") as progress:
        report = publish(
            Selection(opened, corpus, split, where, progress),
            out,
            licence=licence or "",
            collected=collected,
            images=not no_images,
            add_questions=_find_questions(opened.path, left_out) if is_whole else None,
            force=force,
        )
    if not is_whole:
        click.echo("Only of whole corpora are questions and eval.yaml written.", err=True)
    for task, why in left_out.items():
        click.echo(f"Left out of eval.yaml: {task}. {why}", err=True)
    upload = None if repo is None else plan_upload(out, repo, private=private)
    if not as_json:
        _print_report(report, out)
    address = None
    if upload is not None:
        _confirm(upload, yes=yes)
        address = push(out, upload)
    if as_json:
        told = {"report": report, "left_out": left_out, "upload": upload, "at": address}
        print_json(told)
    elif address is not None:
        click.echo(f"Uploaded: {address}")


def _find_questions(store: Any, left_out: dict[str, str]) -> AddQuestions | None:
    """Returns what writes questions; None where inspect_ai is not installed.

    ``left_out`` is given tasks whose questions cannot be written, each with the reason.
    """
    try:
        from commonground.bench.inspect_tasks.questions_as_rows import write_questions
    except ModuleNotFoundError as error:
        if error.name != "inspect_ai":
            raise
        click.echo("Without inspect-ai, eval.yaml and the questions are left out.", err=True)
        return None

    def add(corpus: str, out: Path) -> dict[str, dict[str, int]]:
        def report(task: str, error: CommongroundError) -> None:
            left_out[f"{task} on {corpus}"] = error.message

        return write_questions(corpus, store, out, report)

    return add


def _print_report(report: Report, out: Path) -> None:
    from commonground.exports.publishing import FILL_IN, SHEET_NAME

    click.echo(f"{count_of(sum(report.corpora.values()), 'dialogue')} in {out}.")
    click.echo(report.describe_losses(out))
    if FILL_IN in (out / SHEET_NAME).read_text(encoding="utf-8"):
        click.echo(f"Complete {out / SHEET_NAME} where it says {FILL_IN.strip('*')}.")


def _confirm(upload: Upload, *, yes: bool) -> None:
    """Says what will be uploaded and where, and asks."""
    for name, size in upload.files.items():
        click.echo(f"  {size:>12,}  {name}", err=True)
    seen = "private" if upload.private else "public"
    size = sum(upload.files.values())
    what = f"{count_of(len(upload.files), 'file')} ({size:,} bytes) to {upload.address} ({seen})"
    click.echo(f"To upload: {what}", err=True)
    if not yes:
        ask("Upload", "An upload has to be confirmed.", "Scripts pass --yes.")
