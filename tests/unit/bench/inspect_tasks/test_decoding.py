"""Temperature 0, for providers that draw tokens unless they are told not to."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from inspect_ai import Task
from inspect_ai import eval as run_task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import GenerateConfig, Model, ModelAPI, ModelOutput, get_model, modelapi
from inspect_ai.solver import generate

from commonground.bench.inspect_tasks.asking.decoding import decode_greedily


@modelapi(name="drawing")
class Drawing(ModelAPI):
    """As the provider of transformers: it draws, and refuses to at temperature 0."""

    do_sample = True

    async def generate(self, *_: Any, config: GenerateConfig, **__: Any) -> Any:  # type: ignore[override]
        if self.do_sample and config.temperature == 0:
            raise ValueError("temperature has to be a strictly positive float")
        return ModelOutput.from_content("drawing", f"drawn: {self.do_sample}")


def make_task() -> Task:
    return Task(
        dataset=MemoryDataset([Sample(input="Which one?")]),
        setup=decode_greedily(0.0),
        solver=generate(),
        config=GenerateConfig(temperature=0.0),
    )


def ask(model: Model, logs: Path, **settings: Any) -> str:
    (log,) = run_task(make_task(), model=model, log_dir=str(logs), display="none", **settings)
    assert log.status == "success", log.error
    assert log.samples is not None
    return log.samples[0].output.completion


def test_nothing_is_drawn_at_temperature_0(tmp_path: Path) -> None:
    # One model for all, as inspect_ai keeps it for later tasks of a process.
    model = get_model("drawing/one", memoize=False)
    assert ask(model, tmp_path) == "drawn: False"
    assert ask(model, tmp_path, temperature=0.7) == "drawn: True"
    assert ask(model, tmp_path, temperature=0.0) == "drawn: False"


def test_a_model_that_was_told_not_to_draw_never_draws(tmp_path: Path) -> None:
    model = get_model("drawing/two", memoize=False)
    model.api.do_sample = False  # type: ignore[attr-defined]
    assert ask(model, tmp_path, temperature=0.7) == "drawn: False"
