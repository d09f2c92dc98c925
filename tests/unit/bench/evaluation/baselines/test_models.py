from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from numpy.typing import NDArray

from commonground.bench.evaluation.baselines.models import (
    ModelHeader,
    decode_model,
    open_model,
    save_model,
)
from commonground.bench.evaluation.baselines.results import Protocol, Size
from commonground.errors import TaskError
from commonground.method import Baseline, TrainingSet


class Inner(msgspec.Struct):
    table: NDArray[np.float32]
    words: NDArray[np.str_]


class Learned(msgspec.Struct):
    labels: list[str]
    by_name: dict[str, Inner]
    counts: np.ndarray
    share: float


HEADER = ModelHeader(
    task="toy/mood",
    method="words",
    corpus="toy",
    data={"corpus": "toy"},
    seed=3,
    commonground="0.1.0",
    protocol=Protocol(kind="splits", train="train", test="test"),
    learned_from=Size(2, 4),
)


def make(model: type[Any]) -> Baseline:
    return Baseline(name="words", title="", model=model, train=_no_train, predict=_no_predict)


def _no_train(training: TrainingSet) -> Any:
    raise NotImplementedError


def _no_predict(model: Any, instances: Any) -> Any:
    raise NotImplementedError


@pytest.fixture
def path(tmp_path: Path) -> Path:
    inner = Inner(np.array([[0.5, -1], [2, 3]], np.float32), np.array(["é", "ab"]))
    learned = Learned(["x"], {"in": inner}, np.zeros((0, 3), np.int64), 0.25)
    save_model(tmp_path / "model.msgpack", HEADER, learned)
    return tmp_path / "model.msgpack"


def test_a_model_comes_back_as_it_was(path: Path) -> None:
    saved = open_model(path)
    assert saved.header == HEADER
    found: Learned = decode_model(saved, make(Learned))
    inner = found.by_name["in"]
    assert inner.table.tolist() == [[0.5, -1], [2, 3]]
    assert inner.table.dtype == np.float32
    assert inner.words.tolist() == ["é", "ab"]
    assert (found.counts.shape, found.labels, found.share) == ((0, 3), ["x"], 0.25)
    inner.table[0, 0] = 1  # what was read can be changed


@pytest.mark.parametrize("data", [b"", b"{}", b"\x80\x04K.", b"\xff" * 9])
def test_another_file_is_told(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "other").write_bytes(data)
    with pytest.raises(TaskError, match="is not a model file, or was cut off"):
        open_model(tmp_path / "other")


def test_a_cut_off_model_is_told(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(TaskError, match="cut off"):
        open_model(path)


def test_a_model_of_another_version_is_told(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b"commonground model 1", b"commonground model 9"))
    with pytest.raises(TaskError, match=r"expected 'commonground model 1', found '.* 9'"):
        open_model(path)


def test_a_model_of_another_shape_is_told(path: Path) -> None:
    class Other(msgspec.Struct):
        moods: list[str]

    with pytest.raises(TaskError, match=r"does not fit method 'words'.*of 0\.1\.0.*moods"):
        decode_model(open_model(path), make(Other))


def test_arrays_of_objects_are_not_saved(tmp_path: Path) -> None:
    class Bad(msgspec.Struct):
        anything: np.ndarray

    with pytest.raises(TaskError, match="cannot be saved: found ndarray"):
        save_model(tmp_path / "model", HEADER, Bad(np.array([{}], object)))
