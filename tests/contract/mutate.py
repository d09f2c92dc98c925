"""Documents with faults: bytes flipped and cut, JSON edited where it hurts."""

from __future__ import annotations

import codecs
import json
import random
from collections.abc import Callable
from typing import Any

ODD_VALUES: tuple[Any, ...] = (
    None,
    True,
    -1,
    0,
    10**30,
    1e308,
    0.5,
    "",
    "\u202eabc\u0000",
    "\x1b]52;c;eA==\x07\x9b\r\n\t\x7f\x85\u2028",
    "𝕏" * 50,
    "<selection> ",
    "$[0]",
    "a:b",
    [],
    [[]],
    {},
    {"": None},
    [None, {}],
)

ODD_TEXTS = (
    b"NaN",
    b"-Infinity",
    b"1e999",
    b"-0.0",
    b"1E-400",
    b"9" * 5000,
    b"123456789012345678901234567890.5",
    b'"\\ud800"',
    b'"\\udfff\\ud800x"',
    b'"\xff"',
    b'"\xed\xa0\x80"',
    b'"\xc3"',
    b'"\x00"',
    b'"\\x41"',
    b'"\\u003a\\u0022\\u003A"',
    b"tru",
    b"'single'",
    b'{"a":1,"a":2}',
    b'[{"a":{"b":[],"b":{}}}]',
    b"/* no */ 1",
    *(b"[" * depth + b"]" * depth for depth in (50, 400, 900, 980, 1000, 3000, 100_000)),
    *(b'{"a":' * depth + b"1" + b"}" * depth for depth in (50, 400, 900, 980, 3000)),
)
"""What no writer of JSON writes: beyond the standard, or beyond what readers of it can take."""

_MARK = "@mark@"


def mutate(data: bytes, rng: random.Random) -> bytes:
    """Returns the document with one to three faults."""
    for _ in range(rng.randint(1, 3)):
        data = rng.choice(_KINDS)(data, rng)
    return data


def _flip(data: bytes, rng: random.Random) -> bytes:
    if not data:
        return b"\xff"
    at = rng.randrange(len(data))
    return data[:at] + bytes([rng.randrange(256)]) + data[at + 1 :]


def _cut(data: bytes, rng: random.Random) -> bytes:
    return data[: rng.randrange(len(data) + 1)]


def _insert(data: bytes, rng: random.Random) -> bytes:
    at = rng.randrange(len(data) + 1)
    junk = (
        b"[" * 3000,
        b"NaN",
        b"\x00",
        b'"',
        b"}",
        b"\xef\xbb\xbf",
        b"1e999",
        b"\\ud800",
        b"\xff",
    )
    return data[:at] + rng.choice(junk) + data[at:]


def _recode(data: bytes, rng: random.Random) -> bytes:
    """Writes the document as another tool might: marked, in another encoding, with other ends."""
    text = data.decode(errors="replace")
    match rng.randrange(6):
        case 0:
            return codecs.BOM_UTF8 + data
        case 1:
            return text.encode("utf-16")
        case 2:
            return data.replace(b"\n", b"\r\n")
        case 3:
            return data + rng.choice((b"\n\n", b"x", b"{}", b"\x00", data[:50]))
        case 4:
            return b" \r\n\t" + data
        case _:
            return b"\n".join(rng.sample(lines := data.split(b"\n"), len(lines)))


def _edit(data: bytes, rng: random.Random) -> bytes:
    """Changes one place of the decoded document; bytes that do not decode stay as they are."""

    def change(parent: Any, key: Any, places: list[tuple[Any, Any]]) -> None:
        match rng.randrange(4):
            case 0:
                parent[key] = rng.choice(ODD_VALUES)
            case 1:
                del parent[key]
            case 2 if isinstance(parent, list):
                parent.insert(key, parent[key])
            case 2:
                parent[f"{key}_more"] = parent[key]
            case _:
                other, there = rng.choice(places)
                parent[key] = json.loads(json.dumps(other[there]))

    return _change(data, rng, change)


def _empty(data: bytes, rng: random.Random) -> bytes:
    """Empties a list or object, or takes it out."""

    def change(_parent: Any, _key: Any, places: list[tuple[Any, Any]]) -> None:
        full = [place for place in places if isinstance(place[0][place[1]], list | dict)]
        if full:
            parent, key = rng.choice(full)
            if rng.randrange(2):
                parent[key] = type(parent[key])()
            else:
                del parent[key]

    return _change(data, rng, change)


def _repeat_key(data: bytes, rng: random.Random) -> bytes:
    """Writes a key a second time, with the same value or another."""

    def change(_parent: Any, _key: Any, places: list[tuple[Any, Any]]) -> None:
        keyed = [place for place in places if isinstance(place[0], dict)]
        if keyed:
            parent, key = rng.choice(keyed)
            value = rng.choice((parent[key], *ODD_VALUES))
            items = list(parent.items())
            items.insert(rng.randrange(len(items) + 1), (f"{key}{_MARK}", value))
            parent.clear()
            parent.update(items)

    return _change(data, rng, change).replace(_MARK.encode(), b"")


def _write_odd(data: bytes, rng: random.Random) -> bytes:
    """Puts bytes that no JSON writer would write in the place of a value."""

    def change(parent: Any, key: Any, _places: list[tuple[Any, Any]]) -> None:
        parent[key] = _MARK

    return _change(data, rng, change).replace(f'"{_MARK}"'.encode(), rng.choice(ODD_TEXTS))


_KINDS = (
    *(_flip, _cut, _insert, _recode, _empty),
    *(_edit, _edit, _edit, _edit, _repeat_key, _repeat_key, _write_odd, _write_odd),
)


def _change(
    data: bytes,
    rng: random.Random,
    change: Callable[[Any, Any, list[tuple[Any, Any]]], None],
) -> bytes:
    """Decodes a document, changes it at a place, and writes it; what is no JSON stays as it is."""
    try:
        tree = json.loads(data)
        places = list(_places(tree))
        if places:
            change(*rng.choice(places), places)
        return json.dumps(tree, ensure_ascii=rng.random() < 0.5).encode(errors="surrogatepass")
    except (ValueError, RecursionError):
        return data


def _places(tree: Any) -> list[tuple[Any, Any]]:
    found: list[tuple[Any, Any]] = []
    waiting = [tree] if isinstance(tree, list | dict) else []
    while waiting:
        each = waiting.pop()
        keys: Any = range(len(each)) if isinstance(each, list) else list(each)
        for key in keys:
            found.append((each, key))
            if isinstance(each[key], list | dict):
                waiting.append(each[key])
    return found
