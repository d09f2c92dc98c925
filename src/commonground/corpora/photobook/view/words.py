"""What players of PhotoBook did, in words, for people who have never seen the game."""

from __future__ import annotations

from commonground.model import Action, Dialogue

_CLICKS = {"feedback": "submits the page", "next_round": "goes on to the next page"}
_MARKS = {
    "common": "marks this picture as one that both players see",
    "different": "marks this picture as one that the partner does not see",
}


def say_action(dialogue: Dialogue, event: int) -> str | None:
    """Returns an action in words, which say nothing of whether it is right.

    It is half a sentence that follows a name; None for what is none of the known actions.
    """
    action = dialogue.events[event]
    if not isinstance(action, Action):
        return None
    given = action.arguments if isinstance(action.arguments, dict) else {}
    if action.name == "selection":
        return _MARKS.get(str(given.get("label")))
    if action.name == "usr_feedback":
        comment = str(given.get("text") or "").strip()
        return f"rates the game and writes: “{comment}”" if comment else "rates the game"
    return _CLICKS.get(action.name)
