"""Queries against what SQL says of the same store."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from commonground.explorer.corpora import OpenCorpora, OpenCorpus
from commonground.explorer.pages.browse import build_browse_page
from commonground.explorer.search.language import QueryError
from commonground.figures.figure_runs import choose_figures
from commonground.store.index.full_text import FullText, WordSequence
from commonground.store.index.postings import Numbers
from commonground.store.opening import open_store

Find = Callable[[str, str], list[str]]


def ask(opened: OpenCorpus, condition: str) -> list[str]:
    """Ids of the dialogues for which an SQL condition holds, in order of the files."""
    query = f"SELECT dialogue_id FROM dialogues d WHERE corpus = '{opened.name}' AND ({condition})"
    found = {row[0] for row in opened.corpus.rows(query)}  # a join does not keep their order
    return [each for each in opened.index.blocks.ids if each in found]


EVENT = "EXISTS (FROM events e WHERE e.corpus = d.corpus AND e.dialogue_id = d.dialogue_id AND {})"
SCORE = (
    "(SELECT sum(value) FROM outcomes o WHERE o.corpus = d.corpus AND name = 'score'"
    " AND o.dialogue_id = d.dialogue_id)"
)
WORD = "regexp_matches(lower(e.text), '\\b{}')"


@pytest.mark.parametrize(
    ("query", "condition"),
    [
        ("", "true"),
        ("split:train", "split = 'train'"),
        ("-split:train", "split IS DISTINCT FROM 'train'"),
        ("split:train,val", "split IN ('train', 'val')"),
        ("score:<28", f"{SCORE} < 28"),
        ("score:20..29", f"{SCORE} BETWEEN 20 AND 29"),
        ("events:>100", "n_events > 100"),
        ("action:selection", EVENT.format("e.name = 'selection'")),
        ("the", EVENT.format(WORD.format("the\\b"))),
        ("-the", "NOT " + EVENT.format(WORD.format("the\\b"))),
        ("th*", EVENT.format(WORD.format("th"))),
        ("speaker:A the", EVENT.format("e.speaker = 'A' AND " + WORD.format("the\\b"))),
        ("-speaker:A the", EVENT.format("e.speaker <> 'A' AND " + WORD.format("the\\b"))),
        ("round:3 the", EVENT.format("e.segment = 3 AND " + WORD.format("the\\b"))),
        (
            "image:{image}",
            "EXISTS (FROM displays x WHERE x.corpus = d.corpus AND x.object_id = '{image}'"
            " AND x.dialogue_id = d.dialogue_id)",
        ),
    ],
)
def test_dialogues_are_those_of_sql(
    found: Find, photobook: OpenCorpus, query: str, condition: str
) -> None:
    image = photobook.index.blocks.object_ids[0]
    expected = ask(photobook, condition.replace("{image}", image))
    assert found("photobook", query.replace("{image}", image)) == expected


def test_an_image_is_found_by_its_number(found: Find, photobook: OpenCorpus) -> None:
    image = photobook.index.blocks.object_ids[0]
    number = "".join(c for c in image if c.isdigit())[-12:].lstrip("0")
    assert found("photobook", f"image:{number}") == found("photobook", f"image:{image}")


def test_a_bar_of_a_figure_finds_what_it_counts(photobook: OpenCorpus) -> None:
    chosen = choose_figures(photobook.corpus.store, "photobook", ["durations"])
    (table,) = chosen.run()
    assert sum(games for _, games in table.rows) == photobook.searcher.n_dialogues
    for (minutes, games), link in zip(table.rows, table.links(), strict=True):
        assert link == f"figure:durations/{minutes}"
        assert len(photobook.select(link).ordinals) == games


def test_games_with_a_wrong_mark_are_one_search(found: Find, photobook: OpenCorpus) -> None:
    marks = "FROM marks m WHERE m.corpus = d.corpus AND m.dialogue_id = d.dialogue_id"
    wrong = ask(photobook, f"EXISTS ({marks} AND m.is_last AND NOT m.correct)")
    assert 0 < len(wrong) < photobook.searcher.n_dialogues
    assert found("photobook", "figure:correct-marks/wrong*") == wrong


def test_a_bar_that_is_not_there_is_an_error(photobook: OpenCorpus) -> None:
    with pytest.raises(QueryError, match="No figure is 'durations/1'"):
        photobook.select("figure:durations/1")


def test_a_phrase_does_not_cross_events(phrases: OpenCorpus) -> None:
    opened = phrases
    # "a" says "green suitcase" in one event, "b" "green" and "suitcase" in two.
    assert opened.select('"green suitcase"').ordinals.tolist() == [0]
    assert opened.select("green suitcase").ordinals.tolist() == [0, 1]
    assert opened.select('"GREEN suit"*').ordinals.tolist() == [0]
    assert opened.select("cafe").ordinals.tolist() == [2]


def test_terms_on_events_hold_of_the_same_event(frames: OpenCorpus) -> None:
    _, events = frames.searcher.search_events("act:offer speaker:wizard")
    query = "SELECT count(*) FROM (SELECT DISTINCT dialogue_id, event FROM acts JOIN events"
    query += " USING (corpus, dialogue_id, event) WHERE corpus = 'frames' AND act = 'offer'"
    query += " AND speaker = 'wizard')"
    assert len(events) == frames.corpus.rows(query)[0][0] > 0


def test_a_query_finds_the_same_each_time(frames: OpenCorpus) -> None:
    query, other = "speaker:wizard act:offer", "speaker:wizard act:inform"
    first = frames.searcher.search(query).dialogues.tolist()
    _, events = frames.searcher.search_events(query)
    frames.searcher.search_events(other)
    assert frames.searcher.search(query).dialogues.tolist() == first
    assert frames.searcher.search_events(query)[1].tolist() == events.tolist()
    assert any(first)


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("split:trian", "Did you mean train"),
        ("image:nosuch", "No object"),
        ("id:nosuch", "There is no dialogue"),
        ("...", "no letter or digit"),
        ("act:offer", "This corpus has no act"),
    ],
)
def test_values_that_do_not_occur_are_errors(found: Find, query: str, says: str) -> None:
    with pytest.raises(QueryError, match=says):
        found("photobook", query)


def test_facets_count_what_their_query_finds(corpora: OpenCorpora) -> None:
    for opened in corpora:
        for query in ("", "the", "-the", "kind:action", "the events:>20"):
            for facet in opened.count_facets(query):
                for value in facet.values[:5]:
                    assert len(opened.select(value.query).ordinals) == value.count, value


def test_a_page_looks_for_a_word_in_the_whole_corpus_once(
    photobook: OpenCorpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = OpenCorpus(photobook.corpus)  # which remembers no answers yet
    opened.warm_up()
    asked = []
    events = FullText.events

    def note(text: FullText, words: WordSequence, window: range | None = None) -> Numbers:
        asked.append((words, window))
        return events(text, words, window)

    monkeypatch.setattr(FullText, "events", note)
    assert build_browse_page(opened, query="the").dialogues
    everywhere = [words for words, window in asked if window is None]
    assert everywhere == [WordSequence(("the",))]


def test_orders_put_dialogues_without_a_number_last(photobook: OpenCorpus) -> None:
    down = photobook.select("", "score-down").ordinals
    values = photobook.index.postings.quantities["score"][down]
    given = values[values == values]
    assert list(given) == sorted(given, reverse=True)
    assert len(set(down.tolist())) == 30


def test_the_beginning_behind_a_phrase_may_be_of_many_words(
    import_toy: Callable[..., object], tmp_path: Path, write_talks: Callable[..., Path]
) -> None:
    import_toy(write_talks({f"{number:03}": [f"the g{number}"] for number in range(120)}))
    opened = OpenCorpus(open_store(tmp_path / "store").corpus("toy"))
    assert len(opened.select('"the g"*').ordinals) == 120
    # g1, g10 to g19 and g100 to g119
    assert len(opened.select('"the g1"*').ordinals) == 31


@pytest.mark.parametrize(
    ("query", "condition"),
    [
        ("mark:wrong", "m.is_last AND NOT m.correct"),
        ("mark:right", "m.is_last AND m.correct"),
        ("mark:revised", "NOT m.is_last AND m.correct IS NOT NULL"),
        ("mark:wrong speaker:A", "m.is_last AND NOT m.correct AND m.speaker = 'A'"),
        ("mark:wrong round:2", "m.is_last AND NOT m.correct AND m.segment = 2"),
    ],
)
def test_marks_are_found_by_what_became_of_them(
    photobook: OpenCorpus, query: str, condition: str
) -> None:
    rows = photobook.corpus.rows(
        "SELECT DISTINCT dialogue_id, event FROM marks m "
        f"WHERE corpus = 'photobook' AND {condition}"
    )
    searcher, ids = photobook.searcher, list(photobook.index.blocks.ids)
    _, events = searcher.search_events(query)
    places = [searcher.event_place(each) for each in events.tolist()]
    assert {(ids[ordinal], event) for ordinal, event in places} == {(d, e) for d, e in rows}
    assert rows or query == "mark:revised"


def test_a_corpus_without_marks_has_none_to_find(frames: OpenCorpus) -> None:
    with pytest.raises(QueryError, match="This corpus has no mark"):
        frames.searcher.search("mark:wrong")


def test_layers_are_found_by_name(frames: OpenCorpus) -> None:
    searcher = frames.searcher
    _, events = searcher.search_events("layer:acts_without_refs")
    query = (
        "SELECT count(*) FROM (SELECT DISTINCT dialogue_id, event FROM acts "
        "WHERE corpus = 'frames' AND layer = 'acts_without_refs')"
    )
    assert len(events) == frames.corpus.rows(query)[0][0] > 0
