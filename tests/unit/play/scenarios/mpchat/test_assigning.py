from __future__ import annotations

import copy
from collections import Counter
from random import Random

import msgspec
import pytest
from tests.unit.play.scenarios.mpchat.labelling import PLAIN, skip, vote

from commonground.play.labelling.assigning import (
    GOLD_EVERY,
    LABELLING,
    REVIEW_AFTER,
    LabellingAssignments,
)
from commonground.play.scenarios.mpchat.material import Unit
from commonground.play.scenarios.mpchat.release import Ballot


def make(number: int, gold: int = 0) -> list[Unit]:
    """Units that differ by their ids; those with known answers come last."""
    answers = {"loaf": False, "shed": True, "boat": False}
    plain = [msgspec.structs.replace(PLAIN, id=f"u{n}") for n in range(number)]
    known = [msgspec.structs.replace(PLAIN, id=f"g{n}", gold=answers) for n in range(gold)]
    return plain + known


class Study:
    """People who come one after the other; everybody says yes to the second candidate."""

    def __init__(self, units: list[Unit], seed: int = 1) -> None:
        self.units = units
        self.assignments = LabellingAssignments(units, seed)
        self.given: list[tuple[int, int]] = []
        self.ended: list[tuple[int, int, Ballot]] = []

    def take(self, person: int) -> int | None:
        number = self.assignments.choose(person)
        if number is not None:
            self.assignments.begin(person, number)
            self.given.append((person, number))
        return number

    def work(self, person: int, votes: str = "010") -> int | None:
        """Lets somebody label the next unit; an empty text skips it."""
        number = self.take(person)
        if number is not None:
            unit = self.units[number]
            cast = vote(unit, person, votes) if votes else skip(unit, person)
            self.assignments.end(person, number, [cast])
            self.ended.append((person, number, cast))
        return number


def test_three_different_people_get_each_unit() -> None:
    study, rng = Study(make(20)), Random(4)
    while any(study.work(person) is not None for person in rng.sample(range(6), 6)):
        pass
    assert Counter(number for _, number in study.given) == dict.fromkeys(range(20), 3)
    assert len(set(study.given)) == len(study.given)


def test_the_unit_that_fewest_had_comes_first() -> None:
    study = Study(make(10))
    for turn in range(20):
        number = study.work(turn % 5)
        assert number is not None
        had = Counter(each for _, each in study.given[:-1])
        seen = {each for person, each in study.given[:-1] if person == turn % 5}
        assert had[number] == min(had[each] for each in range(10) if each not in seen)


def test_nobody_gets_a_unit_twice_and_is_told_when_there_is_none() -> None:
    study = Study(make(2))
    assert {study.work(1), study.work(1)} == {0, 1}
    assert study.work(1) is None


def test_units_under_way_count() -> None:
    study = Study(make(1))
    assert [study.take(person) for person in range(4)] == [0, 0, 0, None]


def test_a_session_that_broke_off_gives_its_place_to_somebody_else() -> None:
    study = Study(make(1))
    for person in range(3):
        study.take(person)
    study.assignments.end(1, 0, [])
    assert study.assignments.choose(1) is None
    assert study.assignments.choose(7) == 0


def test_a_skipped_unit_is_for_somebody_else_until_three_skipped_it() -> None:
    study = Study(make(1))
    study.work(0)
    for person in (1, 2):
        study.work(person, "")
        assert study.assignments.choose(person) is None
    assert study.assignments.choose(9) == 0
    study.work(3, "")
    assert study.assignments.choose(9) is None


def test_choosing_changes_nothing() -> None:
    study = Study(make(9))
    assert {study.assignments.choose(1) for _ in range(5)} == {study.assignments.choose(1)}
    assert study.assignments.choose(2) == study.assignments.choose(1)


def test_the_seed_draws_the_order() -> None:
    firsts = {LabellingAssignments(make(9), seed).choose(1) for seed in range(30)}
    assert len(firsts) > 5


def test_each_tenth_unit_of_a_person_has_known_answers() -> None:
    study = Study(make(60, gold=3))
    numbers = [study.work(1) for _ in range(45)]
    known = [place for place, number in enumerate(numbers, 1) if (number or 0) >= 60]
    assert known == [GOLD_EVERY, 2 * GOLD_EVERY, 3 * GOLD_EVERY]
    assert len({numbers[place - 1] for place in known}) == 3


def test_known_answers_alone_are_given_to_nobody() -> None:
    study = Study(make(0, gold=3))
    assert study.work(1) is None


def careless(rng: Random) -> str:
    return "".join(rng.choices("01", k=3))


@pytest.fixture(scope="module")
def study() -> Study:
    """Person 3 answers without looking, and has labelled enough for that to be seen."""
    study, rng = Study(make(80, gold=4)), Random(2)
    for _ in range(60):
        for person in range(4):
            right = "010" if rng.random() < 0.95 else "110"
            study.work(person, careless(rng) if person == 3 else right)
    return study


def test_who_agrees_by_chance_alone_gets_no_more(study: Study) -> None:
    assert [each for each in range(4) if study.assignments.is_under_review(each)] == [3]
    assert study.assignments.measures()["under_review"] == 1
    assert study.assignments.choose(3) is None
    assert REVIEW_AFTER <= sum(person == 3 for person, _ in study.given) < 60


def test_nobody_is_reviewed_too_early() -> None:
    study, rng = Study(make(40)), Random(2)
    for _ in range(REVIEW_AFTER - 1):
        for person in range(3):
            study.work(person, careless(rng) if person else "010")
    assert study.assignments.measures()["under_review"] == 0


def measure(units: list[Unit], *votes: str) -> dict[str, float | None]:
    """Measures votes of people 0, 1, ...; a text for each unit, with commas between people."""
    assignments = LabellingAssignments(units, 1)
    for number, text in enumerate(votes):
        for person, cast in enumerate(text.split(",")):
            assignments.begin(person, number)
            assignments.end(person, number, [vote(units[number], person, cast)])
    return assignments.measures()


def test_agreement_is_counted() -> None:
    found = measure(make(3), "010,010,010", "110,010,010")
    assert (found["units_done"], found["units_left"]) == (2, 1)
    assert found["unanimous"] == pytest.approx(5 / 6)
    # 7 of 18 votes are yes: 2 * 7 * 11 / (18 * 17) of all pairs differ, and 2 / 18 within elements.
    assert found["alpha"] == pytest.approx(1 - (2 / 18) / (2 * 7 * 11 / (18 * 17)))


def test_elements_with_two_votes_count_for_alpha_only() -> None:
    found = measure(make(1), "010,011")
    assert (found["units_done"], found["unanimous"], found["kappa"]) == (0, None, None)
    assert found["alpha"] is not None


def test_nothing_is_measured_of_nothing() -> None:
    assert measure(make(1)) == {
        **dict.fromkeys(("alpha", "kappa", "unanimous")),
        "units_done": 0,
        "units_left": 1,
        "under_review": 0,
    }


def test_known_answers_say_nothing_of_agreement() -> None:
    found = measure(make(0, gold=1), "010,010,110")
    assert (found["units_done"], found["units_left"], found["alpha"]) == (0, 0, None)


def test_alpha_is_that_of_other_programs(study: Study) -> None:
    agreement = pytest.importorskip("nltk.metrics.agreement")
    rows = [
        (person, (number, candidate), cast)
        for person, number, ballot in study.ended
        if ballot.unit.gold is None
        for candidate, cast in ballot.votes.items()
    ]
    measures = study.assignments.measures()
    assert measures["alpha_of_all"] == pytest.approx(agreement.AnnotationTask(rows).alpha())
    counted = [each for each in rows if each[0] != 3]
    assert measures["alpha"] == pytest.approx(agreement.AnnotationTask(counted).alpha())


def test_votes_of_who_is_stopped_do_not_count_as_done(study: Study) -> None:
    measures = study.assignments.measures()
    assert (measures["people_stopped"], measures["under_review"]) == (1, 1)
    done, of_all = measures["units_done"], measures["units_done_of_all"]
    assert done < of_all  # type: ignore[operator]
    assert measures["alpha"] > 0.8 > 0.6 > measures["alpha_of_all"]  # type: ignore[operator]
    shared = {number for person, number in study.given if person == 3}
    waiting = {number for person in (7, 8, 9) for number in walk(study, person)}
    assert waiting >= {each for each in shared if study.units[each].gold is None}


def walk(study: Study, person: int) -> list[int]:
    """The units that somebody would be given one after the other, of whom nothing is kept."""
    fresh, given = copy.deepcopy(study), []
    while (number := fresh.work(person)) is not None:
        given.append(number)
    return given


def test_who_was_looked_at_goes_on_and_counts(study: Study) -> None:
    mine = copy.deepcopy(study)
    mine.assignments.clear(3)
    measures = mine.assignments.measures()
    assert measures["under_review"] == 0
    assert "alpha_of_all" not in measures
    assert measures["alpha"] == study.assignments.measures()["alpha_of_all"]
    assert mine.work(3, "101") is not None
    assert not mine.assignments.is_under_review(3)


def test_who_fails_known_answers_is_stopped() -> None:
    study = Study(make(200, gold=8))
    # With nobody to compare with: only the known answers tell.
    while study.work(1, "101") is not None:
        pass
    known = study.assignments.describe(1)
    assert (known.known, known.right, known.kappa) == (21, 0, None)
    assert study.assignments.measures()["people_stopped"] == 1
    assert study.assignments.measures()["units_done_of_all"] == 0


def test_units_of_who_is_excluded_are_for_others_until_that_is_taken_back() -> None:
    study = Study(make(2))
    for person in range(3):
        study.work(person)
        study.work(person)
    before = study.assignments.measures()
    assert (before["units_done"], study.assignments.choose(5)) == (2, None)
    study.assignments.exclude(1, True)
    assert study.assignments.measures()["units_done"] == 0
    assert study.assignments.choose(1) is None
    assert study.work(5) is not None
    assert study.assignments.measures()["units_done"] == 1
    study.assignments.exclude(1, False)
    # The unit that somebody else did meanwhile has a vote to spare; the other one is done again.
    assert study.assignments.measures() == before
    assert study.assignments.choose(6) is None


def test_what_somebody_did_is_told() -> None:
    study = Study(make(11, gold=1))
    for _ in range(12):
        for person in range(3):
            study.work(person, "011" if person == 2 else "010")
    works = [study.assignments.describe(person) for person in range(4)]
    assert [each.done for each in works] == [12, 12, 12, 0]
    assert [(each.known, each.right) for each in works] == [(3, 3), (3, 3), (3, 2), (0, 0)]
    assert works[0].kappa == 1
    # 11 units: a third of the majority's answers are yes, and a third of all pairs differ.
    by_chance = (0.5**2) * 2
    assert works[2].kappa == pytest.approx((2 / 3 - by_chance) / (1 - by_chance))
    assert works[3].kappa is None


def test_people_of_a_study_without_people() -> None:
    assert [LABELLING.people(sessions) for sessions in (1, 20, 100, 900)] == [5, 5, 10, 30]


def test_measures_are_kept_up_with_each_ballot() -> None:
    study, rng = Study(make(12, gold=3)), Random(2)
    for turn in range(60):
        study.work(rng.randrange(6), "" if turn % 11 == 10 else rng.choice(["010", "110", "000"]))
        if turn == 40:
            study.assignments.forget(2)
            study.ended = [each for each in study.ended if each[0] != 2]
        fresh = LabellingAssignments(study.units, 1)
        for person, number, ballot in study.ended:
            fresh.begin(person, number)
            fresh.end(person, number, [ballot])
        assert study.assignments.measures() == pytest.approx(fresh.measures())
    assert study.assignments.measures()["alpha"] is not None


def test_what_a_model_says_takes_nobodys_place() -> None:
    study = Study(make(1))
    for person in (7, 8, 9):
        number = study.take(person)
        cast = msgspec.structs.replace(vote(study.units[0], person, "111"), by_model=True)
        assert number == 0
        study.assignments.end(person, number, [cast])
        assert study.assignments.choose(person) is None
    assert study.assignments.measures()["units_done"] == 0
    assert [study.work(person) for person in range(4)] == [0, 0, 0, None]
    assert study.assignments.measures()["alpha"] == 1


def test_a_unit_says_how_many_label_it() -> None:
    units = [msgspec.structs.replace(each, people=number) for number, each in enumerate(make(2), 1)]
    study = Study(units)
    for person in range(4):
        while study.work(person) is not None:
            pass
    assert Counter(number for _, number in study.given) == {0: 1, 1: 2}
    assert study.assignments.measures()["units_left"] == 0
