from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from tests.unit.corpora.mpchat.planting import TYPES, Case

from commonground.corpora import get_corpus
from commonground.corpora.mpchat.native import LABELS, Task
from commonground.findings import Examined
from commonground.records import UNSET

TASKS: tuple[Task, ...] = ("nrp", "gpp", "si")
DIGIT = {"nrp": 1, "gpp": 2, "si": 3}
RANKED = {
    "nrp": "nrp_candidate_responses",
    "gpp": "gpp_candidate_authors_candidate_personas",
    "si": "si_candidate_authors_candidate_personas",
}
Plant = Callable[[Case], str]
"""Breaks a case and returns the path below the record at which that is to be found."""


def parallel_lists(case: Case) -> str:
    case.thread.message_ids.append("gextra")
    return ".message_ids"


def main_author_silent(case: Case) -> str:
    thread = case.thread
    thread.authors = ["passer_by"] * len(thread.messages)
    empty: list[Any] = [[] for _ in thread.messages]
    for name in ("grounded_personas", "ungrounded_personas", "gpp_candidate_personas"):
        if hasattr(thread, name):
            setattr(thread, name, copy.deepcopy(empty))
    if case.task == "gpp":
        thread.gpp_grounded_persona = [None for _ in thread.messages]
    if case.task != "si":
        setattr(thread, RANKED[case.task], empty)
    return ".main_author"


def time_runs_back(case: Case) -> str:
    case.thread.created_utcs[1] = float(case.thread.created_utcs[0] or 0) - 10
    return ".created_utcs[1]"


def time_is_none(case: Case) -> str:
    case.thread.created_utcs[1] = "soon"
    return ".created_utcs[1]"


def message_id_twice(case: Case) -> str:
    case.thread.message_ids[2] = case.thread.message_ids[1]
    return ".message_ids[2]"


def image_without_name(case: Case) -> str:
    case.thread.file_name = None
    return ".file_name"


def no_image_but_address(case: Case) -> str:
    case.thread.has_image = False
    case.thread.file_name = UNSET
    return ".direct_url"


def image_named_otherwise(case: Case) -> str:
    case.thread.direct_url = "https://images.example/other.jpg"
    return ".file_name"


def image_not_in_map(case: Case) -> str:
    case.context.dialog_urls.clear()
    case.context.dialog_urls["zzzzzz"] = "https://images.example/z.jpg"
    return ".file_name"


def test_without_candidates(case: Case) -> str:
    setattr(case.thread, RANKED[case.task], UNSET)
    return f".{RANKED[case.task]}"


test_without_candidates.__test__ = False  # type: ignore[attr-defined]


def train_with_candidates(case: Case) -> str:
    case.split = "train"
    return f".{RANKED[case.task]}"


def unknown_split(case: Case) -> str:
    case.split = "dev"
    return ""


def element_named_otherwise(case: Case) -> str:
    case.thread.all_personas[case.unused].direct_url = "https://images.example/other.jpg"
    return f".all_personas[{case.unused}].file_name"


def element_not_in_map(case: Case) -> str:
    del case.context.persona_urls[case.thread.all_personas[case.unused].id]
    return f".all_personas[{case.unused}].file_name"


def element_by_somebody_else(case: Case) -> str:
    case.thread.all_personas[case.unused].author = "passer_by"
    return f".all_personas[{case.unused}].author"


def element_twice(case: Case) -> str:
    personas = case.thread.all_personas
    personas.append(personas[case.unused])
    return f".all_personas[{len(personas) - 1}].id"


def element_not_among_all(case: Case) -> str:
    stranger = msgspec.structs.replace(
        case.thread.all_personas[case.unused],
        id="zzzzzz",
        file_name="zzzzzz_z.jpg",
        direct_url="https://images.example/z.jpg",
    )
    case.context.persona_urls["zzzzzz"] = "https://images.example/z.jpg"
    if case.task == "si":
        case.thread.si_candidate_authors_candidate_personas[0][0] = stranger
    candidates, path = candidate_list(case)
    candidates[0] = stranger
    return f"{path}[0].id"


def candidate_list(case: Case) -> tuple[list[Any], str]:
    if case.task == "gpp":
        path = f".gpp_candidate_personas[{case.mine}]"
        return case.thread.gpp_candidate_personas[case.mine], path
    name = "candidate_personas" if case.task == "nrp" else "si_main_author_candidate_personas"
    return getattr(case.thread, name), f".{name}"


def element_incomplete(case: Case) -> str:
    case.thread.all_personas[case.unused].score = UNSET
    return f".all_personas[{case.unused}].score"


def copies_differ(case: Case) -> str:
    candidates, path = candidate_list(case)
    candidates[0].score += 1
    return f"{path}[0].score"


def no_candidate_elements(case: Case) -> str:
    setattr(case.thread, RANKED[case.task], UNSET)
    case.split = "train"
    candidates, path = candidate_list(case)
    candidates.clear()
    return path


COMMON: dict[int, Plant] = {
    1: parallel_lists,
    2: main_author_silent,
    3: time_runs_back,
    12: time_is_none,
    4: message_id_twice,
    5: image_without_name,
    6: no_image_but_address,
    7: image_named_otherwise,
    8: image_not_in_map,
    9: test_without_candidates,
    10: train_with_candidates,
    11: unknown_split,
    21: element_named_otherwise,
    22: element_not_in_map,
    23: element_by_somebody_else,
    24: element_twice,
    25: element_not_among_all,
    26: element_incomplete,
    27: copies_differ,
    28: no_candidate_elements,
}


def labelled(case: Case) -> tuple[Any, str]:
    path = f".grounded_personas[{case.mine}][0]"
    return case.thread.grounded_personas[case.mine][0], path


def relabel(persona: Any, votes: int) -> Any:
    workers = [worker for worker, _ in persona.label_per_worker]
    cast = [(worker, int(i < votes)) for i, worker in enumerate(workers)]
    return msgspec.structs.replace(persona, label_overall=LABELS[votes], label_per_worker=cast)


def two_votes(case: Case) -> str:
    persona, path = labelled(case)
    persona.label_per_worker.pop()
    return f"{path}.label_per_worker"


def vote_of_two(case: Case) -> str:
    persona, path = labelled(case)
    persona.label_per_worker[1] = (persona.label_per_worker[1][0], 2)
    return f"{path}.label_per_worker[1][1]"


def worker_twice(case: Case) -> str:
    persona, path = labelled(case)
    persona.label_per_worker[2] = (
        persona.label_per_worker[0][0],
        persona.label_per_worker[2][1],
    )
    return f"{path}.label_per_worker[2][0]"


def unknown_label(case: Case) -> str:
    persona, path = labelled(case)
    persona.label_overall = "entailed"
    return f"{path}.label_overall"


def label_against_votes(case: Case) -> str:
    persona, path = labelled(case)
    persona.label_overall = "E" if persona.label_overall == "(strong) E" else "(strong) E"
    return f"{path}.label_overall"


def label_missing(case: Case) -> str:
    persona, path = labelled(case)
    persona.label_overall = UNSET
    return f"{path}.label_overall"


def label_in_wrong_list(case: Case) -> str:
    persona, path = labelled(case)
    case.thread.grounded_personas[case.mine][0] = relabel(persona, 1)
    return f"{path}.label_overall"


def label_at_other_author(case: Case) -> str:
    case.thread.grounded_personas[case.other] = [labelled(case)[0]]
    return f".grounded_personas[{case.other}]"


def grounded_and_not(case: Case) -> str:
    ungrounded = case.thread.ungrounded_personas[case.mine]
    ungrounded.append(relabel(labelled(case)[0], 0))
    return f".ungrounded_personas[{case.mine}][{len(ungrounded) - 1}].id"


def swap_first(case: Case) -> str:
    options = getattr(case.thread, RANKED[case.task])
    options, path = (options, "") if case.task == "si" else (options[case.mine], f"[{case.mine}]")
    options[0], options[1] = options[1], options[0]
    tail = ".id" if case.task == "gpp" else ""
    return f".{RANKED[case.task]}{path}[0]{tail}"


def drop_last(case: Case) -> str:
    options = getattr(case.thread, RANKED[case.task])
    if case.task == "si":
        options.pop()
        return f".{RANKED[case.task]}"
    options[case.mine].pop()
    return f".{RANKED[case.task]}[{case.mine}]"


def ranked_at_other_author(case: Case) -> str:
    options = getattr(case.thread, RANKED[case.task])
    options[case.other] = options[case.mine][1:]
    return f".{RANKED[case.task]}[{case.other}]"


def right_response_again(case: Case) -> str:
    options = case.thread.nrp_candidate_responses[case.mine]
    options[5] = options[0]
    return f".nrp_candidate_responses[{case.mine}][5]"


def grounded_at_other_author(case: Case) -> str:
    thread, mine, other = case.thread, case.mine, case.other
    for name in ("gpp_grounded_persona", "gpp_candidate_personas", RANKED["gpp"]):
        values = getattr(thread, name)
        values[mine], values[other] = values[other], values[mine]
    return f".gpp_grounded_persona[{other}]"


def candidates_without_grounded(case: Case) -> str:
    case.thread.gpp_candidate_personas[case.other] = case.thread.gpp_candidate_personas[case.mine]
    return f".gpp_candidate_personas[{case.other}]"


def answer_given(case: Case) -> str:
    case.thread.gpp_candidate_personas[case.mine][0] = case.thread.gpp_grounded_persona[case.mine]
    return f".gpp_candidate_personas[{case.mine}][0].id"


def wrong_element_by_main_author(case: Case) -> str:
    options = case.thread.gpp_candidate_authors_candidate_personas[case.mine]
    options[5] = case.thread.all_personas[case.unused]
    return f".gpp_candidate_authors_candidate_personas[{case.mine}][5].author"


def somebody_else_last(case: Case) -> str:
    case.thread.authors[-1] = "passer_by"
    return f".authors[{len(case.thread.authors) - 1}]"


def two_authors_in_one(case: Case) -> str:
    case.thread.si_candidate_authors_candidate_personas[3][1].author = "passer_by"
    return ".si_candidate_authors_candidate_personas[3][1].author"


def author_ranked_twice(case: Case) -> str:
    options = case.thread.si_candidate_authors_candidate_personas
    options[5] = options[4]
    return ".si_candidate_authors_candidate_personas[5]"


def option_without_elements(case: Case) -> str:
    case.thread.si_candidate_authors_candidate_personas[3] = []
    return ".si_candidate_authors_candidate_personas[3]"


BY_TASK: dict[int, Plant] = {
    151: two_votes,
    152: vote_of_two,
    153: worker_twice,
    154: unknown_label,
    155: label_against_votes,
    156: label_missing,
    157: label_in_wrong_list,
    158: label_at_other_author,
    159: grounded_and_not,
    161: swap_first,
    162: drop_last,
    163: ranked_at_other_author,
    164: right_response_again,
    251: grounded_at_other_author,
    252: candidates_without_grounded,
    253: answer_given,
    261: swap_first,
    262: drop_last,
    263: ranked_at_other_author,
    264: wrong_element_by_main_author,
    351: somebody_else_last,
    361: swap_first,
    362: drop_last,
    363: two_authors_in_one,
    364: author_ranked_twice,
    365: option_without_elements,
}
PLANTS: dict[int, tuple[Task, Plant]] = {
    **{DIGIT[task] * 100 + n: (task, plant) for n, plant in COMMON.items() for task in TASKS},
    **{n: (TASKS[n // 100 - 1], plant) for n, plant in BY_TASK.items()},
}


@pytest.mark.parametrize("task", TASKS)
def test_clean_data_is_silent(task: Task) -> None:
    assert Case(task).findings() == []


@pytest.mark.parametrize("number", sorted(PLANTS))
def test_planted_fault_fires_its_rule_alone(number: int) -> None:
    task, plant = PLANTS[number]
    case = Case(task)
    path = plant(case)
    assert case.places() == {(f"CG-MPCHAT-{number}", "$" + path)}


@pytest.mark.parametrize("number", [401, 501])
@pytest.mark.parametrize("url", ["https://images.example/", "nowhere", ""])
def test_address_without_file_is_found(number: int, url: str) -> None:
    rule = _rules()[f"CG-MPCHAT-{number}"]
    assert rule.check is not None
    assert [place.found for place in rule.check(url, _examined())] == [url]
    assert list(rule.check("https://images.example/a.jpg", _examined())) == []


def _rules() -> dict[str, Any]:
    return {rule.code: rule for rule in get_corpus("mpchat").rules()}


def _examined() -> Examined:
    return Examined(None, None, "dialog_image_urls.json")


def test_every_rule_has_a_planted_fault() -> None:
    planted = {f"CG-MPCHAT-{number}" for number in (*PLANTS, 401, 501)}
    assert planted == _rules().keys()


def test_no_count_is_claimed_without_released_files() -> None:
    assert {rule.known for rule in _rules().values()} == {None}


@pytest.mark.parametrize("name", ["authors", "created_utcs"])
@pytest.mark.parametrize("task", TASKS)
def test_every_parallel_list_is_compared(task: Task, name: str) -> None:
    case = Case(task)
    getattr(case.thread, name).pop()
    assert (f"CG-MPCHAT-{DIGIT[task]}01", f"$.{name}") in case.places()


def test_findings_name_the_event() -> None:
    case = Case("nrp")
    unknown_label(case)
    assert [finding.event for finding in case.findings()] == [case.mine]


def test_time_as_text_is_compared_by_value() -> None:
    case = Case("nrp")
    first = case.thread.candidate_personas[0]
    first.created_utcs, first.created_utc = UNSET, str(created(first))
    case.thread.created_utcs = [str(each) for each in case.thread.created_utcs]
    assert case.findings() == []


def created(persona: Any) -> float:
    return float(persona.created_utc or persona.created_utcs)


@pytest.mark.parametrize("task", TASKS)
def test_copies_with_another_time_differ(task: Task) -> None:
    case = Case(task)
    candidates, path = candidate_list(case)
    candidates[0].created_utcs, candidates[0].created_utc = UNSET, 1
    assert case.places() == {(f"CG-MPCHAT-{DIGIT[task]}27", f"${path}[0].created_utc")}


@pytest.mark.parametrize("task", TASKS)
def test_rules_survive_empty_threads(task: Task) -> None:
    fields: dict[str, Any] = {"subreddit": "", "main_author": "", "has_image": True}
    case = Case(task)
    for name in case.thread.__struct_fields__:
        if isinstance(getattr(case.thread, name), list):
            fields[name] = []
    case.thread = TYPES[task](**fields)
    assert f"CG-MPCHAT-{DIGIT[task]}05" in {code for code, _ in case.places()}
