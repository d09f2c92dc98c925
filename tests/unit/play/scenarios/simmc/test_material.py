from __future__ import annotations

import json
import math
import os
from pathlib import Path

import msgspec
import pytest

from commonground.errors import FormatError, SourceError
from commonground.play.scenario import MaterialSource
from commonground.play.scenarios import get_scenario
from commonground.play.scenarios.frames.material import MATERIAL as FRAMES
from commonground.play.scenarios.simmc.annotation.material import MATERIAL as ANNOTATION
from commonground.play.scenarios.simmc.annotation.material import AnnotationMaterial
from commonground.play.scenarios.simmc.fashion.material import MATERIAL as FASHION
from commonground.play.scenarios.simmc.fashion.material import require_sound
from commonground.play.scenarios.simmc.furniture.material import MATERIAL as FURNITURE
from commonground.play.scenarios.simmc.furniture.material import make_form
from commonground.play.sessions import play_sessions, seat_players

DATA = os.environ.get("COMMONGROUND_DATA")
OWN = "id,type,price,brand,customerRating,availableSizes,color\n"
NAMED = ("shots/red.png", *[""] * 6, "shots/7.png", "", "")
ROW = "{},coat,$30,Otter Lane,4.1,S; M,red\n"


def test_invented_tasks_can_be_played_and_are_read_again(tmp_path: Path) -> None:
    invented = FASHION.invent(3, 1)
    for each in invented:
        require_sound(each)
    FASHION.write(invented, tmp_path, 1)
    folder = tmp_path / "simmc_fashion"
    assert (tmp_path / "images" / (invented[0].items[0].pictures["front"])).is_file()
    read = FASHION.read(folder)
    count = len(json.loads((folder / "fashion_metadata.json").read_bytes()))
    assert len(read) == math.ceil(count / 10)
    assert [len(each.task.memory_images) for each in read[:2]] == [3, 0]
    assert [len(each.task.database_images) for each in read[:2]] == [6, 9]


def test_tasks_of_dialogues_are_taken_with_their_catalogue(tmp_path: Path) -> None:
    scenario = get_scenario("simmc-fashion")
    play_sessions(scenario, seat_players(scenario, {}), tmp_path, sessions=3, seed=1)
    tasks = [each.task.task_id for each in FASHION.read(tmp_path / "simmc_fashion")]
    assert tasks
    assert set(tasks) <= {each.task.task_id for each in FASHION.invent(3, 1)}


def test_own_clothes_come_with_their_pictures(tmp_path: Path) -> None:
    (tmp_path / "catalogue.csv").write_text(OWN + "".join(ROW.format(n) for n in range(10, 20)))
    (tmp_path / "pictures").mkdir()
    (tmp_path / "pictures" / "12.jpg").write_bytes(b"")
    (material,) = FASHION.read(tmp_path)
    item = next(each for each in material.items if each.number == 12)
    assert item.pictures == {"front": "pictures/12.jpg"}
    assert item.facts["availableSizes"] == ["S", "M"]
    assert item.seen == {"type": "coat", "color": ["red"]}


def test_a_catalogue_can_name_its_pictures(tmp_path: Path) -> None:
    rows = "".join(f"{n},coat,$30,Otter Lane,4.1,S,red,{name}\n" for n, name in enumerate(NAMED))
    (tmp_path / "catalogue.csv").write_text(OWN.strip() + ",picture\n" + rows)
    (tmp_path / "shots").mkdir()
    for name in ("shots/red.png", "shots/red_left.png", "3.png", "shots/7.png"):
        (tmp_path / name).write_bytes(b"")
    (material,) = FASHION.read(tmp_path)
    found = {each.number: each.pictures for each in material.items if each.pictures}
    assert found == {
        0: {"front": "shots/red.png", "left": "shots/red_left.png"},
        3: {"front": "3.png"},
        7: {"front": "shots/7.png"},
    }
    assert FASHION.remarks is not None
    assert FASHION.remarks([material]) == [
        "There is no picture of 7 of 10 items, which are drawn: 1, 2, 4, 5, 6 and 2 more."
    ]


def test_furniture_names_its_pictures_and_what_has_only_a_front(tmp_path: Path) -> None:
    FURNITURE.write(FURNITURE.invent(1, 1), tmp_path, None)
    folder = tmp_path / "simmc_furniture"
    path = folder / "furniture_metadata.csv"
    head, first, *rest = path.read_text().splitlines()
    lines = [f"{head},picture", f"{first},my.jpg", *(f"{each}," for each in rest)]
    (folder / "catalogue.csv").write_text("\n".join(lines))
    path.unlink()
    (folder / "my.jpg").write_bytes(b"")
    (material,) = FURNITURE.read(folder)
    assert material.items[0].pictures == {"front": "my.jpg"}
    assert "picture" not in material.items[0].facts
    assert FURNITURE.remarks is not None
    bare, flat = FURNITURE.remarks([material])
    assert bare.startswith("There is no picture of 79 of 80 items, which are drawn: 50002, 50003")
    assert flat.startswith("There is a picture of the front only of 1 of 80 items")


def test_a_catalogue_without_any_picture_is_said_so() -> None:
    (material,) = FURNITURE.invent(1, 1)
    bare = [msgspec.structs.replace(each, pictures={}) for each in material.items]
    assert FURNITURE.remarks is not None
    (said,) = FURNITURE.remarks([msgspec.structs.replace(material, items=tuple(bare))])
    assert said.startswith("No item has a picture")
    assert FURNITURE.remarks([material]) == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            OWN.strip() + ",picture\n1,coat,$3,x,4,S,red,gone.png\n",
            r"line 2, picture: expected a picture in .*, found 'gone.png'",
        ),
        (OWN.replace(",brand", "") + "1,coat,$3,4,S,red\n", "line 1: the column brand is missing"),
        (OWN + ROW.format("x1"), "line 2, id: expected a number, found 'x1'"),
        (
            OWN + ROW.format(1) + "2,coat\n",
            "line 3, price: expected a value .*: 7, found 2",
        ),
        (
            OWN + ROW.format(1) + "2,coat,$3,x,4,S,red,or\n",
            "line 3, behind color: .*found 8",
        ),
        (
            OWN + ROW.format(3) + ROW.format(4) + ROW.format(3),
            "line 4, id: expected another number than that of line 2, found '3'",
        ),
        (OWN + "1,coat,cheap,x,4,S,red\n", "line 2, price: .*found 'cheap'.*such as [$]30"),
        (OWN + "1,coat,$3,x,good,S,red\n", "line 2, customerRating: .*found 'good'"),
        (OWN + "1,,$3,x,4,S,red\n", "line 2, type: expected a value"),
        (OWN.replace(",", ";"), "line 1: .*found semicolons.*with commas"),
        (OWN.replace("brand", "type"), "line 1: the column type is there twice"),
        (OWN + "".join(ROW.format(n) for n in range(9)), "a task takes ten items, and there are 9"),
        (OWN.replace("color", "color,weight") + "1,coat,$3,x,4,S,red,9\n", "line 2: .*weight"),
    ],
)
def test_faults_of_an_own_catalogue_are_located(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "catalogue.csv").write_text(text)
    with pytest.raises(FormatError, match=words):
        FASHION.read(tmp_path)


@pytest.mark.parametrize(
    ("source", "name"),
    [(FASHION, "catalogue.csv"), (FURNITURE, "catalogue.csv"), (FRAMES, "packages.csv")],
)
def test_tables_of_ones_own_are_read_alike(
    tmp_path: Path, source: MaterialSource, name: str
) -> None:
    for data, words in (
        ("id,price\n1,3\n".encode("utf-16"), "line 1: expected UTF-8, found UTF-16"),
        (
            "id,name\n1,Köln\n".encode("latin-1"),
            "line 2, name: expected UTF-8, found the byte 0xf6",
        ),
        (b"id;price\n1;3\n", "line 1: .*found semicolons"),
        (b"id,id\n", "line 1: the column id is there twice"),
    ):
        (tmp_path / name).write_bytes(data)
        with pytest.raises(FormatError, match=f"^{name}, {words}"):
            source.read(tmp_path)


def test_furniture_of_ones_own_has_different_numbers(tmp_path: Path) -> None:
    FURNITURE.write(FURNITURE.invent(1, 1), tmp_path, None)
    lines = (tmp_path / "simmc_furniture/furniture_metadata.csv").read_text().splitlines()
    (tmp_path / "catalogue.csv").write_text("\n".join([*lines[:3], lines[1]]))
    with pytest.raises(FormatError, match=r"line 4, obj: expected another number .* line 2"):
        FURNITURE.read(tmp_path)


def test_every_row_is_in_a_task(tmp_path: Path) -> None:
    rows = "".join(ROW.format(number).replace("$30", "30") for number in range(13))
    (tmp_path / "catalogue.csv").write_text(OWN + rows)
    tasks = FASHION.read(tmp_path)
    assert [len(each.items) for each in tasks] == [10, 10]
    assert {item.number for each in tasks for item in each.items} == set(range(13))
    assert {item.price for each in tasks for item in each.items} == {"$30"}


def test_a_broken_released_catalogue_is_located(tmp_path: Path) -> None:
    (tmp_path / "fashion_metadata.json").write_text('{"12": {"metadata": {}, "url": "x"}}')
    with pytest.raises(FormatError, match=r"fashion_metadata.json: .*12"):
        FASHION.read(tmp_path)


@pytest.mark.parametrize("source", [FASHION, FURNITURE])
def test_a_folder_must_hold_a_catalogue(tmp_path: Path, source: object) -> None:
    assert source in (FASHION, FURNITURE)
    with pytest.raises(SourceError, match="has neither"):
        (FASHION if source is FASHION else FURNITURE).read(tmp_path)


def test_furniture_is_read_as_it_was_written(tmp_path: Path) -> None:
    (invented,) = FURNITURE.invent(1, 1)
    FURNITURE.write([invented], tmp_path, 1)
    for side in ("", "_left", "_up"):
        picture = f"{invented.items[0].number}{side}.png"
        assert (tmp_path / "images/simmc_furniture/figures" / picture).is_file()
    (read,) = FURNITURE.read(tmp_path / "simmc_furniture")
    assert [each.facts for each in read.items] == [each.facts for each in invented.items]
    assert [each.seen for each in read.items] == [each.seen for each in invented.items]
    assert make_form(read.items) == make_form(invented.items)


def test_pictures_of_sides_are_found_by_name(tmp_path: Path) -> None:
    (invented,) = FURNITURE.invent(1, 1)
    FURNITURE.write([invented], tmp_path, None)
    folder, number = tmp_path / "simmc_furniture", invented.items[0].number
    for name in (f"{number}.png", f"{number}_left.png", f"{number}_askew.png"):
        (folder / name).write_bytes(b"")
    item = FURNITURE.read(folder)[0].items[0]
    assert item.pictures == {"front": f"{number}.png", "left": f"{number}_left.png"}
    assert item.picture("left") == f"{number}_left.png"
    assert item.picture("up") == f"{number}.png"


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("models/50001.zip", "models", "line 2, obj: expected a number"),
        ("sale_price", "dear", "line 1: the column sale_price is missing"),
    ],
)
def test_faults_of_furniture_are_located(tmp_path: Path, old: str, new: str, words: str) -> None:
    FURNITURE.write(FURNITURE.invent(1, 1), tmp_path, None)
    path = tmp_path / "simmc_furniture" / "furniture_metadata.csv"
    path.write_text(path.read_text().replace(old, new))
    with pytest.raises(FormatError, match=words):
        FURNITURE.read(path.parent)


def test_what_was_collected_can_be_labelled(tmp_path: Path) -> None:
    for name in ("fashion", "furniture"):
        scenario = get_scenario(f"simmc-{name}")
        folder = tmp_path / name
        folder.mkdir()
        play_sessions(scenario, seat_players(scenario, {}), folder, sessions=3, seed=1)
    read = ANNOTATION.read(tmp_path)
    assert [each.domain for each in read] == ["fashion"] * 3 + ["furniture"] * 3
    assert all(each.calls and each.items for each in read)
    assert all((each.task is not None) == (each.domain == "fashion") for each in read)
    with pytest.raises(FormatError, match="holds no dialogues"):
        ANNOTATION.read(tmp_path / "fashion" / "extra")


def test_annotation_keeps_the_whole_catalogue(tmp_path: Path) -> None:
    scenario = get_scenario("simmc-furniture")
    (tmp_path / "in").mkdir()
    play_sessions(scenario, seat_players(scenario, {}), tmp_path / "in", sessions=2, seed=1)
    name = "simmc_furniture/furniture_metadata.csv"
    ANNOTATION.write(ANNOTATION.read(tmp_path / "in"), tmp_path / "out", None)
    assert ANNOTATION.whole
    rows = [sorted((tmp_path / each / name).read_text().split()) for each in ("in", "out")]
    assert rows[0] == rows[1]


def test_labels_are_empty_before_annotation(tmp_path: Path) -> None:
    dialogues = json.loads(play_fashion(tmp_path).read_bytes())["dialogue_data"]
    for turn in (turn for each in dialogues for turn in each["dialogue"]):
        assert turn["transcript_annotated"] == turn["system_transcript_annotated"] == "[]"
        empty = ("belief_state", "system_belief_state", "turn_label", "system_turn_label")
        assert [turn[each] for each in empty] == [[], [], [], []]


def play_fashion(folder: Path) -> Path:
    """Writes collected dialogues and their catalogue, with pictures; returns the dialogues."""
    scenario = get_scenario("simmc-fashion")
    play_sessions(scenario, seat_players(scenario, {}), folder, sessions=2, seed=1)
    return folder / "simmc_fashion" / "fashion_collected_dials.json"


def test_pictures_of_an_export_are_named_from_its_top(tmp_path: Path) -> None:
    play_fashion(tmp_path)
    pictures = {path for each in ANNOTATION.read(tmp_path) for path in pictures_of(each)}
    assert pictures
    assert all((tmp_path / each).is_file() for each in pictures)
    # The other domain may have things of the same numbers.
    (tmp_path / "images" / "simmc_fashion").rename(tmp_path / "images" / "simmc_furniture")
    assert not any(pictures_of(each) for each in ANNOTATION.read(tmp_path))


def pictures_of(material: AnnotationMaterial) -> list[str]:
    return [path for item in material.items for path in item.pictures.values()]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('"state_graph_0":', '"state_graph_x":', r"dialogue\[0\]: expected state graphs"),
        ('"dialogue_coref_map":', '"coref":', "dialogue_coref_map: expected the things"),
        ('"dialogue_coref_map":{"', '"dialogue_coref_map":{"x', "numbers of the catalogue"),
        ('"dialogue_idx":', '"idx":', "idx"),
    ],
)
def test_what_cannot_be_labelled_is_located(tmp_path: Path, old: str, new: str, words: str) -> None:
    path = play_fashion(tmp_path)
    path.write_text(path.read_text().replace(old, new, 1))
    with pytest.raises(FormatError, match=rf"^fashion_collected_dials\.json: .*{words}"):
        ANNOTATION.read(tmp_path)


def test_actions_must_be_as_many_as_turns(tmp_path: Path) -> None:
    path = play_fashion(tmp_path)
    beside = path.with_name("fashion_collected_dials_api_calls.json")
    calls = json.loads(beside.read_bytes())
    calls[0]["actions"].pop()
    beside.write_text(json.dumps(calls))
    with pytest.raises(FormatError, match="expected an action for each of"):
        ANNOTATION.read(tmp_path)
    beside.unlink()
    (path.parent / "fashion_metadata.json").unlink()
    assert not any(each.calls or each.items for each in ANNOTATION.read(tmp_path))


def test_a_study_is_to_be_exported_first(tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text("")
    with pytest.raises(FormatError, match="is a study, not an export") as raised:
        ANNOTATION.read(tmp_path)
    assert f"collect export {tmp_path} OUT --pictures" in str(raised.value.advice)


@pytest.mark.skipif(DATA is None, reason="COMMONGROUND_DATA names no folder of released files")
def test_all_released_tasks_can_be_played() -> None:
    materials = FASHION.read(Path(DATA or "") / "simmc1" / "fashion")
    assert len(materials) == 366
    assert sum(len(each.items) == 9 for each in materials) == 3
