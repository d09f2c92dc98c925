"""What a game is: its rules, who plays it, a session of it; and games without a server.

The package can be called: ``commonground.play("photobook", "played", games=5)`` is
:func:`commonground.games.play`.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import Any


class _Package(ModuleType):
    """This package; a function beside it could not have its name."""

    def __call__(self, *args: Any, **options: Any) -> Any:
        # By name, since what takes all wings stands above them.
        return import_module("commonground.games").play(*args, **options)


sys.modules[__name__].__class__ = _Package
