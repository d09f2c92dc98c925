"""What is asked: samples of inspect_ai from the store, and the facts that a log keeps of them."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice
from typing import Annotated, Any

import msgspec
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import (
    ChatMessageUser,
    Content,
    ContentImage,
    ContentText,
    GenerateConfig,
)

from commonground import __version__
from commonground.bench.evaluation.access import ALL
from commonground.bench.evaluation.baselines.methods import get_baselines
from commonground.bench.evaluation.overlaps import find_dialogue_overlap
from commonground.bench.evaluation.prompts import (
    ANSWER,
    SEED,
    hash_prompt,
    inspect_name,
    render_inputs,
    render_target,
    write_json,
)
from commonground.bench.evaluation.reply_scoring import AskableInstance, ReplyScorer
from commonground.bench.evaluation.scoring import describe_store
from commonground.bench.evaluation.tasks import get_task, require_corpus
from commonground.bench.inspect_tasks.asking.pictures import (
    LARGEST,
    PICTURES,
    SentPictures,
    hash_picture,
)
from commonground.bench.inspect_tasks.asking.schemas import ASK_FOR_OBJECT, make_schema
from commonground.bench.inspect_tasks.asking.tools import find_tools
from commonground.bench.inspect_tasks.scoring.logged_replies import UNANSWERED
from commonground.bench.inspect_tasks.scoring.open_scorers import Asked, open_scorer, write_asked
from commonground.corpora import get_corpus
from commonground.errors import TaskError, UsageError, unknown_name
from commonground.exports.tool_schemas import Tool
from commonground.method import Prompt
from commonground.printing import count_of
from commonground.store.corpus import Corpus
from commonground.store.opening import load
from commonground.task import Gold

TEMPERATURE = 0.0
"""With which answers are drawn, unless ``--temperature`` of ``inspect eval`` says otherwise."""

MAX_TOKENS = 2048
"""Tokens of an answer, at most, unless ``--max-tokens`` of ``inspect eval`` says otherwise."""

_SHOWN = 20  # names of missing pictures that a log keeps

ANSWERS = ("json", "schema", "tools")
"""Ways in which answers are given, as :class:`Asking` explains them."""

VARIANTS = ("text", "fewer", "pictures")
"""What is shown, likewise."""


class Asking(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be asked: the options of a task, as ``-T NAME=VALUE`` gives them.

    Attributes:
        task: name of the benchmark task.
        corpus: imported corpus, where a task has several.
        split: split to ask about; None for the one that baselines are tested on, `all` for all.
        part: part of the corpus, such as SIMMC's `fashion`; None for all.
        where: SQL condition over the columns of `dialogues`.
        limit: number of dialogues, drawn by the seed and asked whole; None for all.
        per_dialogue: number of instances of each dialogue, drawn by the seed; None for all.
        few_shot: number of examples from the training split, drawn by the seed.
        seed: of what is drawn, and of the order in which candidates are shown.
        answers: `json` as the prompt says, `schema` where the provider keeps models to a schema,
            `tools` where they may call the actions of the corpus.
        variant: `text`, `pictures`, or `fewer` pictures, which leaves out those of candidates; None
            for pictures where the task has some and their folder is known, fewer where it can.
        image_size: pixels of the longer side of a picture, at most.
        context: tokens that the model takes in one request; None for what is known of it. Questions
            that are longer are warned of.
        max_pictures: pictures that it takes, likewise.
        judge: whether the model of the role `grader` judges replies, too, where words are asked
            for.
        store: folder of the store; None for the usual one.
    """

    task: str
    corpus: str
    split: str | None = None
    part: str | None = None
    where: str | None = None
    limit: Annotated[int, msgspec.Meta(ge=1)] | None = None
    per_dialogue: Annotated[int, msgspec.Meta(ge=1)] | None = None
    few_shot: Annotated[int, msgspec.Meta(ge=0)] = 0
    seed: int = SEED
    answers: str = "json"
    variant: str | None = None
    image_size: Annotated[int, msgspec.Meta(ge=1)] = LARGEST
    context: Annotated[int, msgspec.Meta(ge=1)] | None = None
    max_pictures: Annotated[int, msgspec.Meta(ge=1)] | None = None
    judge: bool = False
    store: str | None = None


class Made(msgspec.Struct, frozen=True):
    """What was made of it.

    Attributes:
        dataset: a sample for each instance, those of a dialogue together.
        facts: what a log keeps: where the questions are from, and how they are put.
        title: what the viewer shows.
        ask: the instructions, which come before every question.
        examples: questions with their right answers, between instructions and question.
        tools: what models may call, by name; empty where nothing.
    """

    dataset: MemoryDataset
    config: GenerateConfig
    facts: dict[str, Any]
    title: str
    ask: str
    examples: list[tuple[str, str]]
    tools: dict[str, Tool] = {}


def make_dataset(asking: Asking, *, to_score: bool = True) -> Made:
    """Makes the samples.

    Args:
        to_score: whether replies will be scored; else samples do not say what no reply is worth,
            which takes a library of words for some tasks.

    Raises:
        UsageError: a name is unknown.
        TaskError: nothing is there to be asked about, or to take examples from.
        StoreError: the corpus was not imported, or the condition is wrong.
    """
    if asking.answers not in ANSWERS:
        raise unknown_name("way to answer", asking.answers, ANSWERS)
    require_corpus(get_task(asking.task), asking.corpus)
    corpus = load(asking.corpus, asking.store)
    split = _choose_split(asking, corpus)
    scorer = _open(asking, split)
    if asking.answers == "schema" and scorer.prompt.form is None:
        raise UsageError(f"{asking.task} asks for text.", "Leave -T answers=schema out.")
    if asking.answers == "tools":
        _check_tools(asking, scorer)
    lines = _choose_lines(asking, scorer, corpus)
    variant = _choose_variant(asking, scorer, corpus)
    pictures = None if variant == "text" else _open_pictures(corpus, asking.image_size)
    examples = list(_draw_examples(asking, corpus, split, lines))
    known = _list_known(asking, scorer, corpus)
    is_calling = asking.answers == "tools"
    tools = find_tools(corpus, {each.instance.dialogue_id for each in known}) if is_calling else {}
    labels = "" if is_calling else _write_labels(scorer.prompt, known)
    asked = Asked(asking.task, asking.corpus, split, asking.seed)
    writer = _Writer(asked, asking, scorer, pictures, variant, labels, to_score=to_score)
    samples = [writer.write(line) for line in lines]
    described = write_json(list(tools.values())) if tools else ""
    facts = _describe(asking, scorer, corpus, split, variant, examples, described, labels) | {
        "dialogues": len({line.instance.dialogue_id for line in lines}),
        "samples": len(lines),
        "instances": _count_parts(scorer),
        "overlap": _count_overlaps(lines, corpus),
        "missing_pictures": dict(islice(pictures.missing.items(), _SHOWN)) if pictures else {},
        "number_of_missing_pictures": len(pictures.missing) if pictures else 0,
    }
    name = f"{asking.task} on {asking.corpus}"
    return Made(
        MemoryDataset(samples, name=name),
        writer.config,
        facts,
        f"{asking.task} ({split or ALL}, {variant})",
        writer.ask,
        [(question, writer.wrap(answer)) for question, answer in examples],
        tools,
    )


def _count_parts(scorer: ReplyScorer) -> list[dict[str, Any]]:
    """Counts the instances with a right answer of each part and split, asked about or not."""
    lines = (scorer.lines[name] for name in scorer.list_asked())
    counts = Counter((line.part, line.split) for line in lines)
    return [
        {"part": part, "split": split, "instances": number}
        for (part, split), number in counts.items()
    ]


def _count_overlaps(lines: Iterable[AskableInstance], corpus: Corpus) -> list[dict[str, Any]]:
    """Counts what the dialogues asked about share with training ones, for each part and split."""
    dialogues: dict[tuple[str | None, str | None], set[str]] = {}
    for line in lines:
        dialogues.setdefault((line.part, line.split), set()).add(line.instance.dialogue_id)
    return [
        {"part": part, "split": split, **msgspec.to_builtins(each)}
        for (part, split), mine in dialogues.items()
        for each in find_dialogue_overlap(corpus, mine)
    ]


def _list_known(asking: Asking, scorer: ReplyScorer, corpus: Corpus) -> list[AskableInstance]:
    """Returns the instances whose right answers tell which names answers may use.

    These are those of the training split, and of a part of the corpus that has none there, as
    where only some files were imported, all.
    """
    if scorer.prompt.labels is None:
        return []
    train = get_baselines(asking.task).train_split
    wanted = {scorer.lines[name].part for name in scorer.list_asked()}
    if asking.part is not None:
        wanted &= {asking.part}
    trained = _list_answered(asking, wanted, train) if train in corpus.splits() else []
    missing = wanted - {line.part for line in trained}
    return [*trained, *(_list_answered(asking, missing, None) if missing else [])]


def _list_answered(
    asking: Asking, parts: Collection[str], split: str | None
) -> list[AskableInstance]:
    """Returns the instances of some parts that have a right answer, as far as they are there."""
    try:
        lines = _open(asking, split).lines.values()
    except TaskError:  # there are no right answers of the split
        return []
    return [line for line in lines if line.part in parts and line.instance.gold]


def _write_labels(prompt: Prompt, known: Iterable[AskableInstance]) -> str:
    """Writes the names that answers may use, by kind; nothing where they use none."""
    if prompt.labels is None:
        return ""
    labels = prompt.labels(line.instance for line in known)
    written = {kind: ", ".join(sorted(set(names))) for kind, names in labels.items()}
    return "\n\n".join(f"{kind}: {names}." for kind, names in written.items() if names)


def _open(asking: Asking, split: str | None) -> ReplyScorer:
    return open_scorer(Asked(asking.task, asking.corpus, split, asking.seed), asking.store)


def _check_tools(asking: Asking, scorer: ReplyScorer) -> None:
    if scorer.prompt.called is None or not scorer.prompt.ask_with_tools:
        raise UsageError(f"{asking.task} has no tools to call.", "Leave -T answers=tools out.")
    if asking.few_shot:
        raise UsageError("Examples are not shown with tools.", "Leave -T few_shot out.")


def _choose_split(asking: Asking, corpus: Corpus) -> str | None:
    """Returns the split to ask about; None for all."""
    there = corpus.splits()
    if asking.split is None:
        usual = get_baselines(asking.task).test_split
        # Another corpus of the task may have other splits, or folds only.
        return usual if usual in there else None
    if asking.split == ALL:
        return None
    if asking.split not in there:
        raise unknown_name("split", asking.split, [ALL, *filter(None, there)])
    return asking.split


def _choose_variant(asking: Asking, scorer: ReplyScorer, corpus: Corpus) -> str:
    has_pictures = scorer.prompt.pictures is not None
    if asking.variant is None:
        if not has_pictures or corpus.images is None:
            return "text"
        return "pictures" if scorer.prompt.fewer_pictures is None else "fewer"
    if asking.variant not in VARIANTS:
        raise unknown_name("variant", asking.variant, VARIANTS)
    if asking.variant != "text" and not has_pictures:
        raise UsageError(f"{asking.task} has no pictures to show.", "Leave -T variant out.")
    if asking.variant == "fewer" and scorer.prompt.fewer_pictures is None:
        raise UsageError(
            f"{asking.task} has no pictures of candidates.",
            "Leave -T variant out.",
        )
    if asking.variant != "text" and corpus.images is None:
        advice = "Import it again with --images FOLDER, or ask with -T variant=text."
        raise TaskError(f"No image folder of {asking.corpus} is known.", advice)
    return asking.variant


def _open_pictures(corpus: Corpus, largest: int) -> SentPictures:
    rows = corpus.rows("SELECT object_id, uri FROM objects WHERE corpus = ?", [corpus.name])
    return SentPictures(corpus.images, largest, dict(rows))


def _choose_lines(asking: Asking, scorer: ReplyScorer, corpus: Corpus) -> list[AskableInstance]:
    """Returns what is asked about: instances with a right answer, of the dialogues wanted."""
    lines = [scorer.lines[name] for name in scorer.list_asked()]
    if asking.part is not None:
        parts = {line.part for line in lines}
        if asking.part not in parts:
            raise unknown_name("part", asking.part, filter(None, parts), f"of {asking.corpus}")
        lines = [line for line in lines if line.part == asking.part]
    if asking.where is not None:
        kept = set(corpus.select(where=asking.where).ids())
        lines = [line for line in lines if line.instance.dialogue_id in kept]
    # Whole dialogues are drawn, as answers within one are not independent.
    dialogues = dict.fromkeys(line.instance.dialogue_id for line in lines)
    chosen = set(draw(dialogues, asking.limit, asking.seed))
    lines = [line for line in lines if line.instance.dialogue_id in chosen]
    lines = _draw_lines(lines, asking.per_dialogue, asking.seed)
    if not lines:
        raise TaskError(
            f"No instance of {asking.task} with a right answer is in what was chosen.",
            "Relax -T where or part, or name another -T split: the store has "
            f"{', '.join(name or '(no split)' for name in corpus.splits())}.",
        )
    return lines


def _draw_lines(
    lines: Sequence[AskableInstance], count: int | None, seed: int
) -> list[AskableInstance]:
    """Draws some instances of each dialogue, and leaves them in their order."""
    by_dialogue: dict[str, list[str]] = {}
    for line in lines:
        by_dialogue.setdefault(line.instance.dialogue_id, []).append(line.instance.instance_id)
    chosen = {name for names in by_dialogue.values() for name in draw(names, count, seed)}
    return [line for line in lines if line.instance.instance_id in chosen]


def draw(names: Iterable[str], count: int | None, seed: int) -> list[str]:
    """Draws ``count`` names, or all for None; a smaller draw of a seed is part of a larger one."""

    def key(name: str) -> str:
        return hashlib.sha256(f"{seed}:{name}".encode()).hexdigest()

    # By hash and not by `random.sample`, of which a smaller sample is no part of a larger one.
    return list(names) if count is None else sorted(names, key=key)[:count]


def _draw_examples(
    asking: Asking, corpus: Corpus, split: str | None, lines: Sequence[AskableInstance]
) -> Iterator[tuple[str, str]]:
    """Yields questions with answers, each of another dialogue, none of what is asked about."""
    if not asking.few_shot:
        return
    train = _find_training_splits(asking, corpus, split)
    scorers = [_open(asking, each) for each in train]
    # Examples of the parts that are asked about: what is answered of fashion says nothing of
    # furniture.
    parts = {line.part for line in lines}
    # Nor do examples without what all questions show, such as the words of the user.
    shown = set.intersection(*(set(line.instance.inputs) for line in lines))
    found: dict[str, list[AskableInstance]] = {}
    for scorer in scorers:
        for line in map(scorer.lines.__getitem__, scorer.list_asked()):
            if line.part in parts and shown <= line.instance.inputs.keys():
                found.setdefault(line.instance.dialogue_id, []).append(line)
    if len(found) < asking.few_shot:
        of = "".join(f" of {part}" for part in sorted(filter(None, parts)))
        raise TaskError(
            f"Examples asked for: {asking.few_shot:,}, each of another dialogue; the store has "
            f"{count_of(len(found), 'dialogue')}{of} with inputs and a right answer in "
            f"{', '.join(train)}.",
            "Ask for fewer, or import the rest of that split.",
        )
    for dialogue in draw(found, asking.few_shot, asking.seed):
        mine = {line.instance.instance_id: line for line in found[dialogue]}
        (name,) = draw(mine, 1, asking.seed)
        instance = mine[name].instance
        answer = render_target(scorers[0].prompt, instance)
        if answer is not None:
            yield render_inputs(scorers[0].task, instance), answer


def _find_training_splits(asking: Asking, corpus: Corpus, split: str | None) -> list[str]:
    """Returns the splits that examples are from: the training split, or all folds but one.

    Args:
        split: that is asked about; None for all dialogues.

    Raises:
        TaskError: there is none beside what is asked about.
    """
    baselines, there = get_baselines(asking.task), [name for name in corpus.splits() if name]
    released, train = get_corpus(asking.corpus).manifest.splits, baselines.train_split
    without = "or leave -T few_shot out."
    if train not in released:
        # Folds: each may be asked about with examples of the others.
        others = [name for name in there if name != split]
        if split is not None and others:
            return others
        why = (
            f"Name one of its splits, which is then left out: -T split={there[0]}, {without}"
            if len(there) > 1
            else "Leave -T few_shot out."
        )
        raise TaskError(f"{asking.corpus} has no training split, which examples come from.", why)
    if train not in there:
        raise TaskError(
            f"Examples are from the split {train!r} of {asking.corpus}, which was not imported.",
            f"Import it, {without}",
        )
    if split in (train, None):
        raise TaskError(
            f"Examples are from the split {train!r}, which is also asked about.",
            f"Name another one, such as -T split={baselines.test_split}, {without}",
        )
    return [train]


class _Writer:
    def __init__(
        self,
        asked: Asked,
        asking: Asking,
        scorer: ReplyScorer,
        pictures: SentPictures | None,
        variant: str,
        labels: str,
        *,
        to_score: bool,
    ) -> None:
        self._to_score = to_score
        self._about = write_asked(asked) | {"answers": asking.answers}
        self._scorer = scorer
        self._pictures = pictures
        self._is_fewer = variant == "fewer"
        self._is_object = asking.answers == "schema"
        self.config = GenerateConfig(temperature=TEMPERATURE, max_tokens=MAX_TOKENS)
        prompt = scorer.prompt
        ask = prompt.ask_with_tools if asking.answers == "tools" else prompt.ask
        self.ask = ask.replace("{topic}", prompt.topics.get(asking.corpus, asking.corpus))
        if self._is_object:
            self.ask = f"{self.ask} {ASK_FOR_OBJECT}"
            self.config.response_schema = make_schema(inspect_name(asking.task), prompt.form)
        if labels:
            self.ask = f"{self.ask}\n\n{labels}"

    def wrap(self, answer: str) -> str:
        """Returns an answer as it is to be given."""
        return f'{{"{ANSWER}":{answer}}}' if self._is_object else answer

    def _render(self, line: AskableInstance) -> str | list[Content]:
        text = render_inputs(self._scorer.task, line.instance)
        prompt = self._scorer.prompt
        list_pictures = prompt.fewer_pictures if self._is_fewer else prompt.pictures
        if self._pictures is None or list_pictures is None:
            return text
        names, numbers = list_pictures(line.released), line.question.numbers
        return [ContentText(text=text), *self._pictures.show(names, numbers)]

    def write(self, line: AskableInstance) -> Sample:
        """Writes an instance: what a model may see, the right answer, and where it is from."""
        instance, prompt, content = line.instance, self._scorer.prompt, self._render(line)
        shown = [hash_picture(each.image) for each in content if isinstance(each, ContentImage)]
        return Sample(
            id=instance.instance_id,
            input=[ChatMessageUser(content=content)],
            target=self.wrap(render_target(prompt, instance) or ""),
            metadata={
                "dialogue_id": instance.dialogue_id,
                "event": instance.event,
                "part": line.part,
                "split": line.split,
                **self._about,
                **({PICTURES: shown} if shown else {}),
                **self._score_silence(instance.instance_id),
            },
        )

    def _score_silence(self, name: str) -> dict[str, Any]:
        """Returns what no reply is worth, which is what a call that fails leaves of a sample."""
        if not self._to_score:
            return {}
        reply = self._scorer.score(name, "")
        counts = reply.scored.counts if reply.scored else {}
        described = {measure: dict(each) for measure, each in counts.items()}
        return {UNANSWERED: {"place": reply.place, "counts": described}}


def _describe(
    asking: Asking,
    scorer: ReplyScorer,
    corpus: Corpus,
    split: str | None,
    variant: str,
    examples: Sequence[tuple[str, str]],
    tools: str,
    labels: str,
) -> dict[str, Any]:
    """Returns what a log keeps of how the questions are put."""
    prompt = scorer.prompt
    shown = [text for each in examples for text in each]
    shown += [prompt.ask_with_tools, tools] if tools else []
    shown += [labels] if labels else []
    given = msgspec.structs.asdict(asking)
    del given["judge"], given["store"]
    return given | {
        "split": split,
        "few_shot": len(examples),
        "variant": variant,
        "image_size": None if variant == "text" else asking.image_size,
        "has_fewer_pictures": prompt.fewer_pictures is not None,
        "prompt_version": prompt.version,
        # All that a model reads changes the hash: answers, variant, examples, tools, labels.
        "prompt_hash": hash_prompt(prompt, asking.answers, variant, *shown),
        "data": describe_store(Gold(corpus=corpus)),
        "commonground": __version__,
    }
