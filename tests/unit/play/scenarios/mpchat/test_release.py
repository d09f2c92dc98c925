from __future__ import annotations

import json
from random import Random
from typing import Any

import msgspec
import pytest
from tests.unit.play.scenarios.mpchat.labelling import PLAIN, skip, threads, units, vote

from commonground.corpora.mpchat.native import NrpThread, thread_id
from commonground.play.scenarios.mpchat.invented_reddit import InventedReddit
from commonground.play.scenarios.mpchat.material import Unit, units_of
from commonground.play.scenarios.mpchat.ranking import SEED, Exported, derive_gpp, derive_si
from commonground.play.scenarios.mpchat.release import (
    Ballot,
    label_threads,
    release_ballots,
)

Files = dict[str, Any]


def of_one_response() -> Unit:
    """The unit of a thread that has no other, with five candidates."""
    for invented in threads(60):
        made = [*units_of(invented)]
        if len(made) == 1 and len(made[0].candidates) == 5:
            return made[0]
    raise AssertionError("the world has no such thread any more")


UNIT = of_one_response()
IDS = [each.id for each in UNIT.candidates]
CAST = [vote(UNIT, 4, "11100", 0), vote(UNIT, 2, "11000", 1), vote(UNIT, 9, "10000", 2)]


def release(ballots: list[Ballot]) -> Files:
    return {each.path: each.data for each in release_ballots(ballots)}


def read(files: Files, task: str) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = json.loads(files[f"mpchat_{task}.json"])
    return found


def labelled(ballots: list[Ballot]) -> Any:
    [thread] = read(release(ballots), "nrp")["train"]
    return thread


def test_votes_are_summed_up_as_released() -> None:
    thread, event = labelled(CAST), len(UNIT.context) - 1
    lists = [thread["grounded_personas"][event], thread["ungrounded_personas"][event]]
    labels = [[(each["id"], each["label_overall"]) for each in side] for side in lists]
    assert labels == [
        [(IDS[0], "(strong) E"), (IDS[1], "E")],
        [(IDS[2], "I"), (IDS[3], "(strong) I"), (IDS[4], "(strong) I")],
    ]
    assert lists[0][1]["label_per_worker"] == [["W0004", 1], ["W0002", 1], ["W0009", 0]]
    others = [n for n in range(len(thread["messages"])) if n != event]
    assert all(thread["grounded_personas"][n] == [] for n in others)


def test_the_order_of_records_does_not_matter() -> None:
    shuffled = Random(3).sample(CAST, 3)
    assert release(shuffled) == release(CAST)


def test_what_models_said_stands_apart_and_counts_in_nothing() -> None:
    ours = [msgspec.structs.replace(vote(UNIT, n, "00011", 7), by_model=True) for n in (1, 4)]
    note = msgspec.structs.replace(skip(UNIT, 2, 8), by_model=True)
    files = release([*ours, *CAST, note])
    apart = json.loads(files.pop("extra/model_votes.json"))
    assert files == release(CAST)
    assert [each["model"] for each in apart] == ["M0001", "M0004", "M0002"]
    assert apart[0]["votes"] == dict(zip(IDS, (0, 0, 0, 1, 1), strict=True))
    assert (apart[2]["votes"], apart[2]["skipped"]) == ({}, "unclear")
    assert {each["unit"] for each in apart} == {UNIT.id}
    assert [*release(ours)] == ["extra/model_votes.json"]


def test_votes_to_spare_and_repeated_ones_do_not_count() -> None:
    more = [*CAST, vote(UNIT, 4, "00011", 3), vote(UNIT, 5, "00011", 4)]
    assert release(more) == release(CAST)


@pytest.mark.parametrize("number", [0, 1, 2])
def test_a_thread_waits_for_three_votes(number: int) -> None:
    assert release(CAST[:number]) == {}


def test_one_person_is_not_three() -> None:
    assert release([vote(UNIT, 4, "11100", number) for number in range(3)]) == {}


def test_a_thread_waits_for_all_its_responses() -> None:
    own = next(made for each in threads(30) if len(made := [*units_of(each)]) > 1)
    ballots = [vote(unit, n, "0" * len(unit.candidates)) for unit in own for n in range(3)]
    assert label_threads(ballots[:-1]) == []
    [(split, thread)] = label_threads(ballots)
    assert split == "train"
    assert own[0].origin is not None
    assert thread_id(thread) == thread_id(own[0].origin.thread)


def test_what_three_skipped_is_released_without_labels() -> None:
    assert release([*CAST[:2], skip(UNIT, 5, 3), skip(UNIT, 6, 4)]) == {}
    thread = labelled([skip(UNIT, worker, worker) for worker in range(3)])
    assert not any(thread["grounded_personas"] + thread["ungrounded_personas"])


def test_gold_and_units_of_no_thread_are_not_released() -> None:
    gold = msgspec.structs.replace(UNIT, gold=UNIT.known)
    cast = [vote(each, n, "0" * len(each.candidates)) for each in (gold, PLAIN) for n in range(3)]
    assert release(cast) == {}


def test_addresses_cover_the_threads() -> None:
    files, thread = release(CAST), labelled(CAST)
    personas = json.loads(files["persona_image_urls.json"])
    assert personas == {each["id"]: each["direct_url"] for each in thread["all_personas"]}
    posts = json.loads(files["dialog_image_urls.json"])
    assert posts == ({thread["message_ids"][0]: thread["direct_url"]} if posts else {})


def test_small_exports_go_to_train() -> None:
    assert UNIT.origin is not None
    origin = msgspec.structs.replace(UNIT.origin, split="test")
    tested = msgspec.structs.replace(UNIT, origin=origin)
    files = release([msgspec.structs.replace(each, unit=tested) for each in CAST])
    assert {split: len(records) for split, records in read(files, "nrp").items()} == {
        "train": 1,
        "val": 0,
        "test": 0,
    }
    assert "CANDIDATES.txt" not in files


def vote_on_all(number: int, split: str) -> list[Ballot]:
    """Has three people answer as was meant."""
    world = InventedReddit(9, number)
    made = [unit for n in range(number) for unit in units_of(world.thread(n), split)]
    return [
        Ballot(unit, worker, 0, {name: int(yes) for name, yes in unit.known.items()})
        for unit in made
        for worker in range(3)
    ]


@pytest.fixture(scope="module")
def ranked() -> Files:
    return release(vote_on_all(110, "test"))


def test_a_hundred_candidates_are_drawn_from_the_export(ranked: Files) -> None:
    nrp, gpp, si = (read(ranked, task)["test"] for task in ("nrp", "gpp", "si"))
    assert len(nrp) == len(gpp) == len(si) == 110
    said = {text for thread in nrp for text in thread["messages"]}
    for thread in nrp:
        for author, text, options in zip(
            thread["authors"], thread["messages"], thread["nrp_candidate_responses"], strict=True
        ):
            if author == thread["main_author"]:
                assert options[0] == text
                assert len(set(options)) == 100
                assert set(options) <= said
            else:
                assert options == []
    for thread in si:
        authors = thread["si_candidate_authors_candidate_personas"]
        assert len({each[0]["author"] for each in authors}) == 100
    rankings = [e for t in gpp for e in t["gpp_candidate_authors_candidate_personas"] if e]
    assert len(rankings) > 100
    assert all(len({each["author"] for each in options}) == 100 for options in rankings)


def test_drawn_candidates_are_marked_as_ours(ranked: Files) -> None:
    note = ranked["CANDIDATES.txt"].decode()
    assert f"seed {SEED}" in note
    assert "not made by the authors" in note


def test_the_same_export_has_the_same_candidates(ranked: Files) -> None:
    assert release(vote_on_all(110, "test")) == ranked


def test_too_few_texts_are_not_enough() -> None:
    thread = threads(1)[0].thread
    same = [msgspec.structs.replace(thread, main_author=f"author_{n}") for n in range(120)]
    assert not Exported(same).is_enough(same[0])


def thread_of(cast: list[Ballot]) -> NrpThread:
    return label_threads(cast)[0][1]


def test_the_strongest_element_is_the_one_to_be_found() -> None:
    votes = [vote(UNIT, 1, "11000"), vote(UNIT, 2, "11000"), vote(UNIT, 3, "01000")]
    gpp = derive_gpp(thread_of(votes), None)
    event = len(UNIT.context) - 1
    right = gpp.gpp_grounded_persona[event]
    assert right is not None
    assert right.id == IDS[1]
    assert [each.id for each in gpp.gpp_candidate_personas[event]] == IDS[2:]
    assert gpp.gpp_candidate_authors_candidate_personas is msgspec.UNSET


def test_where_all_elements_are_grounded_there_is_nothing_to_find() -> None:
    gpp = derive_gpp(thread_of([vote(UNIT, n, "11111") for n in range(3)]), None)
    assert not any(gpp.gpp_grounded_persona)
    assert not any(gpp.gpp_candidate_personas)


def test_speaker_identification_ends_with_the_main_author() -> None:
    ends = [
        each.thread for each in threads(40) if each.thread.authors[-1] != each.thread.main_author
    ]
    assert ends
    for thread in ends:
        si = derive_si(thread, None)
        assert si.authors[-1] == thread.main_author
        assert len(si.messages) == len(si.message_ids) == len(si.created_utcs) == len(si.authors)
        assert si.si_main_author_candidate_personas == thread.candidate_personas


def test_every_unit_of_the_world_can_be_released() -> None:
    ballots = [vote(unit, n, "0" * len(unit.candidates)) for unit in units() for n in range(3)]
    assert len(label_threads(ballots)) == 8
