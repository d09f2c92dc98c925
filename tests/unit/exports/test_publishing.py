"""Repositories for the Hub: what may be published, under which licence, and their files."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml

from commonground.errors import UsageError
from commonground.exports.formats.hf.export import order_splits
from commonground.exports.publishing import (
    check_collected,
    choose_licence,
    find_strictest,
    publish,
)
from commonground.exports.selection import Selection
from commonground.store.opening import Store

OWN = "CC BY 4.0"


def take_for_released(selection: Selection, monkeypatch: pytest.MonkeyPatch) -> Selection:
    """Lets simulated dialogues count as released ones."""
    manifests = {
        name: msgspec.structs.replace(each, simulated=False)
        for name, each in selection.store.manifests.items()
    }
    monkeypatch.setattr(selection.store, "manifests", manifests)
    return selection


@pytest.mark.parametrize(
    ("licences", "strictest"),
    [
        (["CC0 1.0"], "CC0 1.0"),
        (["CC BY 4.0", "CC0 1.0"], "CC BY 4.0"),
        (["CC BY 4.0", "CC BY-NC-SA 4.0"], "CC BY-NC-SA 4.0"),
        (["CC BY-NC 4.0", "CC BY 4.0"], "CC BY-NC 4.0"),
    ],
)
def test_a_mixture_takes_the_strictest_licence(licences: list[str], strictest: str) -> None:
    assert find_strictest(licences) == strictest
    assert find_strictest(licences[::-1]) == strictest


def test_licences_that_exclude_each_other_are_refused() -> None:
    with pytest.raises(UsageError, match="No licence suits all"):
        find_strictest(["CC BY-SA 4.0", "CC BY-NC 4.0"])


@pytest.mark.parametrize(
    ("corpora", "said"),
    [
        (["frames"], "Frames bar redistribution"),
        (["photobook"], "PhotoBook has no licence that allows redistribution"),
        (["taskmaster3", "frames"], "Frames bar redistribution"),
        (["mpchat"], "MPChat has no licence"),
    ],
)
def test_what_terms_bar_is_not_written(
    corpora: list[str], said: str, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    selection = take_for_released(Selection(store, corpora), monkeypatch)
    with pytest.raises(UsageError, match=said):
        publish(selection, tmp_path / "out", licence="CC BY 4.0")
    assert not (tmp_path / "out").exists()


def test_released_dialogues_keep_their_licence(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    selection = take_for_released(Selection(store, ["taskmaster3", "simmc2"]), monkeypatch)
    assert choose_licence(selection) == "CC BY-NC-SA 4.0"
    with pytest.raises(UsageError, match="is the authors' to choose"):
        choose_licence(selection, "CC0 1.0")


def test_invented_dialogues_need_a_licence(store: Store) -> None:
    with pytest.raises(UsageError, match="no licence yet"):
        choose_licence(Selection(store, ["frames"]))


def test_splits_come_in_the_order_in_which_people_name_them() -> None:
    named = ["unsplit", "test", "fold_10", "dev", "fold_9", "train"]
    assert order_splits(named) == ["train", "dev", "test", "fold_9", "fold_10", "unsplit"]


def add_questions(corpus: str, out: Path) -> Mapping[str, Mapping[str, int]]:
    from commonground.store.arrow import pa, pq

    folder = out / "data" / f"{corpus}_task"
    folder.mkdir(parents=True)
    rows = pa.table({"input": ["What next?"], "target": ["wait"]})
    pq.write_table(rows, folder / "train-00000-of-00001.parquet")
    return {f"{corpus}_task": {"train": 1}}


@pytest.fixture
def repository(store: Store, tmp_path: Path) -> Path:
    out = tmp_path / "set"
    publish(Selection(store, ["taskmaster3"]), out, licence=OWN, add_questions=add_questions)
    return out


def test_the_card_says_licence_language_and_tasks(repository: Path) -> None:
    _, head, text = (repository / "README.md").read_text(encoding="utf-8").split("---\n", 2)
    found = yaml.safe_load(head)
    assert found["license"] == "cc-by-4.0"
    assert found["license_link"] == "https://creativecommons.org/licenses/by/4.0/"
    assert found["language"] == ["en"]
    assert found["task_categories"]
    configs = {each["config_name"] for each in found["configs"]}
    assert {"dialogues", "events", "taskmaster3_task"} <= configs
    assert "Licence: CC BY 4.0" in text
    assert "eval.yaml" in text


def test_datasets_loads_it(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    datasets = pytest.importorskip("datasets")
    monkeypatch.setattr("datasets.config.HF_HUB_OFFLINE", True)
    for config, rows in (("dialogues", 6), ("taskmaster3_task", 1)):
        loaded: Any = datasets.load_dataset(str(repository), config, cache_dir=str(tmp_path / "c"))
        assert sum(each.num_rows for each in loaded.values()) == rows


@pytest.mark.filterwarnings("default")
def test_mlcroissant_reads_it(repository: Path, store: Store) -> None:
    library = pytest.importorskip("mlcroissant")
    described = library.Dataset(repository / "croissant.json")
    records = list(described.records("events"))
    selection = Selection(store, ["taskmaster3"])
    query = f"SELECT count(*) FROM {selection.source('events')} WHERE corpus = 'taskmaster3'"
    assert len(records) == selection.rows(query)[0][0]


def test_the_description_says_what_is_known_for_responsible_use(repository: Path) -> None:
    found = msgspec.json.decode((repository / "croissant.json").read_bytes())
    assert "http://mlcommons.org/croissant/1.1" in found["conformsTo"]
    assert found["license"] == "https://creativecommons.org/licenses/by/4.0/"
    assert found["rai:dataLimitations"]
    for each in found["distribution"]:
        if each["@type"] == "cr:FileObject":
            data = (repository / each["contentUrl"]).read_bytes()
            assert hashlib.sha256(data).hexdigest() == each["sha256"]


def test_the_data_sheet_and_the_terms_go_along(repository: Path) -> None:
    sheet = (repository / "datasheet.md").read_text(encoding="utf-8")
    assert sheet.startswith("# Data sheet: Taskmaster-3")
    assert "6 dialogues; simulated" in sheet
    assert (repository / "LICENCE-AND-TERMS.md").exists()


def test_several_corpora_are_one_repository(store: Store, tmp_path: Path) -> None:
    out = tmp_path / "both"
    publish(Selection(store, ["taskmaster3", "frames"]), out, licence=OWN)
    found = msgspec.json.decode((out / "croissant.json").read_bytes())
    assert found["name"] == "taskmaster3-frames"


def test_only_what_was_collected_counts_as_collected(store: Store, tmp_path: Path) -> None:
    selection = Selection(store, ["taskmaster3"])
    with pytest.raises(UsageError, match="is not an export of a study"):
        check_collected(selection, tmp_path)
    (tmp_path / "datasheet.md").write_text("# Data sheet: mine\n", encoding="utf-8")
    with pytest.raises(UsageError, match="was not collected in"):
        check_collected(selection, tmp_path)


def test_what_was_collected_takes_the_sheet_of_its_study(
    simulated: Path, store: Store, tmp_path: Path
) -> None:
    study = tmp_path / "study"
    study.symlink_to(simulated.parent / "taskmaster3", target_is_directory=True)
    sheet = simulated.parent / "taskmaster3" / "datasheet.md"
    sheet.write_text("# Data sheet: mine\n", encoding="utf-8")
    try:
        out = tmp_path / "out"
        publish(Selection(store, ["taskmaster3"]), out, licence=OWN, collected=study)
    finally:
        sheet.unlink()
    assert (out / "datasheet.md").read_text(encoding="utf-8") == "# Data sheet: mine\n"
