"""Invented scripts, put together from scenes: pieces of a conversation that are kept as data.

A scene is lines of the script language with three abbreviations:

``? `` before a line
    it is left out of three scripts in five.
``a || b``
    one of the two; after ``hint user`` and so on the words only.
``var_NAME_*`` and ``var_NAME_!``
    all of several values, as a list in words or as arguments, and the one that is chosen.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from random import Random

import msgspec

from commonground.corpora.taskmaster import script_language as language
from commonground.play.scenarios.taskmaster.scripts.filling import list_used

# Share of the lines that may be left out that are kept: scripts of one scene differ.
_KEPT = 0.4
# `name.movie var_film_*` of a call becomes `name.movie var_film_1 name.movie var_film_2`.
_ALL_ARGUMENTS = re.compile(r"(\S+) var_(\w+?)_\*")
# `var_film_*` of a turn becomes `var_film_1 and var_film_2`.
_ALL = re.compile(r"var_(\w+?)_\*")
# `var_film_!` becomes `var_film_2`, where the second one is chosen.
_ONE = re.compile(r"var_(\w+?)_!")
# What is said and what stands around it: `hint user (`, the words, `)`.
_HEAD = re.compile(r"((?:hint|force) (?:user|assistant) \(?)(.*?)(\)?)")


class ScriptFrame(msgspec.Struct, frozen=True):
    """What all scripts of a kind say.

    Attributes:
        prose: what the dialogue is about.
        points: how to write it.
        checks: what to confirm in the end, by name.
    """

    prose: str
    points: tuple[str, ...]
    checks: dict[str, str]


class Several(msgspec.Struct, frozen=True):
    """How many values of a name there are, and which of them is chosen, from 1."""

    count: int
    chosen: int = 1


def write_script(
    frame: ScriptFrame,
    directives: Iterable[language.Hide | language.Enter | language.Rand | language.ScriptList],
    scenes: Iterable[str],
    several: Mapping[str, Several],
    rng: Random,
) -> str:
    """Writes the text of a script.

    Args:
        directives: values, questions and lists in order; values that nothing uses are left out.
        scenes: the conversation, piece by piece.
        several: of the names that stand for several values.
        rng: which words are chosen, and which lines left out.
    """
    lines = [
        _expand(line.removeprefix("? "), several, rng)
        for scene in scenes
        for line in scene.strip().split("\n")
        if not line.startswith("? ") or rng.random() < _KEPT
    ]
    body = "\n".join(lines)
    made = list(directives)
    names = [each.name for each in made if not isinstance(each, language.ScriptList)]
    asked = [each.prompt for each in made if isinstance(each, language.Enter)]
    used = {*list_used(body, names), *list_used(" ".join(asked), names)}
    parts: list[language.Part] = [
        language.Prose(frame.prose),
        language.ScriptList(tuple(f" {item}" for item in frame.points)),
        language.Prose("\n\n"),
    ]
    for each in made:
        if isinstance(each, language.ScriptList | language.Enter) or each.name in used:
            parts += [each, language.Prose("\n")]
    # Through the reader, so that an invented script has no line that a written one could not have.
    script, _ = language.read_script("{{CONVERSATION\n" + body + "\n}}")
    parts += [language.Prose("\n"), script.of(language.Conversation)[0], language.Prose("\n")]
    for name, text in frame.checks.items():
        parts += [language.Prose("\n"), language.Check(name, text)]
    return language.print_script(language.Script(tuple(parts)))


def _expand(line: str, several: Mapping[str, Several], rng: Random) -> str:
    head = _HEAD.fullmatch(line)
    before, words, after = ("", line, "") if head is None else head.groups()
    words = rng.choice(words.split(" || "))
    words = _ONE.sub(lambda match: f"var_{match[1]}_{several[match[1]].chosen}", words)
    if head is None:
        words = _ALL_ARGUMENTS.sub(
            lambda match: " ".join(
                f"{match[1]} var_{match[2]}_{n}" for n in _numbers(several[match[2]])
            ),
            words,
        )
    else:
        words = _ALL.sub(
            lambda match: _join_words([f"var_{match[1]}_{n}" for n in _numbers(several[match[1]])]),
            words,
        )
    return before + words + after


def _numbers(several: Several) -> range:
    return range(1, several.count + 1)


def _join_words(words: Sequence[str]) -> str:
    """Writes words as a list: ``a, b and c``."""
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " and " + words[-1]
