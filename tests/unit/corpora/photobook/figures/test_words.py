from __future__ import annotations

from commonground.corpora.photobook.figures.round_words import FUNCTION_WORDS, count_round_words
from commonground.corpora.photobook.figures.words import penn_tokens, space_tokens
from commonground.figures.figure_files import get_figure
from commonground.figures.tables import StoreData

DIVIDED = (
    ("Do you have it?", "Do you have it ?"),
    ("I don't, he's red.", "I do n't , he 's red ."),
    ("wait... no", "wait ... no"),
    ("two (2), 3,000 at 5:30 : ok", "two ( 2 ) , 3,000 at 5:30 : ok"),
    ("H**lo, gla*ses. Red?", "H**lo , gla*ses . Red ?"),
    ("the U.S. flag. And that.", "the U.S. flag . And that ."),
    ("ok. mine. Ok. My dog", "ok. mine . Ok. My dog"),
    ("Ok. I do. OK. Done ok. i do", "Ok . I do . OK . Done ok. i do"),
    ("1. red 2. 3 men. a. yes.", "1. red 2 . 3 men . a. yes ."),
    ("done.:) really.(yes) no..", "done . : ) really . ( yes ) no.."),
    ('says "go." ok', "says `` go . '' ok"),
    ('"stop" ("no")', "`` stop '' ( `` no '' )"),
    ("gonna, cannot gimme wanna", "gon na , can not gim me wan na"),
    ("the boys' cap that''s on", "the boys ' cap that '' s on"),
    ("  a   b ", "a b"),
    ("t-shirt / hat & tie", "t-shirt / hat & tie"),
)
"""Texts, and their tokens with blanks between."""


def test_texts_are_divided_as_in_the_penn_treebank(data: StoreData) -> None:
    texts = [text for text, _ in DIVIDED]
    query = f"SELECT {penn_tokens('text')} FROM (SELECT unnest($texts) AS text)"
    for (text, wanted), (found,) in zip(DIVIDED, data.rows(query, {"texts": texts}), strict=True):
        assert [token for token in found if token] == wanted.split(" "), text


def test_white_space_divides_too(data: StoreData) -> None:
    [[found]] = data.rows(f"SELECT {space_tokens('$text')}", {"text": " I don't,  he's "})
    assert found == ["I", "don't,", "he's"]


def test_words_of_rounds_are_those_of_their_texts(data: StoreData) -> None:
    """Counts each game's words by hand, from the tokens of its texts."""
    said = data.rows(
        f"SELECT dialogue_id, segment, {penn_tokens('lower(text)')} FROM events "
        "WHERE corpus = $corpus AND kind = 'utterance' ORDER BY segment"
    )
    rounds: dict[tuple[str, int], list[str]] = {}
    for game, number, tokens in said:
        rounds.setdefault((game, number), []).extend(token for token in tokens if token)
    seen: dict[str, set[str]] = {}
    found = count_round_words(data)
    assert found.keys() == rounds.keys()
    for (game, number), tokens in rounds.items():
        content = [t for t in tokens if t not in FUNCTION_WORDS and t not in set(".,?!:;()&/-*")]
        known = seen.setdefault(game, set())
        words = found[game, number].all
        assert (words.tokens, words.content) == (len(tokens), len(content))
        assert (words.unique, words.unique_content) == (len(set(tokens)), len(set(content)))
        assert words.new_content == len(set(content) - known)
        assert words.new == len(set(tokens) - known)
        known.update(tokens)


def test_texts_after_the_last_mark_are_not_kept(data: StoreData) -> None:
    found = count_round_words(data).values()
    assert all(words.kept.tokens <= words.all.tokens for words in found)
    assert any(words.kept.tokens < words.all.tokens for words in found)


def test_lower_case_makes_fewer_words(data: StoreData) -> None:
    rows = {row[0]: row[1:] for row in data.run(get_figure("photobook", "vocabulary")).rows}
    for name in ("Penn Treebank", "white space"):
        plain, lower = rows[name], rows[f"{name}, lower case"]
        assert plain[0] == lower[0]
        assert plain[1] >= lower[1] > 0
