"""Native records: typed structs that lose nothing, and a decoder that reports every fault.

A record declares its fields once. Three things stay apart: an *absent* field (typed
``... | UnsetType = UNSET``), a *null* one (``... | None``) and an *empty* one. Whatever a record
does not declare is reported and kept, so that what was read can be written back.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator
from functools import cache
from typing import Any, Generic, TypeVar, cast

import msgspec
from msgspec import UNSET, UnsetType

from commonground.findings import shorten

__all__ = ["UNSET", "Decoded", "Fault", "Record", "UnsetType", "decode_record", "encode_record"]

T = TypeVar("T")


class Record(
    msgspec.Struct, kw_only=True, forbid_unknown_fields=True, omit_defaults=False, gc=False
):
    """Base of every native record."""


class Fault(msgspec.Struct, frozen=True, gc=False):
    """A place where a value does not have the declared type.

    Attributes:
        path: JSON path below the record: "" or starting with a dot or bracket.
        kind: ``missing``, ``type`` or ``unknown`` (a field that is not declared).
        expected: the declared type in words; null for an unknown field.
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


def decode_record(data: bytes | msgspec.Raw, of: type[T]) -> Decoded[T]:
    """Decodes one JSON record into its declared type.

    Well-formed records take the fast path. For any other the whole value is walked and every
    fault reported; unknown fields alone do not cost the record.

    Raises:
        msgspec.DecodeError: the bytes are not JSON (or not UTF-8, or nested too deeply).
    """
    try:
        return Decoded(_decoder(cast("Hashable", of)).decode(data))
    except msgspec.ValidationError:
        pass
    except (RecursionError, UnicodeDecodeError) as error:
        raise _no_json(error) from None
    try:
        value = msgspec.json.decode(data)
    except (RecursionError, UnicodeDecodeError) as error:
        raise _no_json(error) from None
    return convert_value(value, of)


def _no_json(error: Exception) -> msgspec.DecodeError:
    deep = isinstance(error, RecursionError)
    return msgspec.DecodeError("JSON is nested too deeply" if deep else "text is not UTF-8")


def convert_value(value: Any, of: type[T]) -> Decoded[T]:
    """Turns an already decoded JSON value into its declared type, reporting every fault."""
    walk = _Walk()
    stripped = walk.value(value, _type_info(cast("Hashable", of)), ())
    if any(fault.kind != "unknown" for fault in walk.faults):
        return Decoded(None, walk.faults, walk.unknown)
    try:
        record = msgspec.convert(stripped, of)
    except msgspec.ValidationError as error:
        # The walk and msgspec should agree; where they do not, msgspec's word stands.
        match = re.search(r"^(.*) - at `\$(.*)`$", str(error))
        where, what = (match[2], match[1]) if match else ("", str(error))
        walk.faults.append(Fault(where, "type", what, None))
        return Decoded(None, walk.faults, walk.unknown)
    return Decoded(record, walk.faults, walk.unknown)


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
            return isinstance(value, int) and not isinstance(value, bool)
        case msgspec.inspect.FloatType():
            return isinstance(value, int | float) and not isinstance(value, bool)
        case msgspec.inspect.NoneType():
            return value is None
        case msgspec.inspect.LiteralType(values=values):
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


def first_difference(left: Any, right: Any) -> str | None:
    """Returns the JSON path of the first place where two JSON values differ; null if equal.

    Stricter than ``==``: ``1``, ``1.0`` and ``true`` are three values. Order of keys is free.
    """
    return next(_differences(left, right, ()), None)


def _differences(left: Any, right: Any, at: tuple[str | int, ...]) -> Iterator[str]:
    if type(left) is not type(right):
        yield "$" + render_path(at)
    elif isinstance(left, dict):
        for key in left.keys() | right.keys():
            if key not in left or key not in right:
                yield "$" + render_path((*at, key))
            else:
                yield from _differences(left[key], right[key], (*at, key))
    elif isinstance(left, list):
        for i, (a, b) in enumerate(zip(left, right, strict=False)):
            yield from _differences(a, b, (*at, i))
        if len(left) != len(right):
            yield "$" + render_path((*at, min(len(left), len(right))))
    elif left != right:
        yield "$" + render_path(at)
