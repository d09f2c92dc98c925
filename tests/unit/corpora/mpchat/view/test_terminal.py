from __future__ import annotations

from commonground.corpora.mpchat.view.terminal import describe_dialogue, describe_state
from commonground.model import Dialogue, Display, Grounding, Object, Utterance
from commonground.view import TerminalLine

THREAD = Dialogue(
    dialogue_id="d",
    events=[Utterance("ann", "hm"), Utterance("bob", "hm")],
    objects=[
        Object("post", "post_image", "My kite"),
        Object("p1", "persona", "I fly kites"),
        Object("p2", "persona", "I bake"),
    ],
    displays=[Display("post", event=0), Display("p1", "ann", 0), Display("p2", "ann", 0)],
    groundings=[Grounding(1, "p1", "grounded"), Grounding(1, "p2", "ungrounded")],
)


def plain(lines: list[TerminalLine]) -> list[str]:
    return ["".join(piece.text for piece in line) for line in lines]


def test_post_and_personas_stand_below_the_heading() -> None:
    assert plain(describe_dialogue(THREAD)) == [
        "  post: My kite",
        "  persona of ann: I fly kites",
        "  persona of ann: I bake",
    ]


def test_messages_say_what_they_are_grounded_in() -> None:
    told = plain(describe_state(THREAD, 1))
    assert told == ["● grounded in I fly kites", "○ not grounded in I bake"]
    assert describe_state(THREAD, 0) == []
