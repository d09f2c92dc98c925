from __future__ import annotations

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
    describe_workers,
    measure_agreement,
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
    standings = {each.worker: each for each in describe_workers(study.assignments.ballots)}
    assert [worker for worker, each in standings.items() if each.review] == [3]
    assert study.assignments.is_under_review(3)
    assert study.assignments.choose(3) is None
    assert REVIEW_AFTER <= standings[3].units < 60
    assert standings[3].kappa is not None
    assert standings[3].kappa < 0.2


def test_how_people_do_is_counted(study: Study) -> None:
    careful, careless = (describe_workers(study.assignments.ballots)[n] for n in (0, 3))
    assert careful.gold > 0
    assert careful.gold_right > 0.8 * careful.gold
    assert careless.gold_right < careless.gold
    assert (careful.agreement or 0) > 0.9 > (careless.agreement or 0)
    assert careful.skipped == 0


def test_nobody_is_reviewed_too_early() -> None:
    study, rng = Study(make(40)), Random(2)
    for _ in range(REVIEW_AFTER - 1):
        for person in range(3):
            study.work(person, careless(rng) if person else "010")
    assert not any(each.review for each in describe_workers(study.assignments.ballots))


def ballots(*votes: str) -> list[Ballot]:
    """Votes of people 0, 1, ... on a unit; a text for each unit, with commas between people."""
    units = make(len(votes))
    return [
        vote(unit, person, cast)
        for unit, text in zip(units, votes, strict=True)
        for person, cast in enumerate(text.split(","))
    ]


def test_agreement_is_counted() -> None:
    found = measure_agreement(ballots("010,010,010", "110,010,010"))
    assert (found.units, found.elements) == (2, 6)
    # Of 6 elements one has 1 to 2: it has 2 of 3 pairs that differ, all others none.
    assert found.pairwise == pytest.approx(1 - 2 / 18)
    assert found.unanimous == pytest.approx(5 / 6)
    # 7 of 18 votes are yes: 2 * 7 * 11 / (18 * 17) of all pairs differ, and 2 / 18 within elements.
    assert found.alpha == pytest.approx(1 - (2 / 18) / (2 * 7 * 11 / (18 * 17)))


def test_elements_with_two_votes_count_for_alpha_only() -> None:
    found = measure_agreement(ballots("010,011"))
    assert (found.units, found.elements, found.unanimous) == (0, 0, None)
    assert found.alpha is not None


def test_nothing_is_measured_of_nothing() -> None:
    assert measure_agreement([]) == measure_agreement([skip(PLAIN, 1)])
    assert measure_agreement([]).alpha is None
    assert describe_workers([]) == []


def test_known_answers_say_nothing_of_agreement() -> None:
    [unit] = make(0, gold=1)
    assert measure_agreement([vote(unit, person, "010") for person in range(3)]).units == 0


def test_alpha_is_that_of_other_programs(study: Study) -> None:
    agreement = pytest.importorskip("nltk.metrics.agreement")
    rows = [
        (each.worker, (each.unit.id, candidate), cast)
        for each in study.assignments.ballots
        if each.unit.gold is None
        for candidate, cast in each.votes.items()
    ]
    theirs = agreement.AnnotationTask(rows).alpha()
    assert measure_agreement(study.assignments.ballots).alpha == pytest.approx(theirs)


def test_people_of_a_study_without_people() -> None:
    assert [LABELLING.people(sessions) for sessions in (1, 20, 100, 900)] == [5, 5, 10, 30]


def test_measures_are_kept_up_with_each_ballot() -> None:
    study, rng = Study(make(12, gold=3)), Random(2)
    for turn in range(60):
        study.work(rng.randrange(6), "" if turn % 11 == 10 else rng.choice(["010", "110", "000"]))
        if turn == 40:
            study.assignments.forget(2)
        measures = study.assignments.measures()
        whole = measure_agreement(study.assignments.ballots)
        for name in ("alpha", "kappa", "unanimous"):
            assert measures[name] == pytest.approx(getattr(whole, name)), name
    assert measures["units_done"] == whole.units
    assert measures["units_left"] == 12 - whole.units
    assert measures["under_review"] == 0


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
    assert [each.worker for each in describe_workers(study.assignments.ballots)] == [0, 1, 2]


def test_a_unit_says_how_many_label_it() -> None:
    units = [msgspec.structs.replace(each, people=number) for number, each in enumerate(make(2), 1)]
    study = Study(units)
    for person in range(4):
        while study.work(person) is not None:
            pass
    assert Counter(number for _, number in study.given) == {0: 1, 1: 2}
    assert study.assignments.measures()["units_left"] == 0
