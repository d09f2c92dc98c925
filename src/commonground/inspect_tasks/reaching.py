"""Whether the models that are about to be asked are there: inspect_ai would try for ever."""

from __future__ import annotations

from inspect_ai.model import Model
from inspect_ai.model._generate_config import active_generate_config
from inspect_ai.model._model import active_model, model_roles

from commonground.rooms.models import require_reachable


def refuse_unreachable() -> None:
    """Makes sure that something answers where models are asked, those of roles among them.

    With a cache, perhaps nobody need be asked.

    Raises:
        UsageError: nothing does.
    """
    first = active_model()
    if first is None or active_generate_config().cache:
        return
    others = [_list_models(each) for each in model_roles().values()]
    for model in dict.fromkeys([first, *(model for each in others for model in each)]):
        require_reachable(model)


def _list_models(named: Model | list[Model]) -> list[Model]:
    return named if isinstance(named, list) else [named]
