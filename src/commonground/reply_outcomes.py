"""What became of questions: a reply that answers, or one of eight reasons why there is none."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from inspect_ai.model import ModelOutput

OVERFLOW = "context overflow"
FILTERED = "content filter"
CUT = "cut off"
REFUSED = "refusal"
MALFORMED = "malformed"
UNKNOWN = "unknown name"
EMPTY = "empty"
UNJUDGED = "grader failed"
FAILED = "failed call"

OUTCOMES = {
    OVERFLOW: "The question is longer than the model can read; the reply is not an answer.",
    FILTERED: "The provider's filter stopped the reply.",
    CUT: "The reply reached the token limit before its end.",
    REFUSED: "The provider says that the model refused.",
    MALFORMED: "The reply has another form than was asked for.",
    UNKNOWN: "The reply uses a name that is in no right answer and no question.",
    EMPTY: "There is no reply.",
    UNJUDGED: "The judge's reply cannot be read; the official scores are not affected.",
}
"""Why a reply is no answer, or no good one, by name with a sentence each."""

ENDINGS = (OVERFLOW, FILTERED, CUT, REFUSED)
"""What a provider says of a reply: then nothing that it holds is read as an answer."""


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
    return any(part.type == "text" and part.refusal for part in parts)


def count_outcomes(found: Iterable[str | None]) -> dict[str, int]:
    """Counts what became of questions, in order of :data:`OUTCOMES`; None is an answered one."""
    counts = dict.fromkeys(OUTCOMES, 0)
    for each in found:
        if each is not None:
            counts[each] = counts.get(each, 0) + 1
    return counts
