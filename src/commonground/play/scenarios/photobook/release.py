"""A game that was played, as a released log."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import msgspec

from commonground.corpora.photobook import native
from commonground.play import scenario
from commonground.play.scenario import Act, Sitting

if TYPE_CHECKING:
    from commonground.play.scenarios.photobook.rules import PhotobookState

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LABELS = {
    "common": native.SELECTION + native.COMMON,
    "different": native.SELECTION + native.DIFFERENT,
}
# A message is one line; a comment may have been typed in several.
_SPACES = str.maketrans("\n\r\t", "   ")


def build_game(state: PhotobookState, sitting: Sitting) -> native.Game | None:
    """Builds the log of a game; None for one in which nobody did anything."""
    # The clock of a log starts with the first message, whichever round it is in.
    first_us = next((acts[0].at_us for acts in state.acts if acts), None)
    if first_us is None:
        return None
    agents, answers = sitting.agents, state.answers
    start = EPOCH + timedelta(microseconds=first_us)
    rounds = [
        _build_round(state, number, first_us, agents)
        for number, acts in enumerate(state.acts, 1)
        if acts
    ]
    return native.Game(
        game_id=sitting.number,
        domain_id=state.setting.material.domain_id,
        agent_ids=[agents["A"], agents["B"]],
        agent_labels=["A", "B"],
        # With six digits after the second, without a zone.
        start_time=start.replace(tzinfo=None).isoformat(timespec="microseconds"),
        feedback=native.Feedback(A=_squeeze(answers.get("A")), B=_squeeze(answers.get("B"))),
        rounds=rounds,
    )


def _build_round(
    state: PhotobookState, number: int, first_us: int, agents: dict[str, int]
) -> native.Round:
    page, turn, messages = state.setting.pages[number - 1], 0, []
    for act in state.acts[number - 1]:
        speaker = act.role or ""
        message = native.Message(
            timestamp=render_clock(act.at_us - first_us),
            turn=turn,
            speaker=speaker,
            agent_id=agents[speaker],
            message=_render_act(act),
        )
        messages.append(message)
        # Not a speaker's turn: marks and submissions leave it, all else moves it on.
        # All 294,370 released messages are numbered so, whatever their documentation says.
        turn += act.type not in ("photobook.mark", "photobook.submit")
    return native.Round(
        round_nr=number,
        score=native.Scores(A=state.score(number, "A"), B=state.score(number, "B")),
        images=native.Displays(A=list(page.A.images), B=list(page.B.images)),
        common=page.common(),
        highlighted=native.Highlights(A=list(page.A.highlighted), B=list(page.B.highlighted)),
        messages=messages,
    )


def _render_act(act: Act) -> str:
    """Writes an act as a message: a text, or a tag with what belongs to it."""
    match act.type:
        case scenario.CHAT:
            text: str = act.payload["text"]
            return text
        case "photobook.mark":
            return f"{_LABELS[act.payload['label']]}{act.payload['image']}"
        case "photobook.submit":
            return native.SUBMIT
        case "photobook.next":
            return native.NEXT_ROUND
    return native.QUESTIONNAIRE + _render_sent(msgspec.convert(act.payload, native.Answers))


def _render_sent(answers: native.Answers) -> str:
    """Writes a questionnaire on one line; ``<&>`` divides its parts, so no text may have it."""
    text = answers.text.translate(_SPACES).replace("<&>", "&")
    # Most released messages have a space before the comment.
    return native.render_answers(msgspec.structs.replace(answers, text=f" {text}"))


def _squeeze(answers: native.Answers | None) -> str | None:
    # The released feedback is the message with all white space taken out.
    return None if answers is None else "".join(_render_sent(answers).split())


def render_clock(elapsed_us: int) -> str:
    """Writes a time since the first message; only that message itself has no fraction."""
    if elapsed_us == 0:
        return "00:00:00"
    seconds, rest_us = divmod(elapsed_us, 1_000_000)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours:02d}:{minutes:02d}:{seconds:02d}.{rest_us:06d}"
