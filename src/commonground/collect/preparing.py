"""Making a study: what is played with comes from files of one's own, or is invented."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from commonground.collect.plan import read_plan
from commonground.collect.study import Study, create_study
from commonground.corpora import get_scenario
from commonground.errors import SourceError
from commonground.scenario import MaterialSource

INVENTED_FOR = 200
"""Sessions that invented material is for."""


def prepare_study(
    folder: Path, scenario: str, *, material: Path | None, languages: Sequence[str]
) -> Study:
    """Makes the folder of a study, and its material.

    Args:
        folder: to make.
        scenario: what is to be played.
        material: folder of what is to be played with, as the scenario reads it, with its pictures;
            null to invent it, with pictures that then lie in the study.
        languages: of the pages.

    Raises:
        UsageError: there is no such scenario, or the folder is there already.
        SourceError: the material cannot be read, the folder cannot be written, or the scenario
            has no room to play in.
        FormatError: the material is not as the scenario needs it.
    """
    found = get_scenario(scenario)
    if not found.room.is_dir():
        raise SourceError(f"{found.name} has no room for people to play in.")
    rules, source, plan = found.rules, found.material_source(), read_plan(found.room)
    if material is not None and not material.is_dir():
        raise SourceError(f"{material} is no folder.", source.title)
    seed = 1
    pieces = source.invent(INVENTED_FOR, seed) if material is None else source.read(material)
    for piece in pieces:
        rules.start(piece, 0)  # says which piece breaks the rules, and how
    made = create_study(
        folder,
        scenario=scenario,
        languages=languages,
        images=_find_images(folder, material, source),
        material=pieces,
        defaults=plan.study,
    )
    if material is None:
        source.write(pieces, folder, seed)
    return made


def _find_images(folder: Path, material: Path | None, source: MaterialSource) -> Path | None:
    if material is None:
        return folder / "images"
    return material if source.pictures is None else source.pictures(material)


def describe_material(study: Study) -> Sequence[str]:
    """Returns what a researcher should know of a study's material, a sentence each."""
    remarks = get_scenario(study.settings.scenario).material_source().remarks
    return [] if remarks is None else remarks(study.stock.pieces)
