from __future__ import annotations

import re

import pytest

from commonground.corpora import iterate_corpora
from commonground.explorer.rendering.colours import HUES, TONES, corpus_hue, speaker_tone
from commonground.explorer.rendering.environment import STATIC
from commonground.figures.drawing.palette import CORPORA, SPEAKERS

CSS = (STATIC / "base.css").read_text(encoding="utf-8")
COLOURS = {
    name: (light, dark)
    for name, light, dark in re.findall(r"--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)", CSS)
}
READABLE = 4.5
"""Contrast that WCAG 2.2 asks of text at level AA."""


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize("name", [*"abcdef", *(f"hue-{number}" for number in range(HUES))])
def test_every_colour_can_be_read_on_every_ground(name: str, scheme: int) -> None:
    grounds = ["ground", "raised", *([f"{name}-ground"] if len(name) == 1 else [])]
    for ground in grounds:
        assert contrast(COLOURS[name][scheme], COLOURS[ground][scheme]) >= READABLE, ground


def test_every_number_has_a_class() -> None:
    for kind, count in (("tone", TONES), ("hue", HUES)):
        assert set(re.findall(rf"^\.{kind}-(\d)", CSS, re.MULTILINE)) == set(map(str, range(count)))


def test_corpora_have_different_colours() -> None:
    names = [each.name for each in iterate_corpora()][:HUES]
    assert len({corpus_hue(name) for name in names}) == len(names)
    assert corpus_hue("nosuch") == 0


def test_users_and_assistants_look_the_same_everywhere() -> None:
    assert {speaker_tone("user", number) for number in range(4)} == {0}
    assert {speaker_tone("assistant", number) for number in range(4)} == {1}
    assert [speaker_tone("peer", number) for number in (0, 1, TONES)] == [0, 1, 0]


def test_charts_have_the_colours_of_the_pages() -> None:
    assert [COLOURS[name] for name in "abcdef"] == [tuple(each) for each in SPEAKERS]
    assert [COLOURS[f"hue-{n}"] for n in range(HUES)] == [tuple(each) for each in CORPORA]
