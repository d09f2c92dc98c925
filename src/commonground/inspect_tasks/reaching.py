"""Whether the model that is about to be asked is there: inspect_ai would try again for ever."""

from __future__ import annotations

from inspect_ai.model._generate_config import active_generate_config
from inspect_ai.model._model import active_model

from commonground.rooms.players.models import require_reachable


def refuse_unreachable() -> None:
    """Makes sure that something answers where the model is asked.

    Models of roles are not known yet. With a cache, perhaps nobody need be asked.

    Raises:
        UsageError: nothing does.
    """
    model = active_model()
    if model is not None and not active_generate_config().cache:
        require_reachable(model)
