"""Temperature 0 for models that run here, whose provider asks for it in another way."""

from __future__ import annotations

from weakref import WeakKeyDictionary

from inspect_ai.model import Model, ModelAPI, get_model
from inspect_ai.model._generate_config import active_generate_config
from inspect_ai.solver import Generate, Solver, TaskState, solver

_draws: WeakKeyDictionary[ModelAPI, bool] = WeakKeyDictionary()
"""Whether a model was made to draw tokens; inspect_ai keeps it for later tasks of the process."""


@solver(name="decode_greedily")
def decode_greedily(temperature: float | None) -> Solver:
    """Makes temperature 0 mean the likeliest token, whichever model is asked.

    Providers of models that are run here (``hf/``) draw tokens unless they are told not to, and
    transformers refuses to draw at temperature 0.

    Args:
        temperature: that of the task, which ``--temperature`` goes before; None for the model's.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:  # noqa: ARG001 - inspect_ai's
        model = get_model()
        if hasattr(model.api, "do_sample"):
            draws = _draws.setdefault(model.api, model.api.do_sample)
            model.api.do_sample = draws and _find_temperature(model, temperature) != 0
        return state

    return solve


def _find_temperature(model: Model, temperature: float | None) -> float | None:
    given = (active_generate_config().temperature, model.config.temperature, temperature)
    return next((each for each in given if each is not None), None)
