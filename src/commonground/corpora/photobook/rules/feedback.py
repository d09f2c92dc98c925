"""Rules on the closing questionnaire, which a log holds twice: as sent, and as feedback."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from commonground.corpora.photobook.native import Game
from commonground.corpora.photobook.rules._course import GameCourse, course_of
from commonground.findings import Place, Ruleset, shorten

rules = Ruleset("CG-PHOTOBOOK-", "log", known=0, of=course_of)

# `col:5<&>partner_u:4<&>self_u:5<&>text:`; the comment after it may be anything.
_GRADES = re.compile(r"col:[1-5]<&>partner_u:[1-5]<&>self_u:[1-5]<&>text:")
_SPACE = re.compile(r"\s")


@rules.error(8)
def feedback_form(course: GameCourse) -> Iterator[Place]:
    """The feedback does not have the form of three grades from 1 to 5 and a text.

    The grades cannot be read; the feedback is kept as text.

    Compare it with col:N<&>partner_u:N<&>self_u:N<&>text:...
    """
    for speaker, given in _feedback(course.game):
        if given is not None and not _GRADES.match(given):
            yield Place(f".feedback.{speaker}", "three grades from 1 to 5", given)


@rules.warning(9)
def feedback_sent(course: GameCourse) -> Iterator[Place]:
    """The feedback is not what the player sent, apart from white space and masks.

    The two places that give a player's opinion disagree.

    Trust the <usr_feedback> message, which is as it was sent.
    """
    sent = course.answers()
    for speaker, given in _feedback(course.game):
        if given is None:
            continue
        if not sent[speaker]:
            yield Place(f".feedback.{speaker}", "a <usr_feedback> message", given)
        elif not _same_but_masks(_squeeze(given), _squeeze(sent[speaker][-1])):
            yield Place(f".feedback.{speaker}", shorten(sent[speaker][-1]), given)


@rules.note(10, known=25)
def feedback_unmasked(course: GameCourse) -> Iterator[Place]:
    """The feedback shows words that are masked in the message that was sent.

    Masking was applied to messages but not to the feedback.

    Mask these words before you publish texts of the feedback.
    """
    sent = course.answers()
    for speaker, given in _feedback(course.game):
        if given is None or not sent[speaker] or "*" not in sent[speaker][-1]:
            continue
        masked, plain = _squeeze(sent[speaker][-1]), _squeeze(given)
        if plain != masked and _same_but_masks(plain, masked):
            yield Place(f".feedback.{speaker}", shorten(masked), given)


@rules.note(11, known=62)
def feedback_line_break(course: GameCourse) -> Iterator[Place]:
    """The feedback keeps line breaks, although all other white space was taken out.

    Code that expects no white space in the text finds some.

    Read the text with its spaces from the <usr_feedback> message.
    """
    for speaker, given in _feedback(course.game):
        if given is not None and _SPACE.search(given):
            yield Place(f".feedback.{speaker}", "no white space", repr(given))


@rules.warning(12, known=16)
def feedback_missing(course: GameCourse) -> Iterator[Place]:
    """A player has no feedback while the other sent two questionnaires.

    The second questionnaire may be the missing player's, logged under the wrong name.

    Leave the game out of statistics of feedback.
    """
    if course.game.feedback.A is not None and course.game.feedback.B is not None:
        return
    sent = course.answers()
    for speaker, given in _feedback(course.game):
        other = "B" if speaker == "A" else "A"
        if given is None and len(sent[other]) > 1:
            found = f"null, and {len(sent[other])} <usr_feedback> messages of {other}"
            yield Place(f".feedback.{speaker}", "feedback", found)


def _feedback(game: Game) -> Iterable[tuple[str, str | None]]:
    return (("A", game.feedback.A), ("B", game.feedback.B))


def _squeeze(text: str) -> str:
    return "".join(text.split())


def _same_but_masks(given: str, sent: str) -> bool:
    if given == sent or len(given) != len(sent):
        return given == sent
    # A mask has a star for each letter that it hides, so lengths are equal.
    return all(a == b or b == "*" for a, b in zip(given, sent, strict=True))
