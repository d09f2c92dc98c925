"""Words and punctuation marks of English text, by the conventions of the Penn Treebank.

The official SIMMC script tokenises with NLTK's ``word_tokenize``, whose conventions changed from
version to version. Where NLTK and its sentence model are installed that very function is used;
elsewhere :func:`split_words`, which follows the conventions of a version that is named, and finds
sentence ends as Punkt does, for text in lower case: there its model comes down to abbreviations.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache, lru_cache, partial
from importlib import import_module
from itertools import pairwise

import msgspec

from commonground.errors import find_named


class Tokenizer(msgspec.Struct, frozen=True):
    """A function from text to tokens, and what it is called in reports.

    Attributes:
        name: which tokenizer in which version.
        split: turns a text into tokens.
        is_official: whether it is NLTK's own.
    """

    name: str
    split: Callable[[str], list[str]]
    is_official: bool


class Conventions(msgspec.Struct, frozen=True):
    """What a version of NLTK divides in its own way.

    Attributes:
        version: the version.
        dots: which full stops in a row are a mark, as a regular expression.
        marks: characters that stand alone, beside those that do in every version.
        opening: a single quote that is set apart before a word, as a regular expression.
        quotes: where two single quotes are a mark of their own, as a regular expression.
        closing: what may stand right behind a sentence, beside what may in every version.
    """

    version: str
    dots: str
    marks: str
    opening: str
    quotes: str
    closing: str


_CURLY = "\u2018\u2019\u201c\u201d\u00ab\u00bb"
CONVENTIONS = {
    "nltk-3.3": Conventions("3.3", r"\.{3}", "", r"(?!)", r"(?<=\S)''", ""),
    "nltk-3.4.5": Conventions(
        "3.4.5", r"\.{3}", "", r"'(?!re|ve|ll|m|t|s|d)(?=\w\b)", r"(?<=\S)''", ""
    ),
    "nltk-3.10.4": Conventions(
        "3.10.4",
        r"\.{2,}",
        "*\u2012-\u2015",
        r"(?<!\w)'(?!(?:re|ve|ll|m|t|s|d|n)\b)(?=\w)",
        "''",
        _CURLY,
    ),
}
"""Conventions by the name of the tokenizer, the latest last."""
LATEST = "nltk-3.10.4"

_STOP = "\ue000"  # stands for a sentence's last full stop while its words are found
_OPEN = "\ue001"  # stands for a quotation mark that opens
_MARKS = r";@#$%&?!\[\](){}<>\u201e" + _CURLY
# A quotation mark opens behind these; the last five are set apart before it is looked at.
_BEFORE = " (\\[{<\u00ab\u201c\u2018\u201e`"
_OPENS = re.compile(rf"""\A"|(?<=[{_BEFORE}]|(?<=\A)")(?:"|'')""")
# NLTK sets a comma apart together with what follows, so of a run of them every second one was taken
# for that: such a one goes with the word behind it, or with a comma that goes with a number.
_SECOND = "|".join(rf"(?<=(?<![:,])[:,]{{{before}}})" for before in range(1, 16, 2))
_GLUED = rf"(?=[:,])(?:{_SECOND})[:,](?:(?=[:,]\d)|(?![:,\s\d]|\Z))"
_LAST_STOP = re.compile(r"""(?<=[^.\s])\.(?=[\])}>"'\u00bb\u201d\u2019\s]*\Z)""")
_WRITTEN = {_STOP: ".", _OPEN: "``", '"': "''"}
# What stands behind a word and is a word of its own: it's is it 's, don't is do n't.
_CLITIC = re.compile(r"(.*[^'])('s|'m|'d|')", re.IGNORECASE | re.DOTALL)
_LONG_CLITIC = re.compile(r"(.*[^'])('ll|'re|'ve|n't)", re.IGNORECASE | re.DOTALL)
# Two words in one, as Penn's Treebank divides them: cannot is can not, gonna is gon na.
_FUSED = re.compile(
    r"\b(can)(not)\b|\b(d)('ye)\b|\b(gim)(me)\b|\b(gon)(na)\b|\b(got)(ta)\b|\b(lem)(me)\b"
    r"|\b(wan)(na)\Z|\A('t)(is|was)\b",
    re.IGNORECASE,
)
# Each of the patterns above has one of these: most words have none, and are left alone at once.
_MAY_DIVIDE = re.compile(rf"""['"{_STOP}{_OPEN}]|not|me|na|ta""", re.IGNORECASE)


def split_words(text: str, conventions: Conventions = CONVENTIONS[LATEST]) -> list[str]:
    """Splits text into words and marks; a quotation mark becomes two backticks or two quotes.

    A full stop is a token of its own at the end of a sentence only.
    """
    tokens: list[str] = []
    token = _compile_token(conventions)
    for sentence in _split_sentences(text, conventions.closing):
        marked = _LAST_STOP.sub(_STOP, _OPENS.sub(_OPEN, sentence))
        for found in token.findall(marked):
            tokens += _divide(found) if _MAY_DIVIDE.search(found) else (found,)
    return tokens


@cache
def _compile_token(conventions: Conventions) -> re.Pattern[str]:
    """Compiles what is one token before clitics are set apart."""
    marks = _MARKS + conventions.marks
    # A single quote that closes before a space is set apart before clitics are, and NLTK has put
    # spaces around these marks by then: `i'm'...` has the clitic that `i'm'` alone keeps.
    single = rf"(?<=[^'])'(?=[\ ;@\#$%&?!{_STOP}]|{conventions.dots}|[:,](?!\d))"
    return re.compile(
        rf"""
        {conventions.dots} | -- | [{marks}{_STOP}{_OPEN}"] | ``? | {conventions.quotes} | {single}
        | (?!{_GLUED})[:,](?!\d)
        | {conventions.opening}
        | (?: [^\s:,.`"'{marks}{_STOP}{_OPEN}-]+
            | (?!{conventions.dots} | -- | {conventions.quotes} | {conventions.opening} | {single})
              [.'-]
            | {_GLUED} | [:,](?=\d) )+
        """,
        re.VERBOSE | re.IGNORECASE,
    )


def _divide(token: str) -> list[str]:
    if token in _WRITTEN:
        return [_WRITTEN[token]]
    words = _split_clitics(token) if "'" in token and len(token) > 1 else [token]
    return [part for word in words for part in _split_fused(word)]


def _split_clitics(token: str) -> list[str]:
    """Sets apart a short clitic at the end, then a long one before it: ``couldn't've'``."""
    found: list[str] = []
    for pattern in (_CLITIC, _LONG_CLITIC):
        match = pattern.fullmatch(token)
        if match is not None:
            token = match[1]
            found.insert(0, match[2])
    return [token, *found]


def _split_fused(word: str) -> list[str]:
    return [part for part in _FUSED.split(word) if part]


_BEHIND = r"""?!)";}\]*:@'({\["""
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


@cache
def _compile_parts(closing: str) -> re.Pattern[str]:
    """Compiles what a word falls into before its end is looked for: marks, and what is between."""
    behind = rf"[{_BEHIND}{closing}]|-{{2}}|\.{{2}}"
    ends = rf"(?=\s|$|{behind}|,(?=$|\s|{behind}))"
    return re.compile(rf"""-{{2,}}|\.{{2,}}|(?=[^\s("`{{\[:;&#*@)}}\]\-,])\S+?{ends}|\S""")


@cache
def _compile_last_end(closing: str) -> re.Pattern[str]:
    return re.compile(rf".*[.?!](?=[{_BEHIND}{closing}])")


@cache
def _compile_closers(closing: str) -> re.Pattern[str]:
    return re.compile(rf"""["')\]}}{closing}]+(?:\s+|(?=--)|\Z)""")


def _split_sentences(text: str, closing: str) -> Iterator[str]:
    """Divides text where Punkt does if it is in lower case."""
    closers, start = _compile_closers(closing), 0
    for end, following in _list_ends(text, closing):
        found = closers.match(text, following)
        if found is not None:
            end, following = found.start() + len(found[0].rstrip()), found.end()
        if end > start:
            yield text[start:end]
        start = following
    yield text[start:].rstrip()


def _list_ends(text: str, closing: str) -> Iterator[tuple[int, int]]:
    """Yields where sentences end, and where what follows begins.

    Of what stands between spaces only the last mark may end a sentence; it does where any part
    up to there would.
    """
    for run in _RUN_WITH_END.finditer(text):
        word, behind = run["word"], run["behind"]
        place = _find_last_end(word, closing, is_last=not behind)
        if place is None:
            continue
        is_inside = place < len(word)
        parts = _compile_parts(closing).findall(
            word[: place + 1] if is_inside else f"{word} {behind}"
        )
        if any(_ends_sentence(one, other) for one, other in pairwise(parts)):
            end = run.start() + place
            yield end, end if is_inside else run.start("behind")


def _find_last_end(run: str, closing: str, *, is_last: bool) -> int | None:
    if not is_last and run[-1] in ".?!":
        return len(run)
    match = _compile_last_end(closing).match(run)
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


def choose_tokenizer(name: str | None = None) -> Tokenizer:
    """Returns the tokenizer of a name; without one, the best that there is.

    That is NLTK's ``word_tokenize`` where it and its English sentence model are installed, else
    our rules by the latest conventions. Of a version that is named NLTK's own is taken where that
    very version is installed. Nothing is downloaded.

    Args:
        name: one of :data:`CONVENTIONS`; None for the best.

    Raises:
        UsageError: there is none of the name.
    """
    installed = _find_installed()
    if name is None:
        return installed or _make_own(LATEST)
    conventions = find_named("tokenizer", name, CONVENTIONS)
    if installed is not None and installed.name == _name_official(conventions.version):
        return installed
    return _make_own(name)


def _name_official(version: str) -> str:
    return f"nltk {version} word_tokenize"


@cache
def _find_installed() -> Tokenizer | None:
    try:
        nltk = import_module("nltk")
        # The package alone is not enough: its models of sentences are a download of their own.
        nltk.word_tokenize("one. two.")
    except (ImportError, LookupError):
        return None
    return Tokenizer(_name_official(nltk.__version__), nltk.word_tokenize, True)


@cache
def _make_own(name: str) -> Tokenizer:
    conventions = CONVENTIONS[name]
    split = lru_cache(maxsize=1 << 16)(partial(split_words, conventions=conventions))
    return Tokenizer(f"commonground by the rules of nltk {conventions.version}", split, False)
