"""``commonground audit``: counts what simulated users do wrong, and sets them beside people."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from commonground.cli._options import (
    json_option,
    new_table,
    number_cell,
    plain,
    print_json,
    print_rich,
    to_builtins,
    working,
)
from commonground.errors import UsageError
from commonground.printing import count_of

if TYPE_CHECKING:
    from commonground.corpora import ScenarioEntry
    from commonground.games.playing.simulated_users import Audited
    from commonground.stats.games.fidelity import Fidelity


@click.command(short_help="Count the errors of a simulated user.")
@click.argument("played", type=click.Path(path_type=Path))
@click.option(
    "--people",
    type=click.Path(path_type=Path),
    help="Dialogues of people to compare with: a store, or released files.",
)
@click.option("--speaker", help="Speaker to compare with people.  [default: the one audited]")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the random draws.")
@json_option
def command(
    played: Path, people: Path | None, speaker: str | None, seed: int, as_json: bool
) -> None:
    """Count the errors of a simulated user by rules, and compare it with people.

    PLAYED is a folder that `commonground play` has written. Its log of acts is searched for errors:
    values that the user was not given, or that contradict those it was given, repeated utterances,
    a session that ends early, utterances in another role, and empty or overlong ones. A dash means
    that the scenario has no rule for the error.

    With --people the user's utterances are compared with those of people: lengths, acts, words. How
    much people vary is estimated from random draws of as many dialogues.

    \b
    Example:
      commonground audit travelled
      commonground audit travelled --people commonground-store --json
    """
    from commonground.corpora import get_scenario
    from commonground.games.playing.session_logs import LOG_NAME, read_sessions
    from commonground.games.playing.simulated_users import audit_sessions

    logs = list(read_sessions(played / LOG_NAME))
    if len({each.scenario for each in logs}) != 1:
        raise UsageError(f"{played} holds no sessions of one scenario.")
    scenario = get_scenario(logs[0].scenario)
    audited = audit_sessions(scenario, logs)
    fidelity = None
    if people is not None:
        with working("comparing"):
            fidelity = _compare(scenario, played, people, speaker or audited.speaker, seed)
    if as_json:
        told: dict[str, Any] = {"fidelity": to_builtins(fidelity)} if fidelity else {}
        print_json({**to_builtins(audited), **told})
        return
    _print_faults(audited)
    if fidelity is not None:
        _print_fidelity(fidelity)


def _compare(
    scenario: ScenarioEntry, played: Path, people: Path, speaker: str, seed: int
) -> Fidelity:
    from commonground.files.work_folders import temporary_folder
    from commonground.stats.games.fidelity import compare_talks, list_talks
    from commonground.store.access import import_files
    from commonground.store.opening import load

    name = scenario.corpus.name
    with temporary_folder() as folder:
        ours = import_files(name, played, store=folder / "played")
        # A store is known by the manifest of an import; anything else is taken for released files.
        is_store = (people / name / "manifest.json").is_file()
        theirs = (
            load(name, people) if is_store else import_files(name, people, store=folder / "people")
        )
        domains = None
        if scenario.name != name:  # of a part of its corpus: people of the other are no measure
            found = ours.rows("SELECT DISTINCT domain FROM dialogues WHERE corpus = ?", [name])
            domains = [domain for (domain,) in found]
        simulated = list_talks(ours, speaker)
        real = list_talks(theirs, speaker, domains=domains)
    return compare_talks(simulated, real, speaker, seed=seed)


def _print_faults(audited: Audited) -> None:
    from commonground.games.auditing import KINDS

    print_rich(plain(audited.name, "bold"))
    print_rich(
        f"{count_of(audited.texts, 'utterance')} of {audited.speaker} in "
        f"{count_of(audited.sessions, 'session')}"
    )
    table = new_table("error", "found", "of sessions", "first", right=("found", "of sessions"))
    for kind, count in audited.faults.items():
        number = "–" if count.faults is None else f"{count.faults:,}"
        first = count.examples[0] if count.examples else ""
        table.add_row(KINDS[kind], number, number_cell(count.sessions), first)
    print_rich(table)


_TITLES = {
    "words": "words of an utterance",
    "texts": "utterances of a dialogue",
    "acts": "acts of an utterance",
    "distinct_1": "different words, of all",
    "distinct_2": "different pairs of words, of all",
    "known": "words that people use, of all",
    "length_distance": "distance of lengths, 0 to 1",
    "word_distance": "distance of words, 0 to 1",
}
"""What statistics are called in the table; as JSON they have their names."""


def _print_fidelity(fidelity: Fidelity) -> None:
    print_rich(
        f"{count_of(fidelity.dialogues, 'dialogue')} beside draws of {fidelity.drawn:,} of "
        f"people's {fidelity.people:,}"
    )
    heads = ("simulated", "people", "people's range")
    table = new_table("", *heads, right=heads)
    for each in fidelity.statistics:
        people = "–" if each.people is None else f"{each.people:.3f}"
        ends = (each.people_low, each.people_high)
        spread = "" if None in ends else f"{ends[0]:.3f} to {ends[1]:.3f}"
        table.add_row(_TITLES[each.name], number_cell(each), people, spread)
    print_rich(table)
