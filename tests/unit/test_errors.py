from __future__ import annotations

import pytest

from commonground.errors import NEAR, UsageError, close_names, find_named, unknown_name


def test_close_names_are_suggested() -> None:
    assert close_names("photobok", ["frames", "photobook"]) == "Did you mean photobook?"


def test_only_near_names_are_suggested() -> None:
    assert close_names("gamse", ["games", "baseline"]) == "Did you mean games?"
    assert close_names("nonsense", ["baseline"]) == "There are: baseline."


def test_names_are_listed_where_none_is_close() -> None:
    assert close_names("zzz", ["b", "a"]) == "There are: a, b."
    assert close_names("zzz", []) == ""


@pytest.mark.parametrize(
    ("asked", "near"),
    [
        ("zzz", "02497, 02498, 02499"),
        ("", "00000, 00001, 00002"),
        ("01_x_y_z_zz_zz_zz_zzz", "01999, 02000, 02001"),
    ],
)
def test_of_very_many_names_three_near_ones_are_listed(asked: str, near: str) -> None:
    ids = [f"{number:05}" for number in range(2_500)]
    assert close_names(asked, ids) == f"There are 2,500, such as {near}."


def test_of_ids_near_ones_are_listed_however_few_there_are() -> None:
    ids = [f"{number}0" for number in range(1, 9)]
    assert close_names("3 or so", ids, NEAR) == "There are 8, such as 20, 30, 40."
    assert close_names("3 or so", ["9", "8"], NEAR) == "There are: 8, 9."
    ids = [str(number) for number in range(2500)]
    # Two are close; beside 997, 998 and 999 it would stand.
    assert close_names("999999", ids, NEAR) == "Did you mean 999 or 1999 or 997?"


def test_an_unknown_name_is_a_key_error_that_reads_like_a_sentence() -> None:
    error = unknown_name("dialogue", "3", ["31", "4"])
    assert isinstance(error, KeyError)
    assert isinstance(error, UsageError)
    assert str(error) == "There is no dialogue '3'. Did you mean 31?"
    assert (error.message, error.advice) == ("There is no dialogue '3'.", "Did you mean 31?")


def test_what_has_a_name_is_found() -> None:
    assert find_named("corpus", "frames", {"frames": 1}) == 1
    with pytest.raises(UsageError, match=r"no corpus 'frame'.*Did you mean frames\?"):
        find_named("corpus", "frame", {"frames": 1})
