from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonground.bench.metrics.words import (
    CONVENTIONS,
    LATEST,
    _split_sentences,
    choose_tokenizer,
    split_words,
)
from commonground.errors import UsageError


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("it's $1,299.50, isn't it?", "it 's $ 1,299.50 , is n't it ?"),
        ("i like it. do you?", "i like it . do you ?"),
        ("it is rated 3.5. it fits.", "it is rated 3.5. it fits ."),
        ("no. 5. 7 (m.) to.(no)", "no . 5 . 7 ( m. ) to . ( no )"),
        ('it is 30"h. so it fits.', "it is 30 '' h. so it fits ."),
        ('its depth is 11.61." it fits.', "its depth is 11.61 . '' it fits ."),
        ('the tag says "wide." "deep." yes.', "the tag says `` wide . '' `` deep . '' yes ."),
        ("from 150.00-250.00. would it do?", "from 150.00-250.00. would it do ?"),
        ("no more spills.!! ok?", "no more spills. ! ! ok ?"),
        ("chairs (i.e. stools, etc.)?", "chairs ( i.e . stools , etc . ) ?"),
        ("it is 72 ''tall", "it is 72 `` tall"),
        ("i couldn't've 'd it'", "i couldn't 've 'd it '"),
        ("a dog,,on a bed", "a dog , ,on a bed"),
        ("wanna/gonna", "wanna/ gon na"),
        ("ask dr. moss. ok?", "ask dr. moss . ok ?"),
        ("wait... (no)", "wait ... ( no )"),
        ('he said "yes".', "he said `` yes '' ."),
        ("i cannot, you're gonna", "i can not , you 're gon na"),
        ("50% off -- today: 3:30", "50 % off -- today : 3:30"),
        ("the dogs' beds", "the dogs ' beds"),
        ("a well-made 'shelf'", "a well-made ' shelf '"),
        ("", ""),
    ],
)
def test_words_by_treebank_conventions(text: str, words: str) -> None:
    assert split_words(text) == words.split()


@given(st.text(st.characters(exclude_characters="\ue000\ue001\"'`"), max_size=60))
def test_no_character_is_lost(text: str) -> None:
    assert "".join(split_words(text)) == "".join(text.split())


@pytest.mark.parametrize("unit", ["a.", ".", "'", ". ", "a'", '"', "(", "-"])
def test_long_odd_texts_take_no_time(unit: str) -> None:
    assert split_words(unit * 20_000)


@pytest.mark.parametrize(
    ("text", "name", "words"),
    [
        ("well..it is 'l' or 'xl'", "nltk-3.3", "well..it is 'l ' or 'xl '"),
        ("well..it is 'l' or 'xl'", "nltk-3.4.5", "well..it is ' l ' or 'xl '"),
        ("well..it is 'l' or 'xl'", "nltk-3.10.4", "well .. it is ' l ' or ' xl '"),
        ("wait....no *stars*", "nltk-3.3", "wait ... .no *stars*"),
        ("wait....no *stars*", "nltk-3.10.4", "wait .... no * stars *"),
    ],
)
def test_versions_divide_in_their_own_ways(text: str, name: str, words: str) -> None:
    assert split_words(text, CONVENTIONS[name]) == words.split()


CHUNKS = (
    *("a", "dogs", "cannot", "gonna", "can't", "they're", "i'm", "'s", "'", '"', "-", "--", "..."),
    *("3.5", "1,000", ",", ":", ";", "(", ")", "[", "$", "*", "?", "/", *" " * 9),
)


@pytest.fixture(scope="module")
def nltk() -> Any:
    nltk = pytest.importorskip("nltk")
    if nltk.__version__ != CONVENTIONS[LATEST].version:
        pytest.skip(f"NLTK is {nltk.__version__}, and other versions have other conventions")
    return nltk


@given(chunks=st.lists(st.sampled_from(CHUNKS), max_size=12))
def test_words_of_a_sentence_are_those_of_nltk(nltk: Any, chunks: list[str]) -> None:
    text = "".join(chunks).strip()
    # Without its model NLTK divides no text into sentences, but the words of one.
    sentences = list(_split_sentences(text, CONVENTIONS[LATEST].closing))
    wanted = [nltk.word_tokenize(each, preserve_line=True) for each in sentences]
    assert split_words(text) == [word for each in wanted for word in each]


def test_unknown_tokenizers_list_those_there_are() -> None:
    with pytest.raises(UsageError, match=r"no tokenizer 'nltk-3.4'. Did you mean nltk-3.4.5"):
        choose_tokenizer("nltk-3.4")


def test_the_chosen_tokenizer_says_its_name() -> None:
    chosen = choose_tokenizer()
    assert chosen.is_official == chosen.name.startswith("nltk ")
    assert chosen.split("a b.") == ["a", "b", "."]
