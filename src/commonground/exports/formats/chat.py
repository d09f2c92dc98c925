"""Chat messages with tool calls, as JSON lines.

:mod:`.chat_messages` makes messages of a dialogue. Here they become lines of files, one per
dialogue or per turn, with the tools of the corpus; what is in no message is counted.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from commonground.errors import UsageError
from commonground.exports.files import SplitFiles, name_split, write_json
from commonground.exports.format import Export, Option, Options
from commonground.exports.formats.chat_messages import (
    Conversation,
    Message,
    Metadata,
    Style,
    legal_name,
)
from commonground.exports.formats.chat_targets import FEATURES as FITTED
from commonground.exports.formats.chat_targets import PLAIN, TARGETS, ExampleTarget, fit_messages
from commonground.exports.loss import Carried, Feature, Loss, Partly, carry_all
from commonground.exports.point_of_view import (
    SeenDialogue,
    has_words,
    read_seen,
    refuse_speaker,
)
from commonground.exports.selection import Selection
from commonground.exports.tool_schemas import Tool, call_arguments, derive_tools, find_misfit
from commonground.schema import quote_sql
from commonground.store.pictures import PictureFile

_LATE = "Nothing that the assistant says or does follows them."
_NO_FILE, _NO_WEB = "displays of missing or broken pictures", "displays without a web address"
_FEATURES = {
    **FITTED,
    _NO_FILE: Feature("No picture can be read from the image folder.", ("displays",)),
    _NO_WEB: Feature("OpenAI fetches pictures: see --image-root.", ("displays",)),
    "dialogues without the speaker": Feature(
        "No speaker has the name that `--as` gives, or only users speak.", ("dialogues",)
    ),
    "actions of the others": Feature("Only the speaker who acts sees an action.", ("events",)),
    "actions that do nothing": Feature(
        "They are useless for training; --silent keeps them.", ("events",)
    ),
    "withheld utterances": Feature(
        "The authors withhold them, so there are no words to learn.", ("events",)
    ),
    "dialogues without words": Feature(
        "They are useless for training; --silent keeps them.", ("dialogues",)
    ),
    "displays to the others": Feature(
        "The speaker whose point of view is chosen does not see them.", ("displays",)
    ),
    "displays without a picture": Feature(
        "They have no address, so there is no picture to show.", ("displays",)
    ),
    "displays at no event": Feature(
        "They belong to no event, and that part of the dialogue has none.", ("displays",)
    ),
    "dialogues without a turn": Feature(
        "The assistant says and does nothing in them.", ("dialogues",)
    ),
    "events after the last turn": Feature(_LATE, ("events",)),
    "displays after the last turn": Feature(_LATE, ("displays",)),
    "calls that fit no tool": Feature("They do not fit the schema of their tool."),
}

_UNSEEN = "Only pictures shown to the assistant are written, with their ids."
_COUNTED = {
    "dialogues.attributes": "Only instructions to a user are kept, as a system message to them.",
    "events.result": "A line ends with the assistant: a call that is last has no result.",
    "objects.object_id": _UNSEEN,
    "objects.title": "Only the assistant's own persona is kept.",
    "objects.uri": _UNSEEN,
}
"""Columns of which some values are written, with the reason why others are not."""

_EVENT_COLUMNS = ("event", "kind", "speaker", "text", "name", "arguments", "result")

_encode = msgspec.json.Encoder().encode


def write(selection: Selection, out: Path, **options: Any) -> Loss:
    """Writes ``CORPUS/SPLIT.jsonl`` and ``CORPUS/tools.json``.

    Args:
        options: those that ``EXPORT`` declares; a line of a file depends on nearly all of them.

    Raises:
        UsageError: options do not go together, or nobody has the name that is asked for.
    """
    target, options = _settle(options)
    if options["shape"] == "prompt" and options["per"] != "turn":
        raise UsageError("--shape prompt is for single turns.", "Add --per turn.")
    loss = Loss(_FEATURES)
    written = sum(
        _write_corpus(selection, out, corpus, target, options, loss) for corpus in selection.corpora
    )
    # Nobody has the name in any corpus: a typing error, and no loss to be counted.
    if not written and options["as_"]:
        raise refuse_speaker(selection, options["as_"], loss)
    return loss


def _settle(options: Options) -> tuple[ExampleTarget, dict[str, Any]]:
    """Returns the target, and the options as it wants them where they do not say otherwise."""
    target = TARGETS.get(options["for_"] or "", PLAIN)
    wanted = {name: getattr(target, name) for name in ("arguments", "images", "metadata")}
    return target, {**options, **{n: options[n] or value for n, value in wanted.items()}}


def _write_corpus(
    selection: Selection,
    out: Path,
    corpus: str,
    target: ExampleTarget,
    options: Options,
    loss: Loss,
) -> int:
    """Writes the files of a corpus; returns how many dialogues the wanted speaker is in."""
    (out / corpus).mkdir()
    style = _find_style(selection, corpus, target, options)
    tools = find_tools(selection, corpus, style.idle)
    write_json(out / corpus / "tools.json", tools)
    missing = _LossOfCorpus(loss, shows_pictures=style.images != "none")
    held_out = _hold_out(selection, corpus, options)
    with SplitFiles(out / corpus) as files:
        writer = _Writer(files, tools, target, options, missing, held_out)
        for dialogue, speaker in read_seen(selection, corpus, options["as_"]):
            if speaker is None:
                loss.leave_out("dialogues without the speaker", corpus, dialogue.dialogue_id)
            else:
                writer.write(dialogue, Conversation(dialogue, speaker.speaker, style), speaker.role)
    missing.count_objects(selection, corpus)
    return writer.written


def _hold_out(
    selection: Selection, corpus: str, options: Mapping[str, Any]
) -> frozenset[str] | None:
    """Returns the ids of the dialogues to hold out; None where files are of the released splits.

    Raises:
        UsageError: the share is none, or there is a single dialogue.
    """
    from commonground.store.importing.own_splits import hold_out

    if options["holdout"] is None:
        return None
    share, seed = _read_number(options, "holdout"), _read_number(options, "seed")
    if not 0 < share < 1:
        raise UsageError(
            f"A hold-out is a share above 0 and below 1, not {share:g}.", "Such as 0.1."
        )
    ids = selection.ids(corpus)
    if len(ids) < 2:
        raise UsageError(f"Of {corpus} a single dialogue is chosen: none can be held out.")
    return frozenset(hold_out([[each] for each in ids], share, int(seed)))


def _read_number(options: Mapping[str, Any], name: str) -> float:
    value = options[name]
    try:
        return float(value)
    except (TypeError, ValueError):
        raise UsageError(f"--{name} takes a number, not {str(value)!r}.") from None


def _find_style(
    selection: Selection, corpus: str, target: ExampleTarget, options: Options
) -> Style:
    idle = () if options["silent"] else selection.manifests[corpus].idle_actions
    root = options["image_root"] or ""
    pictures = selection.store.corpus(corpus).pictures

    @cache
    def refuse(address: str) -> str | None:
        is_on_web = "://" in address
        if target.is_api and options["images"] == "url" and not is_on_web and "://" not in root:
            return _NO_WEB
        if not pictures.folder or is_on_web or isinstance(pictures.find(address), PictureFile):
            return None
        return _NO_FILE

    return Style(options["arguments"], options["images"], root, frozenset(idle), refuse)


def find_tools(
    selection: Selection, corpus: str, idle: Collection[str] = ()
) -> dict[str, dict[str, Tool]]:
    """Works out the tools of a corpus from all its actions, by the role of who does them.

    They do not depend on what is chosen, so that every split has the same. Actions that ``idle``
    names do nothing, and are no tools.
    """
    query = (
        "SELECT role, name, arguments, count(*) FROM events JOIN speakers "
        "USING (corpus, dialogue_id, speaker) "
        f"WHERE kind = 'action' AND corpus = {quote_sql(corpus)} GROUP BY ALL"
    )
    # By role, since the tools of a wizard are not those of a user.
    by_role: dict[str, list[tuple[str, str | None, int]]] = {}
    for role, name, arguments, count in selection.rows(query):
        if name in idle:
            continue
        by_role.setdefault(role, []).append((legal_name(name), arguments, count))
    where = f"{{name}}, as it was used in {selection.manifests[corpus].title}."
    return {role: derive_tools(calls, where) for role, calls in sorted(by_role.items())}


class _Writer:
    """Writes the examples of a corpus, a file per split.

    Args:
        tools: by role and name.
        held_out: ids of the dialogues for the file ``test``, all others being for ``train``; None
            for a file for each released split.
    """

    def __init__(
        self,
        files: SplitFiles,
        tools: dict[str, dict[str, Tool]],
        target: ExampleTarget,
        options: Options,
        missing: _LossOfCorpus,
        held_out: frozenset[str] | None,
    ) -> None:
        self._files = files
        self._held_out = held_out
        self._tools = tools
        self._target = target
        # Encoded once: every line of a corpus has the same tools.
        self._raw = {
            role: msgspec.Raw(_encode(list(each.values())))
            for role, each in tools.items()
            if target.calls != "none"
        }
        self._options = options
        self._missing = missing
        self.written = 0

    def write(self, dialogue: SeenDialogue, conversation: Conversation, role: str) -> None:
        """Writes the examples of a dialogue, and counts what is not in them.

        ``role`` is that of the speaker whose point of view is taken: it says which tools there are.
        """
        self.written += 1
        if not self._options["silent"] and not has_words(dialogue):
            self._missing.leave_out("dialogues without words", dialogue)
            return
        unfit = fit_messages(conversation, self._target, merge=self._options["merge"])
        self._check(conversation, self._tools.get(role, {}), dialogue)
        end = None
        for example in make_examples(conversation, self._options["per"]):
            # Examples of a dialogue all begin at its start, so the last has what the others have.
            # Taken here, as a prompt and completion have no ``messages`` any more.
            end = len(example.messages or ())
            example.tools = self._raw.get(role)
            if self._options["shape"] == "prompt":
                example = split_prompt(example)
            self._put(dialogue, example)
        if end is None:
            self._missing.leave_out("dialogues without a turn", dialogue)
        else:
            self._missing.count(dialogue, conversation, end)
            for name, count in unfit.items():
                self._missing.add(name, dialogue.place, count)

    def _check(
        self, conversation: Conversation, tools: dict[str, Tool], dialogue: SeenDialogue
    ) -> None:
        """Holds every call against the schema of its tool."""
        for message in conversation.messages:
            for call in message.tool_calls or ():
                schema = tools[call.function.name].function.parameters
                misfit = find_misfit(schema, call_arguments(call.function.arguments))
                if misfit is not None:
                    self._missing.add(
                        "calls that fit no tool", f"{dialogue.place} {call.id} {misfit}"
                    )

    def _put(self, dialogue: SeenDialogue, example: ChatExample) -> None:
        split = dialogue.split
        if self._held_out is not None:
            split = "test" if dialogue.dialogue_id in self._held_out else "train"
        name = name_split(split)
        if self._options["metadata"] == "beside":
            self._files.write_line(f"{name}.metadata.jsonl", _encode(example.metadata))
            example.metadata = None
        self._files.write_line(f"{name}.jsonl", _encode(example))


class ChatExample(msgspec.Struct, omit_defaults=True):
    """A line of the file: either ``messages``, or ``prompt`` and ``completion``.

    Attributes:
        prompt: messages before the turn that is to be learned, which is the ``completion``.
        tools: encoded list of tools; None where the assistant has none.
        images: addresses of the pictures, where their parts have none.
        metadata: what the messages have no room for; None where it stands beside.
    """

    messages: list[Message] | None = None
    prompt: list[Message] | None = None
    completion: list[Message] | None = None
    tools: msgspec.Raw | None = None
    images: list[str] | None = None
    metadata: Metadata | None = None


def split_turns(messages: Sequence[Message]) -> Iterator[tuple[int, int]]:
    """Yields first and last-plus-one message of each run of the assistant and its tools.

    A run ends with the assistant: what its last call gave back is nothing to be learned.
    """
    start, end = None, 0
    for number, message in enumerate(messages):
        if message.role == "assistant":
            start, end = number if start is None else start, number + 1
        elif message.role != "tool" and start is not None:
            yield start, end
            start = None
    if start is not None:
        yield start, end


def _make_example(conversation: Conversation, start: int, end: int) -> ChatExample:
    """Returns the messages before ``end``; the assistant's from ``start`` on are to be learned.

    OpenAI's fine-tuning takes ``weight`` 0 or 1 on messages of the assistant, and on no others;
    ``loss_mask`` says the same for trainers that know no weights.
    """
    rows, messages = conversation.rows[:end], []
    for number, row in enumerate(rows):
        message = row.message
        if message.role == "assistant":
            message = msgspec.structs.replace(message, weight=int(number >= start))
        messages.append(message)
    facts = conversation.metadata
    metadata = msgspec.structs.replace(
        facts,
        events=[row.event for row in rows],
        said_by=[row.said_by for row in rows],
        loss_mask=[message.weight == 1 for message in messages],
        joined=[each for each in facts.joined if each.message < end],
    )
    # A count includes the messages before, so that of the last message taken is that of all.
    images = conversation.images[: rows[-1].images] if rows else []
    return ChatExample(messages=messages, images=images or None, metadata=metadata)


def make_examples(conversation: Conversation, per: str) -> Iterator[ChatExample]:
    """Yields one example for the dialogue, or one for each turn of the assistant.

    Each ends with a message of the assistant; there is none where the assistant has no turn.
    ``per`` is ``dialogue`` or ``turn``.
    """
    turns = list(split_turns(conversation.messages))
    if per == "dialogue":
        turns = [(0, end) for _start, end in turns[-1:]]
    for start, end in turns:
        yield _make_example(conversation, start, end)


def split_prompt(example: ChatExample) -> ChatExample:
    """Returns an example of one turn as prompt and completion, which say what is to be learned."""
    assert example.metadata is not None  # noqa: S101 - it is taken out later, if at all
    start = example.metadata.loss_mask.index(True)
    messages = example.messages or []
    bare = [msgspec.structs.replace(message, weight=None) for message in messages]
    return msgspec.structs.replace(
        example, messages=None, prompt=bare[:start], completion=bare[start:]
    )


class _LossOfCorpus:
    def __init__(self, loss: Loss, *, shows_pictures: bool) -> None:
        self._loss = loss
        self._shows_pictures = shows_pictures
        self._shown: set[str] = set()
        self._told: set[str] = set()

    def add(self, name: str, example: str, count: int = 1) -> None:
        """Counts one of the features, or values of one of the columns :data:`_COUNTED`.

        Nothing is noted of a count of 0.
        """
        if name in _COUNTED:
            self._loss.add_as("column", name, example, _COUNTED[name], count)
        else:
            self._loss.add(name, example, count)

    def leave_out(self, name: str, dialogue: SeenDialogue) -> None:
        """Counts a dialogue that is not written."""
        self._loss.leave_out(name, dialogue.corpus, dialogue.dialogue_id)

    def count(self, dialogue: SeenDialogue, conversation: Conversation, end: int) -> None:
        """Counts what of a dialogue is not in the messages before ``end``.

        That is where its last, or only, example ends.
        """
        place = dialogue.place
        for name, events in (
            ("actions of the others", conversation.hidden),
            ("actions that do nothing", conversation.idle),
            ("withheld utterances", conversation.withheld),
        ):
            self.add(name, f"{place} event {events[0]}" if events else "", len(events))
        if self._shows_pictures:
            self.add("displays to the others", place, dialogue.unseen)
            self.add("displays without a picture", place, dialogue.without_picture)
        for name, number in conversation.refused.items():
            self.add(name, place, number)
        self.add("displays at no event", place, conversation.unplaced)
        self.add("events after the last turn", place, len(_events_after(conversation, end)))
        pictures = sum(map(_count_pictures, conversation.messages[end:]))
        self.add("displays after the last turn", place, pictures)
        self.add("events.result", place, _count_results(conversation, end))
        self.add("dialogues.attributes", place, not dialogue.is_complete)
        # Pictures are shown in order: those after the last turn stand at the end.
        self._shown.update(conversation.shown[: len(conversation.shown) - pictures])
        self._told.update(dialogue.personas)

    def count_objects(self, selection: Selection, corpus: str) -> None:
        """Counts, after the last dialogue, what of the objects is in no message."""
        columns = ["object_id", "title", "uri"]
        for key, title, uri in selection.iterate_rows(corpus, "objects", columns):
            place = f"{corpus} object_id {key}"
            if key not in self._shown:
                self.add("objects.object_id", place)
                self.add("objects.uri", place, uri is not None)
            if key not in self._told:
                self.add("objects.title", place, title is not None)


def _events_after(conversation: Conversation, end: int) -> set[int]:
    """Returns the numbers of the events that only messages from a place on have."""
    # Of joined utterances ``events`` has the last only; ``joined`` names them all.
    rows, joined = conversation.rows, conversation.metadata.joined
    alone = {row.event for row in rows[end:] if row.event is not None}
    # The result of a call has the number of the call, which may be the last message taken.
    alone.difference_update(row.event for row in rows[:end])
    return alone.union(each.event for each in joined if each.message >= end)


def _count_results(conversation: Conversation, end: int) -> bool:
    """Says whether the last message taken is a call with a result, which then is left out."""
    messages = conversation.messages[end - 1 : end + 1]
    return bool(messages[0].tool_calls) and len(messages) > 1 and messages[1].content != "null"


def _count_pictures(message: Message) -> int:
    # A picture has two parts, a text that names it and itself: those that are no text count.
    parts = message.content if isinstance(message.content, list) else []
    return sum(part["type"] != "text" for part in parts)


def carries(**options: Any) -> Carried:
    """Says what messages and metadata hold."""
    target, options = _settle(options)
    dialogues = ("split", "domain", "n_events", "n_utterances", "attributes")
    columns: dict[str, tuple[str, ...]] = {
        "dialogues": ("corpus", "dialogue_id", *dialogues),
        "events": ("corpus", "dialogue_id", *_EVENT_COLUMNS),
        "objects": ("corpus", "object_id", "title", "uri"),
        **carry_all("speakers"),
    }
    why = {"displays": "A picture comes before the next message, whoever else sees it."}
    unmarked: list[Partly] = []
    if options["images"] == "none":
        why["displays"] = "Pictures were not asked for; see --images."
        if target.is_template:
            why["displays"] = "The templates of --for are for text; see --images."
    else:
        columns["displays"] = ("corpus", "dialogue_id", "object_id", "highlighted")
        reason = "A mark shows that an object was highlighted; none shows that one was not."
        unmarked.append(Partly(column="displays.highlighted", lost="NOT highlighted", why=reason))
    return Carried(
        columns=columns,
        partly=unmarked,
        counted=_COUNTED,
        why=why,
        otherwise="Chat messages have no place for it.",
    )


EXPORT = Export(
    name="chat",
    title="Chat messages with tool calls, as JSON lines",
    summary="A folder per corpus with one JSONL file per split, for fine-tuning (OpenAI, TRL) and "
    "agent evaluation. A line has `messages`, `tools` if there are any, and `metadata`. API "
    "calls, searches and selections are tool calls with an id, each followed by a `tool` message "
    "with the result (`null` where nothing was returned). `tools` is inferred from "
    "all calls in the corpus, and every call is checked against it. `weight` and "
    "`metadata.loss_mask` say which "
    "messages are trained on; a line ends with the assistant's last. The assistant is the "
    "speaker of that role, or else the first speaker. `--for` names the target of the lines, and "
    "fits them to it.",
    carries=carries,
    write=write,
    features=_FEATURES,
    options=(
        Option(
            name="for",
            help="Target of the messages: OpenAI's fine-tuning, Hugging Face's TRL, or the "
            "chat templates of a model family. What the target does not support is counted.",
            choices=tuple(TARGETS),
        ),
        Option(
            name="arguments",
            help="Arguments of calls as JSON (chat templates) or as JSON text (OpenAI's API); "
            "by default what --for needs, or `object`.",
            choices=("object", "string"),
        ),
        Option(name="as", help="Speaker to treat as the assistant: A, B, user, wizard, ..."),
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
            "(TRL), or not at all; by default what --for needs, or `url`.",
            choices=("url", "files", "none"),
        ),
        Option(
            name="merge",
            help="Merge consecutive messages of the same role, for templates that refuse them.",
            default=False,
        ),
        Option(
            name="silent",
            help="Keep dialogues in which nothing is said, and calls that do nothing (SIMMC's "
            "`None`).",
            default=False,
        ),
        Option(
            name="holdout",
            help="Write files train and test, with this share of the dialogues in test: 0.1; "
            "without it there is a file for each released split.",
        ),
        Option(
            name="seed",
            help="Decides which dialogues --holdout puts into test.",
            default="1",
            needs="holdout",
        ),
        Option(name="image_root", help="Prefix for addresses that are relative to a folder."),
        Option(
            name="metadata",
            help="In each line, or in a separate file; by default what --for needs, or `inline`.",
            choices=("inline", "beside"),
        ),
    ),
    example="chat OUT --corpus taskmaster4 --for openai",
)
