"""Rules on what players write.

Most games are free of each oddity, so a rule first looks at all texts at once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from commonground.corpora.photobook.facts import facts_of
from commonground.corpora.photobook.messages import is_line
from commonground.corpora.photobook.native import Game
from commonground.findings import Examined, Place, rule

MAX_LENGTH = 99
_CONTROLS = bytes(n for n in (*range(32), 127) if n != ord("\n"))
_BLANK = re.compile(r"\n +\n")
_MASK = re.compile(r"[A-Za-z]\*+[A-Za-z]")


@rule(
    "CG-PHOTOBOOK-040",
    "note",
    "A text has a word with letters masked by asterisks.",
    why="A filter took parts of harmless words for swearing: gla*ses, m**fin.",
    advice="Restore the words before you count or compare them.",
    format="log",
    known=3420,
)
def masked_word(game: Game, examined: Examined) -> Iterator[Place]:
    """Looks for asterisks between letters."""
    facts = facts_of(game, examined)
    if "*" in facts.joined:
        odd = [n for n, text in enumerate(facts.texts) if "*" in text and _MASK.search(text)]
        yield from facts.quote(odd, "no mask")


@rule(
    "CG-PHOTOBOOK-041",
    "note",
    "A text has 99 characters: it was probably cut.",
    why="The field of the game took no more; the rest came as the next message, or is lost.",
    advice="Join the text with the next one of the same speaker if that goes on in mid-word.",
    format="log",
    known=718,
)
def cut_text(game: Game, examined: Examined) -> Iterator[Place]:
    """Measures the texts."""
    facts = facts_of(game, examined)
    if MAX_LENGTH in facts.lengths:
        odd = [n for n, text in enumerate(facts.texts) if len(text) == MAX_LENGTH]
        yield from facts.quote(odd, f"fewer than {MAX_LENGTH} characters")


@rule(
    "CG-PHOTOBOOK-042",
    "error",
    "A text is empty or longer than 99 characters.",
    why="The game lets nobody send such a text.",
    advice="See whether the file was changed.",
    format="log",
    known=0,
)
def text_length(game: Game, examined: Examined) -> Iterator[Place]:
    """Measures the texts."""
    facts = facts_of(game, examined)
    if facts.lengths and (0 in facts.lengths or max(facts.lengths) > MAX_LENGTH):
        odd = [n for n, text in enumerate(facts.texts) if not 0 < len(text) <= MAX_LENGTH]
        yield from facts.quote(odd, f"1 to {MAX_LENGTH} characters")


@rule(
    "CG-PHOTOBOOK-043",
    "error",
    "A text has a line break, a tab or another control character.",
    why="The game's field of one line lets nobody type one.",
    advice="See whether the file was changed.",
    format="log",
    known=0,
)
def control_character(game: Game, examined: Examined) -> Iterator[Place]:
    """Looks for control characters."""
    facts = facts_of(game, examined)
    data = facts.joined.encode(errors="replace")
    plain = facts.joined.isascii() and facts.joined.count("\n") == len(facts.texts) + 1
    if not plain or len(data.translate(None, _CONTROLS)) != len(data):
        odd = [n for n, text in enumerate(facts.texts) if not is_line(text)]
        yield from facts.quote(odd, "one line")


@rule(
    "CG-PHOTOBOOK-044",
    "note",
    "A text is blank.",
    why="It is an utterance that says nothing.",
    advice="Leave it out where utterances are counted.",
    format="log",
    known=1,
)
def blank_text(game: Game, examined: Examined) -> Iterator[Place]:
    """Looks for texts of spaces only."""
    facts = facts_of(game, examined)
    if " \n" in facts.joined and _BLANK.search(facts.joined):
        odd = [n for n, text in enumerate(facts.texts) if text and not text.strip()]
        yield from facts.quote(odd, "words")


@rule(
    "CG-PHOTOBOOK-045",
    "note",
    "A text starts or ends with a space.",
    why="Texts that look the same differ.",
    advice="Strip texts before you compare them.",
    format="log",
    known=6860,
)
def untrimmed_text(game: Game, examined: Examined) -> Iterator[Place]:
    """Looks at both ends of the texts."""
    facts = facts_of(game, examined)
    if " \n" in facts.joined or "\n " in facts.joined:
        odd = [n for n, text in enumerate(facts.texts) if text[:1] == " " or text[-1:] == " "]
        yield from facts.quote(odd, "no space at the ends")


@rule(
    "CG-PHOTOBOOK-046",
    "note",
    "A text has two spaces in a row.",
    why="Splitting at single spaces gives empty words.",
    advice="Split at white space of any length.",
    format="log",
    known=2278,
)
def double_space(game: Game, examined: Examined) -> Iterator[Place]:
    """Looks for two spaces."""
    facts = facts_of(game, examined)
    if "  " in facts.joined:
        odd = [n for n, text in enumerate(facts.texts) if "  " in text]
        yield from facts.quote(odd, "single spaces")


@rule(
    "CG-PHOTOBOOK-047",
    "note",
    "A text has a backslash.",
    why="It is a slip of the keyboard, not an escape.",
    advice="Do not decode it.",
    format="log",
    known=51,
)
def backslash(game: Game, examined: Examined) -> Iterator[Place]:
    """Looks for backslashes."""
    facts = facts_of(game, examined)
    if "\\" in facts.joined:
        odd = [n for n, text in enumerate(facts.texts) if "\\" in text]
        yield from facts.quote(odd, "no backslash")


@rule(
    "CG-PHOTOBOOK-048",
    "note",
    "A text has a < in it.",
    why="It is a smiley, but looks like a tag to code that does not anchor at the start.",
    advice="Look for tags at the start of a message only.",
    format="log",
    known=8,
)
def angle_bracket(game: Game, examined: Examined) -> Iterator[Place]:
    """Looks for the sign within texts."""
    facts = facts_of(game, examined)
    if "<" in facts.joined:
        odd = [n for n, text in enumerate(facts.texts) if "<" in text]
        yield from facts.quote(odd, "no <")


@rule(
    "CG-PHOTOBOOK-049",
    "note",
    "A text has a character beyond ASCII.",
    why="Curly quotes and dashes make words that look the same differ.",
    advice="Map them to their plain forms before you count words.",
    format="log",
    known=108,
)
def beyond_ascii(game: Game, examined: Examined) -> Iterator[Place]:
    """Looks for such characters."""
    facts = facts_of(game, examined)
    if not facts.joined.isascii():
        odd = [n for n, text in enumerate(facts.texts) if not text.isascii()]
        yield from facts.quote(odd, "ASCII")
