"""Afterwards a search for bytes finds nothing of the person, anywhere."""

from __future__ import annotations

import csv
import re
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.studies import copy_study
from tests.thorough import a_few
from tests.unit.play.collect.party import Party, StudyParty

from commonground.errors import StoreError, UsageError
from commonground.play.collect import erasing
from commonground.play.collect.erasing import UnfinishedError, backup_study, erase_named
from commonground.play.collect.exports.exporting import export_study
from commonground.play.collect.exports.paying import reckon_pay
from commonground.play.collect.exports.replaying import describe_session
from commonground.play.collect.identities import Identities, Identity
from commonground.play.collect.kept_payments import read_kept
from commonground.play.collect.live.standing import restore_hall
from commonground.play.collect.orders import Order, make_order
from commonground.play.collect.setup.study import PAYMENTS, Study, open_study


@pytest.fixture
def study(tmp_path: Path) -> Study:
    """Two games: Zora and Yuri, and two others who said nothing of them."""
    study = copy_study(tmp_path / "pilot")
    identities = Identities(study.identities_path)
    party = StudyParty(study, identities)
    for names in (("zora-platform-id", "yuri"), ("wim", "vera")):
        pids = []
        for name in names:
            identity = Identity("prolific", name, {"STUDY_ID": "s", "SESSION_ID": f"in-{name}"})
            pids.append(identities.pseudonym(identity))
            identities.remember(pids[-1], identity)
        browsers = party.pair(*pids)
        for browser in browsers:
            short = names[pids.index(browser.pid)].partition("-")[0]
            party.act(browser, "chat.message", f"msg-{short}", text=f"secret of {short}")
            party.act(browser, "chat.message", text="<refused " + short)
        party.play_game(browsers)
    party.file.close()
    identities.close()
    return study


def traces(folder: Path, *needles: str) -> list[tuple[str, str]]:
    return [
        (str(path.relative_to(folder)), needle)
        for path in folder.rglob("*")
        if path.is_file()
        for needle in needles
        if needle.encode() in path.read_bytes()
    ]


def test_an_export_holds_everything_in_its_place(study: Study, tmp_path: Path) -> None:
    exported = export_study(study, tmp_path / "OUT")
    assert exported.complete == exported.sessions == 2
    assert sorted(path.name for path in (tmp_path / "OUT/logs").iterdir()) == [
        path.name for path in sorted((tmp_path / "OUT/logs").glob("[01]_*.json"))
    ]
    with (tmp_path / "OUT/private/payments.csv").open(encoding="utf-8-sig") as stream:
        rows = list(csv.DictReader(stream))
    assert {row["platform_id"] for row in rows} == {"zora-platform-id", "yuri", "wim", "vera"}
    assert {(row["exit"], row["class"], row["completed"]) for row in rows} == {
        ("completed", "full", "1")
    }
    # Only the folder that says so has names of a platform, or pseudonyms.
    found = traces(tmp_path / "OUT", "zora-platform-id", rows[0]["participant"])
    assert {path for path, _ in found} == {"private/payments.csv"}
    sheet = (tmp_path / "OUT/datasheet.md").read_text()
    assert "| people who came | 4 |" in sheet
    assert "| completed (paid: full) | 4 |" in sheet


def test_before_anybody_came_the_tables_have_their_headings(study: Study, tmp_path: Path) -> None:
    copy_study(tmp_path / "new")
    export_study(study, tmp_path / "OUT")
    export_study(open_study(tmp_path / "new"), tmp_path / "NONE")
    for name in ("private/payments.csv", "extra/sessions.csv"):
        used = (tmp_path / "OUT" / name).read_text().splitlines()
        columns = [
            column
            for column in used[0].split(",")
            if column not in ("STUDY_ID", "SESSION_ID")  # details of a platform
        ]
        assert (tmp_path / "NONE" / name).read_text() == ",".join(columns) + "\n"


def test_the_data_sheet_has_what_a_publication_is_asked_for(study: Study, tmp_path: Path) -> None:
    path = study.folder / "study.toml"
    text = path.read_text()
    path.write_text(text.replace("full = 0.0", "full = 2.5").replace('"EUR"', '"GBP"'))
    export_study(open_study(study.folder), tmp_path / "OUT")
    sheet = (tmp_path / "OUT/datasheet.md").read_text()
    part = sheet.partition("## For a publication's checklist")[2].partition("## Settings")[0]
    rows = dict(re.findall(r"^\| (.+?) \| (.+) \|$", part, flags=re.MULTILINE))
    assert rows["participants: came"] == rows["participants: completed a session"] == "4"
    assert (rows["dialogues: released"], rows["dialogues: messages in them"]) == ("2", "4")
    assert rows["recruitment"] == "plain 4"
    assert rows["pay: people whose last exit is paid in class full, and its amount"] == (
        "4, 2.50 GBP"
    )
    assert rows["pay: in all"] == "10.00 GBP"
    assert rows["demographics"] == "not asked"
    assert "to be filled in" in rows["review board (IRB)"]
    # A person is erased: what is left is counted, and that it was done is said.
    erase_named(open_study(study.folder), "yuri")
    sheet = (tmp_path / "OUT/datasheet.md").read_text()
    assert "| dialogues: released | 1 |" in sheet
    assert "| deletion on request | offered to all, done for 1 |" in sheet


def test_who_plays_twice_is_paid_for_both() -> None:
    party = Party(quotas={"sessions_each": 2}, payment={"amounts": {"full": 3, "partial": 1}})
    party.play_game(party.pair())
    party.do(party.hall.get_ready, "ann")
    party.open("ann")
    party.wait(320)
    party.do(party.hall.leave, "ann")
    pay = reckon_pay(party.log, party.settings.payment)
    assert [(pay[pid].amount, pay[pid].way_out) for pid in ("ann", "bob")] == [
        (4, "waited_out"),
        (3, "completed"),
    ]
    assert pay["ann"].completed == 1


def test_an_export_has_pictures_if_asked_for_and_keeps_them(study: Study, tmp_path: Path) -> None:
    export_study(study, tmp_path / "OUT")
    assert not (tmp_path / "OUT/images").exists()
    export_study(study, tmp_path / "OUT", pictures=True)
    pictures = {path for path in (tmp_path / "OUT/images").rglob("*") if path.is_file()}
    assert {path.suffix for path in pictures} == {".jpg"}
    names = {path.relative_to(tmp_path / "OUT/images").as_posix() for path in pictures}
    assert names <= study.stock.pictures
    assert len(names) < len(study.stock.pictures)
    erase_named(study, "zora-platform-id")
    assert {path for path in (tmp_path / "OUT/images").rglob("*") if path.is_file()} <= pictures
    assert (tmp_path / "OUT/images").is_dir()


def test_an_export_replaces_only_exports(study: Study, tmp_path: Path) -> None:
    export_study(study, tmp_path / "OUT")
    export_study(study, tmp_path / "OUT")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/thesis.txt").write_text("years of work")
    with pytest.raises(UsageError, match="no export written by commonground"):
        export_study(study, tmp_path / "mine")
    assert (tmp_path / "mine/thesis.txt").read_text() == "years of work"


def test_nothing_is_left_of_an_erased_person(study: Study, tmp_path: Path) -> None:
    export_study(study, tmp_path / "OUT")
    backup_study(study, tmp_path / "BACKUPS")
    identities = Identities(study.identities_path)
    identity = Identity("prolific", "zora-platform-id")
    pid, code = identities.pseudonym(identity), identities.receipt(identities.pseudonym(identity))
    identities.close()
    needles = ("zora", "secret of zora", "<refused zora", "msg-zora", pid, code)
    assert {needle for _, needle in traces(tmp_path, *needles)} == set(needles) - {code} | {code}
    assert len({path.partition("/")[0] for path, _ in traces(tmp_path, pid)}) == 3

    assert erase_named(study, "zora-platform-id") > 20
    assert traces(tmp_path, *needles) == []
    # What others said is there, and their numbers and files are as before.
    assert traces(tmp_path / "pilot", "secret of yuri", "secret of vera")
    (name,) = [path.name for path in (tmp_path / "OUT/logs").iterdir()]
    assert name.startswith("1_")
    sheet = (tmp_path / "OUT/datasheet.md").read_text()
    assert "| people whose data were deleted at their wish | 1 |" in sheet
    assert "| not released, as data of a person were deleted | 1 |" in sheet


PAID = "[payment.amounts]\nfull = 0.0"


@pytest.mark.parametrize("platform", a_few(["prolific", "mturk", "plain"], ["prolific"]))
def test_who_is_erased_is_still_paid_and_nothing_else_is_kept(
    study: Study, tmp_path: Path, platform: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = study.folder / "study.toml"
    settings.write_text(settings.read_text().replace(PAID, PAID.replace("0.0", "4.5")))
    study = open_study(study.folder)
    code = study.settings.payment.codes["completed"]
    identities = Identities(study.identities_path)
    identity = Identity(platform, "walter-platform-id", {"SESSION_ID": "in-walter-session"})
    pid, other = identities.pseudonym(identity), identities.pseudonym(Identity("plain", ""))
    identities.remember(pid, identity)
    receipt = identities.receipt(pid)
    party = StudyParty(study, identities)
    monkeypatch.setattr(party, "platform_of", lambda of: platform if of == pid else "plain")
    party.play_game(party.pair(pid, other))
    party.close_files()
    copy = backup_study(study, tmp_path / "copies")
    export_study(study, tmp_path / "OUT")
    # Broken off between the two: it is noted once all the same.
    with monkeypatch.context() as broken:
        broken.setattr(erasing, "clear_log", _fail)
        with pytest.raises(UnfinishedError, match="no more room"):
            erase_named(study, pid)
    erase_named(study, pid)
    with (tmp_path / "OUT/private/payments.csv").open(encoding="utf-8-sig") as stream:
        (row,) = (each for each in csv.DictReader(stream) if each["participant"] == "erased 1")
    said = {name: value for name, value in row.items() if value}
    known = {} if platform == "plain" else {"platform_id": "walter-platform-id"}
    wanted = {"participant": "erased 1", "platform": platform, **known, "currency": "EUR"}
    paid_by = code if platform == "prolific" else receipt
    assert said == {**wanted, "amount": "4.50", "code": paid_by}
    assert len(read_kept(study.folder)) == 1
    assert read_kept(copy) == read_kept(study.folder)
    found = traces(tmp_path, pid, "walter-platform-id", "in-walter-session", receipt)
    tables = {f"pilot/{PAYMENTS}", "OUT/private/payments.csv"}
    assert {path for path, _ in found} == {*tables, str((copy / PAYMENTS).relative_to(tmp_path))}
    assert {needle for _, needle in found} == {*known.values(), paid_by} - {code}


def _fail(*_: object) -> None:
    raise StoreError("There is no more room.")


def test_a_text_that_an_export_of_others_has_is_no_trace(
    study: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    export_study(study, tmp_path / "OUT")

    def order(*given: Any) -> Order:
        # The data sheet has it, whoever is in the study.
        return msgspec.structs.replace(make_order(*given), texts=["people who came"])

    monkeypatch.setattr(erasing, "make_order", order)
    notes = tmp_path / "OUT/notes.txt"
    notes.write_text("of all people who came")
    with pytest.raises(UnfinishedError, match=r"notes\.txt still has data of"):
        erase_named(study, "zora-platform-id")
    notes.unlink()
    assert erase_named(study, "yuri") > 0


def test_who_alone_was_refused_something_is_erased(study: Study) -> None:
    identities = Identities(study.identities_path)
    party = StudyParty(study, identities)
    first, _ = party.pair("new-1-person", "new-2-person")
    # A type of act that nobody else tried, but did: the log of others has it.
    party.act(first, "photobook.next")
    party.close_files()
    assert erase_named(study, first.pid) > 0


def test_a_study_goes_on_after_an_erasure(study: Study) -> None:
    erase_named(study, "zora-platform-id")
    identities = Identities(study.identities_path)
    party = StudyParty(study, identities)
    assert party.hall.ledger.arrivals == 4
    party.pair("new-1", "new-2")
    assert {p.number for p in party.hall.ledger.people.values()} >= {5, 6}
    party.file.close()
    identities.close()


@pytest.mark.parametrize("readmitted", [False, True])
def test_games_of_who_was_excluded_stay_out_of_counts(study: Study, readmitted: bool) -> None:
    party = StudyParty(study, Identities(study.identities_path))
    (pid,) = party.identities.find_pseudonyms("zora-platform-id")
    (partner,) = party.identities.find_pseudonyms("yuri")
    hall = party.hall
    party.do(hall.exclude, pid, "copies")
    if readmitted:
        party.do(hall.exclude, pid, "", on=False)
    counted = (hall.ledger.completed, sum(hall.ledger.material_use.uses))
    assert counted == ((2, 2) if readmitted else (1, 1))
    party.do(hall.forget, pid)
    party.close_files()
    erase_named(study, "zora-platform-id")
    with closing(study.open_log()) as log:
        again = restore_hall(study, log, str)
    for each in (hall, again):
        for on in (True, False):
            each.do(party.now_us, each.exclude, partner, "copies, too", on=on)
        ledger = each.ledger
        assert (ledger.completed, sum(ledger.material_use.uses)) == counted


def test_nobody_is_erased_by_half_a_name(study: Study) -> None:
    for name in ("zora", "p", ""):
        with pytest.raises(UsageError, match="no participant"):
            erase_named(study, name)


def test_a_session_is_played_again_from_its_log(study: Study) -> None:
    told = describe_session(study, "s0001")
    assert told.reason == "completed"
    assert len(told.records) == 1
    assert {view["phase"] for view in told.views.values()} == {"over"}
    assert any("secret of zora" in line for line in told.lines())
    with pytest.raises(UsageError, match="s0001"):
        describe_session(study, "s0009")
    erase_named(study, "zora-platform-id")
    told = describe_session(study, "s0001")
    assert told.erased
    assert "cannot be played again" in "\n".join(told.lines())
