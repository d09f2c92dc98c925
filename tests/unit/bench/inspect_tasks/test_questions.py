"""What is asked: which dialogues, which examples, and what a log keeps of it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessageUser
from tests.unit.bench.inspect_tasks.saying import list_values, run, say_target

from commonground.bench.evaluation.prompts import SEED, find_prompts, hash_prompt, inspect_name
from commonground.bench.inspect_tasks import TASKS
from commonground.bench.inspect_tasks.asking.questions import Asking, Made, make_dataset
from commonground.bench.inspect_tasks.scoring.open_scorers import Asked, open_scorer
from commonground.corpora import get_corpus
from commonground.errors import TaskError
from commonground.play.simulating import simulate_corpus
from commonground.store.importing import import_corpus
from commonground.store.opening import load

VERSIONS = Path(__file__).with_name("prompts.json")


def make(store: Path, task: str, **options: Any) -> list[Sample]:
    return list(make_all(store, task, **options).dataset)


def make_all(store: Path, task: str, **options: Any) -> Made:
    asking = Asking(task=task, corpus=task.partition("/")[0], store=str(store), **options)
    return make_dataset(asking)


def list_dialogues(samples: list[Sample]) -> set[str]:
    return {(each.metadata or {})["dialogue_id"] for each in samples}


def test_every_prompt_is_a_task() -> None:
    assert TASKS.keys() == {inspect_name(name) for name in find_prompts()}


@pytest.mark.parametrize("name", sorted(find_prompts()))
def test_another_text_is_another_version(name: str) -> None:
    """Who changes what is asked raises the version and writes the new hash here."""
    prompt = find_prompts()[name]
    assert json.loads(VERSIONS.read_text())[name] == {str(prompt.version): hash_prompt(prompt)}


def test_a_limit_draws_whole_dialogues(store: Path) -> None:
    whole = make(store, "simmc/dst", split="all")
    some = make(store, "simmc/dst", split="all", limit=3)
    dialogues = list_dialogues(some)
    assert len(dialogues) == 3
    assert [each.id for each in some] == [
        each.id for each in whole if (each.metadata or {})["dialogue_id"] in dialogues
    ]
    assert dialogues < list_dialogues(make(store, "simmc/dst", split="all", limit=5))
    assert dialogues != list_dialogues(make(store, "simmc/dst", split="all", limit=3, seed=2))


def test_dialogues_are_chosen_by_part_split_and_condition(store: Path) -> None:
    samples = make(store, "simmc/dst", split="train", part="fashion")
    about = [each.metadata or {} for each in samples]
    assert {(each["part"], each["split"]) for each in about} == {("fashion", "train")}
    first = load("photobook", store).ids()[0]
    chosen = make(store, "photobook/segments", split="all", where=f"dialogue_id = '{first}'")
    assert list_dialogues(chosen) == {first}


def test_the_released_test_split_is_asked_about(store: Path) -> None:
    assert {(each.metadata or {})["split"] for each in make(store, "simmc/dst")} == {"devtest"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"split": "tset"}, "no split 'tset'"),
        ({"part": "fasion"}, "no part 'fasion' of simmc"),
        ({"answers": "yaml"}, "no way to answer 'yaml'"),
        ({"where": "dialogue_id = 'none'"}, "No instance of simmc/dst"),
        ({"answers": "tools"}, "simmc/dst has no tools to call"),
        ({"split": "train", "few_shot": 2}, "which is also asked about"),
        ({"part": "fashion", "few_shot": 99}, "Examples asked for: 99.*of fashion with"),
        ({"corpus": "frames"}, "no corpus 'frames' of simmc/dst"),
        ({"limti": 4}, "no option 'limti' of commonground/simmc_dst. Did you mean limit"),
        ({"limit": 0}, "-T limit: Expected `int` >= 1"),
        ({"few_shot": "two"}, "-T few_shot: Expected `int`, got `str`"),
    ],
)
def test_what_cannot_be_asked_is_said_in_words(
    options: dict[str, Any], message: str, store: Path
) -> None:
    with pytest.raises(PrerequisiteError, match=message):
        TASKS["simmc_dst"](store=str(store), **options)


def test_examples_of_folds_are_from_the_others(store: Path) -> None:
    fold, *others = [name for name in load("frames", store).splits() if name]
    made = make_all(store, "frames/nlu", split=fold, few_shot=2)
    asked = {text for each in make(store, "frames/nlu", split=fold) for text in list_texts(each)}
    trained = {
        text
        for other in others
        for each in make(store, "frames/nlu", split=other)
        for text in list_texts(each)
    }
    shown = {question for question, _answer in made.examples}
    assert len(shown) == 2
    assert shown <= trained - asked


def list_texts(sample: Sample) -> list[str]:
    """Returns the question of a sample."""
    return [each.text for each in sample.input if not isinstance(each, str)]


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("frames_nlu", {}, "frames has no training split.*Name one of its splits"),
        ("taskmaster3_spans", {"corpus": "taskmaster4"}, "no training split|also asked about"),
    ],
)
def test_where_no_example_can_be_from_is_said(
    name: str, options: dict[str, Any], message: str, store: Path
) -> None:
    with pytest.raises(PrerequisiteError, match=message):
        TASKS[name](store=str(store), split="all", few_shot=1, **options)


@pytest.mark.parametrize(
    ("task", "kinds"),
    [
        ("frames/nlu", ("Acts", "Slots")),
        ("simmc/actions", ("APIs", "Values of `attributes`")),
        ("simmc/dst", ("Acts", "Slots")),
        ("taskmaster3/actions", ("APIs",)),
        ("taskmaster3/spans", ("Labels",)),
    ],
)
def test_names_that_annotators_chose_are_in_the_instructions(
    task: str, kinds: tuple[str, ...], store: Path
) -> None:
    made = make_all(store, task, split="all")
    listed = dict(part.split(": ", 1) for part in made.ask.split("\n\n")[1:])
    assert tuple(listed) == kinds
    asked = Asked(task, made.facts["corpus"], None, SEED)
    lines = open_scorer(asked, str(store)).lines.values()
    train = [each.instance for each in lines if each.split == "train"]
    labels = find_prompts()[task].labels
    assert labels is not None
    used = labels(each for each in train or (line.instance for line in lines) if each.gold)
    assert listed == {kind: f"{', '.join(sorted(set(names)))}." for kind, names in used.items()}


@pytest.fixture(scope="module")
def partial(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of SIMMC whose training split is the calls of fashion alone, without any words."""
    folder = tmp_path_factory.mktemp("partial")
    simulate_corpus(get_corpus("simmc"), folder / "files", dialogues=6, seed=1)
    for path in (folder / "files").rglob("*train*"):
        if path.name != "fashion_train_dials_api_calls.json":
            path.unlink()
    import_corpus(get_corpus("simmc"), [folder / "files"], store=folder / "store", check=False)
    return folder / "store"


@pytest.mark.parametrize("task", ["simmc/actions", "simmc/dst"])
def test_names_of_a_part_without_training_answers_are_those_of_all(
    task: str, partial: Path
) -> None:
    made = make_all(partial, task, part="furniture")
    named = find_prompts()[task].names
    assert named is not None
    used = {name for each in made.dataset for name in named(json.loads(str(each.target)))}
    assert used
    assert [name for name in used if name not in made.ask] == []


def test_tools_of_a_part_without_training_answers_are_those_of_all(partial: Path) -> None:
    made = make_all(partial, "simmc/actions", part="furniture", answers="tools")
    called = {json.loads(str(each.target))["action"] for each in made.dataset} - {"None"}
    assert called
    assert called <= made.tools.keys()


def test_examples_show_what_questions_show(partial: Path) -> None:
    """Calls of the training split without the words of their dialogues are no examples."""
    with pytest.raises(TaskError, match="the store has 0 dialogues of fashion with inputs"):
        make_all(partial, "simmc/actions", part="fashion", few_shot=1)


def test_a_prompt_names_its_own_domain(store: Path) -> None:
    tickets, coffee = (
        make_dataset(
            Asking(task="taskmaster3/actions", corpus=corpus, split="all", store=str(store))
        )
        for corpus in ("taskmaster3", "taskmaster4")
    )
    assert ("buying film" in tickets.ask, "coffee" in tickets.ask) == (True, False)
    assert ("buying film" in coffee.ask, "coffee" in coffee.ask) == (False, True)


def test_examples_are_from_the_training_split_only(store: Path) -> None:
    made = make_all(store, "simmc/dst", split="devtest", part="fashion", few_shot=1)
    trained = {each.target: each for each in make(store, "simmc/dst", split="train")}
    ((_question, answer),) = made.examples
    assert (trained[answer].metadata or {})["part"] == "fashion"


@pytest.mark.parametrize("name", sorted(find_prompts()))
def test_the_input_of_a_sample_is_the_question_alone(name: str, store: Path) -> None:
    """It is what the viewer shows in its list; instructions would be the same in every line."""
    task = TASKS[inspect_name(name)](store=str(store), split="all", limit=1)
    for sample in task.dataset:
        message = sample.input[0]
        assert len(sample.input) == 1
        assert isinstance(message, ChatMessageUser)
        assert find_prompts()[name].ask not in message.text


def test_a_model_is_told_instructions_examples_and_question(store: Path, tmp_path: Path) -> None:
    options = {"split": "devtest", "part": "fashion", "limit": 1, "few_shot": 1}
    task = TASKS["simmc_dst"](store=str(store), **options)
    log = run(task, say_target, tmp_path)
    assert log.samples
    for sample in log.samples:
        told = [each.role for each in sample.messages]
        assert told == ["system", "user", "assistant", "user"]
        assert sample.messages[0].text.startswith(find_prompts()["simmc/dst"].ask)
        assert [each.text for each in sample.messages[-1:]] == [
            each.text for each in sample.input if not isinstance(each, str)
        ]


def test_the_seed_decides_everything(store: Path) -> None:
    def write(seed: int) -> list[str]:
        options = {"split": "devtest", "few_shot": 1, "limit": 2, "seed": seed}
        made = make_all(store, "simmc/retrieval", **options)
        questions = [getattr(each.input[0], "content", "") for each in made.dataset]
        return [*map(str, made.examples), *map(str, questions)]

    assert write(1) == write(1) != write(2)


def test_a_log_says_what_was_asked(store: Path) -> None:
    task = TASKS["frames_nlu"](store=str(store), limit=2)
    facts = task.metadata or {}
    assert (facts["task"], facts["dialogues"], facts["prompt_version"]) == ("frames/nlu", 2, 2)
    labels = make_all(store, "frames/nlu", limit=2).ask.partition("\n\n")[2]
    prompt = find_prompts()["frames/nlu"]
    assert facts["prompt_hash"] == hash_prompt(prompt, "json", "text", labels)
    assert facts["data"]["corpus"] == "frames"


def test_examples_make_another_prompt(store: Path) -> None:
    hashes = {
        (TASKS["simmc_dst"](store=str(store), split="devtest", **options).metadata or {})[
            "prompt_hash"
        ]
        for options in ({}, {"few_shot": 1}, {"answers": "schema"})
    }
    assert len(hashes) == 3


def test_pass_k_is_of_right_replies(store: Path, tmp_path: Path) -> None:
    from inspect_ai import Epochs

    task = TASKS["photobook_reference"](store=str(store), split="all", limit=2)
    wrong = {str(each.id) for each in task.dataset if int(str(each.id).rpartition(":")[2]) % 2}

    def say(state: Any) -> str:
        return "[]" if state.sample_id in wrong and state.epoch == 2 else say_target(state)

    log = run(task, say, tmp_path, epochs=Epochs(2, "pass_k_2"))
    share = 1 - len(wrong) / len(task.dataset)
    assert list_values(log)["accuracy"] == pytest.approx(share)


def test_commands_that_ask_no_model_do_not_load_inspect_ai() -> None:
    code = (
        "import sys; from commonground.cli import group; group(['tasks'], standalone_mode=False);"
        "sys.exit('inspect_ai' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True).returncode == 0


def test_some_instances_of_each_dialogue_are_drawn(store: Path) -> None:
    whole = make(store, "simmc/dst", split="all", limit=4)
    one = make(store, "simmc/dst", split="all", limit=4, per_dialogue=1)
    two = make(store, "simmc/dst", split="all", limit=4, per_dialogue=2)
    ids, some, few = ([str(each.id) for each in made] for made in (whole, two, one))
    assert list_dialogues(one) == list_dialogues(whole)
    assert len(few) == len(list_dialogues(one))
    assert set(few) < set(some) < set(ids)
    assert [name for name in ids if name in some] == some
