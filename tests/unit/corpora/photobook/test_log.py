from __future__ import annotations

import io
import json
import zipfile
from datetime import time, timedelta
from pathlib import Path

import pytest
from tests.unit.corpora.photobook.samples import OWL, SEA, SUN, simulated_game, small_log

from commonground.compat.photobook import Log, load_logs, print_transcript
from commonground.corpora.photobook.native import Answers, Game
from commonground.errors import FormatError, SourceError


def test_game_attributes() -> None:
    log = Log(small_log())
    assert (log.game_id, log.domain_id, log.agent_ids) == (12, 3, [7, 9])
    assert log.agent_labels == ["A", "B"]
    assert log.start_time == "2024-05-06T07:08:09.000010"
    assert log.domains == ["sun", "sea"]
    assert str(log.duration) == "1:00:02"  # from 00:00:00 to 01:00:02
    assert log.scores == {"A": 2, "B": 4}
    assert log.total_score == 6
    assert not log.complete


def test_feedback_is_there_verbatim_and_parsed() -> None:
    log = Log(small_log())
    assert log.feedback == small_log()["feedback"]
    assert log.answers == {"A": None, "B": Answers(5, 4, 3, "somuchfun")}


def test_round_attributes() -> None:
    each = Log(small_log()).rounds[0]
    assert each.round_nr == 1
    assert each.duration == timedelta(
        seconds=72.5
    )  # the last click on submit, not the last message
    assert (each.total_score, each.scores) == (3, {"A": 2, "B": 1})
    assert each.num_messages == 2
    assert each.images == {"A": [SUN, SEA], "B": [OWL, SUN]}
    assert each.common == [SUN]
    assert each.highlighted == {"A": [True, False], "B": [True, False]}
    assert len(each.messages) == 7


def test_message_attributes() -> None:
    log = Log(small_log())
    message = log.rounds[1].messages[0]
    assert message.message_id == 7
    assert message.timestamp == time(1, 0, 1)
    assert (message.turn, message.speaker, message.agent_id) == (0, "B", 9)
    assert message.message == message.text == "sun again"
    assert [each.type for each in log.rounds[0].messages] == [
        *("text", "text", "selection", "selection", "feedback", "feedback", "next_round")
    ]
    assert str(log.rounds[0].messages[1].timestamp) == "00:00:05.250000"


def test_a_round_without_submission_has_no_duration() -> None:
    assert Log(small_log()).rounds[1].duration is None


@pytest.mark.parametrize(
    ("folder", "domains"),
    [
        ("person_dog", ["person", "dog"]),
        ("dining_table_laptop", ["dining_table", "laptop"]),
        ("cup_dining_table", ["cup", "dining_table"]),
        ("person_teddy_bear", ["person", "teddy_bear"]),
        ("zoo", ["zoo"]),
    ],
)
def test_compound_object_types_stay_whole(folder: str, domains: list[str]) -> None:
    log = small_log()
    log["rounds"][0]["images"]["A"][0] = f"{folder}/COCO_train2014_000000700001.jpg"
    assert Log(log).domains == domains


def test_times_beyond_an_hour_are_minutes() -> None:
    assert Log.format_time(time(0, 2, 5, 900_000)) == "02:05"
    assert Log.format_time(time(1, 2, 5)) == "62:05"


def test_image_ids_are_numbers() -> None:
    assert Log.strip_image_id(SUN) == 700001
    assert Log.strip_image_id("a/COCO_train2014_000000000000.jpg") == 0
    with pytest.raises(ValueError, match="invalid literal"):
        Log.strip_image_id("a/b.jpg")


def test_what_is_no_log_is_refused() -> None:
    with pytest.raises(FormatError, match=r"\$\.game_id"):
        Log({"train": []})
    log = small_log()
    log["rounds"][0]["messages"][1]["timestamp"] = "soon"
    with pytest.raises(FormatError, match="message 1: timestamp 'soon'"):
        Log(log)


TRANSCRIPT = """\
Game ID: 12
Domain ID: 3
Image set main objects: 'sun' and 'sea'
Participant IDs: 7 and 9
Start Time: 2024-05-06T07:08:09.000010
Duration: 1:00:02
Total Score: 6
Player scores: A - 2, B - 4
Transcript:

Round 1
[00:00] A: a yellow sun?
[00:05] B: yes
[00:07] A marks image 700001 as common
[01:09] B marks image 700003 as different

Duration: 0:01:12.500000
Total Score: 3
Player scores: A - 2, B - 1
Number of messages: 2

Round 2
[60:01] B: sun again

Duration: None
Total Score: 3
Player scores: A - 0, B - 3
Number of messages: 1

"""


def test_transcripts_have_the_documented_layout(capsys: pytest.CaptureFixture[str]) -> None:
    stream = io.StringIO()
    print_transcript(Log(small_log()), stream)
    assert stream.getvalue() == TRANSCRIPT
    print_transcript(Log(small_log()))
    assert capsys.readouterr().out == TRANSCRIPT


def test_an_image_of_another_name_is_named_whole() -> None:
    log = small_log()
    log["rounds"][0]["messages"][2]["message"] = "<selection> <com> sun.jpg"
    stream = io.StringIO()
    print_transcript(Log(log), stream)
    assert "marks image sun.jpg as common" in stream.getvalue()


def save(game: Game, folder: Path, game_id: int) -> None:
    import msgspec

    game.game_id = game_id
    folder.mkdir(exist_ok=True)
    (folder / f"{game_id}_1_2_0.json").write_bytes(msgspec.json.encode(game))


def test_logs_are_loaded_in_order_and_only_complete_ones(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for game_id in (10, 9):
        save(simulated_game(), tmp_path / "logs", game_id)
    (tmp_path / "logs" / "12_7_9_3.json").write_text(json.dumps(small_log()))
    (tmp_path / "logs" / "notes.json").write_text("[]")
    assert [log.game_id for log in load_logs("logs", tmp_path)] == [9, 10]
    assert [log.game_id for log in load_logs(tmp_path / "logs")] == [9, 10]
    assert capsys.readouterr().out == ""


def test_logs_are_loaded_from_a_zip(tmp_path: Path) -> None:
    save(simulated_game(), tmp_path / "logs", 4)
    with zipfile.ZipFile(tmp_path / "logs.zip", "w") as archive:
        archive.write(tmp_path / "logs" / "4_1_2_0.json", "logs/4_1_2_0.json")
    assert [log.game_id for log in load_logs(tmp_path / "logs.zip")] == [4]


def test_a_broken_log_is_named(tmp_path: Path) -> None:
    (tmp_path / "1_2_3_4.json").write_text('{"game_id": 1')
    with pytest.raises(FormatError, match=r"1_2_3_4\.json: \$"):
        load_logs(tmp_path)
    with pytest.raises(SourceError, match="does not exist"):
        load_logs("nowhere", tmp_path)
