"""The rules by which one person writes both sides of a dialogue, along a script.

The only seat is the worker's, who goes through four phases:

1. ``forms``: give a value for each ``ENTER`` of the script, all at once. Left out without any.
2. ``dialogue``: write the turns that the script leaves open, in order. Fixed turns and hints are
   shown with the values filled in; calls and what they give back never are. A turn that was
   written may be written anew until the end.
3. ``review``: confirm each ``CHECK``, and say which stretches of the text are what. Stretches that
   are a value of the script are proposed; none of them counts until the worker has confirmed.
4. ``over``, once the worker has submitted.

A script whose conversation has no turns is in free form: user and assistant write in turn, as many
turns as the material asks for at least, and no more than it has room for.

A turn is refused that copies its hint, lacks a value that the hint quotes, or calls somebody "sir"
or "madam".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

from commonground.corpora.taskmaster.script_language import (
    Check,
    Conversation,
    Enter,
    Force,
    Hint,
    Prose,
    Response,
    ScriptCall,
    ScriptList,
)
from commonground.errors import FormatError
from commonground.play import acts
from commonground.play.scenario import (
    Act,
    Allowed,
    Refusal,
    ReleasedFile,
    Sitting,
    Timer,
    payload_schema,
)
from commonground.play.scenarios.taskmaster.game.state import (
    Bubble,
    Dialect,
    Setting,
    TaskmasterState,
    list_labels,
    list_likely,
    parse_cached,
    plan_turns,
    propose,
    required_values,
)
from commonground.play.scenarios.taskmaster.material import FACTS, TaskmasterMaterial, require_sound
from commonground.play.scenarios.taskmaster.release import (
    Marked,
    ReleasedTurn,
    WrittenDialogue,
    answer_calls,
    find_body_fault,
    make_id,
)
from commonground.play.scenarios.taskmaster.scripts.filling import draw_values, fill
from commonground.play.world import World

ROLE = "worker"
LONGEST = 1_000
"""Characters that a turn may have; the longest released one has fewer than half of them."""

LONGEST_VALUE = 200
"""Characters that a value may have that the worker enters."""

FORMS_OF_ADDRESS = ("sir", "madam", "ma’am", "ma'am")
"""What nobody is to be called, in lower case."""

_replace = msgspec.structs.replace


class _Sent(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    turn: int
    start: int
    end: int
    label: str


def _squeeze(text: str) -> str:
    return " ".join(text.split()).casefold()


def _refuse_entering(state: TaskmasterState, payload: dict[str, Any]) -> Refusal | None:
    if state.phase != "forms":
        return Refusal("already_entered")
    values, wanted = payload["values"], {each.name for each in state.setting.asked}
    if strange := sorted(map(str, values.keys() - wanted)):
        return Refusal("unknown_field", "protocol", {"field": strange[0]})
    for name in sorted(wanted):
        if not isinstance(values.get(name), str):
            return Refusal("field_missing", parameters={"field": name})
        if refusal := acts.refuse_line(values[name], LONGEST_VALUE):
            return _replace(refusal, parameters={**refusal.parameters, "field": name})
    return None


def _refuse_turn(state: TaskmasterState, payload: dict[str, Any]) -> Refusal | None:
    number, text = payload["turn"], payload["text"]
    if state.phase == "forms":
        return Refusal("not_entered")
    bubbles = state.bubbles()
    # JSON's true is an int to Python.
    if isinstance(number, bool) or not 0 <= number < len(bubbles):
        return Refusal("no_such_turn", parameters={"turn": number})
    bubble = bubbles[number]
    if bubble.hint is None:
        return Refusal("fixed_turn", parameters={"turn": number})
    first_open = next((each.number for each in bubbles if each.text is None), len(bubbles))
    # A turn before the first open one may be written anew; one after it would be out of order.
    if number > first_open:
        return Refusal("not_next", parameters={"turn": number, "next": first_open})
    return acts.refuse_line(text, LONGEST) or _refuse_words(state, bubble, text)


def _refuse_words(state: TaskmasterState, bubble: Bubble, text: str) -> Refusal | None:
    """Refuses a turn that is not the worker's own words, or not what was asked for."""
    plain = _squeeze(text)
    if bubble.hint and _bare(plain) == _bare(_squeeze(bubble.hint)):
        return Refusal("copies_hint")
    for name in required_values(state, bubble.number):
        if _squeeze(state.values.get(name, "")) not in plain:
            return Refusal("value_missing", parameters={"value": state.values.get(name, "")})
    # Words with both kinds of apostrophe, for "ma’am" and "ma'am".
    words = re.findall(r"[\w’']+", plain)
    if found_words := [word for word in words if word in FORMS_OF_ADDRESS]:
        return Refusal("form_of_address", parameters={"found": found_words[0]})
    return None


def _bare(text: str) -> str:
    return text.strip("().!?,;:\"'‘’“” ")


def _refuse_early(state: TaskmasterState) -> Refusal:
    if state.phase == "forms":
        return Refusal("not_entered")
    return Refusal("turns_missing", parameters={"missing": state.missing})


def _refuse_marks(state: TaskmasterState, payload: dict[str, Any]) -> Refusal | None:
    if state.phase != "review":
        return _refuse_early(state)
    try:
        spans = msgspec.convert(payload["spans"], list[_Sent], strict=True)
    except msgspec.ValidationError:
        return Refusal("bad_payload", "protocol", {"field": "spans"})
    texts = {bubble.number: bubble.text for bubble in state.bubbles()}
    labels = list_labels(state.setting)
    for each in spans:
        text = texts.get(each.turn)
        if text is None or not 0 <= each.start < each.end <= len(text):
            return Refusal("bad_span", parameters={"turn": each.turn, "start": each.start})
        if each.label not in labels:
            return Refusal("unknown_label", parameters={"label": each.label})
    if len({(each.turn, each.start, each.end) for each in spans}) < len(spans):
        return Refusal("doubled_span")
    return None


def _refuse_submit(state: TaskmasterState) -> Refusal | None:
    if state.phase != "review":
        return _refuse_early(state)
    missing = {each.name for each in state.setting.checks} - {*state.confirmed}
    if missing:
        return Refusal("checks_missing", parameters={"missing": len(missing)})
    # Proposals count once somebody has looked at them; where there are none, nothing is missing.
    if state.marked is None and propose(state):
        return Refusal("spans_missing")
    return None


def carry_out(state: TaskmasterState, act: Act) -> TaskmasterState:
    """Returns the state after an act, whether or not the rules would allow it."""
    payload = act.payload
    match act.type:
        case "taskmaster.enter":
            values = state.setting.drawn | payload["values"]
            plan = plan_turns(state.setting, values)
            return _replace(state, entered=dict(payload["values"]), plan=plan)
        case "taskmaster.turn":
            written = {**state.written, payload["turn"]: payload["text"]}
            # What was marked would be other words of a text that is written anew.
            return _replace(state, written=written, marked=None)
        case "taskmaster.check":
            # Taken out and put back, so that a box that is ticked twice counts once.
            others = [name for name in state.confirmed if name != payload["name"]]
            ticked = [payload["name"]] if payload["checked"] else []
            return _replace(state, confirmed=(*others, *ticked))
        case "taskmaster.mark":
            found = {(each.turn, each.start, each.end) for each in propose(state)}
            spans = msgspec.convert(payload["spans"], list[_Sent])
            marked = [
                Marked(e.turn, e.start, e.end, e.label, (e.turn, e.start, e.end) in found)
                for e in spans
            ]
            marked.sort(key=lambda each: (each.turn, each.start, each.end))
            return _replace(state, marked=tuple(marked))
        case "taskmaster.submit":
            return _replace(state, submitted=True)
        case "moderator.message":
            return _replace(state, chat=(*state.chat, acts.show_message(act, payload["text"])))
    return _replace(state, ended=payload["reason"])  # moderator.end or session.ended


_FIELDS: dict[str, dict[str, type]] = {
    "taskmaster.enter": {"values": dict},
    "taskmaster.turn": {"turn": int, "text": str},
    "taskmaster.check": {"name": str, "checked": bool},
    "taskmaster.mark": {"spans": list},
    "taskmaster.submit": {},
    **acts.SERVER_FIELDS,
}
"""The types of act, with the fields that their payloads need."""

_AUTHORS = {kind: (None,) if kind in acts.BY_SERVER else (ROLE,) for kind in _FIELDS}

# In the order in which a session meets them: of any act, of forms, of turns, of the review.
_REFUSALS = acts.COMMON_REFUSALS | {
    "stale_round",
    *("already_entered", "not_entered", "field_missing", "unknown_field"),
    *("empty", "too_long", "unprintable", "no_such_turn", "fixed_turn", "not_next"),
    *("copies_hint", "value_missing", "form_of_address"),
    *("turns_missing", "no_such_check", "checks_missing"),
    *("bad_span", "unknown_label", "doubled_span", "spans_missing"),
}


class SelfDialog:
    """The rules in one dialect; see :class:`~commonground.play.scenario.Scenario`."""

    version = "1"
    roles = (ROLE,)
    act_types = frozenset(_FIELDS)
    refusals = _REFUSALS
    material = TaskmasterMaterial

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect
        self.name = self.corpus = dialect.name

    def start(self, material: TaskmasterMaterial, seed: int) -> TaskmasterState:
        """Draws the numbers that the script asks for, unless the material says them."""
        require_sound(material)
        script = parse_cached(material.script)
        labels = material.labels
        apis = self.dialect.apis if material.apis is None else material.apis
        for line in script.lines:
            if not isinstance(line, ScriptCall | Response):
                continue
            if fault := find_body_fault(line, apis):
                where = f"{material.title}, line {line.line}"
                raise FormatError(f"{where}: {fault}", "Lint the script for details.")
        self._load_world(material)
        setting = Setting(
            material=material,
            seed=seed,
            script=script,
            turns=tuple(line for line in script.lines if isinstance(line, Hint | Force)),
            asked=tuple(script.of(Enter)),
            checks=tuple(script.of(Check)),
            drawn=draw_values(script, seed) | material.values,
            labels=self.dialect.labels if labels is None else frozenset(labels),
            apis=apis,
            endings=self.dialect.endings,
        )
        # What the worker enters may decide which turns there are.
        plan = () if setting.asked else plan_turns(setting, setting.drawn)
        return TaskmasterState(setting, plan=plan)

    def apply(self, state: TaskmasterState, act: Act) -> TaskmasterState | Refusal:
        """Returns the state after an act, or why it is refused."""
        refusal = self._refuse(state, act)
        if refusal is not None:
            return refusal
        return _replace(carry_out(state, act), last_us=act.at_us)

    def _refuse(self, state: TaskmasterState, act: Act) -> Refusal | None:
        if self.is_over(state):
            return Refusal("over")
        refusal = acts.refuse_stranger(act, _AUTHORS, state.last_us)
        refusal = refusal or acts.refuse_fields(act.payload, _FIELDS[act.type])
        if refusal is not None:
            return refusal
        # This game has no pages, which is what rounds are in others.
        if act.round is not None:
            return Refusal("stale_round", parameters={"round": None})
        match act.type:
            case "taskmaster.enter":
                return _refuse_entering(state, act.payload)
            case "taskmaster.turn":
                return _refuse_turn(state, act.payload)
            case "taskmaster.check":
                known = {each.name for each in state.setting.checks}
                if act.payload["name"] not in known:
                    return Refusal("no_such_check", parameters={"name": act.payload["name"]})
                return None if state.phase == "review" else _refuse_early(state)
            case "taskmaster.mark":
                return _refuse_marks(state, act.payload)
            case "taskmaster.submit":
                return _refuse_submit(state)
        return None  # moderators and the server may write, and end the session, at any time

    def view(self, state: TaskmasterState, _role: str, /) -> dict[str, Any]:
        """Returns what the worker sees: everything but calls, answers and unused values.

        ``page`` is the script in order: ``text``, ``list``, ``field``, ``conversation`` and
        ``check``. ``bubbles`` are empty until the forms are done; ``open`` is true where the
        worker may write, and ``must`` are the values that the turn has to name. ``spans`` are
        those confirmed, else those proposed, once all is written; ``likely`` are the ``labels``
        of what this script has values for.
        """
        phase = state.phase
        bubbles = [] if phase == "forms" else state.bubbles()
        is_written = phase == "review" or state.submitted
        marked: Sequence[Marked] = ()
        if is_written:
            marked = propose(state) if state.marked is None else state.marked
        material = state.setting.material
        return {
            "round": None,
            "phase": phase,
            "title": material.title,
            "page": _show_page(state),
            "bubbles": _show_bubbles(state, bubbles),
            "checks": [
                {"name": each.name, "text": each.text, "checked": each.name in state.confirmed}
                for each in state.setting.checks
            ],
            "spans": [msgspec.structs.asdict(each) for each in marked],
            "labels": list_labels(state.setting) if is_written else [],
            "likely": list_likely(state.setting) if is_written else [],
            "marked": state.marked is not None,
            "is_free": state.is_free,
            "missing": 0 if phase == "forms" else state.missing,
            "most_turns": material.most_turns if state.is_free else len(state.setting.turns),
            "longest": LONGEST,
            "longest_value": LONGEST_VALUE,
            "ended": state.ended,
            "chat": list(state.chat),
        }

    def allowed(self, state: TaskmasterState, _role: str, /) -> Sequence[Allowed]:
        """Returns what the worker may do now."""
        match state.phase:
            case "over":
                return ()
            case "forms":
                fields = payload_schema(**{each.name: _VALUE for each in state.setting.asked})
                return (Allowed("taskmaster.enter", payload_schema(values=fields)),)
        found = [_allow_turns([*_list_open(state)])]
        if state.phase == "review":
            if checks := state.setting.checks:
                name = {"enum": [each.name for each in checks]}
                ticked = payload_schema(name=name, checked={"type": "boolean"})
                found.append(Allowed("taskmaster.check", ticked))
            if labels := list_labels(state.setting):
                found.append(_allow_marks(state, labels))
            if _refuse_submit(state) is None:
                found.append(_SUBMIT)
        return found

    def timers(self, _state: TaskmasterState, /) -> Sequence[Timer]:
        """Returns none: a worker may take any time."""
        return ()

    def is_over(self, state: TaskmasterState) -> bool:
        """Says whether the worker has submitted, or the session was ended."""
        return state.phase == "over"

    def is_complete(self, state: TaskmasterState) -> bool:
        """Says whether the worker has submitted."""
        return state.submitted

    def finish(self, state: TaskmasterState, _sitting: Sitting) -> Sequence[Any]:
        """Returns the dialogue as released; of one that broke off, its turns as far as they go.

        A dialogue in which nothing was written has no record. Stretches that the worker did not
        confirm are not in it.
        """
        if not state.written:
            return []
        turns: list[ReleasedTurn] = []
        for bubble in state.bubbles():
            if bubble.text is None:
                break
            turns.append(ReleasedTurn(bubble.speaker, bubble.text))
        setting = state.setting
        course = WrittenDialogue(
            conversation_id=make_id(setting.seed),
            title=setting.material.title,
            script=setting.material.script,
            lines=setting.script.lines,
            values=state.values,
            turns=turns,
            marked=state.marked or (),
            apis=setting.apis,
        )
        world = self._load_world(setting.material)
        return [self.dialect.build(course if world is None else answer_calls(course, world))]

    def _load_world(self, material: TaskmasterMaterial) -> World[Any, Any] | None:
        """Makes the world that answers calls; None where the material has no facts for one."""
        source = self.dialect.world
        if source is None or material.facts is None:
            return None
        return source.load_bytes(msgspec.json.encode(material.facts), FACTS)

    def release(self, records: Iterable[Any]) -> Iterator[ReleasedFile]:
        """Yields the files of the dialogues, under their released names."""
        return self.dialect.release(records)


def _show_page(state: TaskmasterState) -> list[dict[str, Any]]:
    values = state.values
    page: list[dict[str, Any]] = []
    entered = state.entered or {}
    for part in state.setting.script.parts:
        match part:
            case Prose():
                if part.text.strip():
                    page.append({"kind": "text", "text": fill(part.text.strip(), values)})
            case ScriptList():
                page.append({"kind": "list", "items": [fill(each, values) for each in part.items]})
            case Enter():
                field = {"name": part.name, "prompt": part.prompt, "value": entered.get(part.name)}
                page.append({"kind": "field", **field})
            case Check():
                page.append({"kind": "check", "name": part.name})
            case Conversation():
                page.append({"kind": "conversation"})
    return page


def _show_bubbles(state: TaskmasterState, bubbles: Sequence[Bubble]) -> list[dict[str, Any]]:
    shown, is_reached = [], state.phase != "over"
    for each in bubbles:
        is_open = each.hint is not None and is_reached
        # The first turn without a text is the last that is open.
        is_reached &= each.text is not None
        must = dict.fromkeys(state.values[name] for name in required_values(state, each.number))
        fields = {**msgspec.structs.asdict(each), "must": list(must)}
        shown.append({**fields, "fixed": each.hint is None, "open": is_open})
    return shown


def _list_open(state: TaskmasterState) -> Iterator[tuple[int, str]]:
    """Yields the turns that may be written now: the next one, and anew those before it.

    Each comes with a text that names what its hint quotes; an empty one where it quotes nothing.
    """
    for each in state.bubbles():
        if each.hint is not None:
            values = [state.values[name] for name in required_values(state, each.number)]
            yield each.number, f"Well: {', '.join(values)}." if values else ""
        if each.text is None:
            return


_VALUE = {"type": "string", "minLength": 1, "maxLength": LONGEST_VALUE}
_SUBMIT = Allowed("taskmaster.submit", payload_schema())


def _allow_turns(turns: Sequence[tuple[int, str]]) -> Allowed:
    text = {"type": "string", "minLength": 1, "maxLength": LONGEST}
    free = [number for number, example in turns if not example]
    # What a text must name may be written in either case, which no pattern can say.
    quoting: list[dict[str, Any]] = [
        {"properties": {"turn": {"enum": [number]}, "text": {"examples": [example]}}}
        for number, example in turns
        if example
    ]
    schema = payload_schema(turn={"enum": [number for number, _ in turns]}, text=text)
    if quoting:
        others = [{"properties": {"turn": {"enum": free}}}] if free else []
        schema["anyOf"] = [*quoting, *others]
    return Allowed("taskmaster.turn", schema)


def _allow_marks(state: TaskmasterState, labels: list[str]) -> Allowed:
    lengths = {each.number: len(each.text) for each in state.bubbles() if each.text is not None}
    span = payload_schema(
        turn={"enum": list(lengths)},
        start={"type": "integer", "minimum": 0},
        end={"type": "integer", "minimum": 1, "maximum": max(lengths.values())},
        label={"enum": labels},
    )
    # That each ends after its start, and within its turn, is more than a schema can say.
    spans = {"type": "array", "items": span, "uniqueItems": True}
    names = _Sent.__struct_fields__
    spans["examples"] = [[{n: getattr(each, n) for n in names} for each in propose(state)]]
    return Allowed("taskmaster.mark", payload_schema(spans=spans))
