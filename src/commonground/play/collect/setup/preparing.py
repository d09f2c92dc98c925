"""Making a study: what is played with comes from files of one's own, or is invented."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from commonground.errors import FormatError, SourceError
from commonground.files.pictures import examine_picture
from commonground.files.work_folders import temporary_folder
from commonground.play.collect.exports.exporting import PICTURES, export_study
from commonground.play.collect.setup.plan import read_plan
from commonground.play.collect.setup.study import (
    SETTINGS,
    Study,
    create_study,
    locate_picture,
    open_study,
)
from commonground.play.scenario import MaterialSource
from commonground.play.scenarios import ScenarioEntry, get_scenario
from commonground.printing import count_of

INVENTED_FOR = 200
"""Sessions that invented material is for."""

_NAMED = 3
"""Pictures that a remark names."""


def prepare_study(
    folder: Path, scenario: str, *, material: Path | None, languages: Sequence[str]
) -> Study:
    """Makes the folder of a study, and its material.

    Args:
        folder: to make.
        scenario: what is to be played.
        material: folder of what is to be played with, as the scenario reads it, with its pictures;
            or another study of the corpus, whose dialogues are then worked on; None to invent it.
            Pictures that were invented, or shown in the other study, then lie in this one.
        languages: of the pages.

    Raises:
        UsageError: there is no such scenario, or the folder is there already.
        SourceError: the material cannot be read, the folder cannot be written, or the scenario
            has no room to play in.
        FormatError: the material is not as the scenario needs it.
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
        made = _prepare(folder, found, collected, languages, images=folder / PICTURES)
        if (collected / PICTURES).is_dir():
            shutil.copytree(collected / PICTURES, folder / PICTURES)
    return made


def _is_collected(material: Path, found: ScenarioEntry) -> bool:
    """Says whether a folder is a study whose dialogues another scenario of the corpus made."""
    if not (material / SETTINGS).is_file():
        return False
    other = get_scenario(open_study(material).settings.scenario)
    return other.name != found.name and other.corpus.name == found.corpus.name


def _prepare(
    folder: Path,
    found: ScenarioEntry,
    material: Path | None,
    languages: Sequence[str],
    images: Path | None = None,
) -> Study:
    rules, source, plan = found.rules, found.material_source(), read_plan(found.room)
    if material is not None and not material.is_dir():
        raise SourceError(f"{material} is not a folder.", source.title)
    seed = 1
    pieces = source.invent(INVENTED_FOR, seed) if material is None else source.read(material)
    for piece in pieces:
        rules.start(piece, 0)  # says which piece breaks the rules, and how
    made = create_study(
        folder,
        scenario=found.name,
        languages=languages,
        images=images or _find_images(folder, material, source),
        material=pieces,
        defaults=plan.study,
    )
    if material is None:
        source.write_beside(pieces, folder, seed)
    return made


def _find_images(folder: Path, material: Path | None, source: MaterialSource) -> Path | None:
    if material is None:
        return folder / "images"
    return source.find_pictures(material)


def describe_material(study: Study) -> Sequence[str]:
    """Returns what a researcher should know of a study's material, a sentence each."""
    remarks = get_scenario(study.settings.scenario).material_source().remarks
    found = [] if remarks is None else list(remarks(study.stock.pieces))
    return found + _describe_pictures(study)


def _describe_pictures(study: Study) -> list[str]:
    if study.images is None:
        return []
    names = sorted(study.stock.pictures)
    paths = {name: locate_picture(study.images, name) for name in names}
    faults = {name: examine_picture(path).fault for name, path in paths.items() if path is not None}
    broken = [f"{name} is {fault}" for name, fault in faults.items() if fault]
    if not broken:
        return []
    more = f" and {len(broken) - _NAMED:,} more" if len(broken) > _NAMED else ""
    count = count_of(len(broken), "picture")
    return [f"{count} of {len(names):,} cannot be shown: {', '.join(broken[:_NAMED])}{more}."]
