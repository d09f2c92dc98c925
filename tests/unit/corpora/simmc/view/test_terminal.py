from __future__ import annotations

from commonground.corpora.simmc.view.terminal import describe_action, describe_state
from commonground.model import Action, Dialogue, Display, Object, Utterance
from commonground.view import TerminalLine


def plain(lines: list[TerminalLine]) -> list[str]:
    return ["".join(piece.text for piece in line) for line in lines]


def test_an_action_is_written_as_a_call() -> None:
    action = Action("assistant", "SpecifyInfo", {"attributes": ["color", "price"], "focus": 3})
    dialogue = Dialogue(dialogue_id="d", events=[action])
    assert plain(describe_action(dialogue, 0)) == ["SpecifyInfo(attributes=color, price, focus=3)"]


def test_what_is_shown_stands_where_it_changes() -> None:
    dialogue = Dialogue(
        dialogue_id="d",
        events=[Utterance("user", "hm") for _ in range(4)],
        objects=[Object("i/1", "item", "a red chair")],
        displays=[
            Display("i/1", event=0, position=0, attributes={"name": "OBJECT_0"}),
            Display("i/1", event=1, position=0, attributes={"name": "OBJECT_0"}),
            Display("i/2", event=3, position=0),
        ],
    )
    told = [plain(describe_state(dialogue, event)) for event in range(4)]
    assert told == [["shown: OBJECT_0 a red chair"], [], [], ["shown: i/2"]]
