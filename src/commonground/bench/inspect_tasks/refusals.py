"""What is refused is said in words: inspect_ai shows most errors as a traceback."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, ParamSpec, TypeVar

import msgspec
from inspect_ai import Task as InspectTask
from inspect_ai import task as as_task
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.model._generate_config import active_generate_config
from inspect_ai.model._model import active_model, model_roles

from commonground.errors import CommongroundError, UsageError, unknown_name
from commonground.play.rooms.players.models import require_reachable

P = ParamSpec("P")
T = TypeVar("T")
Options = TypeVar("Options", bound=msgspec.Struct)


@contextmanager
def refusing_in_words() -> Iterator[None]:
    """Ends inspect_ai with the words of an error, before anything is asked.

    Raises:
        PrerequisiteError: something of commonground's was raised.
    """
    try:
        yield
    except CommongroundError as error:
        # inspect_ai shows this one as words, any other as a traceback.
        raise PrerequisiteError(" ".join(filter(None, (error.message, error.advice)))) from error


def refuse_unreachable() -> None:
    """Makes sure that something answers where models are asked: inspect_ai tries for ever.

    Models of roles are among them. With a cache, perhaps nobody need be asked.

    Raises:
        UsageError: nothing does.
    """
    first = active_model()
    if first is None or active_generate_config().cache:
        return
    others = [each if isinstance(each, list) else [each] for each in model_roles().values()]
    for model in dict.fromkeys([first, *(model for each in others for model in each)]):
        require_reachable(model)


def refuse_toolless() -> None:
    """Makes sure that a model that runs here is shown tools: other templates drop them silently.

    Raises:
        UsageError: its chat template has no place for them.
    """
    model = active_model()
    api = None if model is None else model.api
    given = getattr(api, "chat_template", None)
    template = given or getattr(getattr(api, "tokenizer", None), "chat_template", None)
    if isinstance(template, str) and "tools" not in template:
        raise UsageError(
            f"{model} would not be shown the functions: its chat template has no tools.",
            "Ask another model, or give it another template: -M chat_template=TEXT.",
        )


def checking_options(kind: str) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Refuses options that are unknown or missing in words, where Python has a ``TypeError``.

    Args:
        kind: what has the options, as a user names it: ``commonground/baseline``.
    """

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        signature = inspect.signature(function)

        @wraps(function)
        def checked(*args: P.args, **kwargs: P.kwargs) -> T:
            try:
                # Only tries whether they fit; nothing is called.
                signature.bind(*args, **kwargs)
            except TypeError as error:
                known = ", ".join(signature.parameters)
                raise PrerequisiteError(f"{kind}: {error}. Its options are: {known}.") from error
            return function(*args, **kwargs)

        return checked

    return decorate


def refusing_unknown(kind: str) -> Callable[[Callable[P, T]], Callable[..., T]]:
    """Refuses options that a task does not have: inspect_ai warns, and asks about everything.

    Args:
        kind: the task, as a user names it: ``commonground/probe``.
    """

    def decorate(function: Callable[P, T]) -> Callable[..., T]:
        known = inspect.signature(function).parameters

        @wraps(function)
        def checked(*args: Any, **options: Any) -> T:
            with refusing_in_words():
                for name in options.keys() - known.keys():
                    raise unknown_name("option", name, known, f"of {kind}")
            return function(*args, **options)

        # inspect_ai leaves out what stands in no signature, unless anything may.
        anything = inspect.Parameter("others", inspect.Parameter.VAR_KEYWORD)
        signature = inspect.Signature([*known.values(), anything])
        setattr(checked, "__signature__", signature)  # noqa: B010 - functions declare none
        return checked

    return decorate


def register_task(
    name: str,
    options: type[Options],
    make: Callable[[Options], InspectTask],
    *,
    title: str,
    given: dict[str, Any] | None = None,
    usual: dict[str, Any] | None = None,
) -> Callable[..., InspectTask]:
    """Makes a task known to inspect_ai whose options are the fields of a struct.

    Args:
        name: by which inspect_ai knows it, after ``commonground/``.
        options: the struct; its docstring is that of the task, too.
        title: what the task is, in a sentence.
        given: fields that are no options, with their values; None for none.
        usual: fields that have another value than the struct's where they are not given, or are
            None; None for none.
    """
    given, usual = given or {}, usual or {}

    def ask(**chosen: Any) -> InspectTask:
        left = {each: value for each, value in usual.items() if chosen.get(each) is None}
        with refusing_in_words():
            try:
                read = msgspec.convert(chosen | left | given, options)
            # What stands on a command line may be of any type.
            except msgspec.ValidationError as error:
                what, _, where = str(error).partition(" - at `$.")
                raise UsageError(f"-T {where.rstrip('`')}: {what}.") from error
            return make(read)

    parameters = [
        inspect.Parameter(
            each.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=None if each.required else each.default,
        )
        for each in msgspec.structs.fields(options)
        if each.name not in given
    ]
    setattr(ask, "__signature__", inspect.Signature(parameters))  # noqa: B010 - as below
    _, _, described = (inspect.getdoc(options) or "").partition("Attributes:\n")
    lines = [each for each in described.split("\n") if each.strip().partition(":")[0] not in given]
    ask.__doc__ = "\n".join([title, "", "Args:", *lines])
    return as_task(name=name)(refusing_unknown(f"commonground/{name}")(ask))
