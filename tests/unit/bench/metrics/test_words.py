from __future__ import annotations

import nltk
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.thorough import one_in

from commonground.bench.metrics.words import name_tokenizer, tokenize


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
        ("well..it is 'l' or 'xl'", "well .. it is ' l ' or ' xl '"),
        ("wait....no *stars*", "wait .... no * stars *"),
        ("", ""),
    ],
)
def test_words_by_treebank_conventions(text: str, words: str) -> None:
    assert tokenize(text) == tuple(words.split())


@given(st.text(st.characters(exclude_characters="\ue000\ue001\"'`"), max_size=60))
def test_no_character_is_lost(text: str) -> None:
    assert "".join(tokenize(text)) == "".join(text.split())


@pytest.mark.parametrize("unit", one_in(3, ["a.", ".", "'", ". ", "a'", '"', "(", "-"]))
def test_long_odd_texts_take_no_time(unit: str) -> None:
    assert tokenize(unit * 10_000)


def test_reports_name_the_version_of_nltk() -> None:
    assert name_tokenizer() == f"nltk {nltk.__version__} NLTKWordTokenizer"
