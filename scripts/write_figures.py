"""Renews the numbers in ``docs/figures/`` from a store of the real corpora.

Usage: ``python -m scripts.write_figures [CORPUS ...]``; without names, those that are there and
whose corpus is in the store. Of others the store may hold a few dialogues only, so that they must
be named. ``scripts/write_docs.py`` makes the pages; ``make figures`` does both.
"""

from __future__ import annotations

import sys
from pathlib import Path

from scripts.figure_pages import gather_numbers, write_numbers

from commonground.corpora import get_corpus
from commonground.figures.figure_runs import ALL, choose_figures
from commonground.store.opening import Store, open_store

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "figures"


def write_corpus(store: Store, name: str) -> None:
    """Writes the numbers of one corpus, or of the comparison."""
    chosen = choose_figures(store, name)
    if not chosen.figures:
        return
    names = store.corpora() if name == ALL else [name]
    if any(store.manifests[each].simulated for each in names):
        sys.exit(f"{name} is simulated; these pages show released files only.")
    dialogues = sum(len(store.corpus(each)) for each in names)
    title = "all corpora compared" if name == ALL else get_corpus(name).manifest.title
    path = FOLDER / f"{name}.json"
    write_numbers(gather_numbers(name, title, dialogues, chosen.run()), path)
    sys.stdout.write(f"{path.name}: {len(chosen.figures)} figures\n")


def list_written(store: Store) -> list[str]:
    """Returns the names whose numbers are there and can be counted again."""
    there = {path.stem for path in FOLDER.glob("*.json")}
    return [name for name in [*store.corpora(), ALL] if name in there]


def main() -> None:
    """Writes the numbers of the corpora that are named, or renews those that are there."""
    store = open_store()
    for name in sys.argv[1:] or list_written(store):
        write_corpus(store, name)


if __name__ == "__main__":
    main()
