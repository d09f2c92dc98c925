"""The texts of the pages: of everything there is one, in each language."""

from __future__ import annotations

import re

import pytest

from commonground.corpora.frames.vocabulary import ACTS, LABELS, MARKS, SLOTS
from commonground.play.collect.setup.plan import read_plan
from commonground.play.collect.setup.texts import Texts, load_texts
from commonground.play.rooms.rendering import HERE
from commonground.play.scenarios import get_scenario
from commonground.play.scenarios.frames.rules import SCENARIO

ROOM = get_scenario("frames").room
LANGUAGES = ("en", "de")


def load(language: str) -> Texts:
    return load_texts(language, [HERE / "texts", ROOM])


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_refusal_slot_and_act_has_words(language: str) -> None:
    texts = load(language).texts
    acts = frozenset().union(*ACTS.values())
    wanted = {f"script.reject.{code}" for code in SCENARIO.refusals}
    wanted |= {f"game.page.slot.{slot}" for slot in SLOTS | MARKS}
    wanted |= {f"game.page.act.{act}" for act in acts}
    assert wanted <= texts.keys()


def test_languages_have_the_same_texts_with_the_same_gaps() -> None:
    one, other = (load_texts(language, [ROOM]).texts for language in LANGUAGES)
    assert one.keys() == other.keys()
    for name, text in one.items():
        gaps = [sorted(re.findall(r"\{\w+\}", each)) for each in (text, other[name])]
        assert gaps[0] == gaps[1], name


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_quiz_has_its_questions_and_answers(language: str) -> None:
    texts = load(language)
    for question in read_plan(ROOM).quiz:
        assert texts(f"game.quiz.{question.name}.ask")
        assert question.right < len(texts.many(f"game.quiz.{question.name}.options"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_practice_has_its_lines_and_answers(language: str) -> None:
    texts = load(language)
    fields = read_plan(ROOM).practice
    assert len(fields) >= 4
    for field in fields:
        part = f"game.warm_up.{field.name}"
        assert texts(f"{part}.by") in ("user", "wizard")
        assert texts(f"{part}.says")
        assert texts(f"{part}.ask")
        assert int(field.right) < len(texts.many(f"{part}.options"))


def test_every_slot_is_offered_in_a_group() -> None:
    text = (ROOM / "parts.js").read_text()
    groups = text[text.index("const GROUPS") : text.index("};", text.index("const GROUPS"))]
    offered = set(re.findall(r'"(\w+)"', groups))
    assert offered == SLOTS - LABELS


def test_every_text_that_the_scripts_name_is_there() -> None:
    known = load("en").below("game.page")
    scripts = [path for path in ROOM.glob("*.js") if path.name != "seat.js"]
    named = {name for path in scripts for name in re.findall(r"\btexts\.(\w+)", path.read_text())}
    assert named
    assert named <= known.keys()
