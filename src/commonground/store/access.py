"""Import and simulation in a line of Python each, as on the command line."""

from __future__ import annotations

from pathlib import Path

from commonground.corpora import get_corpus
from commonground.store.corpus import Corpus
from commonground.store.importing import import_corpus
from commonground.store.manifest import default_store
from commonground.store.opening import load


def import_files(
    corpus: str,
    *paths: str | Path,
    images: str | Path | None = None,
    store: str | Path | None = None,
) -> Corpus:
    """Imports released files, unless they are there already, and opens the corpus.

    Args:
        corpus: name of the corpus.
        paths: files, folders or zip archives.
        images: folder of the images; null where none are at hand.
        store: folder of the store; null means ``$COMMONGROUND_STORE`` or
            ``./commonground-store``.

    Raises:
        UsageError: there is no such corpus.
        SourceError, FormatError: nothing could be imported.
        StoreError: the store cannot be written.

    Example:
        >>> import commonground as cg
        >>> cg.import_files("frames", "released")
        <Corpus frames: 20 dialogues, 327 events>
    """
    folder = Path(store) if store is not None else default_store()
    pictures = Path(images) if images is not None else None
    import_corpus(get_corpus(corpus), paths, store=folder, images=pictures)
    return load(corpus, folder)


def simulate(corpus: str, out: str | Path, *, dialogues: int = 20, seed: int = 1) -> Path:
    """Writes an invented corpus in the released formats and returns its folder.

    Args:
        corpus: name of the corpus.
        out: folder to write to; made if need be.
        dialogues: number of dialogues.
        seed: the same seed writes the same files.

    Raises:
        UsageError: there is no such corpus.

    Example:
        >>> import commonground as cg
        >>> folder = cg.simulate("photobook", "invented", dialogues=3)
        >>> cg.import_files("photobook", folder, store="invented-store")
        <Corpus photobook: 3 dialogues, ... events>
    """
    folder = Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    get_corpus(corpus).simulate(folder, dialogues=dialogues, seed=seed)
    return folder
