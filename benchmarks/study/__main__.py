"""Plays a study through the real server, with things going wrong, and looks whether all is there.

Usage: ``python -m benchmarks.study [--games N] [--browsers N] [--speed X] [--seed N] [--kills N]``.
Scripted players come through the pages, meet, and play over sockets, some in Chromium (which needs
playwright). Pages are reloaded and opened twice, lines are cut, acts come twice, late and in
another order, people leave, and the server is killed, once or more often, with games under way. At
the end the log, the export, its import, its round trip and its replay are checked; then the games
are put beside the released ones, where ``COMMONGROUND_DATA`` names a folder that has them. Exits
with 1 where a check fails.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random
from typing import Any

import msgspec

from benchmarks.study.people import BrowserPerson, Mind, Person, SocketPerson, Tally
from commonground.play.collect.exports.replaying import describe_session, list_played
from commonground.play.collect.identities import Identities
from commonground.play.collect.setup.study import Study, Times, open_study
from commonground.play.player import Seat
from commonground.play.scenarios import get_scenario

PROGRAM = "from commonground.cli import main; main()"
TOGETHER = 8
"""Games under way at a time."""

CHROMIUM = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking")
RELEASED = {
    1: (14.8, 99.6, 208, 2.832),
    2: (13.3, 82.4, 163, 2.856),
    3: (12.6, 70.8, 143, 2.865),
    4: (12.2, 62.2, 128, 2.867),
    5: (12.9, 59.5, 154, 2.871),
}
"""Mean texts, words, seconds and score of the pages of the 2,502 released games, as this program
counts them, for machines that do not have the files."""

RELEASED_S = (796.0, 730.0)
"""Mean and median seconds of all five pages of a released game."""


def run_command(*words: str) -> subprocess.CompletedProcess[str]:
    """Runs a command of commonground."""
    command = [sys.executable, "-c", PROGRAM, *words]
    return subprocess.run(command, capture_output=True, text=True)


class Served:
    """A study, and the process that serves it.

    Args:
        folder: of the study.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.address = ""
        self._port = "0"

    def start(self) -> None:
        """Serves it, at the port of before where there was one."""
        words = ("collect", "serve", str(self.folder), "--port", self._port, "--monitor-port", "0")
        command = [sys.executable, "-c", PROGRAM, *words]
        with (self.folder.parent / "server.txt").open("a", encoding="utf-8") as complaints:
            self._process = subprocess.Popen(
                command, stdout=subprocess.PIPE, stderr=complaints, text=True
            )
        assert self._process.stdout is not None
        said = [self._process.stdout.readline() for _ in range(2)]
        found = re.search(r"http://\S+:(\d+)/", said[0])
        if found is None:
            raise SystemExit(f"The server did not start: {said}")
        self._port, self.address = found[1], found[0].rstrip("/")

    def end(self, how: signal.Signals) -> None:
        """Ends it."""
        self._process.send_signal(how)
        self._process.wait(30)


class Play:
    """All games of a study.

    Args:
        served: the study.
        options: of the command line.
        tally: of what happens.
    """

    def __init__(self, served: Served, options: argparse.Namespace, tally: Tally) -> None:
        self.served = served
        self.tally = tally
        self._options = options
        self._rng = Random(options.seed)
        self._door = asyncio.Lock()
        self._room = asyncio.Semaphore(TOGETHER)
        self._people: list[Person] = []
        self._settled = 0
        self._material = _join_names(open_study(served.folder))

    async def run(self, chromium: Any) -> None:
        """Has all games played."""
        games, browsers = self._options.games, self._options.browsers
        # Some leave early, and their partners with them; others are invited in their place.
        leaving = (
            ["vanishes", "withdraws", "vanishes"][: math.ceil(games / 10)] if games > 1 else []
        )
        kinds: list[tuple[str | None, Any]] = [(None, chromium)] * browsers
        kinds += [(None, None)] * (games - browsers) + [(each, None) for each in leaving]
        self._rng.shuffle(kinds)
        killing = asyncio.create_task(self._kill(len(kinds)))
        jobs = [self._play_game(*kind) for kind in kinds]
        jobs += [self._visit(how) for how in ("waits", "fails")]
        await asyncio.gather(*jobs)
        await killing

    def _invite(self, leaves: str | None, chromium: Any) -> Person:
        number = len(self._people)
        rng = Random(f"{self._options.seed}:{number}")
        kind = get_scenario("photobook").player_kinds()["script"]
        player = kind.enter(Seat("", self._material, rng.randrange(2**31)))
        mind = Mind(player, rng, self._options.speed)
        maker = SocketPerson if chromium is None else BrowserPerson
        person = maker(
            self.served.address, mind, Random(f"luck:{self._options.seed}:{number}"), self.tally,
            leaves=leaves, faults=self._options.faults,
        )  # fmt: skip
        if isinstance(person, BrowserPerson):
            person.browser = chromium
        self._people.append(person)
        return person

    async def _play_game(self, leaves: str | None, chromium: Any) -> None:
        async with self._room:
            # One pair at a time waits, so that those meet who are to meet.
            async with self._door:
                pair = [self._invite(leaves, chromium), self._invite(None, chromium)]
                for person in pair:
                    await person.enter()
                playing = [asyncio.create_task(person.play()) for person in pair]
                for person in pair:
                    await asyncio.wait_for(person.paired.wait(), 120)
            try:
                await asyncio.gather(*playing)
            finally:
                self._settled += 1

    async def _visit(self, leaves: str) -> None:
        async with self._room, self._door:
            person = self._invite(leaves, None)
            self.tally.faults[f"people: {leaves}"] += 1
            await person.enter()
            await person.play()

    async def _kill(self, games: int) -> None:
        """Kills the server where several games are under way, and serves the study again."""
        kills = self._options.kills
        for number in range(kills):
            enough = 2 * min(3, games) if number == 0 else 2
            played = sum(each.page for each in self._people)
            while True:
                await asyncio.sleep(0.1)
                playing = [each for each in self._people if 2 <= each.page < 5]
                # They have gone on since the last time.
                went_on = number == 0 or sum(each.page for each in self._people) > played
                ready = self._settled >= games * (number + 1) // (3 * kills) and went_on
                if len(playing) >= enough and ready:
                    break
                if self._settled == games:
                    return
            async with self._door:
                await self._restart()

    async def _restart(self) -> None:
        killed_s = time.monotonic()
        self.served.end(signal.SIGKILL)
        self.tally.kills += 1
        self.tally.faults["kill -9 of the server"] += 1
        self.tally.faults["people who were in a game at the kill"] += (
            len([each for each in self._people if each.page]) - 2 * self._settled
        )
        await asyncio.to_thread(self.served.start)
        self.tally.restarted_s = time.monotonic()
        self.tally.away_s += self.tally.restarted_s - killed_s


def _join_names(study: Study) -> Any:
    """Returns material that knows what each picture of the study could be called."""
    pieces = study.stock.pieces
    names = {image: words for piece in pieces for image, words in piece.descriptions.items()}
    return msgspec.structs.replace(pieces[0], descriptions=names)


def make_study(folder: Path, speed: float) -> Served:
    """Makes a study whose times are as much faster as its people are."""
    made = run_command("collect", "new", str(folder), "--scenario", "photobook")
    if made.returncode:
        raise SystemExit(made.stderr)
    path = folder / "study.toml"
    text = path.read_text(encoding="utf-8")
    # Times of the machine, not of people, have a least length.
    least = {"heartbeat_s": 1.0, "present_s": 4.0, "absent_s": 5.0, "grace_s": 10.0}
    least |= {"nudge_s": 8.0, "tell_s": 12.0, "offer_s": 20.0, "close_s": 40.0}
    for name, value in msgspec.structs.asdict(Times()).items():
        faster = max(value / speed, least.get(name, 60.0))
        text = re.sub(rf"^{name} = \S+", f"{name} = {faster:.1f}", text, flags=re.MULTILINE)
    path.write_text(text, encoding="utf-8")
    return Served(folder)


@asynccontextmanager
async def open_chromium(wanted: bool) -> AsyncIterator[Any]:
    """Starts a browser where one is wanted."""
    if not wanted:
        yield None
        return
    from playwright.async_api import async_playwright

    path = shutil.which("chromium") or shutil.which("chromium-browser")
    async with async_playwright() as started:
        browser = await started.chromium.launch(executable_path=path, args=list(CHROMIUM))
        yield browser
        await browser.close()


# What is checked


def check_kills(kills: int, tally: Tally) -> Iterator[tuple[str, str, bool]]:
    """Yields whether the server was killed as often as it was to be."""
    yield "kills of the server", f"{tally.kills} of {kills}", tally.kills == kills


def check_log(study: Study, tally: Tally) -> Iterator[tuple[str, str, bool]]:
    """Yields whether the log holds each act once: what, what was found, whether that is right."""
    identities, log = Identities(study.identities_path), study.open_log()
    pids = {token: identities.read_token(token) for token, _ in tally.acks}
    events = [event for event in log.read() if event.client_msg_id is not None]
    identities.close()
    log.close()
    kept = Counter((event.participant, event.client_msg_id) for event in events)
    seqs = {(event.participant, event.client_msg_id): event.seq for event in events}
    wrong = [
        key for key, seq in tally.acks.items() if seqs.get((pids[key[0]], key[1])) != seq
    ]  # fmt: skip
    doubled = sum(count > 1 for count in kept.values())
    yield (
        "acknowledged acts that the log has",
        f"{len(tally.acks) - len(wrong):,} of {len(tally.acks):,}",
        not wrong,
    )
    yield "acts that the log has twice", str(doubled), not doubled
    yield "answers that are wrong", "; ".join(tally.wrong) or "0", not tally.wrong


def check_export(study: Study, out: Path, games: int) -> Iterator[tuple[str, str, bool]]:
    """Yields whether the export is whole and can be read: what, what was found, and so on."""
    exported = run_command("collect", "export", str(study.folder), str(out))
    logs = len(list((out / "logs").glob("*.json")))
    yield "complete games exported", f"{logs} of {games}", logs == games and not exported.returncode
    store = str(out.parent / "store")
    imported = run_command("import", "photobook", str(out), "--store", store)
    checked = run_command("check", "photobook", "--store", store, "--json")
    rules = json.loads(checked.stdout)["rules"] if checked.stdout else []
    # Notes say what happened in a game, such as a label that was changed.
    bad = [f"{rule['code']} {rule['title']}" for rule in rules if rule["severity"] != "note"]
    fine = not imported.returncode and bool(checked.stdout) and not bad
    said = "; ".join(bad) if checked.stdout else imported.stderr + checked.stderr
    yield "errors and warnings of the import", said or "0", fine
    trip = run_command("roundtrip", "photobook", str(out / "logs"))
    yield "round trip", trip.stdout.strip().splitlines()[-1], not trip.returncode
    again = run_command("play", "photobook", "--replay", str(out / "logs"), "--json")
    replay = json.loads(again.stdout)["replay"]
    missing = replay["sessions"] != logs or replay["differences"]
    found = f"{len(replay['differences'])} in {replay['sessions']} games"
    yield "differences when the release is replayed", found, not missing
    log = study.open_log()
    sessions = list_played(list(log.read()))
    log.close()
    for session in sessions:
        describe_session(study, session.sid)  # raises where the rules refuse an act of the log
    yield "sessions of the log replayed", str(len(sessions)), True


# Figures


class Page(msgspec.Struct):
    """A page of a game: its texts, words, seconds, and both scores."""

    number: int
    texts: int
    words: int
    seconds: float
    scores: list[int]


def read_games(folder: Path, speed: float = 1.0) -> list[list[Page]]:
    """Reads the pages of released games; times are those of people, ``speed`` times slower."""
    games = []
    for path in sorted(folder.glob("*.json")):
        game = json.loads(path.read_bytes())
        games.append([_read_page(each, speed) for each in game["rounds"]])
    return games


def _read_page(page: dict[str, Any], speed: float) -> Page:
    messages = page["messages"]
    texts = [each["message"] for each in messages if not each["message"].startswith("<")]
    times = [_seconds(each["timestamp"]) for each in messages]
    return Page(
        number=page["round_nr"],
        texts=len(texts),
        words=sum(len(text.split()) for text in texts),
        seconds=(times[-1] - times[0]) * speed,
        scores=list(page["score"].values()),
    )


def _seconds(stamp: str) -> float:
    hours, minutes, seconds = stamp.split(":")
    return 3600 * int(hours) + 60 * int(minutes) + float(seconds)


def tell_figures(games: list[list[Page]], released: list[list[Page]]) -> Iterator[str]:
    """Yields a table of both: means by page, and how long games last."""
    yield f"{'':>6}{'texts':>16}{'words':>18}{'seconds':>18}{'score':>16}"
    yield f"{'page':>6}" + f"{'here':>8}{'released':>9}" * 4
    for number in range(1, 6):
        ours, theirs = _average(games, number), _average(released, number) or RELEASED[number]
        cells = "".join(
            f"{here:>8.{digits}f}{there:>9.{digits}f}"
            for here, there, digits in zip(ours, theirs, (1, 1, 0, 3), strict=True)
        )
        yield f"{number:>6}{cells}"
    means = _lengths(games)
    known = _lengths(released) if released else RELEASED_S
    yield (
        f"seconds of all pages, mean and median: {means[0]:.0f} and {means[1]:.0f}; "
        f"released {known[0]:.0f} and {known[1]:.0f}"
    )


def _lengths(games: list[list[Page]]) -> tuple[float, float]:
    lengths = [sum(page.seconds for page in game) for game in games]
    return statistics.mean(lengths), statistics.median(lengths)


def _average(games: list[list[Page]], number: int) -> tuple[float, ...]:
    pages = [page for game in games for page in game if page.number == number]
    if not pages:
        return ()
    scores = [score for page in pages for score in page.scores]
    values = [[getattr(page, name) for page in pages] for name in ("texts", "words", "seconds")]
    return tuple(statistics.mean(each) for each in (*values, scores))


async def play_all(served: Served, options: argparse.Namespace, tally: Tally) -> None:
    """Has the study played."""
    async with open_chromium(options.browsers > 0) as chromium:
        await Play(served, options, tally).run(chromium)


def read_options() -> argparse.Namespace:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--games", type=int, default=30, help="that are played to their end")
    parser.add_argument("--browsers", type=int, default=4, help="of them in Chromium")
    parser.add_argument("--speed", type=float, default=15.0, help="times human speed")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kills", type=int, default=1, help="of the server, with kill -9")
    parser.add_argument("--faults", type=float, default=1.0, help="factor of their frequency")
    parser.add_argument("--out", type=Path, help="folder to keep study and export in")
    options = parser.parse_args()
    if not 0 <= options.browsers <= options.games or options.games < 1 or options.speed <= 0:
        parser.error("there must be games, not more of them in browsers, and a speed above 0")
    return options


def main() -> int:
    """Plays, checks and prints; returns the exit status."""
    options, tally = read_options(), Tally()
    with tempfile.TemporaryDirectory() as temporary:
        root = options.out or Path(temporary)
        served = make_study(root / "study", options.speed)
        served.start()
        began_s = time.monotonic()
        try:
            asyncio.run(play_all(served, options, tally))
        finally:
            served.end(signal.SIGINT)
        took_s = time.monotonic() - began_s
        study = open_study(served.folder)
        checks = [*check_kills(options.kills, tally), *check_log(study, tally)]
        checks += check_export(study, root / "OUT", options.games)
        games = read_games(root / "OUT" / "logs", options.speed)
    print(
        f"{options.games} games, {options.browsers} of them in Chromium, at {options.speed:g} "
        f"times human speed, seed {options.seed}: played in {took_s:.0f} s."
    )
    print("\nFaults that were made")
    for name, count in sorted(tally.faults.items()):
        print(f"  {name}: {count}")
    print("\nWays out, as people were told:", _list(tally.exits))
    print("Acts refused:", _list(tally.refused))
    if tally.back_s:
        print(
            f"The server was away for {tally.away_s:.1f} s in all; {len(tally.back_s)} times "
            "somebody behind a socket then had the page again, the last after "
            f"{max(tally.back_s):.2f} s."
        )
    if tally.clumsy:
        first = tally.clumsy[0].splitlines()[0]
        print(
            f"Clicks that a page did not take, and were made again: {len(tally.clumsy)} ({first})"
        )
    print("\nChecks")
    for what, found, right in checks:
        print(f"  {'ok  ' if right else 'FAIL'} {what}: {found}")
    print("\nFigures by page, means")
    data = os.environ.get("COMMONGROUND_DATA")
    for line in tell_figures(games, read_games(Path(data) / "photobook" / "logs") if data else []):
        print(line)
    return 0 if all(right for *_, right in checks) else 1


def _list(counts: Counter[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in sorted(counts.items())) or "none"


if __name__ == "__main__":
    sys.exit(main())
