"""Splits that are not the released ones: who gets them, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.unit.object_store import ObjectStore

import commonground as cg
from commonground.corpora import Entry, get_corpus
from commonground.errors import CommongroundError, FormatError, UsageError
from commonground.store.corpus import Corpus
from commonground.store.importing import import_corpus, planning
from commonground.store.importing.own_splits import Request, hold_out, is_released
from commonground.store.importing.summary import ImportSummary
from commonground.store.layout.manifest import OwnSplits, data_folder
from commonground.store.shared import Overlap, count_overlaps, group_dialogues

Import = Callable[..., ImportSummary]
Open = Callable[[], Corpus]
Write = Callable[..., Path]


def test_groups_are_connected_components() -> None:
    values = {"a": ["x", "y"], "b": ["y"], "d": ["z"], "e": ["z"], "c": ["w", "x"]}
    assert group_dialogues("fedcba", values) == [["a", "b", "c"], ["d", "e"], ["f"]]


def test_whole_groups_are_held_out_up_to_the_share() -> None:
    groups = [["a", "b", "c"], ["d"], ["e"], ["f"], ["g"], ["h", "i", "j"]]
    for seed in range(20):
        chosen = hold_out(groups, 0.3, seed)
        assert 1 <= len(chosen) <= 3
        assert chosen == hold_out(groups[::-1], 0.3, seed)
        assert sorted(chosen) in (["a", "b", "c"], ["h", "i", "j"]) or set(chosen) <= set("defg")


def test_where_no_group_fits_the_smallest_is_held_out() -> None:
    assert hold_out([["a", "b", "c"], ["d", "e"]], 0.1, 1) == ["d", "e"]


def test_something_is_left_to_learn_from() -> None:
    assert hold_out([["a"], ["b"]], 0.99, 1) in (["a"], ["b"])


class Rows:
    """Two things that dialogues show, as a store would answer."""

    def rows(self, query: str, _parameters: Any = ()) -> list[tuple[Any, ...]]:
        if "domain" in query:
            return [("1", "cars"), ("2", "cars"), ("3", "cups")]
        return [("1", "ann"), ("1", "bob"), ("2", "cy"), ("3", "ann")]


def test_overlap_is_counted_in_different_values(toy: Entry) -> None:
    # Test shows the domains cars and cups and the speakers cy and ann; training cars, ann and bob.
    found = count_overlaps(Rows(), toy.manifest, [(["1"], ["2", "3"])], train="train", test="test")
    assert found == [
        Overlap(what="domain", shared=1, of=2, test="test", train="train"),
        Overlap(what="speaker", shared=1, of=2, test="test", train="train"),
    ]
    assert found[0].describe() == "1 of 2 domains of test also occurs in train"
    # Of two rounds the counts are summed: 1 of 1, and 1 of 2.
    rounds = [(["1"], ["2"]), (["1"], ["2", "3"])]
    assert count_overlaps(Rows(), toy.manifest, rounds, train="a", test="b")[0] == Overlap(
        what="domain", shared=2, of=3, test="b", train="a"
    )


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"splits": Path("a.csv"), "holdout": 0.1}, "not both"),
        ({"apart": "speaker"}, "no hold-out"),
        ({"holdout": 0.0}, "above 0 and below 1"),
        ({"holdout": 1.0}, "above 0 and below 1"),
        ({"holdout": 0.5, "apart": "shoe"}, "no thing to keep apart 'shoe' in toy"),
        ({"holdout": 0.5, "apart": "domain"}, "No talk of toy says its domain"),
        ({"splits": Path("none.csv")}, "none.csv cannot be read"),
    ],
)
def test_what_cannot_be_asked_leaves_the_store_as_it_was(
    asked: dict[str, Any],
    message: str,
    import_toy: Import,
    open_toy: Open,
    write_talks: Write,
) -> None:
    path = write_talks({"t1": ["hi"], "t2": ["bye"]})
    import_toy(path)
    with pytest.raises(CommongroundError, match=message):
        import_toy(path, splits=Request(**asked))
    assert open_toy().splits() == {"train": 2}


def test_a_list_of_other_ids_is_refused(
    import_toy: Import, write_talks: Write, tmp_path: Path
) -> None:
    listed = tmp_path / "mine.csv"
    listed.write_text("id,split\ntalk-1,test\n", encoding="utf-8")
    with pytest.raises(FormatError, match=r"None of the 1 id in mine\.csv .* 'talk-1'") as refused:
        import_toy(write_talks({"t1": ["hi"]}), splits=Request(splits=listed))
    assert "'t1'" in refused.value.advice


@pytest.mark.parametrize("apart", [None, "speaker", "domain"])
def test_one_dialogue_cannot_be_divided(
    apart: str | None, import_toy: Import, write_talks: Write
) -> None:
    with pytest.raises(UsageError, match="toy has 1 talk: none can be held out"):
        import_toy(write_talks({"t1": ["hi"]}), splits=Request(holdout=0.5, apart=apart))


def test_where_nothing_can_be_kept_apart_nothing_is_advised(
    import_toy: Import, write_talks: Write
) -> None:
    """Talks have no domain, and all are of the same people."""
    path = write_talks({"t1": ["hi"], "t2": ["bye"]})
    for apart in ("domain", "speaker"):
        with pytest.raises(UsageError) as refused:
            import_toy(path, splits=Request(holdout=0.5, apart=apart))
        assert "Nothing else can be kept apart" in refused.value.advice


def test_of_two_dialogues_of_one_id_the_first_is_meant(
    import_toy: Import, open_toy: Open, write_talks: Write, tmp_path: Path
) -> None:
    listed = tmp_path / "mine.csv"
    listed.write_text("id,split\nt1,a\nt1~2,b\n", encoding="utf-8")
    one, two = (write_talks({"t1": [text]}, f"talks_{text}.json") for text in ("hi", "oh"))
    import_toy(one, two, splits=Request(splits=listed))
    query = "select dialogue_id, split from dialogues order by 1"
    assert open_toy().rows(query) == [("t1", "a"), ("t1~2", "b")]


def test_released_files_are_known_by_name_unless_they_have_a_header(tmp_path: Path) -> None:
    photobook, taskmaster = get_corpus("photobook"), get_corpus("taskmaster1")
    for name, text, entry, wanted in (
        ("data_splits.json", '{"train": [1]}', photobook, True),
        ("mine.json", '{"train": [1]}', photobook, False),
        ("train-dev-test/train.csv", "dlg-1\n", taskmaster, True),
        ("train-dev-test/dev.csv", "id,split\ndlg-1,train\n", taskmaster, False),
    ):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        assert is_released(entry, path) is wanted
    assert is_released(photobook, tmp_path)
    assert not is_released(photobook, Path("themes-unseen"))


def test_published_splits_are_known_by_name(tmp_path: Path) -> None:
    files = cg.simulate("photobook", tmp_path / "files", dialogues=6)
    corpus = cg.import_files("photobook", files, splits="themes-unseen", store=tmp_path / "store")
    published = get_corpus("photobook").manifest.published_splits["themes-unseen"]
    for name, domain, split in corpus.rows("select dialogue_id, domain, split from dialogues"):
        assert split == ("test" if domain in published.lists["test"] else "train"), name
    own = corpus.manifest.own_splits
    assert own is not None
    assert own.describe().startswith("themes-unseen, published by Wu, Chou and Li (ACL 2023)")
    with pytest.raises(UsageError, match="no published splits of photobook") as refused:
        cg.import_files("photobook", files, splits="theme-unseen", store=tmp_path / "store")
    assert "themes-unseen" in refused.value.advice


def test_a_file_of_the_name_of_published_splits_goes_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    files = cg.simulate("photobook", tmp_path / "files", dialogues=2)
    Path("themes-unseen").write_text("id,split\n0,mine\n", encoding="utf-8")
    corpus = cg.import_files("photobook", files, splits="themes-unseen", store=tmp_path / "store")
    assert "mine" in corpus.splits()


def read_parts(store: Path, corpus: str) -> dict[str, bytes]:
    manifest = cg.load(corpus, store).manifest
    folder = data_folder(store, manifest)
    return {part.name: (folder / part.name).read_bytes() for part in manifest.parts}


def test_processes_give_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planning, "LEAST_SHARD_BYTES", 8 << 10)
    files = cg.simulate("taskmaster3", tmp_path / "files", dialogues=30)
    found = []
    for jobs in (1, 2):
        store = tmp_path / str(jobs)
        request = Request(holdout=0.3)
        entry = get_corpus("taskmaster3")
        summary = import_corpus(entry, [files], store=store, jobs=jobs, splits=request)
        assert summary.shards > 2
        found.append(read_parts(store, "taskmaster3"))
    assert found[0] == found[1]
    assert cg.load("taskmaster3", tmp_path / "2").splits() == {"test": 9, "train": 21}


def test_a_store_in_a_bucket_has_them(
    toy: Entry, objects: ObjectStore, write_talks: Write, tmp_path: Path
) -> None:
    path = write_talks({"t1": ["hi"], "t2": ["bye"], "t3": ["oh"]})
    for store in (Path("s3://talks/st"), tmp_path / "here"):
        import_corpus(toy, [path], store=store, splits=Request(holdout=0.4))
    here = cg.load("toy", tmp_path / "here")
    there = cg.load("toy", "s3://talks/st")
    assert there.rows("from dialogues") == here.rows("from dialogues")
    assert there.manifest.own_splits == here.manifest.own_splits
    assert here.splits() == {"test": 1, "train": 2}


def test_what_was_asked_tells_whether_splits_are_the_same() -> None:
    asked = OwnSplits(kind="file", name="a.csv", sha256="0", absent=1)
    assert asked.is_like(OwnSplits(kind="file", name="b.csv", sha256="0"))
    assert not asked.is_like(OwnSplits(kind="file", name="a.csv", sha256="1"))
    apart = OwnSplits(kind="holdout", share=0.1, seed=1, apart="image", reached=0.05, groups=3)
    assert not apart.is_like(OwnSplits(kind="holdout", share=0.1, seed=1))


def test_a_manifest_says_what_the_splits_are() -> None:
    listed = OwnSplits(
        kind="file", name="a.csv", sha256="0123456789abcdef", absent=1200, unlisted=2, faults=1
    )
    assert listed.describe() == (
        "your own, of a.csv (0123456789ab); 1 of its entries cannot be used; "
        "1,200 of its ids are in no file; 2 dialogues are in none of its lists"
    )
    apart = OwnSplits(
        kind="holdout", share=0.1, seed=3, apart="image", reached=0.0756, groups=17, largest=0.25
    )
    assert apart.describe() == (
        "a hold-out of 7.6% with seed 3, no image of which is in the rest; 10.0% was asked for; "
        "17 groups of dialogues have no image in common, the largest has 25.0%"
    )
