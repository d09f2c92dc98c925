"""A tiny transformer of our own, trained in a minute on text of simulated corpora.

It can do nothing well, and need not: it is read, asked and counted as any other local model is. It
sees the last hundred tokens or so before its answer, so that long instructions cost little.

    python -m tests.models.tiny FOLDER STORE PLAYED
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from random import Random

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import MistralConfig, MistralForCausalLM, PreTrainedTokenizerFast

from commonground.play.scenario import Act
from commonground.play.sessions.session_logs import LOG_NAME, read_sessions

END, ASKED, TOOLS, ANSWER = "<|end|>", "<|asked|>", "<|tools|>", "<|answer|>"
TEMPLATE = (
    "{% for message in messages %}" + ASKED + "{{ message['content'] }}{% endfor %}"
    "{% if tools %}" + TOOLS + "{% endif %}" + ANSWER
)
"""What has tools and what has none is marked right before the answer, where the model looks."""

TASKS = ("frames_nlu", "taskmaster3_spans")
VOCABULARY, WINDOW, LENGTH = 1200, 64, 192
STEPS, BATCH = 300, 16


def list_texts(store: Path, played: Path) -> Iterator[tuple[str, str]]:
    """Yields what the model is trained on: a prompt, and what is to be said to it."""
    from commonground.bench.inspect_tasks.asking.questions import Asking, make_dataset

    for name in TASKS:
        corpus, _, task = name.partition("_")
        made = make_dataset(
            Asking(task=f"{corpus}/{task}", corpus=corpus, split="all", store=str(store))
        )
        for sample in made.dataset:
            assert not isinstance(sample.input, str)
            asked = ASKED.join([made.ask, *(each.text for each in sample.input)])
            yield f"{ASKED}{asked}{ANSWER}", f"{sample.target}"
    for log in read_sessions(played / LOG_NAME):
        for before, act in pairwise(log.acts):
            if act.role == "user":
                said = str(before.payload.get("text", ""))
                yield f"{ASKED}{said}{TOOLS}{ANSWER}", write_call(act)


def write_call(act: Act) -> str:
    """Writes an act as a call of a tool, in the form that inspect_ai reads."""
    call = json.dumps({"name": act.type.replace(".", "_"), "arguments": act.payload})
    return f"<tool_call>{call}</tool_call>"


def train_tokenizer(texts: Sequence[str]) -> PreTrainedTokenizerFast:
    """Trains pairs of bytes on texts; any text can be written with them."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY,
        special_tokens=[END, ASKED, TOOLS, ANSWER],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token=END, pad_token=END)
    fast.chat_template = TEMPLATE
    return fast


def train(texts: Sequence[tuple[str, str]], folder: Path) -> float:
    """Trains the model, saves it as transformers reads it, and returns its last loss.

    Args:
        texts: prompts, each with its answer.
        folder: where model and tokenizer are saved.
    """
    torch.manual_seed(0)
    tokenizer = train_tokenizer([f"{asked}{answer}" for asked, answer in texts])
    model = MistralForCausalLM(
        MistralConfig(
            vocab_size=len(tokenizer),
            hidden_size=96,
            intermediate_size=256,
            num_hidden_layers=2,
            num_attention_heads=4,
            num_key_value_heads=2,
            max_position_embeddings=32_768,
            sliding_window=WINDOW,
            bos_token_id=None,
            eos_token_id=tokenizer.eos_token_id,
            pad_token_id=tokenizer.pad_token_id,
        )
    )
    lines = [tokenizer(f"{asked}{answer}{END}")["input_ids"][-LENGTH:] for asked, answer in texts]
    chosen, adam = Random(0), torch.optim.AdamW(model.parameters(), lr=3e-3)
    loss = torch.tensor(0.0)
    for _step in range(STEPS):
        rows = chosen.sample(lines, min(BATCH, len(lines)))
        longest = max(map(len, rows))
        end = tokenizer.eos_token_id
        told = torch.tensor([[*row, *[end] * (longest - len(row))] for row in rows])
        past_end = torch.arange(longest) >= torch.tensor([[len(row)] for row in rows])
        loss = model(input_ids=told, labels=told.masked_fill(past_end, -100)).loss
        adam.zero_grad()
        loss.backward()
        adam.step()
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return float(loss)


if __name__ == "__main__":
    out, store, played = map(Path, sys.argv[1:])
    print(f"{train(list(list_texts(store, played)), out):.3f}")  # noqa: T201 - a script
