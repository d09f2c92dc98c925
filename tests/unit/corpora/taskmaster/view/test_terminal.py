from __future__ import annotations

from commonground.corpora.taskmaster.view.terminal import describe_action
from commonground.model import Action, Dialogue, Utterance


def test_a_call_is_a_block() -> None:
    call = Action("assistant", "find_seats", {"name.movie": "Up", "row": 3}, {"seats": ["a", "b"]})
    dialogue = Dialogue(dialogue_id="d", events=[Utterance("user", "hm"), call])
    lines = ["".join(piece.text for piece in line) for line in describe_action(dialogue, 1)]
    assert lines == ["calls find_seats", "  name.movie Up", "  row 3", '  ⇒ seats ["a", "b"]']
    assert describe_action(dialogue, 0) == []


def test_a_call_with_nothing_given_is_one_line() -> None:
    dialogue = Dialogue(dialogue_id="d", events=[Action("assistant", "hang_up")])
    assert len(describe_action(dialogue, 0)) == 1
