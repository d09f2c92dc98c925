"""The figures of simulated games, beside the same numbers worked out from the logs."""

from __future__ import annotations

from collections import Counter
from datetime import time
from typing import Any

import pytest

from commonground.corpora.photobook.log import Log
from commonground.figures.figure_files import get_figure
from commonground.figures.tables import StoreData


def mean(values: list[float]) -> float:
    return sum(values) / len(values)


def run(data: StoreData, name: str) -> list[dict[str, Any]]:
    """Returns the rows of a figure, each cell under the name of its column."""
    figure = get_figure("photobook", name)
    names = [column.name for column in figure.columns]
    return [dict(zip(names, row, strict=True)) for row in data.run(figure).rows]


def find_row_dialogues(data: StoreData, name: str) -> dict[str, set[str]]:
    """Returns the games after each row of a figure."""
    found = data.find_row_dialogues(get_figure("photobook", name))
    return {row: set(games) for row, games in found.items()}


def test_the_overview_counts_what_is_there(data: StoreData, logs: list[Log]) -> None:
    found = {row["measure"]: row["number"] for row in run(data, "overview")}
    assert found["games"] == 20
    assert found["texts"] == sum(r.num_messages for log in logs for r in log.rounds)
    assert found["agents"] == len({agent for log in logs for agent in log.agent_ids})
    assert found["score"] == mean([log.total_score for log in logs])
    assert found["full scores"] == 100 * mean([log.total_score == 30 for log in logs])
    seconds = [log.duration.total_seconds() for log in logs]
    assert found["duration"] == pytest.approx(mean(seconds))
    assert found["longest game"] == pytest.approx(max(seconds))
    lacking = sum(None in log.feedback.values() for log in logs)
    assert found["games without one feedback"] == lacking


def test_rounds_last_as_in_the_documented_processor(data: StoreData, logs: list[Log]) -> None:
    for row in run(data, "rounds"):
        rounds = [log.rounds[row["round"] - 1] for log in logs]
        seconds = [each.duration.total_seconds() for each in rounds if each.duration]
        assert row["seconds"] == pytest.approx(mean(seconds))
        assert row["texts"] == mean([each.num_messages for each in rounds])
        assert row["score"] == mean([each.total_score for each in rounds])
        minutes = zip(rounds, seconds, strict=True)
        rates = [60 * each.total_score / second for each, second in minutes]
        assert row["points_per_minute"] == pytest.approx(mean(rates))


def test_games_of_an_agent_are_counted_over_both_labels(data: StoreData, logs: list[Log]) -> None:
    games = Counter(agent for log in logs for agent in log.agent_ids)
    expected = Counter(games.values())
    assert {r["games"]: r["agents"] for r in run(data, "games-per-agent")} == expected
    groups = {r["games"]: r["agents"] for r in run(data, "agent-groups")}
    assert sum(groups.values()) == len(games)
    assert groups.get("1", 0) == expected[1]


def test_consecutive_games_go_by_their_start(data: StoreData, logs: list[Log]) -> None:
    played: dict[int, list[Log]] = {}
    for log in sorted(logs, key=lambda each: each.start_time):
        for agent in log.agent_ids:
            played.setdefault(agent, []).append(log)
    for row in run(data, "consecutive-games"):
        least = 5 if row["agents"] == "with five games" else row["number"]
        games = [g[row["number"] - 1] for g in played.values() if len(g) >= least]
        assert row["played"] == len(games)
        assert row["score"] == pytest.approx(mean([game.total_score for game in games]))


def test_the_authors_table_takes_texts_up_to_the_last_mark(
    data: StoreData, logs: list[Log]
) -> None:
    games = Counter(agent for log in logs for agent in log.agent_ids)
    chosen = [log for log in logs if all(2 <= games[a] <= 5 for a in log.agent_ids)]
    assert chosen
    rows = run(data, "authors-rounds")
    assert [row["games"] for row in rows] == [len(chosen)] * 5
    for row in rows:
        texts, seconds = [], []
        for log in chosen:
            messages = log.rounds[row["round"] - 1].messages
            last = {m.speaker: m.message_id for m in messages if m.type == "selection"}
            kept = [m for m in messages if m.type == "text" and m.message_id < last[m.speaker]]
            texts.append(len(kept))
            [end] = [m.timestamp for m in messages if m.message_id == max(last.values())]
            begin = messages[0].timestamp
            seconds.append(_seconds(end) - _seconds(begin))
        assert row["texts"] == pytest.approx(mean([float(n) for n in texts]))
        assert row["seconds"] == pytest.approx(mean(seconds))


def _seconds(clock: time) -> float:
    return clock.hour * 3600 + clock.minute * 60 + clock.second + clock.microsecond / 1e6


def test_marks_made_again_are_told_apart(data: StoreData, logs: list[Log]) -> None:
    kinds: Counter[tuple[int, str]] = Counter()
    labels: Counter[tuple[int, str]] = Counter()
    for log in logs:
        for each in log.rounds:
            last: dict[tuple[str, str], str] = {}
            for message in each.messages:
                if message.type != "selection":
                    continue
                _, label, image = message.text.split()
                before = last.get((message.speaker, image))
                same = "same label" if before == label else "other label"
                kinds[each.round_nr, "first" if before is None else same] += 1
                last[message.speaker, image] = label
            for label in last.values():
                name = "common" if label == "<com>" else "different"
                labels[each.round_nr, name] += 1
    assert {(r["round"], r["kind"]): r["marks"] for r in run(data, "label-changes")} == kinds
    assert {(r["round"], r["label"]): r["marks"] for r in run(data, "labels")} == labels


def test_known_images_are_those_of_earlier_rounds(data: StoreData, logs: list[Log]) -> None:
    found: Counter[tuple[int, int, bool]] = Counter()
    for log in logs:
        known: set[str] = set()
        for each in log.rounds:
            marks = [m.text.split()[2] for m in each.messages if m.type == "selection"]
            for place, image in enumerate(dict.fromkeys(marks), start=1):
                found[each.round_nr, place, image in known] += 1
            known.update(marks)
    for row in run(data, "selection-order"):
        old, new = (found[row["round"], row["place"], known] for known in (True, False))
        assert row["marks"] == old + new
        assert row["known"] == pytest.approx(100 * old / (old + new))


def test_every_game_has_one_place_in_image_sets_and_schedules(
    data: StoreData, logs: list[Log]
) -> None:
    rows = run(data, "domains")
    assert sum(row["games"] for row in rows) == len(logs)
    odd = sum(log.domain_id % 2 for log in logs)
    assert sum(row["games"] for row in rows if row["schedule"] == "II") == odd


def test_the_games_of_some_agents_are_behind_a_bar(data: StoreData, logs: list[Log]) -> None:
    games = Counter(agent for log in logs for agent in log.agent_ids)
    found = find_row_dialogues(data, "games-per-agent")
    assert found.keys() == {f"games-per-agent/{n}" for n in games.values()}
    for n in set(games.values()):
        expected = {str(log.game_id) for log in logs if n in {games[a] for a in log.agent_ids}}
        assert found[f"games-per-agent/{n}"] == expected


def test_first_games_are_behind_the_first_point(data: StoreData, logs: list[Log]) -> None:
    first: dict[int, str] = {}
    for log in sorted(logs, key=lambda each: each.start_time):
        for agent in log.agent_ids:
            first.setdefault(agent, str(log.game_id))
    assert find_row_dialogues(data, "consecutive-games")["consecutive-games/1/all"] == set(
        first.values()
    )


def test_games_whose_first_mark_is_known_are_behind_a_point(
    data: StoreData, logs: list[Log]
) -> None:
    known = set()
    for log in logs:
        marks = [
            [m.text.split()[2] for m in each.messages if m.type == "selection"]
            for each in log.rounds[:2]
        ]
        if marks[1][0] in marks[0]:
            known.add(str(log.game_id))
    assert 0 < len(known) < len(logs)
    assert find_row_dialogues(data, "selection-order")["selection-order/2/1"] == known


def test_marks_are_right_where_the_pages_say_so(data: StoreData, logs: list[Log]) -> None:
    points = Counter(r.round_nr for log in logs for r in log.rounds for _ in range(r.total_score))
    rows = {(row["mark"], row["round"]): row for row in run(data, "correct-marks")}
    # Every invented player marks all three images, and a right last mark is a point.
    for number in range(1, 6):
        assert rows["right", number]["marks"] == points[number]
        assert rows["wrong", number]["marks"] == 6 * len(logs) - points[number]
    lost = {str(log.game_id): {r.round_nr for r in log.rounds if r.total_score < 6} for log in logs}
    for name, games in find_row_dialogues(data, "correct-marks").items():
        _figure, mark, part = name.split("/")
        if mark == "wrong":
            assert games == {game for game, rounds in lost.items() if int(part) in rounds}
