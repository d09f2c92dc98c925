from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.thorough import one_in

import commonground as cg
from commonground.cli import group
from commonground.corpora import get_corpus
from commonground.errors import UsageError
from commonground.play.simulating import simulate_corpus
from commonground.store.planting import KINDS, ROW_FAULT, plant_faults


@pytest.mark.parametrize("corpus", one_in(3, cg.list_corpora()))
def test_what_is_planted_is_found_and_nothing_else(corpus: str, tmp_path: Path) -> None:
    entry = get_corpus(corpus)
    simulate_corpus(entry, tmp_path, dialogues=8, seed=2)
    planted = plant_faults(entry, tmp_path, number=len(KINDS), seed=1)
    rules = [rule for rule, _ in KINDS]
    if any(fmt.layout == "rows" for fmt in entry.formats()):
        rules = [ROW_FAULT] * len(KINDS)
    assert [each.code for each in planted] == [rule.code for rule in rules]
    codes = {rule.code for rule in rules}
    found = [each for each in cg.check(corpus, tmp_path).findings if each.code in codes]
    places = {(each.code, (each.source_file or "").rpartition("/")[2]) for each in found}
    assert places == {(each.code, each.file.rpartition("/")[2]) for each in planted}
    assert len(found) == len(planted)
    for each in planted:
        assert any(
            f.code == each.code and (f.source_path or "").startswith(each.path) for f in found
        )


def test_more_faults_than_records_are_refused(tmp_path: Path) -> None:
    entry = get_corpus("photobook")
    simulate_corpus(entry, tmp_path, dialogues=2, seed=2)
    with pytest.raises(UsageError, match="3 faults cannot be planted in 2 records"):
        plant_faults(entry, tmp_path, number=3, seed=1)


def test_the_command_says_what_it_planted(tmp_path: Path) -> None:
    command = ["simulate", "frames", str(tmp_path / "a"), "--dialogues", "3", "--faults", "1"]
    said = CliRunner().invoke(group, command)
    assert said.exit_code == 0, said.output
    assert "planted CG-JSON-002 in frames.json at $[" in said.output
    same = cg.simulate("frames", tmp_path / "b", dialogues=3, seed=0, faults=1)
    name = "frames.json"
    assert (tmp_path / "a" / name).read_bytes() == (same / name).read_bytes()
