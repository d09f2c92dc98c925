"""What a corpus must offer so that its files can be imported; the store calls it.

A corpus folder's ``convert.py`` has these functions. Each takes its first argument, and of the
others those whose names it has: ``convert(record)`` will do where a record says it all.

``prepare(sides, mains, options) -> context`` (where side files or options say something)
    Gathers what the side files say. Called once, before any dialogue is converted. The context
    is any value that can be pickled; workers get it as it is.
``convert(record, where, context) -> Dialogue``
    Turns one native record into a dialogue. Pure. May raise :class:`ConversionError`.
``orphans(context) -> Iterator[Dialogue]`` (where side files can speak of absent dialogues)
    Gives the dialogues that only side files know of.
``shared_objects(context) -> Iterator[Object]`` (where side files describe objects)
    Gives the objects that belong to no single dialogue.
``entries(record, where) -> Iterator[FileEntry]`` (where files say more than dialogues hold)
    Gives the rows of the table ``entries`` for a record that is no dialogue: of a side or
    reference file, or what stands around the dialogues of a file. Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import msgspec

from commonground.files.formats import FileFormat
from commonground.files.sources import Document
from commonground.model import Dialogue, FileEntry, Object


class ConversionError(Exception):
    """A typed record contradicts itself.

    Attributes:
        path: JSON path below the record.
        expected: what should stand there.
        found: what stands there.
    """

    def __init__(self, path: str, expected: str, found: object) -> None:
        super().__init__(f"{path}: expected {expected}, found {found!r}")
        self.path = path
        self.expected = expected
        self.found = found


class Options(msgspec.Struct, frozen=True):
    """What the user said beside the paths.

    Attributes:
        corpus: name of the corpus (a folder may hold several).
        images: folder of the images; None where none was named.
    """

    corpus: str
    images: str | None = None


class SideRecord(msgspec.Struct, frozen=True):
    """A record of a side file, typed.

    Attributes:
        document: name of the file that it is in.
        format: name of that file's format.
        path: JSON path in it.
        record: what it says, of the format's type.
        split: the released list it was in, with layout ``splits``.
        key: its id, with layout ``map``.
        is_envelope: whether it is what stands around the records instead.
    """

    document: str
    format: str
    path: str
    record: Any
    split: str | None = None
    key: str | None = None
    is_envelope: bool = False


class Main(msgspec.Struct, frozen=True):
    """A file whose records become dialogues."""

    document: Document
    format: FileFormat


class Where(msgspec.Struct, frozen=True):
    """Where a native record stands.

    Attributes:
        document: name of its document.
        path: JSON path in it.
        format: name of its format.
        split: the released list it was in, with layout ``splits``.
        key: its id, with layout ``map``.
    """

    document: str
    path: str
    format: str
    split: str | None = None
    key: str | None = None


class Converter(msgspec.Struct, frozen=True):
    """The functions of a corpus's ``convert.py``, each of which can be given everything.

    Attributes:
        prepare: gathers what the side files say, before any dialogue is converted. Arguments: the
            typed records of all side files, in the order of the files; the files whose records
            become dialogues, for corpora whose context needs a look at them; what the user said
            beside the paths. Gives None where the corpus has no such function.
        convert: turns one typed record into a dialogue, without a look at anything but its
            arguments: the record, where it stands, and what ``prepare`` gave.
    """

    prepare: Callable[[Iterable[SideRecord], Iterable[Main], Options], Any]
    convert: Callable[[Any, Where, Any], Dialogue]


OrphanSource = Callable[[Any], Iterator[Dialogue]]
SharedObjectSource = Callable[[Any], Iterator[Object]]
EntrySource = Callable[[Any, Where], Iterator[FileEntry]]
