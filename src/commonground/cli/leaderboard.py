"""``commonground leaderboard``: writes a page of results that were scored again from logs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from commonground.cli._options import (
    Form,
    force_option,
    form_options,
    number_cell,
    plain,
    print_data,
    print_rich,
    print_table,
    store_option,
    store_path,
    working,
)

if TYPE_CHECKING:
    from commonground.bench.evaluation.leaderboard import Board, Entry, Leaderboard
    from commonground.bench.evaluation.scoring import Evaluation
    from commonground.bench.inspect_tasks.logs.standings import Collected

SECTION = "score"


@click.command(short_help="Write a leaderboard of models, scored again from their logs.")
@click.argument("logs", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.argument("out", type=click.Path(path_type=Path, file_okay=False))
@click.option(
    "--dataset",
    default="OWNER/NAME",
    show_default=True,
    help="Data set on the Hugging Face Hub that .eval_results names.",
)
@click.option("--no-replies", is_flag=True, help="Leave out the pages of replies.")
@force_option
@store_option
@form_options
def command(
    logs: tuple[Path, ...],
    out: Path,
    dataset: str,
    no_replies: bool,
    force: bool,
    store: Path | None,
    form: Form,
) -> None:
    """Write a leaderboard from LOGS of inspect_ai, files or folders, into the folder OUT.

    Only the replies of a log are trusted: its questions are compared with those of the store, and
    each reply is scored again. A log whose questions, replies or data differ is refused, with the
    reason; the exit code is then 1. Where the log's own numbers differ from ours, the page says so.
    The folder also has leaderboard.json, the replies as pages of the explorer, and eval.yaml and
    .eval_results for the Hugging Face Hub.

    \b
    Example:
      commonground leaderboard logs leaderboard
      commonground leaderboard logs/*.eval leaderboard --no-replies
    """
    from commonground.bench.evaluation.reporting import list_logs
    from commonground.extras import needing
    from commonground.files.outputs import new_folder, refuse_file_name

    refuse_file_name(out)
    paths = [log for path in logs for log in (list_logs(path) if path.is_dir() else [path])]
    with needing("inspect", f"{paths[0]} is a log of inspect_ai"):
        from commonground.bench.inspect_tasks.logs.standings import collect_logs
    with working("Scoring logs again"):
        found = collect_logs(paths, None if store is None else str(store))
    if not found.scored:
        raise found.errors[0]
    kept = {"the store": store_path(store), **{f"the log {each}": each for each in paths}}
    with new_folder(out, "leaderboard", kept=kept, force=force) as folder:
        if not no_replies:
            found = _write_replies(found, folder, store)
        leaderboard = found.as_leaderboard()
        _write_files(leaderboard, folder, dataset)
    if not print_data(form, leaderboard, COLUMNS, list_rows(leaderboard)):
        _print_leaderboard(leaderboard)
        click.echo(f"Open {out / 'index.html'}")
    refuse(found)


def refuse(found: Collected) -> None:
    """Says which logs were refused; then the command has failed, though all else is done."""
    for error in found.errors:
        click.echo(f"Refused: {error}", err=True)
    if found.errors:
        click.get_current_context().exit(1)


def _print_leaderboard(leaderboard: Leaderboard) -> None:
    """Prints the boards, a table of each."""
    for board in leaderboard.boards:
        better = "higher" if board.higher_is_better else "lower"
        of = "" if board.of is None else f" of {board.of:,}"
        about = f"{board.n:,}{of} questions ({board.questions}), {better} is better"
        print_rich(plain(f"{board.task}, {board.part}", "bold") + plain(f" {about}"))
        rows = []
        for each in board.standings:
            read = "–" if each.n_read is None else f"{each.n_read:,}"
            rows.append((each.system, number_cell(each.number), f"{each.n:,}{of}", read, each.log))
        numbers = (board.number, "n", "read")
        print_table(("system", *numbers, "log"), rows, numbers)
        print_notes(board)


_NAMES = ("task", "corpus", "part", "number", "system", "kind")
COLUMNS = (*_NAMES, "value", "low", "high", "n", "of", "n_read", "questions", "log", "overlap")
"""Columns of a leaderboard as CSV."""


def list_rows(leaderboard: Leaderboard) -> Iterator[tuple[Any, ...]]:
    """Lists the numbers of all boards as CSV has them."""
    from commonground.store.shared import describe_overlaps

    for board in leaderboard.boards:
        for each in board.standings:
            value = each.number
            names = (board.task, board.corpus, board.part, board.number, each.system, each.kind)
            numbers = (value.value, value.low, value.high, each.n, board.of, each.n_read)
            overlap = describe_overlaps(board.overlap)
            yield (*names, *numbers, board.questions, each.log, overlap)


def print_notes(board: Board) -> None:
    """Prints how the split of a board leaks, and which logs say other numbers of themselves."""
    from commonground.store.shared import describe_overlaps

    if board.overlap:
        print_rich(plain(f"{board.task}, {board.part}: {describe_overlaps(board.overlap)}"))
    for each in board.standings:
        if each.differs:
            print_rich(plain(f"{each.log} says otherwise: {'; '.join(each.differs)}."))


def _write_files(leaderboard: Leaderboard, staged: Path, dataset: str) -> None:
    import msgspec

    from commonground.bench.evaluation.leaderboard import render_leaderboard
    from commonground.bench.inspect_tasks.logs.standings import (
        write_eval_results,
        write_eval_yaml,
    )

    data = msgspec.json.format(msgspec.json.encode(leaderboard), indent=2)
    (staged / "leaderboard.json").write_bytes(data + b"\n")
    (staged / "index.html").write_text(render_leaderboard(leaderboard), encoding="utf-8")
    boards = leaderboard.boards
    (staged / "eval.yaml").write_text(write_eval_yaml(boards), encoding="utf-8")
    (staged / ".eval_results").mkdir()
    for name, text in write_eval_results(boards, dataset).items():
        (staged / ".eval_results" / name).write_text(text, encoding="utf-8")


def _write_replies(found: Collected, folder: Path, store: Path | None) -> Collected:
    """Writes what was said as pages of the explorer, and puts their addresses on the lines."""
    import msgspec

    names = _name_replies([each.entry for each in found.scored])
    scored = []
    with working("Writing the replies"):
        for each, name in zip(found.scored, names, strict=True):
            _write_pages(each.entry, each.evaluation, folder / "replies" / name, store)
            entry = msgspec.structs.replace(each.entry, replies=f"replies/{name}/results.html")
            scored.append(msgspec.structs.replace(each, entry=entry))
    return msgspec.structs.replace(found, scored=scored)


def _name_replies(entries: Sequence[Entry]) -> list[str]:
    """Names a folder for each result: by its log, and by number where a log has several parts."""
    stems = [Path(each.log).stem for each in entries]
    return [
        stem if stems.count(stem) == 1 else f"{stem}-{number}"
        for number, stem in enumerate(stems, 1)
    ]


def _write_pages(entry: Entry, evaluation: Evaluation, out: Path, store: Path | None) -> None:
    """Writes the explorer's pages of what was said, and of the dialogues that it is about."""
    from commonground.bench.evaluation.instances import write_scored
    from commonground.bench.evaluation.tasks import get_task
    from commonground.explorer.corpora import OpenCorpora
    from commonground.explorer.static_site.writing import write_site
    from commonground.files.work_folders import temporary_folder
    from commonground.store.opening import open_store
    from commonground.task import Gold

    opened = open_store(store)
    corpus = entry.result.asked.corpus if entry.result.asked else ""
    ids = dict.fromkeys(each.dialogue_id for each in evaluation.instances)
    out.parent.mkdir(exist_ok=True)
    with temporary_folder() as work:
        file = work / f"{Path(entry.log).stem}.parquet"
        gold = Gold(corpus=opened.corpus(corpus))
        write_scored(evaluation.instances, file, task=get_task(entry.result.task), gold=gold)
        shown = OpenCorpora(opened, results=(file,), names=[corpus])
        query = f"id:{','.join(ids)}"
        write_site(shown, out, dialogues=query, pictures=False, twins=False, packed=True)
