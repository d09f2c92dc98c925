from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.unit.corpora.frames.samples import sample

from commonground.corpora.frames.native import FORMATS, FramesDialogue, Slot
from commonground.files.dividing import recognise_document
from commonground.files.roundtrip import roundtrip_document
from commonground.files.sources import list_documents
from commonground.records import UNSET, decode_record, encode_record, first_difference


def roundtrip(value: dict[str, Any]) -> str | None:
    decoded = decode_record(json.dumps(value).encode(), FramesDialogue)
    return first_difference(value, msgspec.json.decode(encode_record(decoded)))


def test_the_sample_comes_back_equal() -> None:
    assert roundtrip(sample()) is None


@pytest.mark.parametrize("value", [4, 4.0, 4.99, None])
def test_ratings_keep_their_kind(value: float | None) -> None:
    record = sample()
    record["labels"]["userSurveyRating"] = value
    assert roundtrip(record) is None


@pytest.mark.parametrize(
    "slot",
    [
        {"key": "price"},
        {"key": "price", "val": None},
        {"key": "price", "val": ""},
        {"key": "wifi", "val": False},
        {"key": "id", "val": 1},
        {"key": "ref", "val": []},
    ],
)
def test_values_of_slots_stay_apart(slot: dict[str, Any]) -> None:
    record = sample()
    record["turns"][1]["labels"]["acts"][0]["args"] = [slot]
    assert roundtrip(record) is None


def test_absent_and_null_values_differ() -> None:
    assert msgspec.json.decode(b'{"key": "a"}', type=Slot).val is UNSET
    assert msgspec.json.decode(b'{"key": "a", "val": null}', type=Slot).val is None


@pytest.mark.parametrize("value", ["x", True, None, [], ["price"]])
def test_values_of_frames_stay_apart(value: object) -> None:
    record = sample()
    record["turns"][0]["labels"]["frames"][0]["info"]["HEARMORE"] = [
        {"val": value, "negated": False}
    ]
    assert roundtrip(record) is None


def test_unknown_fields_are_kept() -> None:
    record = sample()
    record["turns"][0]["predictions"] = {"acts": [1]}
    assert roundtrip(record) is None


def test_a_file_of_another_name_is_recognised() -> None:
    assert recognise_document(json.dumps([sample()]).encode(), FORMATS) is FORMATS[0]


def test_a_file_comes_back_equal(tmp_path: Path) -> None:
    (tmp_path / "frames.json").write_text(json.dumps([sample(), sample()]))
    (document,) = list_documents([tmp_path]).documents
    result = roundtrip_document(document, FORMATS[0])
    assert (result.records, result.difference) == (2, None)


def test_a_wrong_type_deep_inside_is_located() -> None:
    record = sample()
    record["turns"][1]["db"]["result"][0][1]["hotel"]["amenities"] = "wifi"
    (fault,) = decode_record(json.dumps(record).encode(), FramesDialogue).faults
    assert fault.path == ".turns[1].db.result[0][1].hotel.amenities"
