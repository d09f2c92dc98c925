"""PhotoBook games as dialogues: rounds are segments, every message is one event."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import msgspec
from msgspec.structs import asdict

from commonground.corpora.photobook.native import (
    Answers,
    Domain,
    Game,
    Selection,
    parse_answers,
    parse_clock,
    parse_command,
    parse_object_types,
    parse_start,
)
from commonground.files.reading import ConversionError, Options, SideRecord, Where
from commonground.model import (
    Dialogue,
    Display,
    Event,
    FileEntry,
    Grounding,
    Json,
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


def prepare(sides: Iterable[SideRecord], options: Options) -> Context:
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

    Raises:
        ConversionError: labels and agents do not pair up.
    """
    if len(game.agent_labels) != len(game.agent_ids):
        raise ConversionError(".agent_labels", "one label per agent", game.agent_labels)
    events, groundings = _convert_messages(game)
    shown = (path for each in game.rounds for path in (*each.images.A, *each.images.B))
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
        objects=[image_object(path) for path in dict.fromkeys(shown)],
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
    commands = [parse_command(message.message) for message in messages]
    done = list(zip(messages, commands, strict=True))
    times = [parse_clock(message.timestamp) for message in messages]
    unread: list[Json] = [
        {"timestamp": message.timestamp} if at_s is None else None
        for message, at_s in zip(messages, times, strict=True)
    ]
    events = keep_columns(
        make_event,
        kind=["utterance" if command is None else "action" for command in commands],
        speaker=[message.speaker for message in messages],
        # The released turn is no turn of a speaker: it counts the texts, `<next_round>` and
        # `<usr_feedback>` of the round before this message.
        turn=[message.turn for message in messages],
        segment=[each.round_nr for each in game.rounds for _ in each.messages],
        at_s=times,
        text=[message.message if command is None else None for message, command in done],
        name=[None if command is None else command.name for command in commands],
        # Clicks that only submit or go on have none.
        arguments=[None if command is None else asdict(command) or None for command in commands],
        details=unread,
    )
    marks = [(i, each) for i, each in enumerate(commands) if isinstance(each, Selection)]
    groundings = keep_columns(
        Grounding,
        event=[event for event, _ in marks],
        object_id=[mark.image for _, mark in marks],
        relation=["selected"] * len(marks),
        label=[mark.label for _, mark in marks],
    )
    return events, groundings


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


@cache
def image_object(path: str) -> Object:
    """Describes an image by its released path, such as ``person_dog/COCO_train2014_0….jpg``."""
    folder, _, base = path.rpartition("/")
    # `COCO_train2014_000000123456`: the id of COCO is after the last low line.
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
        # In 16 games one of the two players has none.
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
            comment = _restore_spaces(game, speaker, answers.text)
            outcomes.append(Outcome("comment", None, comment, speaker))
    return outcomes


def _restore_spaces(game: Game, speaker: str, text: str) -> str:
    """Returns a comment as it was sent; the feedback has lost its spaces, the message has them.

    Where they differ in more than that, such as words that are masked, the feedback counts.
    """
    for each in game.rounds:
        for message in each.messages:
            sent = parse_command(message.message) if message.speaker == speaker else None
            if isinstance(sent, Answers) and "".join(sent.text.split()) == "".join(text.split()):
                return sent.text.strip()
    return text
