from __future__ import annotations

import re
from contextlib import closing
from pathlib import Path

import pytest
from tests.studies import copy_study

import commonground
from commonground.errors import FormatError, SourceError, StoreError, UsageError
from commonground.play.collect.erasing import backup_study
from commonground.play.collect.events import Event, ParticipantArrived
from commonground.play.collect.exports.exporting import export_study
from commonground.play.collect.live.standing import restore_hall
from commonground.play.collect.people import EXITS
from commonground.play.collect.setup.preparing import prepare_study
from commonground.play.collect.setup.study import IDENTITIES, Study, open_study

SOURCE = Path(commonground.__file__).parent


def find_texts() -> list[Path]:
    """All that participants read, in every language."""
    patterns = ("collect/setup/templates/consent.*.md", "rooms/texts/*.toml")
    rooms = "corpora/*/scenario/room/*.toml"
    return sorted(path for pattern in (*patterns, rooms) for path in SOURCE.glob(pattern))


@pytest.fixture
def study(tmp_path: Path) -> Study:
    return copy_study(tmp_path / "pilot", "photobook", "en", "de")


def change(study: Study, old: str, new: str) -> None:
    path = study.folder / "study.toml"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def test_a_new_study_can_be_opened_and_has_its_defaults(study: Study) -> None:
    settings = open_study(study.folder).settings
    assert settings.scenario == "photobook"
    assert settings.languages == ["en", "de"]
    assert set(settings.payment.codes) == set(EXITS)
    assert settings.payment.class_of("partner_left") == "full"
    assert len(study.stock)
    assert study.images is not None
    assert study.images.is_dir()


def test_material_of_ones_own_is_checked(study: Study, tmp_path: Path) -> None:
    assert study.images is not None
    source = study.images
    made = prepare_study(tmp_path / "own", "photobook", material=source, languages=("en",))
    assert made.images == tmp_path / "own" / "images"
    next(source.rglob("*.jpg")).unlink()
    with pytest.raises(FormatError, match="expected 12 images, found 11"):
        prepare_study(tmp_path / "less", "photobook", material=source, languages=("en",))
    assert not (tmp_path / "less").exists()


def test_a_folder_is_never_written_over(study: Study) -> None:
    with pytest.raises(UsageError, match="is not an empty folder"):
        prepare_study(study.folder, "photobook", material=None, languages=("en",))


def test_what_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no scenario 'chess'"):
        prepare_study(tmp_path / "a", "chess", material=None, languages=("en",))
    with pytest.raises(UsageError, match=r"'\.\./en' is not a language code"):
        prepare_study(tmp_path / "b", "photobook", material=None, languages=("../en",))
    with pytest.raises(SourceError, match=r"study\.toml"):
        open_study(tmp_path)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("version = 1", "version = 2", "version 2; this commonground knows 1"),
        ("warm_up = true", 'warm_up = "yes"', r"Expected `bool`, got `str` - at `\$.warm_up`"),
        ("[times]", "[tiems]", "tiems"),
        ("nudge_s = 60", "nudge_s = 600", "nudge_s is more than times.tell_s"),
        ("heartbeat_s = 10", "heartbeat_s = 40", "heartbeat_s must be less"),
        ("grace_s = 120", "grace_s = -1", "grace_s must be more than 0"),
        ("sessions_each = 1", "sessions_each = 0", "at least 1"),
        ("# roles = {A = 50", "roles = {A = 0", "quotas.roles.A is at least 1"),
        ("version = 1", "version = ", "is not TOML"),
        ('languages = ["en",', 'languages = ["en/de",', "'en/de' is not a language code"),
    ],
)
def test_settings_that_make_no_sense_are_located(
    study: Study, old: str, new: str, said: str
) -> None:
    change(study, old, new)
    with pytest.raises(FormatError, match=said):
        open_study(study.folder)


def test_a_quota_of_a_role_that_is_not_there_is_named(study: Study) -> None:
    change(study, "# roles = {A = 50, B", "roles = {A = 50, C")
    found = open_study(study.folder)
    log = found.open_log()
    with pytest.raises(FormatError, match="names 'C', which is not a role") as caught:
        restore_hall(found, log, str)
    log.close()
    assert "A, B" in str(caught.value.advice)


def test_consent_says_who_the_partner_may_be_and_has_a_hash(study: Study) -> None:
    before = study.consent("en")
    assert "not a computer program" in before.text
    change(study, "model_partners = false", "model_partners = true")
    after = open_study(study.folder).consent("en")
    assert "or a computer program" in after.text
    assert before.digest != after.digest
    with pytest.raises(SourceError, match=r"fr\.md"):
        study.consent("fr")


@pytest.mark.parametrize("path", find_texts(), ids=lambda path: "/".join(path.parts[-3:]))
def test_no_text_promises_a_person_where_a_partner_may_be_a_model(path: Path) -> None:
    # What only people with people read stands between marks of its own.
    text = re.sub(r"{% else %}.*?{% endif %}", "", path.read_text("utf-8"), flags=re.DOTALL)
    assert not re.search(r"(with|mit) \w+ (other |anderen )?person", text, flags=re.IGNORECASE)


def test_consent_that_hides_model_partners_is_refused(study: Study) -> None:
    path = study.folder / "consent" / "en.md"
    path.write_text("# About\n\nYou play with a partner.\n", encoding="utf-8")
    assert study.consent("en").text.startswith("# About")
    change(study, "model_partners = false", "model_partners = true")
    disclosing = open_study(study.folder)
    with pytest.raises(FormatError, match=r"en\.md does not say .* a model") as caught:
        disclosing.consent("en")
    assert "{% if model_partners %}" in str(caught.value.advice)
    assert "Computerprogramm" in disclosing.consent("de").text


@pytest.mark.parametrize("language", ["en", "de"])
def test_consent_says_nothing_of_partners_to_who_works_alone(tmp_path: Path, language: str) -> None:
    alone = prepare_study(
        tmp_path / "alone", "taskmaster4", material=None, languages=(language,)
    ).consent(language)
    assert "artner" not in alone.text
    assert "{%" not in alone.text
    # Every point of a list has a line of its own.
    assert alone.text.count("\n- ") == alone.text.count("- ") == 16


def test_one_process_has_a_study_at_a_time(study: Study) -> None:
    with study.lock():
        other = open_study(study.folder)
        with pytest.raises(StoreError, match="served already"), other.lock():
            pass
    with study.lock():
        pass


def test_only_its_owner_reads_a_study(tmp_path: Path) -> None:
    study = copy_study(tmp_path / "pilot")
    with study.lock():
        export_study(study, tmp_path / "OUT")
        copy = backup_study(study, tmp_path / "BACKUPS")
    for folder in (study.folder, copy):
        # Pictures are the researcher's own, and nobody else comes to them.
        paths = [folder, *folder.glob("[!id]*"), *folder.glob("consent/*"), folder / IDENTITIES]
        found = {path: path.stat().st_mode & 0o777 for path in paths}
        assert len(found) >= 5
        wrong = {p: oct(m) for p, m in found.items() if m != (0o700 if p.is_dir() else 0o600)}
        assert wrong == {}


def test_a_study_without_its_identities_is_not_served(tmp_path: Path) -> None:
    study = copy_study(tmp_path / "pilot")
    study.identities_path.unlink()
    study.open_identities().close()  # nobody came yet
    study.identities_path.unlink()
    with closing(study.open_log(write=True)) as log:
        log.append(
            [Event(what=ParticipantArrived(1, "en", "plain"), at_us=1, seq=1, participant="p1")]
        )
    with pytest.raises(StoreError, match=r"identities\.sqlite is missing: it links the people"):
        study.open_identities()
    assert not study.identities_path.exists()
