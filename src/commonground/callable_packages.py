"""Packages that can be called: ``cg.export(...)`` beside ``commonground.export.run``.

A verb of the command line is a function of the same name in Python. Where a package has that
name, too, Python would give the name to whichever was imported last; so the package itself is
what is called, and every import of its modules works as ever.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import Any


def make_callable(package: str, module: str, function: str) -> None:
    """Lets a package be called; the function is imported when it first is.

    Args:
        package: dotted name of the package, which is being imported.
        module: name of the module in it that has the function.
        function: name of the function, which takes the calls.
    """

    def find() -> Callable[..., Any]:
        found: Callable[..., Any] = getattr(import_module(f"{package}.{module}"), function)
        return found

    class CallablePackage(ModuleType):
        """A package that answers calls; ``inspect.signature`` and editors see its parameters."""

        def __call__(self, *given: Any, **named: Any) -> Any:
            return find()(*given, **named)

        @property
        def __signature__(self) -> inspect.Signature:
            return inspect.signature(find())

    # Python looks for `__call__` in the class of a value: a function put into the module itself
    # would not be found.
    sys.modules[package].__class__ = CallablePackage
