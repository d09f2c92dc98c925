"""Chat messages with tool calls, as JSON lines."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from commonground.errors import UsageError
from commonground.export.base import Export, Option, Options
from commonground.export.chat_examples import Example, make_examples, split_prompt
from commonground.export.chat_loss import COUNTED, FEATURES, LossOfCorpus, add_loss
from commonground.export.chat_merging import merge_neighbours
from commonground.export.chat_messages import (
    Conversation,
    Style,
    Talk,
    choose_speaker,
    is_said,
    legal_name,
)
from commonground.export.chat_talks import read_talks, take_view
from commonground.export.loss import Carried, Loss, Partly, carry_all
from commonground.export.selection import Selection, quote
from commonground.export.tool_schemas import Tool, call_arguments, derive_tools, find_misfit
from commonground.model import Speaker

UNSPLIT = "unsplit"
"""Base name of the file of dialogues in no split."""

_EVENT_COLUMNS = ("event", "kind", "speaker", "text", "name", "arguments", "result")


def write(selection: Selection, out: Path, options: Options) -> Loss:
    """Writes ``CORPUS/SPLIT.jsonl`` and ``CORPUS/tools.json``."""
    if options["shape"] == "prompt" and options["per"] != "turn":
        raise UsageError("--shape prompt is for single turns.", "Add --per turn.")
    loss = Loss()
    written = done = 0
    for corpus in selection.corpora:
        (out / corpus).mkdir()
        style = _find_style(selection, corpus, options)
        tools = find_tools(selection, corpus, style.idle)
        _write_json(out / corpus / "tools.json", tools)
        missing = LossOfCorpus(loss, shows_pictures=style.images != "none")
        writer = _Writer(out / corpus, tools, options, loss, missing)
        with writer:
            for talk, speaker in _views(selection, corpus, options["as"], missing):
                writer.write(talk, Conversation(talk, speaker.speaker, style), speaker)
                done += 1
                selection.report(done, len(selection))
        missing.count_objects(selection, corpus)
        written += writer.written
    if not written and options["as"]:
        speakers = selection.rows(f"SELECT DISTINCT speaker FROM {selection.source('speakers')}")
        names = ", ".join(sorted(row[0] for row in speakers)[:20])
        raise UsageError(f"No dialogue has a speaker {options['as']!r}.", f"There are: {names}.")
    return loss


def _find_style(selection: Selection, corpus: str, options: Options) -> Style:
    idle = () if options["silent"] else selection.manifests[corpus].idle_actions
    root = options["image_root"] or ""
    return Style(options["arguments"], options["images"], root, frozenset(idle))


def find_tools(
    selection: Selection, corpus: str, idle: Collection[str] = ()
) -> dict[str, dict[str, Tool]]:
    """Works out the tools of a corpus from all its actions, by the role of who does them.

    They do not depend on what is chosen, so that every split has the same.

    Args:
        selection: what is exported.
        corpus: name of the corpus.
        idle: names of actions that do nothing, and are no tools.
    """
    query = (
        "SELECT role, name, arguments, count(*) FROM events JOIN speakers "
        "USING (corpus, dialogue_id, speaker) "
        f"WHERE kind = 'action' AND corpus = {quote(corpus)} GROUP BY ALL"
    )
    by_role: dict[str, list[tuple[str, str | None, int]]] = {}
    for role, name, arguments, count in selection.rows(query):
        if name in idle:
            continue
        by_role.setdefault(role, []).append((legal_name(name), arguments, count))
    where = f"{{name}}, as it was used in {selection.manifests[corpus].title}."
    return {role: derive_tools(calls, where) for role, calls in sorted(by_role.items())}


def _write_json(path: Path, value: Any) -> None:
    path.write_bytes(msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n")


def _views(
    selection: Selection, corpus: str, wanted: str | None, missing: LossOfCorpus
) -> Iterator[tuple[Talk, Speaker]]:
    """Yields each dialogue with the speaker whose point of view is taken."""
    for talk, shown in read_talks(selection, corpus):
        speaker = choose_speaker(talk.speakers, wanted)
        if speaker is None:
            missing.leave_out("dialogues without the speaker", corpus, talk.dialogue_id)
            continue
        take_view(talk, speaker, shown)
        yield talk, speaker


class _Writer:
    """Writes the examples of a corpus, a file per split."""

    def __init__(
        self,
        folder: Path,
        tools: dict[str, dict[str, Tool]],
        options: Options,
        loss: Loss,
        missing: LossOfCorpus,
    ) -> None:
        self._folder = folder
        self._tools = tools
        self._raw = {role: msgspec.Raw(encode(list(each.values()))) for role, each in tools.items()}
        self._options = options
        self._loss = loss
        self._missing = missing
        self._files: dict[str, BinaryIO] = {}
        self.written = 0

    def write(self, talk: Talk, conversation: Conversation, speaker: Speaker) -> None:
        """Writes the examples of a dialogue, and counts what is not in them."""
        self.written += 1
        if not self._options["silent"] and not is_said(talk):
            self._missing.leave_out("dialogues without words", talk.corpus, talk.dialogue_id)
            return
        place = f"{talk.corpus}/{talk.dialogue_id}"
        if self._options["merge"]:
            merge_neighbours(conversation)
        self._check(conversation, self._tools.get(speaker.role, {}), place)
        end = None
        for example in make_examples(conversation, self._options["per"]):
            end = len(example.messages or ())
            example.tools = self._raw.get(speaker.role)
            if self._options["shape"] == "prompt":
                example = split_prompt(example)
            self._put(talk.split, example)
        if end is None:
            self._missing.leave_out("dialogues without a turn", talk.corpus, talk.dialogue_id)
        else:
            self._missing.count(talk, conversation, end)

    def _check(self, conversation: Conversation, tools: dict[str, Tool], place: str) -> None:
        """Holds every call against the schema of its tool."""
        for message in conversation.messages:
            for call in message.tool_calls or ():
                schema = tools[call.function.name].function.parameters
                misfit = find_misfit(schema, call_arguments(call.function.arguments))
                if misfit is not None:
                    add_loss(self._loss, "calls that fit no tool", f"{place} {call.id} {misfit}")

    def _put(self, split: str | None, example: Example) -> None:
        name = re.sub(r"[^\w.-]", "_", split) if split else UNSPLIT
        if self._options["metadata"] == "beside":
            self._file(f"{name}.metadata.jsonl").write(encode(example.metadata) + b"\n")
            example.metadata = None
        self._file(f"{name}.jsonl").write(encode(example) + b"\n")

    def _file(self, name: str) -> BinaryIO:
        if name not in self._files:
            self._files[name] = (self._folder / name).open("wb")
        return self._files[name]

    def __enter__(self) -> _Writer:
        return self

    def __exit__(self, *_: object) -> None:
        for file in self._files.values():
            file.close()


encode = msgspec.json.Encoder().encode


def carries(options: Options) -> Carried:
    """Says what messages and metadata hold."""
    dialogues = ("split", "domain", "n_events", "n_utterances", "attributes")
    columns: dict[str, tuple[str, ...]] = {
        "dialogues": ("corpus", "dialogue_id", *dialogues),
        "events": ("corpus", "dialogue_id", *_EVENT_COLUMNS),
        "objects": ("corpus", "object_id", "title", "uri"),
        **carry_all("speakers"),
    }
    why = {"displays": "A picture stands before what is said next, whoever else sees it."}
    unmarked: list[Partly] = []
    if options["images"] == "none":
        why["displays"] = "Pictures were not asked for; see --images."
    else:
        columns["displays"] = ("corpus", "dialogue_id", "object_id", "highlighted")
        reason = "A mark says that an object was highlighted, and nothing that it was not."
        unmarked.append(Partly(column="displays.highlighted", lost="NOT highlighted", why=reason))
    return Carried(
        columns=columns,
        partly=unmarked,
        counted=COUNTED,
        why=why,
        otherwise="Chat messages have no place for it.",
    )


EXPORT = Export(
    name="chat",
    title="Chat messages with tool calls, as JSON lines",
    summary="A folder per corpus with one JSONL file per split, for fine-tuning (OpenAI, TRL) and "
    "agent evaluation. A line has `messages`, `tools` where there are any, and `metadata`. API "
    "calls, searches and selections are tool calls with an id, each followed by a `tool` message "
    "with the result (`null` where nothing came back). `tools` is worked out from all calls in "
    "the corpus, and every call is held against it. `weight` and `metadata.loss_mask` say which "
    "messages are to be learned. The assistant is the speaker of that role, or else the first.",
    carries=carries,
    write=write,
    features=FEATURES,
    options=(
        Option(
            name="arguments",
            help="Arguments of calls as JSON (chat templates) or as JSON text (OpenAI's API).",
            default="object",
            choices=("object", "string"),
        ),
        Option(name="as", help="Speaker who is the assistant: A, B, user, wizard, ..."),
        Option(
            name="per",
            help="One example per dialogue, or one per turn of the assistant.",
            default="dialogue",
            choices=("dialogue", "turn"),
        ),
        Option(
            name="shape",
            help="`messages` with weights, or `prompt` and `completion` (TRL; with --per turn).",
            default="messages",
            choices=("messages", "prompt"),
        ),
        Option(
            name="images",
            help="Pictures as parts with an address (OpenAI), as bare parts and a list `images` "
            "(TRL), or not at all.",
            default="url",
            choices=("url", "files", "none"),
        ),
        Option(
            name="merge",
            help="Join neighbouring messages of one role, for templates that refuse them.",
            default=False,
        ),
        Option(
            name="silent",
            help="Keep dialogues in which nothing is said, and calls that do nothing (SIMMC's "
            "`None`).",
            default=False,
        ),
        Option(name="image_root", help="Put before the addresses that are below a folder."),
        Option(
            name="metadata",
            help="In each line, or in a file beside; OpenAI takes lines without.",
            default="inline",
            choices=("inline", "beside"),
        ),
    ),
    example="chat OUT --corpus taskmaster4 --arguments string",
)
