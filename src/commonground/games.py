"""Playing and measuring games in a line of Python each, as on the command line."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import islice, product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from commonground.corpora import get_corpus
from commonground.errors import SourceError, UsageError
from commonground.extras import needing
from commonground.figures.access import Plot
from commonground.figures.drawing.writing import write_figure
from commonground.files.outputs import new_folder
from commonground.measuring import MeasuredGames
from commonground.play.curves import get_measuring, make_curves, measure_sets
from commonground.play.outcomes import Rate, count_causes, summarise_games
from commonground.play.reruns import build_released
from commonground.play.scenarios import ScenarioEntry, get_scenario
from commonground.play.sessions import Played, PlayedSession, play_sessions, seat_players
from commonground.play.sessions.effects import (
    Effects,
    ForkEffect,
    draw_effects,
    measure_fork,
    sum_up_effects,
)
from commonground.play.sessions.forking import (
    PEOPLE,
    Course,
    ForkPoint,
    draw_forks,
    find_forks,
    make_people_kind,
)
from commonground.play.sessions.keeping import KeptGames, name_kept
from commonground.play.sessions.schedules import REPLAY, make_replay_kind, read_schedule
from commonground.play.sessions.session_logs import LOG_NAME, read_sessions
from commonground.play.world import Desk
from commonground.play.worlds import get_world
from commonground.printing import Sheet, Tabled, count_of, write_interval, write_number

if TYPE_CHECKING:
    from commonground.play.player import PlayerKind
    from commonground.play.rooms.players.budget import Budget
    from commonground.play.rooms.players.model_answers import AnswerForm
    from commonground.play.rooms.players.models import Tally
    from commonground.play.scenario import Recorded


class PlayedGames(Tabled, msgspec.Struct, frozen=True, kw_only=True):
    """Games that were played and written.

    Attributes:
        name: scenario, and who sat where.
        unit: what a game is called there.
        out: folder of the games.
        played: what was played, and what became of it.
        models: what each language model was asked, by its name.
        kept: file with further games that are finished and were not asked for; None for none.
        n_kept: how many these are.
        effects: what forks changed; None where games were played from their start.
    """

    name: str
    unit: str
    out: Path
    played: Played
    models: dict[str, Tally] = {}
    kept: Path | None = None
    n_kept: int = 0
    effects: Effects | None = None

    @property
    def rates(self) -> dict[str, Rate]:
        """What became of the games: how many were won, lost and aborted, and their mean score."""
        return summarise_games(self.played.results)

    def plot(self) -> Plot:
        """Returns what forks changed, by the act at which they forked; a notebook draws it.

        Raises:
            UsageError: the games were played from their start.
        """
        if self.effects is None:
            raise UsageError("Only what forks changed is drawn.", "For whole games: cg.measure.")
        return Plot(draw_effects(self.effects, self.unit))

    def sheet(self) -> Sheet:
        """Returns a line for each thing that became of games."""
        played = self.played
        ended = f"{played.complete:,} of {count_of(played.sessions, self.unit)} played to their end"
        causes = [f"aborted: {name}, {n:,}" for name, n in count_causes(played.results).items()]
        return Sheet(
            title=f"{self.name}: {ended}, in {self.out}",
            columns=("", f"{self.unit}s", "of", "share", "95 % interval"),
            rows=[
                (
                    name,
                    f"{rate.count:,}",
                    f"{rate.of:,}",
                    write_number(rate.value),
                    write_interval(rate.low, rate.high),
                )
                for name, rate in self.rates.items()
            ],
            right=frozenset({f"{self.unit}s", "of", "share"}),
            notes=(*causes, *((played.stopped,) if played.stopped else ())),
        )


def play(
    scenario: str,
    out: str | Path,
    *,
    games: int = 20,
    seed: int = 0,
    material: str | Path | None = None,
    schedule: str | Path | None = None,
    max_calls: int | None = None,
    max_tokens: int | None = None,
    fork: str | Sequence[str] = (),
    forks: int | None = None,
    **players: str,
) -> PlayedGames:
    """Plays a game by its rules, without a server, and writes it in the released format.

    Args:
        scenario: named like its corpus, or like a part of it, such as ``simmc-fashion``.
        out: folder to write; new or empty.
        games: how many to play.
        seed: the same seed gives the same games.
        material: folder of pictures, scripts or whatever is played with; None to invent it.
        schedule: games to take material and seeds from; None for none.
        max_calls: calls of language models in all games together; None for no limit.
        max_tokens: tokens that these may read and write in all games together; None for no limit.
        fork: acts of the schedule's games at which these go on with others in their seats, such as
            ``"12@40"``, or ``"12@all"``; none to play games from their start.
        forks: how many such acts to draw; None to draw none.
        players: who plays each role, such as ``A="script"``, ``B="openai/gpt-5"``; roles that are
            not named are played by a script, and in forks by what people did, as long as it fits.

    Raises:
        UsageError: there is no such scenario, role or player, or ``out`` is not empty.
        SourceError: the material cannot be read, or ``out`` cannot be written.
        MissingExtraError: a language model plays, and inspect_ai is not installed.

    Example:
        >>> import commonground as cg
        >>> games = cg.play("photobook", "played", games=2, A="script", B="script")
        >>> games.played.complete
        2
    """
    entry = get_scenario(scenario)
    budget = None
    if any("/" in name for name in players.values()):
        from commonground.play.rooms.players.budget import Budget

        budget = Budget(calls=max_calls, tokens=max_tokens, cost=None, prices={})
    elif max_calls is not None or max_tokens is not None:
        raise UsageError("Limits are those of language models, and none plays.")
    return play_games(
        entry,
        players,
        Path(out),
        games=games,
        seed=seed,
        material=None if material is None else Path(material),
        schedule=None if schedule is None else Path(schedule),
        budget=budget,
        points=(fork,) if isinstance(fork, str) else fork,
        forks=forks,
    )


def play_games(
    scenario: ScenarioEntry,
    wanted: Mapping[str, str],
    out: Path,
    *,
    games: int,
    seed: int,
    material: Path | None = None,
    schedule: Path | None = None,
    taken: Collection[str] | None = None,
    answers: AnswerForm = "tools",
    budget: Budget | None = None,
    points: Sequence[str] = (),
    forks: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    report_kept: Callable[[Path, int], object] | None = None,
) -> PlayedGames:
    """Plays games; those that are finished are kept beside ``out`` until all are.

    Args:
        scenario: what to play.
        wanted: who plays each role; a name with a slash is a language model.
        out: folder to write; new or empty.
        games: how many to play.
        seed: the same seed gives the same games.
        material: folder of what is played with; None to invent it.
        schedule: games to take material and seeds from; None for none.
        taken: names of the games of the schedule that are taken; None for all.
        answers: how models say what they do.
        budget: what models may take; None where none plays, or for no limit.
        points: acts at which games of the schedule fork, as typed; none to play them from their
            start.
        forks: how many such acts to draw; None to draw none.
        progress: called with how many games are done, and how many there are.
        report_kept: called with the file of games that an earlier run finished, and their number.

    Raises:
        UsageError: there is no such role or player, or ``out`` is not empty.
        SourceError: the material cannot be read, or ``out`` cannot be written.
    """
    recorded = None if schedule is None else read_schedule(scenario, schedule)
    if recorded is not None and taken is not None:
        recorded = [each for each in recorded if each.name in taken]
    followers = _name_followers(scenario, wanted)
    models = {role.lower(): name for role, name in followers.items() if "/" in name}
    forked = _find_forks(scenario, recorded, wanted, points, forks, seed)
    seats = _seat(scenario, wanted, recorded)
    place = name_kept(out)
    with new_folder(out, "games", replaces=False, kept={}) as folder:
        # Pictures lie with the material, else with the released games; invented ones are drawn into
        # the folder that is being written.
        beside = material or schedule or folder
        tallies = _seat_models(scenario, models, seats, beside, answers, budget)
        if tallies and recorded is not None:
            from commonground.play.rooms.players.models import require_pictures

            require_pictures(recorded[0].material, beside)
        if forked:
            # People's own acts go before whoever sits in their seats.
            courses = list({id(each.course): each.course for each in forked}.values())
            for role in forked[0].people:
                seats[role] = make_people_kind(courses, forked[0].people, seats[role])
        measured: list[ForkEffect] = []

        def measure(made: PlayedSession) -> None:
            effect = measure_fork(scenario, made)
            if effect is not None:
                measured.append(effect)

        kept = KeptGames(place, scenario, seats)
        if len(kept) and report_kept is not None:
            report_kept(place, len(kept))
        try:
            played = play_sessions(
                scenario,
                seats,
                folder,
                sessions=games if forked is None else len(forked),
                seed=seed,
                material=material,
                schedule=recorded,
                forks=forked,
                kept=kept,
                stop=str if budget is None else budget.find_stop,
                progress=progress,
                take=None if forked is None else measure,
            )
            effects = None
            if forked is not None:
                effects = sum_up_effects(measured, seed=seed)
                # No PNG: imports take those for pictures of the games.
                table = draw_effects(effects, scenario.unit)
                write_figure(table, folder / "effects", endings=("svg",))
        except BaseException as stopped:
            kept.close()
            if place.is_file():
                stopped.add_note(
                    f"What was finished is in {place}; repeat the command to continue."
                )
            raise
        kept.close()
    n_left = kept.count_left()
    if not n_left:
        # Not before the output stands: until then a kill would leave neither.
        place.unlink(missing_ok=True)
    who = " ".join(f"{role}={kind.full_name}" for role, kind in seats.items())
    return PlayedGames(
        name=f"{scenario.name} {who}",
        unit=scenario.unit,
        out=out,
        played=played,
        models=tallies,
        kept=place if n_left else None,
        n_kept=n_left,
        effects=effects,
    )


def _find_forks(
    scenario: ScenarioEntry,
    recorded: Sequence[Recorded] | None,
    wanted: Mapping[str, str],
    points: Sequence[str],
    forks: int | None,
    seed: int,
) -> list[ForkPoint] | None:
    """Returns where games fork; None where they are played from their start."""
    if not points and forks is None:
        if any(name.partition(",")[0] == PEOPLE for name in wanted.values()):
            raise UsageError(
                f"A seat is {PEOPLE} only where a game forks.",
                "Name an act: --fork GAME@ACT; or repeat what was done: replay.",
            )
        return None
    if recorded is None:
        raise UsageError("Forks need the games of a schedule.", "Name it: --schedule PATH.")
    others = {role.lower() for role, name in wanted.items() if name.partition(",")[0] != PEOPLE}
    people = frozenset(role for role in scenario.rules.roles if role.lower() not in others)
    found = find_forks(scenario, recorded, points, people)
    if forks is not None:
        found += draw_forks(scenario, recorded, forks, seed, people)
    return found


def _name_followers(scenario: ScenarioEntry, wanted: Mapping[str, str]) -> dict[str, str]:
    """Returns who sits in each seat, and after people's own acts who goes on in it."""
    usual = scenario.usual_player().name
    return {
        role: (name.partition(",")[2] or usual) if name.partition(",")[0] == PEOPLE else name
        for role, name in wanted.items()
    }


def _seat(
    scenario: ScenarioEntry, wanted: Mapping[str, str], recorded: Sequence[Recorded] | None
) -> dict[str, PlayerKind]:
    """Seats everybody but language models, in whose places the usual players sit for now.

    Of people's own acts in a fork, those sit there who go on after them.
    """
    wanted = _name_followers(scenario, wanted)
    replayed = {role.lower() for role, name in wanted.items() if name == REPLAY}
    if replayed and {*scenario.list_places(wanted)} != {*scenario.rules.roles}:
        raise UsageError("A player who shares a seat cannot be replayed.", "Replay the whole seat.")
    if replayed and recorded is None:
        raise UsageError("Replaying people needs a schedule.", "Name it: --schedule FILE.")
    # A slash makes a model of a name, as in PROVIDER/NAME.
    later = {role for role, name in wanted.items() if "/" in name or name == REPLAY}
    usual = scenario.usual_player().name
    seats = seat_players(scenario, {r: usual if r in later else name for r, name in wanted.items()})
    if recorded is not None:
        kind = make_replay_kind(recorded)
        seats |= {role: kind for role in seats if role.lower() in replayed}
    return seats


def _seat_models(
    scenario: ScenarioEntry,
    models: Mapping[str, str],
    seats: dict[str, PlayerKind],
    pictures: Path,
    answers: AnswerForm,
    budget: Budget | None,
) -> dict[str, Tally]:
    """Puts language models into seats, by role in lower case; returns what will count them."""
    tallies: dict[str, Tally] = {}
    if models:
        with needing("inspect", "Language models play through inspect_ai"):
            from commonground.play.rooms.players.models import Tally, make_kind

        for role in seats:
            name = models.get(role.lower())
            if name is not None:
                tally = tallies.setdefault(name, Tally())
                seats[role] = make_kind(
                    scenario,
                    name,
                    pictures=pictures,
                    tally=tally,
                    budget=budget,
                    form=answers,
                    voice=role,
                )
    return tallies


class Study(msgspec.Struct, frozen=True, kw_only=True):
    """Pairings of people and models that played on one schedule, and were measured.

    Attributes:
        measured: each pairing, by its name, such as ``people-model``.
        sets: the folder of each.
        games: what was played of each; nothing of one that was found as it should be.
        stopped: why not all was played; empty where all was.
    """

    measured: MeasuredSets | None
    sets: dict[str, Path]
    games: dict[str, PlayedGames]
    stopped: str = ""


def study_models(
    scenario: ScenarioEntry,
    seats: Sequence[str],
    out: Path,
    *,
    schedule: Path,
    games: int,
    seed: int = 0,
    people: str = REPLAY,
    served: bool = False,
    material: Path | None = None,
    answers: AnswerForm = "tools",
    budget: Budget | None = None,
    report: Callable[[str], object] = str,
) -> Study:
    """Plays every pairing of people and models on one schedule, and measures them side by side.

    A pairing that is in ``out`` already is taken from there; so a study that was stopped goes on.

    Args:
        scenario: what is played, by two.
        seats: who plays: ``people``, and names of players.
        out: folder of a folder of games for each pairing.
        schedule: games of people, from which all take material and seeds.
        games: how many of them, of those that came to their end.
        seed: of players, resamples, and pairs who never met.
        people: who does people's part beside others.
        served: whether the schedule is the export of a study in which people and models met; what
            people did is taken from it then, and only the other pairings are played.
        material: folder of the pictures; None where they lie with the schedule.
        answers: how models say what they do.
        budget: what models may take in all pairings; None where none plays, or for no limit.
        report: called with the name of each pairing before it is played.

    Raises:
        UsageError: it cannot be played in pairs or measured, or ``out`` has other games.
        SourceError: the schedule cannot be read, or ``out`` cannot be written.
    """
    roles = scenario.rules.roles
    if len(roles) != 2:
        raise UsageError(f"{scenario.name} is not played in pairs.")
    measuring = get_measuring(scenario.corpus)
    taken = _take_ended(scenario, read_schedule(scenario, schedule), games)
    names = _name_seats(seats)
    sets, made, stopped = ({"study": schedule} if served else {}), dict[str, PlayedGames](), ""
    for pair in product(seats, repeat=2):
        if (served and PEOPLE in pair) or stopped:
            continue
        name = "-".join(names[each] for each in pair)
        sets[name] = folder = out / name
        alone = set(pair) == {PEOPLE}
        wanted = dict(
            zip(roles, (people if each == PEOPLE else each for each in pair), strict=True)
        )
        if alone:
            wanted = dict.fromkeys(roles, PEOPLE)
        if _has_played(folder, wanted, len(taken)):
            continue
        report(name)
        out.mkdir(parents=True, exist_ok=True)
        made[name] = play_games(
            scenario,
            wanted,
            folder,
            games=len(taken),
            seed=seed,
            material=material,
            schedule=schedule,
            taken=taken,
            answers=answers,
            budget=budget if any("/" in each for each in pair) else None,
            points=[f"{name}@0" for name in taken] if alone else (),
        )
        stopped = made[name].played.stopped
    if stopped:
        return Study(measured=None, sets=sets, games=made, stopped=stopped)
    found = measure_sets(scenario.corpus, sets, same=True, conditions=served, seed=seed)
    write_figure(make_curves(measuring, found), out)
    measured = MeasuredSets(scenario.corpus.name, found)
    return Study(measured=measured, sets=sets, games=made)


def _take_ended(scenario: ScenarioEntry, schedule: Sequence[Recorded], number: int) -> list[str]:
    """Returns the names of the first games of a schedule that people played to their end."""
    games = {each.name: each for each in reversed(schedule)}
    ended = (
        name
        for name in dict.fromkeys(each.name for each in schedule)
        if scenario.rules.is_complete(Course(scenario, games[name]).states()[-1])
    )
    found = list(islice(ended, number))
    if not found:
        raise UsageError("No game of the schedule was played to its end.")
    return found


def _name_seats(seats: Sequence[str]) -> dict[str, str]:
    """Returns a name for each of those who play: ``model`` where there is one beside people."""
    others = [each for each in dict.fromkeys(seats) if each != PEOPLE]
    if not others:
        raise UsageError("People need a partner.", "Such as --seats people,openai/gpt-5.")
    if len({*seats}) < len(seats):
        raise UsageError("Each player is named once.", "Both seats are filled with each of them.")
    names = {others[0]: "model"} if len(others) == 1 else {e: e.replace("/", "_") for e in others}
    return {PEOPLE: PEOPLE, **names}


def _has_played(folder: Path, wanted: Mapping[str, str], number: int) -> bool:
    """Says whether a folder has these games of these players already."""
    log = folder / LOG_NAME
    if not log.is_file():
        return False
    found = list(read_sessions(log))
    names = {role: name.partition(",")[0] for role, name in wanted.items()}
    return len(found) == number and all(
        {role: name.partition(",")[0] for role, name in each.players.items()} == names
        for each in found
    )


class MeasuredSets(Tabled, msgspec.Struct, frozen=True):
    """Sets of games that were measured in the same way.

    Attributes:
        corpus: the one of their format.
        sets: what was measured of each, by its name.
    """

    corpus: str
    sets: dict[str, MeasuredGames]

    def plot(self) -> Plot:
        """Returns the curves, page by page, with their intervals; a notebook draws them."""
        return Plot(make_curves(get_measuring(get_corpus(self.corpus)), self.sets))

    def list_numbers(self) -> list[tuple[Any, ...]]:
        """Returns set, games, measure, page, value and the ends of the interval of each number."""
        return [row for name, each in self.sets.items() for row in _list_numbers(name, each)]

    def sheet(self) -> Sheet:
        """Returns a line for each number."""
        return Sheet(
            title=f"Games of {self.corpus}, with 95 % intervals over resampled games",
            columns=("set", "games", "measure", "page", "value", "interval"),
            rows=[
                (name, f"{games:,}", measure, str(page), write_number(value), interval)
                for name, games, measure, page, value, low, high in self.list_numbers()
                for interval in (write_interval(low, high),)
            ],
            right=frozenset({"games", "value"}),
        )


def _list_numbers(name: str, measured: MeasuredGames) -> Iterable[tuple[Any, ...]]:
    """Yields the cells of each number of a set; its page is also what else it may be of."""
    numbers: list[tuple[Any, Any]] = [(each.page or "all", each) for each in measured.points]
    numbers += [("decline", each) for each in measured.declines]
    if (coupling := measured.coupling) is not None:
        numbers += [("partners", coupling.real), ("never met", coupling.control)]
        numbers += [("difference", coupling.difference)]
    for page, each in numbers:
        yield name, measured.games, each.measure, page, each.value, each.low, each.high


def measure(
    corpus: str,
    *,
    same: bool = False,
    conditions: bool = False,
    split: str | None = None,
    seed: int = 0,
    **sets: str | Path,
) -> MeasuredSets:
    """Measures sets of games by the same rules: words per page, entrainment, score.

    Args:
        corpus: the one of their format, such as ``photobook``.
        same: measure only the games whose material was played in every set.
        conditions: make a set of each way in which people and models sat.
        split: released split that is measured; None for all.
        seed: of resamples, and of pairs who never met.
        sets: a store, or a folder of released or played files, by the name of the set:
            ``people="logs"``, ``models="played"``.

    Raises:
        UsageError: no set is named, or the corpus has no measures of games.
        CommongroundError: a set cannot be read.

    Example:
        >>> import commonground as cg
        >>> measured = cg.measure("photobook", simulated=cg.simulate("photobook", "measured"))
        >>> measured.sets["simulated"].games
        20
    """
    if not sets:
        raise UsageError(
            "No set of games was named.", 'Such as cg.measure("photobook", a="games").'
        )
    paths = {name: Path(path) for name, path in sets.items()}
    entry = get_corpus(corpus)
    found = measure_sets(entry, paths, same=same, conditions=conditions, split=split, seed=seed)
    return MeasuredSets(corpus, found)


def open_world(
    name: str, *, facts: str | Path | None = None, dialogue: str | None = None, seed: int = 0
) -> Desk:
    """Opens a world whose functions can be called: a bar, cinemas, a travel agency, two shops.

    Args:
        name: of the world, that of its scenario.
        facts: file of JSON with what is true in it; for the shops of SIMMC, also a folder with a
            catalogue, the released one or one's own; for the others, also a store or a folder of
            released files, whose calls tell it. None to invent that.
        dialogue: id of the one released dialogue whose calls tell the facts, with those that share
            them; None for all.
        seed: the same seed invents the same facts.

    Raises:
        UsageError: there is no such world, or no such dialogue.
        SourceError: the file or folder cannot be read.
        FormatError: it holds something else.

    Example:
        >>> import commonground as cg
        >>> cinemas = cg.open_world("taskmaster3")
        >>> cinemas.call("resolve_location", {"location": "the Falls"})
        {'location': ['San Ysidro Falls']}
    """
    source = get_world(name)
    if facts is None:
        return Desk(source.invent(seed))
    if Path(facts).is_dir():
        if source.gather is not None:
            return Desk(source.load(source.gather(Path(facts))))
        return Desk(build_released(source, Path(facts), dialogue))
    try:
        data = Path(facts).read_bytes()
    except OSError as error:
        raise SourceError(f"{facts} cannot be read: {error.strerror}.") from error
    return Desk(source.load_bytes(data, str(facts)))
