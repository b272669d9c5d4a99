"""`Policy` decides what a pipeline may do, `Limits` how much. Every default is safe."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal, cast

import attrs

from mulligan.catalogue import ENGLISH, Catalogue
from mulligan.deadline import is_seconds
from mulligan.errors import ToolConnectionError, ToolError, ToolExecutionError, ToolPermissionError, UsageError
from mulligan.spelling import closest
from mulligan.untrusted.objects import call_safely

_FEWEST_TOKENS = 50
_SIMILARITY, _SIMILARITY_OF_FULL_NAMES = 0.8, 0.9
Detail = Literal["quoted", "type", "none"]
REPAIRS = ("json", "coerce", "name")
_CLASS_TEMPLATE_FIELDS = {
    "message": frozenset(("message", "resource", "status")),
    "user": frozenset(("message", "resource", "status", "tool", "service")),
}


def _convert_repairs(value: Any) -> tuple[Any, ...]:
    given = value if isinstance(value, (tuple, list, set)) else (value,)
    wanted: list[Any] = []
    for one in given:
        if one != "all" and one not in REPAIRS and (isinstance(one, str) or not callable(getattr(one, "repair", None))):
            raise UsageError(
                f"Policy(repair=...): unknown repair {one!r:.80}; use any of {', '.join(REPAIRS)}, or 'all', or ask(model)"
            )
        wanted += REPAIRS if one == "all" else (one,)
    return tuple(wanted)


def _validate_detail(_: Any, __: Any, value: str) -> None:
    if value not in ("quoted", "type", "none"):
        raise UsageError(f"Policy(detail={value!r}): use 'quoted', 'type' or 'none'")


def _validate_catalogue(_: Any, __: Any, value: object) -> None:
    if value is not ENGLISH:
        check_catalogue(value)


def _validate_fatal(_: Any, __: Any, value: object) -> None:
    if not (callable(value) or isinstance(value, Mapping)):
        raise UsageError(f"Policy(fatal={value!r:.80}): use a mapping, or a function of the error")
    for key, is_fatal in value.items() if isinstance(value, Mapping) else ():
        if not isinstance(is_fatal, bool):
            raise UsageError(f"Policy(fatal={{{key!r:.80}: {is_fatal!r:.40}}}): use True or False")
        if not (isinstance(key, str) or (isinstance(key, type) and issubclass(key, ToolError))):
            raise UsageError(
                f"Policy(fatal={{{key!r:.80}: ...}}): use a ToolError class, or the name of a class, a tool or a provider"
            )
        if isinstance(key, str) and (suggestion := _misspelt_class(key)) is not None:
            raise UsageError(f"Policy(fatal={{{key!r:.80}: ...}}): unknown class. Did you mean {suggestion!r}?")


def _misspelt_class(name: str) -> str | None:
    """The class whose name was most likely misspelled; any other name may be that of a tool or a provider."""
    known = {cls.__name__ for cls in _class_tree(ToolError)}
    if name in known or not (name[:1].isupper() or name.lower() in {cls.lower() for cls in known}):
        return None
    if any(cls in name for cls in known - {"ToolError"}):  # a class of a plugin that is not imported yet
        return None
    return closest(name, known, _SIMILARITY) or closest(f"{name}Error", known, _SIMILARITY_OF_FULL_NAMES)


def _class_tree(cls: type[ToolError]) -> Iterator[type[ToolError]]:
    yield cls
    for subclass in cls.__subclasses__():
        yield from _class_tree(subclass)


def _validate_bool(_: Any, field: Any, value: object) -> None:
    if not isinstance(value, bool):
        raise UsageError(f"Policy({field.name}={value!r:.80}): use True or False")


def _convert_control_flow(value: Any) -> tuple[Any, ...]:
    given = (value,) if isinstance(value, (str, type)) else value
    if not isinstance(given, (tuple, list, set)) or not all(isinstance(one, (str, type)) for one in given):
        raise UsageError(f"Policy(control_flow={value!r:.80}): use exception classes, or their qualified names")
    return tuple(given)


@attrs.frozen(kw_only=True)
class Policy:
    """What is fatal, what may be repaired, and how much foreign text the model reads.

    Attributes:
        fatal: overrides of the table in `mulligan.errors`, by error class (or its name), by tool name, by provider, or
            a function of the error that returns True, False or None (it abstains, also if it raises). A class includes its
            subclasses; the entry of a tool overrides that of a provider, which overrides that of a class.
        repair: any of `"json"`, `"coerce"` and `"name"`, or `"all"` of them; and plugins with the hook `repair`, such as
            `mulligan.repair.ask(model)`, which are called after those. Default: nothing.
        detail: how much foreign text the model reads: its first lines, redacted and fenced (`"quoted"`), the type of
            the exception (`"type"`), or nothing (`"none"`).
        control_flow: exception classes, or their qualified names, that pass through unchanged because a framework
            uses them for control flow.
        retry: whether a `read_only` or `idempotent` tool is retried automatically after a transient failure: up to three
            attempts within five seconds. On by default; `middleware=[retry(...)]` replaces it.
        catalogue: the sentences that the model reads: `mulligan.plugin.ENGLISH`, or a mapping like it.
    """

    fatal: Mapping[str | type[ToolError], bool] | Callable[[ToolError], bool | None] = attrs.field(
        factory=dict, validator=_validate_fatal
    )
    repair: tuple[Any, ...] = attrs.field(default=(), converter=_convert_repairs)
    detail: Detail = attrs.field(default="quoted", validator=_validate_detail)
    control_flow: tuple[str | type[BaseException], ...] = attrs.field(default=(), converter=_convert_control_flow)
    retry: bool = attrs.field(default=True, validator=_validate_bool)
    catalogue: Catalogue = attrs.field(default=ENGLISH, validator=_validate_catalogue, repr=False)

    @classmethod
    def openagents(cls, **changes: Any) -> Policy:
        """As in the OpenAgents system: unclassified failures and all permission and connection errors are fatal too."""
        fatal = dict.fromkeys((ToolExecutionError, ToolPermissionError, ToolConnectionError), True)
        return cls(**{"fatal": fatal, **changes})

    @classmethod
    def feed_back_everything(cls, **changes: Any) -> Policy:
        """Nothing is fatal: the model reads every failure and decides what to do."""
        return cls(**{"fatal": {ToolError: False}, **changes})

    def is_fatal(self, error: ToolError) -> bool:
        """Whether the run must stop after this error.

        Args:
            error: a classified error, with `tool_name` and `provider` filled in.
        """
        if not self.fatal:
            return error.fatal
        if callable(self.fatal):
            decided = call_safely(lambda: self.fatal(error))  # type: ignore[operator]
            return bool(error.fatal if decided is None else decided)
        table = cast("Mapping[Any, bool]", self.fatal)
        return bool(next((table[key] for key in self._keys(error) if key in table), error.fatal))

    @staticmethod
    def _keys(error: ToolError) -> list[Any]:
        keys: list[Any] = [key for key in (error.tool_name, error.provider) if key is not None]
        for cls in type(error).__mro__:
            keys += (cls, cls.__name__)
        return keys


@attrs.frozen(kw_only=True)
class Limits:
    """Bounds on what one call may cost. Every value must be positive.

    Attributes:
        feedback_chars: characters of one feedback text.
        feedback_tokens: tokens of one feedback text, as the hook `count_tokens` counts them; None for no bound.
        result_chars: characters of one successful result's content; None for no bound.
        argument_bytes: size of one call's arguments, in bytes of JSON text.
        depth: nesting of arguments and results.
        listed_tools: names listed when a tool is not found.
        problems: argument problems that are listed.
        detail_chars: characters of foreign text that are quoted.
        yielded_values: values that a generator tool may yield.
        threads: worker threads for sync tools, including those abandoned at a deadline.
        grace: seconds that a cancelled async tool has to end before it is abandoned.
        process_memory: bytes of address space that the process of a killable tool may have; None for no bound.
        process_cpu: seconds of CPU time that it may use, in all its threads together; None for no bound.
        queued_events: events that may wait for one `async def observe`; more are dropped and counted.
    """

    feedback_chars: int = 2_000
    feedback_tokens: int | None = None
    result_chars: int | None = None
    argument_bytes: int = 1_000_000
    depth: int = 64
    listed_tools: int = 20
    problems: int = 8
    detail_chars: int = 600
    yielded_values: int = 10_000
    threads: int = 32
    grace: float = 1.0
    process_memory: int | None = 4 << 30
    process_cpu: float | None = None
    queued_events: int = 1_000

    def __attrs_post_init__(self) -> None:
        for field in attrs.fields(Limits):
            value = getattr(self, field.name)
            if value is not None and not (is_seconds(value) and value > 0):
                raise UsageError(f"Limits({field.name}={value!r:.80}): use a number above zero")
        if self.feedback_chars < 200:
            raise UsageError(f"Limits(feedback_chars={self.feedback_chars}): feedback needs at least 200 characters")
        if self.feedback_tokens is not None and self.feedback_tokens < _FEWEST_TOKENS:
            minimum = f"feedback needs at least {_FEWEST_TOKENS} tokens"
            raise UsageError(f"Limits(feedback_tokens={self.feedback_tokens}): {minimum}")


def check_catalogue(catalogue: object) -> None:
    """Checks that a mapping can replace `ENGLISH`.

    Args:
        catalogue: the mapping.

    Raises:
        UsageError: it is not a mapping, lacks a template, or has one that is unknown or has an unknown field.
    """
    if not isinstance(catalogue, Mapping):
        raise UsageError(f"Policy(catalogue={catalogue!r:.80}): use a mapping of templates, such as {{**ENGLISH, ...}}")
    lacking = [name for name in ENGLISH if name not in catalogue]
    if lacking:
        raise UsageError(f"Policy(catalogue=...): template {lacking[0]!r} is missing; start from {{**ENGLISH, ...}}")
    for name, template in catalogue.items():
        _check_template(name, template)


def _check_template(name: object, template: object) -> None:
    kind, _, cls = name.partition(":") if isinstance(name, str) else ("", "", "")
    of_class = _CLASS_TEMPLATE_FIELDS.get(kind) if cls else None
    if name not in ENGLISH and of_class is None:
        raise UsageError(f"Policy(catalogue=...): unknown template {name!r}; available: {', '.join(ENGLISH)}")
    known = of_class if of_class is not None else _template_fields(ENGLISH[str(name)])
    try:
        used = _template_fields(template)
    except (TypeError, ValueError) as error:
        raise UsageError(f"Policy(catalogue=...): template {name!r} is invalid: {error}") from None
    if used - known:
        allowed = ", ".join(f"{{{field}}}" for field in sorted(known)) or "none"
        unknown = sorted(used - known)[0]
        raise UsageError(
            f"Policy(catalogue=...): template {name!r} has the unknown field {{{unknown}}}; allowed: {allowed}"
        )


def _template_fields(template: object) -> frozenset[str]:
    if not isinstance(template, str):
        raise TypeError(f"expected a string, not {type(template).__name__}")
    from string import Formatter

    return frozenset(field for _, field, _, _ in Formatter().parse(template) if field is not None)
