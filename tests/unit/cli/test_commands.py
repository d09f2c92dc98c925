"""The commands as a user types them, on the toy corpus."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.thorough import thorough

from commonground.cli import main
from commonground.corpora import Entry

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(
    toy: Entry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Run:
    """Runs a command in an empty folder and returns exit code, output and errors."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COMMONGROUND_STORE", raising=False)
    monkeypatch.setattr("commonground.store.arrow.forgo_pandas", lambda: None)

    def call(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.argv", ["commonground", *words])
        code = 0
        try:
            main()
        except SystemExit as stopped:
            code = int(stopped.code or 0)
        out, err = capsys.readouterr()
        return code, out, err

    return call


@pytest.fixture
def imported(run: Run) -> Run:
    run("simulate", "toy", "files", "--dialogues", "3")
    code, out, _ = run("import", "toy", "files")
    assert code == 0
    assert "3 dialogues" in out
    return run


def test_help_has_an_example_for_every_command(run: Run) -> None:
    from commonground.cli import _file_names

    for name in _file_names():
        code, out, _ = run(name, "--help")
        assert code == 0
        assert f"commonground {name}" in out.split("Example:")[1]


def test_every_command_takes_a_store(run: Run) -> None:
    from commonground.cli import _file_names

    for name in _file_names():
        _, _, err = run(name, "--store")
        assert "No such option" not in err, name
    assert run("check", "--explain", "CG-JSON-001", "--store", "anywhere")[0] == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["import"], "error: Missing argument 'CORPUS'.\n       See: commonground import --help\n"),
        (
            ["evaluate", "toy/mood"],
            "error: Missing option '--predictions'.\n       See: commonground evaluate --help\n",
        ),
        (["info", "--nosuch"], "error: No such option '--nosuch'."),
        (["collect", "nosuch"], "error: No such command 'nosuch'."),
        (["tasks", "nosuch"], "error: No such command 'nosuch'."),
        (["tasks", "--json", "instances", "toy/mood"], "error: --json stands after instances."),
    ],
)
def test_a_wrong_command_is_answered_as_all_errors_are(
    run: Run, words: list[str], message: str
) -> None:
    code, out, err = run(*words)
    assert (code, out) == (2, "")
    assert err.startswith(message)


def test_no_command_at_all_shows_the_help(run: Run) -> None:
    code, _, err = run()
    assert code == 2
    assert err.startswith("Usage: commonground")


def test_a_wrong_command_suggests_the_right_one(run: Run) -> None:
    code, _, err = run("imprt", "toy")
    assert code == 2
    assert "Did you mean import" in err
    _, _, err = run("roundtri", "toy")  # of a command that the help does not list
    assert "roundtrip" not in err


def test_corpora_are_listed_and_described(imported: Run) -> None:
    rows = {row["name"]: row for row in json.loads(imported("info", "--json")[1])}
    assert rows["toy"]["imported_dialogues"] == 3
    assert rows["frames"]["imported_dialogues"] is None
    assert "toy" in imported("info")[1]
    about = json.loads(imported("info", "toy", "--json")[1])
    assert about["imported"]["counts"]["events"] == 6
    assert "CC0-1.0" in imported("info", "toy")[1]


def test_importing_again_says_so(imported: Run) -> None:
    assert "already" in imported("import", "toy", "files")[1]
    assert json.loads(imported("import", "toy", "files", "--json")[1])["unchanged"] is True


@pytest.mark.parametrize("to", ["csv", "json", "parquet"])
def test_sql_writes_files(imported: Run, tmp_path: Path, to: str) -> None:
    query = "select dialogue_id, count(*) as n from events group by 1 order by 1"
    code, _, _ = imported("sql", query, "--format", to, "--output", f"out.{to}")
    assert code == 0
    data = (tmp_path / f"out.{to}").read_bytes()
    assert {"csv": b"t0,2", "json": b'"t0"', "parquet": b"PAR1"}[to] in data


def test_sql_prints_a_table(imported: Run) -> None:
    code, out, _ = imported("sql", "select text from events where event = 0", "--limit", "2")
    assert code == 0
    assert "hello 0" in out
    assert "2 of 3 rows" in out
    assert "dialogue_id" in imported("sql", "--tables")[1]


def test_sql_that_is_wrong_ends_in_one_line(imported: Run) -> None:
    code, _, err = imported("sql", "drop view events")
    assert code == 1
    assert "read-only" in err
    assert imported("sql")[0] == 2


def test_show_prints_dialogue_json_and_native(imported: Run) -> None:
    assert "hello 1" in imported("show", "toy", "t1")[1]
    assert json.loads(imported("show", "toy", "t1", "--json")[1])["dialogue_id"] == "t1"
    assert json.loads(imported("show", "toy", "t1", "--native")[1])["talk_id"] == "t1"
    code, _, err = imported("show", "toy", "t")
    assert code == 2
    assert "There is no dialogue 't' in toy" in err


def test_check_tells_files_and_store(imported: Run, tmp_path: Path) -> None:
    assert imported("check", "toy", "files") == (0, "Nothing found.\n", "")
    assert imported("check", "--store")[0] == 0
    bad = {"train": [{"talk_id": "x", "lines": [{"who": "ann", "says": ""}, {"who": 1}]}]}
    (tmp_path / "talks.json").write_text(json.dumps(bad))
    code, out, _ = imported("check", "toy", "talks.json")
    assert code == 1
    assert "CG-JSON-003" in out
    assert "$.train[0].lines[1].who" in out


def test_check_lists_places_and_fails_on_request(imported: Run, tmp_path: Path) -> None:
    faulty = {"train": [{"talk_id": "x", "lines": [{"who": "ann", "says": ""}]}]}
    (tmp_path / "talks.json").write_text(json.dumps(faulty))
    code, out, _ = imported("check", "toy", "talks.json", "--code", "cg-toy-001")
    assert (code, out) == (0, "talks.json $.train[0].lines[0].says  expected words  found \n")
    assert imported("check", "toy", "talks.json", "--fail-on", "warning")[0] == 1
    found = json.loads(imported("check", "toy", "talks.json", "--json")[1])
    assert found["codes"] == {"CG-TOY-001": 1}
    assert found["findings"]["CG-TOY-001"][0]["source_path"] == "$.train[0].lines[0].says"


def test_a_limit_counts_places_of_each_rule(imported: Run, tmp_path: Path) -> None:
    lines = [{"who": "ann", "says": ""}] * 12
    (tmp_path / "talks.json").write_text(json.dumps({"train": [{"talk_id": "x", "lines": lines}]}))
    check = ("check", "toy", "talks.json", "--limit", "11")
    found = json.loads(imported(*check, "--json")[1])
    assert found["codes"] == {"CG-TOY-001": 12}
    paths = [each["source_path"] for each in found["findings"]["CG-TOY-001"]]
    assert paths == [f"$.train[0].lines[{number}].says" for number in range(11)]
    for form in ((), ("--csv",)):
        out = imported(*check, "--code", "CG-TOY-001", *form)[1]
        assert out.count("says") == 11


def test_findings_can_be_joined_in_sql(imported: Run, tmp_path: Path) -> None:
    faulty = {"train": [{"talk_id": "x", "lines": [{"who": "ann", "says": ""}]}]}
    (tmp_path / "talks.json").write_text(json.dumps(faulty))
    imported("import", "toy", "talks.json", "--replace")
    query = "select d.split, f.code from findings f join dialogues d using (corpus, dialogue_id)"
    found = json.loads(imported("sql", query, "--format", "json")[1])
    assert found == [{"split": "train", "code": "CG-TOY-001"}]


def test_explain_and_schema(run: Run, tmp_path: Path) -> None:
    assert "Nobody says nothing." in run("check", "--explain", "CG-TOY-001")[1]
    assert json.loads(run("check", "--explain", "CG-JSON-001", "--json")[1])["severity"] == "error"
    assert run("check", "--explain", "CG-TOY-999")[0] == 2
    assert run("check", "toy", "--explain", "CG-TOY-001")[0] == 2
    assert json.loads(run("schema", "toy", "talk")[1])["title"] == "toy: list of talks"
    run("schema", "toy", "--out", "schemas")
    assert len(list((tmp_path / "schemas").iterdir())) == 2


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--integrity", "--jobs", "2"), "--jobs has no effect with --integrity."),
        (("--explain", "CG-TOY-001", "--integrity"), "--integrity has no effect with --explain."),
        (("--integrity", "--store", "toy"), "commonground check toy --integrity"),
        (("--integrity", "toy", "frames"), "commonground import frames PATH"),
    ],
)
def test_what_is_checked_is_asked_for_in_one_way(
    imported: Run, words: tuple[str, ...], said: str
) -> None:
    code, _, err = imported("check", *words)
    assert code != 0
    assert said in err


def test_roundtrip_says_where_files_differ(imported: Run, tmp_path: Path) -> None:
    assert imported("roundtrip", "toy", "files")[0] == 0
    (tmp_path / "talks.json").write_text('{"train": [{"talk_id": 1}]}')
    code, out, _ = imported("roundtrip", "toy", "talks.json", "--json")
    assert code == 1
    assert json.loads(out)["differing"][0]["difference"].startswith("$.train[0].talk_id")


def test_simulate_wants_an_empty_folder(imported: Run) -> None:
    code, _, err = imported("simulate", "toy", "files")
    assert code == 2
    assert "not an empty folder" in err


def test_fetch_says_what_to_do_by_hand(run: Run) -> None:
    code, _, err = run("fetch", "toy", "out")
    assert code == 1
    assert "https://example.org/toy" in err


def test_a_missing_path_ends_in_one_line(run: Run) -> None:
    code, _, err = run("import", "toy", "nowhere")
    assert code == 1
    assert err.startswith("error: nowhere does not exist.")


@pytest.mark.parametrize("error", [KeyboardInterrupt(), RuntimeError("Query interrupted")])
def test_ctrl_c_ends_in_one_line(
    run: Run, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    def stop(*_: object) -> None:
        raise error

    monkeypatch.setattr("commonground.cli.unknown_name", stop)
    code, _, told = run("nosuch")
    assert (code, told.strip()) == (130, "Stopped.")


def test_a_corpus_with_a_near_name_is_suggested(imported: Run) -> None:
    code, _, err = imported("show", "tooy", "t1")
    assert code == 1
    assert "'tooy' is not in the store" in err
    assert "Did you mean toy?" in err


def test_store_of_check_is_a_folder(imported: Run) -> None:
    code, _, err = imported("check", "--store", "toy")
    assert code == 2
    assert "commonground check toy" in err
    assert imported("check", "toy")[0] == 0


def test_check_writes_places_on_lines_that_can_be_copied(
    imported: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    faulty = {"train": [{"talk_id": "x", "lines": [{"who": "ann", "says": ""}]}]}
    (tmp_path / "talks.json").write_text(json.dumps(faulty))
    _, out, _ = imported("check", "toy", "talks.json")
    assert "$.train[0].lines[0].says" in out.split()


def test_ways_of_showing_exclude_each_other(imported: Run) -> None:
    code, _, err = imported("show", "toy", "t1", "--json", "--native")
    assert code == 2
    assert "exclude each other" in err


@pytest.mark.parametrize(
    "words",
    [
        ("simulate", "toy", "new.zip"),
        ("site", "site.html"),
        ("stats", "toy", "--out", "rounds.png"),
        ("baseline", "toy/mood", "--out", "result.json"),
        ("export", "csv", "toy.csv"),
    ],
)
def test_folders_are_not_named_like_files(
    imported: Run, tmp_path: Path, words: tuple[str, ...]
) -> None:
    before = sorted(tmp_path.iterdir())
    code, _, err = imported(*words)
    assert code == 2
    assert "is named like a file, but a folder is written" in err
    assert sorted(tmp_path.iterdir()) == before


def test_sql_takes_the_format_from_the_name_of_the_file(imported: Run, tmp_path: Path) -> None:
    query = "select dialogue_id from dialogues order by 1 limit 1"
    for name, start in (("a.parquet", b"PAR1"), ("a.CSV", b"dialogue_id\n"), ("a", b"[")):
        assert imported("sql", query, "--output", name)[0] == 0
        assert (tmp_path / name).read_bytes().startswith(start)
    assert json.loads(imported("sql", query, "--json")[1]) == [{"dialogue_id": "t0"}]
    tables = json.loads(imported("sql", "--tables", "--json")[1])
    assert "dialogue_id" in {each["table"]: each["columns"] for each in tables}["dialogues"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--json", "--format", "csv"), "--json and --format csv exclude each other"),
        (("--format", "table", "--output", "x.csv"), "A table is for people to read"),
    ],
)
def test_sql_refuses_formats_that_do_not_fit(
    imported: Run, tmp_path: Path, words: tuple[str, ...], told: str
) -> None:
    code, _, err = imported("sql", "select 1", *words)
    assert code == 2
    assert told in err
    assert not (tmp_path / "x.csv").exists()


def test_brackets_in_names_are_no_markup(imported: Run) -> None:
    assert imported("simulate", "toy", "a[/b]")[0] == 0
    assert imported("import", "toy", "a[/b]", "--store", "s[/b]")[0] == 0
    code, out, _ = imported("export", "csv", "o[/b]", "--store", "s[/b]")
    assert code == 0
    assert "in o[/b], as csv" in out


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--max-seconds", "0.3"), "stopped after 0.3 s, the limit"),
        (("--max-rows", "5", "--format", "csv"), "more than 5 rows, the limit"),
        pytest.param(
            *(("--max-rows", "5", "--output", "x.parquet"), "more than 5 rows, the limit"),
            marks=thorough,
        ),
        (("--memory", "100MB", "--max-rows", "0", "--json"), "more memory than 95.3 MiB"),
        (("--memory", "much"), "'much' is not an amount of memory"),
    ],
)
def test_sql_that_takes_too_much_is_stopped(
    imported: Run, tmp_path: Path, words: tuple[str, ...], told: str
) -> None:
    query = "select a.range || repeat('x', 99) as x from range(100000000) a, range(100000000) b"
    query += " where a.range + b.range < 0" if "--max-seconds" in words else ""
    code, out, err = imported("sql", query, *words)
    assert (code in (1, 2), out) == (True, "")
    assert told in err
    assert not list(tmp_path.glob("x.*"))


def test_a_printed_table_of_too_many_rows_says_so(imported: Run) -> None:
    _, out, _ = imported("sql", "from range(99)", "--max-rows", "7", "--limit", "2")
    assert "2 of more than 7 rows" in out


def test_csv_for_spreadsheets_runs_nothing(imported: Run) -> None:
    query = "select '=1+1' as \"+head\", -1 as n, 'a' as a, '\t-1' as t"
    query += " union all select null, 2, '@', '＝1'"
    code, out, _ = imported("sql", query, "--format", "csv", "--for-spreadsheets")
    assert code == 0
    assert out == "\ufeff'+head,n,a,t\n'=1+1,-1,a,'\t-1\n,2,'@,'＝1\n"
    assert imported("sql", query, "--format", "csv")[1].startswith("+head,n,a,t\n=1+1,")
    code, _, err = imported("sql", query, "--for-spreadsheets")
    assert (code, "is for CSV" in err) == (2, True)
