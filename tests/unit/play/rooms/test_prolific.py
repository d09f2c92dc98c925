"""A study at Prolific by command: what costs money is asked for, and is paid once."""

from __future__ import annotations

import csv
import shlex
import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner, Result
from tests.unit.play.collect.prolific.fake import (
    TOKEN,
    FakeProlific,
    hand_in_all,
    run_prolific,
    tell_prolific,
)
from tests.unit.play.rooms.leaving import see_everybody_out
from tests.unit.play.rooms.platforms import Prolific

from commonground.cli.collect import command
from commonground.errors import CommongroundError, FormatError, UsageError
from commonground.play.collect.erasing import backup_study, erase_named
from commonground.play.collect.exports.exporting import TABLE, export_study
from commonground.play.collect.prolific.api import ADDRESS, OFFICIAL, ProlificError, open_api
from commonground.play.collect.prolific.bonuses import read_bonuses, read_cents
from commonground.play.collect.prolific.drafts import make_draft
from commonground.play.collect.setup.study import open_study

REASON = (
    "All of your messages were pasted from one and the same text, and every picture was marked "
    "within the first second of each page, before it was shown."
)


@pytest.fixture
def told(study: Path) -> Path:
    """A study that is ready for people of Prolific."""
    tell_prolific(study)
    return study


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeProlific]:
    with run_prolific() as prolific:
        monkeypatch.setenv("PROLIFIC_TOKEN", TOKEN)
        monkeypatch.setenv(ADDRESS, prolific.address)
        yield prolific


def run(words: str, folder: Path, said: str = "") -> Result:
    result = CliRunner().invoke(
        command, ["prolific", *shlex.split(words.replace("STUDY", str(folder)))], input=said
    )
    assert TOKEN not in result.output + str(result.exception)
    return result


def fail(words: str, folder: Path, said: str = "") -> str:
    """Runs what is refused; returns why."""
    result = run(words, folder, said)
    assert result.exit_code
    if isinstance(result.exception, CommongroundError):
        return str(result.exception)
    return result.output


@pytest.fixture
def left(told: Path, fake: FakeProlific) -> dict[str, str]:
    """People who left by every way out, and handed in with its code; pseudonyms by way out."""
    tokens = see_everybody_out(told, Prolific.identify)
    assert run("create STUDY", told).exit_code == 0
    return hand_in_all(told, fake, tokens)


def submission_of(study: Path, pid: str) -> str:
    with closing(open_study(study).open_identities()) as identities:
        who = identities.find(pid)
    assert who is not None
    return who.details["SESSION_ID"]


def test_a_draft_is_made_of_the_settings_once(told: Path, fake: FakeProlific) -> None:
    assert "draft study1" in run("create STUDY", told).output
    draft = fake.studies["study1"]
    assert (draft["name"], draft["reward"], draft["total_available_places"]) == (
        "Talk about pictures",
        450,
        20,
    )
    assert draft["external_study_url"].startswith("https://study.example.org/?PROLIFIC_PID={{%")
    assert draft["device_compatibility"] == ["desktop", "tablet"]
    allowed = {"filter_id": "custom_allowlist"}
    assert draft["filters"] == [{**allowed, "selected_values": ["5f7c1d22e4b0", "5f7c1d22e4b1"]}]
    codes = open_study(told).settings.payment.codes
    assert {each["code"] for each in draft["completion_codes"]} == set(codes.values())
    (done,) = (each for each in draft["completion_codes"] if each["code_type"] == "COMPLETED")
    assert done["code"] == codes["completed"]
    # Nobody is paid by a code alone.
    actions = [a["action"] for each in draft["completion_codes"] for a in each["actions"]]
    assert set(actions) == {"MANUALLY_REVIEW"}
    assert "already: study1" in fail("create STUDY", told)
    assert len(fake.studies) == 1


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("full = 4.5", "full = 0.0", "payment.amounts.full is 0"),
        ("places = 20", "places = 0", "prolific.places is less than 1"),
        ("https://study", "http://study", "does not begin with https://"),
        ("prolific = true", "prolific = false", "recruiting.prolific is false"),
    ],
)
def test_a_draft_that_says_too_little_is_refused(told: Path, old: str, new: str, said: str) -> None:
    path = told / "study.toml"
    path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    with pytest.raises(UsageError, match=said):
        make_draft(open_study(told))


def test_lists_of_ids_hold_ids(told: Path) -> None:
    (told / "allow.txt").write_text("ann@example.org\n", encoding="utf-8")
    with pytest.raises(FormatError, match="is not an id of Prolific"):
        make_draft(open_study(told))


def test_publishing_says_what_it_costs_and_asks(told: Path, fake: FakeProlific) -> None:
    assert "has no study at Prolific" in fail("publish STUDY", told)
    run("create STUDY", told)
    refused = run("publish STUDY", told, "n\n")
    assert "20 places at 4.50 EUR: 120.00 EUR with fees" in refused.output
    assert fake.studies["study1"]["status"] == "UNPUBLISHED"
    assert "ACTIVE" in run("publish STUDY --yes", told).output
    assert "nothing to do" in fail("publish STUDY --yes", told)
    assert "PAUSED" in run("pause STUDY", told).output
    assert "ACTIVE" in run("publish STUDY", told).output


def test_a_study_that_is_not_ready_is_not_published(told: Path, fake: FakeProlific) -> None:
    run("create STUDY", told)
    (told / "consent" / "en.md").write_text("", encoding="utf-8")
    assert "not ready" in fail("publish STUDY --yes", told)
    assert fake.studies["study1"]["status"] == "UNPUBLISHED"


def test_money_is_of_the_currency_that_people_read_of(told: Path, fake: FakeProlific) -> None:
    fake.currency = "GBP"
    run("create STUDY", told)
    assert "Prolific pays this study in GBP" in fail("publish STUDY --yes", told)
    assert "Prolific pays this study in GBP" in fail("approve STUDY --yes", told)


def test_what_is_due_is_approved_and_nobody_else(
    told: Path, left: dict[str, str], fake: FakeProlific
) -> None:
    fake.hand_in("stranger", "nobody", open_study(told).settings.payment.codes["completed"])
    asked = run("approve STUDY", told, "n\n")
    due = {"completed", "partner_left", "time_over", "ended_by_moderator"}
    due_people = {pid for name, pid in left.items() if name.partition(".")[0] in due}
    total = 4.5 * len(due_people)
    assert f"for 4.50 EUR each, {total:.2f} EUR in all" in asked.output
    assert {e["status"] for e in fake.submissions.values()} == {"AWAITING REVIEW"}
    run("approve STUDY --yes", told)
    approved = {n for n, e in fake.submissions.items() if e["status"] == "APPROVED"}
    assert approved == {submission_of(told, pid) for pid in due_people}
    assert "nothing to approve" in run("approve STUDY --yes", told).output


def test_nobody_without_a_trace_is_approved_or_paid(
    told: Path, left: dict[str, str], fake: FakeProlific
) -> None:
    assert left
    fake.hand_in("stranger", "nobody", open_study(told).settings.payment.codes["completed"])
    # Somebody who is known, by a submission that never led here.
    fake.hand_in("second", "pro1", "")
    for name in ("stranger", "second"):
        assert "no one took part" in fail(f"approve STUDY {name} --yes", told)
        assert "no one took part" in fail(f"bonus STUDY {name} 1.00 --yes", told)
    assert fake.paid == []


def test_whoever_is_owed_less_is_approved_by_name_only(
    told: Path, left: dict[str, str], fake: FakeProlific
) -> None:
    pid = left["waited_out"]
    said = run("status STUDY", told).output
    assert f"{pid} (#" in said
    assert "waited_out, owed 1.00 EUR: is owed less than the reward" in said
    run(f"approve STUDY {pid} --yes", told)
    assert fake.submissions[submission_of(told, pid)]["status"] == "APPROVED"


def test_another_code_than_was_shown_is_looked_at(
    told: Path, left: dict[str, str], fake: FakeProlific
) -> None:
    name = submission_of(told, left["completed"])
    fake.submissions[name]["study_code"] = "GUESSED1"
    run("approve STUDY --yes", told)
    assert fake.submissions[name]["status"] == "AWAITING REVIEW"


def test_who_was_erased_is_still_approved(
    told: Path, left: dict[str, str], fake: FakeProlific
) -> None:
    name = submission_of(told, left["completed"])
    # The lists are the researcher's own: no id of this person stands there.
    erase_named(open_study(told), left["completed"])
    run("approve STUDY --yes", told)
    assert fake.submissions[name]["status"] == "APPROVED"


def test_a_rejection_has_its_reason(told: Path, left: dict[str, str], fake: FakeProlific) -> None:
    pid, name = left["timed_out"], submission_of(told, left["timed_out"])
    words = f"reject STUDY {pid} --category LOW_EFFORT --yes --reason"
    assert "asks for 100" in fail(f"{words} short", told)
    wrong = words.replace("LOW_EFFORT", "UGLY")
    assert "knows no category 'UGLY'" in fail(f"{wrong} '{REASON}'", told)
    assert run(f"{words} '{REASON}'", told).exit_code == 0
    assert fake.submissions[name]["status"] == "REJECTED"
    assert "is REJECTED" in fail(f"approve STUDY {pid} --yes", told)


def test_a_bonus_is_paid_once(told: Path, left: dict[str, str], fake: FakeProlific) -> None:
    pid = left["completed"]
    words, name = f"bonus STUDY {pid} 1.50", submission_of(told, pid)
    asked = run(words, told, "n\n")
    assert f"Pay 1.50 EUR to {name}, 2.00 EUR with fees" in asked.output
    assert fake.paid == []
    assert run(f"{words} --yes", told).exit_code == 0
    assert "nothing was paid now" in run(f"{words} --yes", told).output
    assert "one bonus is paid for each purpose" in fail(f"bonus STUDY {pid} 2 --yes", told)
    run(f"{words} --for again --yes", told)
    assert fake.paid == [(name, 150), (name, 150)]
    assert [each.state for each in read_bonuses(told)] == ["paid", "paid"]
    row = next(r for r in payments(told) if r["participant"] == pid)
    assert row["bonus"] == "3.00"


def payments(study: Path) -> list[dict[str, str]]:
    out = study.parent / "OUT"
    export_study(open_study(study), out)
    text = (out / TABLE).read_text(encoding="utf-8-sig")
    shutil.rmtree(out)
    return list(csv.DictReader(text.splitlines()))


def test_a_payment_that_broke_off_is_looked_up(
    told: Path, left: dict[str, str], fake: FakeProlific
) -> None:
    words = f"bonus STUDY {left['completed']} 1.50 --yes"
    fake.breaks = ["/pay/"]
    assert "does not answer" in fail(words, told)
    (begun,) = read_bonuses(told)
    assert begun.state == "paying"
    fake.breaks = []
    assert "nothing was paid now" in run(words, told).output
    assert len(fake.paid) == 1
    assert [each.state for each in read_bonuses(told)] == ["paid"]


def test_what_prolific_does_not_show_is_left_to_a_person(
    told: Path, left: dict[str, str], fake: FakeProlific
) -> None:
    words = f"bonus STUDY {left['completed']} 1.50 --yes"
    run(f"{words} --for before", told)
    fake.breaks = ["/pay/"]
    fail(words, told)
    # Paid some minutes later, or never: nobody knows; the other bonus of this amount is no sign.
    fake.paid, fake.breaks = fake.paid[:1], []
    assert "It is not known whether" in fail(words, told)
    assert len(fake.paid) == 1
    run(f"{words} --was-not-paid", told)
    assert len(fake.paid) == 2
    assert "was paid" in fail(f"{words} --was-not-paid", told)


def test_a_refused_payment_leaves_nothing(
    told: Path, left: dict[str, str], fake: FakeProlific
) -> None:
    words = f"bonus STUDY {left['completed']} 1.50 --yes"
    fake.has_funds = False
    assert "not enough funds" in fail(words, told)
    assert read_bonuses(told) == []
    fake.has_funds = True
    assert run(words, told).exit_code == 0


def test_bonuses_name_nobody_and_stay_after_erasing(
    told: Path, left: dict[str, str], fake: FakeProlific
) -> None:
    pid, name = left["completed"], submission_of(told, left["completed"])
    run(f"bonus STUDY {pid} 1.50 --yes", told)
    copy = backup_study(open_study(told), told.parent / "BACKUPS")
    assert read_bonuses(copy) == read_bonuses(told)
    data = (told / "bonuses.json").read_bytes()
    assert not any(each.encode() in data for each in (pid, name))
    erase_named(open_study(told), pid)
    assert len(read_bonuses(told)) == 1
    assert fake.paid == [(name, 150)]


@pytest.mark.parametrize("amount", ["0", "-1", "1.005", "nan", "inf", "1e9", "much"])
def test_amounts_are_of_money(amount: str) -> None:
    with pytest.raises(UsageError):
        read_cents(amount)


def test_amounts_are_read_exactly() -> None:
    assert [read_cents(each) for each in ("1.15", "0.29", "3")] == [115, 29, 300]


def test_the_token_goes_to_prolific_or_this_machine_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(UsageError, match="holds no token"):
        open_api({})
    with pytest.raises(UsageError, match="holds no token"):
        open_api({"PROLIFIC_TOKEN": "two\nlines"})
    for address in ("http://api.example.org", "http://127.0.0.1.example.org", "//x"):
        with pytest.raises(UsageError, match="elsewhere"):
            open_api({"PROLIFIC_TOKEN": "t", ADDRESS: address})
    assert OFFICIAL.startswith("https://")


def test_a_wrong_token_and_a_server_that_is_not_there_are_said(fake: FakeProlific) -> None:
    api = open_api({"PROLIFIC_TOKEN": "another", ADDRESS: fake.address})
    with pytest.raises(ProlificError, match="does not accept the token") as caught:
        api.get_study("study1")
    assert caught.value.refused
    gone = open_api({"PROLIFIC_TOKEN": "another", ADDRESS: "http://127.0.0.1:9/api/v1"})
    with pytest.raises(ProlificError, match="does not answer") as caught:
        gone.get_study("study1")
    assert "another" not in str(caught.value)


def test_status_is_json_too(told: Path, left: dict[str, str]) -> None:
    found = msgspec.json.decode(run("status STUDY --json", told).stdout)
    assert found["study"]["status"] == "UNPUBLISHED"
    ways = {e["participant"]: e["way_out"] for e in found["submissions"]}
    assert {ways[pid] for pid in left.values()} == {n.partition(".")[0] for n in left}
