"""The task ``photobook/segments``: which texts of a game are about which images."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from commonground.corpora.photobook.games import (
    NO_SCRIPT,
    Games,
    as_text,
    list_images,
    load_games,
    number_messages,
)
from commonground.corpora.photobook.native import Game
from commonground.corpora.photobook.segments import Segment, build_chains, segment_game, to_released
from commonground.errors import TaskError
from commonground.files.dividing import divide_document
from commonground.files.formats import FileFormat
from commonground.files.predictions import decode_json, read_predictions
from commonground.metric import Counts, Metric, Values
from commonground.statistics.counts import list_f1_parts, precision_recall_f1, ratio
from commonground.task import (
    MISSING,
    Gold,
    Instance,
    Prediction,
    Predictions,
    Scored,
    Tally,
    Task,
)

_LINE = (
    "The file is a JSON list of segments, each [game id, round from 0, [numbers of the messages, "
    "from 0 through the game], [image paths]], or an object of such lists by game id, there "
    "without the id."
)
_ROWS = FileFormat(name="segments", title="segments", pattern="", record=list, layout="array")
_LISTS = FileFormat(name="segments", title="segments", pattern="", record=list, layout="map")


def list_instances(gold: Gold) -> Iterator[Instance]:
    """Yields the games, with the segments that the authors' heuristic gives as right answer."""
    for name, game in load_games(gold).by_id.items():
        yield _make_instance(name, game, {"rounds": _dump_rounds(game)})


class Right(msgspec.Struct, frozen=True):
    """What predictions of a game are held against.

    Attributes:
        game: the game.
        segments: its segments, as the authors' heuristic gives them.
        cases: how often each case of the heuristic came up.
    """

    game: Game
    segments: list[Segment]
    cases: Mapping[int, int]


def _make_instance(name: str, game: Game, inputs: dict[str, Any]) -> Instance:
    found = segment_game(game)
    return Instance(
        instance_id=name,
        dialogue_id=name,
        inputs=inputs,
        gold=to_released(game, found.segments),
        right=Right(game, found.segments, found.cases),
    )


def _dump_rounds(game: Game) -> list[dict[str, Any]]:
    """Writes the rounds of a game with numbered messages."""
    rounds = []
    for each, numbers in zip(game.rounds, number_messages(game), strict=True):
        pairs = zip(numbers, each.messages, strict=True)
        messages = [[number, m.speaker, m.message] for number, m in pairs]
        rounds.append({"images": list_images(each), "messages": messages})
    return rounds


def read(path: Path, gold: Gold) -> Predictions:
    """Reads a file of segments; a game that it lacks has none.

    Raises:
        TaskError: nothing in the file can be scored.
        SourceError: a file cannot be read.
    """
    games, faults = load_games(gold), Tally(prefix=NO_SCRIPT)
    given: dict[str, list[Segment]] = {}
    for name, rows in _read_rows(path, faults):
        if name not in games.by_id:
            faults.add("unknown games", str(name), "their segments are ignored.")
            continue
        given.setdefault(name, []).extend(read_segments(games.by_id[name], name, rows, faults))
    if not any(given.values()):
        raise TaskError(f"No segment in {path} can be scored: {faults.describe()}.", _LINE)
    return Predictions(
        found=_pair(games, given, faults),
        tally=faults,
        problems=games.problems,
    )


def _pair(games: Games, given: Mapping[str, list[Segment]], faults: Tally) -> Iterator[Prediction]:
    for name, game in games.by_id.items():
        # Scoring looks at no inputs.
        instance = _make_instance(name, game, {})
        # In a list a game without any segment cannot be told from one that was left out.
        is_missing = name not in given and bool(instance.gold)
        if is_missing:
            faults.add("missing games", name, f"{MISSING} they count as having no segments.")
        yield Prediction(
            instance=instance,
            value=given.get(name, []),
            split=games.splits.get(name),
            is_missing=is_missing,
        )


def _read_rows(path: Path, faults: Tally) -> Iterator[tuple[str | None, list[Any]]]:
    """Yields game id, and rows of round, messages and images, of the segments in a file."""
    data = read_predictions(path)
    is_list = data.lstrip().startswith(b"[")
    division = divide_document(str(path), data, _ROWS if is_list else _LISTS)
    for finding in division.findings:
        faults.add("truncated or unreadable files", finding.message, "the whole part counts.")
    for raw in division.records:
        value = _decode_row(raw.data)
        # An object of lists by game id; a single segment that is no list is passed on, to be named.
        if not is_list:
            yield raw.key, value if isinstance(value, list) else [value]
        elif isinstance(value, list) and value and (name := as_text(value[0])) is not None:
            yield name, [value[1:]]
        else:
            faults.add("segments of another form", raw.path, "they are ignored.")


def _decode_row(data: bytes) -> Any:
    try:
        return decode_json(data)
    except ValueError:
        return None


def read_segments(game: Game, name: str, rows: Iterable[Any], faults: Tally) -> list[Segment]:
    """Reads the segments of a game; what is none is passed over.

    Args:
        game: the game.
        name: its id.
        rows: round, messages and images of each segment.
        faults: counts its faults.
    """
    read = (_read_segment(row, game, name, faults) for row in rows)
    return [each for each in read if each is not None]


def _read_segment(row: Any, game: Game, name: str, faults: Tally) -> Segment | None:
    try:
        found = msgspec.convert(row, tuple[int, tuple[int, ...], tuple[str, ...]])
    except msgspec.ValidationError as error:
        faults.add("segments of another form", f"game {name}: {error}", "they are ignored.")
        return None
    segment = Segment(found[0], tuple(sorted(found[1])), tuple(sorted(set(found[2]))))
    _check_segment(segment, game, f"game {name}, round {segment.round_index}", faults)
    return segment


def _check_segment(segment: Segment, game: Game, place: str, faults: Tally) -> None:
    """Notes rounds, messages and images that are not there; they are scored as they are."""
    wrong = "they count as wrong."
    if not 0 <= segment.round_index < len(game.rounds):
        faults.add("unknown rounds", place, wrong)
        return
    numbers = number_messages(game)[segment.round_index]
    other = [number for number in segment.messages if number not in numbers]
    if other:
        faults.add("messages of another round", f"{place}, message {other[0]}", wrong)
    if len(set(segment.messages)) < len(segment.messages):
        faults.add("messages repeated in a segment", place, wrong)
    unseen = set(segment.targets).difference(list_images(game.rounds[segment.round_index]))
    if unseen:
        place = f"{place}, {min(unseen)}"
        faults.add("images that are not displayed", place, "they are scored as they are.")


def _in_order(segments: list[Segment], name: str, faults: Tally) -> list[Segment]:
    """Puts segments in order of the game; a repeated one stays, and is wrong."""
    for segment, number in Counter(segments).items():
        if number > 1:
            place = f"game {name}, round {segment.round_index}, {list(segment.messages)}"
            faults.add("repeated segments", place, "all but the first count as wrong.")
    return _sort(segments)


def _sort(segments: list[Segment]) -> list[Segment]:
    """Puts segments in order of their messages, whatever order they were made in.

    The heuristic gives a segment without messages where it comes upon it, and so a chain would
    differ from the very same one in another order.
    """
    return sorted(segments, key=lambda each: (each.round_index, each.messages, each.targets))


def score(instance: Instance, segments: list[Segment] | None, faults: Tally) -> Scored:
    """Scores the segments of a game.

    Args:
        instance: the game.
        segments: the segments; None where they cannot be read, which is none.
        faults: counts its faults.
    """
    right: Right = instance.right
    given = _in_order(segments or [], instance.instance_id, faults)
    counts: dict[str, Counts] = {
        SEGMENT_F1.name: score_segments(_sort(right.segments), given),
        STATISTICS.name: count_statistics(given),
        GOLD_STATISTICS.name: count_statistics(right.segments),
        GOLD_CASES.name: count_cases(right.cases),
    }
    return Scored(
        instance_id=instance.instance_id,
        dialogue_id=instance.dialogue_id,
        counts=counts,
        gold=instance.gold,
        predicted=to_released(right.game, given),
        answer=[[each.round_index, each.messages, each.targets] for each in given],
    )


OFFICIAL = "dmg-photobook/photobook_dataset@cf01f08 segmentation/utils/dialogue_segmentation.py"

_PARTS = ("segments", "boundaries", "links", "chains")
_TARGETS, _LENGTH = "targets ", "length "


def score_segments(wanted: list[Segment], given: list[Segment]) -> Counts:
    """Counts the parts of one game that are right; a segment that is given twice is wrong once."""
    gold, predicted = _parts(wanted), _parts(given)
    counts: dict[str, float] = {"n": 1, "all_exact": int(gold["segments"] == predicted["segments"])}
    for part in _PARTS:
        counts[f"gold {part}"] = gold[part].total()
        counts[f"predicted {part}"] = predicted[part].total()
        counts[f"correct {part}"] = (gold[part] & predicted[part]).total()
    return counts


def _parts(segments: list[Segment]) -> dict[str, Counter[Any]]:
    """Takes segments apart: whole, texts only, pairs of text and image, chains."""
    chains = [
        (chain.image, tuple(segments[i].messages for i in chain.segments))
        for chain in build_chains(segments)
    ]
    return {
        "segments": Counter(segments),
        "boundaries": Counter((each.round_index, each.messages) for each in segments),
        # A set first: a pair that two segments have is one link.
        "links": Counter({(m, image) for s in segments for m in s.messages for image in s.targets}),
        "chains": Counter(chains),
    }


def combine_parts(sums: Counts) -> Values:
    """Returns precision, recall and F1 of each part, and the share of games fully right."""
    values: Values = {}
    for part in _PARTS:
        correct, predicted = sums.get(f"correct {part}", 0), sums.get(f"predicted {part}", 0)
        values |= precision_recall_f1(correct, predicted, sums.get(f"gold {part}", 0), f"{part}_")
    return values | {"all_exact": ratio(sums.get("all_exact", 0), sums.get("n", 0))}


def count_statistics(segments: Sequence[Segment]) -> dict[str, float]:
    """Counts the segments and chains of one game."""
    counts: dict[str, float] = {"games": 1, "segments": len(segments)}
    counts["messages"] = sum(len(each.messages) for each in segments)
    counts["empty"] = sum(not each.messages for each in segments)
    for each in segments:
        name = f"{_TARGETS}{len(each.targets)}"
        counts[name] = counts.get(name, 0) + 1
    for chain in build_chains(segments):
        name = f"{_LENGTH}{len(chain.segments)}"
        counts[name] = counts.get(name, 0) + 1
    return counts


def combine_statistics(sums: Counts) -> Values:
    """Returns numbers of segments and chains, by length as well, and mean lengths."""
    number = sums.get("segments", 0)
    values: Values = {
        "games": sums.get("games", 0),
        "segments": number,
        "messages_per_segment_mean": ratio(sums.get("messages", 0), number),
        "empty_segments": sums.get("empty", 0),
    }
    for length, count in _by_length(sums, _TARGETS).items():
        values[f"targets_per_segment_{length}"] = count
        values[f"share_{length}"] = ratio(count, number)
    chains = _by_length(sums, _LENGTH)
    total = sum(chains.values())
    values["chains"] = total
    values["chains_ge2"] = total - chains.get(1, 0)
    values["mean_chain"] = ratio(sum(n * count for n, count in chains.items()), total)
    return values | {f"segments_per_chain_{n}": count for n, count in chains.items()}


def _by_length(sums: Counts, prefix: str) -> dict[int, float]:
    """Returns the counts of a prefix by the number after it, in order."""
    names = [name for name in sums if name.startswith(prefix) and sums[name]]
    return dict(sorted((int(name.removeprefix(prefix)), sums[name]) for name in names))


def count_cases(cases: Mapping[int, int]) -> dict[str, float]:
    """Counts how often each case of the authors' heuristic came up in one game."""
    return {f"Case {number}": count for number, count in cases.items()}


def combine_cases(sums: Counts) -> Values:
    """Returns how often each case came up, in order of their numbers."""
    numbers = sorted(int(name.removeprefix("Case ")) for name in sums if sums[name])
    return {f"Case {number}": sums[f"Case {number}"] for number in numbers}


SEGMENT_F1 = Metric(
    name="segment_f1",
    version="3",
    title=(
        "Precision, recall and F1 of segments, of their texts alone (boundaries), of "
        "pairs of text and image (links), and of whole reference chains."
    ),
    score=score_segments,
    combine=combine_parts,
    parts={
        name: counts
        for part in _PARTS
        for name, counts in list_f1_parts(
            f"correct {part}", f"predicted {part}", f"gold {part}", f"{part}_"
        ).items()
    },
)

STATISTICS = Metric(
    name="statistics",
    version="1",
    title="How many predicted segments and chains there are, and how long they are.",
    score=count_statistics,
    combine=combine_statistics,
    neutral=("*",),
)

GOLD_STATISTICS = msgspec.structs.replace(
    STATISTICS,
    name="gold_statistics",
    title="The same of the authors' segments.",
    matches=OFFICIAL,
)

GOLD_CASES = Metric(
    name="gold_cases",
    version="1",
    title="How often each case of the heuristic occurred.",
    matches=OFFICIAL,
    score=count_cases,
    combine=combine_cases,
    neutral=("*",),
)


TASK = Task(
    name="photobook/segments",
    title="segments of a game: texts that are about the same images, and these images",
    corpora=("photobook",),
    summary=(
        f"{_LINE} The right answers come from the authors' heuristic. It uses the "
        f"clicks, which a model must not see, since it should work where there are none."
    ),
    allowed={
        "rounds": "Images of each round, and number, speaker and text of each message.",
    },
    measures=(
        SEGMENT_F1,
        STATISTICS,
        GOLD_STATISTICS,
        GOLD_CASES,
    ),
    instances=list_instances,
    read=read,
    score=score,
    main=(
        "segment_f1:boundaries_f1",
        "segment_f1:links_f1",
        "segment_f1:segments_f1",
        "segment_f1:chains_f1",
    ),
)
