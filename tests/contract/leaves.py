"""Whether each leaf of released records reaches a table: it is changed, and the tables must change.

A leaf is a text, number or boolean in a record, or a key of an object whose keys are data. Its
path has ``[]`` for any place in a list, ``{}`` for a key and ``*`` for the value under any. Null
and what is empty hold no value. A leaf of a text file is a word that stands as it is in a field of
the typed record; others are of the format itself.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from commonground.corpora import Entry
from commonground.files.dividing import RawRecord, decode_raw, divide_document
from commonground.files.formats import FileFormat
from commonground.files.reading import ConversionError, Main, Options, SideRecord, Where
from commonground.files.sources import Document
from commonground.model import Dialogue
from commonground.rows import Rows

LINES = 12
"""Lines of a text file whose words are changed."""
MARK = "Qx7Z"


Place = tuple[str | int, ...]
"""Keys from the root of a file's JSON down to a value."""


class Leaf(msgspec.Struct, frozen=True):
    """A value of a record.

    Attributes:
        path: see the module's docstring.
        place: where it stands in the record.
        value: the value, or the key itself.
        is_key: whether it is a key.
    """

    path: str
    place: Place
    value: Any
    is_key: bool = False


class Piece(msgspec.Struct, frozen=True):
    """A record of a JSON file: its place in it, and the place of what is around all records."""

    raw: RawRecord
    place: Place
    of: Any


def find_pieces(name: str, data: bytes, fmt: FileFormat) -> list[Piece]:
    """Divides a JSON file into its records."""
    pieces = []
    counts: Counter[str | None] = Counter()
    for raw in divide_document(name, data, fmt).records:
        number = counts[raw.split] if not raw.is_envelope else 0
        places: dict[str, Place] = {
            "document": (),
            "array": (number,),
            "envelope": () if raw.is_envelope else (fmt.items or "", number),
            "splits": (raw.split or "", number),
            "map": (raw.key or "",),
        }
        counts[raw.split] += not raw.is_envelope
        pieces.append(
            Piece(raw, places[fmt.layout], fmt.envelope if raw.is_envelope else fmt.record)
        )
    return pieces


def list_leaves(record: Any) -> Iterator[Leaf]:
    """Yields the leaves of a typed record."""
    waiting: list[tuple[Any, str, Place]] = [(record, "", ())]
    while waiting:
        value, path, place = waiting.pop()
        if isinstance(value, msgspec.Struct):
            waiting += [
                (getattr(value, name), f"{path}.{name}", (*place, name))
                for name in value.__struct_fields__
            ]
        elif isinstance(value, dict):
            for key, each in value.items():
                yield Leaf(f"{path}{{}}", (*place, key), key, is_key=True)
                waiting.append((each, f"{path}.*", (*place, key)))
        elif isinstance(value, list | tuple):
            for number, each in enumerate(value):
                waiting.append((each, f"{path}[]", (*place, number)))
        elif isinstance(value, bool | int | float) or (isinstance(value, str) and value):
            yield Leaf(path, place, value)


def change_value(value: Any, others: Sequence[Any]) -> Iterator[Any]:
    """Yields values to put in place of one: new ones first, then those that stand elsewhere."""
    if isinstance(value, bool):
        yield not value
        return
    if isinstance(value, int):
        yield from (7_340_017, value + 1, value - 1)
    elif isinstance(value, float):
        yield from (value + 0.25, value - 0.25)
    else:
        yield from (value + MARK, MARK + value)
        number = re.search(r"\d+", value)
        if number is not None:
            start, end = number.span()
            for new in (int(number[0]) + 1, int(number[0]) - 1):
                yield f"{value[:start]}{new:0{end - start}}{value[end:]}"
    yield from (each for each in others if each != value and type(each) is type(value))


def put(tree: Any, place: Place, leaf: Leaf, value: Any) -> Any:
    """Returns a tree with another value, or key, at a place; the tree itself stays."""
    if not place:
        return value
    key, *rest = place
    if isinstance(tree, list):
        return [put(v, tuple(rest), leaf, value) if i == key else v for i, v in enumerate(tree)]
    if leaf.is_key and not rest:
        return {value if k == key else k: v for k, v in tree.items()}
    return {k: put(v, tuple(rest), leaf, value) if k == key else v for k, v in tree.items()}


Output = Counter[bytes]
"""Rows of all tables, encoded."""


class RefusedError(Exception):
    """A changed record is none any more."""


class Tables:
    """A few files of a corpus on disk, and what becomes of them.

    Args:
        entry: the corpus.
        files: contents by name, with their formats.
        folder: where to write them.
        images: the image folder; null where there is none.
    """

    def __init__(
        self,
        entry: Entry,
        files: dict[str, tuple[FileFormat, bytes]],
        folder: Path,
        images: str | None,
    ) -> None:
        self.entry = entry
        self.files = files
        self._folder = folder
        self._options = Options(entry.name, images)
        self._known: dict[str, list[tuple[RawRecord, Any]]] = {}
        for name, (_fmt, data) in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        self.context = self._prepare({})
        self._said: dict[str, list[bytes]] = {}

    def _document(self, name: str) -> Document:
        path = self._folder / name
        return Document(name, str(path), None, path.stat().st_size)

    def _records(self, name: str, data: bytes, *, whole: bool) -> Iterator[tuple[RawRecord, Any]]:
        """Yields the records of a file; those with faults are refused where it must be whole."""
        fmt = self.files[name][0]
        division = divide_document(name, data, fmt)
        if division.findings and whole:
            raise RefusedError
        for raw in division.records:
            read = decode_raw(name, raw, fmt)
            if whole and read.findings:
                raise RefusedError
            if read.record is not None:
                yield raw, read.record

    def _read(self, name: str, changed: dict[str, bytes]) -> list[tuple[RawRecord, Any]]:
        """Returns the records of a file; those of unchanged files are kept."""
        if name in changed:
            return list(self._records(name, changed[name], whole=True))
        if name not in self._known:
            self._known[name] = list(self._records(name, self.files[name][1], whole=False))
        return self._known[name]

    def _prepare(self, changed: dict[str, bytes]) -> Any:
        sides = [
            SideRecord(name, fmt.name, raw.path, record, raw.split, raw.key, raw.is_envelope)
            for name, (fmt, _) in self.files.items()
            if fmt.role == "side"
            for raw, record in self._read(name, changed)
        ]
        mains = [
            Main(self._document(name), fmt)
            for name, (fmt, _) in self.files.items()
            if fmt.role == "main"
        ]
        return self.entry.converter().prepare(sides, mains, self._options)

    def convert(self, name: str, raw: RawRecord, context: Any) -> list[bytes]:
        """Returns the rows of a record's dialogue.

        Raises:
            RefusedError: it has faults.
        """
        read = decode_raw(name, raw, self.files[name][0])
        if read.findings or read.record is None:
            raise RefusedError
        return self._convert(name, raw, read.record, context)

    def _convert(self, name: str, raw: RawRecord, record: Any, context: Any) -> list[bytes]:
        fmt = self.files[name][0]
        where = Where(name, raw.path, fmt.name, raw.split, raw.key)
        try:
            made = self.entry.converter().convert(record, where, context)
        except ConversionError as error:
            raise RefusedError from error
        return encode_dialogue(made)

    def output(self, name: str | None = None, data: bytes = b"") -> Output:
        """Returns all rows, with the contents of one file in place of its own.

        Raises:
            RefusedError: it has faults.
        """
        changed = {} if name is None else {name: data}
        path = self._folder / (name or "")
        try:
            if name is not None:
                path.write_bytes(data)
            return Counter(self._rows(changed))
        finally:
            if name is not None:
                path.write_bytes(self.files[name][1])

    def _rows(self, changed: dict[str, bytes]) -> Iterator[bytes]:
        context = self._prepare(changed) if changed else self.context
        encode = msgspec.json.encode
        for name, (fmt, _) in self.files.items():
            if fmt.role == "main":
                for raw, record in self._read(name, changed):
                    if not raw.is_envelope:
                        yield from self._convert(name, raw, record, context)
            if name in changed:
                yield from self._entries(name, changed)
            else:
                if name not in self._said:
                    self._said[name] = list(self._entries(name, {}))
                yield from self._said[name]
        orphans, shared = self.entry.orphans(), self.entry.shared_objects()
        for dialogue in orphans(context) if orphans else ():
            yield from encode_dialogue(dialogue)
        yield from (encode(each) for each in shared(context)) if shared else ()

    def _entries(self, name: str, changed: dict[str, bytes]) -> Iterator[bytes]:
        tell, fmt = self.entry.entries(), self.files[name][0]
        if tell is None:
            return
        for raw, record in self._read(name, changed):
            if raw.is_envelope or fmt.role != "main":
                where = Where(name, raw.path, fmt.name, raw.split, raw.key)
                yield from map(msgspec.json.encode, tell(record, where))


def encode_dialogue(dialogue: Dialogue) -> list[bytes]:
    """Returns the rows of a dialogue, each with its table and the dialogue's id."""
    encode, rows = msgspec.json.Encoder().encode, []
    for name in dialogue.__struct_fields__:
        value = getattr(dialogue, name)
        if isinstance(value, list | Rows):
            numbers = range(len(value)) if name == "events" else [None] * len(value)
            key = (name, dialogue.dialogue_id)
            rows += [encode((*key, n, row)) for n, row in zip(numbers, value, strict=True)]
        else:
            rows.append(encode((name, dialogue.dialogue_id, value)))
    return rows


def is_kept(before: Output, after: Output) -> bool:
    """Says whether there is something new in the rows, and not merely something gone."""
    old, new = (_list_values(one - other) for one, other in ((before, after), (after, before)))
    return bool(new - old)


def _list_values(rows: Output) -> Counter[str]:
    """Returns the values in rows, each with where it stands but for places in lists."""
    leaves = (leaf for row in rows.elements() for leaf in list_leaves(json.loads(row)))
    return Counter(f"{leaf.path} {leaf.value!r}" for leaf in leaves)


Report = dict[str, bool]
"""By format and path, whether each leaf that was tried is in a table."""


def check_leaves(tables: Tables, most: int) -> Report:
    """Changes leaves of every path, one at a time.

    Args:
        tables: the files.
        most: leaves of a path of dialogues that are changed, in different records where there are;
            of other records it is one, since each costs all dialogues.
    """
    report: Report = {}
    before = tables.output()
    for name, (fmt, _) in tables.files.items():
        check = _check_file if fmt.is_json else _check_words
        for path, kept in check(tables, before, name, most if fmt.role == "main" else 1):
            report[f"{fmt.name} {path}"] = report.get(f"{fmt.name} {path}", True) and kept
    return report


def _check_file(tables: Tables, before: Output, name: str, most: int) -> Iterator[tuple[str, bool]]:
    fmt, data = tables.files[name]
    tree = json.loads(data)
    found: dict[str, list[tuple[Piece, Leaf]]] = {}
    others: dict[str, dict[Any, None]] = {}
    for piece in find_pieces(name, data, fmt):
        record = decode_raw(name, piece.raw, fmt).record
        if record is None:
            continue
        seen: set[str] = set()
        leaves = list(list_leaves(record))
        if fmt.layout == "map":
            leaves.append(Leaf("(key)", (), piece.raw.key, is_key=True))
        for leaf in leaves:
            others.setdefault(leaf.path, {})[leaf.value] = None
            tried = found.setdefault(leaf.path, [])
            if leaf.path not in seen and len(tried) < most:
                tried.append((piece, leaf))
                seen.add(leaf.path)
    for path, tried in found.items():
        for piece, leaf in tried:
            values = change_value(leaf.value, list(others[path])[:4])
            yield path, _is_told(tables, before, name, tree, piece, leaf, values)


def _is_told(
    tables: Tables,
    before: Output,
    name: str,
    tree: Any,
    piece: Piece,
    leaf: Leaf,
    values: Iterator[Any],
) -> bool:
    """Says whether the first change that leaves whole records is seen in the tables."""
    is_dialogue = tables.files[name][0].role == "main" and not piece.raw.is_envelope
    for value in values:
        try:
            if is_dialogue and _is_in_dialogue(tables, name, tree, piece, leaf, value):
                return True
            changed = put(tree, (*piece.place, *leaf.place), leaf, value)
            return is_kept(before, tables.output(name, json.dumps(changed).encode()))
        except RefusedError:
            continue
    # Nothing else may stand there, so it need only be somewhere, not as a word of a longer text.
    whole = f" {leaf.value!r}"
    return any(each.endswith(whole) for each in _list_values(before))


def _is_in_dialogue(
    tables: Tables, name: str, tree: Any, piece: Piece, leaf: Leaf, value: Any
) -> bool:
    """Says whether a change is seen in the rows of its own dialogue, read from a file of its own.

    Raises:
        RefusedError: the record is none any more.
    """
    alone, place = _single_out(tree, piece.place, tables.files[name][0])
    changed = put(alone, (*place, *leaf.place), leaf, value)
    one, other = (
        Counter(tables.convert(name, _find_record(tables, name, each), tables.context))
        for each in (alone, changed)
    )
    return is_kept(one, other)


def _single_out(tree: Any, place: Place, fmt: FileFormat) -> tuple[Any, Place]:
    """Returns a file's JSON with one record alone, and the place of that."""
    if fmt.layout == "document":
        return tree, place
    if fmt.layout == "array":
        return [tree[place[0]]], (0,)
    if fmt.layout == "map":
        return {place[0]: tree[place[0]]}, place
    around = tree if fmt.layout == "envelope" else {}
    return {**around, place[0]: [tree[place[0]][place[1]]]}, (place[0], 0)


def _find_record(tables: Tables, name: str, tree: Any) -> RawRecord:
    pieces = find_pieces(name, json.dumps(tree).encode(), tables.files[name][0])
    return next(each.raw for each in pieces if not each.raw.is_envelope)


def _check_words(
    tables: Tables, before: Output, name: str, most: int
) -> Iterator[tuple[str, bool]]:
    fmt, data = tables.files[name]
    lines = data.decode().split("\n")
    tried: Counter[str] = Counter()
    step = max(1, len(lines) // LINES)
    for number in range(0, len(lines), step):
        for word in re.finditer(r"[^\W_]+", lines[number]):
            for new in _change_word(word[0]):
                line = lines[number][: word.start()] + new + lines[number][word.end() :]
                # The first line may be one of column names.
                first = lines[: min(number, 1)]
                path = _find_change([*first, lines[number]], [*first, line], fmt, (word[0], new))
                if path is None:
                    continue
                tried[path] += 1
                if tried[path] <= most:
                    changed = "\n".join([*lines[:number], line, *lines[number + 1 :]]).encode()
                    yield path, is_kept(before, tables.output(name, changed))
                break


def _change_word(word: str) -> tuple[str, ...]:
    return (word + MARK,) if not word.isdecimal() else (str(int(word) + 70_000), word + MARK)


def _find_change(
    lines: list[str], changed: list[str], fmt: FileFormat, words: tuple[str, str]
) -> str | None:
    """Says in which fields of the typed records a changed word of a text file stands.

    Returns:
        Their paths; null where the word is of the format, so that another record came of it.
    """
    texts = ("\n".join(each).encode() for each in (lines, changed))
    one, other = (
        [msgspec.to_builtins(raw.record) for raw in divide_document("", text, fmt).records]
        for text in texts
    )
    if len(one) != len(other):
        return None
    old, new = words
    paths = set()
    for path, before, after in _compare(one, other, ""):
        if str(after).replace(new, old) != str(before):
            return None
        paths.add(path)
    return " ".join(sorted(paths - {"[].line"} or paths)).replace("[].", ".") or None


def _compare(one: Any, other: Any, path: str) -> Iterator[tuple[str, Any, Any]]:
    """Yields path and values of the differences between two trees."""
    if isinstance(one, dict) and isinstance(other, dict) and len(one) == len(other):
        for (key, value), (name, changed) in zip(one.items(), other.items(), strict=True):
            if key != name:
                yield f"{path}{{}}", key, name
            # Fields of a record have names of their own, keys that are data have none.
            below = f"{path}.{key}" if path in ("[]", "") or path.endswith("[]") else f"{path}.*"
            yield from _compare(value, changed, below)
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for value, changed in zip(one, other, strict=True):
            yield from _compare(value, changed, f"{path}[]")
    elif one != other:
        yield path, one, other


Files = dict[str, tuple[FileFormat, bytes]]

FEW, MOST = 2, 6
"""Records of a format that are taken in any case, and with those that have what others lack."""


class Sampler:
    """Chooses a few records of released files that go together, always the same.

    Args:
        known: the files.
        scanned: records of a file, and files of a format, that are looked at; null for all.
    """

    def __init__(self, known: Sequence[tuple[Document, FileFormat]], scanned: int | None) -> None:
        self._known = sorted(known, key=lambda pair: (pair[1].role != "main", pair[0].name))
        self._scanned = scanned
        self._paths: dict[str, set[str]] = {}
        self._taken: Counter[str] = Counter()
        self._ids: set[str] = set()

    def choose(self) -> Files:
        """Returns the files with the chosen records; a text file is cut off."""
        files: Files = {}
        looked_at: Counter[str] = Counter()
        for document, fmt in self._known:
            looked_at[fmt.name] += 1
            if self._scanned is not None and looked_at[fmt.name] > self._scanned:
                continue
            data = document.read()
            if fmt.layout == "text":
                files[document.name] = fmt, b"\n".join(data.split(b"\n")[:30])
                continue
            kept = self._keep(document.name, data, fmt)
            if kept is not None:
                files[document.name] = fmt, json.dumps(kept).encode()
        return files

    def _keep(self, name: str, data: bytes, fmt: FileFormat) -> Any:
        """Returns the JSON of a file with its chosen records; null where there is none."""
        pieces = find_pieces(name, data, fmt)
        around = [json.loads(piece.raw.data) for piece in pieces if piece.raw.is_envelope]
        records = [piece for piece in pieces if not piece.raw.is_envelope]
        chosen = [each for each in records[: self._scanned] if self._is_wanted(name, each.raw, fmt)]
        linked = [each for each in records[self._scanned or 0 :] if each not in chosen]
        chosen += [each for each in linked if self._id_of(name, each.raw, fmt) in self._ids]
        values = [json.loads(each.raw.data) for each in chosen]
        if not values:
            return None
        if fmt.layout == "document":
            return values[0]
        if fmt.layout == "map":
            return {each.raw.key: value for each, value in zip(chosen, values, strict=True)}
        if fmt.layout == "splits":
            lists: dict[Any, list[Any]] = {}
            for each, value in zip(chosen, values, strict=True):
                lists.setdefault(each.raw.split, []).append(value)
            return lists
        return {**around[0], fmt.items: values} if around else values

    def _id_of(self, name: str, raw: RawRecord, fmt: FileFormat) -> str | None:
        record = decode_raw(name, raw, fmt).record
        if fmt.dialogue_id is None or record is None:
            return None
        return fmt.dialogue_id(record, name)

    def _is_wanted(self, name: str, raw: RawRecord, fmt: FileFormat) -> bool:
        """Says whether a record is one of the first, has what no other has, or goes with one."""
        record = decode_raw(name, raw, fmt).record
        if record is None:
            return False
        dialogue_id = self._id_of(name, raw, fmt)
        known = self._paths.setdefault(fmt.name, set())
        paths = {leaf.path for leaf in list_leaves(record)}
        is_new = self._taken[fmt.name] < FEW or not paths <= known
        if is_new and self._taken[fmt.name] < MOST:
            self._taken[fmt.name] += 1
            known |= paths
            if fmt.role == "main" and dialogue_id is not None:
                self._ids.add(dialogue_id)
            return True
        return dialogue_id is not None and dialogue_id in self._ids
