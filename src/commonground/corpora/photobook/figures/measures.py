"""Measures of how two players come to understand each other, page by page.

The same function measures games of people and of models. Imai et al. 2025 ("Measuring How (Not
Just Whether) VLMs Build Common Ground", arXiv 2509.03805) compare the score, the words and the
turns of models with those of people in this game, and how words are adapted to the partner. Wang et
al. 2026 ("Aligned but Not Partner-Specific", arXiv 2606.08081) compare partners with pairs who
never met, to tell adaptation from words that everybody uses. The exact definitions here are ours:

``score``
    points of both players on a page, six at most, as released.
``words``
    words of a page: runs of letters and digits, with apostrophes and stars inside, in lower case.
``messages``
    texts of a page.
``turns``
    turns of a page: texts in a row of one player are one turn.
``grounded``
    of the images that somebody marked on a page, the share about which both players wrote there:
    one player's word for it was taken up or answered. (Clark and Schaefer 1989 call it accepted
    when the other gives evidence; that any text of the other is evidence is ours.)
``entrainment``
    of the different content words with which a player refers to an image on a page, the share that
    the *partner* used for this image on earlier pages; the mean over players and images that both
    had words for.
``novelty``
    the word novelty rate of Hua and Artzi 2024 ("Talk Less, Interact Better", arXiv 2408.01417):
    the words of a page for an image are aligned with those of the last page on which it came up,
    as for a word error rate; words that are added or replaced, per word on that page. Leaving
    words out costs nothing. Where texts grow, the rate can be above 1. Here the words are the
    content words of both players in order, and sums over images are divided: a mean of rates
    would hang on images of which hardly a word was said then.

Entrainment has a control: each player of a game is given the partner of another game, one with the
same images, the next in an order drawn by a seed that has none of its people. What this other
partner said of an image counts as earlier by how many pages had come up with words for it, since
games show the pages in orders of their own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from random import Random
from typing import NamedTuple

from commonground.corpora.photobook.figures.uptake import (
    Mentions,
    collect_mentions,
    list_novelties,
    list_uptakes,
    list_words,
)
from commonground.corpora.photobook.games import load_games, look_up_messages
from commonground.corpora.photobook.native import Game, Selection, parse_command
from commonground.corpora.photobook.segments import Segment, segment_game
from commonground.figure import Data, Row
from commonground.measuring import (
    Coupling,
    Measure,
    MeasuredGames,
    Measuring,
    Point,
    list_pages,
)
from commonground.metric import Counts, Values
from commonground.records import decode_record
from commonground.statistics.counts import ratio, sum_table, tabulate_counts
from commonground.task import Gold

PER_PAGE = ("score", "words", "messages", "turns")
"""Means over pages."""

DECLINING = ("words", "messages", "turns")
"""What people need less of, page by page."""

MEASURES = (*PER_PAGE, "grounded", "entrainment", "novelty")
"""All measures, in the order of tables."""

REAL, CONTROL = "entrainment", "entrainment_control"
_SIDES = ("A", "B")


def measure_games(games: Iterable[Game], *, seed: int = 0) -> MeasuredGames:
    """Measures a set of games, each number with an interval over resampled games.

    Args:
        games: of people or of models.
        seed: of the resamples, and of the pairs who never met.
    """
    # A game is large, and what is kept of it small: games may come one by one.
    measured = [_measure_game(game) for game in games]
    # Resamples are drawn by place, so the order in which games came must not matter.
    measured.sort(key=lambda each: each.game_id)
    counted = [each.counts for each in measured]
    pages = sorted({page for each in measured for page in each.pages})
    names = [f"{measure}/{page}" for measure in MEASURES for page in pages]
    ends = [f"{measure}/decline" for measure in DECLINING]
    points = _bound(counted, partial(_combine, MEASURES, pages), seed)
    return MeasuredGames(
        games=len(measured),
        points=[points[name] for name in (*names, *MEASURES) if name in points],
        declines=[points[name] for name in ends if name in points],
        coupling=_couple(measured, seed),
    )


class _Measured(NamedTuple):
    """What is kept of a game: who met over which images, their words, and what is counted."""

    game_id: int
    people: frozenset[int]
    images: frozenset[str]
    pages: tuple[int, ...]
    mentions: Mentions
    counts: dict[str, float]


def _measure_game(game: Game) -> _Measured:
    segments = segment_game(game).segments  # what takes longest; both need them
    mentions = collect_mentions(game, segments)
    shown = (image for each in game.rounds for image in (*each.images.A, *each.images.B))
    return _Measured(
        game.game_id,
        frozenset(game.agent_ids),
        frozenset(shown),
        tuple(each.round_nr for each in game.rounds),
        mentions,
        count_game(game, mentions, segments),
    )


def _combine(measures: Sequence[str], pages: Sequence[int], counts: Counts) -> Values:
    """Divides the sums of every measure and page by what they are of."""
    values: dict[str, float | None] = {}
    for measure in measures:
        sums = [(counts.get(f"{measure}/{p}", 0), counts.get(f"{measure}/{p}/n", 0)) for p in pages]
        values[measure] = ratio(sum(s for s, _ in sums), sum(n for _, n in sums))
        values |= {f"{measure}/{p}": ratio(*each) for p, each in zip(pages, sums, strict=True)}
        if measure in DECLINING and len(pages) > 1:
            left = ratio(values[f"{measure}/{pages[-1]}"], values[f"{measure}/{pages[0]}"])
            # 0.4 where the last page takes 60 % of the first.
            values[f"{measure}/decline"] = None if left is None else 1 - left
    return values


def _bound(counted: Sequence[Counts], combine: partial[Values], seed: int) -> dict[str, Point]:
    """Returns the values of counts with their intervals, by name."""
    # Late: it loads numpy, which takes as long as most figures, and all are loaded to find one.
    from commonground.statistics.bootstrap import bootstrap_intervals

    table = tabulate_counts(counted)
    values = combine(sum_table(table)) if len(table.rows) else {}
    # A single game, resampled, is always itself: its interval would be a point.
    intervals = bootstrap_intervals(table, combine, seed=seed) if len(table.rows) > 1 else {}
    points = {}
    for name, value in values.items():
        measure, _, page = name.partition("/")
        interval = intervals.get(name)
        points[name] = Point(
            measure=measure,
            page=int(page) if page.isdecimal() else None,
            value=value,
            low=None if interval is None else interval.low,
            high=None if interval is None else interval.high,
        )
    return points


def count_game(
    game: Game,
    mentions: Mentions,
    segments: Sequence[Segment] | None = None,
) -> dict[str, float]:
    """Counts what the measures of a game are made of: by measure and page, a sum and of how many.

    Args:
        game: the game.
        mentions: its words for images.
        segments: its segments, where they are known.
    """
    counts: dict[str, float] = {}
    segments = segment_game(game).segments if segments is None else segments
    about = _find_writers(game, segments)
    for number, each in enumerate(game.rounds):
        page = each.round_nr
        commands = [parse_command(m.message) for m in each.messages]
        texts = [m for m, done in zip(each.messages, commands, strict=True) if done is None]
        speakers = [text.speaker for text in texts]
        marked = {done.image for done in commands if isinstance(done, Selection)}
        found = {
            "score": (each.score.A + each.score.B, 1),
            "words": (sum(len(list_words(text.message)) for text in texts), 1),
            "messages": (len(texts), 1),
            # Each speaker beside the one before, the first beside nobody.
            "turns": (sum(a != b for a, b in zip(speakers, [None, *speakers], strict=False)), 1),
            "grounded": (sum(len(about.get((number, i), ())) > 1 for i in marked), len(marked)),
        }
        for name, (total, of) in found.items():
            sum_name, of_name = _name_counts(name, page)
            counts[sum_name], counts[of_name] = total, of
    uptakes = list_uptakes(mentions, mentions, by_page=True)
    listed = [
        *(("entrainment", page, share, 1) for page, share in uptakes),
        *(("novelty", *each) for each in list_novelties(game, segments)),
    ]
    for name, page, part, whole in listed:
        sum_name, of_name = _name_counts(name, page)
        counts[sum_name] = counts.get(sum_name, 0) + part
        counts[of_name] = counts.get(of_name, 0) + whole
    return counts


@cache
def _name_counts(name: str, page: int) -> tuple[str, str]:
    """Names the sum of a measure on a page, and of how many that is; one text for all games."""
    return f"{name}/{page}", f"{name}/{page}/n"


def _find_writers(game: Game, segments: Sequence[Segment]) -> dict[tuple[int, str], set[str]]:
    """Returns who wrote about which image on which page, from 0."""
    writers: dict[tuple[int, str], set[str]] = {}
    for segment, _, messages in look_up_messages(game, segments):
        wrote = {each.speaker for each in messages}
        for image in segment.targets:
            writers.setdefault((segment.round_index, image), set()).update(wrote)
    return writers


def _couple(measured: Sequence[_Measured], seed: int) -> Coupling | None:
    mentions = [each.mentions for each in measured]
    others = _pair(measured, seed)
    if not others:
        return None
    counted = []
    for one, other in others.items():
        counts: dict[str, float] = {}
        for name, partners in ((REAL, mentions[one]), (CONTROL, mentions[other])):
            shares = [share for _, share in list_uptakes(mentions[one], partners, by_page=False)]
            counts |= {name: sum(shares), f"{name}/n": len(shares)}
        counted.append(counts)
    # Both are resampled together, game by game: the interval of the difference is that of pairs.
    points = _bound(counted, partial(_subtract), seed)
    return Coupling(points[REAL], points[CONTROL], points["difference"], len(counted))


def _subtract(counts: Counts) -> Values:
    real, control = (ratio(counts[name], counts[f"{name}/n"]) for name in (REAL, CONTROL))
    apart = None if real is None or control is None else real - control
    return {REAL: real, CONTROL: control, "difference": apart}


def _pair(games: Sequence[_Measured], seed: int) -> dict[int, int]:
    """Gives games another one over the same images and with none of the same people.

    Both by position; ``seed`` is of the order in which another one is looked for.
    """
    groups: dict[frozenset[str], list[int]] = {}
    for position, game in enumerate(games):
        groups.setdefault(game.images, []).append(position)
    pairs = {}
    for group in groups.values():
        # A generator for each group: what is drawn does not hang on the groups shuffled before.
        Random(f"{seed}:{len(group)}:{group[0]}").shuffle(group)
        for place, one in enumerate(group):
            # Once round: the last of a group is followed by its first.
            following = (*group[place + 1 :], *group[:place])
            people = games[one].people
            other = next((n for n in following if people.isdisjoint(games[n].people)), None)
            if other is not None:
                pairs[one] = other
    return dict(sorted(pairs.items()))


def keep_shared(sets: Mapping[str, Sequence[Game]]) -> dict[str, list[Game]]:
    """Keeps the games of each set whose pages were played in every set, in the same order."""
    shown = {name: [_show(game) for game in games] for name, games in sets.items()}
    shared = set.intersection(*map(set, shown.values())) if shown else set()
    return {
        name: [game for game, key in zip(games, shown[name], strict=True) if key in shared]
        for name, games in sets.items()
    }


def _show(game: Game) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(each.images.A + each.images.B) for each in game.rounds)


def read_games(gold: Gold) -> list[Game]:
    """Reads the games of released files or of a store.

    Raises:
        TaskError: there are none.
        SourceError: a file cannot be read.
    """
    return list(load_games(gold).by_id.values())


MEASURING = Measuring(
    measures=(
        Measure("score", "points of both"),
        Measure("words", "words", 1),
        Measure("messages", "messages", 1),
        Measure("turns", "turns", 1),
        Measure("grounded", "marked images that both wrote about", 3),
        Measure("entrainment", "content words taken from the partner", 3),
        Measure("novelty", "new words for each word before", 3),
    ),
    page="page",
    read=read_games,
    measure=lambda games, seed: measure_games(games, seed=seed),
    keep_shared=keep_shared,
    number=lambda game: game.game_id,
    roles=_SIDES,
)


_LOGS = "SELECT json FROM native WHERE corpus = $corpus AND format = 'log'"


def measure_corpus(data: Data) -> MeasuredGames:
    """Measures all games of a store; those with a field too many are there, too."""
    rows = data.rows(_LOGS)
    rows.reverse()

    def take() -> Iterator[Game]:
        # Each text is let go once it is read: together they are the largest part of the memory.
        while rows:
            game = decode_record(rows.pop()[0].encode(), Game).record
            if game is not None:
                yield game

    return measure_games(take())


def compute_pages(data: Data) -> list[Row]:
    """Gives each measure of each page, with its interval."""
    return list_pages(data.share(measure_corpus), MEASURES)


def compute_coupling(data: Data) -> list[Row]:
    """Gives entrainment of partners, of pairs who never met, and the difference."""
    coupling = data.share(measure_corpus).coupling
    if coupling is None:
        return []
    rows = [
        ("partners", coupling.real),
        ("players who never met", coupling.control),
        ("difference", coupling.difference),
    ]
    return [[name, each.value, each.low, each.high, coupling.games] for name, each in rows]
