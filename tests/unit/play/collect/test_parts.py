"""Pairing, recruiting, identities, words and texts, each by itself."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.play.collect.party import Browser

from commonground.errors import FormatError, SourceError, UsageError
from commonground.play.collect.identities import Identities, Identity
from commonground.play.collect.live.pairing import MaterialUse, pair_people
from commonground.play.collect.live.sessions import find_changes
from commonground.play.collect.live.word_checks import WordCheck
from commonground.play.collect.people import Participant
from commonground.play.collect.setup.recruiting import find_way_back, read_arrival
from commonground.play.collect.setup.study import Recruiting, WatchedWords
from commonground.play.collect.setup.texts import load_texts

PROLIFIC = {"PROLIFIC_PID": "5f", "STUDY_ID": "st", "SESSION_ID": "se"}
MTURK = {
    "assignmentId": "A1",
    "hitId": "H1",
    "workerId": "W1",
    "turkSubmitTo": "https://workersandbox.mturk.com",
}
EVERYWHERE = Recruiting(prolific=True, mturk=True)


def person(pid: str, **fields: object) -> Participant:
    values = {"pid": pid, "number": 1, "language": "en", "platform": "plain", **fields}
    return msgspec.convert(values, Participant)


def pairs(*people: Participant, sets: int = 3, seed: int = 0) -> list[set[str]]:
    use = MaterialUse([frozenset((f"{number}.jpg",)) for number in range(sets)])
    found = pair_people(people, ("A", "B"), use, Random(seed))
    return [set(group.seats.values()) for group in found.groups]


def test_who_played_least_and_waits_longest_comes_first() -> None:
    people = [
        person("late", since_us=9),
        person("early", since_us=1),
        person("twice", sessions=2),
        person("also", since_us=5),
    ]
    assert pairs(*people) == [{"early", "also"}, {"late", "twice"}]


def test_nobody_meets_a_partner_or_a_picture_twice() -> None:
    assert pairs(person("a", partners={"b"}), person("b", partners={"a"})) == []
    assert pairs(person("a", seen={"0.jpg", "1.jpg"}), person("b", seen={"2.jpg"})) == []
    assert pairs(person("a", seen={"0.jpg", "1.jpg"}), person("b")) == [{"a", "b"}]


def test_two_languages_meet_only_where_the_study_says_so() -> None:
    people = [
        person("a", language="de"),
        person("b", language="en-GB", since_us=1),
        person("c", language="en", since_us=2),
        person("d", language="fr", since_us=3),
    ]
    assert pairs(*people) == [{"b", "c"}]
    use = MaterialUse([frozenset(("0.jpg",))])
    refused = pair_people(people[::3], ("A", "B"), use, Random(0)).refused
    assert [(each.people, each.reason) for each in refused] == [(("a", "d"), "language")]
    met = pair_people(people, ("A", "B"), use, Random(0), languages_meet=True).groups
    assert [set(group.seats.values()) for group in met] == [{"a", "b"}, {"c", "d"}]


def test_seats_that_people_came_for_are_kept() -> None:
    assert pairs(person("a", role="A"), person("b", role="A")) == []
    use = MaterialUse([frozenset(("0.jpg",))])
    people = [person("a", role="B"), person("b")]
    (group,) = pair_people(people, ("A", "B"), use, Random(1)).groups
    assert group.seats == {"A": "b", "B": "a"}


def test_no_more_people_of_a_role_are_seated_than_there_are_places_for() -> None:
    people = [person("a", role="A"), person("b"), person("c", role="A")]
    people[2].since_us, people[3:] = 1, [person("d", role="B", since_us=2)]
    use = MaterialUse([frozenset(("0.jpg",))])
    found = pair_people(people, ("A", "B"), use, Random(0), {"A": 1, "B": 1})
    (group,) = found.groups
    assert set(group.seats.values()) == {"a", "b"}
    assert group.asked == ("A",)
    assert pair_people(people, ("A", "B"), use, Random(0), {"A": 0, "B": 0}).groups == []
    (group,) = pair_people([people[1], people[3]], ("A", "B"), use, Random(0), {"B": 1}).groups
    assert group.asked == ("B",)
    refused = pair_people([people[1], people[3]], ("A", "B"), use, Random(0), {"B": 0}).refused
    assert [each.reason for each in refused] == ["quota"]


def test_people_come_from_where_the_study_takes_them() -> None:
    assert read_arrival({}, Recruiting()) == Identity("plain", "")
    assert read_arrival({"participant": "ann"}, Recruiting()) == Identity("plain", "ann")
    found = read_arrival(PROLIFIC, EVERYWHERE)
    assert found == Identity("prolific", "5f", {"STUDY_ID": "st", "SESSION_ID": "se"})
    preview = {"assignmentId": "ASSIGNMENT_ID_NOT_AVAILABLE", "hitId": "H1"}
    assert read_arrival(preview, EVERYWHERE) == "preview"
    worker = read_arrival(MTURK, EVERYWHERE)
    assert isinstance(worker, Identity)
    assert worker.platform_id == "W1"


@pytest.mark.parametrize(
    ("query", "rules"),
    [
        (PROLIFIC, Recruiting()),
        (MTURK, Recruiting()),
        ({"assignmentId": "ASSIGNMENT_ID_NOT_AVAILABLE"}, Recruiting()),
        ({}, Recruiting(plain=False)),
        ({"PROLIFIC_PID": "5f"}, EVERYWHERE),
        ({**PROLIFIC, "PROLIFIC_PID": "x" * 101}, EVERYWHERE),
        ({**PROLIFIC, "SESSION_ID": "a\nb"}, EVERYWHERE),
        ({**MTURK, "turkSubmitTo": "https://evil.example/"}, EVERYWHERE),
        ({**MTURK, "turkSubmitTo": "http://www.mturk.com"}, EVERYWHERE),
        ({**MTURK, "turkSubmitTo": "https://www.mturk.com.evil.example"}, EVERYWHERE),
    ],
)
def test_other_addresses_are_refused(query: dict[str, str], rules: Recruiting) -> None:
    with pytest.raises(UsageError):
        read_arrival(query, rules)


def test_everybody_gets_back_to_their_platform() -> None:
    assert find_way_back(Identity("plain", ""), "C", EVERYWHERE) is None
    back = find_way_back(Identity("prolific", "5f"), "C0 D&E", EVERYWHERE)
    assert back is not None
    assert back.address == "https://app.prolific.com/submissions/complete?cc=C0+D%26E"
    worker = read_arrival(MTURK, EVERYWHERE)
    assert isinstance(worker, Identity)
    back = find_way_back(worker, "C", EVERYWHERE)
    assert back is not None
    assert back.address == "https://workersandbox.mturk.com/mturk/externalSubmit"
    assert back.fields == {"assignmentId": "A1", "code": "C"}


def test_pseudonyms_tell_nothing_and_stay(tmp_path: Path) -> None:
    one, two = Identities(tmp_path / "one"), Identities(tmp_path / "two")
    known = Identity("prolific", "5f")
    pid = one.pseudonym(known)
    assert pid == one.pseudonym(Identity("prolific", "5f", {"SESSION_ID": "another"}))
    assert pid != one.pseudonym(Identity("mturk", "5f"))
    assert pid != two.pseudonym(known)  # each study has a secret of its own
    assert one.pseudonym(Identity("plain", "")) != one.pseudonym(Identity("plain", ""))
    assert one.read_token(one.token(pid)) == pid
    for forged in ("", pid, f"{pid}-", two.token(pid), one.token(pid)[:-1], "ü-ü\ud800"):
        assert one.read_token(forged) is None
    assert (tmp_path / "one").stat().st_mode & 0o077 == 0
    one.close()
    two.close()


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("hello", None),
        ("hell", "flag"),
        ("HELL!", "flag"),
        ("say h\uff45ll", "flag"),
        ("shut   up", "warn"),
        ("shut. up", None),
        ("hell, shut up", "warn"),
        ("STRASSE", "block"),
        ("", None),
    ],
)
def test_words_are_found_whole_and_in_any_case(text: str, verdict: str | None) -> None:
    check = WordCheck(WatchedWords(flag=["hell"], warn=["shut up"], block=["straße", " "]))
    found = check.check(text)
    assert (found.verdict if found else None) == verdict


def test_texts_of_a_study_replace_ours(tmp_path: Path) -> None:
    for folder in ("ours", "own", "empty", "bad"):
        (tmp_path / folder).mkdir()
    (tmp_path / "ours/en.toml").write_text('a = "A"\n[b]\nc = ["x", "y {n}"]\n')
    (tmp_path / "own/en.toml").write_text('[b.c]\n1 = "Y {n}"\n')
    texts = load_texts("en", [tmp_path / "ours", tmp_path / "own", tmp_path / "empty"])
    assert texts.many("b.c") == ["x", "Y {n}"]
    assert texts("b.c.1", n=3) == "Y 3"
    assert texts.below("b") == {"c.0": "x", "c.1": "Y {n}"}
    (tmp_path / "bad/en.toml").write_text("a = 1")
    with pytest.raises(FormatError, match="a is not a text"):
        load_texts("en", [tmp_path / "bad"])
    with pytest.raises(SourceError, match="fr"):
        load_texts("fr", [tmp_path / "ours"])


def test_what_rooms_share_has_its_texts_in_every_language() -> None:
    from commonground.play.rooms.rendering import HERE, KITS

    for kit in sorted(KITS.iterdir()):
        english = load_texts("en", [HERE / "texts", kit]).texts
        for path in kit.glob("??.toml"):
            assert load_texts(path.stem, [HERE / "texts", kit]).texts.keys() == english.keys()


def test_languages_have_the_same_texts_with_the_same_values() -> None:
    import re

    import commonground.play.rooms as rooms
    from commonground.play.scenarios import get_scenario

    ours = Path(rooms.__path__[0]) / "texts"
    room = get_scenario("photobook").room
    english = load_texts("en", [ours, room]).texts
    for path in ours.glob("*.toml"):
        other = load_texts(path.stem, [ours, room]).texts
        assert other.keys() == english.keys()
        for name, text in english.items():
            assert set(re.findall(r"\{\w+\}", text)) == set(re.findall(r"\{\w+\}", other[name]))


scalars = st.integers(0, 3) | st.sampled_from(["", "a", "b"])
values = st.recursive(scalars, lambda each: st.lists(each, max_size=3))
views = st.fixed_dictionaries(
    {"game": st.fixed_dictionaries({"chat": values, "phase": values}), "paused": values}
)


@given(views, views)
def test_changes_lead_from_one_view_to_the_other(old: dict[str, Any], new: dict[str, Any]) -> None:
    before = msgspec.json.encode(old)
    browser = Browser(1, "p")
    browser.take({"type": "welcome", "view": old}, False)
    browser.take({"type": "event", **find_changes(old, new)}, False)
    assert browser.view == new
    assert msgspec.json.encode(old) == before
