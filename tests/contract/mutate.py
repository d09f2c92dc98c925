"""Documents with faults: bytes flipped and cut, JSON edited where it hurts."""

from __future__ import annotations

import json
import random
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
    "𝕏" * 50,
    "<selection> ",
    "$[0]",
    [],
    [[]],
    {},
    {"": None},
    [None, {}],
)


def mutate(data: bytes, rng: random.Random) -> bytes:
    """Returns the document with one to three faults."""
    for _ in range(rng.randint(1, 3)):
        data = rng.choice((_flip, _cut, _insert, _edit, _edit, _edit, _edit))(data, rng)
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
    junk = (b"[" * 3000, b"NaN", b"\x00", b'"', b"}", b"\xef\xbb\xbf", b"1e999", b"\\ud800")
    return data[:at] + rng.choice(junk) + data[at:]


def _edit(data: bytes, rng: random.Random) -> bytes:
    """Changes one place of the decoded document; bytes that do not decode stay as they are."""
    try:
        tree = json.loads(data)
    except (ValueError, RecursionError):
        return data
    places = list(_places(tree))
    if not places:
        return data
    parent, key = rng.choice(places)
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
    return json.dumps(tree).encode()


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
