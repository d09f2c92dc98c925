"""What every room's texts must be: all there, in each language, and none for nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import product
from pathlib import Path
from typing import cast

import jinja2
import pytest
from jinja2 import nodes

import commonground.play.rooms as rooms
from commonground.explorer.web.templates import make_environment
from commonground.play.collect.setup.plan import read_plan
from commonground.play.collect.setup.texts import load_texts
from commonground.play.rooms.rendering import STATIC, list_folders
from commonground.play.scenarios import get_scenario, iterate_scenarios

OURS = Path(rooms.__path__[0])
LANGUAGES = ("en", "de")
NAMES = sorted(each.name for each in iterate_scenarios() if each.room.is_dir())
WIRE = frozenset({"malformed", "paused", "not_started", "stuck", "word_blocked", "unknown"})
"""Why the server itself refuses an act, whichever the scenario."""

_LITERAL = re.compile(r"""(["'`])((?:(?!\1)[^\\])*)\1""")
_ASKED = re.compile(r"\btexts(?:\.(\w+)|\[([^]]*)\])(\s*\|\|)?")
_COMPARED = re.compile(r"""[!=]==\s*(["'`])\w*\1""")


class Room:
    """The files of a scenario's pages, ours included, and the texts that they ask for.

    Args:
        name: of the scenario.
    """

    def __init__(self, name: str) -> None:
        scenario = get_scenario(name)
        self.rules = scenario.rules
        self.plan = read_plan(scenario.room)
        self.folders = list_folders(scenario.room, self.plan)
        self.texts = {
            each: load_texts(each, (OURS / "texts", *self.folders)).texts for each in LANGUAGES
        }
        # Of files of one name the last counts, as for browsers.
        self._scripts = [_read(each) for each in self._files(STATIC, "*.js")]
        templates = [*self._files(OURS / "templates", "*.html")]
        self._environment = make_environment(jinja2.FileSystemLoader([]))
        self._trees = [self._environment.parse(_read(each)) for each in templates]
        code = "".join(
            _read(path)
            for folder in (OURS, OURS.parent / "collect", scenario.room.parent)
            for path in sorted(folder.rglob("*.py"))
        )
        below = {*self.calls("below"), *re.findall(r'\.below\("([\w.]+)"\)', code)}
        self.prefixes = {each for each in below if "*" not in each}
        self._spelt = "\n".join((*self._scripts, *map(_read, templates), code))

    def _files(self, ours: Path, pattern: str) -> list[Path]:
        found = {path.name: path for each in (ours, *self.folders) for path in each.glob(pattern)}
        return [found[name] for name in sorted(found)]

    def calls(self, method: str | None) -> Iterator[str]:
        """Yields what templates ask for by ``t(...)``, or a method of it; stars stand for names."""
        for tree in self._trees:
            known: dict[str, list[str]] = {}
            for name, values in _assignments(tree):
                known.setdefault(name, []).extend(values)
            for call in tree.find_all(nodes.Call):
                asked = call.node
                if isinstance(asked, nodes.Getattr) and isinstance(asked.node, nodes.Name):
                    fits = (asked.node.name, asked.attr) == ("t", method)
                else:
                    fits = isinstance(asked, nodes.Name) and asked.name == "t" and method is None
                if fits:
                    yield from _spell(call.args[0], known)

    def of_scripts(self, *, needed: bool = False) -> Iterator[str]:
        """Yields what scripts ask for, without the name of the table that they were given.

        Args:
            needed: whether to leave out what they do without where it is not there.
        """
        for script in self._scripts:
            for name, inside, spare in _ASKED.findall(script):
                if not (needed and spare):
                    chosen = _LITERAL.findall(_COMPARED.sub("", inside))
                    found = [each for _, each in chosen] if inside else [name]
                    yield from (re.sub(r"\$\{[^}]*\}", "*", each) for each in found)

    def asked(self) -> set[str]:
        """Returns what is asked for, by its whole name; stars stand for parts that vary."""
        lists = {f"{each}.*" for each in self.calls("many")}
        scripts = {f"{start}.{each}" for start in self.prefixes for each in self.of_scripts()}
        return {*self.calls(None), *lists, *scripts} - {"*", "*.*"}

    def unused(self) -> set[str]:
        """Returns the names of texts that nothing asks for."""
        fits = [re.compile(re.escape(each).replace(r"\*", r"[\w.-]+")) for each in self.asked()]
        return {
            each
            for each in self.texts["en"]
            if not any(pattern.fullmatch(each) for pattern in fits) and not self._is_named(each)
        }

    def _is_named(self, text: str) -> bool:
        """Says whether a text, or its list, is spelt out where one is chosen by its name."""
        short = {text.removeprefix(f"{each}.") for each in self.prefixes} - {text}
        names = {*short, text, re.sub(r"\.\d+$", "", text)}
        return any(f"{mark}{each}{mark}" in self._spelt for each in names for mark in "\"'`")


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _assignments(tree: nodes.Template) -> Iterator[tuple[str, list[str]]]:
    """Yields what names of a template stand for, where that can be read in it."""
    for each in tree.find_all(nodes.Assign):
        if isinstance(each.target, nodes.Name):
            yield each.target.name, [*_spell(cast("nodes.Expr", each.node), {})]
    for loop in tree.find_all(nodes.For):
        if isinstance(loop.target, nodes.Name):
            among = loop.iter
            listed = among.items if isinstance(among, nodes.List | nodes.Tuple) else None
            words = [["*"]] if listed is None else [[*_spell(each, {})] for each in listed]
            yield loop.target.name, [word for each in words for word in each]


def _spell(node: nodes.Expr | None, known: dict[str, list[str]]) -> Iterator[str]:
    """Yields the texts that an expression may be."""
    if node is None:
        yield ""
    elif isinstance(node, nodes.Const):
        yield str(node.value)
    elif isinstance(node, nodes.Concat):
        yield from map("".join, product(*([*_spell(each, known)] for each in node.nodes)))
    elif isinstance(node, nodes.CondExpr):
        yield from (*_spell(node.expr1, known), *_spell(node.expr2, known))
    elif isinstance(node, nodes.Name):
        yield from known.get(node.name, ["*"])
    else:
        yield "*"


load_room = cache(Room)


@pytest.fixture(params=NAMES)
def room(request: pytest.FixtureRequest) -> Room:
    return load_room(request.param)


def test_all_languages_have_the_same_texts_with_the_same_blanks(room: Room) -> None:
    blanks = [
        {name: sorted(set(re.findall(r"\{\w+\}", text))) for name, text in texts.items()}
        for texts in room.texts.values()
    ]
    assert all(each == blanks[0] for each in blanks)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_refusal_is_said_in_words(room: Room, language: str) -> None:
    codes = {*room.rules.refusals, *WIRE}
    found = room.texts[language]
    assert {code for code in codes if f"script.reject.{code}" not in found} == set()


def test_no_refusal_is_in_words_that_nobody_gives(room: Room) -> None:
    ours = load_texts("en", [OURS / "texts"]).texts
    own = {name for name in room.texts["en"] if name.startswith("script.reject.")} - ours.keys()
    assert {each.rpartition(".")[2] for each in own} <= room.rules.refusals


def test_every_text_that_is_asked_for_is_there(room: Room) -> None:
    found = room.texts["en"]
    scripts = {each for each in room.of_scripts(needed=True) if "*" not in each}
    missing = {
        each for each in scripts if not any(f"{start}.{each}" in found for start in room.prefixes)
    }
    optional = {*found, *room.calls("has")}
    templates = {each for each in room.calls(None) if "*" not in each and each not in optional}
    lists = {each for each in room.calls("many") if "*" not in each and f"{each}.0" not in found}
    assert missing | templates | lists == set()


def test_no_text_of_a_room_is_left_unused(room: Room) -> None:
    ours = load_texts("en", [OURS / "texts"]).texts
    own = {
        name
        for name in room.texts["en"].keys() - ours.keys()
        if not name.startswith(("game.", "script.", "monitor.script."))
    }
    # Whatever else a room says takes the place of a text, or of a list, of ours.
    lists = {name.rpartition(".")[0] for name in ours if name[-1].isdigit()}
    assert {name for name in own if name.rpartition(".")[0] not in lists} == set()
    assert room.unused() - ours.keys() == set()


def test_no_text_of_ours_is_left_unused() -> None:
    assert set.intersection(*(load_room(name).unused() for name in NAMES)) == set()


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_question_has_its_answers(room: Room, language: str) -> None:
    for question in room.plan.quiz:
        base = f"game.quiz.{question.name}"
        assert f"{base}.ask" in room.texts[language]
        assert f"{base}.options.{max(question.right, 1)}" in room.texts[language]
