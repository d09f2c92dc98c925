from __future__ import annotations

import pytest

from commonground.errors import MOST_NAMES, UsageError, close_names, find_named


def test_close_names_are_suggested() -> None:
    assert close_names("photobok", ["frames", "photobook"]) == "Did you mean photobook?"


def test_names_are_listed_where_none_is_close() -> None:
    assert close_names("zzz", ["b", "a"]) == "There are: a, b."
    assert close_names("zzz", []) == ""


def test_of_many_names_only_the_first_are_listed() -> None:
    ids = [f"{number:05}" for number in range(2_500)]
    advice = close_names("zzz", ids)
    assert advice.startswith("There are: 00000, 00001,")
    assert advice.endswith(f"{MOST_NAMES - 1:05} and 2,460 more.")


def test_what_has_a_name_is_found() -> None:
    assert find_named("corpus", "frames", {"frames": 1}) == 1
    with pytest.raises(UsageError, match=r"no corpus 'frame'.*Did you mean frames\?"):
        find_named("corpus", "frame", {"frames": 1})
