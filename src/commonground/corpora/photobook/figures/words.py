"""Words of PhotoBook's texts: how they are divided, and how many there are."""

from __future__ import annotations

from commonground.figure import Data, Row

# All patterns here stand inside of texts of SQL: two apostrophes in them are one.
# Stands before a full stop that is to stand alone; not used by any text.
_APART = "␄"
# A stop that ends a word, with the marks that close after it or stand right after it.
_STOP = r"""([^.\s])\.([])}>"''»”’]*(?:\s|$)|[:;*@({\[!?])"""
# Stops that end no sentence: those of titles, and before more of it those of numbers and letters.
_KEPT = (
    rf"""(^|[\s"*(])(?:((?i:dr|mr|mrs|u\.s)) {_APART}\.(\s+\S)"""
    rf"""|((?i:ok|o\.k)) {_APART}\.(\s+[(0-9A-Za-z])|(\pL|\d+) {_APART}\.(\s+[a-z]))"""
)
# Words that begin a sentence, for NLTK's model, even after what may be an abbreviation.
_BEGUN = (
    r"""((?:^|[\s"*(])(?i:ok|o\.k))\.(\s+(?:I|Done|Submit(?:ting|ted)?|Thanks?|This|The|Guy"""
    r"""|Anything|So|Yes|Mine|It|Which|Guess|Sorry|Kids)\b)"""
)
# A quotation mark opens at the beginning and after a blank or bracket; all others close.
_OPENS = r"""(^|[\s(\[{<])(?:"|''{2})"""
_CLOSES = r"""(?:"|''{2})"""
_MARKS = r"""([«“‘„»”’;@#$%&?!"\[\](){}<>]|`+|\.\.\.|--|''{2})"""
_CLITICS = r"(?i)([^''\s])(n''t|''ll|''re|''ve|''s|''m|''d|'')(\s|$)"
# cannot, gimme, lemme, gonna, wanna and gotta, which NLTK takes for two words.
_JOINED = r"(?i)\b(can|gim|lem|gon|wan|got)(not|me|na|ta)\b"


def penn_tokens(text: str) -> str:
    """Returns SQL that divides a text by the conventions of the Penn Treebank.

    Marks stand alone, and so does the full stop of a sentence; ``don't`` becomes ``do n't``, and
    ``gonna`` becomes ``gon na``. Stars stay in their words (``gla*s``). It is what
    ``word_tokenize`` of NLTK 3.3 makes of the texts, whose counts are the authors': 2 of 164,296
    are divided otherwise in lower case, and 27 as they are. It needs no model of sentences.

    Args:
        text: SQL that gives the text.
    """
    # Order matters: quotation marks first, while what stands before them shows that they
    # open; clitics after marks, since they end at a blank.
    steps = (
        (_OPENS, r"\1 `` "),
        (_CLOSES, r" '''' "),
        (_STOP, rf"\1 {_APART}. \2"),
        (_KEPT, r"\1\2\4\6.\3\5\7"),
        (_BEGUN, rf"\1 {_APART}.\2"),
        (_MARKS, r" \1 "),
        # 10:30 and 1,000 stay whole.
        (r"([:,])(\D|$)", r" \1 \2"),
        (_CLITICS, r"\1 \2 "),
        (_JOINED, r"\1 \2"),
    )
    for pattern, by in steps:
        text = f"regexp_replace({text}, '{pattern}', '{by}', 'g')"
    # The mark goes with the blanks: it has done its work, which was to keep a stop apart.
    return f"regexp_extract_all({text}, '[^\\s{_APART}]+')"


def space_tokens(text: str) -> str:
    """Returns SQL that divides a text at white space."""
    return f"regexp_extract_all({text}, '\\S+')"


PENN, PENN_LOWER = "Penn Treebank", "Penn Treebank, lower case"
SPACE, SPACE_LOWER = "white space", "white space, lower case"


def _count(name: str, source: str, token: str) -> str:
    return f"""
        SELECT '{name}' AS tokeniser, sum(n) AS tokens, count(*) AS types,
               count(*) FILTER (n >= 3) AS frequent
        FROM (SELECT {token} AS token, sum(n) AS n FROM {source} GROUP BY ALL)
    """


# Each text that is in lower case already, as four in five are, is divided once for both ways.
_QUERY = f"""
    WITH texts AS (
        SELECT text, lower(text) AS low, count(*) AS n FROM events
        WHERE corpus = $corpus AND kind = 'utterance' GROUP BY text
    ), divided AS MATERIALIZED (
        SELECT unnest({penn_tokens("low")}) AS token, n, same
        FROM (SELECT low, sum(n) AS n, coalesce(sum(n) FILTER (text = low), 0) AS same
              FROM texts GROUP BY low)
    ),
    lowered AS (SELECT token, n FROM divided WHERE token <> ''),
    penn AS (
        SELECT token, same AS n FROM divided WHERE token <> '' AND same > 0
        UNION ALL
        SELECT token, n
        FROM (SELECT unnest({penn_tokens("text")}) AS token, n FROM texts WHERE text <> low)
        WHERE token <> ''
    ),
    spaced AS MATERIALIZED (
        SELECT token, sum(n) AS n
        FROM (SELECT unnest({space_tokens("text")}) AS token, n FROM texts)
        WHERE token <> '' GROUP BY token
    )
    {_count(PENN, "penn", "token")} UNION ALL {_count(PENN_LOWER, "lowered", "token")}
    UNION ALL {_count(SPACE, "spaced", "token")}
    UNION ALL {_count(SPACE_LOWER, "spaced", "lower(token)")}
"""


def count_vocabulary(data: Data) -> list[Row]:
    """Counts tokens and different tokens, by each way to divide texts."""
    return data.rows(_QUERY)
