"""Any dialogue at all, written as messages and read again."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from commonground.exports.formats.chat import make_examples, split_turns
from commonground.exports.formats.chat_messages import (
    Conversation,
    MergedUtterance,
    Message,
    Style,
    legal_name,
    merge_neighbours,
)
from commonground.exports.point_of_view import Event, SeenDialogue, ShownPicture, choose_speaker
from commonground.model import Speaker
from tests.unit.exports.chat_reading import Line, read_events

PLAIN_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=4,
)
JSON_TEXT = PLAIN_JSON.filter(lambda v: v is not None).map(
    lambda v: msgspec.json.encode(v).decode()
)
MAYBE_JSON = st.none() | JSON_TEXT
SPEAKERS = [Speaker("A", "peer"), Speaker("B é", "peer"), Speaker("C", "peer", "c1")]
NAMES = st.sampled_from([each.speaker for each in SPEAKERS])
DEED = st.tuples(NAMES, st.text(min_size=1, max_size=4), MAYBE_JSON, MAYBE_JSON)
SAYING = st.tuples(NAMES, st.text(max_size=9))


def make_seen(rows: list[tuple[str, ...]]) -> SeenDialogue:
    events = [
        Event(number, "utterance", row[0], None, row[1], None, None, None)
        if len(row) == 2
        else Event(number, "action", row[0], None, None, row[1], row[2], row[3])
        for number, row in enumerate(rows)
    ]
    return SeenDialogue(
        corpus="toy",
        dialogue_id="d",
        split=None,
        domain=None,
        n_events=len(events),
        n_utterances=sum(each.kind == "utterance" for each in events),
        speakers=SPEAKERS,
        events=events,
    )


def add_pictures(seen: SeenDialogue, places: list[int | None]) -> None:
    seen.pictures = [
        ShownPicture(f"o{n}", f"{n}.jpg", event=place) for n, place in enumerate(places)
    ]


ROWS = st.lists(DEED | SAYING, max_size=8)
PLACES = st.lists(st.none() | st.integers(0, 9), max_size=4)


@settings(deadline=None)
@given(ROWS, PLACES, st.sampled_from(["string", "object"]), st.booleans())
def test_events_come_back(
    rows: list[tuple[str, ...]], places: list[int | None], arguments: str, merge: bool
) -> None:
    seen = make_seen(rows)
    add_pictures(seen, places)
    conversation = Conversation(seen, "A", Style(arguments))
    if merge:
        merge_neighbours(conversation)
    found: list[Event] = []
    last = max((e.event for e in seen.events if e.speaker == "A"), default=-1)
    for example in make_examples(conversation, "dialogue"):
        line = msgspec.json.decode(msgspec.json.encode(example), type=Line)
        assert line.metadata is not None
        assert line.messages[-1].role == "assistant"
        found += read_events(line, line.metadata)
    wanted = [e for e in seen.events if e.kind == "utterance" or e.speaker == "A"]
    if last >= 0:
        seen.events[last].result = None  # nothing follows the last call
    assert found == [e for e in wanted if e.event <= last]
    assert conversation.hidden == [
        e.event for e in seen.events if e.kind == "action" and e.speaker != "A"
    ]
    # Every picture is shown, or counted as standing at no event.
    lists = [m.content for m in conversation.messages if isinstance(m.content, list)]
    shown = sum(part["type"] == "image_url" for parts in lists for part in parts)
    assert shown + conversation.unplaced == len(places)


@settings(deadline=None)
@given(ROWS, PLACES)
def test_joined_messages_alternate(rows: list[tuple[str, ...]], places: list[int | None]) -> None:
    seen = make_seen(rows)
    add_pictures(seen, places)
    conversation = Conversation(seen, "A", Style())
    merge_neighbours(conversation)
    for before, after in pairwise(conversation.messages):
        same = before.role == after.role == "user" and before.name == after.name
        assert not same
        if (before.role, after.role) == ("assistant", "assistant"):
            assert before.tool_calls or after.tool_calls


def test_what_is_said_before_a_call_is_not_joined_to_it() -> None:
    seen = make_seen([("C", "hi"), ("A", "one"), ("A", "two"), ("A", "find", '{"x":1}', "[]")])
    conversation = Conversation(seen, "A", Style())
    merge_neighbours(conversation)
    assert [m.role for m in conversation.messages] == ["user", "assistant", "assistant", "tool"]
    assert conversation.messages[1].content == "one\ntwo"
    assert conversation.messages[1].tool_calls is None
    assert (conversation.messages[2].content, conversation.messages[2].tool_calls is None) == (
        "",
        False,
    )
    # "two" begins after "one" and the line break: at 4, three code points long.
    assert conversation.metadata.joined == [
        MergedUtterance(1, 1, "A", 0, 3),
        MergedUtterance(1, 2, "A", 4, 3),
    ]


@settings(deadline=None)
@given(st.lists(DEED | SAYING, max_size=8))
def test_each_assistant_message_is_learned_in_one_turn(rows: list[tuple[str, ...]]) -> None:
    conversation = Conversation(make_seen(rows), "A", Style())
    mine = [n for n, m in enumerate(conversation.messages) if m.role == "assistant"]
    learned = [
        number
        for example in make_examples(conversation, "turn")
        for number, message in enumerate(example.messages or ())
        if message.weight == 1
    ]
    assert learned == mine


def test_turns_are_runs_of_the_assistant() -> None:
    roles = ["system", "assistant", "tool", "user", "user", "assistant", "assistant"]
    messages = [Message(role, "x") for role in roles]  # type: ignore[arg-type]
    assert list(split_turns(messages)) == [(1, 2), (5, 7)]


def test_the_assistant_is_whoever_has_the_role() -> None:
    wizard, user = Speaker("wizard", "assistant"), Speaker("user", "user")
    assert choose_speaker([user, wizard], None) == wizard
    assert choose_speaker([user, wizard], "user") == user
    assert choose_speaker(SPEAKERS, None) == SPEAKERS[0]
    assert choose_speaker(SPEAKERS, "Z") is None
    assert choose_speaker([], None) is None
    assert choose_speaker([user], None) is None
    assert choose_speaker([user, Speaker("other", "user")], None) == user


@pytest.mark.parametrize(("name", "legal"), [("find-it_2", "find-it_2"), ("a b.é", "a_b__")])
def test_names_are_legal(name: str, legal: str) -> None:
    assert legal_name(name) == legal
    assert len(legal_name(name * 40)) == 64
    assert legal_name("") == "_"


def test_actions_may_share_a_tool() -> None:
    rows: list[Any] = [("A", name, None, None) for name in ("go!", "go?", "go")]
    seen = make_seen(rows)
    (example,) = make_examples(Conversation(seen, "A", Style()), "dialogue")
    line = msgspec.json.decode(msgspec.json.encode(example), type=Line)
    assert line.metadata is not None
    called = [m.tool_calls[0].function.name for m in line.messages if m.tool_calls]
    assert called == ["go_", "go_", "go"]
    assert [each.name for each in read_events(line, line.metadata)] == ["go!", "go?", "go"]


def test_pictures_stand_where_they_are_seen() -> None:
    seen = make_seen([("B é", "one"), ("A", "two"), ("B é", "three")])
    seen.events[1].segment = seen.events[2].segment = 7
    seen.pictures = [
        ShownPicture("s", "s.jpg", segment=7, highlighted=True),
        ShownPicture("e", "https://there.example/e.jpg", event=2),
    ]
    found = Conversation(seen, "A", Style(image_root="/root/")).messages
    assert [message.role for message in found] == ["user", "user", "assistant", "user", "user"]
    assert found[1].content == [
        {"type": "text", "text": "s (highlighted)"},
        {"type": "image_url", "image_url": {"url": "/root/s.jpg"}},
    ]
    assert found[3].content == [
        {"type": "text", "text": "e"},
        {"type": "image_url", "image_url": {"url": "https://there.example/e.jpg"}},
    ]
    assert [m.name for m in found if isinstance(m.content, str)] == ["B__", None, "B__"]


def test_a_dialogue_without_events_has_no_messages() -> None:
    assert list(make_examples(Conversation(make_seen([]), "A", Style()), "dialogue")) == []
    assert list(make_examples(Conversation(make_seen([]), "A", Style()), "turn")) == []
