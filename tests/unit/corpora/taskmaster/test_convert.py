from __future__ import annotations

from typing import Any

import msgspec
import pytest
from tests.unit.corpora.taskmaster.samples import (
    COFFEE,
    PLAIN,
    TICKETS,
    TYPES,
    convert_sample,
    copy,
    notes,
)

from commonground.corpora.taskmaster.convert import Context, convert, entries, prepare
from commonground.corpora.taskmaster.native.dialogues import RewardExample
from commonground.corpora.taskmaster.native.ontology import (
    ApiDeclaration,
    LabelGroup,
    PlainOntology,
)
from commonground.corpora.taskmaster.native.rows import SplitId, parse_split_rows
from commonground.files.reading import ConversionError, SideRecord, Where
from commonground.model import Action, FileEntry, Span, Speaker, Utterance


def test_reward_examples_are_entries() -> None:
    record = RewardExample(
        conversation_id="dlg-x", context='[{"role": "user"}]', generation="no JSON", reward=0.5
    )
    said = {"context": [{"role": "user"}], "generation": "no JSON"}
    where = Where("reward/reward_00.json", "$[0]", "reward3")
    assert list(entries(record, where)) == [
        FileEntry("reward", None, "dlg-x", None, None, 0.5, said)
    ]


def test_lines_of_split_lists_are_entries_whether_or_not_the_dialogue_is_there() -> None:
    (row,) = parse_split_rows("<U>Hi\t[A]Hello\tdlg-gone\n")
    where = Where("splits/train/train-bc.tsv", "line 1", "splits3")
    assert list(entries(row.record, where)) == [
        FileEntry("split", None, "dlg-gone", "train", "[A]Hello", None, {"context": "<U>Hi"})
    ]
    record = SplitId(conversation_id="dlg-gone", rest=",", ending="\n")
    where = Where("train-dev-test/dev.csv", "line 1", "splits1")
    assert list(entries(record, where)) == [FileEntry("split", None, "dlg-gone", "dev")]


def test_a_plain_dialogue_has_utterances_and_a_span_for_every_label() -> None:
    made = convert_sample(PLAIN, "dialogs1")
    assert made.events == [
        Utterance("ASSISTANT", "Hello?", 0),
        Utterance("USER", "Café Noir, two big ones", 1),
    ]
    assert made.spans == [
        Span(1, "segments", 5, 9, "Noir", "pizza_ordering.name.store.accept"),
        Span(1, "segments", 5, 9, "Noir", "other"),
        Span(1, "segments", 5, 14, "Noir, two", "pizza_ordering.num"),
    ]


def test_a_plain_dialogue_is_described() -> None:
    made = convert_sample(PLAIN, "dialogs1")
    assert (made.dialogue_id, made.split, made.domain) == ("dlg-plain", None, "pizza-ordering-7")
    assert made.attributes == {"instruction_id": "pizza-ordering-7"}
    assert made.speakers == [Speaker("USER", "user"), Speaker("ASSISTANT", "assistant")]


def test_the_domain_of_generation_2_is_the_name_of_its_file() -> None:
    assert convert_sample(PLAIN, "dialogs2", "data/music.json").domain == "music"


def test_calls_of_tickets_stand_behind_their_utterance() -> None:
    made = convert_sample(TICKETS, "dialogs3")
    arguments, result = {"location": "Köln"}, {"name.movie_1": "Nebel"}
    assert made.events == [
        Utterance("user", "A drama in Köln?", 0),
        Action("assistant", "find_movies", arguments, result, 0),
        Utterance("assistant", "Wait.", 1),
        Utterance("assistant", "Nebel.", 2),
    ]
    assert made.spans == [Span(0, "segments", 11, 15, "Köln", "location")]


def test_tickets_are_described() -> None:
    made = convert_sample(TICKETS, "dialogs3")
    assert (made.dialogue_id, made.domain) == ("dlg-tickets", "Movie Tickets")
    assert made.attributes == {"scenario": "Open", "instructions": "Buy a ticket."}
    assert made.speakers == [Speaker("user", "user"), Speaker("assistant", "assistant")]


def test_parts_of_a_coffee_call_become_one_action() -> None:
    action = convert_sample(COFFEE, "dialogs4").events[1]
    menu: dict[str, list[str]] = {"menu_items": []}
    assert action == Action(
        "assistant", "get_menu_items", {"query": "té"}, menu, 0, native_id="api_call_0"
    )


def test_a_missing_request_is_null() -> None:
    action = convert_sample(COFFEE, "dialogs4").events[2]
    assert (action.name, action.arguments, action.result) == ("show_menu", None, {"success": True})


def test_what_does_not_parse_is_kept_as_text() -> None:
    action = convert_sample(COFFEE, "dialogs4").events[3]
    assert (action.arguments, action.result) == ('{"query": ""ice""}', '{"addons":')


def test_offsets_written_as_text_become_numbers() -> None:
    (span,) = convert_sample(COFFEE, "dialogs4").spans
    facts = {"annotator_id": "GENERATED"}
    assert span == Span(0, "segments", 10, 13, "ice", "request", facts)


@pytest.mark.parametrize("number", [2**31 - 1, 1 - 2**31])
def test_the_largest_numbers_are_taken(number: int) -> None:
    record = copy(COFFEE)
    record["utterances"][0]["index"] = number
    record["utterances"][0]["segments"][0].update(start_index=str(number))
    made = convert_sample(record, "dialogs4")
    assert (made.events[0].turn, made.spans[0].start_char) == (number, number)


def test_coffee_is_described() -> None:
    made = convert_sample(COFFEE, "dialogs4")
    assert (made.domain, made.attributes) == ("Coffee", {"scenario": "Plain", "instructions": None})
    assert made.speakers == [Speaker("user", "user"), Speaker("assistant", "assistant")]
    assert [event.turn for event in made.events] == [0, 0, 0, 0, 1]


def test_parts_of_a_call_may_stand_in_any_order() -> None:
    record = copy(COFFEE)
    record["utterances"][0]["annotations"] = notes(3, "f", "{}", "[]")[::-1]
    action = convert_sample(record, "dialogs4").events[1]
    assert (action.name, action.arguments, action.result) == ("f", {}, [])
    assert action.native_id == "api_call_3"


@pytest.mark.parametrize(
    ("change", "path"),
    [
        (lambda u: u["segments"][0].update(start_index="1O"), ".utterances[0].segments[0]"),
        (lambda u: u["segments"][0].update(end_index=2**31), ".utterances[0].segments[0]"),
        (
            lambda u: u["segments"][0].update(start_index=str(-(2**31))),
            ".utterances[0].segments[0]",
        ),
        (lambda u: u.update(index=2**40), ".utterances[0].index"),
        (lambda u: u["annotations"][0].update(context="call 0"), ".utterances[0].annotations[0]"),
        (lambda u: u["annotations"].append(u["annotations"][0]), ".utterances[0].annotations[11]"),
        (lambda u: u["annotations"].pop(0), ".utterances[0].annotations"),
    ],
)
def test_contradictions_are_located(change: Any, path: str) -> None:
    record = copy(COFFEE)
    change(record["utterances"][0])
    with pytest.raises(ConversionError) as caught:
        convert_sample(record, "dialogs4")
    assert caught.value.path.startswith(path)


@pytest.mark.parametrize(("record", "fmt"), [(TICKETS, "dialogs3"), (COFFEE, "dialogs4")])
def test_converting_changes_nothing(record: dict[str, Any], fmt: str) -> None:
    typed = msgspec.convert(record, TYPES[fmt])
    before = msgspec.json.encode(typed)
    convert(typed, Where("x.json", "$[0]", fmt), Context())
    assert msgspec.json.encode(typed) == before


def rows(name: str, *ids: str) -> list[SideRecord]:
    data = "".join(f"<U>a\t[A]b\t{each}\n" for each in ids)
    return [SideRecord(name, "splits3", "line 1", each.record) for each in parse_split_rows(data)]


def test_rows_say_which_split_a_dialogue_is_in() -> None:
    sides = [*rows("splits/dev/dev-aa.tsv", "dlg-tickets"), *rows("train.tsv", "dlg-other")]
    context = prepare(sides)
    assert convert_sample(TICKETS, "dialogs3", context=context).split == "dev"


def test_contradicting_rows_give_no_split() -> None:
    sides = [*rows("dev-aa.tsv", "dlg-tickets"), *rows("train-aa.tsv", "dlg-tickets")]
    context = prepare(sides)
    assert context.splits_of == {"dlg-tickets": ("dev", "train")}
    assert convert_sample(TICKETS, "dialogs3", context=context).split is None


def test_lists_of_ids_give_splits() -> None:
    line = SplitId(conversation_id="dlg-plain", rest=",", ending="\n")
    context = prepare([SideRecord("x/test.csv", "splits1", "line 1", line)])
    assert convert_sample(PLAIN, "dialogs1", context=context).split == "test"


def test_ontologies_say_which_labels_are_declared() -> None:
    task = PlainOntology(id="p", vertical="v", required=["a"], optional=["b.c"])
    group = LabelGroup(prefix="q", annotations=["d"])
    sides = [
        SideRecord("ontology.json", "ontology1", "$", task),
        SideRecord("ontology/music.json", "ontology2", "$", group),
    ]
    labels = prepare(sides).labels
    assert labels == {"": frozenset({"p", "p.a", "p.b.c"}), "music": frozenset({"q.d"})}


def test_apis_are_known_by_each_of_their_names() -> None:
    raw = {"apis": ["f", "g"], "args": {}, "response": {"type": "list", "keys": []}}
    declared = msgspec.convert(raw, ApiDeclaration)
    assert prepare([SideRecord("apis.json", "apis3", "$", declared)]) == Context(
        apis={"f": declared, "g": declared}
    )
