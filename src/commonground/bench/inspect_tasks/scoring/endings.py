"""Why a model stopped, as its provider says: what it was kept from saying is no answer."""

from __future__ import annotations

from inspect_ai.model import ContentText, ModelOutput

from commonground.bench.evaluation.outcomes import CUT, FILTERED, OVERFLOW, REFUSED

_STOPS = {"model_length": OVERFLOW, "max_tokens": CUT, "content_filter": FILTERED}


def find_ending(output: ModelOutput) -> str | None:
    """Returns the outcome that a provider reports of a reply; None where it ended by itself."""
    if output.empty:
        return None
    if _is_refusal(output):
        return REFUSED
    return _STOPS.get(output.stop_reason)


def _is_refusal(output: ModelOutput) -> bool:
    details, content = output.choices[0].stop_details, output.message.content
    # A filter is reported as a refusal by some providers, with what stopped it.
    if details is not None and details.type == "refusal":
        return True
    parts = [] if isinstance(content, str) else content
    return any(isinstance(each, ContentText) and each.refusal for each in parts)
