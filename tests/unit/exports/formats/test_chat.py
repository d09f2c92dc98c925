"""Chat lines: right for trainers, valid against their tools, and readable again."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from itertools import chain, pairwise
from pathlib import Path
from typing import Any

import jsonschema
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from commonground.errors import FormatError, UsageError
from commonground.exports.format import get_export
from commonground.exports.run import Report, run_export
from commonground.exports.selection import Selection
from commonground.store.opening import Store
from tests.thorough import a_few, thorough
from tests.unit.exports.chat_reading import COLUMNS, read_chat

from ..conftest import CORPORA, KINDS
from ..planted import mark

Exporting = Callable[..., tuple[Path, Report]]


def lines(folder: Path) -> Iterator[dict[str, Any]]:
    for path in sorted(folder.rglob("*.jsonl")):
        if ".metadata." not in path.name:
            yield from map(json.loads, path.read_text(encoding="utf-8").splitlines())


def sort(table: pa.Table) -> pa.Table:
    keys = [name for name in ("dialogue_id", "event", "speaker") if name in table.schema.names]
    return table.sort_by([(key, "ascending") for key in keys])


def expected(store: Store, corpus: str, views: dict[str, str]) -> dict[str, pa.Table]:
    """The stored tables as far as chat carries them: what follows the assistant is not shown."""
    tables = {}
    for name, columns in COLUMNS.items():
        table = store.corpus(corpus).table(name).select(list(columns))
        rows = [row for row in table.to_pylist() if row["dialogue_id"] in views]
        if name == "events":
            rows = list(shown(rows, views))
        tables[name] = pa.Table.from_pylist(rows, schema=table.schema)
    return tables


def shown(rows: list[dict[str, Any]], views: dict[str, str]) -> Iterator[dict[str, Any]]:
    """The events of dialogues up to the assistant's last: others' actions are not shown."""
    mine = [row for row in rows if row["speaker"] == views[row["dialogue_id"]]]
    last = {row["dialogue_id"]: row["event"] for row in mine if row["kind"] != "withheld"}
    for row in rows:
        is_seen = row["kind"] == "utterance" or (row["kind"] == "action" and row in mine)
        if is_seen and row["event"] <= last[row["dialogue_id"]]:
            is_last = row["event"] == last[row["dialogue_id"]]
            # Nothing follows the last call, nor what it gives back.
            yield row | {"result": None} if is_last else row


@pytest.mark.parametrize(
    ("corpus", "arguments"),
    [
        *a_few(((name, "string") for name in CORPORA), [(name, "string") for name in KINDS]),
        ("simmc2", "object"),
        pytest.param("taskmaster3", "object", marks=thorough),
    ],
)
def test_what_is_carried_comes_back(
    corpus: str, arguments: str, store: Store, export: Exporting
) -> None:
    out, _ = export("chat", corpus, arguments=arguments, silent=True)
    views = {
        each["metadata"]["dialogue_id"]: each["metadata"]["point_of_view"] for each in lines(out)
    }
    found = read_chat(out)
    for name, table in expected(store, corpus, views).items():
        assert sort(found[name]).equals(sort(table)), name


@pytest.mark.parametrize(
    ("corpus", "per"),
    a_few(
        [("mpchat", "dialogue"), ("mpchat", "turn"), ("photobook", "dialogue")],
        [("mpchat", "turn"), ("photobook", "dialogue")],
    ),
)
def test_joined_lines_load_and_come_back(corpus: str, per: str, export: Exporting) -> None:
    datasets = pytest.importorskip("datasets")
    plain = read_chat(export("chat", corpus, per=per)[0])
    out, _ = export("chat", corpus, per=per, merge=True)
    for name, table in read_chat(out).items():
        assert sort(table).equals(sort(plain[name])), name
    files = [str(path) for path in sorted(out.rglob("*.jsonl"))]
    loaded = datasets.load_dataset(
        "json", data_files=files, split="train", cache_dir=str(out.parent / "cache")
    )
    assert loaded["messages"][0] == next(lines(out))["messages"]
    for line in lines(out):
        who = [
            (message["role"], message.get("name"))
            for message in line["messages"]
            if not message.get("tool_calls")
        ]
        assert all(before != after or after[0] == "tool" for before, after in pairwise(who))


@pytest.mark.parametrize("corpus", a_few(CORPORA, KINDS))
def test_every_call_fits_its_tool(corpus: str, store: Store, export: Exporting) -> None:
    out, report = export("chat", corpus, silent=True)
    assert "calls that fit no tool" not in {each.name for each in report.lost}
    calls = 0
    for line in lines(out):
        tools = {t["function"]["name"]: t["function"]["parameters"] for t in line.get("tools", [])}
        for schema in tools.values():
            jsonschema.Draft202012Validator.check_schema(schema)
        for message in line["messages"]:
            for call in message.get("tool_calls", []):
                arguments = call["function"]["arguments"]
                jsonschema.validate(arguments, tools[call["function"]["name"]])
                calls += 1
    hidden = sum(each.count for each in report.lost if each.name == "actions of the others")
    actions = pc.sum(pc.equal(store.corpus(corpus).table("events")["kind"], "action")).as_py()
    assert calls + hidden == (actions or 0)


def test_arguments_are_what_templates_take_and_text_where_it_is_asked_for(
    export: Exporting,
) -> None:
    def calls(out: Path) -> list[Any]:
        messages = [message for line in lines(out) for message in line["messages"]]
        found = [call for message in messages for call in message.get("tool_calls", [])]
        return [call["function"]["arguments"] for call in found]

    plain = calls(export("chat", "taskmaster4")[0])
    assert plain
    assert all(isinstance(each, dict) for each in plain)
    # A template writes arguments with its filter tojson: text would be encoded twice.
    texts = calls(export("chat", "taskmaster4", arguments="string")[0])
    assert [json.loads(each) for each in texts] == plain


@pytest.mark.parametrize("corpus", a_few(["photobook", "taskmaster3"], ["taskmaster3"]))
def test_every_call_is_answered_at_once(corpus: str, export: Exporting) -> None:
    out, _ = export("chat", corpus)
    seen = 0
    for line in lines(out):
        # The last message is the assistant's, be it a call.
        for message, after in pairwise(line["messages"]):
            if "tool_calls" in message:
                (call,) = message["tool_calls"]
                assert call["id"].isalnum()
                assert len(call["id"]) == 9  # what Mistral's templates want
                assert (after["role"], after["tool_call_id"]) == ("tool", call["id"])
                assert message["content"] == ""
                seen += 1
    assert seen


def test_a_game_is_seen_from_one_side(store: Store, export: Exporting) -> None:
    out, report = export("chat", "photobook", **{"as": "B"})
    shown = store.sql(
        "SELECT count(*) FROM displays WHERE corpus = 'photobook' AND viewer = 'B'"
    ).to_pylist()[0]["count_star()"]
    pictures = 0
    for line in lines(out):
        assert line["metadata"]["point_of_view"] == "B"
        for message, speaker in zip(line["messages"], line["metadata"]["said_by"], strict=True):
            if speaker is not None:
                wanted = {"A": ("user",), "B": ("assistant", "tool")}[speaker]
                assert message["role"] in wanted
            else:
                parts = [part["type"] for part in message["content"]]
                assert parts[:2] == ["text", "image_url"]
                pictures += parts.count("image_url")
    assert pictures == shown
    assert {each.name for each in report.lost} >= {"actions of the others", "groundings"}


def test_pictures_may_stand_beside(export: Exporting) -> None:
    out, _ = export("chat", "photobook", images="files", image_root="/pictures/")
    for line in lines(out):
        parts = [
            p for m in line["messages"] if isinstance(m["content"], list) for p in m["content"]
        ]
        bare = [part for part in parts if part["type"] == "image"]
        assert bare == [{"type": "image"}] * len(line["images"])
        assert all(each.startswith("/pictures/") for each in line["images"])


def test_pictures_may_be_left_out_and_are_counted(store: Store, export: Exporting) -> None:
    out, report = export("chat", "photobook", images="none")
    assert all(
        isinstance(m["content"], str | None) for line in lines(out) for m in line["messages"]
    )
    displays = next(each for each in report.lost if each.name == "displays")
    assert displays.count == store.corpus("photobook").table("displays").num_rows
    assert "--images" in displays.why


def test_a_turn_is_an_example(export: Exporting) -> None:
    out, _ = export("chat", "taskmaster3", per="turn")
    for line in lines(out):
        weights = [message.get("weight") for message in line["messages"]]
        assert line["metadata"]["loss_mask"] == [weight == 1 for weight in weights]
        last_user = max(
            (i for i, m in enumerate(line["messages"]) if m["role"] == "user"), default=-1
        )
        for number, message in enumerate(line["messages"]):
            if message["role"] == "assistant":
                assert message["weight"] == int(number > last_user)
        assert line["messages"][-1]["role"] in ("assistant", "tool")


def test_a_turn_may_be_prompt_and_completion(export: Exporting) -> None:
    out, _ = export("chat", "taskmaster3", per="turn")
    whole = list(lines(out))
    out, _ = export("chat", "taskmaster3", per="turn", shape="prompt")
    parts = list(lines(out))
    assert len(parts) == len(whole)
    for part, line in zip(parts, whole, strict=True):
        assert "messages" not in part
        assert part["tools"] == line["tools"]
        bare = [{k: v for k, v in m.items() if k != "weight"} for m in line["messages"]]
        assert part["prompt"] + part["completion"] == bare
        learned = [m for m in line["messages"] if m.get("weight") == 1]
        assert sum(m["role"] == "assistant" for m in part["completion"]) == len(learned)
        assert part["completion"][0]["role"] == "assistant"
    with pytest.raises(UsageError, match="--shape prompt is for single turns"):
        export("chat", "taskmaster3", shape="prompt")


@pytest.mark.parametrize("shape", ["messages", "prompt"])
def test_turns_come_back_as_one_dialogue(shape: str, store: Store, export: Exporting) -> None:
    out, report = export("chat", "taskmaster3", per="turn", shape=shape)
    left = sum(each.count for each in report.lost if each.name == "events after the last turn")
    found = read_chat(out)
    assert found["events"].num_rows == store.corpus("taskmaster3").table("events").num_rows - left
    assert sort(found["dialogues"]).equals(
        sort(store.corpus("taskmaster3").table("dialogues").select(list(COLUMNS["dialogues"])))
    )


def test_metadata_may_stand_beside(export: Exporting) -> None:
    out, _ = export("chat", "taskmaster3")
    inside = read_chat(out)
    out, _ = export("chat", "taskmaster3", metadata="beside")
    assert {key for line in lines(out) for key in line} == {"messages", "tools"}
    assert read_chat(out) == inside


def test_a_user_is_told_what_to_do(export: Exporting) -> None:
    out, _ = export("chat", "taskmaster3", **{"as": "user"})
    roles = {line["messages"][0]["role"] for line in lines(out)}
    assert roles == {"system"}
    assert not any("tools" in line for line in lines(out))
    out, _ = export("chat", "taskmaster3")
    assert "system" not in {m["role"] for line in lines(out) for m in line["messages"]}


def test_one_knows_ones_own_persona(store: Store, export: Exporting) -> None:
    out, _ = export("chat", "mpchat")
    told = 0
    for line in lines(out):
        facts = line["metadata"]
        dialogue = store.corpus("mpchat").dialogue(facts["dialogue_id"])
        kinds = {each.object_id: each for each in dialogue.objects}
        own = [
            kinds[each.object_id].title
            for each in dialogue.displays
            if each.viewer == facts["point_of_view"] and kinds[each.object_id].kind == "persona"
        ]
        if own:
            first = line["messages"][0]
            assert first["role"] == "system"
            assert set(first["content"].splitlines()) == {f"- {title}" for title in own}
            told += 1
    assert told


def test_objects_in_no_message_are_counted(store: Store, export: Exporting) -> None:
    _, report = export("chat", "photobook", **{"as": "B"})
    lost = {each.name: each.count for each in report.lost}
    corpus = store.corpus("photobook")
    seen = {r["object_id"] for r in corpus.table("displays").to_pylist() if r["viewer"] == "B"}
    objects = corpus.table("objects")
    assert lost.get("objects.object_id", 0) == objects.num_rows - len(seen)
    assert lost["objects.kind"] == objects.num_rows
    assert lost["objects.title"] == objects.num_rows - objects["title"].null_count
    assert lost["displays.position"] == corpus.table("displays").num_rows


def test_facts_that_were_told_are_not_lost(planted: Store, tmp_path: Path) -> None:
    # The first planted dialogue has instructions as its only fact: a user is told them all.
    chosen = Selection(planted, ["toy"], where="n_utterances > 0")
    for row, lost in ((100, 0), (101, 1)):
        view = {"as": mark("speakers", "speaker", row)}
        report = run_export(get_export("chat"), chosen, tmp_path / "out", view)
        found = {each.name: each.count for each in report.lost}
        assert found.get("dialogues.attributes", 0) == lost


def test_an_unknown_speaker_is_refused(export: Exporting) -> None:
    with pytest.raises(UsageError, match=r"has a speaker 'C'.*There are: A, B"):
        export("chat", "photobook", **{"as": "C"})


def test_dialogues_without_the_speaker_are_counted(export: Exporting) -> None:
    out, report = export("chat", "photobook", "frames", **{"as": "wizard"})
    missing = next(each for each in report.lost if each.name == "dialogues without the speaker")
    assert missing.count == 6
    assert {line["metadata"]["corpus"] for line in lines(out)} == {"frames"}


def test_damaged_lines_are_located(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="has no"):
        read_chat(tmp_path)
    (tmp_path / "train.jsonl").write_text('{"messages": []}\n', encoding="utf-8")
    with pytest.raises(FormatError, match=r"train.jsonl line 1 has no metadata"):
        read_chat(tmp_path)
    (tmp_path / "train.jsonl").write_text('{"messages": 1}\n', encoding="utf-8")
    with pytest.raises(FormatError, match=r"train.jsonl line 1: Expected `array`"):
        read_chat(tmp_path)


@pytest.mark.filterwarnings("default")
def test_datasets_loads_the_lines(
    store: Store, export: Exporting, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    datasets = pytest.importorskip("datasets", reason="needs the extra hf")
    for corpus in ("photobook", "taskmaster3", "frames"):
        out, _ = export("chat", corpus, images="none")
        files = [str(path) for path in sorted((out / corpus).glob("*.jsonl"))]
        found = datasets.load_dataset("json", data_files=files, cache_dir=str(tmp_path / corpus))
        rows = list(found["train"])
        assert len(rows) == len(store.corpus(corpus))
        for row, line in zip(rows, lines(out), strict=True):
            before = [message["content"] for message in line["messages"]]
            assert [message["content"] for message in row["messages"]] == before


def test_what_teaches_nothing_is_left_out(store: Store, export: Exporting) -> None:
    events = store.corpus("simmc").table("events").to_pylist()
    withheld = sum(each["kind"] == "withheld" for each in events)
    idle = sum(each["name"] == "None" for each in events)
    assert withheld
    assert idle
    out, report = export("chat", "simmc")
    lost = {each.name: each.count for each in report.lost}
    assert lost["withheld utterances"] == withheld
    assert lost["actions that do nothing"] == idle
    assert '"None"' not in (out / "simmc" / "tools.json").read_text()
    for line in lines(out):
        for message in line["messages"]:
            assert message["content"] or message.get("tool_calls")
            assert all(c["function"]["name"] != "None" for c in message.get("tool_calls", ()))


def test_dialogues_without_words_are_left_out(planted: Store, tmp_path: Path) -> None:
    # The second planted dialogue has actions only.
    chosen = Selection(planted, ["toy"])
    report = run_export(get_export("chat"), chosen, tmp_path / "out", {})
    lost = {each.name: each.count for each in report.lost}
    assert lost["dialogues without words"] == 1
    assert len(list(lines(tmp_path / "out"))) == 1
    kept = run_export(get_export("chat"), chosen, tmp_path / "kept", {"silent": True})
    assert "dialogues without words" not in {each.name for each in kept.lost}
    assert len(list(lines(tmp_path / "kept"))) == 2


def test_a_share_is_held_out(export: Callable[..., tuple[Path, Report]]) -> None:
    def read(folder: Path) -> dict[str, list[str]]:
        return {
            path.stem: [
                json.loads(line)["metadata"]["dialogue_id"]
                for line in path.read_bytes().splitlines()
            ]
            for path in (folder / "frames").glob("*.jsonl")
        }

    whole = read(export("chat", "frames")[0])
    held = read(export("chat", "frames", holdout="0.34")[0])
    assert {name: len(ids) for name, ids in held.items()} == {"train": 4, "test": 2}
    assert sorted(chain(*held.values())) == sorted(chain(*whole.values()))
    assert read(export("chat", "frames", holdout=0.34)[0]) == held
    assert export("chat", "frames", holdout=0.34)[1].options["seed"] == "1"
    assert not {"seed", "holdout"} & export("chat", "frames")[1].options.keys()
    others = [read(export("chat", "frames", holdout=0.34, seed=str(n))[0]) for n in range(2, 8)]
    assert any(each != held for each in others)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"holdout": "1"}, "above 0 and below 1"),
        ({"holdout": "some"}, "takes a number"),
        ({"seed": "3"}, "--seed has no effect without --holdout"),
    ],
)
def test_a_share_that_is_none_is_refused(
    export: Callable[..., tuple[Path, Report]], options: dict[str, str], says: str
) -> None:
    with pytest.raises(UsageError, match=says):
        export("chat", "frames", **options)
