"""Episodes: released dialogues that an agent is put in, and how its calls are judged."""

from __future__ import annotations

import os
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any, Literal

import pytest
from tests.released import find_released
from tests.thorough import thorough

from commonground.corpora import get_corpus
from commonground.corpora.taskmaster.native.dialogues import CoffeeDialogue, CoffeeUtterance
from commonground.errors import CommongroundError
from commonground.files.documents import iterate_records
from commonground.play.episode import (
    Episode,
    EpisodeSource,
    Held,
    ServedTurn,
    Service,
    Turn,
    Verdict,
    find_misfit,
    judge,
    read_episode,
    serve_as_people,
)
from commonground.play.episodes import iterate_episodes
from commonground.play.simulating import simulate
from commonground.play.world import Course, SeenCall
from commonground.statistics.counts import sum_counts
from commonground.store.identify import identify_documents

SOURCES = {each.world.corpus: each for each in iterate_episodes()}
EVERY = pytest.mark.parametrize("corpus", list(SOURCES))


def read_files(corpus: str, path: Path, most: int | None = None) -> list[tuple[Episode, Any]]:
    """The episodes of released files, each with its world."""
    source, courses, found = SOURCES[corpus], dict[str, list[Any]](), list[Episode]()
    for document, fmt in identify_documents(get_corpus(corpus), [path]).known:
        if fmt.role != "main":
            continue
        for read in islice(iterate_records(document, fmt), most):
            for course in source.world.read(read.record):
                courses.setdefault(course.group, []).append(course)
                found.append(read_episode(source, read.record, course))
    worlds = {group: source.world.build(each) for group, each in courses.items()}
    return [(each, worlds[each.group]) for each in found if any(t.calls for t in each.turns)]


def serve(source: EpisodeSource, world: Any, gold: list[ServedTurn], calls: Any) -> Verdict:
    """Serves as an agent does, whose calls of a turn are given by its number."""
    service, misfit = Service(source, world), ""
    for number in range(len(gold)):
        service.begin_turn()
        for each in calls(number):
            try:
                service.call(each.function, each.arguments)
            except CommongroundError:
                continue
        if number + 1 < len(gold):
            misfit = find_misfit(gold, service.turns[-1].held, number)
        if misfit:
            break
    return judge(gold, service.turns, misfit)


def be_silent(_number: int) -> list[SeenCall]:
    return []


def rate(verdicts: list[Verdict]) -> dict[str, float]:
    sums = sum_counts(each.counts for each in verdicts)
    return {
        "success": sums["success"] / sums["episodes"],
        "turns": sums["right"] / sums["turns"],
        "f1": 2 * sums["correct"] / (sums["predicted"] + sums["gold"]),
    }


def check_bounds(corpus: str, episodes: list[tuple[Episode, Any]]) -> None:
    """Gold is 1, silence 0, and calls drawn from other dialogues hardly more."""
    source, rng, golden, silent, drawn = SOURCES[corpus], Random(1), [], [], []
    pool = [call for each, _ in episodes for turn in each.turns for call in turn.calls]
    for episode, world in episodes:
        try:
            gold = serve_as_people(source, world, episode)
        except CommongroundError:
            continue
        golden.append(serve(source, world, gold, lambda n, e=episode: e.turns[n].calls))
        silent.append(serve(source, world, gold, be_silent))
        drawn.append(serve(source, world, gold, lambda _: rng.sample(pool, rng.randrange(4))))
    assert rate(golden) == {"success": 1, "turns": 1, "f1": 1}
    assert rate(silent) == {"success": 0, "turns": 0, "f1": 0}
    assert rate(drawn)["success"] < 0.05
    assert rate(drawn)["f1"] < 0.15


@EVERY
def test_people_reach_all_and_silence_and_chance_nothing(corpus: str, tmp_path: Path) -> None:
    simulate(corpus, tmp_path / "files", dialogues=40, seed=1)
    check_bounds(corpus, read_files(corpus, tmp_path / "files"))


def test_so_it_is_with_released_orders() -> None:
    path = find_released("taskmaster4") / "data" / "data_00.json"
    check_bounds("taskmaster4", read_files("taskmaster4", path, 200))


@thorough
def test_so_it_is_with_released_trips() -> None:
    if "COMMONGROUND_FRAMES" not in os.environ:
        pytest.skip("COMMONGROUND_FRAMES names no file")
    check_bounds("frames", read_files("frames", Path(os.environ["COMMONGROUND_FRAMES"]), 100))


BAR = SOURCES["taskmaster4"]
MENU = {"menu_items": [{"menu_item_id": "latte-1", "name": "Latte"}]}
ADDONS = {"addons": [{"addon_id": "foam-2", "name": "Foam", "default": "NO", "options": ["ADD"]}]}
NUMBERS = {"order_id": "7", "order_item_id": "8"}
OAT = [{"attribute_id": "milk", "option": "Oat Milk"}]
FOAM = [{"addon_id": "foam-2", "option": "ADD"}]


def call(function: str, arguments: Any, result: Any = None) -> SeenCall:
    return SeenCall("", function, arguments, result)


LOOK = call("get_menu_items", {"query": "flat white"}, MENU)
FIND = call("get_addons", {"query": "Foam"}, ADDONS)
ORDER = {"menu_item_id": "latte-1", "quantity": "1", "attributes": OAT, "addons": FOAM}
ADD = call("add_order_item", ORDER, NUMBERS)
FINISH = call("finish_order", {"order_id": "7"}, {"success": True})
LATTE = [[LOOK, FIND, ADD], [FINISH]]


def serve_latte(*turns: list[SeenCall]) -> Verdict:

    world = BAR.world.build([Course("a", [each for turn in LATTE for each in turn], "a")])
    service = Service(BAR, world)
    for turn in LATTE:
        service.begin_turn()
        for each in turn:
            service.call(each.function, each.arguments)
    return serve(BAR, world, service.turns, lambda number: turns[number])


def test_wording_and_order_of_calls_make_no_difference() -> None:
    # The same drink, found by the words that people used, but for case and marks.
    look = call("get_menu_items", {"query": "Flat-White", "fields": []})
    options = [{"attribute_id": "Milk", "option": "oat milk", "attribute_name": "Milk"}]
    addons = [{"addon_id": "foam-2", "option": "ADD"}, {"addon_id": "cream-3", "option": "NO"}]
    add = call("add_order_item", {**ORDER, "attributes": options, "addons": addons})
    found = serve_latte([FIND, look, add], [FINISH])
    assert (found.is_success, found.rights, found.misfit) == (True, [True, True], "")
    assert found.counts["correct"] == found.counts["gold"] == found.counts["predicted"] == 4


def test_what_was_not_looked_up_makes_a_turn_wrong_but_not_the_end() -> None:
    found = serve_latte([LOOK, ADD], [FINISH])
    assert (found.is_success, found.rights) == (True, [False, True])
    assert found.counts["correct"] == 3


def test_another_drink_ends_the_dialogue() -> None:
    other = call("add_order_item", {**ORDER, "menu_item_id": "tea-5"})
    found = serve_latte([LOOK, FIND, other], [FINISH])
    assert (found.is_success, found.rights) == (False, [False, False])
    assert found.misfit.startswith('people have order 1 {"addons":')
    assert found.counts["early"] == 1
    # What was not reached counts as not called.
    assert (found.counts["gold"], found.counts["correct"]) == (4, 2)


def test_one_drink_too_many_ends_the_dialogue() -> None:
    found = serve_latte([LOOK, FIND, ADD, ADD], [FINISH])
    assert found.misfit.startswith("people never have")


def test_an_order_placed_too_early_is_a_wrong_turn_in_a_dialogue_that_goes_on() -> None:
    found = serve_latte([*LATTE[0], FINISH], [])
    assert (found.is_success, found.rights, found.counts["early"]) == (True, [False, True], 0)


def test_calls_that_the_world_refuses_are_counted_as_wrong() -> None:
    refused = [call("fly", {}), call("finish_order", {"order_id": "9"}), call("show_menu", [])]
    found = serve_latte([*LATTE[0], *refused], [FINISH])
    assert found.is_success
    assert (found.counts["predicted"], found.counts["correct"]) == (7, 4)


def test_where_people_order_nothing_all_must_be_looked_up() -> None:
    nothing = ServedTurn()
    looked = ServedTurn(effects=["look"], looked_up=["look"])
    assert not judge([nothing, looked], [nothing, nothing]).is_success
    assert judge([nothing, looked], [looked, nothing]).is_success
    booked = ServedTurn(held=Held(["a film"]))
    assert not judge([nothing, looked], [looked, booked]).is_success


TICKETS = {
    "name.movie": "The Night Train",
    "name.theater": "Rialto 9",
    "time.showing": "9:10pm",
    "date.showing": "tonight",
    "num.tickets": "three",
}


@pytest.mark.parametrize(
    ("said", "is_same"),
    [
        ({"num.tickets": "3 people", "time.showing": "9.10 pm", "date.showing": "Today"}, True),
        ({"name.theater": "Rialto", "name.movie": "night train"}, True),
        ({"seating": "in the middle", "date.showing": "this evening"}, True),
        ({"num.tickets": "two"}, False),
        ({"time.showing": "9pm"}, False),
        ({"date.showing": "tomorrow night"}, False),
        ({"name.movie": "Orbit"}, False),
    ],
)
def test_tickets_are_compared_by_what_they_are_of(said: dict[str, str], is_same: bool) -> None:
    source = SOURCES["taskmaster3"]
    row = {key: TICKETS[key] for key in ("name.movie", "name.theater", "time.showing")}
    world = source.world.load(source.world.facts(rows=[row, {**row, "name.movie": "Orbit"}]))
    held = []
    for each in (TICKETS, {**TICKETS, **said}):
        state = world.call(world.beginning, "book_tickets", each).state
        held.append(source.hold(world, state))
    assert (held[0] == held[1]) is is_same


def test_a_person_who_speaks_twice_has_one_turn_and_the_assistant_may_open() -> None:

    said: list[tuple[Literal["user", "assistant"], str]]
    said = [("assistant", "Hello"), ("user", "Hi"), ("user", "the menu?"), ("assistant", "Here")]
    record = CoffeeDialogue(
        conversation_id="a", vertical="Coffee", scenario="", instructions=None, utterances=[]
    )

    record.utterances = [
        CoffeeUtterance(index=n, speaker=who, text=text, segments=[], annotations=[])
        for n, (who, text) in enumerate(said)
    ]
    show = SeenCall(".utterances[2].annotations api_call_0", "show_menu", {})
    episode = read_episode(BAR, record, Course("a", [show], "a"))
    assert episode.opening == "Hello"
    assert episode.turns == [Turn("Hi\nthe menu?", [show], "Here")]
