"""Words and punctuation marks of English text, by the conventions of the Penn Treebank.

The official SIMMC script tokenises with NLTK's ``word_tokenize``. Where NLTK and its sentence
model are installed that very function is used; elsewhere :func:`split_words`, which follows the
same conventions but finds sentence ends by a rule. Both have a name, for reports.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from importlib import import_module

import msgspec


class Tokenizer(msgspec.Struct, frozen=True):
    """A function from text to tokens, and what it is called in reports.

    Attributes:
        name: which tokenizer in which version.
        split: turns a text into tokens.
        is_official: whether it is the one of the official script.
    """

    name: str
    split: Callable[[str], list[str]]
    is_official: bool


_STOP = "\ue000"  # stands for a sentence's last full stop while its words are found
_TOKEN = re.compile(
    r"""
    \.{2,}                                      # dots in a row
    | --+
    | [;@#$%&?!*\[\](){}<>\u2012-\u2015]
    | [\u2018-\u201e\u00ab\u00bb]
    | `+ | '' | "
    | [:,](?!\d)
    | \ue000                                    # a sentence's last full stop
    | (?<!\w)'(?!(?:re|ve|ll|m|t|s|d|n)\b)(?=\w)
    | (?: [^\s.,:;@#$%&?!*\[\](){}<>`"\ue000'\u2012-\u2015\u2018-\u201e\u00ab\u00bb-]
        | \.(?!\.) | [,:](?=\d) | -(?!-) | '(?!') )+
    """,
    re.VERBOSE | re.IGNORECASE,
)
_CLITIC = re.compile(r"(.*[^'])('s|'m|'d|'ll|'re|'ve|n't|')", re.IGNORECASE | re.DOTALL)
_LONG_CLITIC = re.compile(r"(.*[^'])('ll|'re|'ve|n't)", re.IGNORECASE | re.DOTALL)
_LAST_STOP = re.compile(r"(?<=[^.\s])\.(?=[\])}>\"'\u00bb\u201d\u2019\s]*\Z)")
_SENTENCE_END = re.compile(r"\.(?:[\])}>\"'\u00bb\u201d\u2019]*\s+|(?=[?!({\[:;*@]))")
_TITLES = ("mr", "mrs", "ms", "dr", "prof", "st", "jr", "sr", "inc", "ltd", "co", "corp")
_SHORT = ("vs", "ft", "ave", "e.g", "i.e", "u.s", "u.k", "a.m", "p.m", "tues", "wed", "fri", "ok")
_MONTHS = ("jan", "feb", "aug", "sept", "oct", "nov", "dec")
_ABBREVIATIONS = frozenset(_TITLES + _SHORT + _MONTHS)
# "ok" is Oklahoma to the official sentence model: "OK. Bye." is one sentence to it.
_NUMBER = re.compile(r"-?\d[\d.,]*")
_FUSED = {
    "cannot": ("can", "not"),
    "gimme": ("gim", "me"),
    "gonna": ("gon", "na"),
    "gotta": ("got", "ta"),
    "lemme": ("lem", "me"),
    "wanna": ("wan", "na"),
}


def split_words(text: str) -> list[str]:
    """Splits text into words and marks; a quotation mark becomes two backticks or two quotes.

    A full stop is a token of its own at the end of a sentence only. One ends where a word is
    followed by a full stop and a space or mark, unless it is a common abbreviation, a single
    letter, or a number before another word.
    """
    tokens: list[str] = []
    for sentence in _split_sentences(text):
        marked = _LAST_STOP.sub(_STOP, sentence)
        for match in _TOKEN.finditer(marked):
            tokens.extend(_divide(match[0], marked, match.start()))
    return tokens


def _split_sentences(text: str) -> list[str]:
    sentences, start = [], 0
    for match in _SENTENCE_END.finditer(text):
        words = text[start : match.start()].rsplit(None, 1)
        word = words[-1].lower().lstrip("(\"'") if words else ""
        is_letter = len(word) == 1 and word.isalpha()
        before_word = text[match.end() : match.end() + 1].isalpha()
        is_number = before_word and _NUMBER.fullmatch(word)
        if word not in _ABBREVIATIONS and not is_letter and not is_number:
            sentences.append(text[start : match.end()])
            start = match.end()
    return [*sentences, text[start:]]


def _divide(token: str, text: str, start: int) -> tuple[str, ...]:
    if token == _STOP:
        return (".",)
    if token.startswith('"'):
        opens = start == 0 or text[start - 1] in " ([{<"
        return ("``" if opens else "''",)
    if token in _FUSED or token.lower() in _FUSED:
        cut = len(_FUSED[token.lower()][0])
        return token[:cut], token[cut:]
    if "'" in token and len(token) > 1:
        return _split_clitic(token)
    return (token,)


def _split_clitic(token: str) -> tuple[str, ...]:
    match = _CLITIC.fullmatch(token)
    if match is None:
        return (token,)
    # A quotation mark or an 's may follow another clitic.
    inner = _LONG_CLITIC.fullmatch(match[1])
    return (*inner.groups(), match[2]) if inner else match.groups()


_OWN = Tokenizer("commonground split_words 1", lru_cache(maxsize=1 << 16)(split_words), False)


def choose_tokenizer() -> Tokenizer:
    """Returns NLTK's ``word_tokenize`` where it and its English sentence model are installed.

    Nothing is downloaded. Otherwise :func:`split_words` is returned.
    """
    try:
        nltk = import_module("nltk")
        nltk.word_tokenize("one. two.")
    except (ImportError, LookupError):
        return _OWN
    return Tokenizer(f"nltk {nltk.__version__} word_tokenize", nltk.word_tokenize, True)
