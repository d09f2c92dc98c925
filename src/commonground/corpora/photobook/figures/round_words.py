"""Words of each round: one pass over all tokens, used by several figures."""

from __future__ import annotations

from collections.abc import Sequence
from string import punctuation

import msgspec

from commonground.corpora.photobook.figures.words import penn_tokens
from commonground.figure import Data, Row
from commonground.statistics.means import bound_mean

# Words that stand for no thing, property or event: the closed classes of English, and the
# halves of contractions. All other words and numbers are content words.
_CLOSED_CLASSES = """
a an the this that these those some any no every each either neither both all such
i me my mine myself you your yours yourself he him his himself she her hers herself it its
itself we us our ours ourselves they them their theirs themselves who whom whose which what
one ones someone somebody something anyone anybody anything everyone everything nothing none
of in on at by for from to with without into onto out off over under up down through between
among against about around above below behind beside near before after during since until
as than like per via
and or but nor so yet if then else because while when where why how whether though although
am is are was were be been being do does did doing done have has had having
can could will would shall should may might must ought
not only just also too very more most less least much many again here there now
's 'm 'd 'll 're 've n't 't ca wo sha ai dont doesnt didnt cant wont isnt arent im ive
"""
FUNCTION_WORDS = frozenset(_CLOSED_CLASSES.split())

_TOKENS = penn_tokens("lower(text)")

# "kept" are the texts before the last mark of their writer in the round.
_QUERY = f"""
    WITH marks AS (
        SELECT dialogue_id, segment, speaker, max(event) AS last_mark FROM events
        WHERE corpus = $corpus AND name = 'selection' GROUP BY ALL
    ), tokens AS (
        SELECT dialogue_id, segment, coalesce(event < last_mark, false) AS kept,
               unnest({_TOKENS}) AS token
        FROM events LEFT JOIN marks USING (dialogue_id, segment, speaker)
        WHERE corpus = $corpus AND kind = 'utterance'
    ), counted AS (
        SELECT dialogue_id, token, segment, count(*) AS n, count(*) FILTER (kept) AS k
        FROM tokens WHERE token <> '' GROUP BY ALL
    ), first_seen AS (
        SELECT dialogue_id, token, min(segment) AS any_first,
               min(segment) FILTER (k > 0) AS kept_first
        FROM counted GROUP BY ALL
    ), described AS (
        SELECT *, token NOT IN (SELECT unnest($other_tokens)) AS content
        FROM counted JOIN first_seen USING (dialogue_id, token)
    )
    SELECT dialogue_id, segment, sum(n), coalesce(sum(n) FILTER (content), 0),
           count(*) FILTER (content AND segment = any_first),
           count(*), count(*) FILTER (content), count(*) FILTER (segment = any_first),
           sum(k), coalesce(sum(k) FILTER (content), 0),
           count(*) FILTER (content AND segment = kept_first),
           count(*) FILTER (k > 0), count(*) FILTER (content AND k > 0),
           count(*) FILTER (segment = kept_first)
    FROM described GROUP BY ALL
"""


class MessageWords(msgspec.Struct, frozen=True, gc=False):
    """The words of some texts of a round.

    Attributes:
        tokens: number of tokens.
        content: number of tokens that are content words.
        new_content: number of different content words that no earlier round of the game had.
        unique: number of different tokens.
        unique_content: number of different content words.
        new: number of different tokens that no earlier round of the game had.
    """

    tokens: int = 0
    content: int = 0
    new_content: int = 0
    unique: int = 0
    unique_content: int = 0
    new: int = 0

    @property
    def content_share(self) -> float:
        """Content words of all tokens, in percent; 0 where there are no tokens, as upstream."""
        return 100 * self.content / self.tokens if self.tokens else 0.0


class RoundWords(msgspec.Struct, frozen=True, gc=False):
    """The words of a round.

    Attributes:
        all: of all texts.
        kept: of the texts before the last mark of their writer.
    """

    all: MessageWords
    kept: MessageWords


NO_WORDS = RoundWords(MessageWords(), MessageWords())


def count_round_words(data: Data) -> dict[tuple[str, int], RoundWords]:
    """Counts the words of each round, by id of the game and number of the round."""
    rows = data.rows(_QUERY, {"other_tokens": sorted(FUNCTION_WORDS.union(punctuation))})
    return {
        (row[0], row[1]): RoundWords(MessageWords(*row[2:8]), MessageWords(*row[8:14]))
        for row in rows
    }


def mean(values: Sequence[float]) -> float | None:
    """Returns the mean; None for no values."""
    return sum(values) / len(values) if values else None


def compute_words(data: Data) -> list[Row]:
    """Averages what is said in each round over the games."""
    words = data.share(count_round_words)
    texts = data.rows(
        "SELECT dialogue_id, segment, count(text) FROM events WHERE corpus = $corpus GROUP BY ALL"
    )
    by_round: dict[int, list[tuple[int, RoundWords]]] = {}
    for game, number, count in texts:
        by_round.setdefault(number, []).append((count, words.get((game, number), NO_WORDS)))
    return [[number, len(found), *_mean_words(found)] for number, found in sorted(by_round.items())]


def _mean_words(rounds: list[tuple[int, RoundWords]]) -> list[float | None]:
    said = [(texts, words.all) for texts, words in rounds if texts]
    return [
        *bound_mean([words.all.tokens for _, words in rounds]),
        mean([words.tokens / texts for texts, words in said]),
        *bound_mean([words.content_share for _, words in said]),
        *bound_mean([words.all.new_content for _, words in rounds]),
        mean([100 * words.new_content / words.content for _, words in said if words.content]),
    ]
