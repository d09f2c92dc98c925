"""Rules on a thread as such, the same in all three task files, and on the maps of addresses.

The first digit of a code names the file (1 ``mpchat_nrp.json``, 2 ``mpchat_gpp.json``,
3 ``mpchat_si.json``, 4 and 5 the maps of addresses), the other two the fault.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from commonground.checks import find_disorder, find_repeats
from commonground.corpora.mpchat.convert import PARALLEL, PER_TURN
from commonground.corpora.mpchat.native import Thread, image_file_name, parse_time
from commonground.findings import Examined, Place, Ruleset, declare_in_each
from commonground.records import UNSET

_FILES = [Ruleset(f"CG-MPCHAT-{digit}", name) for digit, name in enumerate(("nrp", "gpp", "si"), 1)]
every_file = partial(declare_in_each, _FILES)
"""Declares a rule for each task file, by its severity and the last two digits of its codes."""

RANKINGS = (
    "nrp_candidate_responses",
    "gpp_candidate_authors_candidate_personas",
    "si_candidate_authors_candidate_personas",
)


@every_file("error", 1)
def parallel_lists(thread: Thread) -> Iterator[Place]:
    """Lists with one entry per message differ in length.

    It is unclear which message an entry belongs to, so the thread is not converted.

    Compare the lists with `messages` and correct or drop the thread.
    """
    count = len(thread.messages)
    for name in (*PARALLEL, *PER_TURN):
        values = getattr(thread, name, UNSET)
        if values is not UNSET and len(values) != count:
            yield Place(f".{name}", f"{count} places, as in messages", f"{len(values)}")


@every_file("warning", 2)
def main_author_speaks(thread: Thread) -> Iterator[Place]:
    """The main author writes none of the messages.

    The tasks predict the main author's messages, so the thread yields no instance.

    Check whether `main_author` is spelt as in `authors`.
    """
    if thread.main_author not in thread.authors:
        yield Place(".main_author", "one of the authors", thread.main_author)


@every_file("warning", 3)
def times_in_order(thread: Thread) -> Iterator[Place]:
    """A message is older than the one before it.

    A comment cannot be older than what it answers, so `at_s` cannot be trusted here.

    Do not use the times of this thread.
    """
    times = [parse_time(created) for created in thread.created_utcs]
    for before, i in find_disorder(times, strict=False):
        found = str(thread.created_utcs[i])
        yield Place(f".created_utcs[{i}]", f"at least {times[before]}", found, i)


@every_file("error", 12)
def times_are_times(thread: Thread) -> Iterator[Place]:
    """The time of a message cannot be read.

    The message has no `at_s`; without the first time, no message of the thread has.

    Write seconds since 1970.
    """
    for i, created in enumerate(thread.created_utcs):
        if parse_time(created) is None:
            found = None if created is None else str(created)
            yield Place(f".created_utcs[{i}]", "seconds since 1970", found, i)


@every_file("error", 4)
def message_ids_unique(thread: Thread) -> Iterator[Place]:
    """A message id occurs twice in a thread.

    Ids no longer name one message.

    Check whether a message was copied.
    """
    for i, message_id in find_repeats(thread.message_ids):
        yield Place(f".message_ids[{i}]", "an id of its own", message_id, i)


@every_file("error", 5)
def image_has_address(thread: Thread) -> Iterator[Place]:
    """A post is marked as having an image, but its address or file name is missing.

    The authors' loaders open that file and fail.

    Use the address from dialog_image_urls.json.
    """
    if thread.has_image:
        for name in ("direct_url", "file_name"):
            if not getattr(thread, name):
                yield Place(f".{name}", "text, since has_image is true", None, 0)


@every_file("warning", 6)
def no_image_no_address(thread: Thread) -> Iterator[Place]:
    """A post is marked as having no image, but an image is named.

    The loaders ignore the image, and so do the tables.

    Check on Reddit whether the post has an image.
    """
    if not thread.has_image:
        for name in ("direct_url", "file_name"):
            value = getattr(thread, name)
            if value:
                yield Place(f".{name}", "nothing, since has_image is false", value, 0)


@every_file("warning", 7)
def image_named_after_post(thread: Thread) -> Iterator[Place]:
    """The file name of the post's image is not built from the post's id and address.

    The authors' script saves images as `{id}_{last part of the address}`.

    Rename the image, or download it by hand.
    """
    if thread.has_image and thread.direct_url and thread.file_name and thread.message_ids:
        expected = image_file_name(thread.message_ids[0], thread.direct_url)
        if thread.file_name != expected:
            yield Place(".file_name", expected, thread.file_name, 0)


@every_file("warning", 8)
def image_in_map(thread: Thread, examined: Examined) -> Iterator[Place]:
    """The address map does not yield the post's image under its file name.

    The authors' script downloads what dialog_image_urls.json lists, so the image is missing.

    Add the post's id and `direct_url` to the map.
    """
    # Makes the name that the download would give; says nothing where the map is not given.
    urls = examined.context.dialog_urls
    if not urls or not thread.has_image or not thread.file_name or not thread.message_ids:
        return
    post_id = thread.message_ids[0]
    saved = image_file_name(post_id, urls[post_id]) if post_id in urls else None
    if saved != thread.file_name:
        yield Place(".file_name", saved or "a post in dialog_image_urls.json", thread.file_name, 0)


@every_file("error", 9)
def test_has_candidates(thread: Thread, examined: Examined) -> Iterator[Place]:
    """A thread of val or test has no candidates.

    It cannot be scored: the loaders fail on it.

    Get the file from the authors again.
    """
    if examined.dialogue is None or examined.dialogue.split not in ("val", "test"):
        return
    for name in RANKINGS:
        # A thread has one of the three fields; the others are no attributes of its type.
        if getattr(thread, name, None) is UNSET:
            yield Place(f".{name}", "candidates, as in val and test", None)


@every_file("note", 10)
def train_has_no_candidates(thread: Thread, examined: Examined) -> Iterator[Place]:
    """A thread of train has candidates.

    The description gives them to val and test only; they are kept.

    Nothing; leave them out where you compare with published figures.
    """
    if examined.dialogue is None or examined.dialogue.split != "train":
        return
    for name in RANKINGS:
        if getattr(thread, name, UNSET) is not UNSET:
            yield Place(f".{name}", "nothing, as in train", "candidates")


@every_file("warning", 11)
def split_is_known(examined: Examined) -> Iterator[Place]:
    """The split is not train, val or test.

    The authors' loaders never read it.

    Rename the split, or leave it out of comparisons with published figures.
    """
    split = None if examined.dialogue is None else examined.dialogue.split
    if split is not None and split not in ("train", "val", "test"):
        yield Place("", "train, val or test", split)


def _names_no_file(url: str) -> Iterator[Place]:
    """An address map holds something other than a file address.

    The authors' script names the image after the last part of its address.

    Look the image up on Reddit and correct the address.
    """
    if "://" not in url or not url.rpartition("/")[2]:
        yield Place("", "a web address that ends in a file name", url)


ADDRESSES = (
    Ruleset("CG-MPCHAT-4", "dialog_urls").warning(1)(_names_no_file),
    Ruleset("CG-MPCHAT-5", "persona_urls").warning(1)(_names_no_file),
)
