"""Rules on what players write.

Most games are free of each oddity, so a rule first looks at all texts at once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from commonground.corpora.photobook.rules._course import GameCourse, course_of
from commonground.findings import Place, Ruleset
from commonground.typed_text import is_line

rules = Ruleset("CG-PHOTOBOOK-", "log", known=0, of=course_of)

# Characters that the field of the game took.
MAX_LENGTH = 99
# Without the line break, which stands between the joined texts.
_CONTROLS = bytes(n for n in (*range(32), 127) if n != ord("\n"))
# A text of blanks only, among the joined ones.
_BLANK = re.compile(r"\n +\n")
# `gla*ses`, `m**fin`: stars between letters; `**done` and `ok*` are people's own.
_MASK = re.compile(r"[A-Za-z]\*+[A-Za-z]")
# `person_dog/COCO_train2014_000000123456.jpg`, or its number alone.
_PICTURE = re.compile(r"\.jpe?g\b|train2014|\b0{4,}\d+", re.IGNORECASE)
_OF_PICTURES = (".jp", ".JP", "train2014", "TRAIN2014", "0000")


@rules.warning(37)
def named_picture(course: GameCourse) -> Iterator[Place]:
    """A text contains the file name or the COCO number of an image.

    Players who compare names need not look at the pictures or describe them.

    Leave the game out where you count words or points; check how its players came to see names.
    """
    if any(part in course.joined for part in _OF_PICTURES):
        yield from course.quote("words about a picture", _PICTURE.search)


@rules.note(40, known=3420)
def masked_word(course: GameCourse) -> Iterator[Place]:
    """A text contains a word with letters masked by asterisks.

    A profanity filter masked parts of harmless words: gla*ses, m**fin.

    Restore the words before you count or compare them.
    """
    if "*" in course.joined:
        yield from course.quote("no mask", _MASK.search)


@rules.note(41, known=718)
def cut_text(course: GameCourse) -> Iterator[Place]:
    """A text has 99 characters: it was probably cut.

    The game's input field accepted no more; the rest came as the next message, or is lost.

    Join the text with the next one of the same speaker if that continues mid-word.
    """
    if MAX_LENGTH in course.lengths:
        yield from course.quote(
            f"fewer than {MAX_LENGTH} characters", lambda text: len(text) == MAX_LENGTH
        )


@rules.error(42)
def text_length(course: GameCourse) -> Iterator[Place]:
    """A text is empty or longer than 99 characters.

    The game does not let players send such a text.

    Check whether the file was changed.
    """
    if course.lengths and (0 in course.lengths or max(course.lengths) > MAX_LENGTH):
        yield from course.quote(
            f"1 to {MAX_LENGTH} characters", lambda text: not 0 < len(text) <= MAX_LENGTH
        )


@rules.error(43)
def control_character(course: GameCourse) -> Iterator[Place]:
    """A text contains a line break, a tab or another control character.

    The game's one-line input field does not accept one.

    Check whether the file was changed.
    """
    data = course.joined.encode(errors="replace")
    # One line break more than texts: none has a line break of its own. Deleting bytes and looking
    # whether fewer are left is the quickest search for any of 32.
    plain = course.joined.isascii() and course.joined.count("\n") == len(course.texts) + 1
    if not plain or len(data.translate(None, _CONTROLS)) != len(data):
        yield from course.quote("one line", lambda text: not is_line(text))


@rules.note(44, known=1)
def blank_text(course: GameCourse) -> Iterator[Place]:
    """A text is blank.

    It is an utterance that says nothing.

    Leave it out where utterances are counted.
    """
    if " \n" in course.joined and _BLANK.search(course.joined):
        yield from course.quote("words", lambda text: text and not text.strip())


@rules.note(45, known=6860)
def untrimmed_text(course: GameCourse) -> Iterator[Place]:
    """A text starts or ends with a space.

    Texts that look the same differ.

    Strip texts before you compare them.
    """
    if " \n" in course.joined or "\n " in course.joined:
        yield from course.quote(
            "no space at the ends", lambda text: text[:1] == " " or text[-1:] == " "
        )


@rules.note(46, known=2278)
def double_space(course: GameCourse) -> Iterator[Place]:
    """A text has two spaces in a row.

    Splitting at single spaces gives empty words.

    Split at white space of any length.
    """
    if "  " in course.joined:
        yield from course.quote("single spaces", lambda text: "  " in text)


@rules.note(47, known=51)
def backslash(course: GameCourse) -> Iterator[Place]:
    """A text contains a backslash.

    It is a slip of the keyboard, not an escape.

    Do not decode it.
    """
    if "\\" in course.joined:
        yield from course.quote("no backslash", lambda text: "\\" in text)


@rules.note(48, known=8)
def angle_bracket(course: GameCourse) -> Iterator[Place]:
    """A text contains a <.

    It is a smiley, but looks like a tag to code that does not anchor at the start.

    Look for tags at the start of a message only.
    """
    if "<" in course.joined:
        yield from course.quote("no <", lambda text: "<" in text)


@rules.note(49, known=108)
def beyond_ascii(course: GameCourse) -> Iterator[Place]:
    """A text contains a non-ASCII character.

    Curly quotes and dashes make words that look the same differ.

    Map them to their plain forms before you count words.
    """
    if not course.joined.isascii():
        yield from course.quote("ASCII", lambda text: not text.isascii())
