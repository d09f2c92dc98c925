"""Released dialogues of a corpus taken apart and played again by the rules of its scenario."""

from __future__ import annotations

from pathlib import Path

from commonground.corpora import get_corpus
from commonground.play.scenario import Replay, Replayer
from commonground.store.identify import identify_documents


def replay_folder(replayer: Replayer, corpus: str, folder: Path) -> Replay:
    """Plays all dialogues in a folder, or a file, again."""
    identified = identify_documents(get_corpus(corpus), [folder])
    assert identified.findings == []
    replay = Replay()
    for document, fmt in identified.known:
        if fmt.role == "main":
            replay += replayer.replay(document.name, document.read())
    return replay
