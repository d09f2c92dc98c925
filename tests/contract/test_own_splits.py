"""Every corpus takes splits of one's own, and what is made of splits follows them."""

from __future__ import annotations

import json
import random
from itertools import cycle
from pathlib import Path

import pytest

import commonground as cg
from commonground.bench.evaluation.baselines.jobs import plan_baselines
from commonground.bench.evaluation.overlaps import list_overlaps
from commonground.corpora import Entry
from commonground.errors import UsageError
from commonground.store.corpus import Corpus
from commonground.store.importing import import_corpus
from commonground.store.importing.own_splits import Request
from commonground.store.shared import group_dialogues, list_kinds, read_values
from tests.contract.conftest import NAMES, Simulate, Simulated
from tests.contract.test_perfect import CASES
from tests.thorough import a_few

ONE_A_CORPUS = {case[1]: case for case in CASES if case[0].corpora[0] == case[1]}.values()
"""A task of each corpus: which dialogues are asked about is decided for all of its tasks alike."""


def import_again(entry: Entry, files: list[Path], store: Path, **asked: object) -> Corpus:
    import_corpus(entry, files, store=store, splits=Request(**asked), check=False)  # type: ignore[arg-type]
    return cg.load(entry.name, store)


def read_splits(corpus: Corpus) -> dict[str, str | None]:
    return dict(corpus.rows("select dialogue_id, split from dialogues"))


SOME = ("photobook", "frames", "mpchat")
"""Corpora with ids, splits and files of three kinds; what is tried is the same code for all."""

KINDS = (*SOME, "simmc", "taskmaster1")
"""A corpus of each family, whose dialogues hang together by other things."""

FORMS = ("csv", "lists", "map")
"""What a list is read from; each corpus takes one of them, since they are all read alike."""


WAYS = list(zip(SOME, FORMS, strict=True))


def write_lists(ids: list[str], form: str) -> tuple[str, str]:
    """Writes that two are in `train`, one in `odd/name` and one in none, with an odd entry."""
    if form == "csv":
        rows = [f"{ids[0]},train", f"{ids[1]},train", ids[3], f"{ids[2]},odd/name", "gone,train"]
        return "\n".join(["id,split", *rows]), "line 4"
    if form == "lists":
        lists = {"train": [*ids[:2], None, "gone"], "dev": [], "odd/name": [ids[2]]}
        return json.dumps(lists), "$.train[2]"
    named = {ids[0]: "train", ids[1]: "train", ids[3]: 3, ids[2]: "odd/name", "gone": "train"}
    return json.dumps(named), f"$.{ids[3]}"


@pytest.mark.parametrize(
    ("name", "form"),
    a_few(zip(NAMES, cycle(FORMS), strict=False), WAYS),
)
def test_a_list_of_ones_own_is_followed(
    name: str, form: str, simulate: Simulate, tmp_path: Path
) -> None:
    simulated = simulate(name)
    ids = simulated.corpus.ids()
    listed = tmp_path / ("mine.csv" if form == "csv" else "mine.json")
    text, odd = write_lists(ids, form)
    listed.write_text(text, encoding="utf-8")
    store = tmp_path / "store"
    corpus = import_again(simulated.entry, [simulated.files], store, splits=listed)
    wanted = dict.fromkeys(ids) | {ids[0]: "train", ids[1]: "train", ids[2]: "odd/name"}
    assert read_splits(corpus) == wanted
    assert corpus.splits() == {"": len(ids) - 3, "odd/name": 1, "train": 2}
    own = corpus.manifest.own_splits
    assert own is not None
    assert (own.kind, own.name, own.absent, own.unlisted, own.faults) == (
        "file",
        listed.name,
        1,
        len(ids) - 3,
        1,
    )
    found = corpus.rows("select source_file, source_path from findings where code = 'CG-SPLIT-001'")
    assert found == [(listed.name, odd)]
    assert [each.dialogue_id for each in corpus.dialogues("odd/name")] == [ids[2]]


@pytest.mark.parametrize("simulated", a_few(NAMES, SOME), indirect=True)
def test_the_rest_of_the_import_is_the_same(simulated: Simulated, tmp_path: Path) -> None:
    before = simulated.corpus
    corpus = import_again(simulated.entry, [simulated.files], tmp_path, holdout=0.25)
    columns = "dialogue_id, domain, n_events, attributes, source_file"
    for query in (f"select {columns} from dialogues", "select * from events", "from native"):
        assert corpus.rows(query) == before.rows(query)
    assert corpus.splits() == {"test": len(before) // 4, "train": len(before) - len(before) // 4}


@pytest.mark.parametrize("name", ["photobook", "simmc", "taskmaster1"])
def test_a_holdout_depends_on_ids_and_seed_alone(
    name: str, simulate: Simulate, tmp_path: Path
) -> None:
    """With a file for each dialogue, with several of them in each, and with a list of splits."""
    simulated = simulate(name)
    files = sorted(path for path in simulated.files.rglob("*") if path.is_file())
    random.Random(5).shuffle(files)
    if len({path.name for path in files}) < len(files):
        files = [simulated.files]
    found = [
        read_splits(import_again(simulated.entry, given, tmp_path / name, holdout=0.4, seed=seed))
        for name, given, seed in (
            ("one", [simulated.files], 1),
            ("other", files, 1),
            ("seed", [simulated.files], 2),
        )
    ]
    assert found[0] == found[1]
    assert sorted(found[0]) == sorted(found[2])
    assert found[0] != found[2]


@pytest.mark.parametrize("simulated", a_few(NAMES, KINDS), indirect=True)
def test_nothing_kept_apart_is_on_both_sides(simulated: Simulated, tmp_path: Path) -> None:
    entry, whole = simulated.entry, simulated.corpus
    shown = {kind: read_values(whole, each) for kind, each in list_kinds(entry.manifest).items()}
    apart = [k for k, each in shown.items() if each and len(group_dialogues(whole.ids(), each)) > 1]
    for kind, values in shown.items():
        if kind not in apart:
            with pytest.raises(UsageError, match=f"hang together by {kind}|says its {kind}") as no:
                import_again(entry, [simulated.files], tmp_path, holdout=0.3, apart=kind)
            advised = f"Keep something else apart ({', '.join(apart)})"
            assert no.value.advice.startswith(advised if apart else "Nothing else can be kept")
            continue
        store = tmp_path / kind
        corpus = import_again(entry, [simulated.files], store, holdout=0.3, apart=kind)
        splits = read_splits(corpus)
        sides: dict[str | None, set[str]] = {"train": set(), "test": set()}
        for each, split in splits.items():
            sides[split].update(values.get(each, ()))
        assert sides["test"]
        assert sides["train"].isdisjoint(sides["test"])
        own = corpus.manifest.own_splits
        assert own is not None
        assert own.reached == list(splits.values()).count("test") / len(splits)
        overlap = {each.what: each for each in list_overlaps(corpus)}
        assert (overlap[kind].shared, overlap[kind].of) == (0, len(sides["test"]))


def test_files_of_other_splits_are_other_data(simulate: Simulate, tmp_path: Path) -> None:
    """Of one corpus: what an import is made of is said in the same way for all."""
    simulated = simulate("simmc")
    entry, files = simulated.entry, [simulated.files]

    def is_unchanged(**asked: object) -> bool:
        request = Request(**asked)  # type: ignore[arg-type]
        summary = import_corpus(entry, files, store=tmp_path, splits=request, check=False)
        return summary.unchanged

    assert not is_unchanged(holdout=0.3)
    assert is_unchanged(holdout=0.3)
    assert not is_unchanged(holdout=0.3, seed=2)
    assert not is_unchanged()
    assert cg.load(entry.name, tmp_path).splits() == simulated.corpus.splits()


@pytest.mark.parametrize(
    ("task", "corpus"),
    a_few(CASES, ONE_A_CORPUS),
    ids=lambda each: getattr(each, "name", each),
)
def test_tasks_ask_for_a_split_of_ones_own(
    task: cg.Task, corpus: str, simulate: Simulate, tmp_path: Path
) -> None:
    """Dialogues of all released splits, of both domains, are mixed in it."""
    simulated = simulate(corpus)
    mine = import_again(simulated.entry, [simulated.files], tmp_path, holdout=0.5)
    held_out = frozenset(mine.ids("test"))
    asked = list(cg.instances(task.name, corpus=corpus, split="test", store=tmp_path))
    everything = cg.instances(task.name, corpus=corpus, store=tmp_path)
    assert [each.instance_id for each in asked] == [
        each.instance_id for each in everything if each.dialogue_id in held_out
    ]
    with pytest.raises(UsageError, match="no split 'dev'"):
        list(cg.instances(task.name, corpus=corpus, split="dev", store=tmp_path))
    if corpus == "mpchat":
        return  # threads that were released to learn from have no candidates to rank
    for job in plan_baselines(task.name, corpus=corpus, train="train", test="test", store=tmp_path):
        learned = {each.dialogue_id for one in job.plan.rounds for each in one.train}
        tested = {each.dialogue_id for one in job.plan.rounds for each in one.test}
        assert learned.isdisjoint(held_out)
        assert tested <= held_out
    for result in cg.run_baselines(
        task.name,
        plan_baselines(task.name, corpus=corpus, store=tmp_path)[0].method.name,
        corpus=corpus,
        train="train",
        test="test",
        store=tmp_path,
    ):
        # Every turn that was answered was scored, whatever released file it is from.
        assert [each.split for each in result.coverage] == ["test"]
        assert result.coverage[0].missing == 0
        kinds = {each.kind for each in result.problems}
        assert kinds.isdisjoint({"extra turns", "missing turns", "other contexts", "other order"})
        assert result.store is not None
        assert "a hold-out of 50.0%" in result.store["splits"]
