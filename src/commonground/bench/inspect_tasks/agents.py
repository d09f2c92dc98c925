"""A task of inspect_ai for each corpus whose dialogues an agent can be put in.

A sample is a released dialogue. The person's turns come as they were released, one at a time; the
model answers, and calls the functions of a world that is made of what people saw. Nobody plays the
person, so no simulated user can be at fault.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from math import comb
from typing import Annotated, Any

import anyio.to_thread
import msgspec
from inspect_ai import Task as InspectTask
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageTool,
    ChatMessageUser,
    GenerateConfig,
    get_model,
)
from inspect_ai.model._model import sample_model_usage
from inspect_ai.scorer import (
    Metric,
    SampleScore,
    Score,
    Scorer,
    Target,
    metric,
    scorer,
)
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import ToolCall, ToolCallError, ToolInfo, ToolParams

from commonground import __version__
from commonground.bench.evaluation.prompts import SEED, inspect_agent_name
from commonground.bench.evaluation.reporting import Used
from commonground.bench.evaluation.scoring import describe_store
from commonground.bench.inspect_tasks.asking.decoding import decode_greedily
from commonground.bench.inspect_tasks.asking.questions import TEMPERATURE, draw
from commonground.bench.inspect_tasks.logs.results import count_used
from commonground.bench.inspect_tasks.refusals import (
    refuse_toolless,
    refuse_unreachable,
    register_task,
)
from commonground.bench.inspect_tasks.scoring.rates import measure_rates
from commonground.corpora import get_corpus
from commonground.errors import CommongroundError, TaskError, unknown_name
from commonground.files.gold import read_gold
from commonground.metric import Counts, Values
from commonground.play.episode import (
    Episode,
    EpisodeSource,
    ServedTurn,
    Service,
    find_misfit,
    judge,
    read_episode,
    serve_as_people,
)
from commonground.play.episodes import iterate_episodes
from commonground.statistics.counts import (
    precision_recall_f1,
    ratio,
    sum_counts,
    tabulate_counts,
)
from commonground.store.corpus import Corpus
from commonground.store.opening import load
from commonground.task import Gold, Tally

SERVED, USED, MISFIT = "served", "used", "misfit"
"""What the store of a sample holds: calls of each turn, what they took, why it ended early."""

NO_CALL = "people called nothing"


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """The options of a task, as ``-T NAME=VALUE`` gives them.

    Attributes:
        split: split whose dialogues are served; None for all.
        limit: number of dialogues, drawn by the seed; None for all.
        seed: of what is drawn, and of resamples.
        most_steps: how often a model may call before a turn of the person is over.
        store: folder of the store; None for the usual one.
    """

    split: str | None = None
    limit: Annotated[int, msgspec.Meta(ge=1)] | None = None
    seed: int = SEED
    most_steps: Annotated[int, msgspec.Meta(ge=1)] = 20
    store: str | None = None


class Served(msgspec.Struct, frozen=True):
    """A dialogue to be served, with what people did in it.

    Attributes:
        gold: what their calls came to.
        split: of the dialogue; None where nothing says.
    """

    episode: Episode
    gold: list[ServedTurn]
    split: str | None


class EpisodeTable:
    """The dialogues of a corpus that an agent can be put in.

    Attributes:
        served: dialogues by id.
        left_out: how many cannot be served, by reason.
    """

    def __init__(self, source: EpisodeSource, corpus: Corpus) -> None:
        self.source = source
        self.served: dict[str, Served] = {}
        self.left_out: Counter[str] = Counter()
        formats = get_corpus(corpus.name).formats()
        wanted = [each.name for each in formats if each.role == "main"]
        faults = Tally()
        found: list[tuple[Episode, str | None]] = []
        self._courses: dict[str, list[Any]] = {}
        for each in read_gold(Gold(corpus=corpus), formats, wanted, faults):
            for course in source.world.read(each.record):
                named = msgspec.structs.replace(course, dialogue=each.dialogue_id)
                self._courses.setdefault(course.group, []).append(named)
                found.append((read_episode(source, each.record, named), each.split))
        self.left_out.update({each.kind: each.count for each in faults.problems()})
        self._worlds: dict[str, Any] = {}
        for episode, split in found:
            self._add(episode, split)

    def _add(self, episode: Episode, split: str | None) -> None:
        if not any(turn.calls for turn in episode.turns):
            self.left_out[NO_CALL] += 1
            return
        try:
            gold = serve_as_people(self.source, self.open_world(episode.group), episode)
        except CommongroundError as error:
            # What is wrong, without the place.
            self.left_out[error.message.rpartition(": ")[2]] += 1
        else:
            self.served[episode.dialogue] = Served(episode, gold, split)

    def open_world(self, group: str) -> Any:
        """Returns the world of the dialogues that share facts."""
        courses = self._courses[group]
        if len(courses) == 1:
            # Made anew when it is asked for: thousands of dialogues have one each.
            return self.source.world.build(courses)
        if group not in self._worlds:
            self._worlds[group] = self.source.world.build(courses)
        return self._worlds[group]

    def choose(self, options: Options) -> list[Served]:
        """Returns the dialogues that are to be served, in the order of the files.

        Raises:
            UsageError: there is no such split.
            TaskError: there are none.
        """
        splits = dict.fromkeys(each.split for each in self.served.values())
        if options.split is not None and options.split not in splits:
            raise unknown_name("split", options.split, filter(None, splits))
        fitting = [k for k, v in self.served.items() if options.split in (None, v.split)]
        if not fitting:
            raise TaskError("No dialogue can be served.", f"Left out: {dict(self.left_out)}.")
        chosen = set(draw(fitting, options.limit, options.seed))
        return [self.served[name] for name in fitting if name in chosen]


def list_tools(world: Any) -> list[ToolInfo]:
    """Returns the functions of a world as tools of inspect_ai."""
    return [
        ToolInfo(
            name=each.name,
            description=each.description,
            parameters=ToolParams.model_validate(each.parameters),
        )
        for each in world.functions.values()
    ]


@solver
def serve(table: EpisodeTable, most_steps: int) -> Solver:
    """Serves the person of a sample, turn by turn.

    Args:
        most_steps: how often the model may call before a turn is over.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:  # noqa: ARG001 - inspect_ai's
        served = table.served[str(state.sample_id)]
        world = await anyio.to_thread.run_sync(table.open_world, served.episode.group)
        service = Service(table.source, world)
        try:
            await _serve_turns(state, served, service, list_tools(world), most_steps)
        finally:
            # A limit of inspect_ai ends a dialogue, too, and what was done until then is scored.
            state.store.set(SERVED, msgspec.to_builtins(service.turns))
            used = count_used(sample_model_usage().values())
            state.store.set(USED, msgspec.to_builtins(used))
        state.completed = True
        return state

    return solve


async def _serve_turns(
    state: TaskState,
    served: Served,
    service: Service,
    tools: list[ToolInfo],
    most_steps: int,
) -> None:
    """Has the model serve each turn, until the person's next one does not fit what it did."""
    turns = served.episode.turns
    for number, turn in enumerate(turns):
        if number:
            state.messages.append(ChatMessageUser(content=turn.said))
        service.begin_turn()
        for _ in range(most_steps):
            state.output = await get_model().generate(state.messages, tools=tools)
            state.messages.append(state.output.message)
            calls = state.output.message.tool_calls or []
            state.messages += [answer_call(service, call) for call in calls]
            if not calls:
                break
        is_last = number + 1 == len(turns)
        if not is_last and (misfit := find_misfit(served.gold, service.turns[-1].held, number)):
            state.store.set(MISFIT, misfit)
            break


def answer_call(service: Service, call: ToolCall) -> ChatMessage:
    """Makes a call, and writes what came back."""
    result, fault = "", None
    try:
        # What cannot be read as JSON is refused as the world refuses other arguments.
        arguments = call.parse_error if call.parse_error is not None else call.arguments
        result = msgspec.json.encode(service.call(call.function, arguments)).decode()
    except CommongroundError as error:
        fault = ToolCallError("parsing", " ".join(filter(None, (error.message, error.advice))))
    return ChatMessageTool(
        content=fault.message if fault else result,
        tool_call_id=call.id,
        function=call.function,
        error=fault,
    )


@metric(scores="unreduced")
def service_rates() -> Metric:
    """How people were served, each rate with the ends of its 95 % interval over dialogues.

    A dialogue of several epochs is drawn anew with all of them.
    """

    def compute(scores: list[SampleScore]) -> dict[str, float]:
        about = [(str(each.sample_id), each.score.metadata or {}) for each in scores]
        return summarise([(name, each["counts"]) for name, each in about if "counts" in each])

    return compute


def summarise(rows: Sequence[tuple[str, Counts]]) -> dict[str, float]:
    """Returns the rates of dialogues, the main one first, with the ends of their intervals.

    Args:
        rows: dialogue and counts of each epoch.
    """
    groups: dict[str, list[Counts]] = {}
    for name, counts in rows:
        groups.setdefault(name, []).append(counts)
    if not groups:
        return {}
    # In the order of names, so that resampling gives the same in whatever order samples end.
    listed = [groups[name] for name in sorted(groups)]
    epochs = min(map(len, listed))
    table = tabulate_counts(sum_counts(each) | _count_passes(each, epochs) for each in listed)
    return measure_rates(table, combine, seed=SEED)


def _count_passes(epochs: Sequence[Counts], most: int) -> dict[str, float]:
    """Returns for each k how likely it is that all of k epochs drawn at random are successes."""
    n, passed = len(epochs), round(sum(each["success"] for each in epochs))
    shares = {f"pass_{k}": comb(passed, k) / comb(n, k) for k in range(2, most + 1)}
    return {"dialogues": 1.0, **shares}


def combine(sums: Counts) -> Values:
    """Returns the rates that sums of counts come to.

    Args:
        sums: counts of :func:`~commonground.play.episode.judge`, what models took, and passes.
    """
    found = precision_recall_f1(sums["correct"], sums["predicted"], sums["gold"], "call_")
    passes = {
        f"pass_k_{name.removeprefix('pass_')}": ratio(count, sums["dialogues"])
        for name, count in sums.items()
        if name.startswith("pass_")
    }
    return {
        "end_success": ratio(sums["success"], sums["episodes"]),
        **passes,
        "turn_accuracy": ratio(sums["right"], sums["turns"]),
        **found,
        "early_ends": ratio(sums["early"], sums["episodes"]),
        **{n: ratio(sums[n], sums["episodes"]) for n in Used.__struct_fields__ if n in sums},
    }


@scorer(metrics=[service_rates()])
def end_state(table: EpisodeTable) -> Scorer:
    """Scores a dialogue by what is booked or ordered in its end; 1 where it is as with people."""

    async def score(state: TaskState, target: Target) -> Score:  # noqa: ARG001 - inspect_ai's
        gold = table.served[str(state.sample_id)].gold
        made = msgspec.convert(state.store.get(SERVED), list[ServedTurn])
        verdict = judge(gold, made, state.store.get(MISFIT, ""))
        used = {name: each for name, each in state.store.get(USED).items() if each is not None}
        right = f"{verdict.counts['right']:g} of {verdict.counts['turns']:g} turns right"
        return Score(
            value=int(verdict.is_success),
            explanation="; ".join(filter(None, (right, verdict.misfit))),
            metadata={
                "counts": verdict.counts | used,
                "turns": verdict.rights,
                "ended_early": verdict.misfit,
            },
        )

    return score


def register_agents() -> dict[str, Callable[..., InspectTask]]:
    """Makes a task for every corpus with episodes, and returns them by name."""
    return {inspect_agent_name(each.world.corpus): _register(each) for each in iterate_episodes()}


def _register(source: EpisodeSource) -> Callable[..., InspectTask]:
    corpus = source.world.corpus
    make, title = partial(make_agent_task, source), f"{corpus}/agent: people are served by a model."
    return register_task(inspect_agent_name(corpus), Options, make, title=title)


def make_agent_task(source: EpisodeSource, options: Options) -> InspectTask:
    """Makes what inspect_ai runs for the dialogues of a corpus.

    Raises:
        CommongroundError: the corpus was not imported, there is no such split, nothing can be
            served, nobody answers where a model is asked, or it is not shown tools.
    """
    refuse_unreachable()
    refuse_toolless()
    name = source.world.corpus
    corpus = load(name, options.store)
    table = EpisodeTable(source, corpus)
    chosen = table.choose(options)
    facts = {
        "agent": name,
        "title": source.world.title,
        "prompt_version": source.version,
        "prompt_hash": hash_role(source, table.open_world(chosen[0].episode.group)),
        "split": options.split,
        "limit": options.limit,
        "seed": options.seed,
        "most_steps": options.most_steps,
        "dialogues": len(chosen),
        "left_out": dict(sorted(table.left_out.items())),
        "commonground": __version__,
        "store": describe_store(Gold(corpus=corpus)),
    }
    return InspectTask(
        dataset=MemoryDataset([_make_sample(source, each) for each in chosen], name=name),
        setup=decode_greedily(TEMPERATURE),
        solver=serve(table, options.most_steps),
        config=GenerateConfig(temperature=TEMPERATURE),
        scorer=end_state(table),
        version=source.version,
        metadata=facts,
        tags=["commonground", "agent"],
        display_name=f"{name}/agent",
    )


def hash_role(source: EpisodeSource, world: Any) -> str:
    """Returns twelve digits that differ where models are told anything else."""
    tools = [each.model_dump(exclude_none=True) for each in list_tools(world)]
    return hashlib.sha256(msgspec.json.encode([source.role, tools])).hexdigest()[:12]


def begin_messages(source: EpisodeSource, episode: Episode) -> list[ChatMessage]:
    """Returns what a model reads before anything else, the person's first turn the last of it."""
    begun: list[ChatMessage] = [ChatMessageSystem(content=source.role)]
    if episode.opening:
        begun.append(ChatMessageAssistant(content=episode.opening))
    return [*begun, ChatMessageUser(content=episode.turns[0].said)]


def _make_sample(source: EpisodeSource, served: Served) -> Sample:
    episode, held = served.episode, served.gold[-1].held
    return Sample(
        input=begin_messages(source, episode),
        target=[*held.things, *held.rest] or "nothing",
        id=episode.dialogue,
        metadata={"dialogue_id": episode.dialogue, "split": served.split},
    )
