from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonground.metrics.words import choose_tokenizer, split_words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("it's $1,299.50, isn't it?", "it 's $ 1,299.50 , is n't it ?"),
        ("i like it. do you?", "i like it . do you ?"),
        ("it is rated 3.5. it fits.", "it is rated 3.5. it fits ."),
        ("no. 5. 7 (m.) to.(no)", "no . 5 . 7 ( m. ) to . ( no )"),
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


@given(st.text(st.characters(exclude_characters="\ue000\"'`"), max_size=60))
def test_no_character_is_lost(text: str) -> None:
    assert "".join(split_words(text)) == "".join(text.split())


@pytest.mark.parametrize("unit", ["a.", ".", "'", ". ", "a'", '"', "(", "-"])
def test_long_odd_texts_take_no_time(unit: str) -> None:
    assert split_words(unit * 20_000)


def test_the_chosen_tokenizer_says_its_name() -> None:
    chosen = choose_tokenizer()
    assert chosen.is_official == chosen.name.startswith("nltk ")
    assert chosen.split("a b.") == ["a", "b", "."]
