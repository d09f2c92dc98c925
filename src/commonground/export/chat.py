"""Chat messages with tool calls, as JSON lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from commonground.errors import UsageError
from commonground.export.base import Export, Option, Options
from commonground.export.chat_examples import Example, make_examples, split_prompt
from commonground.export.chat_merging import merge_neighbours
from commonground.export.chat_messages import (
    Conversation,
    Message,
    Picture,
    Style,
    Talk,
    choose_speaker,
    legal_name,
)
from commonground.export.chat_metadata import Metadata
from commonground.export.chat_talks import read_talks, tell_beforehand
from commonground.export.loss import Carried, Loss, carry_all
from commonground.export.selection import Selection, quote
from commonground.export.tool_schemas import Tool, call_arguments, derive_tools, find_misfit
from commonground.model import Speaker

UNSPLIT = "unsplit"
"""Base name of the file of dialogues in no split."""

_EVENT_COLUMNS = ("event", "kind", "speaker", "text", "name", "arguments", "result")

_FEATURES = {
    "dialogues without the speaker": "Nobody there is called as `--as` says.",
    "actions of the others": "An action is shown to whoever does it, and to nobody else.",
    "displays to the others": "The speaker whose point of view is taken does not see them.",
    "displays without a picture": "They have no address, so there is no picture to show.",
    "displays at no event": "No event is where, or in the part in which, they are seen.",
    "dialogues without a turn": "With `--per turn`, a dialogue needs a turn of the assistant.",
    "events after the last turn": "With `--per turn`, no turn of the assistant follows them.",
    "displays after the last turn": "With `--per turn`, no turn of the assistant follows them.",
    "calls that fit no tool": "They do not fit the schema of their tool.",
}


def write(selection: Selection, out: Path, options: Options) -> Loss:
    """Writes ``CORPUS/SPLIT.jsonl`` and ``CORPUS/tools.json``."""
    if options["shape"] == "prompt" and options["per"] != "turn":
        raise UsageError("--shape prompt is for single turns.", "Add --per turn.")
    loss = Loss()
    style = Style(options["arguments"], options["images"], options["image_root"] or "")
    written = done = 0
    for corpus in selection.corpora:
        (out / corpus).mkdir()
        tools = find_tools(selection, corpus)
        _write_json(out / corpus / "tools.json", tools)
        writer = _Writer(out / corpus, tools, options, loss)
        with writer:
            for talk, speaker in _views(selection, corpus, options, loss):
                writer.write(Conversation(talk, speaker.speaker, style), speaker)
                done += 1
                selection.report(done, len(selection))
        written += writer.written
    if not written and options["as"]:
        speakers = selection.rows(f"SELECT DISTINCT speaker FROM {selection.source('speakers')}")
        names = ", ".join(sorted(row[0] for row in speakers)[:20])
        raise UsageError(f"No dialogue has a speaker {options['as']!r}.", f"There are: {names}.")
    return loss


def _add(loss: Loss, name: str, example: str, count: int = 1) -> None:
    loss.add(name, example, _FEATURES[name], count=count)


def find_tools(selection: Selection, corpus: str) -> dict[str, dict[str, Tool]]:
    """Works out the tools of a corpus from all its actions, by the role of who does them.

    They do not depend on what is chosen, so that every split has the same.
    """
    query = (
        "SELECT role, name, arguments, count(*) FROM events JOIN speakers "
        "USING (corpus, dialogue_id, speaker) "
        f"WHERE kind = 'action' AND corpus = {quote(corpus)} GROUP BY ALL"
    )
    by_role: dict[str, list[tuple[str, str | None, int]]] = {}
    for role, name, arguments, count in selection.rows(query):
        by_role.setdefault(role, []).append((legal_name(name), arguments, count))
    where = f"{{name}}, as it was used in {selection.manifests[corpus].title}."
    return {role: derive_tools(calls, where) for role, calls in sorted(by_role.items())}


def _write_json(path: Path, value: Any) -> None:
    path.write_bytes(msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n")


def _views(
    selection: Selection, corpus: str, options: Options, loss: Loss
) -> Iterator[tuple[Talk, Speaker]]:
    """Yields each dialogue with the speaker whose point of view is taken."""
    for talk, shown in read_talks(selection, corpus):
        place = f"{corpus}/{talk.dialogue_id}"
        speaker = choose_speaker(talk.speakers, options["as"])
        if speaker is None:
            name = "dialogues without the speaker"
            loss.leave_out(name, corpus, talk.dialogue_id, _FEATURES[name])
            continue
        seen = [row for row in shown if row.viewer in (None, speaker.speaker)]
        talk.pictures = [
            Picture(row.object_id, row.uri, row.event, row.segment, row.highlighted)
            for row in seen
            if row.uri is not None
        ]
        talk.system = tell_beforehand(talk.system, speaker, seen)
        if options["images"] != "none":
            _add(loss, "displays to the others", place, len(shown) - len(seen))
            _add(loss, "displays without a picture", place, len(seen) - len(talk.pictures))
        yield talk, speaker


class _Writer:
    """Writes the examples of a corpus, a file per split."""

    def __init__(
        self, folder: Path, tools: dict[str, dict[str, Tool]], options: Options, loss: Loss
    ) -> None:
        self._folder = folder
        self._tools = tools
        self._raw = {role: msgspec.Raw(encode(list(each.values()))) for role, each in tools.items()}
        self._options = options
        self._loss = loss
        self._files: dict[str, BinaryIO] = {}
        self.written = 0

    def write(self, conversation: Conversation, speaker: Speaker) -> None:
        """Writes the examples of a dialogue, and counts what is not in them."""
        facts = conversation.metadata
        place = f"{facts.corpus}/{facts.dialogue_id}"
        if self._options["merge"]:
            merge_neighbours(conversation)
        self._check(conversation, self._tools.get(speaker.role, {}), place)
        end = None
        for example in make_examples(conversation, self._options["per"]):
            end = len(example.messages or ())
            example.tools = self._raw.get(speaker.role)
            if self._options["shape"] == "prompt":
                example = split_prompt(example)
            self._put(facts.split, example)
        if end is None:
            name = "dialogues without a turn"
            self._loss.leave_out(name, facts.corpus, facts.dialogue_id, _FEATURES[name])
        else:
            self._count(conversation, end, place)
        self.written += 1

    def _count(self, conversation: Conversation, end: int, place: str) -> None:
        """Counts what is not in the messages, or only in those after the last turn."""
        hidden = conversation.hidden
        if hidden:
            _add(self._loss, "actions of the others", f"{place} event {hidden[0]}", len(hidden))
        _add(self._loss, "displays at no event", place, conversation.unplaced)
        left = _events_after(conversation.metadata, end)
        _add(self._loss, "events after the last turn", place, len(left))
        pictures = sum(map(_count_pictures, conversation.messages[end:]))
        _add(self._loss, "displays after the last turn", place, pictures)

    def _check(self, conversation: Conversation, tools: dict[str, Tool], place: str) -> None:
        """Holds every call against the schema of its tool."""
        for message in conversation.messages:
            for call in message.tool_calls or ():
                schema = tools[call.function.name].function.parameters
                misfit = find_misfit(schema, call_arguments(call.function.arguments))
                if misfit is not None:
                    _add(self._loss, "calls that fit no tool", f"{place} {call.id} {misfit}")

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


def _events_after(facts: Metadata, end: int) -> set[int]:
    """Returns the numbers of the events that only messages from a place on have."""
    alone = {event for event in facts.events[end:] if event is not None}
    return alone.union(each.event for each in facts.joined if each.message >= end)


def _count_pictures(message: Message) -> int:
    parts = message.content if isinstance(message.content, list) else []
    return sum(part["type"] != "text" for part in parts)


encode = msgspec.json.Encoder().encode


def carries(options: Options) -> Carried:
    """Says what messages and metadata hold."""
    columns: dict[str, tuple[str, ...]] = {
        "dialogues": ("corpus", "dialogue_id", "split", "domain", "n_events", "n_utterances"),
        "events": ("corpus", "dialogue_id", *_EVENT_COLUMNS),
        **carry_all("speakers"),
    }
    why = {
        "dialogues.attributes": "Only instructions to a user are told, as a system message.",
        "objects": "Only the addresses of pictures shown and one's own persona are written.",
    }
    if options["images"] == "none":
        why["displays"] = "Pictures were not asked for; see --images."
    else:
        columns |= carry_all("displays", but=["displays.attributes"])
    return Carried(columns=columns, why=why, otherwise="Chat messages have no place for it.")


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
    features=_FEATURES,
    options=(
        Option(
            name="arguments",
            help="Arguments of calls as JSON text (OpenAI) or as JSON (chat templates).",
            default="string",
            choices=("string", "object"),
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
        Option(name="image_root", help="Put before the addresses that are below a folder."),
        Option(
            name="metadata",
            help="In each line, or in a file beside; OpenAI takes lines without.",
            default="inline",
            choices=("inline", "beside"),
        ),
    ),
    example="chat OUT --corpus taskmaster4 --arguments object",
)
