"""The demo: small invented corpora and a store of them, to look around in."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from commonground.corpora import get_corpus
from commonground.errors import UsageError
from commonground.files.outputs import new_folder
from commonground.files.simulated import NAME
from commonground.play.simulating import simulate_corpus
from commonground.store.importing import import_corpus
from commonground.store.layout.manifest import load_manifest

CORPORA = ("photobook", "simmc", "taskmaster3", "frames", "mpchat")
STORE = "commonground-store"
"""Folder of the store: the default one for those who work in the folder of the demo."""


def write_demo(
    folder: Path,
    *,
    dialogues: int = 20,
    seed: int = 1,
    progress: Callable[[int, int, str], None] = lambda _done, _total, _what: None,
) -> Path:
    """Writes small invented corpora and imports them; goes on with a demo that was stopped.

    Args:
        folder: a new or empty folder, or an earlier demo, of which nothing is written again.
        dialogues: how many to invent for each corpus.
        seed: the same seed writes the same files.
        progress: called with the number of steps done, of all steps, and what comes next.

    Returns:
        the folder of the store.

    Raises:
        UsageError: something else is in the folder.
        SourceError, StoreError: it cannot be written.
    """
    _refuse_other_folder(folder)
    store = folder / STORE
    for number, name in enumerate(CORPORA):
        files = folder / name
        entry = get_corpus(name)
        if not (files / NAME).is_file():
            progress(2 * number, 2 * len(CORPORA), f"inventing {entry.manifest.title}")
            with new_folder(files, "corpus", replaces=False, kept={}) as staged:
                simulate_corpus(entry, staged, dialogues=dialogues, seed=seed)
        if load_manifest(store, name) is None:
            progress(2 * number + 1, 2 * len(CORPORA), f"importing {entry.manifest.title}")
            images = files / "images"
            import_corpus(
                entry, [files], store=store, images=images if images.is_dir() else None, jobs=1
            )
    return store


def _refuse_other_folder(folder: Path) -> None:
    """Refuses a folder of something else, whose store may hold corpora that are not invented."""
    if (folder / CORPORA[0] / NAME).is_file() or not folder.exists():
        return
    # What is hidden was left by a demo that was killed.
    if not folder.is_dir() or any(not each.name.startswith(".") for each in folder.iterdir()):
        raise UsageError(
            f"{folder} is neither empty nor a demo.", "Name a new folder: commonground demo FOLDER"
        )
