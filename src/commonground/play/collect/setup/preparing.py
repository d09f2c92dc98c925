"""Making a study: what is played with comes from files of one's own, or is invented."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from commonground.errors import FormatError, SourceError
from commonground.files.work_folders import temporary_folder
from commonground.play.collect.exports.exporting import export_study
from commonground.play.collect.setup.pictures import describe_copies, read_hashes
from commonground.play.collect.setup.plan import read_plan
from commonground.play.collect.setup.study import SETTINGS, Study, create_study, open_study
from commonground.play.scenarios import ScenarioEntry, get_scenario

INVENTED_FOR = 200
"""Sessions that invented material is for."""


def prepare_study(
    folder: Path, scenario: str, *, material: Path | None, languages: Sequence[str]
) -> Study:
    """Makes the folder of a study, and its material.

    Args:
        material: folder of what is to be played with, as the scenario reads it, with its pictures;
            or another study of the corpus, whose dialogues are then worked on; None to invent it.
            Its pictures are copied.

    Raises:
        UsageError: there is no such scenario, or the folder is there already.
        SourceError: the material cannot be read, the folder cannot be written, or the scenario
            has no room to play in.
        FormatError: the material is not as the scenario needs it, or a picture cannot be played
            with.
    """
    found = get_scenario(scenario)
    if not found.room.is_dir():
        raise SourceError(f"{found.name} has no pages that people can play on.")
    if material is None or not _is_collected(material, found):
        return _prepare(folder, found, material, languages)
    with temporary_folder() as held:
        collected = held / "export"
        if not export_study(open_study(material), collected, pictures=True).complete:
            raise FormatError(f"{material} has no complete session yet.", "Collect some first.")
        return _prepare(folder, found, collected, languages)


def _is_collected(material: Path, found: ScenarioEntry) -> bool:
    """Says whether a folder is a study whose dialogues another scenario of the corpus made."""
    if not (material / SETTINGS).is_file():
        return False
    other = get_scenario(open_study(material).settings.scenario)
    return other.name != found.name and other.corpus.name == found.corpus.name


def _prepare(
    folder: Path, found: ScenarioEntry, material: Path | None, languages: Sequence[str]
) -> Study:
    rules, source, plan = found.rules, found.material_source(), read_plan(found.room)
    if material is not None and not material.is_dir():
        raise SourceError(f"{material} is not a folder.", f"Expected: {source.title}")
    seed = 1
    pieces = source.invent(INVENTED_FOR, seed) if material is None else source.read(material)
    for piece in pieces:
        rules.start(piece, 0)  # says which piece breaks the rules, and how
    return create_study(
        folder,
        scenario=found.name,
        languages=languages,
        images=None if material is None else source.pictures(material),
        material=pieces,
        defaults=plan.study,
        write_beside=(lambda beside: source.write(pieces, beside, seed))
        if material is None
        else None,
    )


def describe_material(study: Study) -> Sequence[str]:
    """Returns what a researcher should know of a study's material, a sentence each."""
    source = get_scenario(study.settings.scenario).material_source()
    found = list(source.remarks(study.stock.pieces))
    return found + (describe_copies(read_hashes(study.folder) or {}) if source.distinct else [])
