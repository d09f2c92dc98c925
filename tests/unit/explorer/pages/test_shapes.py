from __future__ import annotations

import re

import numpy as np

from commonground.explorer.corpora import OpenCorpus
from commonground.explorer.pages.parts.shapes import (
    BINS,
    EVENTS,
    TALKS,
    draw_lengths,
    draw_talks,
    find_shape,
)


def test_every_dialogue_is_counted_by_its_length(photobook: OpenCorpus) -> None:
    shape = find_shape(photobook)
    lengths = np.diff(photobook.index.postings.event_starts)
    assert sum(shape.lengths) == len(lengths) == photobook.searcher.n_dialogues
    step = (shape.longest + 1) / len(shape.lengths)
    assert step.is_integer()
    assert len(shape.lengths) <= BINS
    first = next(number for number, count in enumerate(shape.lengths) if count)
    assert first * step <= min(lengths) < (first + 1) * step


def test_talks_have_the_colours_of_their_speakers(photobook: OpenCorpus) -> None:
    shape = find_shape(photobook)
    assert len(shape.talks) == TALKS
    first = photobook.index.blocks.dialogue(0).events[:EVENTS]
    tones = {"A": 0, "B": 1}
    assert [beat.tone for beat in shape.talks[0]] == [tones[each.speaker] for each in first]
    silent = [beat.height == 0 for beat in shape.talks[0]]
    assert silent == [each.kind == "action" for each in first]


def test_drawings_have_a_stroke_for_each_event_and_no_style(photobook: OpenCorpus) -> None:
    shape = find_shape(photobook)
    talks = draw_talks(shape)
    assert talks.count("<rect") == sum(map(len, shape.talks))
    assert "style" not in talks + draw_lengths(shape)
    high = [float(each) for each in re.findall(r'height="([\d.]+)"', draw_lengths(shape))]
    assert max(high) == 24
