from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.play.scenarios.taskmaster.sessions import FREE, SHORT

from commonground.corpora.taskmaster.script_language import parse_script
from commonground.errors import FormatError, SourceError
from commonground.play.scenarios import get_scenario
from commonground.play.scenarios.taskmaster.material import (
    TaskmasterMaterial,
    read_material,
    require_sound,
)
from commonground.play.scenarios.taskmaster.taskmaster4.material import load_bar


def test_a_folder_of_scripts_is_read_in_order(tmp_path: Path) -> None:
    (tmp_path / "b title.script").write_text(SHORT, "utf-8")
    (tmp_path / "a title.txt").write_text(FREE, "utf-8")
    (tmp_path / "notes.md").write_text("not a script", "utf-8")
    assert [each.title for each in read_material(tmp_path)] == ["a title", "b title"]
    assert read_material(tmp_path)[1].script == SHORT


def test_an_ontology_beside_the_scripts_counts(tmp_path: Path) -> None:
    (tmp_path / "a.script").write_text(SHORT, "utf-8")
    (tmp_path / "ontology").mkdir()
    (tmp_path / "ontology" / "apis.json").write_text(
        '{"f": {"apis": ["f"], "args": {"all_of": ["x"]}, '
        '"response": {"type": "list", "keys": ["y"]}}}'
    )
    (tmp_path / "entities.json").write_text(
        '{"m": {"vertical": "v", "required": ["a"], "optional": ["b"]}}'
    )
    (material,) = read_material(tmp_path)
    assert material.labels == ("a", "b")
    assert material.apis is not None
    assert (material.apis["f"].arguments, material.apis["f"].answers) == (("x",), ("y",))


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("a.script", b"{{HIDE x}}{{CONVERSATION}}", r"a\.script: a: The script, line 1, column 1"),
        ("a.script", b"Hello", "no CONVERSATION"),
        ("a.script", b"\xff", "not UTF-8"),
        ("a.md", b"Hello", "holds no scripts"),
    ],
)
def test_what_is_no_script_is_named(tmp_path: Path, name: str, data: bytes, message: str) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(FormatError, match=message):
        read_material(tmp_path)


def test_a_broken_ontology_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.script").write_text(SHORT, "utf-8")
    (tmp_path / "apis.json").write_text("[]")
    with pytest.raises(FormatError, match="ontology"):
        read_material(tmp_path)


def test_a_missing_folder_is_said_to_be_missing(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="cannot be read"):
        read_material(tmp_path / "nowhere")


def test_free_forms_need_room_for_what_they_ask() -> None:
    with pytest.raises(FormatError, match="10 to 5 turns"):
        require_sound(TaskmasterMaterial("x", FREE, most_turns=5))
    with pytest.raises(FormatError, match="no title"):
        require_sound(TaskmasterMaterial(" ", FREE))


@pytest.mark.parametrize("name", ["taskmaster1", "taskmaster3", "taskmaster4"])
def test_material_is_invented_by_the_seed(name: str) -> None:
    invent = get_scenario(name).material_source().invent
    assert invent(30, 1) == invent(30, 1)
    for material in invent(30, 1):
        parse_script(material.script)


def test_every_kind_of_order_is_invented() -> None:
    found = get_scenario("taskmaster4").material_source().invent(1, 1)
    assert {each.title for each in found} == set(load_bar().courses)


def test_the_three_scenarios_share_one_room() -> None:
    rooms = {get_scenario(f"taskmaster{number}").room for number in (1, 3, 4)}
    assert [(room.parent.name, room.name) for room in rooms] == [("taskmaster", "room")]
    assert (rooms.pop() / "game.html").is_file()
