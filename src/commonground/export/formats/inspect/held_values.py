"""Which values of the tables stand in texts that were written, for formats that cannot say it.

Most formats carry columns. One that writes what a task asks for holds some values of a column and
not others: so each value of a dialogue is looked for in the texts written of the dialogue.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import compress, repeat
from typing import Any

import msgspec

from commonground.export.loss import Loss
from commonground.export.selection import Selection
from commonground.method import Told
from commonground.schema import Column, get_table
from commonground.store.tables.columns import DIALOGUE_TABLES

TABLES = ("dialogues", *DIALOGUE_TABLES, "objects")
"""Tables of which texts may hold values."""

_KEYS = ("corpus", "dialogue_id")
_WORDS = frozenset({"text", "value", "title", "name", "mention", "uri", "object_id"})
"""Columns whose values are looked for inside of other texts, too; all others are names."""

_NAMING = frozenset({"text", "value", "name", "object_id", "label", "act", "slot"})
"""Columns that say what a row is about; its numbers mean nothing without."""

# The number that a line of a list stands under; a text of JSON with its escapes; what stands
# between such texts: empty lists and objects, numbers, `true` and the like.
_NUMBER = re.compile(r"\d+: ")
_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
_PLAIN = re.compile(r'"[^"\\]*"')
_SCALAR = re.compile(r"\[\s*\]|\{\s*\}|[^\s\[\]{},:]+")
_BLANKS = frozenset({"", "null", "[]", "{}"})
_JSON_BEGINS = frozenset('{["-0123456789tfn \t\r')
"""First characters of JSON; asking a decoder about every other text would take longer."""

ToldNumbers = set[tuple[bool, float | bool, int | None]]
"""What is told of a column: whether it is a flag (in a set, true is 1), the value, the event."""


_Number = tuple[str, int | float | bool, int | None]
_unpack = msgspec.msgpack.Decoder(list[_Number]).decode


def pack_told(told: Iterable[Told]) -> bytes:
    """Packs the numbers that a text tells: there are many texts."""
    return msgspec.msgpack.encode([(each.column, each.value, each.event) for each in told])


def has_number(told: ToldNumbers, value: float | bool | None, event: int | None) -> bool:
    """Tells whether a number or flag is told.

    Args:
        told: what is told of its column.
        value: the number or flag; None is never told.
        event: of its row; None where that has none.
    """
    if value is None:
        return False
    is_flag = isinstance(value, bool)
    return (is_flag, value, event) in told or (is_flag, value, None) in told


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
        numbers: set[_Number] = set()
        for packed in dict.fromkeys(told):
            numbers.update(_unpack(packed))
        self._told: defaultdict[str, ToldNumbers] = defaultdict(set)
        for column, value, event in numbers:
            # True equals 1 and hashes alike, so that a flag would be taken for a number.
            self._told[column].add((type(value) is bool, value, event))
        self.events = {*events, *(event for *_, event in self.list_told("events.event"))}
        self._contents = list(dict.fromkeys(contents))
        self.is_any = bool(self._contents)
        lines = _gather_lines(self._contents)
        # Blank lines part the sections; a blank text stands in JSON.
        self._names = _gather_texts({_drop_number(line) for line in lines} - {""})
        self._text = "\n".join(self._names)
        self._known: dict[str, bool] = {}

    def list_told(self, column: str) -> ToldNumbers:
        """Returns the numbers and flags that are told of a column, such as ``acts.act_index``."""
        return self._told.get(column, set())

    def has_name(self, name: str) -> bool:
        """Tells whether a text stands by itself: as a value, a key or a line."""
        return name in self._names

    def has_json(self, text: str) -> bool:
        """Tells whether every key, text, number and blank of a JSON text stands somewhere."""
        return self.has_words(text) or all(map(self.has_words, _list_json_texts(text)))

    def has_words(self, text: str) -> bool:
        """Tells whether a text stands somewhere, be it inside of another; a blank, by itself."""
        # A functools.cache of a method would keep this alive until the garbage is collected.
        if text not in self._known:
            self._known[text] = self._find_words(text)
        return self._known[text]

    def _find_words(self, text: str) -> bool:
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
        # At the start the slice before it is ``whole[-1:0]``, which is empty.
        end = at + len(text)
        if not (_is_in_word(whole[at - 1 : at]) or _is_in_word(whole[end : end + 1])):
            return True
        at = whole.find(text, at + 1)
    return False


def _is_in_word(character: str) -> bool:
    return character.isalnum() or character == "_"


def _gather_lines(contents: Iterable[str]) -> set[str]:
    """Returns the lines of all texts.

    A history grows from text to text: where a section goes on with the one of the same heading
    before, only what is new of it is divided. Else the time would grow with the square of turns.
    """
    lines: set[str] = set()
    before: dict[str, str] = {}
    for text in contents:
        for section in text.split("\n\n"):
            heading = section[: section.find("\n")]
            known = before.get(heading, "")
            # An empty text is `in` any other, so this also holds where the section ends there.
            goes_on = section.startswith(known) and section[len(known) : len(known) + 1] in "\n"
            lines.update((section[len(known) :] if goes_on else section).split("\n"))
            before[heading] = section
    return lines


def _drop_number(line: str) -> str:
    """Returns a line of a list without the number that it stands under."""
    found = _NUMBER.match(line)
    return line[found.end() :] if found else line


def _gather_texts(pieces: Iterable[str]) -> set[str]:
    """Returns the keys, texts, numbers and blanks of JSON pieces; what is no JSON as it is."""
    found: set[str] = set()
    between: set[str] = set()
    for piece in pieces:
        if piece[0] not in _JSON_BEGINS:
            found.add(piece)
        elif _PLAIN.fullmatch(piece) and piece.isprintable():
            found.add(piece[1:-1])
        elif not _is_json(piece):
            found.add(piece)
        else:
            # JSON is divided by its texts: every other part is one. This is five times faster
            # than to decode it, and what is between comes again and again.
            parts = piece.split('"') if "\\" not in piece else _STRING.split(piece)
            found.update(map(_unescape, parts[1::2]))
            between.update(parts[::2])
    return found.union(*map(_list_scalars, between))


def _unescape(text: str) -> str:
    return text if "\\" not in text else str(msgspec.json.decode(f'"{text}"'))


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


class _Part(msgspec.Struct):
    """The values of one dialogue in a table, but for columns of which no text can hold any.

    Attributes:
        dialogue_id: id of the dialogue.
        rows: how many rows it has.
        texts: columns with their different values and how often each is there, without nulls.
        numbers: columns of which any number is told, with the values of all rows.
        events: number of the event of each row; None where the table has none.
        naming: columns that say what a row is about, with the values of all rows.
    """

    dialogue_id: str
    rows: int
    texts: list[tuple[Column, list[Any], list[int]]] = []
    numbers: list[tuple[Column, list[Any]]] = []
    events: list[int | None] = []
    naming: list[tuple[Column, list[Any]]] = []


class _TableCounts:
    """Looks for the values of a table, dialogue by dialogue, in the order of the dialogues.

    Tables have hundreds of rows a dialogue and few different values, and most of their numbers
    are told nowhere. So Arrow counts equal texts, and numbers that no text tells, and only what
    differs becomes Python and is looked for.

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
        columns = [column for column in get_table(name).columns if column.name not in _KEYS]
        self._corpus = corpus
        self._name = name
        self._values = values
        self._texts = [c for c in columns if c.type in ("text", "json") or c.name == "event"]
        rest = [c for c in columns if c not in self._texts]
        self._numbers = [c for c in rest if f"{name}.{c.name}" in told]
        self._lost = [c for c in rest if c not in self._numbers]
        self._naming = [c for c in self._texts if c.name in _NAMING and c.type == "text"]
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
                self._add(key, part, part.rows, 0 if held.is_any else part.rows)
            for column, values, counts in part.texts:
                is_held = _choose_test(held, column)
                lost = sum(n for value, n in zip(values, counts, strict=True) if not is_held(value))
                self._add(column.name, part, sum(counts), lost)
                if column.name == "object_id":
                    objects += values
            self._count_numbers(part, held)
            self._next = next(self._parts, None)
        return objects

    def _count_numbers(self, part: _Part, held: HeldTexts) -> None:
        named: list[bool] = []
        for column, values in part.numbers:
            kept = 0
            told = held.list_told(f"{self._name}.{column.name}")
            if told:
                # A number is worth nothing without a text that says of what it is.
                named = named or list(_find_named(part, held))
                found = Counter(compress(zip(values, part.events, strict=True), named))
                kept = sum(n for number, n in found.items() if has_number(told, *number))
            count = part.rows - values.count(None)
            self._add(column.name, part, count, count - kept)

    def _add(self, column: str, part: _Part, count: int, lost: int) -> None:
        where = f"{self._corpus}/{part.dialogue_id}"
        self._values.add(self._name, column, where, count=count, lost=lost)

    def _read(self, batches: Iterable[Any]) -> Iterator[_Part]:
        """Yields the dialogues of the batches."""
        for batch in batches:
            # Rows are in the order of the dialogues, so that these are numbered as they come.
            ids = batch.column("dialogue_id").dictionary_encode()
            rows = Counter(ids.indices.to_pylist())
            parts = [_Part(key, rows[n]) for n, key in enumerate(ids.dictionary.to_pylist())]
            for column in self._texts:
                self._divide_texts(batch, ids.indices, column, parts)
            if self._numbers:
                self._divide_numbers(batch, parts)
            for column in self._lost:
                self._lose_all(batch, ids.indices, column, parts)
            yield from parts

    def _divide_texts(self, batch: Any, owners: Any, column: Column, parts: list[_Part]) -> None:
        """Gives each dialogue the different values of a column."""
        from commonground.store.arrow import pa

        cells = batch.column(column.name)
        rows = pa.table([owners, cells], names=["owner", "cell"]).filter(cells.is_valid())
        # Arrow numbers groups as its hash table finds them, which is nearly in order.
        counted = rows.group_by(["owner", "cell"]).aggregate([([], "count_all")]).sort_by("owner")
        owners, values, counts = (
            counted.column(name).to_pylist() for name in ("owner", "cell", "count_all")
        )
        start = 0
        for owner, length in Counter(owners).items():
            end = start + length
            parts[owner].texts.append((column, values[start:end], counts[start:end]))
            start = end

    def _divide_numbers(self, batch: Any, parts: list[_Part]) -> None:
        """Gives each dialogue the rows of the columns of which any number is told."""
        numbers = [(column, batch.column(column.name).to_pylist()) for column in self._numbers]
        naming = [(column, batch.column(column.name).to_pylist()) for column in self._naming]
        has_event = "event" in batch.schema.names
        events = batch.column("event").to_pylist() if has_event else [None] * len(batch)
        start = 0
        for part in parts:
            end = start + part.rows
            part.numbers = [(column, cells[start:end]) for column, cells in numbers]
            part.naming = [(column, cells[start:end]) for column, cells in naming]
            part.events = events[start:end]
            start = end

    def _lose_all(self, batch: Any, owners: Any, column: Column, parts: list[_Part]) -> None:
        """Counts the values of a column at once, as no text tells any of them."""
        cells = batch.column(column.name)
        count = len(cells) - cells.null_count
        if count:
            first = owners[cells.is_valid().index(True).as_py()].as_py()
            self._add(column.name, parts[first], count, count)


def _find_named(part: _Part, held: HeldTexts) -> Iterator[bool]:
    """Tells of each row whether any of its texts that say what it is about is held."""
    if not part.naming:
        return repeat(False, part.rows)
    of_columns = []
    for column, texts in part.naming:
        is_held = _choose_test(held, column)
        known = {text for text in set(texts) if text is not None and is_held(text)}
        of_columns.append(map(known.__contains__, texts))
    return map(any, zip(*of_columns, strict=True))


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
