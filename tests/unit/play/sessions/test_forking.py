"""Games that fork: what stands, whose acts go on, and why they end."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from random import Random

import msgspec
import pytest
from tests.thorough import thorough

from commonground.corpora.frames.native import FramesDialogue
from commonground.errors import UsageError
from commonground.play.player import Moment, Move, PlayerKind, Wait
from commonground.play.scenario import Act, Recorded, Sitting
from commonground.play.scenarios import ScenarioEntry, get_scenario
from commonground.play.sessions import (
    PlayedSession,
    Setup,
    play_session,
    play_sessions,
    seat_players,
)
from commonground.play.sessions.effects import measure_fork, measure_state, sum_up_effects
from commonground.play.sessions.forking import (
    Course,
    ForkPoint,
    draw_forks,
    find_forks,
    make_people_kind,
    replay_log,
)
from commonground.play.sessions.schedules import read_schedule
from commonground.play.sessions.session_logs import BorrowedEnd, SessionLog
from commonground.play.simulating import simulate
from commonground.records import UNSET
from commonground.statistics.counts import sum_exactly

GAMES = 3
SCENARIOS = ("photobook", "frames")
DATA = os.environ.get("COMMONGROUND_DATA")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("forking")
    for name in SCENARIOS:
        scenario = get_scenario(name)
        (folder / name).mkdir()
        seats = seat_players(scenario, {})
        play_sessions(scenario, seats, folder / name, sessions=GAMES, seed=3)
    return folder


def read_courses(folder: Path, name: str = "photobook") -> list[Course]:
    scenario = get_scenario(name)
    return [Course(scenario, each) for each in read_schedule(scenario, folder / name)]


def fork(
    course: Course,
    act: int,
    people: Sequence[str] = (),
    others: PlayerKind | None = None,
) -> PlayedSession:
    """Plays a fork in which those who are not people are scripts, or another kind."""
    scenario, recorded = course.scenario, course.recorded
    script = scenario.usual_player()
    borrows = make_people_kind([course], frozenset(people), script)
    roles = scenario.rules.roles
    setup = Setup(
        number=0,
        seed=recorded.seed,
        piece=0,
        material=recorded.material,
        agents={role: at for at, role in enumerate(roles)},
        people=dict.fromkeys(roles, 7),
        fork=ForkPoint(course, act, frozenset(people)),
    )
    seats = {role: borrows if role in people else others or script for role in roles}
    return play_session(scenario, seats, setup)


def some_acts(course: Course) -> list[int]:
    number = len(course.recorded.acts)
    return sorted({0, 1, number // 3, number * 2 // 3, number - 1})


def require_no_effect(course: Course, acts: Sequence[int]) -> None:
    for act in acts:
        made = fork(course, act, course.scenario.rules.roles)
        where = f"{course.recorded.name}@{act}"
        assert made.log is not None, where
        assert made.log.acts == list(course.recorded.acts), where
        assert made.state == course.states()[-1], where
        effect = measure_fork(course.scenario, made)
        assert effect is not None, where
        assert effect.people == effect.fork, where
        assert effect.ended == {}, where


@pytest.mark.parametrize("name", SCENARIOS)
def test_peoples_own_acts_have_no_effect(folder: Path, name: str) -> None:
    for course in read_courses(folder, name):
        require_no_effect(course, some_acts(course))


def test_peoples_own_acts_have_no_effect_in_released_logs(folder: Path) -> None:
    scenario = get_scenario("photobook")
    for recorded in read_schedule(scenario, folder / "photobook" / "logs"):
        course = Course(scenario, recorded)
        require_no_effect(course, some_acts(course))


@thorough
@pytest.mark.skipif(not DATA, reason="COMMONGROUND_DATA names no folder of released files")
def test_peoples_own_acts_have_no_effect_in_all_released_games() -> None:
    """Takes two minutes: three acts of each game, also where rules refuse some."""
    scenario = get_scenario("photobook")
    schedule = read_schedule(scenario, Path(str(DATA)) / "photobook")
    assert len(schedule) == 2_502
    for recorded in schedule:
        acts = Random(recorded.name).sample(range(len(recorded.acts)), 3)
        require_no_effect(Course(scenario, recorded), sorted(acts))


@pytest.mark.skipif(not DATA, reason="COMMONGROUND_DATA names no folder of released files")
def test_peoples_own_acts_have_no_effect_in_some_released_games() -> None:
    """Takes some seconds: five acts of every hundredth game."""
    scenario = get_scenario("photobook")
    schedule = read_schedule(scenario, Path(str(DATA)) / "photobook")
    for recorded in schedule[::100]:
        course = Course(scenario, recorded)
        require_no_effect(course, some_acts(course))


@pytest.fixture(scope="module")
def trips(tmp_path_factory: pytest.TempPathFactory) -> list[Course]:
    """Dialogues of Frames in the released form alone, without the log of their sessions."""
    folder = simulate("frames", tmp_path_factory.mktemp("trips"), dialogues=8, seed=3)
    return [
        Course(get_scenario("frames"), each)
        for each in read_schedule(get_scenario("frames"), folder)
    ]


def require_released(courses: Sequence[Course], data: bytes) -> None:
    """Requires that the acts of dialogues come to what was released of them."""
    rules = get_scenario("frames").rules
    released = {each.id: each for each in msgspec.json.decode(data, type=list[FramesDialogue])}
    for course in courses:
        there = released[course.recorded.name]
        sitting = Sitting(1, {"user": 1, "wizard": 2})
        (made,) = rules.finish(course.states()[-1], sitting)
        assert len(made.turns) == len(there.turns)
        for ours, theirs in zip(made.turns, there.turns, strict=True):
            assert ours.text == theirs.text.strip()
            assert ours.labels.frames == theirs.labels.frames
            assert ours.labels.active_frame == theirs.labels.active_frame
            assert (ours.db is UNSET) == (theirs.db is UNSET)
            if ours.db is not UNSET and theirs.db is not UNSET:
                assert ours.db.result == theirs.db.result


def test_released_dialogues_stand_as_released(tmp_path: Path) -> None:
    folder = simulate("frames", tmp_path, dialogues=8, seed=3)
    scenario = get_scenario("frames")
    courses = [Course(scenario, each) for each in read_schedule(scenario, folder)]
    assert len(courses) == 8
    require_released(courses, (folder / "frames.json").read_bytes())


def test_peoples_own_acts_have_no_effect_in_released_dialogues(trips: list[Course]) -> None:
    for course in trips[:3]:
        require_no_effect(course, some_acts(course))


def test_released_dialogues_fork_at_switches(trips: list[Course]) -> None:
    schedule = [each.recorded for each in trips]
    scenario = get_scenario("frames")
    point = next(
        found
        for each in schedule
        if any(act.type == "frames.frame_switch" for act in each.acts)
        for found in find_forks(scenario, schedule, [f"{each.name}@switch"], frozenset({"user"}))
    )
    assert point.course.recorded.acts[point.act].type == "frames.frame_switch"
    made = fork(point.course, point.act, ("user",))
    assert made.log is not None
    assert made.log.fork is not None
    assert made.log.fork.same >= point.act
    assert scenario.rules.is_complete(made.state)


@thorough
def test_dialogues_of_people_stand_as_released_and_fork_without_effect() -> None:
    path = os.environ.get("COMMONGROUND_FRAMES")
    if path is None:
        pytest.skip("COMMONGROUND_FRAMES names no file")
    scenario = get_scenario("frames")
    courses = [Course(scenario, each) for each in read_schedule(scenario, Path(path))]
    require_released(courses[::10], Path(path).read_bytes())
    for course in courses[::100]:
        require_no_effect(course, some_acts(course))


def test_what_was_done_before_the_fork_stands(folder: Path) -> None:
    for course in read_courses(folder):
        for act in some_acts(course):
            log = fork(course, act).log
            assert log is not None
            assert log.acts[:act] == list(course.recorded.acts[:act])
            assert [each.at_us for each in log.acts] == sorted(each.at_us for each in log.acts)
            assert log.fork is not None
            assert (log.fork.game, log.fork.act) == (course.recorded.name, act)


@pytest.mark.parametrize("name", SCENARIOS)
def test_the_log_of_a_fork_gives_its_state_again(folder: Path, name: str) -> None:
    for course in read_courses(folder, name):
        for act in some_acts(course):
            made = fork(course, act, course.scenario.rules.roles[:1])
            assert made.log is not None
            again = replay_log(course.scenario, made.log, course.recorded.material)
            assert again == made.state


class Doing:
    """Does what it is given once, and then nothing any more."""

    def __init__(self, *moves: Move) -> None:
        self._left = list(moves)

    def next_move(self, moment: Moment, _rng: Random) -> Move | Wait:
        if isinstance(moment.pending, Move):
            return moment.pending
        return self._left.pop(0) if self._left else Wait()


def doing(*moves: Move) -> PlayerKind:
    return PlayerKind("doing", "Does what it is given.", lambda _: Doing(*moves))


def say(text: str, delay_s: float = 0.001) -> Move:
    return Move("chat.message", {"text": text}, delay_s)


def find_chat(acts: Sequence[Act], role: str, start: int = 0) -> int:
    return next(
        n
        for n in range(start, len(acts))
        if acts[n].type == "chat.message" and acts[n].role == role
    )


def end_of(made: PlayedSession, role: str) -> BorrowedEnd | None:
    assert made.log is not None
    assert made.log.fork is not None
    return made.log.fork.ended.get(role)


def test_words_end_where_something_else_was_said(folder: Path) -> None:
    course = read_courses(folder)[0]
    first = find_chat(course.recorded.acts, "A")
    made = fork(course, first, ["A"], doing(say("never heard of it")))
    ended = end_of(made, "A")
    assert ended is not None
    assert (ended.act, ended.reason) == (first, "other words")


def test_words_go_on_where_the_partner_says_the_same(folder: Path) -> None:
    course = read_courses(folder)[0]
    acts = course.recorded.acts
    at = find_chat(acts, "B")
    after = find_chat(acts, "A", at)
    same = fork(course, at, ["A"], doing(say(acts[at].payload["text"])))
    other = fork(course, at, ["A"], doing(say("something else")))
    for made, reached in ((same, True), (other, False)):
        assert made.log is not None
        said = [each.payload for each in made.log.acts[at:] if each.role == "A"]
        assert (acts[after].payload in said) == reached


def test_words_wait_for_what_was_read_before_them(folder: Path) -> None:
    course = read_courses(folder)[0]
    at = find_chat(course.recorded.acts, "B")
    made = fork(course, at, ["A"], doing())
    ended = end_of(made, "A")
    assert ended is not None
    assert ended.reason == "not allowed"


def test_marks_go_on_after_other_words(folder: Path) -> None:
    course = read_courses(folder)[0]
    acts = course.recorded.acts
    pairs = zip(range(len(acts)), acts, acts[1:], strict=False)
    marked = next(n for n, one, two in pairs if one.type == two.type == "photobook.mark" and n)
    role = acts[marked].role or ""
    made = fork(course, marked, [role], doing(say("wait", 0.0001)))
    assert made.log is not None
    assert made.log.acts[marked].payload == {"text": "wait"}
    assert made.log.acts[marked + 1].payload == acts[marked].payload


def test_acts_that_the_rules_refuse_end_it(folder: Path) -> None:
    course = read_courses(folder)[0]
    acts = course.recorded.acts
    number = find_chat(acts, "A")
    blank = Act("chat.message", "A", {"text": " "}, acts[number].at_us, acts[number].round)
    recorded = Recorded(
        name="0",
        seed=course.recorded.seed,
        material=course.recorded.material,
        acts=[*acts[:number], blank],
    )
    scenario = get_scenario("photobook")
    # The partner's click, of which the chat shows nothing, makes it another game.
    changed = Course(scenario, recorded)
    image = scenario.rules.view(changed.states()[number], "B")["images"]
    target = next(each["image"] for each in image if each["highlighted"])
    mark = Move("photobook.mark", {"image": target, "label": "common"}, 0.0001)
    made = fork(changed, number, ["A"], doing(mark))
    ended = end_of(made, "A")
    assert ended is not None
    assert (ended.reason, ended.code) == ("refused", "empty")


def test_a_script_goes_on_with_the_marks_that_stand(folder: Path) -> None:
    for course in read_courses(folder):
        for act in range(0, len(course.recorded.acts), 9):
            made = fork(course, act)
            assert made.result.fate in ("won", "lost")
            assert made.log is not None
            assert made.log.rejected == []


def test_a_dialogue_without_a_switch_says_what_it_has(trips: list[Course]) -> None:
    (still, *_) = (
        each.recorded
        for each in trips
        if all(act.type != "frames.frame_switch" for act in each.recorded.acts)
    )
    with pytest.raises(UsageError, match=f"Dialogue {still.name} has no act switch") as refused:
        find_forks(get_scenario("frames"), [still], [f"{still.name}@switch"], frozenset())
    assert refused.value.advice == f"It has acts 0 to {len(still.acts) - 1}, or all."


@pytest.mark.parametrize(
    ("point", "says"),
    [
        ("0", "names no act"),
        ("0@", "names no act"),
        ("9@3", "no game 9"),
        ("0@9999", "no act 9999"),
        ("0@-1", "no act -1"),
        ("0@switch", "no act switch"),
    ],
)
def test_what_is_no_act_of_a_game_is_said(folder: Path, point: str, says: str) -> None:
    scenario = get_scenario("photobook")
    schedule = read_schedule(scenario, folder / "photobook")
    with pytest.raises(UsageError, match=says):
        find_forks(scenario, schedule, [point], frozenset())


def list_points(scenario: ScenarioEntry, folder: Path, point: str) -> list[ForkPoint]:
    schedule = read_schedule(scenario, folder / scenario.name)
    return find_forks(scenario, schedule, [point], frozenset())


def test_acts_have_names(folder: Path) -> None:
    scenario = get_scenario("photobook")
    acts = read_courses(folder)[1].recorded.acts
    assert [each.act for each in list_points(scenario, folder, "1@all")] == [*range(len(acts))]
    marks = [each.act for each in list_points(scenario, folder, "1@mark")]
    assert marks == [n for n, each in enumerate(acts) if each.type == "photobook.mark"]
    of_b = find_forks(
        scenario, read_schedule(scenario, folder / "photobook"), ["1@mark"], frozenset("A")
    )
    assert [e.act for e in of_b] == [n for n in marks if acts[n].role == "B"]
    frames = get_scenario("frames")
    switches = list_points(frames, folder, "0@switch")
    types = {each.course.recorded.acts[each.act].type for each in switches}
    assert types == {"frames.frame_switch"}


def test_forks_are_drawn_evenly_and_alike(folder: Path) -> None:
    scenario = get_scenario("photobook")
    schedule = read_schedule(scenario, folder / "photobook")
    drawn = draw_forks(scenario, schedule, 2 * GAMES + 1, 5, frozenset())
    games = [each.game for each in drawn]
    assert sorted(games.count(str(number)) for number in range(GAMES)) == [2, 2, 3]
    again = draw_forks(scenario, schedule, 2 * GAMES + 1, 5, frozenset())
    assert [(e.game, e.act) for e in again] == [(e.game, e.act) for e in drawn]


def test_measures_are_those_of_sets_of_games(folder: Path) -> None:
    from commonground.games import measure

    measured = measure("photobook", games=folder / "photobook").sets["games"]
    means = {each.measure: each.value for each in measured.points if each.page is None}
    course_states = [each.states()[-1] for each in read_courses(folder)]
    ours = [measure_state(get_scenario("photobook"), state) for state in course_states]
    for name in ("score", "words"):
        value = means[name]
        assert value is not None
        # Theirs are means over five pages.
        assert value * 5 * GAMES == pytest.approx(sum_exactly([each[name] for each in ours]))


def test_effects_are_of_games_and_their_forks(folder: Path) -> None:
    courses = read_courses(folder)
    made = [fork(course, act) for course in courses for act in some_acts(course)]
    measured = [measure_fork(get_scenario("photobook"), each) for each in made]
    effects = sum_up_effects([each for each in measured if each is not None], seed=1)
    score = effects.points[0]
    assert (score.measure, score.act, score.games) == ("score", None, GAMES)
    assert score.forks == len(made)
    forks = [each.result.score or 0.0 for each in made]
    assert score.fork == pytest.approx(sum(forks) / len(made))
    assert score.low is not None
    assert score.high is not None
    assert score.low <= (score.difference or 0) <= score.high
    assert sum(each.forks for each in effects.by_act if each.measure == "score") == len(made)


def test_a_log_from_before_forks_is_read(folder: Path) -> None:
    from commonground.play.sessions.session_logs import read_sessions

    logs: list[SessionLog] = list(read_sessions(folder / "photobook" / "sessions.jsonl"))
    assert [each.fork for each in logs] == [None] * GAMES
