"""The names that a template knows, kept without what none of our templates needs.

A page has a row for each event, and Jinja makes a context for each block of each row: it copies
every list of blocks, and looks at every function that is called for marks that ours do not bear.
Together that was a sixth of the time that a page took.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import BuiltinMethodType
from typing import Any

from jinja2.runtime import Context, Macro
from jinja2.utils import missing


class PageContext(Context):
    """A context that is derived and called from in less time than Jinja's, with the same result."""

    def derived(self, locals: Mapping[str, Any] | None = None) -> PageContext:  # noqa: A002
        """Returns a context that knows more names; see Jinja's."""
        known = {**self.parent, **self.vars}
        known.update({k: v for k, v in (locals or {}).items() if v is not missing})
        made = PageContext(self.environment, known, self.name, {})
        made.eval_ctx = self.eval_ctx
        # Nothing is added to the blocks of a template once it is being written.
        made.blocks = self.blocks
        return made

    def call(self, called: Callable[..., Any], /, *args: Any, **values: Any) -> Any:
        """Calls a function for a template; see Jinja's."""
        kind: type = type(called)
        if kind is not Macro and kind is not BuiltinMethodType:
            return super().call(called, *args, **values)
        values.pop("_loop_vars", None)
        values.pop("_block_vars", None)
        if kind is Macro:
            return called(self.eval_ctx, *args, **values)
        return called(*args, **values)
