"""Invented corpora in the released formats: what a scenario makes when nobody plays it."""

from __future__ import annotations

import importlib
from inspect import signature
from pathlib import Path

from commonground.corpora import Entry, get_corpus
from commonground.files.outputs import new_files
from commonground.files.simulated import mark_simulated
from commonground.play.scenarios import find_folder
from commonground.store.planting import plant_faults


def simulate(
    corpus: str, out: str | Path, *, dialogues: int = 20, seed: int = 0, faults: int = 0
) -> Path:
    """Writes an invented corpus in the released formats and returns its folder.

    Args:
        corpus: name of the corpus.
        out: folder to write to; made if need be. Files of the same names are replaced when all
            are written.
        dialogues: number of dialogues.
        seed: the same seed writes the same files.
        faults: number of records to break, each in one way, for :func:`check` to find.

    Raises:
        UsageError: there is no such corpus, or it has fewer records than ``faults``.
        SourceError: the folder cannot be written.

    Example:
        >>> import commonground as cg
        >>> folder = cg.simulate("photobook", "invented", dialogues=3)
        >>> cg.import_files("photobook", folder, store="invented-store")
        <Corpus photobook: 3 dialogues, ... events>
    """
    folder = Path(out)
    entry = get_corpus(corpus)
    with new_files(folder) as beside:
        simulate_corpus(entry, beside, dialogues=dialogues, seed=seed)
        if faults:
            plant_faults(entry, beside, number=faults, seed=seed)
    return folder


def simulate_corpus(corpus: Entry, out: Path, *, dialogues: int, seed: int) -> None:
    """Writes an invented corpus in the released formats below ``out``, marked as such.

    The folder is made where it is not there; the same seed gives the same bytes.
    """
    folder, package = find_folder(corpus)
    simulator = (
        importlib.import_module(f"{package}.simulate")
        if (folder / "simulate.py").exists()
        else corpus.module("simulate")
    )
    # Only a folder that several corpora share has to ask which of them is meant.
    is_shared = "corpus" in signature(simulator.simulate).parameters
    which = {"corpus": corpus.name} if is_shared else {}
    out.mkdir(parents=True, exist_ok=True)
    simulator.simulate(out, dialogues=dialogues, seed=seed, **which)
    mark_simulated(out, corpus.name, corpus.manifest.title)
