"""``commonground collect``: makes, serves, reads and erases a study, a command each."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click

from commonground.cli._ending import told_when_stopped
from commonground.cli._options import (
    force_option,
    json_option,
    material_option,
    print_json,
    progress_bar,
    study_argument,
    to_builtins,
    working,
)
from commonground.cli._people import people
from commonground.cli._prolific import prolific
from commonground.cli._scripts import lint_scripts
from commonground.errors import FormatError, UsageError
from commonground.printing import count_of, list_severities

if TYPE_CHECKING:
    from commonground.play.collect.setup.study import Study
    from commonground.play.rooms.players.rehearsing import Rehearsal

SECTION = "collect"


@click.group(short_help="Collect dialogues of people who play in their browsers.")
def command() -> None:
    """Collect dialogues: people play in pairs in their browsers, and all they do is logged.

    \b
    Example:
      commonground collect new studies/pilot --scenario photobook
      commonground collect serve studies/pilot
      commonground collect export studies/pilot OUT
    """


command.add_command(lint_scripts)
command.add_command(prolific)
command.add_command(people)


@command.command(short_help="Make the folder of a study.")
@click.argument("study", type=click.Path(path_type=Path))
@click.option("--scenario", required=True, help="Scenario to play, such as photobook.")
@material_option()
@click.option(
    "--language",
    "languages",
    multiple=True,
    metavar="CODE",
    help="Language of the pages; the first is the default.  [default: en]",
)
def new(study: Path, scenario: str, material: Path | None, languages: tuple[str, ...]) -> None:
    """Make the folder of a study: settings, consent texts, material, an empty log.

    If people write dialogues from scripts, problems in the scripts are listed first; an error in
    one of them stops the command. STUDY is the folder to make; it must not exist yet, or be empty.

    \b
    Example:
      commonground collect new studies/pilot --scenario photobook --material images
      commonground collect new studies/pilot --scenario photobook --language de --language en
    """
    from commonground.play.collect.setup.preparing import describe_material, prepare_study
    from commonground.play.rooms.preflight import offer_translation
    from commonground.play.scenarios import get_scenario

    # What is no folder is refused with a message of its own where the study is made.
    if material is not None and material.is_dir():
        _look_over_scripts(scenario, material)
    made = prepare_study(study, scenario, material=material, languages=languages or ("en",))
    unit = get_scenario(scenario).unit
    click.echo(f"{made.folder} is ready, with material for {count_of(len(made.stock), unit)}.")
    for remark in describe_material(made):
        click.echo(remark)
    for path in offer_translation(made):
        click.echo(f"Translate {path}")
    click.echo(f"Read and change {made.folder / 'study.toml'} and {made.folder / 'consent'}, then")
    click.echo(f"  commonground collect serve {shlex.quote(str(made.folder))}")


def _look_over_scripts(scenario: str, material: Path) -> None:
    """Says what is wrong with scripts that a study is to be made of."""
    from commonground.play.scenarios import get_scenario

    scripts = get_scenario(scenario).scripting()
    if scripts is None:
        return
    remarks = [each for path in scripts.find(material) for each in scripts.lint(path)]
    for each in remarks:
        click.echo(str(each), err=True)
    errors = sum(each.severity == "error" for each in remarks)
    if errors:
        raise FormatError(
            f"The scripts in {material} have errors: {errors:,}. No study was made.",
            "Correct them. To list them again: "
            f"commonground collect lint-scripts {scenario} {shlex.quote(str(material))}",
        )


@command.command(short_help="List what to fix before people take part.")
@study_argument
@json_option
def preflight(study: Study, as_json: bool) -> None:
    """List what has to be fixed in a study before people take part; exit 1 if there is anything.

    It looks for consent texts with gaps to fill in, pay of 0, a missing contact, texts that are
    misspelt, incomplete or not translated, and pictures that changed. Beyond this machine, a study
    is served only when nothing is left to fix. STUDY is the folder that `collect new` made.

    \b
    Example:
      commonground collect preflight studies/pilot
      commonground collect preflight studies/pilot --json
    """
    from commonground.play.rooms.preflight import list_remarks

    remarks = list_remarks(study)
    if as_json:
        print_json(remarks)
    else:
        for remark in remarks:
            click.echo(str(remark))
        click.echo(f"{count_of(len(remarks), 'thing')} to fix." if remarks else "Ready.")
    if remarks:
        raise click.exceptions.Exit(1)


@command.command(short_help="Learn what to suggest to wizards from a released file.")
@study_argument
@click.argument("released", type=click.Path(path_type=Path))
def learn(study: Study, released: Path) -> None:
    """Learn from the released Frames file what to suggest to wizards, which takes a few minutes.

    From then on the study is served with the learned model; without it, suggestions use simple
    patterns. The licence of Frames does not allow you to pass on the model: it stays in the folder
    of the study, as suggestions.npz. STUDY is the folder of a study of frames, RELEASED frames.json
    or its folder.

    \b
    Example:
      commonground collect learn studies/trips frames.json
    """
    from commonground.play.scenarios.frames.game.learned import (
        MODEL_FILE,
        learn_from,
        save_pairs,
    )

    if study.settings.scenario != "frames":
        raise UsageError(
            f"{study.folder} is a study of {study.settings.scenario}.",
            "Only frames has suggestions.",
        )
    with working(f"learning from {released}"):
        model = learn_from(released)
    save_pairs(model, study.folder / MODEL_FILE)
    click.echo(f"{study.folder / MODEL_FILE} is ready. The study is served with it from now on.")


@command.command(short_help="Serve a study to its participants.")
@study_argument
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8770,
    show_default=True,
    help="Port for participants; 0 for a free one.",
)
@click.option("--host", default="127.0.0.1", help="Address to listen on.  [default: this machine]")
@click.option(
    "--public-name",
    "names",
    multiple=True,
    metavar="NAME",
    help="Host name that participants use, such as study.example.org.",
)
@click.option(
    "--monitor-port",
    type=click.IntRange(0, 65535),
    default=8771,
    show_default=True,
    help="Port of the monitor; 0 for a free one.",
)
@click.option(
    "--monitor-host",
    default="127.0.0.1",
    help="Address to serve the monitor at.  [default: this machine]",
)
def serve(
    study: Study,
    port: int,
    host: str,
    names: tuple[str, ...],
    monitor_port: int,
    monitor_host: str,
) -> None:
    """Serve a study: participants at one address, the monitor, for you only, at another.

    With --host or --public-name it is served to others, if `collect preflight` finds nothing to
    fix. STUDY is the folder that `collect new` made.

    \b
    Example:
      commonground collect serve studies/pilot
      commonground collect serve studies/pilot --host 0.0.0.0 --public-name study.example.org
    """
    import secrets

    from commonground.explorer.web.listening import TOKEN_BYTES, Serving
    from commonground.play.rooms.serving import Addresses, serve_study

    def ready(addresses: Addresses) -> None:
        for line in list_addresses(addresses.participants, names):
            click.echo(line)
        click.echo(f"Monitor:      {addresses.monitor}")
        if addresses.unfinished is not None:
            click.echo(addresses.unfinished, err=True)
        _warn_of_remarks(study)
        click.echo("Ctrl-C stops it; games under way continue when it is served again.")

    _use_learned(study)
    try:
        serve_study(
            study,
            # Participants have links of their own and need no token; the monitor shows everybody's
            # data.
            Serving(host, port, None),
            Serving(monitor_host, monitor_port, secrets.token_urlsafe(TOKEN_BYTES)),
            ready,
            # Names of hosts are the same in any case, and browsers send them in small letters.
            hosts=frozenset(name.lower() for name in names),
        )
    except KeyboardInterrupt:
        click.echo(
            "Stopped. Everything that was confirmed to participants is in the log.", err=True
        )
        raise click.exceptions.Exit(130) from None


def list_addresses(listening: str, names: Sequence[str]) -> list[str]:
    """Says where participants come to: the server, or names that a proxy with HTTPS passes on."""
    if not names:
        return [f"Participants: {listening}"]
    known = [f"Participants: https://{name}/" for name in names]
    return [*known, f"Your proxy passes these on to {listening} and keeps the name (Host)."]


def _use_learned(study: Study) -> None:
    """Lets suggestions of a study go by what was learned for it, if anything was."""
    from commonground.play.scenarios.frames.game.learned import MODEL_FILE, read_pairs_model
    from commonground.play.scenarios.frames.rules import SCENARIO

    learned = study.folder / MODEL_FILE
    if study.settings.scenario == SCENARIO.name and learned.is_file():
        SCENARIO.suggests = read_pairs_model(learned)


def _warn_of_remarks(study: Study) -> None:
    """Says how much has to be fixed before others take part."""
    from commonground.play.rooms.preflight import list_remarks

    remarks = list_remarks(study)
    if remarks:
        click.echo(
            f"{count_of(len(remarks), 'thing')} to fix before others take part; to list them: "
            f"commonground collect preflight {shlex.quote(str(study.folder))}",
            err=True,
        )


@command.command(short_help="Show how far a study has got.")
@study_argument
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--watch", is_flag=True, help="Show it again every two seconds, until Ctrl-C.")
def status(study: Study, as_json: bool, watch: bool) -> None:
    """Show how far a study has got, whether it is being served or not.

    STUDY is the folder that `collect new` made.

    \b
    Example:
      commonground collect status studies/pilot
      commonground collect status studies/pilot --json
    """
    import time

    while True:
        _print_status(study, as_json)
        if not watch:
            break
        # The log is read anew each time: it may be written to by a server of another process.
        time.sleep(2)


def _print_status(study: Study, as_json: bool) -> None:
    import time

    import msgspec

    from commonground.play.collect.live.standing import describe_standing, read_hall

    # Times of the log are microseconds since 1970.
    standing = describe_standing(read_hall(study), time.time_ns() // 1000)
    if as_json:
        click.echo(msgspec.json.encode(standing).decode())
        return
    wanted = f" of {standing['wanted']}" if standing["wanted"] else ""
    click.echo(f"{standing['study']}: {standing['completed']}{wanted} completed")
    for name, count in sorted(standing["stages"].items()):
        click.echo(f"  {count:>5} {name}")
    for name, count in sorted(standing["exits"].items()):
        click.echo(f"  {count:>5} out: {name}")
    for quota in standing["quotas"]:
        if quota["role"] is not None:
            filled = f"{quota['completed']} of {quota['wanted']}"
            said = "full" if quota["full"] else f"{quota['under_way']} under way"
            click.echo(f"  came for {quota['role']}: {filled} completed, {said}")
    undrawn = standing["undrawn"]
    if undrawn is not None:
        click.echo(
            f"  pages could not draw pictures, {undrawn['reports']:,} times: "
            + ", ".join(undrawn["pictures"])
        )
    models = standing["models"]
    if models is not None:
        limit = "" if models["limit"] is None else f" of {models['limit']:g}"
        click.echo(
            f"  language models: {models['under_way']} under way, cost {models['spent']:.2f}{limit}"
        )
        for each in models["conditions"]:
            counts = f"{each['completed']} completed, {each['under_way']} under way"
            click.echo(f"    {each['name']}: {counts}")
    for name, value in standing["measures"].items():
        click.echo(f"  {name.replace('_', ' ')}: {'not yet' if value is None else round(value, 3)}")
    watch = standing["watch"]
    if watch is not None:
        click.echo(f"  watched, {watch['measure']}: {_tell_estimate(watch)}")
    for session in standing["sessions"]:
        said = ", ".join(session["problems"]) or "well"
        click.echo(f"  {session['session']} page {session['round']}, {session['phase']}: {said}")


def _tell_estimate(watch: dict[str, Any]) -> str:
    found = watch["estimate"]
    if found is None:
        return "not yet"
    reached = "reached" if watch["reached"] else "not reached"
    return (
        f"{found['value']:.3f} ({found['low']:.3f} to {found['high']:.3f}), n = {found['n']}; "
        f"±{watch['target']:g} {reached}"
    )


@command.command(short_help="Write the released format, payments and a data sheet.")
@study_argument
@click.argument("out", type=click.Path(path_type=Path))
@click.option("--pictures", is_flag=True, help="Copy the pictures of the games, too.")
@force_option
def export(study: Study, out: Path, pictures: bool, force: bool) -> None:
    """Write what was collected: the corpus's released format, extra files, payments, data sheet.

    STUDY is the folder that `collect new` made, OUT a new folder, or an export of the study that is
    to be replaced; what you added to it stays.

    \b
    Example:
      commonground collect export studies/pilot OUT
      commonground import photobook OUT
    """
    from commonground.play.collect.exports.exporting import export_study

    done = export_study(study, out, pictures=pictures, force=force)
    broken = done.sessions - done.complete
    click.echo(
        f"{count_of(done.complete, 'complete session')} in {done.folder}; "
        f"{count_of(broken, 'other')} in extra/."
        + ("" if done.complete else " There is nothing to import yet.")
    )
    click.echo(f"{done.folder / 'private'} names people: share the rest without it.")


@command.command(short_help="Show the log of a session and replay it.")
@study_argument
@click.argument("session")
@click.option("--json", "as_json", is_flag=True, help="Print the events and the records as JSON.")
def replay(study: Study, session: str, as_json: bool) -> None:
    """Show the log of a session, play it again by the rules, and show the result.

    STUDY is the folder that `collect new` made, SESSION a number that the monitor shows, such
    as `s0001`.

    \b
    Example:
      commonground collect replay studies/pilot s0001
    """
    import msgspec

    from commonground.play.collect.exports.replaying import describe_session

    described = describe_session(study, session)
    if as_json:
        click.echo(msgspec.json.encode(described.to_plain()).decode())
        return
    for line in described.lines():
        click.echo(line)


@command.command(short_help="Delete all data of a person.")
@study_argument
@click.argument("participant")
@click.option("--yes", is_flag=True, help="Do not ask.")
def erase(study: Study, participant: str, yes: bool) -> None:
    """Delete all data of a person from the log, the exports and the backups.

    STUDY is the folder that `collect new` made.

    PARTICIPANT is a pseudonym, or the person's name on a recruiting platform.

    \b
    Example:
      commonground collect erase studies/pilot p3kd8sk2lw0a
    """
    from commonground.play.collect.erasing import erase_named

    if not yes:
        click.confirm(f"Delete all data of {participant}? This cannot be undone", abort=True)
    count = erase_named(study, participant)
    emptied = count_of(count, "event")
    click.echo(f"Deleted all data of {participant}: {emptied} of the log emptied.")


@command.command(short_help="Copy the log and the identities.")
@study_argument
@click.argument("folder", type=click.Path(path_type=Path))
def backup(study: Study, folder: Path) -> None:
    """Copy the log and the identities, also while the study is served.

    STUDY is the folder that `collect new` made. The copy is a new folder in FOLDER, named after the
    time.

    `collect erase` deletes from such backups, too.

    \b
    Example:
      commonground collect backup studies/pilot BACKUPS
    """
    from commonground.play.collect.erasing import backup_study

    click.echo(f"Copied to {backup_study(study, folder)}.")


@command.command(short_help="Write a link for each person that you name.")
@study_argument
@click.argument("names", nargs=-1)
@click.option("--names-file", type=click.File(), help="File with a name on each line, or -.")
@click.option(
    "--address", help="Address of the study.  [default: that of [prolific] in study.toml]"
)
@json_option
def links(
    study: Study,
    names: tuple[str, ...],
    names_file: TextIO | None,
    address: str | None,
    as_json: bool,
) -> None:
    """Write a link for each person that you name, which no one else can guess.

    STUDY is the folder that `collect new` made. Each of NAMES is one person. Anyone who has the
    link can continue as that person in any browser.

    \b
    Example:
      commonground collect links studies/pilot ann bob --address https://study.example.org
      commonground collect links studies/pilot --names-file names.txt --address http://lab-3:8763
    """
    from commonground.play.collect.setup.recruiting import sign_links

    listed = [each.strip() for each in (*names, *(names_file or ())) if each.strip()]
    if not listed:
        raise click.UsageError("Name at least one person.")
    if address is None and study.settings.prolific is not None:
        address = study.settings.prolific.address
    if not address:
        raise UsageError(
            "Nothing says at which address people reach the study.",
            "Name it: --address https://study.example.org",
        )
    signed = sign_links(study, listed, address)
    if as_json:
        print_json(signed)
        return
    for name, link in signed.items():
        click.echo(f"{name}\t{link}")


@command.command(short_help="Rehearse a study with scripted players.")
@study_argument
@click.option(
    "--sessions", type=click.IntRange(1), default=4, show_default=True, help="Sessions to play."
)
@click.option(
    "--people",
    type=click.IntRange(1),
    help="Instead: people who label, each until no unit is left for them.",
)
@click.option(
    "--speed",
    type=click.FloatRange(0.1, 1000),
    show_default="20; 1 with --models",
    help="How many times as fast as people the players are.",
)
@click.option(
    "--mishaps",
    type=click.FloatRange(0, 1),
    default=0,
    show_default=True,
    help="Share of their acts that have a mishap: a page is reloaded, a connection is lost, "
    "an act is sent twice or a second tab is opened.",
)
@click.option(
    "--models",
    is_flag=True,
    help="Let the study's language models play, too. This makes paid API calls.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Same seed, same players.")
@click.option("--out", type=click.Path(path_type=Path), help="Folder to keep the export in.")
@json_option
def rehearse(
    study: Study,
    sessions: int,
    people: int | None,
    speed: float | None,
    mishaps: float,
    models: bool,
    seed: int,
    out: Path | None,
    as_json: bool,
) -> None:
    """Rehearse a study: scripted players play a copy of it over the pages that people will use.

    STUDY is the folder that `collect new` made. It is not changed. What is collected is exported,
    imported and checked, so that you see before people come whether the material, the times and the
    texts work as you want.

    Without --models, scripts play in the seats of language models as well. With it, as many people
    come as the conditions or the share need for everyone to be paired, which may make a few
    sessions more. The speed is that of people: models take their time.

    \b
    Example:
      commonground collect rehearse studies/pilot
      commonground collect rehearse studies/pilot --sessions 50 --speed 10 --mishaps 0.05
      commonground collect rehearse studies/questions --people 3 --out OUT
    """
    from commonground.files.work_folders import temporary_folder
    from commonground.play.rooms.players.rehearsing import rehearse_study
    from commonground.play.rooms.preflight import list_remarks

    with told_when_stopped("The study was not changed."), temporary_folder() as folder:
        target = out if out is not None else folder / "OUT"
        with progress_bar(f"rehearsing {study.settings.scenario}") as progress:
            done = rehearse_study(
                study,
                target,
                sessions=sessions,
                people=people,
                # Anyone who is much faster than people loses patience with models, too.
                speed=speed or (1.0 if models else 20.0),
                seed=seed,
                # The share is of all four kinds together.
                mishaps=mishaps,
                models=models,
                progress=progress,
            )
        findings = _check_export(study, target, folder / "store") if done.released else {}
    if as_json:
        counts = to_builtins(done)
        counts["remarks"] = list_remarks(study)
        # A number for each act; their sums are printed below.
        del counts["waits"], counts["renewals_s"]
        answered = {"median": done.wait_ms(0.5), "p99": done.wait_ms(0.99)}
        print_json({**counts, "answered_ms": answered, "findings": findings})
    else:
        _print_rehearsal(done, findings, out)
        if not done.released:
            click.echo(_advise_more(study, done))
        _warn_of_remarks(study)
    is_short = (people is None and done.complete < sessions) or not done.released
    if is_short or findings["error"]:
        raise click.exceptions.Exit(1)


def _check_export(study: Study, folder: Path, store: Path) -> dict[str, int]:
    """Imports an export into a store that goes again; returns its findings by severity.

    What is of no corpus is not imported but read, by the one who joins it to one.
    """
    from commonground.play.scenarios import get_scenario
    from commonground.store.access import import_files

    scenario = get_scenario(study.settings.scenario)
    if not scenario.has_corpus:
        return dict.fromkeys(("error", "warning", "note"), 0)
    opened = import_files(scenario.corpus.name, folder, store=store)
    counts = dict(opened.rows("SELECT severity, count(*) FROM findings GROUP BY severity"))
    return {name: counts.get(name, 0) for name in ("error", "warning", "note")}


def _print_rehearsal(done: Rehearsal, findings: dict[str, int], out: Path | None) -> None:
    begun = done.sessions - done.complete
    if done.is_assigned and begun:
        click.echo(
            f"{count_of(done.complete, 'session')} complete; {begun:,} more on the page when "
            "people left."
        )
    else:
        click.echo(f"{done.complete:,} of {count_of(done.sessions, 'session')} complete.")
    click.echo(f"{count_of(done.guests, 'player')} left: {_list_counts(done.exits)}")
    click.echo(f"{count_of(done.acts, 'act')} accepted; refused: {_list_counts(done.refused)}")
    if done.mishaps:
        click.echo(f"Mishaps: {_list_counts(done.mishaps)}")
    if done.waits:
        half, most = done.wait_ms(0.5), done.wait_ms(0.99)
        click.echo(f"Answered within {half:.1f} ms (half of them), {most:.1f} ms (99 %)")
    if done.released:
        described = list_severities(findings) if any(findings.values()) else "none"
        click.echo(f"Findings at import: {described}")
    if out is not None:
        click.echo(f"Exported to {out}.")


def _advise_more(study: Study, done: Rehearsal) -> str:
    """Says that there was nothing to import, and what it takes for people who label."""
    text = "Nothing is complete, so there was nothing to import and check."
    if not done.is_assigned:
        return text
    wanted = sum(getattr(each, "people", 1) for each in study.stock.pieces)
    units = count_of(len(study.stock), "unit")
    return f"{text} To have all of {units} labelled: --sessions {wanted}"


def _list_counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{count:,} {name}" for name, count in counts.items() if count) or "none"
