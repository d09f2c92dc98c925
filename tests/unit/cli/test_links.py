"""Links of people that a researcher names: at the address that is typed, or that the study says."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner

from commonground.cli.collect import links
from commonground.errors import UsageError
from commonground.play.collect.setup.preparing import prepare_study


def test_links_have_an_address_that_people_can_reach(tmp_path: Path) -> None:
    study = prepare_study(tmp_path / "pilot", "photobook", material=None, languages=("en",))
    words = [str(study.folder), "ann"]
    refused = CliRunner().invoke(links, words).exception
    assert isinstance(refused, UsageError)
    assert "--address https://study.example.org" in str(refused)
    typed = CliRunner().invoke(links, [*words, "--address", "http://lab:1/"]).stdout
    assert typed.startswith("ann\thttp://lab:1/?participant=ann&key=")
    path = study.folder / "study.toml"
    said = '\n[prolific]\ntitle = "Talk"\naddress = "https://a.example"\n'
    path.write_text(path.read_text("utf-8") + said, "utf-8")
    stated = CliRunner().invoke(links, words).stdout
    assert stated == typed.replace("http://lab:1/", "https://a.example/")
