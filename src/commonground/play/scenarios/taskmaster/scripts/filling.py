"""Values put into a script: ``var_NAME`` in texts, in JSON, and in the arguments of calls.

The longest name counts, since ``var_film`` may be the beginning of ``var_film_time``. In JSON the
values are put into the parsed strings, so that a quotation mark in a value cannot break it; white
space and the order of keys stay as the script has them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from random import Random

import msgspec

from commonground.corpora.taskmaster.native.calls import parse_body
from commonground.corpora.taskmaster.script_language import Enter, Hide, Rand, Script

PLACEHOLDER = re.compile(r"var_([A-Za-z0-9_]+)")
# A string of JSON, escaped quotation marks included: "say \"hi\"".
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
# A variable alone in quotation marks: ‘var_drink’.
_QUOTED = re.compile(r"[‘“'\"]var_([A-Za-z0-9_]+)[’”'\"]")
# Generation 4: `call add_order_item request {"quantity": "1"}`.
_JSON = re.compile(r"(?:request|response)\s*(?=[\[{])")
# Generation 3: `name.movie`, `date.showing`.
_DOTTED = re.compile(r"[a-z]+(?:\.[a-z_]+)+")


@lru_cache(maxsize=512)
def _pattern(names: frozenset[str]) -> re.Pattern[str]:
    # The longest first: ``var_film_name`` is not ``var_film`` with something after it.
    ordered = sorted(names, key=lambda name: (-len(name), name))
    return re.compile("var_(" + "|".join(map(re.escape, ordered)) + ")")


def fill(text: str, values: Mapping[str, str]) -> str:
    """Puts values into a text; a placeholder that none is for stays."""
    if not values or "var_" not in text:
        return text
    return _pattern(frozenset(values)).sub(lambda match: values[match[1]], text)


def list_used(text: str, names: Collection[str]) -> list[str]:
    """Returns the variables that a text uses, in order, those of an unknown name as written."""
    found = []
    for match in PLACEHOLDER.finditer(text):
        known = _pattern(frozenset(names)).match(match[0]) if names else None
        found.append(match[1] if known is None else known[1])
    return found


def list_quoted(text: str, names: Collection[str]) -> list[str]:
    """Returns the variables that stand in quotation marks by themselves: a turn must name them."""
    return [match[1] for match in _QUOTED.finditer(text) if match[1] in names]


def fill_json(body: str, values: Mapping[str, str]) -> str:
    """Puts values into the strings of a JSON text, keys included, and nowhere else.

    Raises:
        ValueError: it is not JSON.
    """
    parse_body(body)

    def fill_string(match: re.Match[str]) -> str:
        before = json.loads(match[0])
        after = fill(before, values)
        return match[0] if after == before else json.dumps(after, ensure_ascii=False)

    return _STRING.sub(fill_string, body)


def json_of(body: str) -> str | None:
    """Returns the JSON of a call's or response's body; None where it has plain arguments."""
    match = _JSON.match(body)
    return None if match is None else body[match.end() :]


class ArgumentPair(msgspec.Struct, frozen=True):
    """A plain argument: its name and its value as the script has it."""

    name: str
    value: str


def split_arguments(body: str, names: Collection[str]) -> list[ArgumentPair]:
    """Divides plain arguments: a value runs to the next name.

    Args:
        body: what stands after the API.
        names: what may be a name. Words with a dot between lower-case letters always are, so that
            one that is not declared is found.

    Raises:
        ValueError: it does not begin with a name.
    """
    keys: list[tuple[int, int]] = []
    is_value = False  # a name right after a name is its value: attribute name.genre
    for match in re.finditer(r"\S+", body):
        if not is_value and (match[0] in names or _DOTTED.fullmatch(match[0])):
            keys.append(match.span())
            is_value = True
        elif not keys:
            raise ValueError(match[0])
        else:
            is_value = False
    ends = [start for start, _ in keys[1:]] + [len(body)] if keys else []
    return [
        ArgumentPair(body[start:end], body[end:until].strip())
        for (start, end), until in zip(keys, ends, strict=True)
    ]


def draw_values(script: Script, seed: int) -> dict[str, str]:
    """Returns the values that the worker is not asked for: those given, and those drawn."""
    values = {each.name: each.value for each in script.of(Hide)}
    for each in script.of(Rand):
        # By name: a variable that is added to the script leaves the others' values as they were.
        drawn = Random(f"{seed}:value:{each.name}").randint(each.low, each.high)
        values[each.name] = str(drawn)
    return values


class Match(msgspec.Struct, frozen=True):
    """A stretch of a text that is the value of a variable.

    Attributes:
        start: first code point.
        end: the code point after the last.
        label: the variable's TYPE, which becomes the name of the annotation.
    """

    start: int
    end: int
    label: str


def label_values(
    script: Script, values: Mapping[str, str], labels: Collection[str]
) -> dict[str, str]:
    """Returns the values that stretches of a text may be, each with its label.

    Args:
        script: whose variables they are; numbers that were drawn are none.
        labels: what a stretch may be called; variables of other types are passed over.
    """
    given: Sequence[Hide | Enter] = [*script.of(Hide), *script.of(Enter)]
    return {
        values[each.name]: each.type
        for each in given
        if each.type in labels and values.get(each.name)
    }


def propose_spans(text: str, wanted: Mapping[str, str]) -> list[Match]:
    """Returns the stretches of a text that are values, in order; ``wanted`` has their labels.

    A value counts wherever it stands as whole words, in any case; of two that overlap the longer.
    """
    plain = text.lower()
    taken: list[Match] = []
    for value in sorted(wanted, key=len, reverse=True):
        if value.lower() not in plain:  # most are not, and this is quicker than to search
            continue
        for start, end in (match.span() for match in _word_pattern(value).finditer(text)):
            # Longer values come first, so what overlaps one that is taken is the shorter.
            if all(end <= other.start or other.end <= start for other in taken):
                taken.append(Match(start, end, wanted[value]))
    return sorted(taken, key=lambda each: each.start)


@lru_cache(maxsize=4096)
def _word_pattern(value: str) -> re.Pattern[str]:
    # Not `\b`, which before a value that begins with a sign, such as $5, would want a letter.
    return re.compile(rf"(?<!\w){re.escape(value)}(?!\w)", re.IGNORECASE)
