"""``commonground play``: plays scenarios, plays released records again, and measures games."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from commonground.cli._ending import told_when_stopped
from commonground.cli._models import PlayerOptions, player_options
from commonground.cli._options import (
    Form,
    form_options,
    games_seed_option,
    material_option,
    number_cell,
    plain,
    print_csv,
    print_data,
    print_import,
    print_json,
    print_rich,
    print_table,
    progress_bar,
    refuse_options,
    to_builtins,
)
from commonground.errors import UsageError, close_names
from commonground.printing import count_of

if TYPE_CHECKING:
    from rich.text import Text

    from commonground.games import PlayedGames
    from commonground.play.rooms.players.models import Tally
    from commonground.play.scenarios import ScenarioEntry
    from commonground.play.sessions import Played
    from commonground.play.sessions.effects import Effects
    from commonground.play.sessions.replaying import Replayed

SECTION = "collect"

_PLAYING = frozenset(
    {
        *("games", "material", "logs", "calls", "schedule", "log", "answers", "jobs"),
        *("points", "forks", "named_seats"),
        *("max_calls", "max_tokens", "max_cost", "price_in", "price_out", "prices"),
    }
)
"""Options of playing."""

_MEASURING = frozenset({"same", "conditions", "split"})
"""Options of measuring."""


@click.command(
    short_help="Play a scenario's game, play released games again, or measure games.",
    # Roles are the scenario's, and known only once it is: `_parse_seats` reads their options.
    context_settings={"ignore_unknown_options": True},
)
@click.argument("scenario")
@click.argument("seats", nargs=-1, type=click.UNPROCESSED, metavar="[--ROLE PLAYER | NAME=PATH]...")
@click.option(
    "--games", type=click.IntRange(1), default=20, show_default=True, help="Games to play."
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Folder to write them to; with --measure, the curves, as SVG and CSV.",
)
@games_seed_option
@material_option("that of the schedule, or invented")
@click.option(
    "--replay",
    "logs",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Released files to replay; may be repeated.",
)
@click.option(
    "--calls",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Released files whose API calls to execute again; may be repeated.",
)
@click.option(
    "--schedule",
    type=click.Path(path_type=Path),
    help="Games to take material and seeds from: a sessions.jsonl, or released files.",
)
@click.option(
    "--fork",
    "points",
    multiple=True,
    metavar="GAME@ACT",
    help="Continue from this act of a game of --schedule; may be repeated.",
)
@click.option(
    "--forks",
    type=click.IntRange(1),
    help="Continue from so many acts, drawn from the games of --schedule.",
)
@click.option(
    "--seat",
    "named_seats",
    multiple=True,
    metavar="ROLE=PLAYER",
    help="The same as --ROLE PLAYER; may be repeated.",
)
@click.option(
    "--log",
    type=click.Path(path_type=Path),
    help="Log of inspect eval whose games to write, instead of playing.",
)
@player_options
@click.option("--jobs", type=click.IntRange(1), help="Processes of --replay.  [default: cores]")
@click.option("--measure", is_flag=True, help="Measure sets of games instead, side by side.")
@click.option("--same", is_flag=True, help="Only games whose material was played in every set.")
@click.option("--conditions", is_flag=True, help="Split a study's export by who had which seat.")
@click.option("--split", help="Only games of this released split.")
@form_options
def command(
    scenario: str,
    seats: tuple[str, ...],
    games: int,
    out: Path | None,
    seed: int,
    material: Path | None,
    logs: tuple[Path, ...],
    calls: tuple[Path, ...],
    schedule: Path | None,
    points: tuple[str, ...],
    forks: int | None,
    named_seats: tuple[str, ...],
    log: Path | None,
    models: PlayerOptions,
    jobs: int | None,
    measure: bool,
    same: bool,
    conditions: bool,
    split: str | None,
    form: Form,
) -> None:
    """Play the game of a scenario by its rules and without a server.

    SCENARIO is named like its corpus, or like a part of it, such as `simmc-fashion`.

    An option --ROLE PLAYER for each role of the game names its player, such as `--a script`. Roles
    that are not named are played by a script. A PLAYER with a slash, such as `openai/gpt-5`, is a
    language model, called through the package inspect-ai; it gets the same instructions as people
    and sees what they see, pictures included. Games are written in the released format, with a log
    of all acts. Finished games are kept next to OUT at once: if the command is stopped, repeat it
    to continue from there.

    With --schedule, games take the material and seeds of earlier ones. The PLAYER `replay` then
    repeats what was done in its seat, so that people of released games play with models. --log
    writes the games of `inspect eval commonground/photobook_game` in the same way.

    With --fork, games of the schedule continue from one of their acts, counted from 0; everything
    before it is unchanged. GAME@all stands for each act of a game; GAME@mark in PhotoBook and
    GAME@switch in Frames are acts of that kind. A seat that is not named is `people`: it repeats
    what was done in it as long as that still fits; then a script takes over, or the player named in
    `people,PLAYER`. The effects of the forks on score, words and turns are printed with 95 %
    intervals over resampled games, and drawn by act in OUT/effects.

    --max-calls, --max-tokens and --max-cost limit what all models use in the whole command. The
    game that reaches a limit is aborted and kept as far as it went; no further game is begun, and
    the command ends with status 1. Limits are checked before each call, so one call may exceed
    those of tokens and cost. `commonground tasks estimate` says what games cost.

    With --replay, released games are replayed by the same rules. Everything that the rules refuse,
    or that differs from the release, is listed with its reason.

    With --calls, the API calls of Taskmaster-3, Taskmaster-4 and SIMMC and the searches of Frames
    are executed again on the facts in the files themselves, and compared with what people saw.

    With --measure, sets of games are measured by the same rules, page by page, and shown side by
    side. Each NAME=PATH names a set and its place: a store, or a folder of released files or of
    this command's output. SCENARIO is then the corpus of their format, such as `photobook`.
    --conditions splits an export of `commonground collect` by who had which seat, such as
    people-model; other sets are not split. Only games that were played to their end are measured.
    For games that this command has written, the number begun is printed, and why others were
    aborted. Each number has a 95 % interval over resampled games. Entrainment is shown next to a
    control: the same measure with players of different games, who never met.

    \b
    Example:
      commonground play photobook --a script --b script --games 100 --out played
      commonground play photobook --a anthropic/claude-sonnet-4-5 --games 5 --out played
      commonground play photobook --a openai/NAME --games 5 --max-calls 500 --out played
      commonground play photobook --schedule logs --a replay --b script --out with-people
      commonground play photobook --schedule logs --fork 12@40 --b openai/gpt-5 --out forked
      commonground play photobook --replay logs
      commonground play taskmaster4 --calls taskmaster4
      commonground play photobook --measure people=logs models=played --out curves
      commonground play photobook --measure people=logs models=played --same --json
    """
    from commonground.play.scenarios import get_scenario

    if measure:
        from commonground.cli._measuring import measure_games

        refuse_options(_PLAYING, "has no effect with --measure")
        measure_games(
            scenario,
            seats,
            same=same,
            conditions=conditions,
            split=split,
            seed=seed,
            out=out,
            form=form,
        )
        return
    refuse_options(_MEASURING, "needs --measure")

    found = get_scenario(scenario)
    if calls:
        from commonground.cli._calls import rerun_calls

        if any(each is not None for each in (out, material, schedule, log)) or seats or logs:
            raise UsageError(
                "--calls executes what is in the files: "
                "no --replay, --out, --material, --schedule, --log or roles."
            )
        if not rerun_calls(found.name, calls, form):
            raise click.exceptions.Exit(1)
        return
    seats = (*seats, *(word for each in named_seats for word in _split_seat(each)))
    if logs or log is not None:
        models.refuse_limits()
        refuse_options({"points", "forks"}, "needs the games of --schedule")
    if logs:
        if any(each is not None for each in (out, material, schedule, log)) or seats:
            raise UsageError(
                "--replay plays what is in the files: "
                "no --out, --material, --schedule, --log or roles."
            )
        _replay(found, logs, jobs, form)
        return
    if out is None:
        raise UsageError("Say where to write the games.", "Such as --out played.")
    if log is not None:
        if material is not None or schedule is not None or seats:
            raise UsageError("--log writes what is in it: no --material, --schedule or roles.")
        _write_log(found, log, out, form)
        return
    if points or forks is not None:
        refuse_options({"games"}, "has no effect with --fork and --forks")
    wanted = _parse_seats(found, seats)
    # Of `people,PLAYER` the second may be a model.
    budget = models.make_budget(name.rpartition(",")[2] for name in wanted.values())
    from commonground.games import play_games

    def report_kept(place: Path, count: int) -> None:
        click.echo(f"Found in {place}: {count_of(count, 'finished game')}.", err=True)

    stopped = told_when_stopped(f"Nothing was written to {out}.")
    with stopped, progress_bar(f"playing {found.name}") as progress:
        made = play_games(
            found,
            wanted,
            out,
            games=games,
            seed=seed,
            material=material,
            schedule=schedule,
            answers=models.answers,
            budget=budget,
            points=points,
            forks=forks,
            progress=progress,
            report_kept=report_kept,
        )
    _print_made(found, made, out, material, None if budget is None else budget.cost, form)


def _split_seat(word: str) -> tuple[str, str]:
    """Reads ``ROLE=PLAYER`` as the two words of ``--ROLE PLAYER``."""
    role, sign, player = word.partition("=")
    if not (role and sign and player):
        raise UsageError(f"{word!r} names no player for a seat.", "Such as --seat B=script.")
    return f"--{role}", player


def _parse_seats(scenario: ScenarioEntry, words: tuple[str, ...]) -> dict[str, str]:
    """Reads options such as ``--a script``; click leaves alone what it does not know."""
    voices = scenario.voices()
    shared = () if voices is None else voices.names
    roles = [role.lower() for role in (*scenario.rules.roles, *shared)]
    seats: dict[str, str] = {}
    rest = list(words)
    while rest:
        word = rest.pop(0)
        option, is_whole, value = word.partition("=")
        if not option.startswith("--"):
            listed = ", ".join(f"--{role} script" for role in roles)
            advice = f"Name a player for each role: {listed}."
            raise UsageError(f"{word!r} belongs to no option.", advice)
        if option[2:].lower() not in roles:
            own = (name for each in command.params for name in each.opts if name.startswith("--"))
            known = [*(f"--{role}" for role in roles), *own]
            raise UsageError(f"There is no option {option}.", close_names(option, known))
        if not is_whole and not rest:
            advice = f"There are: {', '.join(sorted(scenario.player_kinds()))}."
            raise UsageError(f"{option} needs the name of a player.", advice)
        seats[option[2:]] = value if is_whole else rest.pop(0)
    return seats


def _print_made(
    scenario: ScenarioEntry,
    made: PlayedGames,
    out: Path,
    material: Path | None,
    cost: float | None,
    form: Form,
) -> None:
    played, name, tallies = made.played, made.name, made.models
    if made.kept is not None:
        left = count_of(made.n_kept, "game")
        click.echo(f"Not asked for, and left in {made.kept}: {left}.", err=True)
    if form == "json":
        told = {**_describe(played, out), "name": name, "models": tallies}
        if made.effects is not None:
            told["effects"] = made.effects
        print_json({**told, "cost": cost})
    elif form == "csv" and made.effects is not None:
        print_csv(_EFFECTS, [*made.effects.points, *made.effects.by_act])
    elif form == "csv":
        print_csv(_RATES, _list_rates(played))
    else:
        pictures = material and scenario.material_source().pictures(material)
        _print_played(scenario, played, out, pictures)
        _print_models(name, tallies)
        if made.effects is not None:
            _print_effects(made.effects, scenario.unit, out)
        if cost is not None:
            print_rich(f"About ${cost:,.2f} in all.")
    if played.stopped:
        asked = played.sessions + played.not_begun
        left = f"{count_of(played.not_begun, scenario.unit)} of {asked:,} not begun."
        click.echo(f"{played.stopped} {left}", err=True)
    # A fault of a player or of the rules, or a limit, which the caller must notice.
    if played.stuck or played.stopped:
        raise click.exceptions.Exit(1)


def _write_log(scenario: ScenarioEntry, log: Path, out: Path, form: Form) -> None:
    from commonground.extras import needing
    from commonground.files.outputs import new_folder

    with needing("inspect", f"{log} is a log of inspect_ai"):
        from commonground.bench.inspect_tasks.logs.games import write_logged_games
    with new_folder(out, "games", replaces=False, kept={}) as folder:
        played = write_logged_games(scenario, log, folder)
    if not print_data(form, _describe(played, out), _RATES, _list_rates(played)):
        _print_played(scenario, played, out)


def _print_models(name: str, tallies: dict[str, Tally]) -> None:
    """Prints who played, and what each language model was asked; nothing where none played."""
    if not tallies:
        return
    from commonground.play.rooms.players.models import count_bad

    print_rich(plain(name))
    for model, tally in tallies.items():
        print_rich(
            f"{model}: asked {count_of(tally.calls, 'time')}, "
            f"{count_of(tally.unreadable, 'answer')} without an act, "
            f"{count_of(tally.refused.total(), 'act')} refused, "
            f"{count_of(tally.given_up, 'session')} given up; "
            f"{tally.input_tokens:,} tokens read, {tally.output_tokens:,} written"
        )
        for name, count in count_bad(tally.outcomes, tally.refused).items():
            print_rich(f"  {name}: {count:,}")


def _describe(played: Played, out: Path) -> dict[str, Any]:
    """Returns the summary of games as JSON."""
    from commonground.play.outcomes import count_causes, summarise_games

    rates, causes = summarise_games(played.results), count_causes(played.results)
    return {"out": str(out), **to_builtins(played), "rates": to_builtins(rates), "causes": causes}


def _print_played(
    scenario: ScenarioEntry, played: Played, out: Path, pictures: Path | None = None
) -> None:
    unit = scenario.unit
    print_rich(f"{played.complete:,} of {played.sessions:,} {unit}s played to their end, in {out}")
    refused = sum(played.rejected.values())
    print_rich(f"{count_of(played.acts, 'act')}, {refused:,} refused")
    for code, count in played.rejected.most_common():
        print_rich(f"  {code}: {count:,}")
    for stuck in played.stuck[:20]:
        print_rich(f"  {unit} {stuck.number} got stuck: {stuck.reason}")
    if played.borrowed:
        said, of = (sum(getattr(b, name) for b in played.borrowed) for name in ("turns", "of"))
        print_rich(f"{said:,} of {of:,} turns of released dialogues said")
        for reason, count in Counter(b.reason for b in played.borrowed if b.reason).most_common():
            print_rich(f"  people's own words ended: {reason}, {count:,}")
    _print_rates(scenario, played)
    if scenario.has_corpus and played.complete:
        if _has_released(scenario, out):
            print_import(scenario.corpus.name, out, pictures)
        else:
            # Such as units that must be labelled by three people, or were by models only.
            print_rich(
                f"No {unit} is complete enough to be released, so there is nothing to import."
            )


def _has_released(scenario: ScenarioEntry, out: Path) -> bool:
    """Returns whether a file of the released formats is among those written."""
    from commonground.files.formats import identify_document
    from commonground.files.sources import list_documents

    formats = [each for each in scenario.corpus.formats() if each.role == "main"]
    documents = list_documents([out]).documents
    return any(identify_document(each, formats) is not None for each in documents)


def _print_rates(scenario: ScenarioEntry, played: Played) -> None:
    """Prints what became of the games, with 95 % intervals."""
    from commonground.play.outcomes import count_causes, summarise_games

    outcome = scenario.outcome()
    units = f"{scenario.unit}s"
    rows: list[tuple[str | Text, ...]] = []
    for name, rate in summarise_games(played.results).items():
        of_score = name == "score" and outcome is not None
        title = f"mean of {outcome.title}" if of_score and outcome else name
        rows.append((title, f"{rate.count:,}", f"{rate.of:,}", number_cell(rate)))
        if name == "aborted":
            for cause, count in count_causes(played.results).items():
                rows.append((f"  {cause}", f"{count:,}", f"{rate.of:,}", ""))
    print_table(("", units, "of", "share"), rows, right=(units, "of", "share"))


_RATES = ("what", "games", "of", "value", "low", "high")


def _list_rates(played: Played) -> Iterator[tuple[Any, ...]]:
    from commonground.play.outcomes import count_causes, summarise_games

    rates = summarise_games(played.results)
    for name, rate in rates.items():
        yield name, rate.count, rate.of, rate.value, rate.low, rate.high
    for cause, count in count_causes(played.results).items():
        yield f"aborted: {cause}", count, rates["aborted"].of, None, None, None


_EFFECTS = ("measure", "act", "forks", "games", "people", "fork", "difference", "low", "high")


def _print_effects(effects: Effects, unit: str, out: Path) -> None:
    """Prints what forks changed over all, and why people's own acts ended."""
    measured = [each for each in effects.forks if each.fork is not None]
    games = len({each.game for each in measured})
    print_rich(
        f"{count_of(len(measured), 'fork')} of {count_of(games, unit)}, compared "
        "with what people did"
    )
    heads = ("people", "fork", "fork minus people")
    if effects.points:
        rows = (
            (each.measure, f"{each.people:,.2f}", f"{each.fork:,.2f}", number_cell(each))
            for each in effects.points
        )
        print_table(("", *heads), rows, heads)
    if effects.aborted:
        print_rich(f"{count_of(effects.aborted, 'fork')} aborted, and not measured")
    for reason, count in effects.ended.items():
        print_rich(f"people's own acts ended: {reason}, {count:,}")
    print_rich(f"By act: {out / 'effects' / 'effects.svg'}")


def _replay(scenario: ScenarioEntry, logs: tuple[Path, ...], jobs: int | None, form: Form) -> None:
    from commonground.play.sessions.replaying import replay_files

    with progress_bar(f"playing {scenario.name} again") as progress:
        replayed = replay_files(scenario, logs, jobs=jobs, progress=progress)
    replayer = scenario.replayer()
    reasons = {} if replayer is None else replayer.reasons
    told = {**to_builtins(replayed), "reasons": reasons}
    columns = ("kind", "name", "number", "of", "reason", "first")
    if not print_data(form, told, columns, _list_replayed(replayed, reasons)):
        _print_replayed(scenario, replayed, reasons)
    if replayed.unread or replayed.findings:
        raise click.exceptions.Exit(1)


def _list_replayed(replayed: Replayed, reasons: Mapping[str, str]) -> Iterator[tuple[Any, ...]]:
    from commonground.play.sessions.replaying import count_differences

    replay = replayed.replay
    for name, of in replay.compared.items():
        yield "as released", name, replay.equal[name], of, "", ""
    for each, number in count_differences(replay.differences):
        first = f"{each.source} {each.path}"
        yield "difference", each.code, number, None, reasons.get(each.code, ""), first


def _print_replayed(
    scenario: ScenarioEntry, replayed: Replayed, reasons: Mapping[str, str]
) -> None:
    from commonground.play.sessions.replaying import count_differences

    replay = replayed.replay
    played, acts = count_of(replay.sessions, scenario.unit), count_of(replay.acts, "act")
    print_rich(f"{played} played again, {acts}.")
    compared = ((name, f"{replay.equal[name]:,}", f"{n:,}") for name, n in replay.compared.items())
    print_table(("compared", "as released", "of"), compared, right=("as released", "of"))
    if replay.differences:
        rows = (
            (first.code, f"{n:,}", reasons.get(first.code, ""), f"{first.source} {first.path}")
            for first, n in count_differences(replay.differences)
        )
        print_table(("difference", "number", "reason", "first"), rows, right=("number",))
        print_rich("All of them, with their places: the same command with --json.")
    for name, reason in [*replayed.unread.items()][:20]:
        print_rich(f"{name} was not played: {reason}")
    for finding in replayed.findings[:20]:
        print_rich(f"{finding.source_file} was not read: {finding.message}")
