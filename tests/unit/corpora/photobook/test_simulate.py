from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random

import pytest
from PIL import Image

from commonground.corpora import get_corpus
from commonground.corpora.photobook import Log, load_logs, wording
from commonground.corpora.photobook.messages import parse_selection
from commonground.corpora.photobook.simulate import Games
from commonground.corpora.photobook.talk import Player, Side, Table
from commonground.corpora.photobook.world import FOLDERS, PICTURES, Picture, build_pictures
from commonground.drawing import COLORS
from commonground.store.importing import ImportSummary, import_corpus
from commonground.store.opening import open_store

GAMES = 40
FILLED = ("dialogues", "speakers", "events", "objects", "displays", "groundings", "outcomes")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("photobook")
    get_corpus("photobook").simulate(out, dialogues=GAMES, seed=5)
    return out


@pytest.fixture(scope="module")
def logs(corpus: Path) -> list[Log]:
    return load_logs("logs", corpus)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("store")


@pytest.fixture(scope="module")
def imported(corpus: Path, store: Path) -> ImportSummary:
    entry = get_corpus("photobook")
    return import_corpus(entry, [corpus], store=store, images=corpus / "images", jobs=1)


def files(folder: Path) -> dict[str, bytes]:
    found = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}


def test_same_seed_same_bytes(corpus: Path, tmp_path: Path) -> None:
    get_corpus("photobook").simulate(tmp_path, dialogues=GAMES, seed=5)
    assert files(tmp_path) == files(corpus)


def test_a_longer_corpus_starts_like_a_shorter_one() -> None:
    long, short = Games(1, domains=2).iterate_games(3), Games(1, domains=2).iterate_games(2)
    assert list(long)[:2] == list(short)


def test_no_rule_finds_anything(imported: ImportSummary) -> None:
    assert imported.manifest.findings == {}
    assert imported.manifest.counts["dialogues"] == GAMES


def test_every_table_is_filled(imported: ImportSummary, store: Path) -> None:
    corpus = open_store(store).corpus("photobook")
    for table in FILLED:
        assert corpus.table(table).num_rows > 0


def test_all_splits_are_there(imported: ImportSummary) -> None:
    assert sum(imported.manifest.splits.values()) == GAMES
    assert set(imported.manifest.splits) == {"train", "dev", "val", "test"}


def test_every_image_is_drawn(corpus: Path, logs: list[Log]) -> None:
    shown = {path for log in logs for each in log.rounds for path in each.images["A"]}
    for path in shown:
        with Image.open(corpus / "images" / path) as picture:
            assert picture.size == (320, 240)


def test_agents_play_several_games(logs: list[Log]) -> None:
    games = Counter(agent for log in logs for agent in log.agent_ids)
    assert max(games.values()) > 2
    starts = [log.start_time for log in logs]
    assert starts == sorted(set(starts))


def test_some_players_err_and_some_give_no_feedback() -> None:
    games = [Log(game) for game in Games(2, domains=2).iterate_games(150)]
    scores = Counter(log.total_score for log in games)
    assert scores[30] > 20
    assert min(scores) < 30
    assert any(None in log.feedback.values() for log in games)


def test_all_five_actions_occur(logs: list[Log]) -> None:
    kinds = {message.type for log in logs for each in log.rounds for message in each.messages}
    assert kinds == {"text", "selection", "feedback", "next_round", "usr_feedback"}


def test_there_are_folders_for_all_pairs_of_shapes() -> None:
    assert len(set(FOLDERS)) == 28


@pytest.mark.parametrize("folder", FOLDERS[::9])
def test_pictures_of_a_set_are_alike_but_not_the_same(folder: str) -> None:
    pictures = build_pictures(folder, 3)
    assert len({each.path for each in pictures}) == PICTURES
    assert len({each.nickname for each in pictures}) == PICTURES
    assert len({(each.first.color, each.second.color) for each in pictures}) == PICTURES
    assert len({each.first.color for each in pictures}) <= 4


def names_colors(words: str, picture: Picture) -> bool:
    return picture.first.short in words and picture.second.short in words


@pytest.mark.parametrize("times", [0, 1, 2])
def test_descriptions_fit_one_picture_of_the_set(times: int) -> None:
    pictures = build_pictures("circle_star", 3)
    for number, picture in enumerate(pictures):
        words = "".join(wording.describe(picture, times, Random(number)))
        assert [names_colors(words, each) for each in pictures].count(True) == 1
        assert names_colors(words, picture)


def test_descriptions_shorten() -> None:
    pictures = build_pictures("circle_star", 3)
    lengths = [
        sum(len("".join(wording.describe(each, times, Random(1)))) for each in pictures)
        for times in range(4)
    ]
    assert lengths == sorted(lengths, reverse=True)
    assert lengths[3] < lengths[0] / 2


def play(slip: float) -> tuple[list[int], list[str], list[Picture]]:
    players = [Player(agent, casual=True, curious=1.0, slip=slip) for agent in (1, 2)]
    pictures = build_pictures("circle_star", 3)
    sides = [Side([0, 1, 2, 3, 4, 5], [0, 1, 4]), Side([4, 5, 6, 7, 8, 9], [4, 6, 9])]
    played = Table(players, pictures, Random(1)).play_round(1, sides)
    return played.scores, [move.message for move in played.moves], pictures


def test_players_who_never_slip_mark_what_is_shared() -> None:
    scores, messages, pictures = play(0)
    assert scores == [3, 3]
    marks = [mark for each in messages if (mark := parse_selection(each))]
    common = {mark.image for mark in marks if mark.label == "common"}
    assert common == {pictures[4].path}
    assert len(marks) == 6


def test_players_who_always_slip_score_nothing() -> None:
    assert play(1)[0] == [0, 0]


def test_questions_and_answers_are_true_of_the_pictures() -> None:
    first, second = build_pictures("circle_star", 3)[:2]
    for number in range(20):
        question = wording.ask_other(second, Random(number))
        answer = wording.correct(first, Random(number))
        assert second.second.short in question
        assert [color for color in COLORS if color in answer] == [first.second.color]


def test_texts_are_shorter_than_the_field(logs: list[Log]) -> None:
    texts = [
        m.text for log in logs for each in log.rounds for m in each.messages if m.type == "text"
    ]
    assert max(map(len, texts)) <= wording.LONGEST
    assert len(set(texts)) > len(texts) / 4


def test_one_game_is_enough(tmp_path: Path) -> None:
    get_corpus("photobook").simulate(tmp_path, dialogues=1, seed=1)
    assert len(load_logs("logs", tmp_path)) == 1
    assert (tmp_path / "data_splits.json").read_text().startswith('{"train": [0], "dev": []')
