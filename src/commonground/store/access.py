"""Importing and checking in a line of Python each, as on the command line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from commonground.corpora import get_corpus
from commonground.engines import as_engine
from commonground.errors import FormatError
from commonground.files.formats import Columns
from commonground.files.work_folders import temporary_folder
from commonground.store.arrow import pa, pq
from commonground.store.corpus import Corpus
from commonground.store.findings import Checked, list_checked
from commonground.store.importing import check_files, import_corpus
from commonground.store.importing.own_splits import Request
from commonground.store.layout.manifest import default_store
from commonground.store.opening import load, open_store


def import_files(
    corpus: str,
    *paths: str | Path,
    images: str | Path | None = None,
    splits: str | Path | None = None,
    holdout: float | None = None,
    seed: int = 1,
    apart: str | None = None,
    columns: Mapping[str, str | Sequence[str]] | None = None,
    store: str | Path | None = None,
    replace: bool = False,
    engine: Any = None,
) -> Corpus:
    """Imports released files, unless they are there already, and opens the corpus.

    Args:
        corpus: name of the corpus.
        paths: files, folders or zip archives, or addresses such as ``s3://bucket/prefix``.
        images: folder of the images; None where none are at hand.
        splits: list of splits (CSV, TSV or JSON), the name of published splits such as
            ``themes-unseen``, or the released split file in another folder; None for the
            released splits among the files.
        holdout: share of the dialogues to hold out as ``test``, the others being ``train``; None
            for no hold-out.
        seed: decides which are held out.
        apart: what no dialogue held out has in common with the others, such as ``image``; None
            for nothing.
        columns: columns of tables, such as ``{"text": "message"}``, for the corpus ``chats``; of
            labels there may be several. None for those with common names.
        store: folder of the store, or its address such as ``s3://bucket/prefix``; None means
            ``$COMMONGROUND_STORE`` or ``./commonground-store``.
        replace: whether more than half of the dialogues that the store has of the corpus may go.
        engine: a ``distributed.Client`` of Dask whose workers share this machine's disks, or the
            object store that files and store are in; None for processes of this machine.

    Raises:
        UsageError: there is no such corpus, or there can be no such splits or columns.
        SourceError, FormatError: nothing could be imported.
        StoreError: the store cannot be written, or most of what it has would go.

    Example:
        >>> import commonground as cg
        >>> cg.import_files("frames", "released")
        <Corpus frames: 20 dialogues, 308 events>
    """
    folder = Path(store) if store is not None else default_store()
    pictures = Path(images) if images is not None else None
    import_corpus(
        get_corpus(corpus),
        paths,
        store=folder,
        images=pictures,
        splits=Request(
            splits=Path(splits) if splits is not None else None,
            holdout=holdout,
            seed=seed,
            apart=apart,
        ),
        columns=_list_columns(columns),
        replace=replace,
        engine=as_engine(engine),
    )
    return load(corpus, folder)


def from_pandas(
    frame: Any,
    *,
    columns: Mapping[str, str | Sequence[str]] | None = None,
    images: str | Path | None = None,
    holdout: float | None = None,
    seed: int = 1,
    store: str | Path | None = None,
    replace: bool = False,
) -> Corpus:
    """Imports a dataframe with a row for each message as the corpus ``chats``, and opens it.

    Args:
        frame: of pandas, with columns for dialogue, speaker and text, and whatever else there is.
        columns: which column is what, such as ``{"text": "message"}``; None for those with common
            names.
        images: folder of the pictures; None where none are at hand.
        holdout: share of the dialogues to hold out as ``test``, the others being ``train``; None
            for no hold-out.
        seed: decides which are held out.
        store: folder of the store; None means ``$COMMONGROUND_STORE`` or
            ``./commonground-store``.
        replace: whether more than half of the dialogues that the store has of ``chats`` may go.

    Raises:
        UsageError: a column is named for what there is not.
        FormatError: a column is missing, or has values of several types.
        StoreError: the store cannot be written, or most of what it has would go.

    Example:
        >>> import commonground as cg, pandas as pd
        >>> rows = [("a", "ann", "hi"), ("a", "ben", "hello")]
        >>> cg.from_pandas(pd.DataFrame(rows, columns=["chat", "who", "text"]), store="mine")
        <Corpus chats: 1 dialogue, 2 events>
    """
    with temporary_folder() as folder:
        try:
            table = pa.Table.from_pandas(frame.rename(columns=str), preserve_index=False)
            pq.write_table(table, folder / "frame.parquet")
        except pa.ArrowException as error:
            raise FormatError(
                f"The dataframe cannot be read: {error}.", "Give each column values of one type."
            ) from error
        return import_files(
            "chats",
            folder / "frame.parquet",
            columns=columns,
            images=images,
            holdout=holdout,
            seed=seed,
            store=store,
            replace=replace,
        )


def _list_columns(columns: Mapping[str, str | Sequence[str]] | None) -> Columns:
    """Lists the columns that a caller named, each after its field."""
    return tuple(
        (field, column)
        for field, named in (columns or {}).items()
        for column in ([named] if isinstance(named, str) else named)
    )


def check(
    corpus: str,
    *paths: str | Path,
    columns: Mapping[str, str | Sequence[str]] | None = None,
    store: str | Path | None = None,
    engine: Any = None,
) -> Checked:
    """Finds every fault of released files, or of what was imported.

    Args:
        corpus: name of the corpus.
        paths: files, folders or zip archives, or addresses such as ``s3://bucket/prefix``, which
            are read and not stored; none for the imported corpus.
        columns: columns of tables, as :func:`import_files` takes them.
        store: folder of the store, where no files are named; None for the usual one.
        engine: a ``distributed.Client`` of Dask that reads the files; None for processes of this
            machine.

    Raises:
        UsageError: there is no such corpus.
        SourceError, FormatError: the files hold nothing of it.
        StoreError: no files are named, and the corpus was not imported.

    Example:
        >>> import commonground as cg
        >>> cg.check("frames", "released").errors
        0
    """
    entry = get_corpus(corpus)
    if not paths:
        return list_checked(corpus, load(corpus, store).database)
    with temporary_folder() as folder:
        check_files(
            entry,
            paths,
            folder=folder,
            columns=_list_columns(columns),
            engine=as_engine(engine),
        )
        return list_checked(corpus, open_store(folder).database)
