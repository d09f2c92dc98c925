"""Invents PhotoBook games that follow the released schedules, formats and rules of play."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from random import Random

import msgspec

from commonground.corpora.photobook.messages import (
    NEXT_ROUND,
    QUESTIONNAIRE,
    SELECTION,
    SUBMIT,
    Answers,
    render_answers,
)
from commonground.corpora.photobook.native import (
    Displays,
    Domain,
    Feedback,
    Game,
    Highlights,
    Message,
    Round,
    Scores,
    render_domains,
)
from commonground.corpora.photobook.schedule import (
    ROUNDS,
    SLOTS,
    load_schedules,
    schedule_name,
)
from commonground.corpora.photobook.talk import Move, Player, Side, Table, invent_player
from commonground.corpora.photobook.wording import COMMENTS
from commonground.corpora.photobook.world import FOLDERS, Picture, build_pictures, draw_picture

DOMAINS = 61
_SPLITS = ("train", "val", "test", "dev", *["train"] * 26, *["val"] * 5, *["test"] * 5)
_AGENTS_PER_GAME = 0.62
_AGENT_WINDOW = 12
_START = datetime(2024, 3, 4, 9, 0, 0, 250_000)


def simulate(out: Path, *, corpus: str, dialogues: int, seed: int) -> None:  # noqa: ARG001
    """Writes invented games with their pictures, splits and domains.

    Args:
        out: folder to write below: ``logs/``, ``images/``, ``data_splits.json`` and
            ``domain_ids.txt``.
        corpus: name of the corpus; this folder has one.
        dialogues: number of games.
        seed: the same seed gives the same bytes.
    """
    logs = out / "logs"
    logs.mkdir(parents=True, exist_ok=True)
    writer = Games(seed, domains=min(DOMAINS, max(2, dialogues // 8)))
    for game in writer.iterate_games(dialogues):
        a, b = game.agent_ids
        path = logs / f"{game.game_id}_{a}_{b}_{game.domain_id}.json"
        path.write_bytes(msgspec.json.encode(game))
    for picture in writer.iterate_pictures():
        draw_picture(picture, out / "images")
    lines = [Domain(domain_id=each, folder=_folder(each)) for each in range(DOMAINS)]
    (out / "domain_ids.txt").write_bytes(render_domains(lines))
    _write_splits(out / "data_splits.json", dialogues)


def _folder(domain_id: int) -> str:
    return FOLDERS[domain_id // 2 % len(FOLDERS)]


def _write_splits(path: Path, dialogues: int) -> None:
    with path.open("w", encoding="utf-8") as stream:
        opening = "{"
        for split in ("train", "dev", "val", "test"):
            stream.write(f'{opening}"{split}": [')
            ids = (i for i in range(dialogues) if _SPLITS[i % len(_SPLITS)] == split)
            for number, game_id in enumerate(ids):
                stream.write(f"{', ' if number else ''}{game_id}")
            stream.write("]")
            opening = ", "
        stream.write("}")


class _Page(msgspec.Struct, frozen=True):
    """A page of a domain: what A and B see."""

    sides: tuple[Side, Side]
    images: Displays
    highlighted: Highlights
    common: list[str]


class Games:
    """Plays one game after the other.

    Args:
        seed: the same seed gives the same games.
        domains: how many image domains to play with, of 61.
    """

    def __init__(self, seed: int, *, domains: int) -> None:
        self._seed = seed
        self._domains = domains
        self._pictures: dict[str, list[Picture]] = {}
        self._pages: dict[int, list[_Page]] = {}

    def iterate_games(self, dialogues: int) -> Iterator[Game]:
        """Yields games in order of time."""
        started = _START
        for game_id in range(dialogues):
            rng = Random(f"{self._seed}:game:{game_id}")
            started += timedelta(microseconds=rng.randrange(20_000_000, 1_500_000_000))
            yield self._play(game_id, started, rng)

    def iterate_pictures(self) -> Iterator[Picture]:
        """Yields the pictures of the domains that were played so far."""
        for pictures in self._pictures.values():
            yield from pictures

    def _play(self, game_id: int, started: datetime, rng: Random) -> Game:
        domain_id = rng.randrange(self._domains)
        first = int(game_id * _AGENTS_PER_GAME)
        agents = rng.sample(range(first, first + _AGENT_WINDOW), 2)
        players = [invent_player(agent, self._seed) for agent in agents]
        pages = rng.sample(self._domain_pages(domain_id), ROUNDS)
        table = Table(players, self._pictures[_folder(domain_id)], rng)
        closing: list[Answers | None] = [_invent_answers(rng), _invent_answers(rng)]
        if rng.random() < 0.03:
            closing[rng.randrange(2)] = None
        clock = _Clock(players, rng)
        rounds = []
        for number, page in enumerate(pages, 1):
            played = table.play_round(number, page.sides)
            if number == ROUNDS:
                played.moves += [
                    Move(player, QUESTIONNAIRE + render_answers(answers))
                    for player, answers in enumerate(closing)
                    if answers is not None
                ]
            scores = Scores(A=played.scores[0], B=played.scores[1])
            rounds.append(_build_round(number, page, scores, clock.stamp(played.moves), rng))
        return Game(
            game_id=game_id,
            domain_id=domain_id,
            agent_ids=agents,
            agent_labels=["A", "B"],
            start_time=started.isoformat(timespec="microseconds"),
            feedback=Feedback(A=_squeeze(closing[0]), B=_squeeze(closing[1])),
            rounds=rounds,
        )

    def _domain_pages(self, domain_id: int) -> list[_Page]:
        if domain_id not in self._pages:
            folder = _folder(domain_id)
            if folder not in self._pictures:
                self._pictures[folder] = build_pictures(folder, self._seed)
            rng = Random(f"{self._seed}:domain:{domain_id}")
            self._pages[domain_id] = _lay_out(domain_id, self._pictures[folder], rng)
        return self._pages[domain_id]


def _lay_out(domain_id: int, pictures: list[Picture], rng: Random) -> list[_Page]:
    """Deals the pictures to the schedule's letters and shuffles every grid."""
    schedule = load_schedules()[schedule_name(domain_id)]
    slots = dict(zip(SLOTS, rng.sample(range(len(pictures)), len(pictures)), strict=True))
    pages = []
    for letters in zip(schedule.A, schedule.B, strict=True):
        grids = [rng.sample(each, len(each)) for each in letters]
        sides = [
            Side(
                [slots[letter.lower()] for letter in grid],
                [slots[letter.lower()] for letter in grid if letter.isupper()],
            )
            for grid in grids
        ]
        paths = [[pictures[image].path for image in side.images] for side in sides]
        flags = [[letter.isupper() for letter in grid] for grid in grids]
        pages.append(
            _Page(
                (sides[0], sides[1]),
                Displays(A=paths[0], B=paths[1]),
                Highlights(A=flags[0], B=flags[1]),
                [path for path in paths[0] if path in paths[1]],
            )
        )
    return pages


def _build_round(
    number: int, page: _Page, scores: Scores, messages: list[Message], rng: Random
) -> Round:
    return Round(
        round_nr=number,
        score=scores,
        images=page.images,
        common=rng.sample(page.common, len(page.common)),
        highlighted=page.highlighted,
        messages=messages,
    )


class _Clock:
    """Gives messages their times and turns; the time goes on from round to round."""

    def __init__(self, players: list[Player], rng: Random) -> None:
        self._players = players
        self._rng = rng
        self._now_us = 0

    def stamp(self, moves: list[Move]) -> list[Message]:
        """Turns moves into the messages of a round."""
        turn, messages = 0, []
        for player, text in moves:
            agent, speaker = self._players[player].agent_id, "AB"[player]
            stamp = self._tick(text)
            messages.append(
                Message(timestamp=stamp, turn=turn, speaker=speaker, agent_id=agent, message=text)
            )
            turn += not (text == SUBMIT or text.startswith(SELECTION))
        return messages

    def _tick(self, text: str) -> str:
        if self._now_us == 0:
            self._now_us = 1
            return "00:00:00"
        typing_s = 0.09 * len(text) if text[:1] != "<" else 0.4
        if text == NEXT_ROUND:
            typing_s = 2.5
        pause_s = min(self._rng.expovariate(0.2), 60)
        self._now_us += int((0.6 + typing_s + pause_s) * 1_000_000)
        seconds, rest_us = divmod(self._now_us, 1_000_000)
        minutes, seconds = divmod(seconds, 60)
        hours, minutes = divmod(minutes, 60)
        return f"{hours:02d}:{minutes:02d}:{seconds:02d}.{rest_us:06d}"


def _invent_answers(rng: Random) -> Answers:
    col, partner_u, self_u = rng.choices((5, 4, 3, 2, 1), (70, 20, 6, 3, 1), k=3)
    return Answers(col, partner_u, self_u, f" {rng.choice(COMMENTS)}")


def _squeeze(answers: Answers | None) -> str | None:
    return None if answers is None else "".join(render_answers(answers).split())
