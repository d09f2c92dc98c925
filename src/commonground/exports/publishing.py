"""A repository for the Hugging Face Hub: what may be published, under which licence, and its files.

The files are those of the export ``hf``, with a Croissant description, a data sheet and the
questions of the benchmark tasks. What the terms of a corpus bar is never written.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from commonground.corpora import find_corpus
from commonground.errors import UsageError
from commonground.exports.files import render_text, write_json
from commonground.exports.format import Export, get_export
from commonground.exports.formats.croissant import NAME as CROISSANT_NAME
from commonground.exports.formats.croissant import describe_repository
from commonground.exports.formats.hf.export import LICENCE_URLS, Additions
from commonground.exports.formats.hf.export import write as write_hf
from commonground.exports.loss import Loss
from commonground.exports.run import Report, run_export
from commonground.exports.selection import Selection
from commonground.exports.terms import TERMS_NAME
from commonground.files.listings import hash_file
from commonground.printing import count_of

SHEET_NAME = "datasheet.md"
"""Name of the data sheet, in an export of a study and in a repository."""

FILL_IN = "*to be filled in*"
"""Stands in a data sheet where only people know."""

_SHEET_BEGINS = "# Data sheet: "

LICENCES = tuple(LICENCE_URLS)
"""Licences that can be given to one's own data."""

AddQuestions = Callable[[str, Path], Mapping[str, Mapping[str, int]]]
"""Writes the questions about a corpus into a repository, and returns rows by task and split."""


def publish(
    selection: Selection,
    out: Path,
    *,
    licence: str = "",
    collected: Path | None = None,
    images: bool = True,
    add_questions: AddQuestions | None = None,
    force: bool = False,
) -> Report:
    """Writes the repository.

    Args:
        out: is there whole when this returns, and untouched if it raises.
        licence: of dialogues that are one's own or were simulated; empty for released ones.
        collected: the export of the study in which they were collected; None for others.
        images: whether pictures are embedded.
        force: write into a folder of something else, and replace files of the same names.

    Raises:
        UsageError: the terms bar it, the licence is missing or is not one's own to choose, or
            ``out`` cannot be replaced.
        SourceError: ``out`` or the export of the study cannot be read or written.
    """
    sheet = None if collected is None else check_collected(selection, collected)
    whole = choose_licence(selection, licence, is_own=collected is not None)
    for name in selection.corpora:
        if sheet is not None or selection.store.manifests[name].simulated:
            selection.manifests[name] = msgspec.structs.replace(
                selection.manifests[name],
                licence=whole,
                terms=f"As {whole} says.",
                redistribution="allowed",
            )

    def write(selection: Selection, folder: Path, **options: Any) -> Loss:
        configs: dict[str, Mapping[str, int]] = {}
        for name in selection.corpora if add_questions and selection.is_whole else ():
            configs |= add_questions(name, folder) if add_questions else {}
        additions = Additions(licence=whole, configs=configs, text=_write_card_end(configs))
        loss = write_hf(selection, folder, additions=additions, **options)
        write_json(folder / CROISSANT_NAME, describe_repository(selection, folder, whole))
        text = write_sheet(selection, whole) if sheet is None else sheet
        (folder / SHEET_NAME).write_text(text, encoding="utf-8")
        return loss

    export: Export = msgspec.structs.replace(get_export("hf"), write=write)
    options = {"images": "embed" if images else "none"}
    return run_export(export, selection, out, options, force=force)


def choose_licence(selection: Selection, given: str = "", *, is_own: bool = False) -> str:
    """Returns the licence of the whole: of several corpora, the strictest.

    Args:
        given: the licence that the user chose; empty for none.
        is_own: whether the dialogues were collected by the user.

    Raises:
        UsageError: terms bar it, no licence allows it, or the user may not choose, or has to.
    """
    free = [n for n in selection.corpora if is_own or selection.store.manifests[n].simulated]
    if free and not given:
        raise UsageError(
            "These dialogues have no licence yet.", f"Choose one: --licence '{LICENCES[1]}'"
        )
    stated: list[str] = [given] if free else []
    for name in selection.corpora:
        if name in free:
            continue
        about = selection.manifests[name]
        if about.redistribution == "barred":
            raise UsageError(f"The terms of {about.title} bar redistribution: {about.terms}")
        if about.redistribution != "allowed" or about.licence not in LICENCE_URLS:
            raise UsageError(
                f"{about.title} has no licence that allows redistribution: {about.terms}",
                "Ask the authors.",
            )
        stated.append(about.licence)
    if given and not free and given not in stated:
        raise UsageError(
            f"The licence of released dialogues is the authors' to choose: {stated[0]}.",
            "Leave --licence out.",
        )
    return find_strictest(stated)


def find_strictest(licences: Sequence[str]) -> str:
    """Returns the Creative Commons licence under which works of several can be passed on.

    Raises:
        UsageError: two want the whole under themselves, and they differ.
    """
    same = {each for each in licences if "SA" in each}
    # As in "CC BY-SA 4.0"; CC0 demands nothing.
    stated = (each.split()[1] for each in licences if not each.startswith("CC0"))
    demands = {word for each in stated for word in each.split("-")}
    if not demands:
        return licences[0]
    order = [word for word in ("BY", "NC", "SA") if word in demands]
    strictest = f"CC {'-'.join(order)} 4.0"
    if same - {strictest}:
        named = " and ".join(sorted({*licences}))
        raise UsageError(
            f"No licence suits all of these dialogues: {named}.", "Publish them one by one."
        )
    return strictest


def check_collected(selection: Selection, folder: Path) -> str:
    """Checks that the dialogues were imported from the export of a study; returns its data sheet.

    Raises:
        UsageError: it is no such export, or a file of the import is not in it.
    """
    advice = "Name what `commonground collect export` wrote and you imported."
    try:
        sheet = (folder / SHEET_NAME).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        sheet = ""
    if not sheet.startswith(_SHEET_BEGINS):
        raise UsageError(f"{folder} is not an export of a study: it has no {SHEET_NAME}.", advice)
    there = {hash_file(path) for path in folder.rglob("*") if path.is_file()}
    for name in selection.corpora:
        released = {each.sha256 for each in find_corpus(name).manifest.sources}
        for source in selection.store.sources(name):
            if source.format and (source.sha256 not in there or source.sha256 in released):
                raise UsageError(f"{source.name} of {name} was not collected in {folder}.", advice)
    return sheet


def _write_card_end(configs: Mapping[str, object]) -> str:
    lines = [
        f"\n`{CROISSANT_NAME}` describes the files in Croissant 1.1, `{SHEET_NAME}` is the data "
        f"sheet, and `{TERMS_NAME}` has licence, terms and citation of each corpus.\n"
    ]
    if configs:
        names = ", ".join(f"`{name}`" for name in configs)
        lines.append(
            f"\n{names}: what a model is asked in each benchmark task, and the right answer; "
            "`eval.yaml` names them for the Hub.\n"
        )
    return "".join(lines)


def write_sheet(selection: Selection, licence: str) -> str:
    """Writes a data sheet, with the questions of Gebru et al. 2021."""
    counts = {
        name: count_of(len(selection.ids(name)), "dialogue")
        + ("; simulated" if selection.store.manifests[name].simulated else "")
        for name in selection.manifests
    }
    return render_text(
        "datasheet.md",
        begins=_SHEET_BEGINS,
        manifests=selection.manifests,
        counts=counts,
        fill_in=FILL_IN,
        licence=licence,
        address=LICENCE_URLS.get(licence),
    )
