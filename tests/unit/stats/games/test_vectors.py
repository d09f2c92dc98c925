"""Vectors of texts and images, made by somebody else."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from commonground.errors import FormatError, SourceError, UsageError
from commonground.games.measuring import Items
from commonground.stats.games.vectors import has_vectors, read_vectors, write_items

ITEMS = Items(("a sun", "an owl"), ("sun.jpg",))


def put(folder: Path, rows: object) -> None:
    write_items(folder, ITEMS)
    np.save(folder / "vectors.npy", np.array(rows))


def test_the_list_has_a_line_for_each_item(tmp_path: Path) -> None:
    path = write_items(tmp_path / "new", ITEMS)
    assert path.read_text("utf-8").splitlines() == [
        '{"text":"a sun"}',
        '{"text":"an owl"}',
        '{"image":"sun.jpg"}',
    ]
    assert not has_vectors(path.parent)


def test_cosines_do_not_hang_on_lengths(tmp_path: Path) -> None:
    put(tmp_path, [[3.0, 4.0], [0.0, 0.0], [10.0, 0.0]])
    vectors = read_vectors(tmp_path)
    assert vectors.compare("a sun", ["sun.jpg", "sun.jpg"]) == pytest.approx([0.6, 0.6])
    assert vectors.compare("an owl", ["sun.jpg"]) == [0.0]


def test_what_has_no_vector_is_named(tmp_path: Path) -> None:
    put(tmp_path, np.eye(3))
    vectors = read_vectors(tmp_path)
    with pytest.raises(UsageError, match=r"The image 'moon.jpg' has no vector."):
        vectors.compare("a sun", ["moon.jpg"])
    # A text of the same name as an image is no image.
    with pytest.raises(UsageError, match=r"The text 'sun.jpg' has no vector."):
        vectors.compare("sun.jpg", [])


@pytest.mark.parametrize(
    ("rows", "complaint"),
    [
        (np.eye(2), "expected a row of numbers for each of 3 lines"),
        (np.ones(3), "shape"),
        (np.array([["a"], ["b"], ["c"]]), "found str"),
        (np.full((3, 2), np.nan), "infinite"),
    ],
)
def test_what_is_no_vector_is_refused(rows: object, complaint: str, tmp_path: Path) -> None:
    put(tmp_path, rows)
    with pytest.raises(FormatError, match=complaint):
        read_vectors(tmp_path)


def test_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=str(tmp_path)):
        read_vectors(tmp_path)
    write_items(tmp_path, ITEMS)
    (tmp_path / "vectors.npy").write_bytes(b"no array")
    with pytest.raises(FormatError, match=str(tmp_path)):
        read_vectors(tmp_path)
