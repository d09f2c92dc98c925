from __future__ import annotations

from pathlib import Path

import commonground as cg
from commonground.corpora import Entry


def test_files_are_imported_and_opened(toy: Entry, tmp_path: Path) -> None:
    files = cg.simulate("toy", tmp_path / "new" / "files", dialogues=3)
    corpus = cg.import_files("toy", files, store=tmp_path / "store")
    assert len(corpus) == 3
    again = cg.import_files("toy", files, store=tmp_path / "store")
    assert again.manifest == corpus.manifest
