"""Released dialogues of a corpus taken apart and played again by the rules of its scenario."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec

from commonground.corpora import get_corpus
from commonground.play.scenario import Replay
from commonground.store.identify import identify_documents


class Comparer(msgspec.Struct, frozen=True):
    """What plays the records of a file again, and why what comes out may differ, by code."""

    reasons: dict[str, str]
    replay: Callable[[str, bytes], Replay]


def replay_folder(replayer: Comparer, corpus: str, folder: Path) -> Replay:
    """Plays all dialogues in a folder, or a file, again."""
    identified = identify_documents(get_corpus(corpus), [folder])
    assert identified.findings == []
    replay = Replay()
    for document, fmt in identified.known:
        if fmt.role == "main":
            replay += replayer.replay(document.name, document.read())
    return replay
