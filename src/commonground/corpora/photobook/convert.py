"""PhotoBook games as dialogues: rounds are segments, every message is one event."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import msgspec

from commonground.corpora.photobook.native import (
    NEXT_ROUND,
    QUESTIONNAIRE,
    SELECTION,
    SUBMIT,
    Domain,
    Game,
    parse_answers,
    parse_clock,
    parse_object_types,
    parse_selection,
    parse_start,
)
from commonground.files.reading import ConversionError, Options, Side, Where
from commonground.model import (
    Dialogue,
    Display,
    Event,
    FileEntry,
    Grounding,
    Json,
    Kind,
    Object,
    Outcome,
    Speaker,
    make_event,
)
from commonground.rows import keep_columns


class Context(msgspec.Struct):
    """What the side files say.

    Attributes:
        splits_of: the splits of each game id that is in any, in the order of the file.
        folder_of: image folder of each domain id.
        images: the image folder on this machine; None where none was given.
    """

    splits_of: dict[int, list[str]] = {}
    folder_of: dict[int, str] = {}
    images: str | None = None


def prepare(sides: Iterable[Side], options: Options) -> Context:
    """Gathers the splits and the image domains."""
    context = Context(images=options.images)
    for side in sides:
        if isinstance(side.record, int) and side.split is not None:
            context.splits_of.setdefault(side.record, []).append(side.split)
        elif isinstance(side.record, Domain):
            context.folder_of[side.record.domain_id] = side.record.folder
    return context


def entries(record: int | list[Json] | Domain, where: Where) -> Iterator[FileEntry]:
    """Gives the games of each split, at hand or not, and the image folder of each domain."""
    if isinstance(record, Domain):
        yield FileEntry("domain", str(record.domain_id), text=record.folder)
    # A list stands for a split without games.
    elif isinstance(record, int):
        yield FileEntry("split", None, str(record), where.split)


def convert(game: Game, context: Context) -> Dialogue:
    """Turns a game log into a dialogue.

    Args:
        game: the log as released.
        context: gives the split of each game and the image folder of each domain.

    Raises:
        ConversionError: labels and agents do not pair up.
    """
    if len(game.agent_labels) != len(game.agent_ids):
        raise ConversionError(".agent_labels", "one label per agent", game.agent_labels)
    events, groundings = _convert_messages(game)
    started_at = parse_start(game.start_time)
    # A time that cannot be read is kept as it stands.
    unread = {"start_time": game.start_time} if started_at is None else {}
    return Dialogue(
        dialogue_id=str(game.game_id),
        # A game of two splits, which has a finding, counts for the later one.
        split=context.splits_of.get(game.game_id, [None])[-1],
        domain=_domain(game, context),
        started_at=started_at,
        attributes={"domain_id": game.domain_id, **unread},
        speakers=[
            Speaker(label, "peer", str(agent))
            for label, agent in zip(game.agent_labels, game.agent_ids, strict=True)
        ],
        events=events,
        objects=_objects(game),
        displays=_convert_displays(game),
        groundings=groundings,
        outcomes=_outcomes(game),
    )


def _domain(game: Game, context: Context) -> str | None:
    folder = context.folder_of.get(game.domain_id)
    if folder is None and game.rounds and game.rounds[0].images.A:
        # Without the list of domains the path of any image names the folder.
        folder = game.rounds[0].images.A[0].rpartition("/")[0] or None
    return folder


def _convert_messages(game: Game) -> tuple[list[Event], list[Grounding]]:
    """Gives each message as an event, and the images that marks point at, as columns."""
    messages = [message for each in game.rounds for message in each.messages]
    texts = [message.message for message in messages]
    count = len(messages)
    said: list[str | None] = list(texts)
    kinds: list[Kind] = ["utterance"] * count
    names: list[str | None] = [None] * count
    arguments: list[Json] = [None] * count
    marks, images, labels = [], [], []
    for event, text in enumerate(texts):
        # Tags begin so; whatever else does is kept as a text.
        if text[:1] != "<" or (tag := _parse_tag(text)) is None:
            continue
        kinds[event], said[event] = "action", None
        names[event], arguments[event] = tag.name, tag.arguments
        if tag.name == "selection":
            marks.append(event)
            images.append(tag.arguments["image"])
            labels.append(tag.arguments["label"])
    times = _parse_times(game)
    unread: list[Json] = [
        {"timestamp": message.timestamp} if at_s is None else None
        for message, at_s in zip(messages, times, strict=True)
    ]
    events = keep_columns(
        make_event,
        kind=kinds,
        speaker=[message.speaker for message in messages],
        # The released turn is no turn of a speaker: it counts the texts, `<next_round>` and
        # `<usr_feedback>` of the round before this message.
        turn=[message.turn for message in messages],
        segment=[each.round_nr for each in game.rounds for _ in each.messages],
        at_s=times,
        text=said,
        name=names,
        arguments=arguments,
        details=unread,
    )
    selected = ["selected"] * len(marks)
    groundings = keep_columns(
        Grounding, event=marks, object_id=images, relation=selected, label=labels
    )
    return events, groundings


# Seconds of every `HH:MM:` of a day, which saves reading the same minute again and again.
_MINUTE_S = {f"{m // 60:02}:{m % 60:02}:": 60.0 * m for m in range(24 * 60)}


def _parse_times(game: Game) -> list[float | None]:
    """Returns the seconds since the game began at which each message was sent, where known."""
    times: list[float | None] = []
    for each in game.rounds:
        stamps = [message.timestamp for message in each.messages]
        try:
            # What else `float` takes, such as "nan" and "75", is left out, and found below.
            read = [_MINUTE_S[t[:6]] + s for t in stamps if 0 <= (s := float(t[6:])) < 60]
        except (KeyError, ValueError):
            read = []
        times += read if len(read) == len(stamps) else map(parse_clock, stamps)
    return times


class _Tag(msgspec.Struct, gc=False):
    name: str
    arguments: Json = None


_BARE_TAGS = {SUBMIT: _Tag("feedback"), NEXT_ROUND: _Tag("next_round")}


def _parse_tag(text: str) -> _Tag | None:
    bare = _BARE_TAGS.get(text)
    if bare is not None:
        return bare
    if text.startswith(SELECTION):
        selection = parse_selection(text)
        if selection is not None:
            return _Tag("selection", {"label": selection.label, "image": selection.image})
    elif text.startswith(QUESTIONNAIRE):
        answers = parse_answers(text[len(QUESTIONNAIRE) :])
        if answers is not None:
            return _Tag("usr_feedback", msgspec.structs.asdict(answers))
    return None


def _convert_displays(game: Game) -> list[Display]:
    """Gives the images that each player saw in each round, as columns."""
    paths: list[str] = []
    viewers: list[str] = []
    segments: list[int] = []
    positions: list[int] = []
    highlighted: list[bool | None] = []
    for each in game.rounds:
        for viewer, shown, flags in (
            ("A", each.images.A, each.highlighted.A),
            ("B", each.images.B, each.highlighted.B),
        ):
            count = len(shown)
            paths += shown
            viewers += [viewer] * count
            segments += [each.round_nr] * count
            positions += range(count)
            highlighted += flags[:count]
            highlighted += [None] * (count - len(flags))
    return keep_columns(
        Display,
        object_id=paths,
        viewer=viewers,
        segment=segments,
        position=positions,
        highlighted=highlighted,
    )


def _objects(game: Game) -> list[Object]:
    paths: dict[str, None] = {}
    for each in game.rounds:
        paths.update(dict.fromkeys(each.images.A))
        paths.update(dict.fromkeys(each.images.B))
    return [image_object(path) for path in paths]


@cache
def image_object(path: str) -> Object:
    """Describes an image by its released path, such as ``person_dog/COCO_train2014_0….jpg``."""
    folder, _, base = path.rpartition("/")
    # `COCO_train2014_000000123456`: the id of COCO is behind the last low line.
    digits = Path(base).stem.rpartition("_")[2]
    attributes: dict[str, object] = {"folder": folder}
    if base.startswith("COCO_") and digits.isdecimal():
        attributes["coco_id"] = int(digits)
    shown = " and ".join(parse_object_types(folder)).replace("_", " ")
    title = f"{shown} {digits.lstrip('0') or digits}"
    return Object(path, "image", title, path, attributes)


def _outcomes(game: Game) -> list[Outcome]:
    outcomes = []
    for each in game.rounds:
        for speaker, score in (("A", each.score.A), ("B", each.score.B)):
            # By the rules 3 is the most; six released scores are 4, as a stray click counted, too.
            outcomes.append(Outcome("score", float(score), None, speaker, each.round_nr))
    for speaker, feedback in (("A", game.feedback.A), ("B", game.feedback.B)):
        # In 16 games one of the two players has none. The text of an answer has lost its spaces
        # here; the message `<usr_feedback>` still has them.
        answers = None if feedback is None else parse_answers(feedback)
        if answers is None:
            # Feedback of another form has no grades, but is kept as it is.
            if feedback is not None:
                outcomes.append(Outcome("feedback", None, feedback, speaker))
            continue
        outcomes.append(Outcome("col", float(answers.col), None, speaker))
        outcomes.append(Outcome("partner_u", float(answers.partner_u), None, speaker))
        outcomes.append(Outcome("self_u", float(answers.self_u), None, speaker))
        if answers.text:
            outcomes.append(Outcome("comment", None, answers.text, speaker))
    return outcomes
