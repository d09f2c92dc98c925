"""Which values of the tables stand in texts that were written, for formats that cannot say it.

Most formats carry columns. One that writes what a task asks for holds some values of a column and
not others: so each value of a dialogue is looked for in the texts written of the dialogue.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import compress, groupby, repeat
from operator import itemgetter
from typing import Any, NamedTuple

import msgspec

from commonground.export.loss import Loss
from commonground.export.selection import Selection
from commonground.method import Told
from commonground.schema import Column, get_table
from commonground.store.columns import DIALOGUE_TABLES

TABLES = ("dialogues", *DIALOGUE_TABLES, "objects")
"""Tables of which texts may hold values."""

_KEYS = ("corpus", "dialogue_id")
_WORDS = frozenset({"text", "value", "title", "name", "mention", "uri", "object_id"})
"""Columns whose values are looked for inside of other texts, too; all others are names."""

_NAMING = frozenset({"text", "value", "name", "object_id", "label", "act", "slot"})
"""Columns that say what a row is about; its numbers mean nothing without."""

_NUMBER = re.compile(r"^\d+: ", re.MULTILINE)
_SCALAR = re.compile(r"\[\s*\]|\{\s*\}|[^\s\[\]{},:]+")
_BLANKS = frozenset({"", "null", "[]", "{}"})
_JSON_BEGINS = frozenset('{["-0123456789tfn \t\r')
"""First characters of JSON; asking a decoder about every other text would take longer."""

ToldNumbers = set[tuple[bool, float | bool, int | None]]
"""What is told of a column: whether it is a flag (in a set, true is 1), the value, the event."""


def pack_told(told: Iterable[Told]) -> bytes:
    """Packs what a text tells, each number once: there are many texts."""
    return msgspec.msgpack.encode([(t.column, t.value, t.event) for t in dict.fromkeys(told)])


def has_number(told: ToldNumbers, value: float | bool | None, event: int | None) -> bool:
    """Tells whether a number or flag is told.

    Args:
        told: what is told of its column.
        value: the number or flag; None is never told.
        event: of its row; None where that has none.
    """
    is_flag = isinstance(value, bool)
    return value is not None and any((is_flag, value, at) in told for at in (event, None))


class HeldTexts:
    """What the texts written of one dialogue hold.

    Args:
        contents: the texts: sections parted by blank lines, each a plain text, a JSON value, or
            a numbered list of them.
        events: numbers of the events that they are about.
        told: the numbers that they tell, packed.

    Attributes:
        events: numbers of the events that they are about, or tell of.
        is_any: whether there is any text.
    """

    def __init__(
        self,
        contents: Iterable[str],
        events: Iterable[int | None] = (),
        told: Iterable[bytes] = (),
    ) -> None:
        self._told: defaultdict[str, ToldNumbers] = defaultdict(set)
        for packed in dict.fromkeys(told):
            for column, value, event in msgspec.msgpack.decode(packed):
                self._told[column].add((type(value) is bool, value, event))
        self.events = {*events, *(event for *_, event in self.list_told("events.event"))}
        self._contents = list(dict.fromkeys(contents))
        self.is_any = bool(self._contents)
        # A history grows from text to text, so that most lines were there before. Blank lines
        # part the sections; a blank text stands in JSON.
        lines: set[str] = set()
        for text in self._contents:
            lines.update(_NUMBER.sub("", text).split("\n"))
        self._names = _gather_texts(lines - {""})
        self._text = "\n".join(self._names)
        self.has_words = cache(self._has_words)

    def list_told(self, column: str) -> ToldNumbers:
        """Returns the numbers and flags that are told of a column, such as ``acts.act_index``."""
        return self._told.get(column, set())

    def has_name(self, name: str) -> bool:
        """Tells whether a text stands by itself: as a value, a key or a line."""
        return name in self._names

    def has_json(self, text: str) -> bool:
        """Tells whether every key, text, number and blank of a JSON text stands somewhere."""
        return self.has_words(text) or all(map(self.has_words, _list_json_texts(text)))

    def _has_words(self, text: str) -> bool:
        """Tells whether a text stands somewhere, be it inside of another; a blank, by itself."""
        if text in self._names:
            return True
        if text in _BLANKS or text.isspace():
            return False
        if "\n" in text:
            return any(text in content for content in self._contents)
        return _stands_in(text, self._text)


def _stands_in(text: str, whole: str) -> bool:
    """Tells whether a text stands in another one with no letter, digit or low line beside it.

    There are too many different texts for a regular expression each.
    """
    at = whole.find(text)
    while at >= 0:
        end = at + len(text)
        if not (_is_in_word(whole[at - 1 : at]) or _is_in_word(whole[end : end + 1])):
            return True
        at = whole.find(text, at + 1)
    return False


def _is_in_word(character: str) -> bool:
    return character.isalnum() or character == "_"


def _gather_texts(pieces: Iterable[str]) -> set[str]:
    """Returns the keys, texts, numbers and blanks of JSON pieces; what is no JSON as it is."""
    found: set[str] = set()
    between: set[str] = set()
    for piece in pieces:
        if piece[0] not in _JSON_BEGINS:
            found.add(piece)
        elif "\\" in piece:
            found.update(_list_texts(piece))
        elif piece[0] == '"' and piece.find('"', 1) == len(piece) - 1 and piece.isprintable():
            found.add(piece[1:-1])
        elif not _is_json(piece):
            found.add(piece)
        else:
            # JSON without escapes is divided by its quotation marks: every other part is a text.
            # This is five times faster than to decode it, and what is between comes again and
            # again.
            parts = piece.split('"')
            found.update(parts[1::2])
            between.update(parts[::2])
    return found.union(*map(_list_scalars, between))


def _is_json(piece: str) -> bool:
    try:
        msgspec.json.decode(piece, type=msgspec.Raw)
    except msgspec.DecodeError:
        return False
    return True


@lru_cache(maxsize=2**14)
def _list_scalars(between: str) -> tuple[str, ...]:
    """Returns the numbers and blanks of what stands between the texts of JSON."""
    return tuple(text for each in _SCALAR.findall(between) for text in _list_texts(each))


@lru_cache(maxsize=2**12)
def _list_json_texts(text: str) -> tuple[str, ...]:
    """Returns what :func:`_list_texts` yields; an object's attributes are looked for often."""
    return tuple(dict.fromkeys(_list_texts(text)))


def _list_texts(piece: str) -> Iterator[str]:
    """Yields the keys, texts, numbers and blanks of JSON; what is no JSON as it is."""
    try:
        yield from _walk(msgspec.json.decode(piece))
    except msgspec.DecodeError:
        yield piece


def _walk(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif value and isinstance(value, dict | list):
        if isinstance(value, dict):
            yield from value
        for each in value.values() if isinstance(value, dict) else value:
            yield from _walk(each)
    else:
        yield msgspec.json.encode(value).decode()


class ValueLoss:
    """Counts the values that no text holds, over the corpora.

    Args:
        why: why some are not held, in a sentence.
    """

    def __init__(self, why: str) -> None:
        self._why = why
        self._all: Counter[tuple[str, str]] = Counter()
        self._lost: Counter[tuple[str, str]] = Counter()
        self._rows: Counter[str] = Counter()
        self._examples: dict[tuple[str, str], str] = {}

    def add_rows(self, table: str, count: int) -> None:
        """Counts rows, be they held or not."""
        self._rows[table] += count

    def add(self, table: str, column: str, where: str, *, count: int, lost: int) -> None:
        """Counts values of a column.

        Args:
            table: name of the table.
            column: name of the column.
            where: their place: a dialogue, or an object.
            count: values that are there.
            lost: those of them that are not held.
        """
        self._all[table, column] += count
        if lost:
            self._lost[table, column] += lost
            self._examples.setdefault((table, column), where)

    def report(self, loss: Loss) -> None:
        """Adds what is lost: whole tables where nothing but keys is held, else columns."""
        for table in filter(self._rows.get, TABLES):
            columns = [c for c in get_table(table).names if self._all[table, c]]
            lost = [c for c in columns if self._lost[table, c]]
            own = [c for c in columns if c not in (*_KEYS, "event")]
            if all(self._lost[table, c] == self._all[table, c] for c in own):
                example = self._examples[table, own[0]]
                loss.add_as("table", table, example, self._why, self._rows[table])
                continue
            for column in lost:
                example, count = self._examples[table, column], self._lost[table, column]
                loss.add_as("column", f"{table}.{column}", example, self._why, count)


def count_unheld(
    selection: Selection,
    corpus: str,
    read_held: Callable[[str], HeldTexts],
    told_columns: Iterable[str],
    values: ValueLoss,
) -> None:
    """Counts every value of a corpus that none of the texts written of its dialogue holds.

    A name is held where it stands by itself, a text also inside of another, JSON where all that
    is in it stands somewhere. A number or flag is held where it is said to be told, and a text of
    its row is held, too.

    Args:
        selection: the dialogues.
        corpus: name of the corpus.
        read_held: returns what the texts of a dialogue hold, given its id.
        told_columns: columns of which any number is told: ``acts.act_index``.
        values: counts.
    """
    told = frozenset(told_columns)
    tables = [_TableCounts(selection, corpus, n, told, values) for n in TABLES if n != "objects"]
    objects = _ObjectCounts(selection, corpus)
    for dialogue_id in selection.ids(corpus):
        held = read_held(dialogue_id)
        for table in tables:
            objects.look(held, table.count(dialogue_id, held))
    objects.count(values)


class _Group(NamedTuple):
    """Rows of one dialogue that are alike in a column, and in what matters to it.

    Attributes:
        value: the value that they have there.
        rows: how many they are.
        event: number of their event, where numbers of the column are told.
        naming: what else says what they are about, where numbers of the column are told.
    """

    value: Any
    rows: int
    event: int | None = None
    naming: tuple[Any, ...] = ()


class _Part(msgspec.Struct):
    """The rows of one dialogue: how many, and in groups for each column."""

    dialogue_id: str
    rows: int
    columns: list[tuple[Column, list[_Group]]]


class _TableCounts:
    """Looks for the values of a table, dialogue by dialogue, in the order of the dialogues.

    Tables have hundreds of rows a dialogue and few different values. Arrow puts rows that are
    alike into groups, so that only what differs becomes Python and is looked for, once.

    Args:
        selection: the dialogues.
        corpus: name of the corpus.
        name: name of the table.
        told: columns of which any number is told.
        values: counts.
    """

    def __init__(
        self,
        selection: Selection,
        corpus: str,
        name: str,
        told: frozenset[str],
        values: ValueLoss,
    ) -> None:
        table = get_table(name)
        self._corpus = corpus
        self._name = name
        self._values = values
        self._columns = [column for column in table.columns if column.name not in _KEYS]
        self._told = {c.name for c in self._columns if f"{name}.{c.name}" in told} - {"event"}
        self._naming = [c for c in self._columns if c.name in _NAMING and c.type == "text"]
        self._has_event = "event" in table.names
        self._parts = self._read(selection.batches(corpus, name))
        self._next = next(self._parts, None)

    def count(self, dialogue_id: str, held: HeldTexts) -> list[str]:
        """Counts the values of a dialogue; returns the ids of the objects that it names."""
        objects: list[str] = []
        # Where a dialogue stands in two batches, its rows are counted in two steps.
        while self._next is not None and self._next.dialogue_id == dialogue_id:
            part = self._next
            self._values.add_rows(self._name, part.rows)
            for key in _KEYS:
                self._add(key, dialogue_id, part.rows, 0 if held.is_any else part.rows)
            for column, groups in part.columns:
                count = sum(group.rows for group in groups)
                self._add(column.name, dialogue_id, count, self._count_lost(column, groups, held))
                if column.name == "object_id":
                    objects += [group.value for group in groups]
            self._next = next(self._parts, None)
        return objects

    def _add(self, column: str, dialogue_id: str, count: int, lost: int) -> None:
        where = f"{self._corpus}/{dialogue_id}"
        self._values.add(self._name, column, where, count=count, lost=lost)

    def _count_lost(self, column: Column, groups: Sequence[_Group], held: HeldTexts) -> int:
        told = held.list_told(f"{self._name}.{column.name}") if column.name in self._told else None
        if told:
            tests = [_choose_test(held, each) for each in self._naming]
            is_lost = (not _is_told(group, told, tests) for group in groups)
        else:
            is_held = _choose_test(held, column)
            is_lost = (not is_held(group.value) for group in groups)
        return sum(group.rows for group in compress(groups, is_lost))

    def _read(self, batches: Iterable[Any]) -> Iterator[_Part]:
        """Yields the dialogues of the batches, each with its rows in groups."""
        for batch in batches:
            # Rows are in the order of the dialogues, so that these are numbered as they come.
            ids = batch.column("dialogue_id").dictionary_encode()
            counts = Counter(ids.indices.to_pylist())
            parts = [
                _Part(key, counts[number], [])
                for number, key in enumerate(ids.dictionary.to_pylist())
            ]
            for column in self._columns:
                is_text = column.type in ("text", "json")
                if is_text or column.name == "event" or column.name in self._told:
                    self._group(batch, ids.indices, column, parts)
                else:
                    self._lose_all(batch, ids.indices, column, parts)
            yield from parts

    def _lose_all(self, batch: Any, numbers: Any, column: Column, parts: Sequence[_Part]) -> None:
        """Counts the values of a column at once, as no text tells any of them."""
        cells = batch.column(column.name)
        count = len(cells) - cells.null_count
        if count:
            first = numbers[cells.is_valid().index(True).as_py()].as_py()
            self._add(column.name, parts[first].dialogue_id, count, count)

    def _group(self, batch: Any, numbers: Any, column: Column, parts: Sequence[_Part]) -> None:
        """Adds to each dialogue its groups of rows with the same value in a column."""
        from commonground.store.arrow import pa

        names = [column.name]
        if column.name in self._told:
            names += ["event"] * self._has_event + [each.name for each in self._naming]
        keys = [f"key {number}" for number in range(-1, len(names))]
        rows = pa.table([numbers, *map(batch.column, names)], names=keys)
        rows = rows.filter(batch.column(column.name).is_valid())
        # Several threads would give the groups in any order.
        found = rows.group_by(keys, use_threads=False).aggregate([([], "count_all")])
        owners, values, *others = (found.column(each).to_pylist() for each in keys)
        counts = found.column("count_all").to_pylist()
        events = others.pop(0) if self._has_event and others else repeat(None)
        naming = zip(*others, strict=True) if others else repeat(())
        groups = map(_Group, values, counts, events, naming)
        for owner, of_owner in groupby(zip(owners, groups, strict=False), itemgetter(0)):
            parts[owner].columns.append((column, [group for _, group in of_owner]))


def _is_told(group: _Group, told: ToldNumbers, tests: Sequence[Callable[[Any], bool]]) -> bool:
    """Tells whether the number of a group is told, and a text that says what it is about held."""
    if not has_number(told, group.value, group.event):
        return False
    named = zip(tests, group.naming, strict=True)
    return any(text is not None and is_held(text) for is_held, text in named)


def _choose_test(held: HeldTexts, column: Column) -> Callable[[Any], bool]:
    """Returns what tells of a value of a column whether it is held."""
    if column.name in _KEYS:
        return lambda _value: held.is_any
    if column.name == "event":
        return held.events.__contains__
    if column.type == "json":
        return held.has_json
    if column.type != "text":
        return lambda _value: False
    return held.has_words if column.name in _WORDS else held.has_name


class _ObjectCounts:
    """Looks for the objects of a corpus in the dialogues that use them.

    Args:
        selection: the dialogues.
        corpus: name of the corpus.
    """

    def __init__(self, selection: Selection, corpus: str) -> None:
        columns = get_table("objects").columns
        names = [column.name for column in columns]
        self._corpus = corpus
        self._columns = columns
        rows = selection.iterate_rows(corpus, "objects", names)
        self._rows = {row[names.index("object_id")]: row for row in rows}
        self._unheld = {
            key: [n for n, value in enumerate(row) if value is not None]
            for key, row in self._rows.items()
        }

    def look(self, held: HeldTexts, keys: Iterable[str]) -> None:
        """Looks for objects of a dialogue in its texts, as far as they were in none before."""
        for key in self._unheld.keys() & set(keys):
            row = self._rows[key]
            self._unheld[key] = [
                n for n in self._unheld[key] if not _choose_test(held, self._columns[n])(row[n])
            ]

    def count(self, values: ValueLoss) -> None:
        """Counts the values of all objects, and those that no dialogue held."""
        values.add_rows("objects", len(self._rows))
        for key, row in self._rows.items():
            where = f"{self._corpus} object_id {key}"
            for number, value in enumerate(row):
                if value is not None:
                    lost = number in self._unheld[key]
                    values.add("objects", self._columns[number].name, where, count=1, lost=lost)
