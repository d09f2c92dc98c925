"""Rules on SIMMC 1's API calls and candidates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from msgspec import UNSET

from commonground.corpora.simmc.native.simmc1 import ApiCall, ApiCalls, Choices
from commonground.findings import Examined, Place, Ruleset
from commonground.printing import count_of

api_calls = Ruleset("CG-SIMMC-", "api_calls", known=0)
retrieval = Ruleset("CG-SIMMC-", "retrieval", known=0)

NEEDED: dict[str, tuple[frozenset[str], ...]] = {
    "None": (frozenset(),),
    "AddToCart": (frozenset(), frozenset({"furniture_id"})),
    # Fashion has `attributes`, furniture `matches`, and some of both have neither.
    "SpecifyInfo": (frozenset({"attributes"}), frozenset({"matches"}), frozenset()),
    "SearchDatabase": (frozenset({"attributes", "focus"}),),
    "SearchMemory": (frozenset({"attributes", "focus"}),),
    "SearchFurniture": (frozenset({"furnitureType"}),),
    "FocusOnFurniture": (frozenset({"position"}),),
    "Rotate": (frozenset({"direction"}),),
    "NavigateCarousel": (frozenset({"navigate_direction"}), frozenset({"navigateDirection"})),
}
"""Arguments that each action has, in one of the documented ways."""


@api_calls.error(101)
def focus_count(record: ApiCalls) -> Iterator[Place]:
    """There is not one image in focus per action.

    Actions and images are joined by their place.

    Extract the API calls again.
    """
    images = record.focus_images
    if isinstance(images, list) and len(images) != len(record.actions):
        yield Place(".focus_images", count_of(len(record.actions), "image"), str(len(images)))


@api_calls.error(102)
def action_order(record: ApiCalls) -> Iterator[Place]:
    """An action's `turn_idx` is not its place.

    Actions and turns are joined by this number.

    Number the actions from 0 in order.
    """
    for index, call in enumerate(record.actions):
        if call.turn_idx != index:
            yield Place(f".actions[{index}].turn_idx", str(index), str(call.turn_idx))


@api_calls.error(103)
def unknown_action(record: ApiCalls) -> Iterator[Place]:
    """An action is not one of the documented ones.

    It cannot be scored.

    Check whether it is a typo; `None` is a text here.
    """
    for index, call in enumerate(record.actions):
        if call.action not in NEEDED:
            yield Place(f".actions[{index}].action", ", ".join(NEEDED), call.action)


@api_calls.error(104)
def missing_argument(record: ApiCalls) -> Iterator[Place]:
    """An action lacks an argument that it needs.

    The action cannot be scored.

    Extract the API calls again.
    """
    for index, call in enumerate(record.actions):
        ways = NEEDED.get(call.action, (frozenset(),))
        given = _arguments(call).keys()
        if not any(way <= given for way in ways):
            path = f".actions[{index}].action_supervision"
            yield Place(path, ", ".join(sorted(ways[0])), ", ".join(given) or "nothing")


def _arguments(call: ApiCall) -> dict[str, Any]:
    given = call.action_supervision or {}
    nested = given.get("args", given)
    return nested if isinstance(nested, dict) else {}


@api_calls.warning(105)
def twice_asked(record: ApiCalls) -> Iterator[Place]:
    """An attribute is asked for twice in one action.

    Recall against the list counts it twice.

    Count it once.
    """
    for index, call in enumerate(record.actions):
        names = _arguments(call).get("attributes")
        counts = Counter(map(str, names)) if isinstance(names, list) else Counter()
        for name, count in counts.items():
            if count > 1:
                path = f".actions[{index}].action_supervision.attributes"
                yield Place(path, "each attribute once", name)


@api_calls.note(106, known=None)
def odd_argument(record: ApiCalls) -> Iterator[Place]:
    """An argument has another name than in the documentation.

    The documentation says `attributes` and `navigateDirection` of furniture actions; the scripts
    write `matches` and `navigate_direction`.

    Treat both names as one.
    """
    for index, call in enumerate(record.actions):
        if "navigateDirection" in _arguments(call):
            path = f".actions[{index}].action_supervision"
            yield Place(path, "navigate_direction", "navigateDirection")


@api_calls.error(107)
def lost_focus(record: ApiCalls) -> Iterator[Place]:
    """A search brings an image into focus that is not in focus at the next turn.

    The two descriptions of what was in view contradict each other.

    Extract the API calls again.
    """
    images = record.focus_images
    if not isinstance(images, list):
        return
    for index, (call, after) in enumerate(zip(record.actions, images[1:], strict=False), 1):
        focus = _arguments(call).get("focus")
        if focus is not None and focus != after:
            yield Place(f".focus_images[{index}]", str(focus), str(after))


@retrieval.error(111)
def candidate_count(record: Choices) -> Iterator[Place]:
    """A turn does not have 100 candidates.

    Ranks cannot be compared with published ones.

    Check whether the file was cut.
    """
    for index, each in enumerate(record.retrieval_candidates):
        count = len(each.retrieval_candidates)
        if count != 100:
            yield Place(f".retrieval_candidates[{index}]", "100 candidates", str(count))


@retrieval.error(112)
def repeated_candidate(record: Choices) -> Iterator[Place]:
    """A candidate occurs twice in the list of a turn.

    Ranks cannot be compared with published ones.

    Check whether the file was changed.
    """
    for index, each in enumerate(record.retrieval_candidates):
        numbers = each.retrieval_candidates
        if len(set(numbers)) < len(numbers):
            most, count = Counter(numbers).most_common(1)[0]
            path = f".retrieval_candidates[{index}].retrieval_candidates"
            yield Place(path, "each candidate once", f"{most}, {count} times")


@retrieval.error(113)
def outside_pool(record: Choices, examined: Examined) -> Iterator[Place]:
    """A candidate is not in the file's pool of answers.

    Its text is not known; it has a null text in the store.

    Check whether candidates and pool are of the same file.
    """
    size = examined.context.pool_sizes.get(examined.source_file)
    for index, each in enumerate(record.retrieval_candidates if size is not None else ()):
        bad = [n for n in each.retrieval_candidates if not 0 <= n < (size or 0)]
        for number in bad:
            path = f".retrieval_candidates[{index}].retrieval_candidates"
            yield Place(path, f"a number below {size}", str(number))


@retrieval.error(114)
def outside_list(record: Choices) -> Iterator[Place]:
    """The right candidate's place is outside the list.

    The turn cannot be scored.

    Check whether the file was changed.
    """
    for index, each in enumerate(record.retrieval_candidates):
        gold = each.gt_index
        if gold is not UNSET and not 0 <= gold < len(each.retrieval_candidates):
            yield Place(f".retrieval_candidates[{index}].gt_index", "a place", str(gold))


@retrieval.error(115)
def choice_order(record: Choices) -> Iterator[Place]:
    """The `turn_idx` of a list of candidates is not its place.

    Candidates and turns are joined by this number.

    Number them from 0 in order.
    """
    for index, each in enumerate(record.retrieval_candidates):
        if each.turn_idx != index:
            path = f".retrieval_candidates[{index}].turn_idx"
            yield Place(path, str(index), str(each.turn_idx))
