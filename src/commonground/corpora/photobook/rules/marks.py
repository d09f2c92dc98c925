"""Rules on selections and the points they give."""

from __future__ import annotations

from collections.abc import Iterator

from commonground.corpora.photobook.rules._course import GameCourse, PlacedSelection, course_of
from commonground.findings import Place, Ruleset, shorten

rules = Ruleset("CG-PHOTOBOOK-", "log", of=course_of)


def _place(course: GameCourse, mark: PlacedSelection, expected: str) -> Place:
    return course.place(mark.at, expected, f"{mark.label} {mark.image}")


@rules.warning(50, known=27)
def score(course: GameCourse) -> Iterator[Place]:
    """The score is not what the last selections of the highlighted images give.

    A selection was logged late or for another image, so score and marks disagree.

    Use the marks where you study understanding; leave these rounds out otherwise.
    """
    for player in course.players:
        goal, last = player.display.goal, player.last
        points = len(goal.items() & last.items())
        if points != player.score:
            path = f".rounds[{player.number}].score.{player.speaker}"
            yield Place(path, str(points), str(player.score))


@rules.warning(51, known=6)
def score_range(course: GameCourse) -> Iterator[Place]:
    """The score is not from 0 to 3.

    Three images are to be marked; a fourth point came from an image outside the display.

    Count a score of 4 as 3. A game's total may be above the documented 30.
    """
    for player in course.players:
        if not 0 <= player.score <= 3:
            path = f".rounds[{player.number}].score.{player.speaker}"
            yield Place(path, "0 to 3", str(player.score))


@rules.warning(52, known=11)
def mark_outside(course: GameCourse) -> Iterator[Place]:
    """A player marked an image that was not in their own display.

    It was the partner's, or of an earlier round: a click from before the page changed.

    Leave the selection out.
    """
    for player in course.unusual:
        images = player.display.images
        if player.last.keys() <= images:
            continue
        for mark in player.marks:
            if mark.image not in images:
                yield _place(course, mark, "an image of the own display")


@rules.warning(53, known=1)
def mark_not_highlighted(course: GameCourse) -> Iterator[Place]:
    """A player marked an image of their own display that was not highlighted.

    Only highlighted images can be marked in the game.

    Leave the selection out.
    """
    for player in course.unusual:
        goal = player.display.goal
        for mark in player.marks:
            if mark.image not in goal and mark.image in player.display.images:
                yield _place(course, mark, "a highlighted image")


@rules.warning(54, known=2)
def never_marked(course: GameCourse) -> Iterator[Place]:
    """A player never marked a highlighted image.

    What the player thought of it is unknown; it gave no point.

    Count it as missing rather than wrong.
    """
    for player in course.unusual:
        for image in sorted(player.display.goal.keys() - player.last.keys()):
            path = f".rounds[{player.number}].highlighted.{player.speaker}"
            yield Place(path, f"a selection of {shorten(image)}", "none")


@rules.note(55, known=2514)
def marked_again(course: GameCourse) -> Iterator[Place]:
    """A player marked an image again, with the same label.

    It changes nothing, but counts as a selection.

    Count images, not selections.
    """
    for before, mark in _repeated(course):
        if before == mark.label:
            yield _place(course, mark, "a new label")


@rules.note(56, known=1952)
def label_changed(course: GameCourse) -> Iterator[Place]:
    """A player changed the label of an image.

    The last label counts for the score, not the first.

    Use the last label, or the change as a trace of misunderstanding.
    """
    for before, mark in _repeated(course):
        if before != mark.label:
            yield _place(course, mark, before)


def _repeated(course: GameCourse) -> Iterator[tuple[str, PlacedSelection]]:
    """Yields marks of images that were marked before, each after the label before."""
    for player in course.unusual:
        # As many images as marks: none was marked again.
        if len(player.last) == len(player.marks):
            continue
        last: dict[str, str] = {}
        for mark in player.marks:
            if mark.image in last:
                yield last[mark.image], mark
            last[mark.image] = mark.label


@rules.note(57, known=1632)
def marked_after_submit(course: GameCourse) -> Iterator[Place]:
    """A player marked an image after submitting.

    The player went back; the score counts the later label.

    Do not take the marks at the first submission for the final ones.
    """
    for player in course.unusual:
        if player.marks and player.submits and player.marks[-1].at > player.submits[0]:
            for mark in player.marks:
                if mark.at > player.submits[0]:
                    yield _place(course, mark, "before the submission")
