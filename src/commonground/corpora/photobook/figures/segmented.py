"""The games of a store, divided into segments: one pass, used by several figures."""

from __future__ import annotations

import msgspec

from commonground.corpora.photobook.native import Selection
from commonground.corpora.photobook.segments import RoundMessage, Segmentation, segment_items
from commonground.figure import Data

# A line for each message of a round: the speaker, what it is, and what belongs to it.
_QUERY = """
    SELECT e.dialogue_id, d.split, min(e.event),
           string_agg(e.speaker || CASE
               WHEN e.kind = 'utterance' THEN 't' || len(regexp_extract_all(e.text, '\\S+'))
               WHEN g.label IS NULL THEN '-'
               ELSE g.label[1] || g.object_id END, chr(10) ORDER BY e.event)
    FROM events e
    JOIN dialogues d ON d.corpus = e.corpus AND d.dialogue_id = e.dialogue_id
    LEFT JOIN groundings g
        ON g.corpus = e.corpus AND g.dialogue_id = e.dialogue_id AND g.event = e.event
    WHERE e.corpus = $corpus
    GROUP BY e.dialogue_id, e.segment, d.split ORDER BY e.dialogue_id, e.segment
"""


class SegmentedGame(msgspec.Struct):
    """A game and its segments.

    Attributes:
        dialogue_id: id of the game.
        split: released split; None in none.
        words: number of words of each text, by number of the message.
        rounds: the messages of each round.
        segmentation: the segments.
    """

    dialogue_id: str
    split: str | None
    words: dict[int, int] = {}
    rounds: list[list[RoundMessage]] = []
    segmentation: Segmentation = msgspec.field(default_factory=Segmentation)


def segment_games(data: Data) -> list[SegmentedGame]:
    """Divides all games of a store into segments."""
    games: dict[str, SegmentedGame] = {}
    for dialogue_id, split, first, lines in data.rows(_QUERY):
        game = games.setdefault(dialogue_id, SegmentedGame(dialogue_id, split))
        game.rounds.append(_parse_round(lines, first, game.words))
    for game in games.values():
        game.segmentation = segment_items(game.rounds)
    return list(games.values())


# A kind is one letter: ``c`` and ``d`` are the first ones of what an image was marked as. Events of
# a round have no gaps, so that lines can be counted from the first event on.
def _parse_round(lines: str, first: int, words: dict[int, int]) -> list[RoundMessage]:
    items = []
    for number, line in enumerate(lines.split("\n"), start=first):
        speaker, kind = line[0], line[1]
        if kind == "t":
            words[number] = int(line[2:])
            items.append(RoundMessage(number, speaker, True, None))
        elif kind == "-":
            items.append(RoundMessage(number, speaker, False, None))
        else:
            click = Selection("common" if kind == "c" else "different", line[2:])
            items.append(RoundMessage(number, speaker, False, click))
    return items
