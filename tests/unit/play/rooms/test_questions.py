"""Questions of the researcher's own: asked once, in exports, and gone with their person."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.unit.play.rooms.conftest import Server
from tests.unit.play.rooms.leaving import see_everybody_out
from tests.unit.play.rooms.people import Visitor

from commonground.errors import FormatError
from commonground.play.collect.erasing import erase_named
from commonground.play.collect.exports.exporting import export_study
from commonground.play.collect.identities import Identity
from commonground.play.collect.setup.questions import Question
from commonground.play.collect.setup.study import open_study

ASKED = """
[[questions]]
name = "age"
when = "before"
kind = "choice"
ask = {en = "How old are you?", de = "Wie alt sind Sie?"}
options = {en = ["under 25", "25 or more"], de = ["unter 25", "25 oder mehr"]}

[[questions]]
name = "attention"
when = "before"
kind = "choice"
ask = {en = "Please choose the second.", de = "Bitte wählen Sie das zweite."}
options = {en = ["one", "two"], de = ["eins", "zwei"]}
right = 1

[[questions]]
name = "fun"
kind = "scale"
points = 7
ask = {en = "How much fun was it?", de = "Wie viel Spaß hat es gemacht?"}
low = {en = "none", de = "keinen"}

[[questions]]
name = "remarks"
optional = true
ask = {en = "Anything else?", de = "Noch etwas?"}
"""


@pytest.fixture
def asking(study: Path) -> Path:
    path = study / "study.toml"
    path.write_text(path.read_text(encoding="utf-8") + ASKED, encoding="utf-8")
    return study


def answers_of(study: Path) -> list[dict[str, str]]:
    out = study.parent / "OUT"
    export_study(open_study(study), out, force=True)
    text = (out / "extra" / "answers.csv").read_text(encoding="utf-8-sig")
    return list(csv.DictReader(text.splitlines()))


def test_they_are_asked_once_and_exported(asking: Path, serve: Callable[..., Server]) -> None:
    server = serve()
    visitor = Visitor(server)
    page = visitor.fill("consent", agree="yes")
    assert "How old are you?" in page
    assert "How much fun" not in page
    page = visitor.fill("questions", age="1", attention="7")
    assert "Answer all questions" in page
    assert 'name="age" value="1" required checked' in page
    page = visitor.fill("questions", age="1", attention="0")
    assert "How old are you?" not in page
    visitor.fill("questions", age="0", attention="1")
    server.kill()
    age, attention = answers_of(asking)
    assert (age["question"], age["answer"], age["option"]) == ("age", "1", "25 or more")
    assert (attention["option"], attention["right"]) == ("one", "false")
    pid = visitor.token.partition("-")[0]
    erase_named(open_study(asking), pid)
    assert answers_of(asking) == []


def test_afterwards_they_can_be_skipped(asking: Path, serve: Callable[..., Server]) -> None:
    tokens = see_everybody_out(asking, lambda number: Identity("plain", f"person {number}"))
    server = serve()
    visitor = Visitor(server)
    visitor.here = f"/p/{tokens['completed']}"
    page = visitor.look()
    assert "How much fun was it?" in page
    assert "Thank you!" not in page
    assert "Answer all questions" in visitor.fill("questions", remarks="no")
    assert "Thank you!" in visitor.fill("questions", skip="yes", remarks="no")
    assert "Thank you!" in visitor.look()
    for other in ("withdrew", "timed_out"):
        visitor.here = f"/p/{tokens[other]}"
        assert "How much fun was it?" not in visitor.look()


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('name = "fun"', 'name = "age"', "age: the name is there twice"),
        ('name = "fun"', 'name = "Fun!"', "lower-case letters"),
        ('en = "How much fun was it?", ', "", "fun: ask.en is missing"),
        ("right = 1", "right = 2", "right is the number of an option"),
        ('["eins", "zwei"]', '["eins"]', "needs at least two"),
        ("points = 7", "points = 1", "points are between"),
    ],
)
def test_questions_that_cannot_be_asked_are_named(
    asking: Path, old: str, new: str, said: str
) -> None:
    path = asking / "study.toml"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(FormatError, match=said):
        open_study(asking)


@pytest.mark.parametrize(
    ("kind", "given", "answer"),
    [
        ("text", "  fine  ", "fine"),
        ("text", "   ", None),
        ("scale", "5", 5),
        ("scale", "0", None),
        ("scale", "6", None),
        ("choice", "1", 1),
        ("choice", "2", None),
        ("choice", "²", None),
    ],
)
def test_answers_are_of_their_kind(kind: str, given: str, answer: object) -> None:
    options = {"en": ["a", "b"]}
    question = Question(name="q", kind=kind, ask={"en": "?"}, options=options)  # type: ignore[arg-type]
    assert question.read(given) == answer
