"""``commonground play``: plays scenarios with scripted players, or released records again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from commonground.cli._ending import told_when_stopped
from commonground.cli._options import (
    json_option,
    material_option,
    new_table,
    number_cell,
    plain,
    print_import,
    print_json,
    print_rich,
    progress_bar,
    to_builtins,
)
from commonground.cli._prices import choose_price, price_options
from commonground.errors import UsageError, close_names
from commonground.printing import count_of

if TYPE_CHECKING:
    from commonground.bench.inspect_tasks.estimating import Price
    from commonground.play.player import PlayerKind
    from commonground.play.rooms.players.budget import Budget
    from commonground.play.rooms.players.model_answers import AnswerForm
    from commonground.play.rooms.players.models import Tally
    from commonground.play.scenario import Recorded
    from commonground.play.scenarios import ScenarioEntry
    from commonground.play.sessions import Played
    from commonground.play.sessions.replaying import Replayed


@click.command(
    short_help="Play a scenario's game, or released games again.",
    # Roles are the scenario's, and known only once it is: `_parse_seats` reads their options.
    context_settings={"ignore_unknown_options": True},
)
@click.argument("scenario")
@click.argument("seats", nargs=-1, type=click.UNPROCESSED, metavar="[--ROLE PLAYER]...")
@click.option(
    "--games", type=click.IntRange(1), default=20, show_default=True, help="Games to play."
)
@click.option("--out", type=click.Path(path_type=Path), help="Folder to write them to.")
@click.option("--seed", type=int, default=0, show_default=True, help="Same seed, same games.")
@material_option
@click.option(
    "--replay",
    "logs",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Released files to play again; may be given several times.",
)
@click.option(
    "--schedule",
    type=click.Path(path_type=Path),
    help="Games to take material and seeds from: a sessions.jsonl, or released files.",
)
@click.option(
    "--log",
    type=click.Path(path_type=Path),
    help="Log of inspect eval whose games to write, instead of playing.",
)
@click.option(
    "--answers",
    type=click.Choice(("tools", "json")),
    default="tools",
    show_default=True,
    help="How models say what they do: by calling a tool, or by an object of JSON.",
)
@click.option("--max-calls", type=click.IntRange(1), help="Calls of models in all games together.")
@click.option(
    "--max-tokens",
    type=click.IntRange(1),
    help="Tokens that models may read and write in all games together.",
)
@click.option(
    "--max-cost",
    type=click.FloatRange(0, min_open=True),
    help="Dollars that models may cost in all games together; needs prices.",
)
@price_options
@click.option("--jobs", type=click.IntRange(1), help="Processes of --replay.  [default: cores]")
@json_option
def command(
    scenario: str,
    seats: tuple[str, ...],
    games: int,
    out: Path | None,
    seed: int,
    material: Path | None,
    logs: tuple[Path, ...],
    schedule: Path | None,
    log: Path | None,
    answers: AnswerForm,
    max_calls: int | None,
    max_tokens: int | None,
    max_cost: float | None,
    price_in: float | None,
    price_out: float | None,
    prices: Path | None,
    jobs: int | None,
    as_json: bool,
) -> None:
    """Play the game of a scenario by its rules and without a server.

    SCENARIO is named like its corpus, or like a part of it, such as `simmc-fashion`.

    An option --ROLE PLAYER for each role of the game names its player, such as `--a script`. Roles
    that are not named are played by a script. A PLAYER with a slash, such as `openai/gpt-5`, is a
    language model, called through the package inspect-ai; it gets the same instructions as people
    and sees what they see, pictures included. Games are written in the released format, with a log
    of all acts. A game that is finished is kept beside OUT at once: if the command is stopped, the
    same one goes on from there.

    With --schedule, games take the material and seeds of earlier ones. The PLAYER `replay` then
    does what was done in its seat, so that people of released games play with models. --log writes
    the games of `inspect eval commonground/photobook_game` in the same way.

    --max-calls, --max-tokens and --max-cost limit what all models take in the whole command. The
    game that meets a limit is aborted and kept as far as it went; no further game is begun, and the
    command ends with status 1. Limits are looked at before each call, so that one call may go
    beyond those of tokens and cost. `estimate` says what games take.

    With --replay, released games are played again by the same rules. Everything that the rules
    refuse, or that differs from the release, is listed with its reason.

    \b
    Example:
      commonground play photobook --a script --b script --games 100 --out played
      commonground play photobook --a anthropic/claude-sonnet-4-5 --games 5 --out played
      commonground play photobook --a openai/NAME --games 5 --max-calls 500 --out played
      commonground play photobook --schedule logs --a replay --b script --out with-people
      commonground play photobook --replay logs
    """
    from commonground.play.scenarios import get_scenario

    found = get_scenario(scenario)
    most = (max_calls, max_tokens, max_cost)
    if logs or log is not None:
        _refuse_limits(most)
    if logs:
        if any(each is not None for each in (out, material, schedule, log)) or seats:
            raise UsageError(
                "--replay plays what is in the files: "
                "no --out, --material, --schedule, --log or roles."
            )
        _replay(found, logs, jobs, as_json=as_json)
        return
    if out is None:
        raise UsageError("Say where to write the games.", "Such as --out played.")
    if log is not None:
        if material is not None or schedule is not None or seats:
            raise UsageError("--log writes what is in it: no --material, --schedule or roles.")
        _write_log(found, log, out, as_json=as_json)
        return
    wanted = _parse_seats(found, seats)
    budget = _make_budget(
        [name for name in wanted.values() if "/" in name],
        most,
        partial(choose_price, price_in=price_in, price_out=price_out, prices=prices),
    )
    _play(found, wanted, out, games, seed, material, schedule, answers, budget, as_json=as_json)


def _refuse_limits(most: Sequence[float | None]) -> None:
    if any(each is not None for each in most):
        raise UsageError("Limits are those of language models, and none plays.")


def _make_budget(
    models: list[str],
    most: tuple[int | None, int | None, float | None],
    find_price: Callable[[str], Price | None],
) -> Budget | None:
    """Returns what models may take; None where none plays.

    Args:
        models: that play.
        most: calls, tokens and cost.
        find_price: finds the price of a model.
    """
    if not models:
        _refuse_limits(most)
        return None
    from commonground.extras import needing

    with needing("inspect", "Language models play through inspect_ai"):
        found = {model: find_price(model) for model in dict.fromkeys(models)}
    from commonground.play.collect.setup.partners import Price as SeatPrice
    from commonground.play.rooms.players.budget import Budget

    calls, tokens, cost = most
    if cost is not None and None in found.values():
        raise UsageError(
            "A limit of cost needs prices.", "Add --price-in and --price-out, or --prices FILE."
        )
    prices = {name: SeatPrice(each.input, each.output) for name, each in found.items() if each}
    return Budget(calls=calls, tokens=tokens, cost=cost, prices=prices)


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
            raise UsageError(f"{word!r} belongs to no option.", _list_roles(roles))
        if option[2:].lower() not in roles:
            own = (name for each in command.params for name in each.opts if name.startswith("--"))
            known = [*(f"--{role}" for role in roles), *own]
            raise UsageError(f"There is no option {option}.", close_names(option, known))
        if not is_whole and not rest:
            raise UsageError(f"{option} needs the name of a player.", _list_players(scenario))
        seats[option[2:]] = value if is_whole else rest.pop(0)
    return seats


def _list_roles(roles: list[str]) -> str:
    return f"Name a player for each role: {', '.join(f'--{role} script' for role in roles)}."


def _list_players(scenario: ScenarioEntry) -> str:
    return f"There are: {', '.join(sorted(scenario.player_kinds()))}."


def _play(
    scenario: ScenarioEntry,
    wanted: dict[str, str],
    out: Path,
    games: int,
    seed: int,
    material: Path | None,
    schedule: Path | None,
    answers: AnswerForm,
    budget: Budget | None,
    *,
    as_json: bool,
) -> None:
    from commonground.files.outputs import new_folder
    from commonground.play.sessions import play_sessions
    from commonground.play.sessions.keeping import KeptGames, name_kept
    from commonground.play.sessions.schedules import read_schedule

    recorded = None if schedule is None else read_schedule(scenario, schedule)
    models = {role.lower(): name for role, name in wanted.items() if "/" in name}
    seats = _seat(scenario, wanted, recorded)
    place = name_kept(out)
    with (
        told_when_stopped(f"Nothing was written to {out}."),
        new_folder(out, "games", replaces=False, kept={}) as folder,
        progress_bar(f"playing {scenario.name}") as progress,
    ):
        # Pictures lie with the material, else with the released games; invented ones are drawn into
        # the folder that is being written.
        beside = material or schedule or folder
        tallies = _seat_models(scenario, models, seats, beside, answers, budget)
        if tallies and recorded is not None:
            from commonground.play.rooms.players.models import require_pictures

            require_pictures(recorded[0].material, beside)
        kept = KeptGames(place, scenario, seats)
        if len(kept):
            click.echo(f"Found in {place}: {count_of(len(kept), 'finished game')}.", err=True)
        try:
            played = play_sessions(
                scenario,
                seats,
                folder,
                sessions=games,
                seed=seed,
                material=material,
                schedule=recorded,
                kept=kept,
                stop=str if budget is None else budget.find_stop,
                progress=progress,
            )
        except BaseException as stopped:
            kept.close()
            if place.is_file():
                stopped.add_note(f"What was finished is in {place}; the same command goes on.")
            raise
        kept.close()
    if kept.count_left():
        left = count_of(kept.count_left(), "game")
        click.echo(f"Not asked for, and left in {place}: {left}.", err=True)
    else:
        # Not before the output stands: until then a kill would leave neither.
        place.unlink(missing_ok=True)
    who = " ".join(f"{role}={kind.full_name}" for role, kind in seats.items())
    name = f"{scenario.name} {who}"
    if as_json:
        models_told = {each: to_builtins(tally) for each, tally in tallies.items()}
        told = {**_describe(played, out), "name": name, "models": models_told}
        print_json({**told, "cost": None if budget is None else budget.cost})
    else:
        pictures = material and scenario.material_source().find_pictures(material)
        _print_played(scenario, played, out, pictures)
        _print_models(name, tallies)
        if budget is not None and budget.cost is not None:
            print_rich(f"About ${budget.cost:,.2f} in all.")
    if played.stopped:
        left = f"{count_of(played.not_begun, scenario.unit)} of {games:,} not begun."
        click.echo(f"{played.stopped} {left}", err=True)
    # A fault of a player or of the rules, or a limit, which the caller must notice.
    if played.stuck or played.stopped:
        raise click.exceptions.Exit(1)


def _seat(
    scenario: ScenarioEntry, wanted: dict[str, str], recorded: Sequence[Recorded] | None
) -> dict[str, PlayerKind]:
    """Seats everybody but language models, in whose places the usual players sit for now."""
    from commonground.play.sessions import seat_players
    from commonground.play.sessions.schedules import REPLAY, make_replay_kind

    replayed = {role.lower() for role, name in wanted.items() if name == REPLAY}
    if replayed and {*scenario.list_places(wanted)} != {*scenario.rules.roles}:
        raise UsageError("Whoever shares a seat cannot be replayed.", "Replay the whole seat.")
    if replayed and recorded is None:
        raise UsageError("Nobody can be replayed without a schedule.", "Name it: --schedule FILE.")
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
    models: dict[str, str],
    seats: dict[str, PlayerKind],
    pictures: Path,
    answers: AnswerForm,
    budget: Budget | None,
) -> dict[str, Tally]:
    """Puts language models into seats, by role in lower case; returns what will count them."""
    tallies: dict[str, Tally] = {}
    if models:
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


def _write_log(scenario: ScenarioEntry, log: Path, out: Path, *, as_json: bool) -> None:
    from commonground.extras import needing
    from commonground.files.outputs import new_folder

    with needing("inspect", f"{log} is a log of inspect_ai"):
        from commonground.bench.inspect_tasks.logs.games import write_logged_games
    with new_folder(out, "games", replaces=False, kept={}) as folder:
        played = write_logged_games(scenario, log, folder)
    if as_json:
        print_json(_describe(played, out))
    else:
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
    _print_rates(scenario, played)
    if scenario.has_corpus and played.complete:
        if _has_released(scenario, out):
            print_import(scenario.corpus.name, out, pictures)
        else:
            # Such as units that must be labelled by three people, or were by models only.
            print_rich(f"No {unit} is done as released ones are, so there is nothing to import.")


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
    table = new_table("", units, "of", "share", right=(units, "of", "share"))
    for name, rate in summarise_games(played.results).items():
        of_score = name == "score" and outcome is not None
        title = f"mean of {outcome.title}" if of_score and outcome else name
        table.add_row(title, f"{rate.count:,}", f"{rate.of:,}", number_cell(rate))
        if name == "aborted":
            for cause, count in count_causes(played.results).items():
                table.add_row(f"  {cause}", f"{count:,}", f"{rate.of:,}", "")
    print_rich(table)


def _replay(
    scenario: ScenarioEntry, logs: tuple[Path, ...], jobs: int | None, *, as_json: bool
) -> None:
    from commonground.play.sessions.replaying import replay_files

    with progress_bar(f"playing {scenario.name} again") as progress:
        replayed = replay_files(scenario, logs, jobs=jobs, progress=progress)
    if as_json:
        replayer = scenario.replayer()
        reasons = {} if replayer is None else replayer.reasons
        print_json({**to_builtins(replayed), "reasons": reasons})
    else:
        _print_replayed(scenario, replayed)
    if replayed.unread or replayed.findings:
        raise click.exceptions.Exit(1)


def _print_replayed(scenario: ScenarioEntry, replayed: Replayed) -> None:
    from commonground.play.sessions.replaying import count_differences

    replay, replayer = replayed.replay, scenario.replayer()
    played, acts = count_of(replay.sessions, scenario.unit), count_of(replay.acts, "act")
    print_rich(f"{played} played again, {acts}.")
    table = new_table("compared", "as released", "of", right=("as released", "of"))
    for name, number in replay.compared.items():
        table.add_row(name, f"{replay.equal[name]:,}", f"{number:,}")
    print_rich(table)
    if replay.differences:
        table = new_table("difference", "number", "reason", "first", right=("number",))
        for first, number in count_differences(replay.differences):
            reason = "" if replayer is None else replayer.reasons.get(first.code, "")
            table.add_row(first.code, f"{number:,}", reason, f"{first.source} {first.path}")
        print_rich(table)
        print_rich("All of them, with their places: the same command with --json.")
    for name, reason in [*replayed.unread.items()][:20]:
        print_rich(f"{name} was not played: {reason}")
    for finding in replayed.findings[:20]:
        print_rich(f"{finding.source_file} was not read: {finding.message}")
