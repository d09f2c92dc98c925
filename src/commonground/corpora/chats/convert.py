"""Chats as dialogues: every row is an utterance; labels are acts, pictures are shown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from commonground.corpora.chats.gathering import LISTS, Chat, Row, name_dialogue, read_cell
from commonground.corpora.chats.messengers import People, name_people, parse_item
from commonground.corpora.chats.times import Moment, parse_moment
from commonground.files.reading import SideRecord, Where
from commonground.model import Act, Action, Dialogue, Display, Object, Role, Speaker, Utterance
from commonground.records import UNSET

ROLES: Mapping[str, Role] = {
    **dict.fromkeys(("user", "human", "customer", "client", "caller", "seeker", "usr"), "user"),
    **dict.fromkeys(("assistant", "bot", "agent", "system", "sys", "model", "gpt"), "assistant"),
    "peer": "peer",
}
"""Roles by the words that tables have for them; any other word is a peer's."""


def prepare(sides: Iterable[SideRecord]) -> dict[str, str]:
    """Gathers what people in exports of Slack are called, by their ids."""
    people = [each.record for each in sides if isinstance(each.record, People)]
    return {key: name for each in people for key, name in each.names().items()}


def convert(chat: Chat, where: Where, context: Mapping[str, str]) -> Dialogue:
    """Turns the rows of a chat into a dialogue, in the order of their times where all have one.

    Where no row names the dialogue, its file does. ``context`` has what people are called, by id.
    """
    chat = name_people(chat, context)
    placed = _order(chat)
    splits = list_splits(chat)
    dialogue = Dialogue(
        dialogue_id=name_dialogue(chat, where.document),
        split=splits[0] if len(splits) == 1 else None,
        started_at=_find_start(placed),
        attributes=_list_attributes(chat),
    )
    first = placed[0].moment
    for each in placed[_count_instructions(chat) :]:
        at_s = None if each.moment is None else each.moment.seconds
        if at_s is not None and first is not None and first.kind != "number":
            at_s -= first.seconds
        if not _add_result(dialogue, chat, each.row):
            _add_message(dialogue, chat, each, at_s, is_split=len(splits) > 1)
    dialogue.objects = list({each.object_id: each for each in dialogue.objects}.values())
    heard = {each.speaker for each in dialogue.events}
    dialogue.speakers = [each for each in _list_speakers(chat) if each.speaker in heard]
    return dialogue


def _add_message(
    dialogue: Dialogue, chat: Chat, placed: _Placed, at_s: float | None, *, is_split: bool
) -> None:
    row, event = placed.row, len(dialogue.events)
    speaker, text = _read_text(chat, row, "speaker"), _read_text(chat, row, "text")
    calls = _list_calls(chat, row)
    if text or not calls:
        native_id = _read_text(chat, row, "id") or None
        details = _list_details(chat, placed, is_split=is_split)
        dialogue.events.append(
            Utterance(speaker, text, at_s=at_s, native_id=native_id, details=details)
        )
        _add_labels(dialogue, chat, event, row)
        for picture in _list_pictures(chat, row):
            dialogue.objects.append(Object(picture, "image", None, picture))
            dialogue.displays.append(Display(picture, None, event))
    for call in calls:
        function = call["function"]
        arguments = _parse(function.get("arguments"))
        name, native_id = str(function.get("name", "")), call.get("id")
        dialogue.events.append(
            Action(speaker, name, arguments, at_s=at_s, native_id=native_id and str(native_id))
        )


def _list_calls(chat: Chat, row: Row) -> list[dict[str, Any]]:
    """Lists the calls of tools of a message, as OpenAI writes them."""
    calls = row.cells.get("tool_calls") if chat.around is not UNSET else None
    return [
        each
        for each in (calls if isinstance(calls, list) else ())
        if isinstance(each, dict) and isinstance(each.get("function"), dict)
    ]


def _add_result(dialogue: Dialogue, chat: Chat, row: Row) -> bool:
    """Gives a call its result, if that is what a message is; says whether it is."""
    call_id = row.cells.get("tool_call_id") if chat.around is not UNSET else None
    for each in reversed(dialogue.events) if call_id is not None else ():
        if isinstance(each, Action) and each.native_id == str(call_id) and each.result is None:
            each.result = _parse(row.cells.get("content"))
            return True
    return False


def _parse(value: Any) -> Any:
    return parse_item(value) if isinstance(value, str) else value


def _count_instructions(chat: Chat) -> int:
    """Returns 1 where the first message instructs a model and nobody says it."""
    is_one = chat.around is not UNSET and len(chat.rows) > 1
    first = _read_text(chat, chat.rows[0], "speaker")
    return int(is_one and first in ("system", "developer"))


def _list_attributes(chat: Chat) -> dict[str, Any] | None:
    """Gathers what stands around the messages of a dialogue, and instructions before them."""
    if chat.around is UNSET:
        return None
    found = {k: v for k, v in chat.around.items() if k not in LISTS and k not in ("id", "split")}
    if _count_instructions(chat):
        found["system"] = _read_text(chat, chat.rows[0], "text")
    return {k: v for k, v in found.items() if v is not None and v != ""} or None


class _Placed(NamedTuple):
    """A row and its time; None where it has none, or times of the dialogue cannot be compared."""

    row: Row
    moment: Moment | None


def _order(chat: Chat) -> list[_Placed]:
    placed = [_Placed(row, parse_moment(_read(chat, row, "time"))) for row in chat.rows]
    kinds = {each.moment.kind for each in placed if each.moment is not None}
    if len(kinds) > 1:
        return [_Placed(row, None) for row in chat.rows]
    moments = [each.moment.seconds for each in placed if each.moment is not None]
    # A clock begins again at midnight.
    if len(moments) == len(placed) and kinds != {"clock"}:
        placed.sort(key=lambda each: each.moment.seconds if each.moment else 0.0)
    elif placed[0].moment is None and kinds != {"number"}:
        # Nothing says how long after the first message the others were written.
        return [_Placed(row, None) for row in chat.rows]
    return placed


def _find_start(placed: Sequence[_Placed]) -> datetime | None:
    first = placed[0].moment
    if first is None or first.kind != "date":
        return None
    began = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=first.seconds)
    return began.replace(tzinfo=None)


def _read(chat: Chat, row: Row, field: str) -> Any:
    return read_cell(row.cells, chat.columns, field)


def _read_text(chat: Chat, row: Row, field: str) -> str:
    value = _read(chat, row, field)
    if isinstance(value, list):  # of texts and pictures, as OpenAI has them
        parts = (each.get("text") for each in value if isinstance(each, dict))
        return "\n".join(each for each in parts if isinstance(each, str))
    return "" if value is None else str(value)


def list_splits(chat: Chat) -> list[str]:
    """Lists the splits that the rows of a chat name, each once."""
    if chat.around is not UNSET:
        split = chat.around.get("split")
        return [str(split)] if isinstance(split, str | int) and split != "" else []
    named = (_read_text(chat, row, "split") for row in chat.rows)
    return list(dict.fromkeys(filter(None, named)))


def _list_speakers(chat: Chat) -> list[Speaker]:
    """Lists who speaks; their role is what the first row that has one says, or else their name."""
    roles: dict[str, str] = {}
    for row in chat.rows:
        speaker = _read_text(chat, row, "speaker")
        roles[speaker] = roles.get(speaker) or _read_text(chat, row, "role")
    return [Speaker(each, _find_role(chat, role or each)) for each, role in roles.items()]


def _find_role(chat: Chat, word: str) -> Role:
    # In files for training, the system instructs and does not talk.
    if chat.around is not UNSET and word == "system":
        return "peer"
    return ROLES.get(word.casefold(), "peer")


def _list_details(chat: Chat, placed: _Placed, *, is_split: bool) -> dict[str, Any] | None:
    """Gathers what no other column of the tables has."""
    row, columns = placed.row, chat.columns
    kept = {"reply", "label"} | ({"split"} if is_split else set())
    if placed.moment is None or placed.moment.kind == "clock":
        kept.add("time")
    if _read_text(chat, row, "role") not in ("", *ROLES.values(), _read_text(chat, row, "speaker")):
        kept.add("role")
    if not isinstance(_read(chat, row, "picture"), str):
        kept.add("picture")
    taken = {names[0] for field, names in columns.items() if field not in kept}
    taken |= {name for name in columns.get("label", ()) if _is_label(row.cells.get(name))}
    if isinstance(_read(chat, row, "text"), list):
        taken -= set(columns["text"])
    if _list_calls(chat, row):
        taken.add("tool_calls")
    found = {
        name: value
        for name, value in row.cells.items()
        if name not in taken and value is not None and value != ""
    }
    reply = _read(chat, row, "reply")
    if reply is not None and reply != "":
        found = {"reply_to": reply, **{k: v for k, v in found.items() if k not in columns["reply"]}}
    return found or None


def _is_label(value: Any) -> bool:
    values = value if isinstance(value, list) else [value]
    return all(isinstance(each, str | int | float) for each in values)


def _add_labels(dialogue: Dialogue, chat: Chat, event: int, row: Row) -> None:
    for column in chat.columns.get("label", ()):
        value = row.cells.get(column)
        if not _is_label(value):
            continue
        for number, each in enumerate(value if isinstance(value, list) else [value]):
            if str(each).strip():
                dialogue.acts.append(Act(event, column, number, str(each)))


_PICTURE = re.compile(r"(?i).*\.(jpe?g|png|gif|webp|avif|bmp|heic)")
"""Names of files that are pictures."""


def _list_pictures(chat: Chat, row: Row) -> list[str]:
    """Lists the pictures of a row.

    They are those of its column, which may be a list of files as messengers have them, or the
    addresses among the parts of its text.
    """
    picture, text = _read(chat, row, "picture"), _read(chat, row, "text")
    if isinstance(picture, list):
        return [each for file in picture if (each := _find_picture(file))]
    parts = text if isinstance(text, list) else ()
    shown = [each.get("image_url") for each in parts if isinstance(each, dict)]
    addresses = [each.get("url") if isinstance(each, dict) else each for each in shown]
    return [each for each in (picture, *addresses) if isinstance(each, str) and each]


def _find_picture(file: Any) -> str | None:
    """Returns the address of a file of Slack or Discord that is a picture; None of any other."""
    if not isinstance(file, dict):
        return None
    address = file.get("url_private") or file.get("url")
    name = file.get("fileName") or file.get("name") or address
    is_picture = isinstance(name, str) and _PICTURE.fullmatch(name) is not None
    return address if is_picture and isinstance(address, str) else None
