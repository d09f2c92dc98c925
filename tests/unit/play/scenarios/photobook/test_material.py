from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random

import msgspec
import pytest

from commonground.errors import CommongroundError, FormatError, SourceError
from commonground.play.scenarios.photobook.material import (
    MATERIAL,
    Board,
    GamePage,
    PhotobookMaterial,
    check_material,
    deal_pages,
)
from commonground.play.scenarios.photobook.rules import SCENARIO

IMAGES = [f"dogs/dog{n}.jpg" for n in range(12)]


@pytest.fixture(params=[0, 1])
def material(request: pytest.FixtureRequest) -> PhotobookMaterial:
    return deal_pages(IMAGES, request.param, Random(7))


def test_dealt_pages_keep_what_holds_in_released_games(material: PhotobookMaterial) -> None:
    assert check_material(material) == []
    shown = Counter(
        path for page in material.pages for board in (page.A, page.B) for path in board.images
    )
    assert shown == dict.fromkeys(IMAGES, 5)
    assert sorted(len(page.common()) for page in material.pages) == [2, 3, 4, 4, 4]
    both = [len({*page.A.targets} & {*page.B.targets}) for page in material.pages]
    assert (
        sorted(both, reverse=True)
        == {"I": [2, 2, 2, 1, 0], "II": [2, 2, 2, 1, 1]}[material.schedule]
    )
    distinct = {len({*page.A.targets, *page.B.targets}) for page in material.pages}
    assert distinct <= {4, 5, 6}


def test_right_labels_are_common_as_often_as_in_released_games() -> None:
    wanted = {0: 16, 1: 18}  # of 30, by schedule
    for domain_id, number in wanted.items():
        pages = deal_pages(IMAGES, domain_id, Random(1)).pages
        labels = [label for p in pages for role in "AB" for label in p.goal(role).values()]
        assert labels.count("common") == number


def replace_page(material: PhotobookMaterial, number: int, page: GamePage) -> PhotobookMaterial:
    pages = [*material.pages]
    pages[number] = page
    return msgspec.structs.replace(material, pages=tuple(pages))


def drop_page(material: PhotobookMaterial) -> PhotobookMaterial:
    return msgspec.structs.replace(material, pages=material.pages[:4])


def show_twice(material: PhotobookMaterial) -> PhotobookMaterial:
    board = material.pages[2].A
    images = (board.images[1], *board.images[1:])
    page = GamePage(Board(images, board.highlighted), material.pages[2].B)
    return replace_page(material, 2, page)


def highlight_all(material: PhotobookMaterial) -> PhotobookMaterial:
    board = Board(material.pages[1].B.images, (True,) * 6)
    return replace_page(material, 1, GamePage(material.pages[1].A, board))


def show_a_stranger(material: PhotobookMaterial) -> PhotobookMaterial:
    board = material.pages[0].A
    images = ("cats/cat.jpg", *board.images[1:])
    return replace_page(
        material, 0, GamePage(Board(images, board.highlighted), material.pages[0].B)
    )


def repeat_a_page(material: PhotobookMaterial) -> PhotobookMaterial:
    return replace_page(material, 4, material.pages[0])


def show_both_the_same(material: PhotobookMaterial) -> PhotobookMaterial:
    page = material.pages[0]
    return replace_page(material, 0, GamePage(page.A, page.A))


def name_the_other_schedule(material: PhotobookMaterial) -> PhotobookMaterial:
    return msgspec.structs.replace(material, domain_id=1, schedule="II")


def name_another_id(material: PhotobookMaterial) -> PhotobookMaterial:
    return msgspec.structs.replace(material, domain_id=3)


def order_twice(material: PhotobookMaterial) -> PhotobookMaterial:
    return msgspec.structs.replace(material, order=(0, 1, 2, 3, 3))


@pytest.mark.parametrize(
    ("damage", "path", "expected", "found"),
    [
        (drop_page, ".pages", "5 pages", "4"),
        (show_twice, ".pages[2].A.images", "6 different images", "6 images, 5 different"),
        (highlight_all, ".pages[1].B.highlighted", "6 flags, 3 true", "6 flags, 6 true"),
        (show_a_stranger, ".pages", "12 different images", "13"),
        (repeat_a_page, ".pages", "4, 4, 4, 3 and 2 common images", "4, 4, 4, 3, 3"),
        (show_both_the_same, ".pages[0]", "2 images or fewer highlighted for both", "3"),
        (show_a_stranger, ".pages", "images of one folder", "cats, dogs"),
        (name_the_other_schedule, ".schedule", "another name, or the pages", "II"),
        (name_another_id, ".domain_id", "an even number, for schedule I", "3"),
        (order_twice, ".order", "0 to 4, each once", "[0, 1, 2, 3, 3]"),
    ],
)
def test_broken_material_is_refused_with_what_and_where(
    damage: Callable[[PhotobookMaterial], PhotobookMaterial], path: str, expected: str, found: str
) -> None:
    broken = damage(deal_pages(IMAGES, 0, Random(7)))
    places = check_material(broken)
    assert any(
        place.path == path and (place.expected or "").startswith(expected) and place.found == found
        for place in places
    ), places
    with pytest.raises(FormatError, match=r"Domain \d, "):
        SCENARIO.start(broken, 1)


def test_material_of_another_schedule_can_be_played() -> None:
    own = msgspec.structs.replace(deal_pages(IMAGES, 0, Random(7)), schedule="ours", domain_id=99)
    assert check_material(own) == []
    assert SCENARIO.start(own, 1).round == 1


def make_images(folder: Path, number: int = 12, ending: str = "jpg") -> None:
    folder.mkdir(parents=True)
    for each in range(number):
        (folder / f"IMG_{each:02d}.{ending}").touch()


def test_a_folder_of_sets_is_dealt_by_both_schedules(tmp_path: Path) -> None:
    make_images(tmp_path / "dogs")
    make_images(tmp_path / "cats", ending="PNG")
    (tmp_path / "notes.txt").touch()
    found = MATERIAL.read(tmp_path)
    assert [(each.domain_id, each.schedule) for each in found] == [
        *((0, "I"), (1, "II"), (2, "I"), (3, "II")),
    ]
    assert found[0].pages[0].A.images[0].startswith("cats/IMG_")
    assert found == MATERIAL.read(tmp_path)
    assert [check_material(each) for each in found] == [[], [], [], []]


def test_a_folder_of_images_is_a_set(tmp_path: Path) -> None:
    make_images(tmp_path / "dogs")
    found = MATERIAL.read(tmp_path / "dogs")
    assert {path.partition("/")[0] for path in found[0].pages[0].A.images} == {"dogs"}


def test_ids_are_taken_from_the_list_of_domains(tmp_path: Path) -> None:
    make_images(tmp_path / "images" / "dogs")
    (tmp_path / "domain_ids.txt").write_text("7: dogs\n8: dogs\n9: cows\n")
    assert [each.domain_id for each in MATERIAL.read(tmp_path / "images")] == [7, 8]


def test_images_can_be_described(tmp_path: Path) -> None:
    make_images(tmp_path / "dogs")
    text = '"dogs/IMG_03.jpg" = ["a brown dog on a red sofa", "brown dog"]\n'
    (tmp_path / "descriptions.toml").write_text(text)
    found = MATERIAL.read(tmp_path)[0].descriptions
    assert found == {"dogs/IMG_03.jpg": (("a brown dog on a red sofa",), ("brown dog",))}


def few(folder: Path) -> None:
    make_images(folder / "dogs", 9)


def many(folder: Path) -> None:
    make_images(folder / "dogs", 13)


def nothing(folder: Path) -> None:
    (folder / "dogs").mkdir()


def unlisted(folder: Path) -> None:
    make_images(folder / "dogs")
    (folder / "domain_ids.txt").write_text("0: cats\n")


def bad_descriptions(folder: Path) -> None:
    make_images(folder / "dogs")
    (folder / "descriptions.toml").write_text('"dogs/IMG_01.jpg" = "a dog"')


@pytest.mark.parametrize(
    ("fill", "words"),
    [
        (few, "dogs: expected 12 images, found 9"),
        (many, "dogs: expected 12 images, found 13"),
        (nothing, "holds no images"),
        (unlisted, "domain_ids.txt has no id for the folder dogs"),
        (bad_descriptions, r"descriptions.toml: Expected `array`, got `str`"),
    ],
)
def test_what_cannot_be_played_with_is_named(
    fill: Callable[[Path], None], words: str, tmp_path: Path
) -> None:
    fill(tmp_path)
    with pytest.raises(CommongroundError, match=words) as caught:
        MATERIAL.read(tmp_path)
    assert caught.value.advice


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="nowhere cannot be read: No such file"):
        MATERIAL.read(tmp_path / "nowhere")
