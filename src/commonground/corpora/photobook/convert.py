"""PhotoBook games as dialogues: rounds are segments, every message is one event."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
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
    Message,
    Round,
    Splits,
    parse_answers,
    parse_clock,
    parse_object_types,
    parse_selection,
)
from commonground.files.reading import ConversionError, Options, Side
from commonground.model import (
    Action,
    Dialogue,
    Display,
    Event,
    FileEntry,
    Grounding,
    Object,
    Outcome,
    Speaker,
    Utterance,
)


class Context(msgspec.Struct):
    """What the side files say.

    Attributes:
        split_of: split of each game id that is in one.
        folder_of: image folder of each domain id.
        images: the image folder on this machine; None where none was given.
    """

    split_of: dict[int, str] = {}
    folder_of: dict[int, str] = {}
    images: str | None = None


def prepare(sides: Iterable[Side], options: Options) -> Context:
    """Gathers the splits and the image domains."""
    context = Context(images=options.images)
    for side in sides:
        if isinstance(side.record, Splits):
            for split in side.record.__struct_fields__:
                for game_id in getattr(side.record, split):
                    # A game of two splits, which has a finding, counts for the later one.
                    context.split_of[game_id] = split
        elif isinstance(side.record, Domain):
            context.folder_of[side.record.domain_id] = side.record.folder
    return context


def entries(record: Splits | Domain) -> Iterator[FileEntry]:
    """Gives the games of each split, at hand or not, and the image folder of each domain."""
    if isinstance(record, Domain):
        yield FileEntry("domain", str(record.domain_id), text=record.folder)
        return
    for split in record.__struct_fields__:
        for game_id in getattr(record, split):
            yield FileEntry("split", None, str(game_id), split)


def convert(game: Game, context: Context) -> Dialogue:
    """Turns a game log into a dialogue.

    Args:
        game: the log as released.
        context: gives the split of each game and the image folder of each domain.

    Raises:
        ConversionError: a time is not one, or labels and agents do not pair up.
    """
    if len(game.agent_labels) != len(game.agent_ids):
        raise ConversionError(".agent_labels", "one label per agent", game.agent_labels)
    try:
        started_at = datetime.fromisoformat(game.start_time)
    except ValueError:
        raise ConversionError(".start_time", "an ISO 8601 time", game.start_time) from None
    dialogue = Dialogue(
        dialogue_id=str(game.game_id),
        split=context.split_of.get(game.game_id),
        domain=_domain(game, context),
        started_at=started_at,
        attributes={"domain_id": game.domain_id},
        speakers=[
            Speaker(label, "peer", str(agent))
            for label, agent in zip(game.agent_labels, game.agent_ids, strict=True)
        ],
        objects=_objects(game),
        outcomes=_outcomes(game),
    )
    for number, each in enumerate(game.rounds):
        _add_round(dialogue, each, number)
    return dialogue


def _domain(game: Game, context: Context) -> str | None:
    folder = context.folder_of.get(game.domain_id)
    if folder is None and game.rounds and game.rounds[0].images.A:
        # Without the list of domains the path of any image names the folder.
        folder = game.rounds[0].images.A[0].rpartition("/")[0] or None
    return folder


def _add_round(dialogue: Dialogue, game_round: Round, number: int) -> None:
    segment = game_round.round_nr
    events, groundings = dialogue.events, dialogue.groundings
    minute, minute_s = "", 0.0
    for index, message in enumerate(game_round.messages):
        timestamp = message.timestamp
        try:
            # Hours and minutes seldom change from one message to the next.
            if timestamp[:6] != minute:
                # The first six characters are `HH:MM:`, the rest are seconds.
                minute_s = parse_clock(timestamp[:6] + "0")
                minute = timestamp[:6]
            second_s = float(timestamp[6:])
            # `float` takes "nan", "inf" and "75" as well.
            if not 0 <= second_s < 60:
                raise ValueError(timestamp)
            at_s = minute_s + second_s
        except ValueError:
            path = f".rounds[{number}].messages[{index}].timestamp"
            raise ConversionError(path, "HH:MM:SS[.ffffff]", timestamp) from None
        text = message.message
        # Tags begin so; whatever else does is kept as a text by `_parse_action`.
        if text[:1] != "<":
            # The released turn is no turn of a speaker: it counts the texts, `<next_round>` and
            # `<usr_feedback>` of the round before this message.
            events.append(Utterance(message.speaker, text, message.turn, segment, at_s))
            continue
        event = _parse_action(message, segment, at_s)
        if isinstance(event, Action) and event.name == "selection":
            label = event.arguments["label"]
            image = event.arguments["image"]
            groundings.append(Grounding(len(events), image, "selected", label))
        events.append(event)
    _add_displays(dialogue.displays, game_round, segment)


def _parse_action(message: Message, segment: int, at_s: float) -> Event:
    text, speaker, turn = message.message, message.speaker, message.turn
    if text.startswith(SELECTION):
        selection = parse_selection(text)
        if selection is not None:
            arguments = {"label": selection.label, "image": selection.image}
            return Action(speaker, "selection", arguments, None, turn, segment, at_s)
    elif text == SUBMIT:
        return Action(speaker, "feedback", None, None, turn, segment, at_s)
    elif text == NEXT_ROUND:
        return Action(speaker, "next_round", None, None, turn, segment, at_s)
    elif text.startswith(QUESTIONNAIRE):
        answers = parse_answers(text[len(QUESTIONNAIRE) :])
        if answers is not None:
            arguments = msgspec.structs.asdict(answers)
            return Action(speaker, "usr_feedback", arguments, None, turn, segment, at_s)
    return Utterance(speaker, text, turn, segment, at_s)


def _add_displays(displays: list[Display], game_round: Round, segment: int) -> None:
    images, highlighted = game_round.images, game_round.highlighted
    for viewer, paths, flags in (
        ("A", images.A, highlighted.A),
        ("B", images.B, highlighted.B),
    ):
        known = len(flags)
        for position, path in enumerate(paths):
            flag = flags[position] if position < known else None
            displays.append(Display(path, viewer, None, segment, position, flag))


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
