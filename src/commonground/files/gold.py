"""The released records that right answers are made of, of an import or of released files.

Files are read as the import reads them: the same names, the same division into records, the same
ids of dialogues. Which of the two it is, is decided here; tasks see records.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from commonground.errors import TaskError, unknown_name
from commonground.files.dividing import RawRecord, recognise_document
from commonground.files.documents import divide_whole
from commonground.files.formats import FileFormat, OddLine, identify_document
from commonground.files.sources import Document, list_documents
from commonground.task import Gold, Tally

LEFT_OUT = "they are left out."


class NativeRecord(msgspec.Struct, frozen=True):
    """A released record as it stands in its file.

    Attributes:
        dialogue_id: empty where it belongs to none.
        split: split of that dialogue; None where nothing says.
    """

    document: str
    format: str
    raw: RawRecord
    dialogue_id: str = ""
    split: str | None = None


class GoldRecord(NativeRecord, frozen=True, kw_only=True):
    """A released record that right answers are made of.

    ``record`` is of its format's type; what stands around records is a dictionary.
    """

    record: Any


def read_gold(
    gold: Gold,
    formats: Sequence[FileFormat],
    wanted: Collection[str],
    faults: Tally,
    *,
    whole: bool = False,
) -> Iterator[GoldRecord]:
    """Yields the records of a gold source in the order of the files, of all splits.

    Args:
        formats: those that files of the corpus may be of, with the types that are wanted: a task
            may do with less than the corpus declares.
        wanted: names of the formats wanted.
        faults: counts what cannot be read, which is left out.
        whole: whether records of dialogues that are not to be kept are wanted, too.

    Raises:
        TaskError: there is no gold source.
        SourceError: a file cannot be read.
    """
    chosen = {fmt.name: fmt for fmt in formats if fmt.name in wanted}
    decoders = {name: msgspec.json.Decoder(fmt.record) for name, fmt in chosen.items()}
    if gold.files:
        found = _read_files(gold.files, formats, wanted, faults)
    elif gold.corpus is not None:
        corpus = gold.corpus.whole if whole else gold.corpus
        found = corpus.native_records(formats, wanted)
    else:
        advice = "Name the released files, or import the corpus."
        raise TaskError("There is nothing to score against.", advice)
    taken: set[str] = set()
    for native in found:
        fmt, name = chosen[native.format], native.dialogue_id
        try:
            records = list(_decode(native.raw, fmt, decoders[fmt.name]))
            if gold.files and records:
                name = _name_dialogue(records[0], native, fmt, taken)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            place = f"{native.document} {native.raw.path}"
            faults.add("unreadable records", f"{place}: {error}", LEFT_OUT, skipped=1)
            continue
        for record in records:
            yield GoldRecord(
                native.document, fmt.name, native.raw, name, native.split, record=record
            )


def _name_dialogue(record: Any, native: NativeRecord, fmt: FileFormat, taken: set[str]) -> str:
    """Returns the id that an import gives the dialogue of a record; empty where it is of none."""
    if fmt.dialogue_id is None or native.raw.is_envelope:
        return ""
    wanted = fmt.dialogue_id(record, native.document) or ""
    if fmt.role != "main":
        return wanted
    name, count = wanted, 2
    while name in taken:
        name, count = f"{wanted}~{count}", count + 1
    taken.add(name)
    return name


def read_dialogues(
    gold: Gold,
    formats: Sequence[FileFormat],
    wanted: Collection[str],
    faults: Tally,
    find_split: Callable[[Any], str | None] | None = None,
) -> Iterator[GoldRecord]:
    """Yields the records that are dialogues: those of the split, and of the dialogues to keep.

    Args:
        formats, wanted, faults: as :func:`read_gold` takes them.
        find_split: gives the split of a record where the files do not say it in their form; None
            where they do.

    Raises:
        TaskError: there are none, or nothing says which are of the split.
        UsageError: there is no such split.
        SourceError: a file cannot be read.
    """
    splits: dict[str | None, None] = {}
    for each in read_gold(gold, formats, wanted, faults):
        if not each.dialogue_id:
            continue
        if each.split is None and find_split is not None:
            each = msgspec.structs.replace(each, split=find_split(each.record))
        splits[each.split] = None
        if gold.split in (None, each.split) and gold.keeps(each.dialogue_id):
            yield each
    if not splits:
        raise find_nothing(gold, [fmt for fmt in formats if fmt.name in wanted], faults)
    check_split(gold, splits)


def find_nothing(gold: Gold, formats: Iterable[FileFormat], faults: Tally) -> TaskError:
    """Makes the error for a gold source without right answers; files of ``formats`` have some."""
    expected = ", ".join(f"{fmt.title} ({fmt.pattern})" for fmt in formats)
    split = "" if gold.split is None else f" for split {gold.split!r}"
    return TaskError(
        f"There are no right answers in {describe_gold(gold)}{split}: found {faults.describe()}.",
        f"Name files of {expected}, or import the corpus.",
    )


def check_split(gold: Gold, splits: Collection[str | None]) -> None:
    """Refuses a split that is not among those of the right answers.

    Args:
        splits: those that were found; None stands for what is of none.

    Raises:
        TaskError: nothing says what is of which split.
        UsageError: there is no such split.
    """
    if gold.split is None or gold.split in splits:
        return
    known = [each for each in splits if each is not None]
    if not known:
        raise TaskError(
            f"{describe_gold(gold)} does not say which dialogues are in split {gold.split!r}.",
            "Name the file that says it, too, or import the corpus with it.",
        )
    raise unknown_name("split", gold.split, known)


def describe_gold(gold: Gold) -> str:
    """Names a gold source for messages: its files, or the import."""
    return ", ".join(str(path) for path in gold.files) or "the import"


def _decode(raw: RawRecord, fmt: FileFormat, decoder: msgspec.json.Decoder[Any]) -> Iterator[Any]:
    """Decodes a record; a run of lines may hold several or, where they say nothing, none."""
    if fmt.parse_text is not None:
        # An import keeps lines without their ends, without which an empty one is none.
        for each in fmt.parse_text(raw.data.decode() + "\n"):
            if not isinstance(each.record, OddLine):
                yield each.record
    elif not raw.is_envelope:
        yield decoder.decode(raw.data)
    elif fmt.layout == "envelope":
        yield msgspec.json.decode(raw.data, type=dict[str, Any])


def _read_files(
    paths: Sequence[Path], formats: Sequence[FileFormat], wanted: Collection[str], faults: Tally
) -> Iterator[NativeRecord]:
    for document, fmt in _find_documents(paths, formats, wanted):
        division = divide_whole(document, document.read(), fmt)
        for finding in division.findings:
            if finding.severity == "error":
                message = f"{document.name}: {finding.message}"
                faults.add("unreadable records", message, LEFT_OUT, skipped=1)
        for raw in division.records:
            yield NativeRecord(document.name, fmt.name, raw, split=raw.split)


def _find_documents(
    paths: Sequence[Path], formats: Sequence[FileFormat], wanted: Collection[str]
) -> list[tuple[Document, FileFormat]]:
    """Lists the files of the formats wanted, in order of name.

    A file that has no name of the corpus is known by what it holds where it was named itself, or
    no other file is of these formats.
    """
    documents = list_documents(paths).documents
    known = [(each, identify_document(each, formats)) for each in documents]
    found = [(each, fmt) for each, fmt in known if fmt is not None and fmt.name in wanted]
    named = {str(path) for path in paths}
    chosen = [fmt for fmt in formats if fmt.name in wanted]
    others = [each for each, fmt in known if fmt is None]
    for each in others:
        if each.path in named or (not found and each.base.endswith(".json")):
            fmt = recognise_document(each.read(), chosen)
            if fmt is not None:
                found.append((each, fmt))
    # A folder may hold a file both plain and in the archive that it came in; the plain one counts.
    plain = {(each.base, fmt.name) for each, fmt in found if each.entry is None}
    kept = [
        (each, fmt)
        for each, fmt in found
        if each.entry is None or (each.base, fmt.name) not in plain
    ]
    return sorted(kept, key=lambda pair: pair[0].name)
