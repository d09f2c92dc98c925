"""What language models may take over all games of a play: calls, tokens and cost."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from commonground.errors import UsageError
from commonground.play.collect.setup.partners import Price
from commonground.play.outcomes import CALLS_LIMIT, COST_LIMIT, TOKENS_LIMIT
from commonground.play.session import StuckError

if TYPE_CHECKING:
    from inspect_ai.model import ModelUsage


class Budget:
    """Counts what models take, and says when that is enough.

    Limits are looked at before each call, so that the last call may go beyond those of tokens and
    cost.

    Args:
        calls: how often models may be asked; None for no limit.
        tokens: how many they may read and write; None for no limit.
        cost: what they may cost, in the currency of the prices; None for no limit.
        prices: of each model, by name; needed where cost is limited.

    Attributes:
        calls: how often models were asked.
        tokens: how many they read and wrote.
        cost: what they cost; None where no price is given.
    """

    def __init__(
        self,
        *,
        calls: int | None = None,
        tokens: int | None = None,
        cost: float | None = None,
        prices: Mapping[str, Price] | None = None,
    ) -> None:
        self._most_calls, self._most_tokens, self._most_cost = calls, tokens, cost
        self._prices = prices or {}
        self.calls = self.tokens = 0

        self.cost: float | None = 0.0 if self._prices else None

    def find_limit(self) -> tuple[str, str] | None:
        """Returns which limit is met, as the cause of aborted games and in a sentence."""
        if self._most_calls is not None and self.calls >= self._most_calls:
            return CALLS_LIMIT, f"The limit of {self._most_calls:,} calls is met."
        if self._most_tokens is not None and self.tokens >= self._most_tokens:
            said = f"The limit of {self._most_tokens:,} tokens is met: {self.tokens:,} were taken."
            return TOKENS_LIMIT, said
        if self._most_cost is not None and (self.cost or 0) >= self._most_cost:
            return COST_LIMIT, f"The limit of cost, {self._most_cost:g}, is met: {self.cost:.2f}."
        return None

    def find_stop(self) -> str:
        """Returns in a sentence why no further game is begun; empty where one may be."""
        found = self.find_limit()
        return "" if found is None else found[1]

    def begin_call(self) -> None:
        """Notes that a model is about to be asked.

        Raises:
            StuckError: a limit is met.
        """
        if found := self.find_limit():
            cause, message = found
            raise StuckError(message, cause=cause)
        self.calls += 1

    def end_call(self, model: str, usage: ModelUsage | None) -> None:
        """Notes what a call took, as its provider says; None where it does not.

        Raises:
            UsageError: it does not, and a limit of tokens or cost would be none.
        """
        if usage is None:
            if self._most_tokens is not None or self._most_cost is not None:
                raise UsageError(
                    f"The provider of {model} does not say how many tokens were used.",
                    "Limit its calls: --max-calls.",
                )
            return
        read = count_read(usage)
        self.tokens += read + usage.output_tokens
        if price := self._prices.get(model):
            took = {"input_tokens": read, "output_tokens": usage.output_tokens}
            self.cost = (self.cost or 0) + price.cost_of(took)


def count_read(usage: ModelUsage) -> int:
    """Counts the tokens that a model read, from a provider's cache or not."""
    cached = (usage.input_tokens_cache_read, usage.input_tokens_cache_write)
    return usage.input_tokens + sum(each or 0 for each in cached)
