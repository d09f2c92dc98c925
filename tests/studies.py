"""Studies to be played or spoilt: each scenario's is prepared once, and copied."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from functools import cache
from pathlib import Path

from commonground.play.collect.setup.preparing import prepare_study
from commonground.play.collect.setup.study import Study, open_study


@cache
def _prepare(scenario: str, languages: tuple[str, ...]) -> Path:
    folder = Path(tempfile.mkdtemp(prefix="study-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    prepare_study(folder / "pilot", scenario, material=None, languages=languages)
    return folder / "pilot"


def copy_study(folder: Path, scenario: str = "photobook", *languages: str) -> Study:
    """Makes a study with invented material, as ``prepare_study`` does.

    Args:
        folder: of the study, which is not there yet.
        scenario: that is played.
        languages: of the pages; none for English.
    """
    shutil.copytree(_prepare(scenario, languages or ("en",)), folder)
    return open_study(folder)
