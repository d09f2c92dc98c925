"""Pictures by number in place of names."""

from __future__ import annotations

from commonground.picture_numbers import PictureNumbers


def test_names_are_numbers_wherever_they_stand_for_themselves() -> None:
    numbers = PictureNumbers(["dog/2.jpg", "dog/1.jpg", "dog/2.jpg"])
    value = {
        "images": ["dog/2.jpg", "dog/1.jpg"],
        "history": {"dog/1.jpg": ["a dog/1.jpg"]},
        "n": 2,
    }
    hidden = numbers.hide(value)
    assert hidden == {
        "images": ["picture 1", "picture 2"],
        "history": {"picture 2": ["a dog/1.jpg"]},
        "n": 2,
    }
    assert numbers.reveal(hidden) == value


def test_what_is_said_need_not_be_written_alike() -> None:
    numbers = PictureNumbers(["dog/2.jpg"])
    assert numbers.reveal([" Picture 1", "picture 2", 1]) == ["dog/2.jpg", "picture 2", 1]
    assert (numbers.label("dog/2.jpg"), numbers.label("other")) == ("picture 1", "other")
