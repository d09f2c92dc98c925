"""Making a study: its material comes from a folder of pictures, or is invented."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from commonground.collect.study import Study, create_study
from commonground.corpora import get_scenario
from commonground.errors import SourceError

INVENTED_FOR = 200
"""Sessions that invented material is for; it has pictures for one set in eight of them."""


def prepare_study(
    folder: Path, scenario: str, *, images: Path | None, languages: Sequence[str]
) -> Study:
    """Makes the folder of a study, and its material.

    Args:
        folder: to make.
        scenario: corpus whose dialogues are to be made.
        images: folder of the pictures; null to invent some, which then lie in the study.
        languages: of the pages.

    Raises:
        UsageError: there is no such scenario, or the folder is there already.
        SourceError: the pictures cannot be read, or the folder cannot be written.
        FormatError: the pictures are not as the scenario needs them.
    """
    found = get_scenario(scenario)
    rules, source = found.rules, found.material_source()
    if images is not None and not images.is_dir():
        raise SourceError(f"{images} is no folder.", source.title)
    seed = 1
    material = source.invent(INVENTED_FOR, seed) if images is None else source.read(images)
    for piece in material:
        rules.start(piece, 0)  # says which piece breaks the rules, and how
    if images is None:
        images = folder / "images"
        made = create_study(
            folder, scenario=scenario, languages=languages, images=images, material=material
        )
        source.write(material, folder, seed)
        return made
    return create_study(
        folder, scenario=scenario, languages=languages, images=images, material=material
    )
