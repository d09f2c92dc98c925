"""Rules on SIMMC 1's API calls and candidates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from msgspec import UNSET

from commonground.corpora.simmc.context import Context
from commonground.corpora.simmc.native import ApiCall, ApiCalls, Choices
from commonground.findings import Examined, Place, rule

NEEDED: dict[str, tuple[frozenset[str], ...]] = {
    "None": (frozenset(),),
    "AddToCart": (frozenset(), frozenset({"furniture_id"})),
    "SpecifyInfo": (frozenset({"attributes"}), frozenset({"matches"}), frozenset()),
    "SearchDatabase": (frozenset({"attributes", "focus"}),),
    "SearchMemory": (frozenset({"attributes", "focus"}),),
    "SearchFurniture": (frozenset({"furnitureType"}),),
    "FocusOnFurniture": (frozenset({"position"}),),
    "Rotate": (frozenset({"direction"}),),
    "NavigateCarousel": (frozenset({"navigate_direction"}), frozenset({"navigateDirection"})),
}
"""Arguments that each action has, in one of the documented ways."""


@rule(
    "CG-SIMMC-101",
    "error",
    "There is not one image in focus per action.",
    why="Actions and images are joined by their place.",
    advice="Extract the API calls again.",
    format="api_calls",
    known=0,
)
def focus_count(record: ApiCalls, examined: Examined) -> Iterator[Place]:  # noqa: ARG001
    """Compares the two lengths."""
    images = record.focus_images
    if isinstance(images, list) and len(images) != len(record.actions):
        yield Place(".focus_images", f"{len(record.actions)} images", str(len(images)))


@rule(
    "CG-SIMMC-102",
    "error",
    "An action's `turn_idx` is not its place.",
    why="Actions and turns are joined by this number.",
    advice="Number the actions from 0 in order.",
    format="api_calls",
    known=0,
)
def action_order(record: ApiCalls, examined: Examined) -> Iterator[Place]:  # noqa: ARG001
    """Compares numbers with places."""
    for index, call in enumerate(record.actions):
        if call.turn_idx != index:
            yield Place(f".actions[{index}].turn_idx", str(index), str(call.turn_idx))


@rule(
    "CG-SIMMC-103",
    "error",
    "An action is not one of the documented ones.",
    why="It cannot be scored.",
    advice="See whether it is a typing error; `None` is a text here.",
    format="api_calls",
    known=0,
)
def unknown_action(record: ApiCalls, examined: Examined) -> Iterator[Place]:  # noqa: ARG001
    """Compares the names."""
    for index, call in enumerate(record.actions):
        if call.action not in NEEDED:
            yield Place(f".actions[{index}].action", ", ".join(NEEDED), call.action)


@rule(
    "CG-SIMMC-104",
    "error",
    "An action lacks an argument that it needs.",
    why="The action cannot be scored.",
    advice="Extract the API calls again.",
    format="api_calls",
    known=0,
)
def missing_argument(record: ApiCalls, examined: Examined) -> Iterator[Place]:  # noqa: ARG001
    """Compares arguments with what the action needs."""
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


@rule(
    "CG-SIMMC-105",
    "warning",
    "An attribute is asked for twice in one action.",
    why="Recall against the list counts it twice.",
    advice="Take it once.",
    format="api_calls",
    known=0,
)
def twice_asked(record: ApiCalls, examined: Examined) -> Iterator[Place]:  # noqa: ARG001
    """Looks for repeated attributes."""
    for index, call in enumerate(record.actions):
        names = _arguments(call).get("attributes")
        counts = Counter(map(str, names)) if isinstance(names, list) else Counter()
        for name, count in counts.items():
            if count > 1:
                path = f".actions[{index}].action_supervision.attributes"
                yield Place(path, "each attribute once", name)


@rule(
    "CG-SIMMC-106",
    "note",
    "An argument has another name than in the documentation.",
    why="The documentation says `attributes` and `navigateDirection` of furniture actions; the "
    "scripts write `matches` and `navigate_direction`.",
    advice="Take both names as one.",
    format="api_calls",
)
def odd_argument(record: ApiCalls, examined: Examined) -> Iterator[Place]:  # noqa: ARG001
    """Looks for the rarer name of the direction."""
    for index, call in enumerate(record.actions):
        if "navigateDirection" in _arguments(call):
            path = f".actions[{index}].action_supervision"
            yield Place(path, "navigate_direction", "navigateDirection")


@rule(
    "CG-SIMMC-107",
    "error",
    "A search brings an image into focus that is not in focus at the next turn.",
    why="The two descriptions of what was in view contradict each other.",
    advice="Extract the API calls again.",
    format="api_calls",
    known=0,
)
def lost_focus(record: ApiCalls, examined: Examined) -> Iterator[Place]:  # noqa: ARG001
    """Compares each search with the image of the turn after it."""
    images = record.focus_images
    if not isinstance(images, list):
        return
    for index, (call, after) in enumerate(zip(record.actions, images[1:], strict=False), 1):
        focus = _arguments(call).get("focus")
        if focus is not None and focus != after:
            yield Place(f".focus_images[{index}]", str(focus), str(after))


@rule(
    "CG-SIMMC-111",
    "error",
    "A turn has not 100 candidates.",
    why="Ranks cannot be compared with published ones.",
    advice="See whether the file was cut.",
    format="retrieval",
    known=0,
)
def candidate_count(record: Choices, examined: Examined) -> Iterator[Place]:  # noqa: ARG001
    """Counts the candidates."""
    for index, each in enumerate(record.retrieval_candidates):
        count = len(each.retrieval_candidates)
        if count != 100:
            yield Place(f".retrieval_candidates[{index}]", "100 candidates", str(count))


@rule(
    "CG-SIMMC-112",
    "error",
    "A candidate stands twice in the list of a turn.",
    why="Ranks cannot be compared with published ones.",
    advice="See whether the file was changed.",
    format="retrieval",
    known=0,
)
def repeated_candidate(record: Choices, examined: Examined) -> Iterator[Place]:  # noqa: ARG001
    """Looks for repeated numbers."""
    for index, each in enumerate(record.retrieval_candidates):
        numbers = each.retrieval_candidates
        if len(set(numbers)) < len(numbers):
            most, count = Counter(numbers).most_common(1)[0]
            path = f".retrieval_candidates[{index}].retrieval_candidates"
            yield Place(path, "each candidate once", f"{most}, {count} times")


@rule(
    "CG-SIMMC-113",
    "error",
    "A candidate is not in the file's pool of answers.",
    why="Its text is not known; it has a null text in the store.",
    advice="See whether candidates and pool are of the same file.",
    format="retrieval",
    known=0,
)
def outside_pool(record: Choices, examined: Examined) -> Iterator[Place]:
    """Compares the numbers with the length of the pool."""
    sizes = examined.context.pool_sizes if isinstance(examined.context, Context) else {}
    size = sizes.get(examined.source_file)
    for index, each in enumerate(record.retrieval_candidates if size is not None else ()):
        bad = [n for n in each.retrieval_candidates if not 0 <= n < (size or 0)]
        for number in bad:
            path = f".retrieval_candidates[{index}].retrieval_candidates"
            yield Place(path, f"a number below {size}", str(number))


@rule(
    "CG-SIMMC-114",
    "error",
    "The right candidate's place is outside the list.",
    why="The turn cannot be scored.",
    advice="See whether the file was changed.",
    format="retrieval",
    known=0,
)
def outside_list(record: Choices, examined: Examined) -> Iterator[Place]:  # noqa: ARG001
    """Compares the place with the length of the list."""
    for index, each in enumerate(record.retrieval_candidates):
        gold = each.gt_index
        if gold is not UNSET and not 0 <= gold < len(each.retrieval_candidates):
            yield Place(f".retrieval_candidates[{index}].gt_index", "a place", str(gold))


@rule(
    "CG-SIMMC-115",
    "error",
    "The `turn_idx` of a list of candidates is not its place.",
    why="Candidates and turns are joined by this number.",
    advice="Number them from 0 in order.",
    format="retrieval",
    known=0,
)
def choice_order(record: Choices, examined: Examined) -> Iterator[Place]:  # noqa: ARG001
    """Compares numbers with places."""
    for index, each in enumerate(record.retrieval_candidates):
        if each.turn_idx != index:
            path = f".retrieval_candidates[{index}].turn_idx"
            yield Place(path, str(index), str(each.turn_idx))
