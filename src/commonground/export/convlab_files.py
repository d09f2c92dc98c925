"""What stands beside the data of a ConvLab data set: a README and two Python files."""

from __future__ import annotations

import msgspec

from commonground import __version__
from commonground.corpora import Manifest


class Summary(msgspec.Struct):
    """Dialogues and turns by split, and the released name of each split."""

    dialogues: dict[str, int] = {}
    turns: dict[str, int] = {}
    released: dict[str, str | None] = {}

    def add(self, split: str, released: str | None, turns: int) -> None:
        """Counts a dialogue."""
        self.dialogues[split] = self.dialogues.get(split, 0) + 1
        self.turns[split] = self.turns.get(split, 0) + turns
        self.released[split] = released


DATABASE = '''"""The objects of the corpus as a database."""

import json
import os
from zipfile import ZipFile

from convlab.util.unified_datasets_util import BaseDatabase


class Database(BaseDatabase):
    """Finds objects by their attributes."""

    def __init__(self):
        path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data.zip")
        with ZipFile(path) as archive:
            self.objects = json.loads(archive.read("data/database.json"))

    def query(self, domain, state, topk=None, **kwargs):
        """Returns objects that have every value of the domain's state, in the order of the file.

        A value matches in any case; several values of a slot are separated by "|".
        """
        wanted = {slot: value for slot, value in state.get(domain, {}).items() if value}
        found = [each for each in self.objects if all(_has(each, *w) for w in wanted.items())]
        return found if topk is None else found[:topk]


def _has(entity, slot, value):
    found = entity.get(slot)
    values = found if isinstance(found, list) else [found]
    allowed = {each.strip().lower() for each in value.split("|")}
    return any(str(each).strip().lower() in allowed for each in values)
'''


def render_preprocess(corpus: str) -> str:
    """Returns ``preprocess.py``, which makes the data set again from an imported corpus."""
    return f'''"""Makes data.zip and dummy_data.json again; the corpus must have been imported."""

import shutil
import subprocess
import tempfile
from pathlib import Path


def preprocess():
    """Runs the export of commonground and moves what it wrote here."""
    here = Path(__file__).resolve().parent
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out"
        command = ["commonground", "export", "convlab", str(out), "--corpus", "{corpus}"]
        subprocess.run(command, check=True)
        for path in (out / here.name).iterdir():
            if path.name != Path(__file__).name:
                shutil.copy(path, here / path.name)


if __name__ == "__main__":
    preprocess()
'''


def render_readme(manifest: Manifest, summary: Summary, *, has_database: bool) -> str:
    """Returns the data set card, with ConvLab's headings."""
    rows = "".join(
        f"| {split} | {released or 'in none'} | {summary.dialogues[split]} "
        f"| {summary.turns[split]} |\n"
        for split, released in summary.released.items()
    )
    database = "- the objects of the corpus as `database.json`, read by `database.py`\n"
    return (
        f"# Dataset Card for {manifest.title}\n\n"
        f"- **Repository:** {manifest.homepage}\n"
        f"- **Who transforms the dataset:** commonground {__version__}\n\n"
        f"### Dataset Summary\n\n{manifest.summary}\n\n"
        "- **How to get the transformed data from original data:**\n"
        f"  - `commonground import {manifest.name} FILES`, then `python preprocess.py`.\n"
        "- **Main changes of the transformation:**\n"
        "  - What one side says in a row is one turn, joined by a space; `events` has the "
        "utterances it was.\n"
        "  - `original_id` and `original_split` are the released ones; `loss.json` beside this "
        "folder counts what did not fit.\n"
        "  - `start` and `end` of a value in acts are found, not released: where it stands in its "
        "utterance just once, as words of its own, and only one slot has it.\n"
        "- **Annotations:** dialogue acts, states of the user's turns and results of the system's "
        "actions where the corpus has them; all slots are non-categorical, because no closed "
        "lists of values are released.\n"
        f"{database if has_database else ''}\n"
        "### Data Splits\n\n| split | released as | dialogues | turns |\n|---|---|---|---|\n"
        f"{rows}\nSplits: {manifest.splits_from}.\n\n"
        f"### Citation\n\n```\n{manifest.citation.strip()}\n```\n\n"
        f"### Licensing Information\n\n{manifest.licence}. {manifest.terms}\n"
    )
