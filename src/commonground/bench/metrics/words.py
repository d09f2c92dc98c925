"""Words and punctuation marks of English text, by the conventions of the Penn Treebank.

The official SIMMC script tokenises with NLTK's ``word_tokenize``, which divides a text into
sentences and each sentence into words. The words are NLTK's own; its sentences need a model that is
a download of its own, so they are found here, as Punkt does for text in lower case: there its model
comes down to abbreviations.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from importlib.metadata import version
from itertools import pairwise
from typing import Any


def name_tokenizer() -> str:
    """Returns what :func:`tokenize` is called in reports; NLTK's version is part of it."""
    return f"nltk {version('nltk')} NLTKWordTokenizer"


@lru_cache(maxsize=1 << 16)
def tokenize(text: str) -> tuple[str, ...]:
    """Splits text into words and marks; a quotation mark becomes two backticks or two quotes.

    A full stop is a token of its own at the end of a sentence only.
    """
    tokenizer = _load_tokenizer()
    return tuple([word for each in _split_sentences(text) for word in tokenizer.tokenize(each)])


@cache
def _load_tokenizer() -> Any:
    from nltk.tokenize.destructive import NLTKWordTokenizer

    return NLTKWordTokenizer()


_CLOSING = "\u2018\u2019\u201c\u201d\u00ab\u00bb"  # quotation marks
_BEHIND = rf"""[?!)";}}\]*:@'({{\[{_CLOSING}]"""
# What stands between spaces is looked at from its beginning only: a long word without an end would
# else be searched again from each of its characters.
_RUN_WITH_END = re.compile(r"(?<!\S)(?P<word>[^\s.?!]*[.?!]\S*)(?=\s+(?P<behind>\S+)|)")
_LETTER = re.compile(r"[^\W\d]")
_NUMBER = re.compile(r"-?[.,]?\d[\d,.-]*")
# "ok" is Oklahoma to the official sentence model: "OK. Bye." is one sentence to it.
_ABBREVIATED = """
    mr mrs ms messrs dr prof st jr sr gen lt maj col adm rep reps sen
    inc ltd co cos corp bros ave ft vs yr ct mg ph.d ok
    ala ariz calif colo conn fla ga ill kan ky mich minn nev okla ore pa tenn va vt wash wis
    jan feb aug sep sept oct nov dec tues wed fri a.m p.m
    u.s u.s.a u.k u.n u.s.s.r d.c l.a n.c n.d n.h n.j n.m n.y r.i s.c w.va
    c d e f g h k l m n p r s t v w
"""
_ABBREVIATIONS = frozenset(_ABBREVIATED.split())
_PART_BEHIND = rf"{_BEHIND}|-{{2}}|\.{{2}}"
# What a word falls into before its end is looked for: marks, and what is between.
_PART = re.compile(
    rf"""-{{2,}}|\.{{2,}}|(?=[^\s("`{{\[:;&#*@)}}\]\-,])\S+?"""
    rf"""(?=\s|$|{_PART_BEHIND}|,(?=$|\s|{_PART_BEHIND}))|\S"""
)
_LAST_END = re.compile(rf".*[.?!](?={_BEHIND})")
_CLOSERS = re.compile(rf"""["')\]}}{_CLOSING}]+(?:\s+|(?=--)|\Z)""")


def _split_sentences(text: str) -> Iterator[str]:
    """Divides text where Punkt does if it is in lower case."""
    start = 0
    for end, following in _list_ends(text):
        found = _CLOSERS.match(text, following)
        if found is not None:
            end, following = found.start() + len(found[0].rstrip()), found.end()
        if end > start:
            yield text[start:end]
        start = following
    yield text[start:].rstrip()


def _list_ends(text: str) -> Iterator[tuple[int, int]]:
    """Yields where sentences end, and where what follows begins.

    Of what stands between spaces only the last mark may end a sentence; it does where any part
    up to there would.
    """
    for run in _RUN_WITH_END.finditer(text):
        word, after = run["word"], run["behind"]
        place = _find_last_end(word, is_last=not after)
        if place is None:
            continue
        is_inside = place < len(word)
        parts = _PART.findall(word[: place + 1] if is_inside else f"{word} {after}")
        if any(_ends_sentence(one, other) for one, other in pairwise(parts)):
            end = run.start() + place
            yield end, end if is_inside else run.start("behind")


def _find_last_end(run: str, *, is_last: bool) -> int | None:
    if not is_last and run[-1] in ".?!":
        return len(run)
    match = _LAST_END.match(run)
    return None if match is None else match.end()


def _ends_sentence(part: str, following: str) -> bool:
    """Says whether a part ends a sentence, as Punkt decides where what follows is no capital.

    An abbreviation does not, nor a single letter or number before a word.
    """
    if part in (".", "?", "!"):
        return True
    word = part[:-1].lower()
    if not part.endswith(".") or word.endswith("."):
        return False
    if word in _ABBREVIATIONS or word.rpartition("-")[2] in _ABBREVIATIONS:
        return False
    if not (_LETTER.fullmatch(word) or _NUMBER.fullmatch(word)):
        return True
    return not (following[0].isalpha() or following in tuple(";:,.!?"))
