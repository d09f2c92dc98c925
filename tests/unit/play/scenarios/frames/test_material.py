from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.unit.corpora.frames.samples import package
from tests.unit.play.scenarios.frames.chats import CARD, material

from commonground.corpora.frames.native import Package
from commonground.errors import FormatError
from commonground.play.scenarios.frames.material import (
    COLUMNS,
    FramesMaterial,
    draw_card,
    invent_material,
    read_catalogue,
    read_material,
)
from commonground.play.scenarios.frames.rules import SCENARIO
from commonground.play.scenarios.frames.travel.cards import is_solvable, list_templates, sample_card
from commonground.play.scenarios.frames.travel.database import Catalogue, open_database

LINE = {
    "or_city": "Arden",
    "dst_city": "Brook",
    "country": "Nowhere",
    "seat": "ECONOMY",
    "price": "812.5",
    "leaves": "2016-09-03 08:00",
    "leaving_min": "180",
    "returns": "2016-09-09 08:00",
    "returning_min": "180",
    "duration_days": "6",
    "name": "Elm House",
    "category": "3.5 star hotel",
    "gst_rating": "0",
    "amenities": "FREE_WIFI",
    "vicinity": "",
}


def write_csv(folder: Path, *lines: dict[str, str]) -> None:
    with (folder / "packages.csv").open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, COLUMNS)
        writer.writeheader()
        writer.writerows(lines)


def write_json(folder: Path, *packages: dict[str, Any]) -> None:
    (folder / "packages.json").write_text(json.dumps(packages), encoding="utf-8")


def test_both_forms_of_a_file_say_the_same(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    one.mkdir()
    two.mkdir()
    write_csv(one, LINE)
    write_json(two, package())
    assert read_catalogue(one) == read_catalogue(two)
    (found,) = [open_database(read_catalogue(two)).package(0)]
    assert found == msgspec.convert(package(), Package)


def test_what_was_read_can_be_played_with(tmp_path: Path) -> None:
    write_csv(tmp_path, LINE, {**LINE, "price": "700"}, {**LINE, "dst_city": "Beck"})
    pieces = read_material(tmp_path)
    assert len(pieces) == 8
    for piece in pieces:
        assert SCENARIO.start(piece, 3).setting.card in piece.cards
    ids = [card.id for piece in pieces for card in piece.cards]
    assert len(set(ids)) == len(ids) == 200


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"seat": "FIRST"}, "line 3, seat: expected BUSINESS or ECONOMY, found FIRST"),
        ({"category": "good"}, "line 3, category: expected a category such as 3.5 star hotel"),
        ({"gst_rating": "11"}, "line 3, gst_rating: expected 0 to 10, found 11"),
        ({"gst_rating": "fine"}, "line 3, gst_rating: expected a number, found fine"),
        ({"amenities": "FREE_WIFI; POOL"}, "line 3, amenities: expected FREE_BREAKFAST, FREE_"),
        ({"vicinity": "moon"}, "line 3, vicinity: expected airport, beach"),
        ({"or_city": " "}, "line 3, or_city: expected a city, found nothing"),
        ({"dst_city": "arden, X"}, "line 3, dst_city: expected another city than or_city"),
        ({"name": ""}, "line 3, name: expected a name, found nothing"),
        ({"price": "0"}, "line 3, price: expected more than 0, found 0"),
        ({"price": "nan"}, "line 3, price: expected more than 0, found nan"),
        ({"price": "cheap"}, "line 3, price: expected a number such as 640.25, found cheap"),
        (
            {"leaves": "soon"},
            "line 3, leaves: expected a time such as 2016-08-21 14:30",
        ),
        (
            {"returns": "2016-09-03 09:00"},
            "line 3, returns: expected a time after the first",
        ),
        ({"duration_days": "0"}, "line 3, duration_days: expected 1 or more, found 0"),
        ({}, "line 3: expected another package, found that of line 2"),
    ],
)
def test_faults_of_a_table_are_located(
    tmp_path: Path, change: dict[str, str], message: str
) -> None:
    write_csv(tmp_path, LINE, {**LINE, **change})
    with pytest.raises(FormatError) as caught:
        read_catalogue(tmp_path)
    assert f"packages.csv, {message}" in caught.value.message


def no_arrival(value: dict[str, Any]) -> None:
    value["trip"]["leaving"]["arrival"]["hour"] = 12


def no_date(value: dict[str, Any]) -> None:
    value["trip"]["returning"]["departure"]["month"] = 13


def no_number(value: dict[str, Any]) -> None:
    value["price"] = "cheap"


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (no_arrival, "$[1].trip.leaving.arrival: expected 180 minutes after departure, found 240"),
        (no_date, "$[1].trip.returning.departure: expected a date, found month must be in 1..12"),
        (no_number, "`$[1].price`"),
    ],
)
def test_faults_of_a_list_are_located(
    tmp_path: Path, damage: Callable[[dict[str, Any]], None], message: str
) -> None:
    broken = package(price=5.0)
    damage(broken)
    write_json(tmp_path, package(), broken)
    with pytest.raises(FormatError) as caught:
        read_catalogue(tmp_path)
    assert message in caught.value.message


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("packages.json", "[]", "expected a package, found none"),
        ("packages.json", "{", "packages.json"),
        ("packages.csv", "", "line 1: the columns or_city, dst_city"),
        ("packages.csv", "or_city,dst_city\n", "line 1: the columns country, seat"),
        (
            "packages.csv",
            ",".join(COLUMNS) + "\na,b\n",
            "line 2, country: expected a value",
        ),
        ("other.txt", "", "holds no packages.json or packages.csv"),
    ],
)
def test_other_files_are_refused(tmp_path: Path, name: str, text: str, message: str) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(FormatError, match=r"packages"):
        read_material(tmp_path)
    with pytest.raises(FormatError) as caught:
        read_material(tmp_path)
    assert message in caught.value.message


def test_cards_say_truly_whether_they_can_be_done() -> None:
    cards = [each.cards[0] for each in invent_material(200, 5)]
    database = open_database(invent_material(1, 5)[0].packages)
    assert [card.solvable for card in cards] == [is_solvable(card, database) for card in cards]
    assert 0.6 < sum(card.solvable for card in cards) / len(cards) < 0.9
    assert any(card.second for card in cards)
    kinds = {card.template.partition("-")[0] for card in cards}
    assert kinds == {"strict", "compare", "cheap", "treat", "open"}


def test_a_card_says_all_its_wishes() -> None:
    for piece in invent_material(60, 5):
        (card,) = piece.cards
        for slot, value in {**card.wishes, **card.second}.items():
            assert value is True or value == "-1" or str(value) in card.text, slot


def test_more_sessions_have_the_same_cards_first() -> None:
    assert invent_material(9, 2)[:4] == invent_material(4, 2)


@pytest.mark.parametrize(
    ("broken", "path"),
    [
        (FramesMaterial((), material().packages), ".cards"),
        (FramesMaterial((CARD,), Catalogue((), ())), ".packages"),
        (
            FramesMaterial((msgspec.structs.replace(CARD, solvable=False),), material().packages),
            ".cards[0].solvable",
        ),
        (
            FramesMaterial(
                (msgspec.structs.replace(CARD, second={"mood": "x"}),), material().packages
            ),
            ".cards[0].second",
        ),
    ],
)
def test_what_cannot_be_played_with_is_said(broken: FramesMaterial, path: str) -> None:
    with pytest.raises(FormatError, match=rf"^Material{re.escape(path)}: expected "):
        SCENARIO.start(broken, 1)


def test_the_seed_draws_the_card() -> None:
    cards = tuple(msgspec.structs.replace(CARD, id=str(number)) for number in range(5))
    many = FramesMaterial(cards, material().packages)
    assert {draw_card(many, seed).id for seed in range(60)} == {"0", "1", "2", "3", "4"}
    assert draw_card(many, 7) == draw_card(many, 7)


def test_material_is_json(tmp_path: Path) -> None:
    write_csv(tmp_path, LINE)
    for each in (read_material(tmp_path)[0], invent_material(1, 1)[0]):
        plain = json.loads(msgspec.json.encode(each))
        assert msgspec.convert(plain, FramesMaterial) == each


def test_there_are_forty_templates_of_cards() -> None:
    names = list_templates()
    assert len(set(names)) == 40
    database = open_database(material().packages)
    texts = {sample_card(database, 1, number).template for number in range(400)}
    assert texts == set(names)


def test_the_budget_is_that_of_the_party() -> None:
    pieces = [piece for piece in invent_material(60, 3) if piece.cards[0].solvable]
    for piece in pieces:
        card = piece.cards[0]
        if card.wishes["budget"] != "-1" and not card.second:
            assert is_solvable(card, open_database(piece.packages))
