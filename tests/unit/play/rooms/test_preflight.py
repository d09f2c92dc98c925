"""What has to be mended before people come is listed at once, and until then nobody comes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests import forks

from commonground.cli.collect import list_addresses
from commonground.errors import FormatError, UsageError
from commonground.explorer.web.listening import Serving
from commonground.play.collect.setup.preparing import prepare_study
from commonground.play.collect.setup.recruiting import read_arrival, sign_links
from commonground.play.collect.setup.study import Recruiting, open_study
from commonground.play.collect.setup.texts import check_texts, read_texts, write_untranslated
from commonground.play.rooms.preflight import PLACEHOLDER, list_remarks, offer_translation
from commonground.play.rooms.rendering import HERE, Rooms
from commonground.play.rooms.serving import serve_study

READY = {
    'contact = ""': 'contact = "study@example.org"',
    'controller = ""': 'controller = "Example University"',
    "kept_years = 0": "kept_years = 10",
    "full = 0.0": "full = 4.5",
    "partial = 0.0": "partial = 1.0",
}


def change(folder: Path, changes: dict[str, str]) -> None:
    path = folder / "study.toml"
    text = path.read_text(encoding="utf-8")
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new, 1)
    path.write_text(text, encoding="utf-8")


def fill_in(folder: Path) -> None:
    for path in (folder / "consent").iterdir():
        text = PLACEHOLDER.sub("About us.", path.read_text(encoding="utf-8"), 1)
        path.write_text(text, encoding="utf-8")


def mend(folder: Path) -> None:
    """Does what a researcher has to do before people come."""
    change(folder, READY)
    fill_in(folder)


def list_places(folder: Path) -> list[str]:
    return [each.where for each in list_remarks(open_study(folder))]


@pytest.fixture
def ready(study: Path) -> Path:
    mend(study)
    return study


def test_a_new_study_is_told_all_that_is_to_be_mended(study: Path) -> None:
    # In both languages: who and what for, how long data is kept, contact, who is responsible.
    consents = ["consent/en.md"] * 4 + ["consent/de.md"] * 4
    amounts = ["payment.amounts.full", "payment.amounts.partial"]
    assert list_places(study) == [*consents, "contact", *amounts]
    mend(study)
    assert list_places(study) == []


@pytest.mark.parametrize(
    ("changes", "where", "what"),
    [
        ({"full = 4.5": "full = -1"}, "payment.amounts.full", "-1 cannot be paid."),
        ({"full = 4.5": "full = nan"}, "payment.amounts.full", "nan cannot be paid."),
        (
            {"partial = 1.0": "partial = 0"},
            "payment.amounts.partial",
            "0 is paid for connection_lost, screened_out, unfit, quota_full, waited_out.",
        ),
        (
            {"unpaid = false": "unpaid = true", "partial = 1.0": "partial = 0"},
            "payment.amounts.full",
            "4.5 is paid, and unpaid is true.",
        ),
        ({"plain = true": "plain = false"}, "recruiting", "Nobody may come."),
        (
            {"prolific = false": "prolific = true", "cc={code}": "cc=C0DE"},
            "recruiting.completion_url",
            "'https://app.prolific.com/submissions/complete?cc=C0DE' does not lead back with a "
            "code.",
        ),
    ],
)
def test_settings_that_would_cost_somebody_are_named(
    ready: Path, changes: dict[str, str], where: str, what: str
) -> None:
    change(ready, changes)
    (remark,) = list_remarks(open_study(ready))
    assert (remark.where, remark.what) == (where, what)
    assert remark.advice


def test_pay_of_nothing_may_be_meant(ready: Path) -> None:
    unpaid = {
        "unpaid = false": "unpaid = true",
        "full = 4.5": "full = 0",
        "partial = 1.0": "partial = 0",
    }
    change(ready, unpaid)
    assert list_places(ready) == []
    assert "Taking part is not paid." in open_study(ready).consent("en").text


def test_a_way_out_without_a_code_is_named(ready: Path) -> None:
    code = open_study(ready).settings.payment.codes["waited_out"]
    change(ready, {"prolific = false": "prolific = true", f'waited_out = "{code}"': ""})
    (remark,) = list_remarks(open_study(ready))
    assert remark.what == "There is no code for waited_out."


def test_consents_that_say_nothing_are_named(ready: Path) -> None:
    (ready / "consent" / "en.md").write_text("  \n", encoding="utf-8")
    (ready / "consent" / "de.md").unlink()
    assert list_places(ready) == ["consent/en.md", "consent/de.md"]


def test_placeholders_of_earlier_versions_are_known(ready: Path) -> None:
    text = "# About\n\n**Replace this paragraph: who you are.**\n"
    (ready / "consent" / "en.md").write_text(text, encoding="utf-8")
    (remark,) = list_remarks(open_study(ready))
    assert remark.advice == "Replace this paragraph: who you are."


def test_texts_that_pages_cannot_use_are_named() -> None:
    known = {"lead": "Hello {name}, {n} left", "list.0": "a", "list.1": "b", "plain": "text"}
    texts = {"leed": "x", "lead": "Hello {nmae}, {n} left}", "list.5": "c", "plain": "a } brace"}
    assert [(each.name, each.what) for each in check_texts(texts, known)] == [
        ("leed", "is a name that no page uses. Did you mean lead?"),
        ("lead", "lacks {name}."),
        ("lead", "has {nmae}, for which there is no value."),
        ("lead", "has an extra brace."),
    ]


def test_ones_own_texts_are_looked_over(ready: Path) -> None:
    (ready / "texts").mkdir()
    mine = '[script]\nleft_characters = "left"\nleft_charcters = "{n}"\n[welcome]\nfacts = ["one"]'
    (ready / "texts" / "de.toml").write_text(mine, encoding="utf-8")
    (ready / "texts" / "fr.toml").write_text('language = "Français"\n', encoding="utf-8")
    (ready / "texts" / "en.toml").write_text("language = 5\n", encoding="utf-8")
    said = [str(each) for each in list_remarks(open_study(ready))]
    assert said[0] == "texts/de.toml, script.left_characters: It lacks {n}."
    assert said[1].startswith(
        "texts/de.toml, script.left_charcters: It is a name that no page uses"
    )
    assert "language is not a text" in said[2]
    assert said[3].startswith("texts/fr.toml: The study has no language 'fr'.")
    assert len(said) == 4


def test_a_language_of_ones_own_is_translated_text_by_text(tmp_path: Path) -> None:
    study = prepare_study(tmp_path / "pilot", "photobook", material=None, languages=("ar", "en"))
    (path,) = offer_translation(study)
    assert path == study.folder / "texts" / "ar.toml"
    rooms = Rooms(study)
    # Until it is translated, texts stand in English.
    assert rooms.texts["ar"].texts == rooms.texts["en"].texts
    accepted = {"ar-EG, en": "ar", "en-GB, ar": "en", "fr": "ar", "": "ar"}
    assert {each: rooms.choose_language("", each) for each in accepted} == accepted
    assert '<html lang="ar" dir="rtl">' in rooms.render(
        "welcome.html", "ar", preview=False, role="", names={"ar": "ar", "en": "English"}
    )
    mend(study.folder)
    fill_in(study.folder)
    (remark,) = list_remarks(open_study(study.folder))
    assert remark.where == "language ar"
    assert remark.what.startswith(f"{len(rooms.texts['en'].texts):,} texts of ")
    text = path.read_text(encoding="utf-8").replace("\n# ", "\n")
    path.write_text("#" + text.partition("\n")[2], encoding="utf-8")
    assert list_places(study.folder) == []


def test_what_is_to_be_translated_is_the_whole_catalogue(tmp_path: Path) -> None:
    english = read_texts("en", [HERE / "texts"])
    text = write_untranslated(english, "fr")
    head, _, body = text.partition("\n\n")
    (tmp_path / "fr.toml").write_text(body.replace("# ", ""), encoding="utf-8")
    assert read_texts("fr", [tmp_path]) == english
    assert all(line.startswith("#") for line in head.splitlines())


@pytest.mark.parametrize("name", ["{{%PROLIFIC_PID%}}", "undefined", "null", "[object Object]"])
def test_what_stands_for_no_id_is_nobodys(study: Path, name: str) -> None:
    ids = {"PROLIFIC_PID": "a1", "STUDY_ID": "b2", "SESSION_ID": "c3"}
    assert read_arrival(ids, Recruiting(prolific=True))
    with pytest.raises(UsageError, match="the platform did not fill in the address"):
        read_arrival({**ids, "PROLIFIC_PID": name}, Recruiting(prolific=True))
    with pytest.raises(UsageError, match="is a placeholder, not an id"):
        read_arrival({"participant": name}, Recruiting())
    with pytest.raises(UsageError, match="is a placeholder, not an id"):
        sign_links(open_study(study), [name], "https://HOST")


@pytest.mark.parametrize(
    ("host", "hosts"),
    [("::", frozenset[str]()), ("127.0.0.1", frozenset({"study.example.org"}))],
)
def test_nobody_from_elsewhere_comes_before_it_is_mended(
    study: Path, host: str, hosts: frozenset[str]
) -> None:
    def never(_: object) -> None:
        raise AssertionError("it was served")

    own, other = Serving(host, 0, None), Serving("127.0.0.1", 0, "token")
    with pytest.raises(FormatError, match=r"not ready .* consent/en\.md: .* And 8 more\."):
        serve_study(open_study(study), own, other, never, hosts=hosts)


def test_the_command_lists_them(study: Path) -> None:
    done = forks.run("collect", "preflight", str(study))
    assert done.returncode == 1
    assert done.stdout.splitlines()[-1] == "11 things to fix."
    told = json.loads(forks.run("collect", "preflight", str(study), "--json").stdout)
    assert told[8] == {
        "where": "contact",
        "what": "There is no contact for participants.",
        "advice": "Set contact in study.toml.",
    }
    mend(study)
    done = forks.run("collect", "preflight", str(study))
    assert (done.returncode, done.stdout) == (0, "Ready.\n")


@pytest.mark.parametrize("scenario", ["photobook", "mpchat"])
@pytest.mark.parametrize("language", ["en", "de"])
def test_consent_says_what_is_recorded_and_what_leaving_pays(
    tmp_path: Path, scenario: str, language: str
) -> None:
    folder = tmp_path / "pilot"
    prepare_study(folder, scenario, material=None, languages=(language,))
    mend(folder)
    text = open_study(folder).consent(language).text
    en = ["how fast", "how far you scroll", "when they have loaded", "can watch", "Cookies in"]
    en += [
        "study@example.org",
        "Example University",
        "after 10 years",
        "4.50 EUR",
        "finished: nothing",
    ]
    de = [
        "wie schnell",
        "wie weit Sie scrollen",
        "wann sie geladen",
        "mitverfolgen",
        "Cookies dieser",
    ]
    de += [
        "study@example.org",
        "Example University",
        "nach 10 Jahren",
        "4,50 EUR",
        "fertig sind: nichts",
    ]
    missing = [each for each in {"en": en, "de": de}[language] if each not in text]
    assert missing == []
    assert not PLACEHOLDER.search(text)


def test_the_link_to_give_has_the_public_name() -> None:
    listening = "http://192.0.2.7:8770/"
    assert list_addresses(listening, []) == [f"Participants: {listening}"]
    first, proxy = list_addresses(listening, ["study.example.org"])
    assert first == "Participants: https://study.example.org/"
    assert listening in proxy
