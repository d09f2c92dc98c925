"""Rules on a thread as such, the same in all three task files, and on the maps of addresses."""

from __future__ import annotations

from collections.abc import Iterator

from commonground.checks.generic import find_disorder, find_repeats
from commonground.corpora.mpchat.codes import every_file
from commonground.corpora.mpchat.convert import PARALLEL, PER_TURN
from commonground.corpora.mpchat.native import Thread, image_file_name
from commonground.findings import Examined, Place, rule
from commonground.records import UNSET

RANKINGS = (
    "nrp_candidate_responses",
    "gpp_candidate_authors_candidate_personas",
    "si_candidate_authors_candidate_personas",
)


@every_file(
    1,
    "error",
    "Lists with one place per message differ in length.",
    why="Nobody can tell which message a place belongs to, so the thread is not converted.",
    advice="Compare the lists with `messages` and mend or drop the thread.",
)
def parallel_lists(thread: Thread, _examined: Examined) -> Iterator[Place]:
    """Compares every per-message list with ``messages``."""
    count = len(thread.messages)
    for name in (*PARALLEL, *PER_TURN):
        values = getattr(thread, name, UNSET)
        if values is not UNSET and len(values) != count:
            yield Place(f".{name}", f"{count} places, as in messages", f"{len(values)}")


@every_file(
    2,
    "warning",
    "The main author writes none of the messages.",
    why="The tasks predict the main author's messages, so the thread gives no instance.",
    advice="See whether `main_author` is spelt as in `authors`.",
)
def main_author_speaks(thread: Thread, _examined: Examined) -> Iterator[Place]:
    """Looks for the main author among the authors."""
    if thread.main_author not in thread.authors:
        yield Place(".main_author", "one of the authors", thread.main_author)


@every_file(
    3,
    "warning",
    "A message is older than the one before it.",
    why="A comment cannot be older than what it answers, so `at_s` cannot be trusted here.",
    advice="Do not use the times of this thread.",
)
def times_in_order(thread: Thread, _examined: Examined) -> Iterator[Place]:
    """Compares each time with the one before."""
    try:
        times = [float(created) for created in thread.created_utcs]
    except (ValueError, OverflowError):
        return  # the conversion says so
    for i in find_disorder(times, strict=False):
        found = str(thread.created_utcs[i])
        yield Place(f".created_utcs[{i}]", f"at least {times[i - 1]}", found, i)


@every_file(
    4,
    "error",
    "A message id stands twice in a thread.",
    why="Ids no longer name one message.",
    advice="See whether a message was copied.",
)
def message_ids_unique(thread: Thread, _examined: Examined) -> Iterator[Place]:
    """Looks for repeated ids."""
    for i, message_id in find_repeats(thread.message_ids):
        yield Place(f".message_ids[{i}]", "an id of its own", message_id, i)


@every_file(
    5,
    "error",
    "A post is said to have an image, but its address or file name is missing.",
    why="The authors' loaders open that file and fail.",
    advice="Take the address from dialog_image_urls.json.",
)
def image_has_address(thread: Thread, _examined: Examined) -> Iterator[Place]:
    """Looks for absent, null and empty values."""
    if thread.has_image:
        for name in ("direct_url", "file_name"):
            if not getattr(thread, name):
                yield Place(f".{name}", "text, since has_image is true", None, 0)


@every_file(
    6,
    "warning",
    "A post is said to have no image, but an image is named.",
    why="The loaders ignore the image, and so do the tables.",
    advice="See on Reddit whether the post has an image.",
)
def no_image_no_address(thread: Thread, _examined: Examined) -> Iterator[Place]:
    """Looks for values that are neither absent nor null nor empty."""
    if not thread.has_image:
        for name in ("direct_url", "file_name"):
            value = getattr(thread, name)
            if value:
                yield Place(f".{name}", "nothing, since has_image is false", value, 0)


@every_file(
    7,
    "warning",
    "The file name of the post's image is not made of the post's id and address.",
    why="The authors' script saves images as `{id}_{last part of the address}`.",
    advice="Rename the image, or download it by hand.",
)
def image_named_after_post(thread: Thread, _examined: Examined) -> Iterator[Place]:
    """Makes the name anew and compares."""
    if thread.has_image and thread.direct_url and thread.file_name and thread.message_ids:
        expected = image_file_name(thread.message_ids[0], thread.direct_url)
        if thread.file_name != expected:
            yield Place(".file_name", expected, thread.file_name, 0)


@every_file(
    8,
    "warning",
    "The map of addresses would not give the post's image under its file name.",
    why="The authors' script downloads what dialog_image_urls.json lists, so the image is missing.",
    advice="Add the post's id and `direct_url` to the map.",
)
def image_in_map(thread: Thread, examined: Examined) -> Iterator[Place]:
    """Makes the name that the download would give; says nothing where the map is not given."""
    urls = examined.context.dialog_urls
    if not urls or not thread.has_image or not thread.file_name or not thread.message_ids:
        return
    post_id = thread.message_ids[0]
    saved = image_file_name(post_id, urls[post_id]) if post_id in urls else None
    if saved != thread.file_name:
        yield Place(".file_name", saved or "a post in dialog_image_urls.json", thread.file_name, 0)


@every_file(
    9,
    "error",
    "A thread of val or test has no candidates.",
    why="It cannot be scored: the loaders stop at it.",
    advice="Take the file from the authors again.",
)
def test_has_candidates(thread: Thread, examined: Examined) -> Iterator[Place]:
    """Looks whether the field is there."""
    if examined.dialogue is None or examined.dialogue.split not in ("val", "test"):
        return
    for name in RANKINGS:
        if getattr(thread, name, None) is UNSET:
            yield Place(f".{name}", "candidates, as in val and test", None)


@every_file(
    10,
    "note",
    "A thread of train has candidates.",
    why="The description gives them to val and test only; they are kept.",
    advice="Nothing; leave them out where you compare with published figures.",
)
def train_has_no_candidates(thread: Thread, examined: Examined) -> Iterator[Place]:
    """Looks whether the field is there."""
    if examined.dialogue is None or examined.dialogue.split != "train":
        return
    for name in RANKINGS:
        if getattr(thread, name, UNSET) is not UNSET:
            yield Place(f".{name}", "nothing, as in train", "candidates")


@every_file(
    11,
    "warning",
    "The split is none of train, val and test.",
    why="The authors' loaders never read it.",
    advice="Rename the split, or leave it out of comparisons with published figures.",
)
def split_is_known(_thread: Thread, examined: Examined) -> Iterator[Place]:
    """Compares the name of the list that the thread is in."""
    split = None if examined.dialogue is None else examined.dialogue.split
    if split is not None and split not in ("train", "val", "test"):
        yield Place("", "train, val or test", split)


def _names_no_file(url: str, _examined: Examined) -> Iterator[Place]:
    if "://" not in url or not url.rpartition("/")[2]:
        yield Place("", "a web address that ends in a file name", url)


_NO_FILE = "A map of addresses holds something that is not the address of a file."
_NO_FILE_WHY = "The authors' script names the image after the last part of its address."
_NO_FILE_ADVICE = "Look the image up on Reddit and mend the address."

dialog_address = rule(
    "CG-MPCHAT-401",
    "warning",
    _NO_FILE,
    why=_NO_FILE_WHY,
    advice=_NO_FILE_ADVICE,
    format="dialog_urls",
)(_names_no_file)
persona_address = rule(
    "CG-MPCHAT-501",
    "warning",
    _NO_FILE,
    why=_NO_FILE_WHY,
    advice=_NO_FILE_ADVICE,
    format="persona_urls",
)(_names_no_file)
