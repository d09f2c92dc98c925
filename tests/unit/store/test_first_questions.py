"""What people ask of a corpus first, without a join: who said what, and what they saw."""

from __future__ import annotations

from pathlib import Path
from typing import assert_type

import pytest
from PIL import Image

import commonground as cg
from commonground.errors import SourceError, UnknownNameError
from commonground.schema import DIALOGUE_ACTS, LABELS, MARKS, UTTERANCES, VIEWS, Table
from commonground.store.tables.columns import arrow_type


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> cg.Corpus:
    folder = tmp_path_factory.mktemp("frames")
    files = cg.simulate("frames", folder / "files", dialogues=4)
    return cg.import_files("frames", files, store=folder / "store")


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> cg.Corpus:
    folder = tmp_path_factory.mktemp("photobook")
    files = cg.simulate("photobook", folder / "files", dialogues=2)
    return cg.import_files("photobook", files, images=files / "images", store=folder / "store")


def expected(corpus: cg.Corpus) -> list[tuple[str, str | None, str, str]]:
    return [
        (each.dialogue_id, each.split, each.roles[event.speaker], event.text)
        for each in corpus
        for event in each.utterances()
    ]


def test_utterances_are_a_table_with_split_and_role(corpus: cg.Corpus) -> None:
    for part in (corpus, corpus[1:3]):
        table = part.table("utterances")
        assert tuple(table.column_names) == UTTERANCES.names
        columns = [table[name].to_pylist() for name in ("dialogue_id", "split", "role", "text")]
        assert list(zip(*columns, strict=True)) == expected(part)
    frame = corpus.to_pandas("utterances")
    assert set(frame.role) == {"user", "assistant"}


def test_rows_of_events_carry_split_and_role(corpus: cg.Corpus) -> None:
    rows = [(r.dialogue_id, r.split, r.role, r.text) for r in corpus[:2].iter_utterances()]
    assert rows == expected(corpus[:2])


def test_sql_has_the_same_utterances(corpus: cg.Corpus) -> None:
    query = "SELECT dialogue_id, split, role, text FROM utterances ORDER BY dialogue_id, event"
    assert corpus.rows(query) == sorted(expected(corpus), key=lambda row: row[0])
    whole = corpus.sql("SELECT * FROM utterances ORDER BY dialogue_id, event")
    table = corpus.table("utterances").sort_by(
        [("dialogue_id", "ascending"), ("event", "ascending")]
    )
    assert whole.to_pylist() == table.to_pylist()


def list_marks(game: cg.Dialogue) -> list[tuple[str, int, bool, bool | None]]:
    """Lists the marks of a game: whether each is the last one, and whether it is right."""
    seen = {(each.segment, each.viewer, each.object_id) for each in game.displays}
    made = [
        (number, event.segment, event.speaker, event.arguments["image"], event.arguments["label"])
        for number, event in enumerate(game.events)
        if event.kind == "action" and event.name == "selection"
    ]
    last = {mark[1:4]: mark[0] for mark in made}
    found = []
    for number, segment, speaker, image, label in made:
        other = "B" if speaker == "A" else "A"
        right = ((segment, other, image) in seen) == (label == "common")
        is_own = (segment, speaker, image) in seen
        is_last = last[segment, speaker, image] == number
        found.append((game.dialogue_id, number, is_last, right if is_own else None))
    return found


def test_sql_has_marks_that_say_whether_they_are_right(games: cg.Corpus) -> None:
    query = "SELECT dialogue_id, event, is_last, correct FROM marks ORDER BY dialogue_id, event"
    expected = sorted(mark for game in games for mark in list_marks(game))
    assert games.rows(query) == expected
    assert {right for *_, right in expected} == {True, False}
    named = games.sql("SELECT * FROM marks LIMIT 1").to_pylist()[0]
    assert tuple(named) == MARKS.names


@pytest.mark.parametrize("view", VIEWS, ids=lambda view: view.name)
def test_python_has_the_views_of_sql(corpus: cg.Corpus, games: cg.Corpus, view: Table) -> None:
    whole = games if view is MARKS else corpus
    found = whole.table(view.name)
    assert tuple(found.column_names) == view.names
    assert [str(each.type) for each in found.schema] == [
        str(arrow_type(column)) for column in view.columns
    ]
    rows = [tuple(row.values()) for row in found.to_pylist()]
    asked = whole.rows(f"SELECT {', '.join(view.names)} FROM {view.name}")
    assert sorted(rows, key=repr) == sorted(asked, key=repr)
    assert rows or view is LABELS  # which no release has
    places = [(whole.ids().index(row[1]), row[2]) for row in rows]
    assert places == sorted(places)
    last = view.names[-1]
    assert whole.table(view.name, [last]).to_pydict() == {last: [row[-1] for row in rows]}
    assert whole.to_pandas(view.name)[last].tolist() == [row[-1] for row in rows]
    some = whole.ids()[1:2]
    part = whole.select(ids=some).table(view.name)
    assert part.to_pylist() == [row for row in found.to_pylist() if row["dialogue_id"] in some]


def list_acts(dialogue: cg.Dialogue) -> list[tuple[object, ...]]:
    """Lists the acts of a dialogue, each once, with the number of their slots."""
    slots: dict[tuple[str, int, str, int], tuple[str, set[str]]] = {}
    for each in dialogue.acts:
        key = (dialogue.dialogue_id, each.event, each.layer, each.act_index)
        name, named = slots.setdefault(key, (each.act, set()))
        assert name == each.act
        named.update(() if each.slot is None else [each.slot])
    roles = [dialogue.roles[dialogue.events[key[1]].speaker] for key in slots]
    return [
        (*key, *(act, dialogue.split, role, len(named)))
        for (key, (act, named)), role in zip(slots.items(), roles, strict=True)
    ]


def test_sql_counts_an_act_once_whatever_slots_it_has(corpus: cg.Corpus) -> None:
    query = """SELECT dialogue_id, event, layer, act_index, act, split, role, n_slots
        FROM dialogue_acts ORDER BY ALL"""
    wanted = sorted(act for dialogue in corpus for act in list_acts(dialogue))
    assert corpus.rows(query) == wanted
    assert len(wanted) < corpus.rows("SELECT count(*) FROM acts")[0][0]
    named = corpus.sql("SELECT * FROM dialogue_acts LIMIT 1").to_pylist()[0]
    assert tuple(named) == DIALOGUE_ACTS.names


def test_what_is_marked_otherwise_is_no_mark(corpus: cg.Corpus) -> None:
    assert corpus.rows("SELECT count(*) FROM marks") == [(0,)]


def test_an_empty_part_has_an_empty_table(corpus: cg.Corpus) -> None:
    assert corpus.select(where="false").table("utterances").num_rows == 0


def test_a_dialogue_is_a_text() -> None:
    events: list[cg.Utterance | cg.Action | cg.Withheld] = [
        cg.Utterance("ann", "hello"),
        cg.Action("bob", "nod"),
        cg.Utterance("bob", "hi"),
    ]
    speakers = [cg.Speaker("ann", "user"), cg.Speaker("bob", "assistant")]
    dialogue = cg.Dialogue(dialogue_id="d", speakers=speakers, events=events)
    assert dialogue.text == "ann: hello\nbob: hi"
    assert dialogue.roles == {"ann": "user", "bob": "assistant"}


def test_events_are_told_apart_by_kind() -> None:
    said: list[str] = []
    done: list[str] = []
    events: list[cg.Utterance | cg.Action | cg.Withheld] = [
        cg.Utterance("ann", "hello"),
        cg.Withheld("bob"),
        cg.Action("bob", "nod"),
    ]
    for event in events:
        if event.kind == "utterance":
            assert_type(event, cg.Utterance)
            said.append(event.text)
        elif event.kind == "action":
            assert_type(event, cg.Action)
            done.append(event.name)
    assert (said, done) == (["hello"], ["nod"])


def test_what_was_shown_is_a_path_and_a_picture(games: cg.Corpus) -> None:
    display = games[0].displays[0]
    picture = games.image(display)
    assert picture == games.image(display.object_id) == games[:1].image(display)
    assert picture.path.is_file()
    with picture.open() as opened, Image.open(picture) as by_path:
        assert opened.size == by_path.size
    shown = {"image/jpeg": picture._repr_jpeg_(), "image/png": picture._repr_png_()}
    assert shown[picture.media_type] == picture.path.read_bytes()
    assert list(shown.values()).count(None) == 1


def test_a_picture_of_another_kind_is_shown_as_png(games: cg.Corpus, tmp_path: Path) -> None:
    path = tmp_path / "a.webp"
    Image.new("RGB", (4, 3)).save(path)
    picture = type(games.image(games[0].displays[0]))("a", path, "image/webp")
    assert (picture._repr_png_() or b"").startswith(b"\x89PNG")


def test_a_picture_that_is_not_there_says_why(corpus: cg.Corpus, games: cg.Corpus) -> None:
    object_id = corpus[0].objects[0].object_id
    with pytest.raises(SourceError, match="no picture was released"):
        corpus.image(object_id)
    with pytest.raises(KeyError, match="There is no object 'no such' in photobook"):
        games.image("no such")


def test_an_unknown_id_is_a_key_error_with_three_near_ones(corpus: cg.Corpus) -> None:
    known = corpus.ids()
    with pytest.raises(KeyError) as caught:
        corpus[known[0][:-1] + "_"]
    assert isinstance(caught.value, UnknownNameError)
    assert sum(each in str(caught.value) for each in known) <= 3
    with pytest.raises(KeyError, match="Did you mean utterances"):
        corpus.table("uterances")
