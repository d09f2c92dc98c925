"""A study's pictures are its own: none is broken when it is made, and none is another one later."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from commonground.errors import FormatError, SourceError
from commonground.files.listings import hash_file
from commonground.play.collect.setup.pictures import HASHES, keep_pictures, name_met, read_hashes
from commonground.play.collect.setup.preparing import describe_material, prepare_study
from commonground.play.collect.setup.study import Study, open_study
from commonground.play.rooms.players.rehearsing import rehearse_study


@pytest.fixture(scope="module")
def material(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two sets of twelve pictures."""
    folder = tmp_path_factory.mktemp("material")
    invented = prepare_study(folder / "invented", "photobook", material=None, languages=("en",))
    assert invented.images is not None
    for each in sorted(invented.images.iterdir())[:2]:
        shutil.copytree(each, folder / "mine" / each.name)
    return folder / "mine"


@pytest.fixture
def mine(material: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(material, tmp_path / "mine"))


def make(mine: Path) -> Study:
    return prepare_study(mine.with_name("pilot"), "photobook", material=mine, languages=("en",))


def list_pictures(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.jpg"))


def test_a_study_has_copies_of_its_pictures_and_the_hash_of_each(mine: Path) -> None:
    study = make(mine)
    paths = {path.relative_to(mine).as_posix(): path for path in list_pictures(mine)}
    assert study.settings.images == "images"
    assert study.stock.pictures == paths.keys()
    assert read_hashes(study.folder) == {name: hash_file(path) for name, path in paths.items()}
    shutil.rmtree(mine)
    study.require_pictures()
    assert all(study.find_picture(name) for name in study.stock.pictures)


def test_invented_pictures_have_hashes_too(tmp_path: Path) -> None:
    study = prepare_study(tmp_path / "pilot", "simmc-furniture", material=None, languages=("en",))
    named = {each for each in study.stock.pictures if study.find_picture(each)}
    assert (read_hashes(study.folder) or {}).keys() == named != set()
    study.require_pictures()


def test_a_study_without_pictures_has_no_hash(tmp_path: Path) -> None:
    study = prepare_study(tmp_path / "pilot", "taskmaster4", material=None, languages=("en",))
    assert read_hashes(study.folder) == {}
    study.require_pictures()


def cut(path: Path) -> None:
    """Loses the middle of a picture, but not its end."""
    data = path.read_bytes()
    path.write_bytes(data[:200] + data[-2:])


BREAK: dict[str, Callable[[Path], object]] = {
    "an empty file": lambda path: path.write_bytes(b""),
    "a saved page, not a picture": lambda path: path.write_text("<html>429</html>"),
    "no picture": lambda path: path.write_bytes(bytes(range(256))),
    "a damaged or cut off picture": cut,
    "the same picture as": lambda path: shutil.copyfile(path.with_name(NEIGHBOUR), path),
}
NEIGHBOUR = "twin.jpg"


def test_every_picture_that_cannot_be_played_with_is_named_at_once(mine: Path) -> None:
    paths = list_pictures(mine)[: len(BREAK) + 1]
    twin = paths.pop(0).rename(paths[0].with_name(NEIGHBOUR))
    for path, damage in zip(paths, BREAK.values(), strict=True):
        damage(path)
    with pytest.raises(FormatError) as caught:
        make(mine)
    said = caught.value.message
    for path, fault in zip(paths, BREAK, strict=True):
        # Of two that are the same, one is named first.
        name = twin if fault.startswith("the same") else path
        assert f"{name.relative_to(mine).as_posix()} is {fault}" in said
    assert said.startswith(f"5 of 24 pictures in {mine} cannot be played with.")
    assert "Replace or remove these files" in (caught.value.advice or "")
    assert not mine.with_name("pilot").exists()


def test_a_picture_of_two_sets_is_met_once(mine: Path) -> None:
    first, second = sorted(mine.iterdir())
    shutil.copyfile(list_pictures(first)[0], list_pictures(second)[0])
    study = make(mine)
    (remark,) = describe_material(study)
    assert remark.startswith("1 of 24 pictures: the same under another name.")
    # Each set by both schedules: whoever played with one has seen something of the other.
    met = study.stock.met
    assert not met[0].isdisjoint(met[2])


def test_names_are_one_where_pictures_are() -> None:
    met = [frozenset({"a/1.png", "a/2.png"}), frozenset({"b/1.png", "other"})]
    hashes = {"a/1.png": "x", "a/2.png": "y", "b/1.png": "x"}
    assert name_met(met, hashes) == [met[0], frozenset({"a/1.png", "other"})]


def test_no_picture_comes_from_outside_of_the_folder(mine: Path) -> None:
    name = f"../{mine.name}/{list_pictures(mine)[0].relative_to(mine).as_posix()}"
    with pytest.raises(FormatError, match="is outside of the folder"):
        keep_pictures([name], mine, mine.with_name("images"), ())


def damage_one(study: Study) -> None:
    assert study.images is not None
    first, second, third, *_ = list_pictures(study.images)
    first.unlink()
    shutil.copyfile(third, second)


def test_a_study_whose_pictures_changed_is_neither_served_nor_rehearsed(mine: Path) -> None:
    study = make(mine)
    damage_one(study)
    said = r"now: 2 of 24 pictures\. \S+\.jpg is gone; \S+\.jpg is another picture now\."
    with pytest.raises(SourceError, match=said) as caught:
        open_study(study.folder).require_pictures()
    assert f"Put them back into {study.images}" in (caught.value.advice or "")
    with pytest.raises(SourceError, match=said):
        rehearse_study(open_study(study.folder), mine.with_name("OUT"), sessions=1, speed=20)


def test_pictures_of_studies_without_hashes_must_be_shown(mine: Path) -> None:
    study = make(mine)
    (study.folder / HASHES).unlink()
    assert study.images is not None
    first, second, *_ = list_pictures(study.images)
    first.unlink()  # whether it was there is not known
    study.require_pictures()
    second.write_bytes(b"")
    with pytest.raises(SourceError, match=r"1 of 23 pictures\. \S+ is an empty file"):
        study.require_pictures()
