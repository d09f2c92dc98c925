from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.corpora.mpchat.samples import BOAT, LOAF, gpp_thread, nrp_thread, si_thread

from commonground.corpora import get_corpus
from commonground.corpora.mpchat.native import (
    FORMATS,
    GppThread,
    NrpThread,
    Persona,
    SiThread,
    Thread,
    image_file_name,
    thread_id,
)
from commonground.files.dividing import divide_document, recognise_document
from commonground.records import UNSET, decode_record, encode_record, first_difference

THREADS: list[tuple[Any, type[Thread]]] = [
    (nrp_thread(), NrpThread),
    (gpp_thread(), GppThread),
    (si_thread(), SiThread),
]


def rewrite(value: Any, of: Any) -> Any:
    decoded = decode_record(msgspec.json.encode(value), of)
    return msgspec.json.decode(encode_record(decoded))


@pytest.mark.parametrize(("value", "of"), THREADS)
def test_threads_are_written_as_read(value: Any, of: Any) -> None:
    assert first_difference(value, rewrite(value, of)) is None


@pytest.mark.parametrize(("value", "of"), THREADS)
def test_threads_have_no_faults(value: Any, of: Any) -> None:
    assert decode_record(msgspec.json.encode(value), of).faults == []


@pytest.mark.parametrize("name", ["created_utc", "created_utcs"])
@pytest.mark.parametrize("created", [1500000000, 1500000000.0, "1500000000.0"])
def test_both_names_and_all_forms_of_the_time_are_kept(name: str, created: Any) -> None:
    value = BOAT | {name: created}
    assert first_difference(value, rewrite(value, Persona)) is None


@pytest.mark.parametrize("fields", [{}, {"file_name": None}, {"file_name": ""}])
def test_missing_images_stay_as_they_are(fields: dict[str, Any]) -> None:
    thread = si_thread() | fields
    assert first_difference(thread, rewrite(thread, SiThread)) is None


def test_unknown_fields_are_reported_and_kept() -> None:
    thread = nrp_thread() | {"over_18": False}
    decoded = decode_record(msgspec.json.encode(thread), NrpThread)
    assert [(fault.kind, fault.path) for fault in decoded.faults] == [("unknown", ".over_18")]
    assert first_difference(thread, rewrite(thread, NrpThread)) is None


def test_a_vote_of_three_parts_is_a_fault() -> None:
    thread = nrp_thread()
    thread["grounded_personas"] = [[], [], [LOAF | {"label_per_worker": [["W1", 1, 1]]}]]
    (fault,) = decode_record(msgspec.json.encode(thread), NrpThread).faults
    assert fault.path == ".grounded_personas[2][0].label_per_worker[0]"


epochs = st.integers(0, 2**40) | st.floats(0, 2e9) | st.text(max_size=5)
personas = st.fixed_dictionaries(
    {"id": st.text(), "author": st.text(), "title": st.text(), "file_name": st.text()},
    optional={
        "subreddit": st.text(),
        "score": st.integers(-(2**40), 2**40),
        "created_utcs": epochs,
        "created_utc": epochs,
        "direct_url": st.text(),
    },
)


@given(personas)
def test_any_persona_is_written_as_read(value: Any) -> None:
    assert first_difference(value, rewrite(value, Persona)) is None


@pytest.mark.parametrize(("value", "of"), THREADS)
def test_threads_are_recognised_by_their_fields(value: Any, of: Any) -> None:
    found = recognise_document(msgspec.json.encode({"train": [value]}), FORMATS)
    assert found is not None
    assert found.record is of


def test_splits_are_divided() -> None:
    data = msgspec.json.encode({"train": [], "val": [nrp_thread()], "test": [nrp_thread()]})
    division = divide_document("mpchat_nrp.json", data, FORMATS[0])
    assert [(raw.split, raw.path) for raw in division.records] == [
        ("train", "$.train"),
        ("val", "$.val[0]"),
        ("test", "$.test[0]"),
    ]


def test_ids_differ_between_tasks_and_main_authors() -> None:
    threads = [msgspec.convert(value, of) for value, of in THREADS]
    threads.append(msgspec.structs.replace(threads[0], main_author="oar_ben"))
    assert [thread_id(thread) for thread in threads] == [
        "nrp-ddd444-gfff666-rye_anna",
        "gpp-ddd444-gfff666-rye_anna",
        "si-ddd444-gfff666-rye_anna",
        "nrp-ddd444-gfff666-oar_ben",
    ]


def test_a_thread_without_messages_has_no_id() -> None:
    thread = msgspec.convert(si_thread() | {"message_ids": []}, SiThread)
    assert thread_id(thread) is None
    assert FORMATS[2].dialogue_id is not None
    assert FORMATS[2].dialogue_id(thread, "mpchat_si.json") is None


def test_absent_fields_are_unset() -> None:
    persona = msgspec.convert(BOAT, Persona)
    assert persona.score is UNSET
    assert persona.direct_url is UNSET


def test_image_names_follow_the_download_script() -> None:
    assert image_file_name("ab1", "https://images.example/x/y.jpg") == "ab1_y.jpg"


def test_manifest_names_all_formats() -> None:
    assert get_corpus("mpchat").formats() == FORMATS
