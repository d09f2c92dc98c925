"""Vectors of texts and pictures; those of texts with ONNX Runtime on this machine's processor."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from commonground.bench.encoders.cache import Vector, VectorCache
from commonground.bench.encoders.folders import EncoderFiles, find_encoder
from commonground.errors import SourceError
from commonground.extras import needing

_INPUTS = ("input_ids", "attention_mask", "token_type_ids")
_NUMBERS = {"tensor(int64)": np.int64, "tensor(int32)": np.int32}


class Encoder:
    """Gives the vectors of texts, or of pictures by the names that a corpus has for them.

    Args:
        name: as a user named it.
        sha256: hash of all that decides what a vector is.
        width: numbers of a vector.
        find: gives the vectors of some texts or pictures.
    """

    def __init__(
        self, name: str, sha256: str, width: int, find: Callable[[list[str]], dict[str, Vector]]
    ) -> None:
        self.name, self.sha256, self.width = name, sha256, width
        self._find = find

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Returns the vectors of texts or pictures, float32, shape (texts, width).

        Raises:
            SourceError: a picture has none.
        """
        found = self._find(list(dict.fromkeys(texts)))
        rows = [found[text] for text in texts]
        return np.stack(rows) if rows else np.zeros((0, self.width), np.float32)


class _Network:
    """The ONNX file as a function of tokens."""

    def __init__(self, path: Path) -> None:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        # Sums of several threads are in no order, so that the last digit is one of chance.
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 4
        try:
            self._session = onnxruntime.InferenceSession(
                str(path), options, providers=["CPUExecutionProvider"]
            )
        # It raises what its C++ has, under ten names without a common one.
        except Exception as error:
            raise SourceError(
                f"{path} is not a network that ONNX Runtime can read: {error}"
            ) from error
        self._types = {each.name: each.type for each in self._session.get_inputs()}
        self._outputs = [e.name for e in self._session.get_outputs() if len(e.shape) == 3][:1]
        others = self._types.keys() - set(_INPUTS)
        if others or "input_ids" not in self._types or not self._outputs:
            raise SourceError(
                f"{path} is not a sentence encoder: it takes {', '.join(self._types)} and gives "
                f"{', '.join(each.name for each in self._session.get_outputs())}.",
                "A network takes input_ids and gives a vector for each token.",
            )

    def run(self, ids: Sequence[int], mask: Sequence[int]) -> NDArray[np.float32]:
        """Returns what is said of each token, shape (tokens, width)."""
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": [0] * len(ids)}
        fed = {
            name: np.asarray([given[name]], _NUMBERS.get(kind, np.int64))
            for name, kind in self._types.items()
        }
        return np.asarray(self._session.run(self._outputs, fed)[0][0], np.float32)


def _load_tokenizer(files: EncoderFiles) -> Any:
    from tokenizers import Tokenizer

    try:
        found = Tokenizer.from_file(str(files.tokenizer))
        found.enable_truncation(max_length=files.longest)
    # What its Rust says is a plain Exception.
    except Exception as error:
        raise SourceError(f"{files.tokenizer} is not a tokenizer: {error}.") from error
    found.no_padding()
    return found


def load_encoder(name_or_path: str | Path, *, store: Path | None = None) -> Encoder:
    """Opens a sentence encoder; nothing is downloaded.

    The vector of a text is the mean of what the network says of its tokens, of length 1. It depends
    on the text and the files alone: every text is a run of its own, on one thread, whatever else is
    encoded.

    Args:
        name_or_path: a name such as ``minilm``, or a folder with an ONNX file and a
            ``tokenizer.json``, such as one that sentence-transformers saved.
        store: folder of the store to keep vectors in; None to keep none.

    Raises:
        UsageError: there is no such encoder.
        MissingExtraError: a package is missing.
        SourceError: a file is missing, or is of another kind.
    """
    files, cache = find_encoder(name_or_path), VectorCache(store)
    sha256 = files.hash()
    with needing("encoders", "Encoding texts needs onnxruntime and tokenizers"):
        tokenizer, network = _load_tokenizer(files), _Network(files.network)

    def make(text: str) -> Vector:
        # Halves of surrogate pairs, as released files may hold, are no text to a tokenizer.
        read = tokenizer.encode(text.encode("utf-8", "replace").decode())
        tokens = network.run(read.ids, read.attention_mask)
        seen = np.asarray(read.attention_mask, np.float32)[:, None]
        mean = (tokens * seen).sum(axis=0) / max(float(seen.sum()), 1.0)
        # A text without a token has no direction; it stays at nought.
        return np.asarray(mean / max(float(np.linalg.norm(mean)), 1e-12), np.float32)

    width = len(make(""))
    return Encoder(
        files.name, sha256, width, lambda texts: cache.complete(sha256, width, texts, make)
    )
