"""How a game is drawn: what each player had before them, their marks, and reference chains."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import msgspec

from commonground.corpora.photobook.native import Selection
from commonground.corpora.photobook.segments import RoundMessage, build_chains, segment_items
from commonground.model import Action, Dialogue, Display, Event
from commonground.view import Mode, OutlineItem, Stage, View

PLAYERS = ("A", "B")


class SelectionMark(msgspec.Struct, kw_only=True):
    """A player said of an image whether the partner has it too.

    Attributes:
        event: the click.
        image: path of the image.
        label: ``common`` or ``different``.
        right: whether that is so; None for an image that is not on the player's own page.
        before: what the same player said of it last in this round; None for the first time.
    """

    event: int
    image: str
    label: str
    right: bool | None = None
    before: str | None = None


class Tile(msgspec.Struct, kw_only=True):
    """An image at its place on a player's page.

    Attributes:
        image: path of the image.
        highlighted: whether it had the yellow bar; None where the log does not say.
        shared: number of the image among those that both players have in this round, from 1;
            None for one that only this player has.
        chain: number of its reference chain; None where nobody talked about it.
        marks: what its player said of it in this round, in order.
    """

    image: str
    highlighted: bool | None = None
    shared: int | None = None
    chain: int | None = None
    marks: list[SelectionMark] = msgspec.field(default_factory=list)


class Grid(msgspec.Struct, kw_only=True):
    """A player's page in a round.

    Attributes:
        viewer: ``A`` or ``B``.
        tiles: six, row by row.
        strays: marks on images that are not on this page.
        score: points of the player in the round; None where the log has none.
        submitted: events at which the player handed the marks in.
    """

    viewer: str
    tiles: list[Tile]
    strays: list[SelectionMark] = msgspec.field(default_factory=list)
    score: int | None = None
    submitted: list[int] = msgspec.field(default_factory=list)


class RoundStage(Stage, kw_only=True):
    """A round, with its released number: both pages side by side."""

    number: int
    grids: list[Grid]


class SegmentLine(msgspec.Struct, frozen=True):
    """A text of a segment.

    Attributes:
        event: its number in the dialogue.
        speaker: ``A`` or ``B``.
        text: as typed.
    """

    event: int
    speaker: str
    text: str


class ImageMention(msgspec.Struct, frozen=True, kw_only=True):
    """A segment about an image, with the other images that it is about."""

    lines: list[SegmentLine]
    others: list[str] = []


class ChainRow(msgspec.Struct, frozen=True, kw_only=True):
    """One image across the rounds.

    Attributes:
        number: from 1, in order of first mention; part of its address on the page.
        image: path of the image.
        rounds: the segments about it, one list per round of the game.
    """

    number: int
    image: str
    rounds: list[list[ImageMention]]


class PhotoBookView(View, kw_only=True):
    """The view of a game.

    Attributes:
        stages: one per round.
        chains: one per image that was talked about.
        marks: the mark of each event that is one.
        names: what people call each image.
        about: images that the text of an event is about, as its reference chains say.
    """

    stages: list[RoundStage]
    chains: list[ChainRow]
    marks: dict[int, SelectionMark]
    names: dict[str, str]
    about: dict[int, list[str]]


def build_view(dialogue: Dialogue) -> PhotoBookView:
    """Gathers pages, marks and chains of a game."""
    ranges = list_rounds(dialogue)
    chains = build_chain_rows(dialogue, [(first, last) for _, first, last in ranges])
    numbers = {each.image: each.number for each in chains}
    stages = [_build_stage(dialogue, *each, numbers) for each in ranges]
    marks = [
        mark
        for stage in stages
        for grid in stage.grids
        for mark in [*grid.strays, *(each for tile in grid.tiles for each in tile.marks)]
    ]
    # Every image that is shown or clicked on.
    images = {each.object_id for each in dialogue.groundings}
    images |= {each.object_id for each in dialogue.displays}
    return PhotoBookView(
        outline=[_outline_item(each) for each in stages],
        modes=[Mode("all", "All"), Mode("a", "As A saw it"), Mode("b", "As B saw it")],
        stages=stages,
        chains=chains,
        marks={each.event: each for each in marks},
        names={each: short_name(each) for each in sorted(images)},
        about=_find_images(chains),
    )


def short_name(image: str) -> str:
    """Returns what people call an image: its number, or its file name where it has none."""
    stem = image.rpartition("/")[2].partition(".")[0]
    digits = stem.rpartition("_")[2]
    # COCO's file names end in the id of the image, filled up with zeros.
    return (digits.lstrip("0") or digits) if digits.isdecimal() else stem


def _find_images(chains: Sequence[ChainRow]) -> dict[int, list[str]]:
    about: dict[int, list[str]] = {}
    for chain in chains:
        for mention in [each for mentions in chain.rounds for each in mentions]:
            for line in mention.lines:
                images = about.setdefault(line.event, [])
                if chain.image not in images:
                    images.append(chain.image)
    return about


def list_rounds(dialogue: Dialogue) -> list[tuple[int, int, int]]:
    """Lists the rounds with first and last event."""
    events = dialogue.events
    starts = [
        number
        for number, event in enumerate(events)
        if number == 0 or event.segment != events[number - 1].segment
    ]
    return [
        (events[first].segment or 0, first, after - 1)
        for first, after in pairwise([*starts, len(events)])
    ]


def _build_stage(
    dialogue: Dialogue, number: int, first: int, last: int, chains: dict[str, int]
) -> RoundStage:
    seen = [each for each in dialogue.displays if each.segment == number]
    images = {
        player: {each.object_id for each in seen if each.viewer == player} for player in PLAYERS
    }
    # In the order of A's page: one number marks an image on both.
    common = [
        each.object_id
        for each in seen
        if each.viewer == "A" and each.object_id in images["A"] & images["B"]
    ]
    shared = {image: place for place, image in enumerate(common, 1)}
    grids = [
        _build_grid(player, [d for d in seen if d.viewer == player], shared, chains)
        for player in PLAYERS
    ]
    scores = {
        each.speaker: each.value
        for each in dialogue.outcomes
        if each.segment == number and each.name == "score"
    }
    for grid in grids:
        points = scores.get(grid.viewer)
        grid.score = None if points is None else int(points)
        _add_marks(grid, dialogue, range(first, last + 1), shared)
    return RoundStage(first=first, last=last, title=f"Round {number}", number=number, grids=grids)


def _build_grid(
    player: str,
    displays: Sequence[Display],
    shared: dict[str, int],
    chains: dict[str, int],
) -> Grid:
    tiles = [
        Tile(
            image=each.object_id,
            highlighted=each.highlighted,
            shared=shared.get(each.object_id),
            chain=chains.get(each.object_id),
        )
        for each in sorted(displays, key=lambda each: each.position or 0)
    ]
    return Grid(viewer=player, tiles=tiles)


def _add_marks(grid: Grid, dialogue: Dialogue, events: range, shared: dict[str, int]) -> None:
    tiles = {each.image: each for each in grid.tiles}
    last: dict[str, str] = {}
    for number in events:
        event = dialogue.events[number]
        if not isinstance(event, Action) or event.speaker != grid.viewer:
            continue
        if event.name == "feedback":
            grid.submitted.append(number)
        elif event.name == "selection":
            image, label = event.arguments["image"], event.arguments["label"]
            tile = tiles.get(image)
            mark = SelectionMark(event=number, image=image, label=label, before=last.get(image))
            mark.right = None if tile is None else (image in shared) == (label == "common")
            last[image] = label
            # 11 released marks are of images that are not on the player's own page.
            (grid.strays if tile is None else tile.marks).append(mark)


def _outline_item(stage: RoundStage) -> OutlineItem:
    scores = ", ".join(
        f"{each.viewer} {each.score}" for each in stage.grids if each.score is not None
    )
    return OutlineItem(label=stage.title, event=stage.first, detail=scores or None)


def build_chain_rows(dialogue: Dialogue, rounds: Sequence[tuple[int, int]]) -> list[ChainRow]:
    """Gathers the reference chains of a game.

    Rounds are first and last event of each, in order, without a gap.
    """
    events = dialogue.events
    items = [[_to_item(n, events[n]) for n in range(a, b + 1)] for a, b in rounds]
    segments = segment_items(items).segments
    rows = []
    for number, chain in enumerate(build_chains(segments), 1):
        cells: list[list[ImageMention]] = [[] for _ in rounds]
        for position in chain.segments:
            segment = segments[position]
            lines = [
                SegmentLine(each, events[each].speaker, events[each].text or "")
                for each in segment.messages
            ]
            others = [each for each in segment.targets if each != chain.image]
            cells[segment.round_index].append(ImageMention(lines=lines, others=others))
        rows.append(ChainRow(number=number, image=chain.image, rounds=cells))
    return rows


def _to_item(number: int, event: Event) -> RoundMessage:
    click = Selection(**event.arguments) if event.name == "selection" else None
    return RoundMessage(number, event.speaker, event.kind == "utterance", click)
