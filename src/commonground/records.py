"""Native records: typed structs that lose nothing, and a decoder that reports every fault.

A record declares its fields once. Three things stay apart: an *absent* field (typed
``... | UnsetType = UNSET``), a *null* one (``... | None``) and an *empty* one. Whatever a record
does not declare is reported and kept, so that what was read can be written back.
"""

from __future__ import annotations

import functools
import json
import operator
import re
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping
from functools import cache
from types import UnionType
from typing import (
    Any,
    Generic,
    Literal,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

import msgspec
from msgspec import UNSET, UnsetType

from commonground.findings import shorten

__all__ = [
    "UNSET",
    "Decoded",
    "Fault",
    "Record",
    "UnsetType",
    "choose_fields",
    "decode_record",
    "encode_record",
]

T = TypeVar("T")


class Record(
    msgspec.Struct, kw_only=True, forbid_unknown_fields=True, omit_defaults=False, gc=False
):
    """Base of every native record."""


class Fault(msgspec.Struct, frozen=True, gc=False):
    """A place where a value does not have the declared type.

    Attributes:
        path: JSON path below the record: "" or starting with a dot or bracket.
        kind: ``missing``, ``type``, ``unknown`` (a field that is not declared) or ``repeated``
            (a key that its object has before; the last value stands).
        expected: the declared type in words; null for an unknown field or a repeated key.
        found: the value, shortened; null for a missing field.
    """

    path: str
    kind: str
    expected: str | None
    found: str | None


class Decoded(msgspec.Struct, Generic[T]):
    """What came of decoding one record.

    Attributes:
        record: the typed record; null where required parts are missing or mistyped.
        faults: every fault at once, in document order; unknown fields among them.
        unknown: the fields that are not declared, by their keys from the record downwards.
    """

    record: T | None
    faults: list[Fault] = []
    unknown: list[tuple[tuple[str | int, ...], Any]] = []


@cache
def _decoder(of: Any) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(of)


def decode_record(data: bytes, of: type[T]) -> Decoded[T]:
    """Decodes one JSON record into its declared type.

    Well-formed records take the fast path. For any other the whole value is walked and every
    fault reported; unknown fields and repeated keys alone do not cost the record.

    Raises:
        msgspec.DecodeError: the bytes are not JSON (or not UTF-8, or nested too deeply).
    """
    decoded: Decoded[T] | None = None
    try:
        value: Any = _decoder(cast("Hashable", of)).decode(data)
        decoded = Decoded(value)
    except msgspec.ValidationError:
        value = decode_value(data)
    except (RecursionError, UnicodeDecodeError) as error:
        raise _no_json(error) from None
    written = _write_again(data, value)
    decoded = decoded or convert_value(value, of)
    if may_repeat_keys(data, written):
        decoded.faults.extend(find_repeated_keys(data))
    return decoded


MARGIN = 300
"""Calls that must still be possible around the work with any value: how deep it may be depends on
how deep its reader is, and what one step reads, no later one may fail at."""


def _write_again(data: bytes, value: Any) -> bytes:
    """Writes a value that was read, as deep in the stack as its next reader may be.

    Raises:
        msgspec.DecodeError: it is nested too deeply.
    """
    # Fewer brackets cannot be nested deeper; hardly any record has more.
    has_many = data.count(b"[") + data.count(b"{") > MARGIN
    try:
        return _encode_below(value, MARGIN if has_many else 0)
    except RecursionError as error:
        raise _no_json(error) from None


def _encode_below(value: Any, calls: int) -> bytes:
    return _encode_below(value, calls - 1) if calls else msgspec.json.encode(value)


def decode_value(data: bytes) -> Any:
    """Decodes JSON into plain values.

    Raises:
        msgspec.DecodeError: the bytes are not JSON (or not UTF-8, or nested too deeply).
    """
    try:
        return msgspec.json.decode(data)
    except (RecursionError, UnicodeDecodeError) as error:
        raise _no_json(error) from None


def _no_json(error: Exception) -> msgspec.DecodeError:
    deep = isinstance(error, RecursionError)
    return msgspec.DecodeError("JSON is nested too deeply" if deep else "text is not UTF-8")


def may_repeat_keys(data: bytes, written: bytes) -> bool:
    """Says whether an object in some JSON may have a key twice; never no where one has.

    Decoding keeps one value of a key, so that a colon is missing where it is written again. This
    costs less than decoding; to look at every key costs three times as much as decoding.
    """
    # A colon stands in JSON as itself or as `\u003a`; most JSON has no escapes at all.
    escaped = b"\\" in data and b"\\u003" in data
    return escaped or data.count(b":") != written.count(b":")


class Pairs(list[tuple[str, Any]]):
    """A JSON object with all its keys, those that come twice included."""


def find_repeated_keys(data: bytes) -> list[Fault]:
    """Looks at every key of a JSON text, and reports those that their object has before.

    Raises:
        msgspec.DecodeError: it is no JSON, or nested too deeply.
    """
    try:
        text = data.decode()
        # Numbers stay text: one of a million digits would take minutes, and is not looked at.
        tree = json.loads(
            text, object_pairs_hook=Pairs, parse_int=str, parse_float=str, strict=False
        )
        return list(_repeated(tree, ()))
    except (ValueError, RecursionError) as error:
        raise _no_json(error) from None


def _repeated(value: Any, at: tuple[str | int, ...]) -> Iterator[Fault]:
    if isinstance(value, Pairs):
        counts = Counter(key for key, _ in value)
        seen = set()
        for key, each in value:
            if key in seen and counts[key]:
                found = f"{shorten(key)}, {counts[key]} times"
                yield Fault(render_path((*at, key)), "repeated", None, found)
                # Reported once, however often the key stands there.
                counts[key] = 0
            seen.add(key)
            yield from _repeated(each, (*at, key))
    elif isinstance(value, list):
        for i, each in enumerate(value):
            yield from _repeated(each, (*at, i))


_HARMLESS = frozenset({"unknown", "repeated"})
"""Kinds of faults that do not cost the record."""


def convert_value(value: Any, of: type[T]) -> Decoded[T]:
    """Turns an already decoded JSON value into its declared type, reporting every fault."""
    walk = _Walk()
    stripped = walk.value(value, _type_info(cast("Hashable", of)), ())
    decoded: Decoded[T] = Decoded(None, walk.faults, walk.unknown)
    if any(fault.kind not in _HARMLESS for fault in walk.faults):
        return decoded
    try:
        decoded.record = msgspec.convert(stripped, of)
    except msgspec.ValidationError as error:
        # The walk and msgspec should agree; where they do not, msgspec's word stands.
        match = re.search(r"^(.*) - at `\$(.*)`$", str(error))
        where, what = (match[2], match[1]) if match else ("", str(error))
        walk.faults.append(Fault(where, "type", what, None))
    return decoded


def encode_record(decoded: Decoded[Any]) -> bytes:
    """Writes a record back to JSON, unknown fields in their places.

    Raises:
        ValueError: there is no record to write.
    """
    if decoded.record is None:
        raise ValueError("a record that could not be typed cannot be written")
    if not decoded.unknown:
        return msgspec.json.encode(decoded.record)
    tree = msgspec.json.decode(msgspec.json.encode(decoded.record))
    for keys, value in decoded.unknown:
        parent = tree
        for key in keys[:-1]:
            parent = parent[key]
        # At the end of its object, since the record does not know where it stood.
        parent[keys[-1]] = value
    return msgspec.json.encode(tree)


@cache
def _type_info(of: Any) -> msgspec.inspect.Type:
    return msgspec.inspect.type_info(of)


_IDENTIFIER = re.compile(r"[A-Za-z_]\w*\Z", re.ASCII)


def render_path(keys: tuple[str | int, ...]) -> str:
    """Writes keys as the part of a JSON path below ``$``: ``.turns[1]["odd key"]``."""
    parts = []
    for key in keys:
        if isinstance(key, int):
            parts.append(f"[{key}]")
        elif _IDENTIFIER.match(key):
            parts.append(f".{key}")
        else:
            parts.append(f"[{msgspec.json.encode(key).decode()}]")
    return "".join(parts)


def describe_type(info: msgspec.inspect.Type) -> str:
    """Says in words what a declared type accepts: ``text or null``."""
    match info:
        case msgspec.inspect.UnionType(types=types):
            named = [describe_type(t) for t in types]
            return " or ".join(dict.fromkeys(named))
        case msgspec.inspect.StructType(cls=cls):
            return f"object ({cls.__name__})"
        case msgspec.inspect.ListType(item_type=item):
            return f"list of {describe_type(item)}"
        case msgspec.inspect.TupleType(item_types=items):
            return f"list of {len(items)}: {', '.join(describe_type(t) for t in items)}"
        case msgspec.inspect.DictType(value_type=item):
            return f"object of {describe_type(item)}"
        case msgspec.inspect.LiteralType(values=values):
            return " or ".join(repr(v) for v in values)
    return _WORDS.get(type(info), "any value")


_WORDS: dict[type, str] = {
    msgspec.inspect.StrType: "text",
    msgspec.inspect.IntType: "whole number",
    msgspec.inspect.FloatType: "number",
    msgspec.inspect.BoolType: "true or false",
    msgspec.inspect.NoneType: "null",
}


def _fits(value: Any, info: msgspec.inspect.Type) -> bool:
    """Says whether a value has the declared type at its own level, parts not looked at."""
    match info:
        case msgspec.inspect.UnionType(types=types):
            return any(_fits(value, t) for t in types)
        case msgspec.inspect.AnyType() | msgspec.inspect.RawType():
            return True
        case msgspec.inspect.StrType():
            return isinstance(value, str)
        case msgspec.inspect.BoolType():
            return isinstance(value, bool)
        case msgspec.inspect.IntType():
            # To Python ``True`` is a number; to JSON it is none.
            return isinstance(value, int) and not isinstance(value, bool)
        case msgspec.inspect.FloatType():
            return isinstance(value, int | float) and not isinstance(value, bool)
        case msgspec.inspect.NoneType():
            return value is None
        case msgspec.inspect.LiteralType(values=values):
            # Of the same type, since 1 == True == 1.0 in Python.
            return any(type(value) is type(v) and value == v for v in values)
        case msgspec.inspect.ListType():
            return isinstance(value, list)
        case msgspec.inspect.TupleType(item_types=items):
            return isinstance(value, list) and len(value) == len(items)
        case msgspec.inspect.StructType() | msgspec.inspect.DictType():
            return isinstance(value, dict)
    return False


class _Walk:
    """Compares one value with its type, gathering faults and unknown fields."""

    def __init__(self) -> None:
        self.faults: list[Fault] = []
        self.unknown: list[tuple[tuple[str | int, ...], Any]] = []

    def value(self, value: Any, info: msgspec.inspect.Type, at: tuple[str | int, ...]) -> Any:
        """Returns the value without unknown fields."""
        if isinstance(info, msgspec.inspect.UnionType):
            # The first that fits at its own level: faults of that one are reported, not of all.
            fitting = [t for t in info.types if _fits(value, t)]
            if fitting:
                return self.value(value, fitting[0], at)
        if not _fits(value, info):
            found = "null" if value is None else shorten(value)
            self.faults.append(Fault(render_path(at), "type", describe_type(info), found))
            return value
        match info:
            case msgspec.inspect.StructType():
                return self._struct(value, info, at)
            case msgspec.inspect.ListType(item_type=item):
                return [self.value(v, item, (*at, i)) for i, v in enumerate(value)]
            case msgspec.inspect.TupleType(item_types=items):
                pairs = zip(value, items, strict=True)
                return [self.value(v, t, (*at, i)) for i, (v, t) in enumerate(pairs)]
            case msgspec.inspect.DictType(value_type=item):
                return {k: self.value(v, item, (*at, k)) for k, v in value.items()}
        return value

    def _struct(
        self, value: dict[str, Any], info: msgspec.inspect.StructType, at: tuple[str | int, ...]
    ) -> dict[str, Any]:
        declared = {field.encode_name: field for field in info.fields}
        kept = {}
        for key, item in value.items():
            field = declared.get(key)
            if field is None:
                self.unknown.append(((*at, key), item))
                self.faults.append(Fault(render_path((*at, key)), "unknown", None, shorten(item)))
            else:
                kept[key] = self.value(item, field.type, (*at, key))
        for name, field in declared.items():
            if name not in value and field.required:
                self.faults.append(
                    Fault(render_path((*at, name)), "missing", describe_type(field.type), None)
                )
        return kept


def choose_fields(of: type[T], fields: Mapping[type, str | type]) -> type[T]:
    """Makes a record type that reads only some fields of a native one.

    For files that people shortened, or that tools added to: what a script reads must be there, and
    the rest need not be, nor be of any form. A field that is read has its native type; a record
    inside it that is not named stays as plain values.

    Args:
        of: the native record.
        fields: for each record that is read, its fields, divided by spaces; one with a question
            mark after may be absent (then it is ``UNSET``) or null. Or the type that is read
            instead of a record: ``msgspec.Raw`` for what is not decoded (never null, then), a
            record of its own that inherits it where tools added fields.
    """
    chosen: list[Any] = []
    hints = get_type_hints(of)
    for word in cast("str", fields[of]).split():
        name, kind = word.removesuffix("?"), _choose_inside(hints[word.removesuffix("?")], fields)
        if word.endswith("?"):
            chosen.append((name, kind | UnsetType | None, UNSET))
        else:
            chosen.append((name, kind))
    return cast("type[T]", msgspec.defstruct(of.__name__, chosen, kw_only=True))


def _choose_inside(kind: Any, fields: Mapping[type, str | type]) -> Any:
    """Returns a type with the records inside it replaced."""
    if isinstance(kind, type) and issubclass(kind, Record):
        if isinstance(instead := fields.get(kind), type):
            return _choose_inside(instead, fields)
        return dict[str, Any] if instead is None else choose_fields(kind, fields)
    inner = tuple(_choose_inside(each, fields) for each in get_args(kind))
    if not inner or get_origin(kind) is Literal:
        return kind
    if get_origin(kind) in (Union, UnionType):
        return functools.reduce(operator.or_, inner)
    return get_origin(kind)[inner]


def first_difference(left: Any, right: Any, *, ordered: bool = False) -> str | None:
    """Returns the JSON path of the first place where two JSON values differ; null if equal.

    Stricter than ``==``: ``1``, ``1.0`` and ``true`` are three values.

    Args:
        left: a decoded value.
        right: another.
        ordered: whether objects with the same keys in another order differ.
    """
    return next(_differences(left, right, (), ordered), None)


def _differences(left: Any, right: Any, at: tuple[str | int, ...], ordered: bool) -> Iterator[str]:
    if type(left) is not type(right):
        yield "$" + render_path(at)
    elif isinstance(left, dict):
        for key in left.keys() | right.keys():
            if key not in left or key not in right:
                yield "$" + render_path((*at, key))
            else:
                yield from _differences(left[key], right[key], (*at, key), ordered)
        if ordered and list(left) != list(right):
            yield "$" + render_path(at)
    elif isinstance(left, list):
        for i, (a, b) in enumerate(zip(left, right, strict=False)):
            yield from _differences(a, b, (*at, i), ordered)
        if len(left) != len(right):
            yield "$" + render_path((*at, min(len(left), len(right))))
    elif left != right:
        yield "$" + render_path(at)
