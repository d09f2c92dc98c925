"""Worlds that answer: facts, and functions that a wizard, a script or a model calls.

A world is pure. It never changes: what calls have done, such as the items of an order, is a state
that every call is given, and of which it returns the next one. What arguments a function takes is
a type, and its JSON Schema is made of that type, so that the two never differ.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec

from commonground.errors import CommongroundError, FormatError, find_named
from commonground.model import Json

A = TypeVar("A", bound=msgspec.Struct)
F = TypeVar("F")
S = TypeVar("S")
T = TypeVar("T")


class CallError(CommongroundError):
    """A function is called with arguments that it does not take, or on something unknown."""


class Arguments(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """Arguments of a function, which takes no others; those that are not given say nothing."""


class Answer(msgspec.Struct, Generic[S], frozen=True):
    """What a call comes to.

    Attributes:
        result: what the function returns.
        state: of the world after the call.
        known: whether the result is kept from an earlier call with the same arguments, rather than
            worked out from the facts.
    """

    result: Json
    state: S
    known: bool = False


class Function(msgspec.Struct, frozen=True):
    """A function of a world.

    Attributes:
        name: as it is called.
        description: what it does, for people and models.
        arguments: type of its arguments, a struct that takes no others.
        run: takes facts, state and arguments, and returns an :class:`Answer`.
        keeps: whether answers that people saw go before those that are worked out.
    """

    name: str
    description: str
    arguments: type[msgspec.Struct]
    run: Callable[[Any, Any, Any], Answer[Any]]
    keeps: bool = False

    @property
    def parameters(self) -> dict[str, Any]:
        """JSON Schema of the arguments, an object without references to other places."""
        return write_schema(self.arguments)

    def read(self, arguments: Json) -> msgspec.Struct:
        """Reads arguments as their type.

        Raises:
            CallError: they are not of it; the message says where and why.
        """
        return read_arguments(self.name, arguments, self.arguments)


def read_arguments(name: str, arguments: Json, kind: type[A]) -> A:
    """Reads the arguments of a call.

    Args:
        name: of what is called.
        arguments: an object of JSON.
        kind: type of the arguments.

    Raises:
        CallError: they are not of it; the message says where and why.
    """
    try:
        return msgspec.convert(arguments, kind)
    except msgspec.ValidationError as error:
        raise CallError(f"{name}: {error}.", "See the schema of its arguments.") from None


def write_schema(kind: type[msgspec.Struct]) -> dict[str, Any]:
    """Writes the JSON Schema of a struct, an object without references to other places."""
    (schema,), parts = msgspec.json.schema_components([kind], ref_template="{name}")
    return {"type": "object", **_resolve(schema, parts)}


def _resolve(schema: Any, parts: Mapping[str, Any]) -> Any:
    """Puts parts in the place of references: some providers of models take no references."""
    if isinstance(schema, list):
        return [_resolve(each, parts) for each in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return _resolve(parts[schema["$ref"]], parts)
    if {"type": "null"} in schema.get("anyOf", ()):
        # What may be left out need not be null, too.
        others = [each for each in schema["anyOf"] if each != {"type": "null"}]
        return _resolve(others[0] if len(others) == 1 else {"anyOf": others}, parts)
    # The name of a Python type says nothing to a model, and its docstring speaks of attributes.
    hidden = ("title", "description") if schema.get("type") == "object" else ("title",)
    return {key: _resolve(each, parts) for key, each in schema.items() if key not in hidden}


class World(Generic[F, S]):
    """Functions on facts.

    Attributes:
        name: of the world, that of its scenario.
        functions: by name.
        facts: what is true in it; never changed.
        beginning: the state before any call.
        answers: results that people saw, by :func:`name_call`.
    """

    def __init__(
        self,
        name: str,
        functions: Iterable[Function],
        facts: F,
        beginning: S,
        answers: Mapping[str, Json] | None = None,
    ) -> None:
        self.name = name
        self.functions = {each.name: each for each in functions}
        self.facts = facts
        self.beginning = beginning
        self.answers = answers or {}

    def call(self, state: S, name: str, arguments: Json) -> Answer[S]:
        """Calls a function.

        Args:
            state: after the calls before; :attr:`beginning` for the first.
            name: of the function.
            arguments: an object of JSON.

        Raises:
            UnknownNameError: there is no such function.
            CallError: the arguments are not what it takes, or name something unknown.
        """
        function = find_named("function", name, self.functions)
        key = name_call(name, arguments) if function.keeps else ""
        answer: Answer[S] = function.run(self.facts, state, function.read(arguments))
        if key in self.answers:
            result = copy.deepcopy(self.answers[key])
            return msgspec.structs.replace(answer, result=result, known=True)
        return answer


class Desk:
    """A world with its state, for those who only call: a tool, a server, a notebook.

    Attributes:
        world: whose functions are called.
        state: after the last call.
    """

    def __init__(self, world: World[Any, Any]) -> None:
        self.world = world
        self.state = world.beginning

    def call(self, name: str, arguments: Json) -> Json:
        """Calls a function and returns its result; see :meth:`World.call`."""
        answer = self.world.call(self.state, name, arguments)
        self.state = answer.state
        return answer.result

    @property
    def tools(self) -> list[dict[str, Any]]:
        """The functions as tools for models; see :func:`describe_tools`."""
        return describe_tools(self.world)


def name_call(name: str, arguments: Json) -> str:
    """Names a call by its function and arguments, in whatever order they stand."""
    return f"{name} {msgspec.json.encode(arguments, order='sorted').decode()}"


def describe_tools(world: World[Any, Any]) -> list[dict[str, Any]]:
    """Returns the functions as tools in the form of OpenAI's interface, which others take, too."""
    return [
        {
            "type": "function",
            "function": {
                "name": each.name,
                "description": each.description,
                "parameters": each.parameters,
            },
        }
        for each in world.functions.values()
    ]


class SeenCall(msgspec.Struct, frozen=True):
    """A released call.

    Attributes:
        path: JSON path in its record, or in a row the number of the call.
        function: as it is called.
        arguments: as released.
        result: what came back, in the form in which the world answers; None where nothing did.
        fault: why the call cannot be read; empty where it can.
        before: fields of the state before the call, where the release tells them; else they are
            what the calls before have led to.
    """

    path: str
    function: str
    arguments: Json
    result: Json = None
    fault: str = ""
    before: dict[str, Any] = {}


class FoundRecord(msgspec.Struct, frozen=True):
    """A released record.

    Attributes:
        source: name of its file.
        path: where it stands there.
        record: of the type of its format.
        key: under which it stands in a map; None elsewhere.
    """

    source: str
    path: str
    record: Any
    key: str | None = None


class Course(msgspec.Struct, frozen=True):
    """The calls of a released record, from the beginning of a dialogue on.

    Attributes:
        dialogue: id of the dialogue.
        calls: in order.
        group: a name for all courses that share their facts.
        source: name of the file; empty where the record's is meant.
        facts: what the file says beside calls, such as the items of a catalogue.
    """

    dialogue: str
    calls: list[SeenCall]
    group: str
    source: str = ""
    facts: Sequence[Any] = ()


class WorldSource(msgspec.Struct, frozen=True):
    """Where a world comes from; a constant ``WORLD`` of a module in ``play/worlds``.

    Attributes:
        name: of the world, that of its scenario.
        corpus: name of the corpus whose released files have its calls.
        title: what can be done in it.
        facts: type of its facts, which one's own file of JSON holds.
        functions: that can be called in it.
        begin: takes facts and returns the state before any call.
        invent_facts: invents facts; the same seed gives the same ones.
        read: takes a released record and yields its courses.
        find_facts: takes courses and returns what was seen to be true in them.
        same: compares a result with what people saw.
        prepare: takes facts of one's own and returns them as functions need them; raises
            :class:`FormatError` where they are none that can be called on.
        gather: takes a folder and reads facts from the files of a catalogue in it; None for worlds
            that have no such files.
        join: takes the records of all files and yields their courses, where calls, answers and
            facts stand in several; None where each record has all of its own.
    """

    name: str
    corpus: str
    title: str
    facts: type[Any]
    functions: Sequence[Function]
    begin: Callable[[Any], Any]
    invent_facts: Callable[[int], Any]
    read: Callable[[Any], Iterator[Course]]
    find_facts: Callable[[list[Course]], Any]
    same: Callable[[Json, Json], bool]
    prepare: Callable[[Any], Any] = lambda facts: facts
    gather: Callable[[Path], Any] | None = None
    join: Callable[[Iterable[FoundRecord]], Iterator[Course]] | None = None

    def invent(self, seed: int) -> World[Any, Any]:
        """Invents a world; the same seed gives the same one."""
        return self.load(self.invent_facts(seed))

    def build(self, courses: list[Course]) -> World[Any, Any]:
        """Makes a world of what was seen of it."""
        facts, answers = self.find_facts(courses), keep_answers(courses, self.functions)
        return World(self.name, self.functions, facts, self.begin(facts), answers)

    def load(self, facts: Any) -> World[Any, Any]:
        """Makes a world of facts.

        Raises:
            FormatError: they are none that functions can be called on.
        """
        prepared = self.prepare(facts)
        return World(self.name, self.functions, prepared, self.begin(prepared))

    def load_bytes(self, data: bytes, where: str) -> World[Any, Any]:
        """Makes a world of one's own facts.

        Args:
            data: JSON of the type of facts.
            where: name of the file.

        Raises:
            FormatError: it is not; the message says where.
        """
        try:
            return self.load(msgspec.json.decode(data, type=self.facts))
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise FormatError(f"{where}: {error}.") from None


def same_but_order(found: Json, seen: Json) -> bool:
    """Compares two results, the order of lists apart."""
    return bool(sort_lists(found) == sort_lists(seen))


def sort_lists(value: Json) -> Any:
    """Returns a value with its lists in an order that depends on what they hold alone."""
    if isinstance(value, dict):
        return {key: sort_lists(each) for key, each in value.items()}
    if isinstance(value, list):
        return sorted(
            map(sort_lists, value), key=lambda each: msgspec.json.encode(each, order="sorted")
        )
    return value


def keep_answers(courses: Iterable[Course], functions: Iterable[Function]) -> dict[str, Json]:
    """Returns what people saw, by call; where that was not always the same, what most saw."""
    kept = {each.name for each in functions if each.keeps}
    found: dict[str, dict[bytes, list[Json]]] = {}
    for call in iterate_answered(courses):
        if call.function in kept:
            key = name_call(call.function, call.arguments)
            form = msgspec.json.encode(sort_lists(call.result), order="sorted")
            found.setdefault(key, {}).setdefault(form, []).append(call.result)
    # Of equally many the first, as max takes it.
    return {key: max(forms.values(), key=len)[0] for key, forms in found.items()}


def iterate_answered(courses: Iterable[Course]) -> Iterator[SeenCall]:
    """Yields the calls that can be read and that something came back of."""
    for course in courses:
        for call in course.calls:
            if not call.fault and call.result is not None:
                yield call


def read_facts(values: Json, kind: type[T]) -> list[T]:
    """Returns those of a released list that are of a type; others, and no list, tell no facts."""
    found = []
    for each in values if isinstance(values, list) else ():
        with suppress(msgspec.ValidationError):
            found.append(msgspec.convert(each, kind))
    return found
