from __future__ import annotations

from commonground.corpora.frames.view.terminal import describe_action, describe_state
from commonground.model import Action, Dialogue, State, Utterance
from commonground.view import TerminalLine


def plain(lines: list[TerminalLine]) -> list[str]:
    return ["".join(piece.text for piece in line) for line in lines]


def test_a_search_says_what_was_asked_and_how_much_was_found() -> None:
    search = Action("wizard", "search", {"DST_CITY": "Rome"}, [{"price": 1}])
    dialogue = Dialogue(dialogue_id="d", events=[search])
    assert plain(describe_action(dialogue, 0)) == ["search dst_city Rome ⇒ 1 package"]


def test_a_switch_of_frames_stands_where_it_happens() -> None:
    def state(event: int, frame: int, active: bool) -> State:
        return State(event, "frames", "info", frame=frame, active=active)

    dialogue = Dialogue(
        dialogue_id="d",
        events=[Utterance("user", "hm") for _ in range(5)],
        states=[
            state(0, 1, True),
            *(state(1, 1, False), state(1, 2, True)),
            *(state(2, 1, False), state(2, 2, True)),
            *(state(4, 1, True), state(4, 2, False)),
        ],
    )
    told = {event: plain(describe_state(dialogue, event)) for event in range(5)}
    assert told == {0: ["▸ new frame 1"], 1: ["▸ new frame 2"], 2: [], 3: [], 4: ["▸ frame 1"]}
