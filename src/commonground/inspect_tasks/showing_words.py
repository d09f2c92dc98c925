"""What is refused is said in words: inspect_ai shows most errors as a traceback."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import ParamSpec, TypeVar

from inspect_ai._util.error import PrerequisiteError

from commonground.errors import CommongroundError

P = ParamSpec("P")
T = TypeVar("T")


@contextmanager
def refusing_in_words() -> Iterator[None]:
    """Ends inspect_ai with the words of an error, before anything is asked.

    Raises:
        PrerequisiteError: something of commonground's was raised.
    """
    try:
        yield
    except CommongroundError as error:
        # inspect_ai shows this one as words, any other as a traceback.
        raise PrerequisiteError(" ".join(filter(None, (error.message, error.advice)))) from error


def checking_options(kind: str) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Refuses options that are unknown or missing in words, where Python has a ``TypeError``.

    Args:
        kind: what has the options, as a user names it: ``commonground/baseline``.
    """

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        signature = inspect.signature(function)

        @wraps(function)
        def checked(*args: P.args, **kwargs: P.kwargs) -> T:
            try:
                signature.bind(*args, **kwargs)
            except TypeError as error:
                known = ", ".join(signature.parameters)
                raise PrerequisiteError(f"{kind}: {error}. Its options are: {known}.") from error
            return function(*args, **kwargs)

        return checked

    return decorate
