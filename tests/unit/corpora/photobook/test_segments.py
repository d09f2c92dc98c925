"""The heuristic case by case. In the talks below ``A:`` and ``B:`` begin a text; ``A+x`` says that
A marks image x as common, ``A-x`` as different, and ``A.`` that A goes on to the next round."""

from __future__ import annotations

import pytest

from commonground.corpora.photobook.native import (
    Displays,
    Feedback,
    Game,
    Highlights,
    Message,
    Round,
    Scores,
)
from commonground.corpora.photobook.segments import (
    Chain,
    Segment,
    build_chains,
    segment_game,
    to_released,
)


def make_message(turn: int, word: str) -> Message:
    speaker, mark, image = word[0], word[1], word[2:]
    text = {
        ":": "some words",
        "+": f"<selection> <com> {image}",
        "-": f"<selection> <dif> {image}",
        ".": "<next_round>",
    }[mark]
    stamp = f"00:00:{turn:02d}.000000"
    return Message(timestamp=stamp, turn=turn, speaker=speaker, agent_id=1, message=text)


def make_round(number: int, talk: str) -> Round:
    return Round(
        round_nr=number,
        score=Scores(A=0, B=0),
        images=Displays(A=[], B=[]),
        common=[],
        highlighted=Highlights(A=[], B=[]),
        messages=[make_message(turn, word) for turn, word in enumerate(talk.split())],
    )


def make_game(*talks: str) -> Game:
    return Game(
        game_id=7,
        domain_id=1,
        agent_ids=[1, 2],
        agent_labels=["A", "B"],
        start_time="2018-01-01T00:00:00.000000",
        feedback=Feedback(A=None, B=None),
        rounds=[make_round(number, talk) for number, talk in enumerate(talks, 1)],
    )


def segment_talk(talk: str) -> list[tuple[tuple[int, ...], str]]:
    found = segment_game(make_game(talk)).segments
    return [(each.messages, "".join(each.targets)) for each in found]


# A writes (0) and clicks (1), and then comes text 2; what is meant by it shows in what follows.
CASES = [
    (1, "A: A+x B: B+x", [((0,), "x")]),
    (2, "A: A+x B: B+y", [((0, 2), "xy")]),
    (3, "A: A+x B: B-x", [((0,), "x")]),
    (4, "A: A+x B: B-y", [((0, 2), "xy")]),
    (5, "A: A+x B: A-y", [((0, 2), "xy")]),
    (6, "A: A+x B: B: B+x", [((0, 2, 3), "x")]),
    (7, "A: A+x B: B: A:", [((0,), "x")]),
    (9, "A: A+x B: A:", [((0,), "x")]),
    (10, "A: A+x A: B+x", [((0, 2), "x")]),
    (11, "A: A+x A: B+y", [((0, 2), "xy")]),
    (12, "A: A+x A: B-x", [((0,), "x")]),
    (13, "A: A+x A: B-y", [((0, 2), "xy")]),
    (14, "A: A+x A: A-y", [((0, 2), "xy")]),
    (15, "A: A+x A: A:", [((0,), "x")]),
    (16, "A: A-x B: B-x", [((0,), "x")]),
    (17, "A: A-x B: B-y", [((0, 2), "xy")]),
    (18, "A: A-x B: B+x", [((0,), "x")]),
    (19, "A: A-x B: B+y", [((0, 2), "xy")]),
    (20, "A: A-x B: A+y", [((0, 2), "xy")]),
    (21, "A: A-x B: B: B-x", [((0, 2, 3), "x")]),
    (22, "A: A-x B: B: B-y", [((0,), "x"), ((2, 3), "y")]),
    (24, "A: A-x B: A:", [((0,), "x")]),
    (25, "A: A-x A: B-x", [((0, 2), "x")]),
    (26, "A: A-x A: B-y", [((0, 2), "xy")]),
    (27, "A: A-x A: B+x", [((0, 2), "x")]),
    (28, "A: A-x A: B+y", [((0, 2), "xy")]),
    (29, "A: A-x A: A-y", [((0, 2), "xy")]),
    (30, "A: A-x A: A:", [((0,), "x")]),
]


@pytest.mark.parametrize(("case", "talk", "segments"), CASES, ids=lambda value: str(value))
def test_a_text_behind_a_click(
    case: int, talk: str, segments: list[tuple[tuple[int, ...], str]]
) -> None:
    assert segment_talk(talk) == segments
    assert segment_game(make_game(talk)).cases[case] == 1


@pytest.mark.parametrize("talk", ["A: A+x B: B.", "A: A-x B: B."])
def test_a_text_before_the_last_word_of_its_writer_is_dropped(talk: str) -> None:
    found = segment_game(make_game(talk))
    assert found.dropped == [2]
    assert found.cases == {31: 1, 32: 1}
    assert found.segments == [Segment(0, (0,), ("x",))]


@pytest.mark.parametrize(
    ("talk", "segments"),
    [
        # The text that opens a segment in cases 1 and 12 is about the next click.
        ("A: A+x B: B+x B: A+y", [((0,), "x"), ((2, 4), "y")]),
        ("A: A+x A: B-x B: A+y", [((0,), "x"), ((2, 4), "y")]),
        # In case 27 it is in both.
        ("A: A-x A: B+x B: A+y", [((0, 2), "x"), ((2, 4), "y")]),
    ],
)
def test_where_the_text_goes(talk: str, segments: list[tuple[tuple[int, ...], str]]) -> None:
    assert segment_talk(talk) == segments


def test_clicks_without_a_text_before_are_passed_over() -> None:
    found = segment_game(make_game("A+x B+x A: A+y"))
    assert found.cases[33] == 2
    assert found.segments == [Segment(0, (2,), ("y",))]


def test_several_clicks_name_several_images() -> None:
    assert segment_talk("A: B: A+x B-y A.") == [((0, 1), "xy")]


def test_texts_without_a_click_are_no_segment() -> None:
    assert segment_talk("A: B: A: A.") == []


def test_a_repeated_click_counts_where_it_was_last_in_rounds_of_many() -> None:
    many = "A: A+x A: B: A-x A+1 A+2 A+3 A+4 A+5"
    # Seven clicks: the first on x goes, so that the texts run on to the second.
    assert segment_talk(many) == [((0, 2, 3), "12345x")]
    # Six clicks: it stays, and ends a segment.
    assert segment_talk(many.removesuffix(" A+5")) == [((0,), "x"), ((2, 3), "1234x")]


def test_numbers_run_through_the_game() -> None:
    game = make_game("A: A+x A.", "B: B-y B.")
    found = segment_game(game).segments
    assert to_released(game, found) == [[7, 0, [0], ["x"]], [7, 1, [3], ["y"]]]


def test_chains_of_a_game() -> None:
    segments = [
        Segment(0, (0, 1), ("x", "y")),
        Segment(0, (3,), ("z",)),
        Segment(1, (9,), ("x",)),
    ]
    assert build_chains(segments) == [Chain("x", (0, 2)), Chain("y", (0,)), Chain("z", (1,))]
    assert build_chains([]) == []
