"""The options of a tool: one list of their names, each with its type and the check of its value."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Annotated, Any, TypedDict, Unpack, get_args

from mulligan.deadline import is_seconds
from mulligan.errors import ToolType, UsageError
from mulligan.feedback import FeedbackFormat
from mulligan.spelling import closest
from mulligan.untrusted.copies import freeze

Detect = bool | Callable[[Any], Any]
Resources = Callable[[Mapping[str, Any]], Iterable[str]] | Iterable[str]
_NO_ALIASES: Mapping[str, frozenset[str]] = {}


def _check_timeout(owner: str, option: str, value: Any) -> float | None:
    if value is None or (is_seconds(value) and value > 0):
        return value  # type: ignore[no-any-return]
    raise UsageError(f"{owner}: {option} must be above zero seconds, not {value!r:.80}")


def _check_bool(owner: str, option: str, value: Any) -> bool:
    if isinstance(value, bool):
        return value
    raise UsageError(f"{owner}: {option} must be True or False, not {value!r:.80}")


def _check_bool_or_none(owner: str, option: str, value: Any) -> bool | None:
    if value is None or isinstance(value, bool):
        return value
    raise UsageError(f"{owner}: {option} must be True, False or None, not {value!r:.80}")


def _check_labels(owner: str, option: str, value: Any) -> frozenset[str]:
    labels = (value,) if isinstance(value, str) else value
    if isinstance(labels, Iterable):
        listed = list(labels)
        if all(isinstance(label, str) for label in listed):
            return frozenset(listed)
    raise UsageError(f"{owner}: {option} must be a string or a list of strings, not {value!r:.80}")


def _check_resources(owner: str, option: str, value: Any) -> Resources | None:
    if isinstance(value, (list, set, str, Iterator)):  # an iterator could be read for one call only
        return (value,) if isinstance(value, str) else tuple(value)
    if value is None or callable(value) or isinstance(value, Iterable):
        return value  # type: ignore[no-any-return]
    raise UsageError(
        f"{owner}: {option} must be a list of names or a function of the arguments that returns them, not {value!r:.80}"
    )


def _check_detect(owner: str, option: str, value: Any) -> Detect:
    if isinstance(value, bool) or callable(value):
        return value  # type: ignore[no-any-return]
    raise UsageError(f"{owner}: {option} must be True, False or a function of the returned value, not {value!r:.80}")


def _check_output_schema(owner: str, option: str, value: Any) -> Mapping[str, Any] | None:
    if value is None or isinstance(value, Mapping):
        return None if value is None else freeze(value)
    raise UsageError(f"{owner}: {option} must be a JSON Schema as a mapping, not {value!r:.80}")


def _check_format(owner: str, option: str, value: Any) -> str | FeedbackFormat | None:
    if value is None or isinstance(value, (str, FeedbackFormat)):
        return value
    raise UsageError(f"{owner}: {option} must be the name of a feedback format, or a FeedbackFormat, not {value!r:.80}")


def _check_executor(owner: str, option: str, value: Any) -> Any:
    is_executor = isinstance(getattr(value, "name", None), str) and callable(getattr(value, "execute", None))
    if value is None or (isinstance(value, str) and value) or (is_executor and not isinstance(value, type)):
        return value
    step = f"; pass an instance, {value.__name__}()" if isinstance(value, type) else ""
    raise UsageError(f"{owner}: {option} must be the name of an executor, or a ToolExecutor, not {value!r:.80}{step}")


def _check_tool_type(owner: str, option: str, value: Any) -> ToolType:
    if value in get_args(ToolType):
        return value  # type: ignore[no-any-return]
    raise UsageError(f"{owner}: {option} must be one of {', '.join(map(repr, get_args(ToolType)))}, not {value!r:.80}")


def _check_provider(owner: str, option: str, value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    raise UsageError(f"{owner}: {option} must be the name of a service, not {value!r:.80}")


def _check_aliases(owner: str, option: str, value: Any) -> Mapping[str, frozenset[str]]:
    if value is None:
        return _NO_ALIASES
    if not isinstance(value, Mapping):
        raise UsageError(f"{owner}: {option} must map arguments to their other names, not {value!r:.80}")
    aliases = {str(argument): _check_labels(owner, option, others) for argument, others in value.items()}
    all_names = [other for others in aliases.values() for other in others]
    twice = next((other for other in all_names if all_names.count(other) > 1), None)
    if twice is not None:
        raise UsageError(f"{owner}: {twice!r} is an alias of two arguments; keep it for one")
    return aliases


class _Option:
    """The default of an option, and the check of its value."""

    __slots__ = ("check", "default")

    def __init__(self, default: Any, check: Callable[[str, str, Any], Any]) -> None:
        self.default = default
        self.check = check


class OptionValues(TypedDict, total=False):
    """The options of a tool. `Tool` says what each means."""

    timeout: Annotated[float | None, _Option(None, _check_timeout)]
    read_only: Annotated[bool, _Option(False, _check_bool)]
    idempotent: Annotated[bool, _Option(False, _check_bool)]
    destructive: Annotated[bool | None, _Option(None, _check_bool_or_none)]
    claims_read_only: Annotated[bool, _Option(False, _check_bool)]
    inline: Annotated[bool, _Option(False, _check_bool)]
    killable: Annotated[bool, _Option(False, _check_bool)]
    secret: Annotated[Iterable[str], _Option(frozenset(), _check_labels)]
    resources: Annotated[Resources | None, _Option(None, _check_resources)]
    detect: Annotated[Detect, _Option(True, _check_detect)]
    output_schema: Annotated[Mapping[str, Any] | None, _Option(None, _check_output_schema)]
    format: Annotated[str | FeedbackFormat | None, _Option(None, _check_format)]
    tags: Annotated[Iterable[str], _Option(frozenset(), _check_labels)]
    tool_type: Annotated[ToolType, _Option("function", _check_tool_type)]
    provider: Annotated[str | None, _Option(None, _check_provider)]
    aliases: Annotated[Mapping[str, str | Iterable[str]] | None, _Option(_NO_ALIASES, _check_aliases)]
    also_called: Annotated[Iterable[str], _Option(frozenset(), _check_labels)]
    approve: Annotated[bool, _Option(False, _check_bool)]
    executor: Annotated[Any, _Option(None, _check_executor)]


_OPTIONS: Mapping[str, _Option] = {name: hint.__metadata__[0] for name, hint in OptionValues.__annotations__.items()}
DEFAULTS: Mapping[str, Any] = {name: option.default for name, option in _OPTIONS.items()}


class ToolOptions(Mapping[str, Any]):
    """Options for several tools at once, by name as a mapping: `ToolOptions(read_only=True, timeout=5)`.

    It contains only the options that are passed. A plain dict of the same options works too.

    Args:
        options: the attributes of `Tool`.

    Raises:
        UsageError: an option is unknown, or its value is invalid.
    """

    def __init__(self, **options: "Unpack[OptionValues]") -> None:
        self._values = MappingProxyType(check_options("ToolOptions", options))

    def __getitem__(self, option: str) -> Any:
        return self._values[option]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return f"ToolOptions({', '.join(f'{option}={value!r}' for option, value in self.items())})"


def check_options(owner: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """The values of options, as a `Tool` keeps them.

    Args:
        owner: what they are the options of, for errors.
        options: the options by name.

    Raises:
        UsageError: an option is unknown, a value is invalid, or two contradict each other.
    """
    check_names(options, owner=owner)
    values = {option: _OPTIONS[option].check(owner, option, value) for option, value in options.items()}
    if values.get("read_only") and values.get("destructive"):
        raise UsageError(f"{owner}: read_only=True and destructive=True contradict each other; declare one of them")
    if values.get("killable") and values.get("executor") is not None:
        raise UsageError(
            f"{owner}: killable=True and executor=... contradict each other: it runs in a process here, or there"
        )
    return values


def check_names(options: Iterable[str], more: Iterable[str] = (), owner: str = "") -> None:
    """Checks that all options are known options of a tool.

    Args:
        options: the names of the options.
        more: further known names.
        owner: what they are the options of, for errors.

    Raises:
        UsageError: an option is unknown.
    """
    unknown = next((option for option in options if option not in _OPTIONS), None)
    if unknown is not None:
        known = sorted({*_OPTIONS, *more})
        near = closest(str(unknown), known)
        shown = f"{unknown!r:.80}" + (f" (did you mean {near!r}?)" if near is not None else "")
        prefix = f"{owner}: " if owner else ""
        raise UsageError(f"{prefix}unknown tool option {shown}; available: {', '.join(known)}")
