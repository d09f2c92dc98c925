from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.unit.corpora.mpchat.samples import BOAT, SHED, gpp_thread, nrp_thread, si_thread

from commonground.corpora.mpchat.convert import Context, convert, prepare, shared_objects
from commonground.corpora.mpchat.native import GppThread, NrpThread, SiThread, Thread
from commonground.files.reading import ConversionError, Options, SideRecord, Where
from commonground.model import Candidate, Dialogue, Display, Grounding, Object, Speaker, Utterance


def read(value: dict[str, Any], of: type[Thread], context: Context | None = None) -> Dialogue:
    where = Where("mpchat.json", "$.val[0]", "nrp", "val")
    return convert(msgspec.convert(value, of), where, context or Context())


def nrp(**changed: Any) -> Dialogue:
    return read(nrp_thread() | changed, NrpThread)


def test_dialogue() -> None:
    dialogue = nrp()
    assert dialogue.dialogue_id == "nrp-ddd444-gfff666-rye_anna"
    assert dialogue.split == "val"
    assert dialogue.domain == "gardens"
    assert dialogue.started_at == datetime(2020, 9, 13, 12, 26, 40)  # 1600000000 in UTC
    assert dialogue.attributes == {"task": "nrp", "main_author": "rye_anna", "has_image": True}


def test_speakers_are_the_authors_once_each() -> None:
    assert nrp().speakers == [
        Speaker("rye_anna", "peer", "rye_anna"),
        Speaker("[deleted]", "peer", None),
    ]


def test_a_silent_main_author_is_a_speaker_too() -> None:
    authors = ["oar_ben"] * 3
    assert nrp(authors=authors).speakers[-1] == Speaker("rye_anna", "peer", "rye_anna")


def test_events_are_the_messages() -> None:
    assert nrp().events == [
        Utterance("rye_anna", "look at my fence", 0, None, 0.0, "ddd444"),
        Utterance("[deleted]", "which green is that?", 1, None, 60.0, "geee555"),
        Utterance("rye_anna", "the same as on my shed", 2, None, 180.5, "gfff666"),
    ]


def test_objects_of_a_thread() -> None:
    post, loaf, shed = nrp().objects
    assert post == Object(
        "post-ddd444",
        "post_image",
        "look at my fence",
        "https://images.example/fence.jpg",
        {
            "subreddit": "gardens",
            "author": "rye_anna",
            "direct_url": "https://images.example/fence.jpg",
            "file_name": "ddd444_fence.jpg",
        },
    )
    assert (loaf.object_id, loaf.attributes["created_utc"]) == ("aaa111", 1500000000)
    attributes = {name: SHED[name] for name in SHED if name not in ("id", "title")}
    uri = "https://images.example/shed.png"
    assert shed == Object("bbb222", "persona", "a shed I painted green", uri, attributes)


def test_absent_facts_stay_absent_in_objects() -> None:
    boat = read(gpp_thread(), GppThread).objects[-1]
    attributes = {"author": "oar_ben", "file_name": "ccc333_boat.jpg"}
    assert boat == Object("ccc333", "persona", "my boat", None, attributes)


def test_displays_of_nrp() -> None:
    assert nrp().displays == [
        Display("post-ddd444", None, 0),
        Display("aaa111", "rye_anna", 0, None, 0, False, None),
        Display("bbb222", "rye_anna", 0, None, 1, True, {"candidate": 0}),
    ]


def test_a_candidate_element_outside_all_personas_is_shown_without_position() -> None:
    displays = nrp(candidate_personas=[BOAT, SHED]).displays
    assert displays[2].attributes == {"candidate": 1}
    assert displays[3] == Display("ccc333", "rye_anna", 0, None, None, True, {"candidate": 0})


def test_groundings_of_nrp() -> None:
    assert nrp().groundings == [
        Grounding(2, "bbb222", "grounded", "E", None, [("W1", 1), ("W2", 0), ("W3", 1)]),
        Grounding(2, "aaa111", "ungrounded", "(strong) I", None, [("W1", 0), ("W2", 0), ("W3", 0)]),
    ]


def test_candidates_of_nrp() -> None:
    assert nrp().candidates == [
        Candidate(2, "mpchat/nrp", 0, "the same as on my shed", None, True, None),
        Candidate(2, "mpchat/nrp", 1, "no idea", None, False, None),
    ]


def test_train_has_no_candidates() -> None:
    thread = nrp_thread()
    del thread["nrp_candidate_responses"]
    assert read(thread, NrpThread).candidates == []


def test_gpp() -> None:
    dialogue = read(gpp_thread(), GppThread)
    assert dialogue.groundings == [Grounding(2, "bbb222", "grounded", None, None, None)]
    assert dialogue.displays[1:] == [
        Display("aaa111", "rye_anna", 0, None, 0, None, None),
        Display("bbb222", "rye_anna", 0, None, 1, None, None),
        Display("aaa111", "rye_anna", 2, None, None, True, {"candidate": 0}),
    ]
    assert dialogue.candidates == [
        Candidate(2, "mpchat/gpp", 0, None, "bbb222", True, "bbb222"),
        Candidate(2, "mpchat/gpp", 1, None, "ccc333", False, "ccc333"),
    ]


def test_si_ranks_sets_of_elements() -> None:
    dialogue = read(si_thread(), SiThread)
    assert dialogue.groundings == []
    assert dialogue.candidates == [
        Candidate(2, "mpchat/si", 0, None, "set-bbb222+aaa111", True, "rye_anna"),
        Candidate(2, "mpchat/si", 1, None, "set-ccc333", False, "oar_ben"),
    ]
    sets = [each for each in dialogue.objects if each.kind == "persona_set"]
    attributes = {"author": "rye_anna", "personas": ["bbb222", "aaa111"]}
    title = "a shed I painted green my first loaf"
    assert sets[0] == Object("set-bbb222+aaa111", "persona_set", title, None, attributes)
    assert {"aaa111", "bbb222", "ccc333"} < {each.object_id for each in dialogue.objects}


def test_a_thread_without_image_shows_none() -> None:
    dialogue = read(si_thread(), SiThread)
    assert dialogue.attributes["has_image"] is False
    assert "post_image" not in {each.kind for each in dialogue.objects}
    assert None not in {each.viewer for each in dialogue.displays}


def test_every_object_is_described_once() -> None:
    for value, of in ((nrp_thread(), NrpThread), (gpp_thread(), GppThread)):
        dialogue = read(value, of)
        described = [each.object_id for each in dialogue.objects]
        named = {each.object_id for each in dialogue.displays}
        named |= {each.object_id for each in dialogue.groundings}
        named |= {each.object_id for each in dialogue.candidates if each.object_id}
        assert sorted(described) == sorted(named)


@pytest.mark.parametrize(
    ("changed", "path"),
    [
        ({"messages": []}, ".messages"),
        ({"authors": ["rye_anna"]}, ".authors"),
        ({"message_ids": ["ddd444"]}, ".message_ids"),
        ({"created_utcs": []}, ".created_utcs"),
        ({"grounded_personas": []}, ".grounded_personas"),
        ({"nrp_candidate_responses": [[]]}, ".nrp_candidate_responses"),
    ],
)
def test_contradictions_are_located(changed: dict[str, Any], path: str) -> None:
    with pytest.raises(ConversionError) as caught:
        nrp(**changed)
    assert caught.value.path == path


def test_times_may_be_whole_numbers_and_text() -> None:
    created = [1600000000, "1600000060", 1600000061.5]
    assert [event.at_s for event in nrp(created_utcs=created).events] == [0.0, 60.0, 61.5]


@pytest.mark.parametrize("odd", ["soon", "nan", 1e300, None, "1 day, 0:00:10"])
def test_a_time_that_is_none_costs_itself(odd: object) -> None:
    dialogue = nrp(created_utcs=[1600000000, odd, 1600000061.5])
    assert [event.at_s for event in dialogue.events] == [0.0, None, 61.5]
    dialogue = nrp(created_utcs=[odd, 1600000000, 1600000061.5])
    assert [event.at_s for event in dialogue.events] == [None, None, None]
    assert dialogue.started_at is None


def test_conversion_leaves_the_record_alone() -> None:
    thread = msgspec.convert(gpp_thread(), GppThread)
    before = msgspec.json.encode(thread)
    convert(thread, Where("f", "$", "gpp", "val"), Context())
    assert msgspec.json.encode(thread) == before


def sides() -> list[SideRecord]:
    post = ("dialog_urls", "ddd444", "https://images.example/fence.jpg")
    mapped = [post, ("persona_urls", "bbb222", "https://images.example/shed.png")]
    return [SideRecord(f"{fmt}.json", fmt, "$", url, None, key) for fmt, key, url in mapped]


def images(folder: Path, *names: str) -> Options:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    return Options("mpchat", str(folder))


def test_maps_of_addresses_are_gathered() -> None:
    context = prepare(sides(), Options("mpchat"))
    assert context.dialog_urls == {"ddd444": "https://images.example/fence.jpg"}
    assert context.persona_urls == {"bbb222": "https://images.example/shed.png"}
    assert context.persona_files == {}


def test_images_at_hand_are_named_by_their_paths(tmp_path: Path) -> None:
    options = images(tmp_path, "dialog/ddd444_fence.jpg", "persona/bbb222_shed.png")
    objects = read(nrp_thread(), NrpThread, prepare([], options)).objects
    uris = {each.object_id: each.uri for each in objects}
    assert uris == {
        "post-ddd444": "dialog/ddd444_fence.jpg",
        "aaa111": "https://images.example/loaf.jpg",  # not at hand
        "bbb222": "persona/bbb222_shed.png",
    }


def test_an_address_of_a_map_unlike_the_records_is_kept() -> None:
    def attributes(post: str, shed: str) -> dict[str, dict[str, Any]]:
        context = Context(dialog_urls={"ddd444": post}, persona_urls={"bbb222": shed})
        return {o.object_id: o.attributes for o in read(nrp_thread(), NrpThread, context).objects}

    post, shed = "https://images.example/fence.jpg", "https://images.example/shed.png"
    same = attributes(post, shed)
    assert (same["post-ddd444"]["direct_url"], same["bbb222"]["direct_url"]) == (post, shed)
    other = attributes(f"{post}?2", f"{shed}?2")
    assert other.pop("post-ddd444") == same.pop("post-ddd444") | {"mapped_url": f"{post}?2"}
    assert other.pop("bbb222") == same.pop("bbb222") | {"mapped_url": f"{shed}?2"}
    assert other == same


def test_images_may_lie_in_one_folder(tmp_path: Path) -> None:
    context = prepare([], images(tmp_path, "bbb222_shed.png"))
    assert context.persona_files == {"bbb222_shed.png": "bbb222_shed.png"}


def test_images_may_lie_in_folders_of_any_name(tmp_path: Path) -> None:
    files = ["b/bbb222_shed.png", "a/x/bbb222_shed.png", "a/ddd444_fence.jpg"]
    context = prepare([], images(tmp_path, *files))
    assert context.persona_files == {
        "bbb222_shed.png": "a/x/bbb222_shed.png",
        "ddd444_fence.jpg": "a/ddd444_fence.jpg",
    }
    context = prepare([], images(tmp_path, "persona/bbb222_shed.png"))
    assert context.persona_files["bbb222_shed.png"] == "persona/bbb222_shed.png"


def test_an_image_folder_that_is_gone_has_no_images(tmp_path: Path) -> None:
    assert prepare([], Options("mpchat", str(tmp_path / "gone"))).dialog_files == {}


def test_mapped_images_are_objects(tmp_path: Path) -> None:
    options = images(tmp_path, "dialog/ddd444_fence.jpg")
    post, shed = shared_objects(prepare(sides(), options))
    url = {"direct_url": "https://images.example/fence.jpg"}
    assert post == Object("post-ddd444", "post_image", None, "dialog/ddd444_fence.jpg", url)
    url = {"direct_url": "https://images.example/shed.png"}
    assert shed == Object("bbb222", "persona", None, "https://images.example/shed.png", url)
