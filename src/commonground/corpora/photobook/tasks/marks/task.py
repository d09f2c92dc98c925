"""The task ``photobook/marks``: is a highlighted image common, or only on the player's own page?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

import msgspec

from commonground.corpora.photobook.games import number_messages
from commonground.corpora.photobook.native import (
    Game,
    Label,
    Round,
    Selection,
    parse_command,
)
from commonground.corpora.photobook.segments import choose_items, parse_item
from commonground.corpora.photobook.tasks.lines import LineForm, list_instances, read_lines
from commonground.metric import Counts, Metric, Values
from commonground.statistics.counts import f1_by_kind, list_parts_by_kind, ratio
from commonground.task import (
    Instance,
    Scored,
    Tally,
    Task,
)

LABELS: tuple[Label, ...] = ("common", "different")
ROUNDS = range(1, 6)
"""Numbers of the rounds that are measured by themselves."""

_LINE = 'A line is {"instance_id": "12:3:A:5", "label": "common"}; the other label is "different".'


class RightLabels(msgspec.Struct, frozen=True):
    """What a label is held against.

    Attributes:
        truth: whether both players see the image in this round.
        player: what the player marked it as last.
        round_number: of the round, from 1.
        is_in_wu2023: whether Wu et al. 2023 score the round.
    """

    truth: Label
    player: Label
    round_number: int
    is_in_wu2023: bool


class LastMark(msgspec.Struct, frozen=True):
    """The last mark that a player gave an image in a round, and its message there, from 0."""

    label: Label
    message: int


def _list_marks(game_id: str, game: Game, _faults: Tally) -> Iterator[Instance]:
    """Yields the marked images of a game by round, player and place on the player's page."""
    said: list[list[Any]] = []
    numbered = zip(game.rounds, number_messages(game), strict=True)
    for number, (each, events) in enumerate(numbered, 1):
        heard = _hear(each, number, said)
        is_scored = is_in_wu2023(each)
        for player, place, image, mark in _list_highlighted(each):
            is_common = image in each.images.A and image in each.images.B
            truth: Label = "common" if is_common else "different"
            yield Instance(
                instance_id=f"{game_id}:{number}:{player}:{place}",
                dialogue_id=game_id,
                event=events[mark.message],
                inputs={
                    "player": player,
                    "round": number,
                    "images": getattr(each.images, player),
                    "image": image,
                    "dialogue": said[: heard[mark.message]],
                },
                gold=truth,
                right=RightLabels(truth, mark.label, number, is_scored),
            )


def _hear(each: Round, number: int, said: list[list[Any]]) -> list[int]:
    """Adds the texts of a round to what was said; returns how many there are at each message."""
    heard = []
    for message in each.messages:
        if parse_command(message.message) is None:
            said.append([number, message.speaker, message.message])
        heard.append(len(said))
    return heard


def _list_highlighted(each: Round) -> Iterator[tuple[str, int, str, LastMark]]:
    """Yields player, place from 1, image and last mark of the highlighted images of a round."""
    for player in ("A", "B"):
        marks = find_last_marks(each, player)
        # Broken files may have fewer flags than images.
        page = zip(getattr(each.images, player), getattr(each.highlighted, player), strict=False)
        for place, (image, is_highlighted) in enumerate(page, 1):
            if is_highlighted and image in marks:
                yield player, place, image, marks[image]


def find_last_marks(each: Round, player: str) -> dict[str, LastMark]:
    """Returns the last mark of each image that a player marked in a round."""
    found: dict[str, LastMark] = {}
    for number, message in enumerate(each.messages):
        command = parse_command(message.message) if message.speaker == player else None
        if isinstance(command, Selection):
            found[command.image] = LastMark(command.label, number)
    return found


def is_in_wu2023(each: Round) -> bool:
    """Says whether Wu et al. 2023 score a round.

    They leave out rounds with a wrong mark, with other than six images marked, and with a mark
    before the first text.

    Source: slSeanWU/photobook-full-listener preprocess/dialogue_segmentation.py.
    """
    items = choose_items([parse_item(n, m.speaker, m.message) for n, m in enumerate(each.messages)])
    told = [item for item in items if item.is_text or item.click is not None]
    marks = sum(item.click is not None for item in told)
    return each.score.A + each.score.B >= 6 and marks == 6 and told[0].is_text


def _list_right(game_id: str, game: Game, faults: Tally) -> Iterator[Instance]:
    # Scoring looks at no inputs, which are long.
    for each in _list_marks(game_id, game, faults):
        yield msgspec.structs.replace(each, inputs={})


_FORM: LineForm[Label] = LineForm(
    "marks",
    "one of the two labels",
    lambda value: value.get("label") in LABELS,
    lambda _instance, value, _faults: value["label"],
    _LINE,
    "they count as wrong.",
)


def score(instance: Instance, label: Label | None, _faults: Tally) -> Scored:
    """Scores the label of an image.

    Args:
        instance: the image.
        label: the label; None where it cannot be read, which is wrong.
    """
    right: RightLabels = instance.right
    truth = score_label(right.truth, label)
    player = score_label(right.player, label)
    counts: dict[str, Counts] = {
        TRUTH.name: truth,
        PLAYER.name: player,
        PEOPLE.name: score_label(right.truth, right.player),
    }
    if right.round_number in ROUNDS:
        counts[f"{TRUTH.name}_round_{right.round_number}"] = truth
    if right.is_in_wu2023:
        counts[WU2023.name] = player
    return Scored(
        instance_id=instance.instance_id,
        dialogue_id=instance.dialogue_id,
        counts=counts,
        gold=right.truth,
        predicted=label,
        answer=label,
    )


def score_label(right: Label, label: Label | None) -> dict[str, float]:
    """Counts one label against the right one; None where neither was said."""
    counts: dict[str, float] = {"n": 1, "correct": int(label == right), f"gold_{right}": 1}
    if label is not None:
        counts[f"predicted_{label}"] = 1
    if label == right:
        counts[f"correct_{right}"] = 1
    return counts


def combine_labels(sums: Counts) -> Values:
    """Returns accuracy, and precision, recall and F1 of each label."""
    accuracy = ratio(sums.get("correct", 0), sums.get("n", 0))
    return {"accuracy": accuracy, **f1_by_kind(sums, LABELS)}


_metric = partial(
    Metric,
    version="1",
    score=score_label,
    combine=combine_labels,
    parts={"accuracy": ("correct", "n"), **list_parts_by_kind(LABELS)},
)

TRUTH = _metric(
    name="truth",
    title="Accuracy and F1 of both labels, against what the two pages show.",
)

PLAYER = _metric(
    name="player",
    title="As `truth`, against the player's last mark, right or wrong.",
    # Whoever knows the truth is at odds with players who did not.
    best={"*": None},
)

PEOPLE = _metric(
    name="people",
    title="Accuracy and F1 of the players' own last marks, regardless of the predictions.",
    neutral=("*",),
)

WU2023 = _metric(
    name="wu2023",
    title=(
        "As `player`, in the rounds that Wu et al. 2023 score: those with all six marks right and "
        "a text before the first."
    ),
    best={"*": None},
)


def get_mark(instance: Instance) -> Label:
    """Returns what the player marked the image as last, which may be wrong."""
    right: RightLabels = instance.right
    return right.player


def _make_round_metrics() -> Iterable[Metric]:
    for number in ROUNDS:
        name, title = f"{TRUTH.name}_round_{number}", f"As `truth`, in round {number} of each game."
        yield msgspec.structs.replace(TRUTH, name=name, title=title)


TASK = Task(
    name="photobook/marks",
    title="whether a highlighted image is common or different",
    corpora=("photobook",),
    summary=(
        f"{_LINE} An instance is an image that a player marked: game, round from 1, player, place "
        "on the player's page from 1. Of several marks the last one counts, and the dialogue ends "
        "with it. The correct label is what the two pages show; `player` compares with the "
        "player's mark."
    ),
    allowed={
        "player": "Whose mark it is: A or B.",
        "round": "Number of the round, from 1.",
        "images": "Paths of the six images that this player sees in the round, row by row.",
        "image": "Path of the one that is marked.",
        "dialogue": "Round, speaker and text of each message up to the mark.",
    },
    measures=(TRUTH, *_make_round_metrics(), PLAYER, PEOPLE, WU2023),
    instances=partial(list_instances, _list_marks),
    read=partial(read_lines, _list_right, _FORM),
    score=score,
    main=(
        "truth:accuracy",
        "truth:common_f1",
        "truth:different_f1",
        "player:accuracy",
        "wu2023:accuracy",
    ),
    people=get_mark,
)
