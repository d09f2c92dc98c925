"""Rules on the order of play: who speaks, submits, goes on, and answers."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

from commonground.corpora.photobook.native import message_type
from commonground.corpora.photobook.rules._course import GameCourse, PlayerRound, course_of
from commonground.corpora.photobook.schedule import ROUNDS
from commonground.findings import Place, Ruleset

rules = Ruleset("CG-PHOTOBOOK-", "log", known=0, of=course_of)


@rules.error(60)
def no_submission(course: GameCourse) -> Iterator[Place]:
    """A player did not submit in a round.

    No round ends before both have submitted.

    Check whether messages are missing.
    """
    for player in course.unusual:
        if not player.submits:
            yield _round_place(player, "<feedback>", f"none of {player.speaker}")


@rules.note(61, known=204)
def early_submission(course: GameCourse) -> Iterator[Place]:
    """A player submitted with fewer than three images marked.

    The game refuses this, so the player went on afterwards.

    Use the last click on submit as the end of the player's round.
    """
    for player in course.unusual:
        if _marked_three_first(player):
            continue
        for event in player.submits:
            marked = len({mark.image for mark in player.marks if mark.at < event})
            if marked < 3:
                yield course.place(event, "3 images marked", str(marked))


@rules.note(62, known=370)
def submitted_again(course: GameCourse) -> Iterator[Place]:
    """A player submitted more than once in a round.

    The player went back and changed a mark, or clicked twice.

    Use the last click on submit as the end of the player's round.
    """
    for player in course.unusual:
        if len(player.submits) > 1:
            yield course.place(player.submits[1], "once", f"{len(player.submits)} times")


@rules.error(63)
def no_next_round(course: GameCourse) -> Iterator[Place]:
    """A player did not go on to the next round.

    No round starts before both players have asked for it.

    Check whether messages are missing.
    """
    for player in course.unusual:
        if not player.nexts and course.game.rounds[player.number].round_nr < ROUNDS:
            yield _round_place(player, "<next_round>", f"none of {player.speaker}")


@rules.note(64, known=41)
def next_round_again(course: GameCourse) -> Iterator[Place]:
    """A player asked for the next round more than once.

    A second click does nothing, but counts as an action and a turn.

    Use the first click.
    """
    for player in course.unusual:
        if len(player.nexts) > 1:
            yield course.place(player.nexts[1], "once", f"{len(player.nexts)} times")


@rules.note(65, known=27)
def next_round_early(course: GameCourse) -> Iterator[Place]:
    """A player asked for the next round before submitting.

    It is a late click of the round before, logged into this one.

    Leave the click out.
    """
    for player in course.unusual:
        for event in player.nexts:
            if not player.submits or event < player.submits[0]:
                yield course.place(event, "after the submission", "before")


@rules.note(66, known=12)
def next_round_last(course: GameCourse) -> Iterator[Place]:
    """A player asked for the next round in the last round.

    It is a late click of the round before, logged into this one.

    Leave the click out.
    """
    for player in course.unusual:
        if course.game.rounds[player.number].round_nr == ROUNDS:
            for event in player.nexts:
                yield course.place(event, "rounds 1 to 4", "round 5")


@rules.note(67, known=18448)
def text_after_submit(course: GameCourse) -> Iterator[Place]:
    """A player wrote a text after submitting.

    The text cannot help the player's own marks any more.

    Leave it out where texts are tied to marks.
    """
    for player in course.players:
        if player.submits:
            yield from _texts_after(course, player, player.submits[0], "before the submission")


@rules.note(68, known=920)
def text_after_next(course: GameCourse) -> Iterator[Place]:
    """A player wrote a text after asking for the next round.

    The text may be about the next page although it stands in this round.

    Do not tie it to the images of this round.
    """
    for player in course.players:
        if player.nexts:
            yield from _texts_after(course, player, player.nexts[0], "in the next round")


@rules.note(69, known=11)
def silent_round(course: GameCourse) -> Iterator[Place]:
    """Neither player wrote a text in a round.

    All marks were guesses, or followed from earlier rounds.

    Leave the round out of statistics by round.
    """
    for each in course.rounds:
        if course.game.rounds[each.number].messages and not each.texts:
            yield Place(f".rounds[{each.number}].messages", "texts", "none")


@rules.note(70, known=6)
def one_writer(course: GameCourse) -> Iterator[Place]:
    """Only one player wrote texts in a round.

    It is no dialogue.

    Leave the round out of statistics of interaction.
    """
    for each in course.rounds:
        writers = {course.messages[event].speaker for event in each.texts}
        if len(writers) == 1:
            found = f"only {writers.pop()}'s"
            yield Place(f".rounds[{each.number}].messages", "texts of both", found)


@rules.note(71, known=19)
def starts_with_action(course: GameCourse) -> Iterator[Place]:
    """The game starts with an action.

    A player marked an image before anything was said.

    Treat such a mark as a guess.
    """
    first = course.messages[0].message if course.messages else ""
    if message_type(first) != "text":
        yield course.place(0, "a text", first)


@rules.error(72)
def early_questionnaire(course: GameCourse) -> Iterator[Place]:
    """A closing questionnaire is not in the last round.

    It is asked for when the game is over.

    Check whether rounds are in order.
    """
    for player in course.unusual:
        number = course.game.rounds[player.number].round_nr
        if number != ROUNDS:
            for event in player.answers:
                yield course.place(event, f"round {ROUNDS}", f"round {number}")


def _marked_three_first(player: PlayerRound) -> bool:
    marks, submits = player.marks, player.submits
    # Three marks of three images, all before the first click: so it mostly is.
    three = len(marks) == len(player.last) == 3
    return three and bool(submits) and marks[2].at < submits[0]


def _round_place(player: PlayerRound, expected: str, found: str) -> Place:
    return Place(f".rounds[{player.number}].messages", expected, found)


def _texts_after(
    course: GameCourse, player: PlayerRound, first: int, expected: str
) -> Iterator[Place]:
    texts = course.rounds[player.number].texts
    for event in texts[bisect_right(texts, first) :]:
        message = course.messages[event]
        if message.speaker == player.speaker:
            yield course.place(event, expected, message.message)
