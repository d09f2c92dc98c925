from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from PIL import Image

from commonground.corpora import get_corpus
from commonground.corpora.photobook.log import Log, load_logs
from commonground.play.scenarios.photobook.material import invent_material
from commonground.play.scenarios.photobook.players.script import LONGEST
from commonground.play.scenarios.photobook.simulate import iterate_games
from commonground.play.simulating import simulate_corpus
from commonground.store.importing import import_corpus
from commonground.store.importing.summary import ImportSummary
from commonground.store.opening import open_store

GAMES = 40
FILLED = ("dialogues", "speakers", "events", "objects", "displays", "groundings", "outcomes")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("photobook")
    simulate_corpus(get_corpus("photobook"), out, dialogues=GAMES, seed=5)
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
    simulate_corpus(get_corpus("photobook"), tmp_path, dialogues=GAMES, seed=5)
    assert files(tmp_path) == files(corpus)


def test_a_longer_corpus_starts_like_a_shorter_one() -> None:
    materials = invent_material(3, 1)
    long, short = iterate_games(materials, 3, 1), iterate_games(materials, 2, 1)
    assert list(long)[:2] == list(short)


WHAT_PEOPLE_DO = {
    "CG-PHOTOBOOK-055",  # marked again, alike
    "CG-PHOTOBOOK-056",  # marked again, otherwise
    "CG-PHOTOBOOK-067",  # a text after submitting
    "CG-PHOTOBOOK-068",  # a text after asking for the next page
}


def test_rules_find_nothing_but_what_people_do_by_the_rules(imported: ImportSummary) -> None:
    assert set(imported.manifest.findings) <= WHAT_PEOPLE_DO
    notes = {rule.code for rule in get_corpus("photobook").rules() if rule.severity == "note"}
    assert notes >= WHAT_PEOPLE_DO
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
    games = [Log(game) for game in iterate_games(invent_material(8, 2), 150, 2)]
    scores = Counter(log.total_score for log in games)
    assert scores[30] > 20
    assert min(scores) < 30
    assert any(None in log.feedback.values() for log in games)


def test_all_five_actions_occur(logs: list[Log]) -> None:
    kinds = {message.type for log in logs for each in log.rounds for message in each.messages}
    assert kinds == {"text", "selection", "feedback", "next_round", "usr_feedback"}


def test_texts_are_shorter_than_the_field(logs: list[Log]) -> None:
    texts = [
        m.text for log in logs for each in log.rounds for m in each.messages if m.type == "text"
    ]
    assert max(map(len, texts)) <= LONGEST
    assert len(set(texts)) > len(texts) / 4


def test_one_game_is_enough(tmp_path: Path) -> None:
    simulate_corpus(get_corpus("photobook"), tmp_path, dialogues=1, seed=1)
    assert len(load_logs("logs", tmp_path)) == 1
    assert (tmp_path / "data_splits.json").read_text().startswith('{"train": [0], "dev": []')
