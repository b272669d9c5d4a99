"""Tools: a function or any handler, with its definition for the model and how it may be run."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from copy import copy
from functools import wraps
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TypeVar, Unpack, overload

from mulligan.errors import Problem, ToolArgumentError, ToolType, UsageError
from mulligan.lazy import lazy
from mulligan.pointers import argument_of
from mulligan.untrusted.copies import freeze, thaw
from mulligan.untrusted.text import show_name
from mulligan.validate import tool_checks as checks
from mulligan.validate.numbers import NumberReader, read_exact, read_whole
from mulligan.validate.schema_errors import SchemaError
from mulligan.validate.secret_defaults import without_secret_defaults
from mulligan.validate.signature import (
    check_annotations,
    check_signature,
    function_name,
    is_async_callable,
    read_description,
    read_injected,
    read_parameters,
)
from mulligan.validate.structure import StructureError, takes_only_scalars
from mulligan.validate.structure import builds_objects as structure_builds_objects
from mulligan.validate.tool_options import DEFAULTS, OptionValues, check_names, check_options
from mulligan.validate.validator import compile_schema

if TYPE_CHECKING:
    from mulligan.feedback import FeedbackFormat
    from mulligan.validate.signature import Parameters
    from mulligan.validate.tool_options import Detect, Resources
    from mulligan.validate.validator import Validator

T = TypeVar("T")
Handler = Callable[..., Any]


class Tool:
    """A function that a model may call. Made by `tool`, `Tool.from_function` or `Tool.from_schema`.

    Attributes:
        name: the name that the model calls.
        description: what the model reads about it.
        handler: the function that runs; called with the validated arguments as keywords.
        timeout: seconds until the call times out, or None.
        read_only: it changes nothing (MCP's `readOnlyHint`).
        idempotent: calling it twice with the same arguments does no more than calling it once (`idempotentHint`).
        destructive: it may delete or overwrite (`destructiveHint`); None if its author did not say.
        claims_read_only: a server that the host does not trust says that it changes nothing. It softens the wording about
            effects, and nothing else: see `hints_of`.
        inline: a sync handler so quick that `acall` may run it on the event loop.
        killable: it runs in a process of its own that is killed at the deadline.
        secret: names of arguments that no text may ever show.
        resources: existing names, or a function of the arguments that returns them, for suggestions when one is
            missing.
        detect: whether a returned value is searched for a reported failure; or a function of the value that returns the
            `Failure` that it reports, or None, and so decides alone.
        output_schema: the JSON Schema of its results, or None; a value that matches it is a result.
        format: the feedback format for this tool, or None for the pipeline's.
        tags: labels, for limits and breakers.
        tool_type: `function`, `extension` or `datastore`.
        provider: the service behind it, or None.
        aliases: other names that models use for its arguments, `{"path": {"file", "filename"}}`: a call that uses one is
            refused with a corrected call.
        also_called: other names that models use for the tool itself; likewise.
        approve: whether a person must approve each call before it runs.
        executor: where it runs: the name of an executor that a plugin contributes, or a `ToolExecutor`; None for here.
        is_async: the handler is a coroutine function or an async generator function.
        is_read_from_signature: its schema is made from the signature of the handler.

    A tool is shared by calls, threads and plugins, so none of this can be changed after creation.
    """

    name: str
    handler: Handler
    timeout: float | None
    read_only: bool
    idempotent: bool
    destructive: bool | None
    claims_read_only: bool
    inline: bool
    killable: bool
    secret: frozenset[str]
    resources: Resources | None
    detect: Detect
    output_schema: Mapping[str, Any] | None
    format: str | FeedbackFormat | None
    tags: frozenset[str]
    tool_type: ToolType
    provider: str | None
    aliases: Mapping[str, frozenset[str]]
    also_called: frozenset[str]
    approve: bool
    executor: Any
    is_async: bool
    is_read_from_signature: bool
    _description: str | None
    _given_schema: Mapping[str, Any] | None
    _annotated: bool

    def __init__(
        self,
        name: str,
        description: str | None,
        handler: Handler,
        *,
        schema: Mapping[str, Any] | None = None,
        annotated: bool = False,
        **options: Unpack[OptionValues],
    ) -> None:
        checks.check_tool(name, description, handler)
        self.__dict__.update(DEFAULTS)
        self.__dict__.update(check_options(f"tool {name!r}", options))
        self.__dict__.update(
            name=name,
            _description=description,
            handler=handler,
            _given_schema=schema,
            _annotated=annotated,
            is_read_from_signature=annotated and schema is None,
            also_called=self.also_called - {name},
            is_async=is_async_callable(handler),
        )
        if annotated:
            self.__dict__.update(
                __wrapped__=handler,
                __doc__=getattr(handler, "__doc__", None),
                __name__=getattr(handler, "__name__", name),
                __module__=getattr(handler, "__module__", __name__),
            )

    @classmethod
    def from_function(
        cls, function: Handler, *, name: str | None = None, description: str | None = None, **options: Any
    ) -> Tool:
        """Creates a tool from a function: its schema is read from signature and docstring when it is first needed.

        Args:
            function: sync or async, plain or a generator; every parameter annotated.
            name: by default the function's.
            description: by default the docstring without its parameter section.
            options: the attributes of `Tool`, and `schema`, which replaces the schema read from the signature.

        Raises:
            UsageError: the function cannot be a tool (`*args`, no annotation, no name ...), or an unknown option.
        """
        schema = options.pop("schema", None)
        check_names(options, ("name", "description", "schema"))
        check_signature(function)
        tool_name = function_name(function) if name is None else name
        checks.check_name(tool_name)
        if schema is not None:
            checks.check_schema(tool_name, schema)
        made = cls(tool_name, description, function, schema=schema, annotated=True, **options)
        checks.check_arguments(made.name, made.secret, made.aliases, schema, function)
        return made

    @classmethod
    def from_schema(
        cls, name: str, description: str, parameters: Mapping[str, Any], handler: Handler, **options: Any
    ) -> Tool:
        """Creates a tool from a JSON Schema (2020-12, or draft-07 by `$schema`) and a handler.

        Args:
            name: the name that the model calls.
            description: what the model reads about it.
            parameters: JSON Schema of an object.
            handler: called with the validated JSON values as keywords.
            options: the attributes of `Tool`.

        Raises:
            UsageError: the schema is not a mapping or not that of an object, it has no argument that `secret` or
                `aliases` names, or an unknown option.
        """
        check_names(options)
        checks.check_schema(name, parameters)
        made = cls(name, description, handler, schema=parameters, **options)
        checks.check_arguments(made.name, made.secret, made.aliases, parameters, handler)
        return made

    @lazy
    def description(self) -> str:
        """What the model reads about it."""
        return read_description(self.handler) if self._description is None else self._description

    @property
    def summary(self) -> str:
        """The description as it was passed, or the whole docstring: available without any parsing."""
        return self._description or getattr(self.handler, "__doc__", None) or ""

    @lazy
    def _signature(self) -> Parameters | None:
        return read_parameters(self.handler) if self._annotated else None

    @lazy
    def _schema(self) -> Mapping[str, Any]:
        schema: Mapping[str, Any] = {"type": "object"}
        if self._given_schema is not None:
            schema = thaw(self._given_schema)  # it may hold frozen parameters of another tool
        elif self._signature is not None:
            schema = self._signature.schema
        return without_secret_defaults(schema, self.secret)

    @lazy
    def parameters(self) -> Mapping[str, Any]:
        """The JSON Schema of the arguments; it cannot be changed, its copies can.

        Raises:
            UsageError: the type of a parameter has no schema.
        """
        schema: Mapping[str, Any] = freeze(self._schema)
        return schema

    @lazy
    def injected(self) -> Mapping[str, Any]:
        """The types of the parameters that are filled from `context`, by name."""
        return MappingProxyType(read_injected(self.handler) if self._annotated else {})

    @lazy
    def _needs_preparation(self) -> bool:
        """Whether something is worked out for each call before the tool runs: a deadline, injected values, an approval."""
        return self.timeout is not None or self.approve or bool(self.injected)

    @lazy
    def _is_checked(self) -> bool:
        if self.is_read_from_signature:
            check_annotations(self.handler)
        elif self._annotated:
            read_injected(self.handler)
        return True

    @lazy
    def validator(self) -> Validator:
        """The compiled schema.

        Raises:
            SchemaError: the schema cannot be used.
        """
        return compile_schema(self._schema)

    @lazy
    def _fitting(self) -> tuple[Callable[[Any], bool], Callable[[dict[str, Any]], dict[str, Any]] | None]:
        return self.validator.is_valid, self._structure

    @lazy
    def _structure(self) -> Callable[[dict[str, Any]], dict[str, Any]] | None:
        return None if self._given_schema is not None or self._signature is None else self._signature.structure

    @lazy
    def _takes_only_scalars(self) -> bool:
        """Whether it is clear that no argument can be a list or an object, which the tool could change."""
        return takes_only_scalars(self._schema)

    @lazy
    def numbers(self) -> NumberReader:
        """How a number in the arguments is read: with every digit if a parameter is a `Decimal`, or may hold one."""
        keeps_digits = self.is_read_from_signature and self._signature is not None and self._signature.keeps_digits
        return read_exact if keeps_digits else read_whole

    @lazy
    def _computed(self) -> dict[Callable[[Tool], Any], Any]:
        """The results of the functions that `once_per_tool` wraps."""
        return {}

    @lazy
    def shown(self) -> str:
        """The name, safe to show."""
        return show_name(self.name)

    def fit(self, arguments: dict[str, Any]) -> dict[str, Any] | ToolArgumentError:
        """The keyword arguments of the handler, without the injected ones, or what is wrong with the arguments.

        The error is returned instead of raised: wrong arguments are common, and raising is slow.

        Args:
            arguments: JSON values.

        Returns:
            Python objects, with the lists and mappings of `arguments` where they need no conversion; `arguments` itself if the
            two are the same; or an error that names every problem.

        Raises:
            SchemaError: the schema cannot be used.
        """
        is_valid, structure = self._fitting
        if not is_valid(arguments):
            return checks.invalid_arguments(self.validator.problems(arguments, self.secret))
        if structure is None:
            return arguments
        try:
            return structure(arguments)
        except StructureError as error:
            return checks.invalid_arguments([self._without_secrets(problem, arguments) for problem in error.problems])

    @lazy
    def _output_validator(self) -> Callable[[Any], bool]:
        return compile_schema(thaw(self.output_schema)).is_valid

    def returns(self, value: Any) -> bool:
        """Whether a value matches the tool's `output_schema`; False without one, or if the schema cannot be used.

        Args:
            value: JSON values.
        """
        if self.output_schema is None:
            return False
        try:
            return self._output_validator(value)
        except (SchemaError, ValueError, TypeError):
            return False

    def _without_secrets(self, problem: Problem, arguments: dict[str, Any]) -> Problem:
        """The problem; for a secret argument without the text of a class's own check, which follows a colon."""
        if argument_of(problem.pointer) not in self.secret:
            return problem
        kept = Problem(problem.pointer, problem.message.partition(":")[0])
        return self.validator.without_keys(kept, arguments, self.secret)

    def with_options(self, **options: Unpack[OptionValues]) -> Self:
        """A copy of the tool with other options; those that are not passed stay as they are.

        `secret` is added to: a secret argument stays secret.

        Args:
            options: the attributes of `Tool`.

        Raises:
            UsageError: an option is unknown or invalid, contradicts one that the tool has, or names an argument that does not
                exist.
        """
        values = check_options(f"tool {self.name!r}", options)
        self._check_contradiction(values)
        if self.is_read_from_signature or self._given_schema is not None:
            secret, aliases = values.get("secret", ()), values.get("aliases", {})
            checks.check_arguments(self.name, secret, aliases, self._given_schema, self.handler)
        if "secret" in values:
            values["secret"] |= self.secret
        if "also_called" in values:
            values["also_called"] -= {self.name}
        changed = copy(self)
        for computed in ("_computed", "_output_validator", "_needs_preparation"):  # from options
            changed.__dict__.pop(computed, None)
        changed.__dict__.update(values)
        return changed

    def _check_contradiction(self, values: Mapping[str, Any]) -> None:
        for new, old in (("read_only", "destructive"), ("destructive", "read_only")):
            if values.get(new) and values.get(old, getattr(self, old)):
                raise UsageError(
                    f"tool {self.name!r}: {new}=True contradicts {old}=True, which it already has; add {old}=False"
                )
        if values.get("executor") is not None and values.get("killable", self.killable):
            raise UsageError(
                f"tool {self.name!r}: executor=... contradicts killable=True, which it has; add killable=False"
            )
        if values.get("killable") and values.get("executor", self.executor) is not None:
            raise UsageError(f"tool {self.name!r}: killable=True contradicts its executor; add executor=None")

    def without_handler(self) -> Tool:
        """The same tool with a handler that refuses to run, for repairers."""
        options = {option: getattr(self, option) for option in DEFAULTS if option != "resources"}
        options["detect"] = options["detect"] is not False
        return Tool(self.name, self.description, checks.refuse_to_run, schema=self._schema, **options)

    def check(self) -> None:
        """Refuses a tool that cannot be described to a model, so that it is found before the model calls it.

        Called when the tool is added to a toolset, since its annotations may name objects defined later in its module.

        Raises:
            UsageError: an annotation cannot be resolved, or has no schema; names the tool, the parameter and the next step.
        """
        try:
            _ = self._is_checked
        except UsageError as error:
            raise UsageError(f"tool {self.name!r} cannot be described: {error}") from None

    def __setattr__(self, name: str, value: Any) -> None:
        if name in Tool.__annotations__ or hasattr(Tool, name):
            shown = name.lstrip("_")
            raise AttributeError(f"tool {self.name!r} cannot be changed: pass {shown}= when creating the tool")
        super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        self.__setattr__(name, None)
        super().__delattr__(name)

    def __getstate__(self) -> dict[str, Any]:
        """The state without lazily computed values: compiled schemas cannot be pickled."""
        state = {
            name: value for name, value in self.__dict__.items() if not isinstance(getattr(Tool, name, None), lazy)
        }
        if (decorated := _DecoratedFunction.find(self.handler)) is not None:
            state |= dict.fromkeys(state.keys() & {"handler", "__wrapped__"}, decorated)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        found = {name: value.load() if type(value) is _DecoratedFunction else value for name, value in state.items()}
        self.__dict__.update(found)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the function as it is, without validation."""
        return self.handler(*args, **kwargs)

    def __repr__(self) -> str:
        return f"Tool({self.name!r})"


def takes_as_sent(tool: Tool, arguments: Mapping[str, Any]) -> bool:
    """Whether a tool declares all these arguments, and they are valid.

    Args:
        tool: the tool.
        arguments: the arguments as they were sent.
    """
    known = tool._schema.get("properties")  # noqa: SLF001 - `parameters` is a copy
    is_declared = isinstance(known, (dict, Mapping)) and arguments.keys() <= known.keys()
    return is_declared and tool.validator.is_valid(arguments)


class _DecoratedFunction(NamedTuple):
    """Names a function that `@tool` has replaced in its module, where pickle does not find it: the tool there has it."""

    module: str
    name: str

    @classmethod
    def find(cls, function: Handler) -> Self | None:
        """None for any other function, and for one of a script, whose module has another name elsewhere."""
        module, name = getattr(function, "__module__", None), getattr(function, "__qualname__", None)
        if module == "__main__" or module not in sys.modules or not isinstance(name, str):
            return None
        found = cls(module, name)
        return found if found._handler is function else None

    @property
    def _handler(self) -> Handler | None:
        holder: Any = sys.modules[self.module]
        for name in self.name.split("."):
            holder = getattr(holder, name, None)
        return holder.handler if isinstance(holder, Tool) else None

    def load(self) -> Handler:
        """The function, in a process that may not have imported its module yet."""
        import_module(self.module)
        if (handler := self._handler) is None:
            raise AttributeError(f"{self.module}.{self.name} is no tool")
        return handler


def builds_objects(tool: Tool) -> bool:
    """Whether fitting arguments to a tool builds objects of other classes, whose own code may run."""
    return structure_builds_objects(tool._structure)  # noqa: SLF001


def once_per_tool(compute: Callable[[Tool], T]) -> Callable[[Tool], T]:
    """A function of a tool whose result is computed once: the tool keeps it, and leaves it behind when it is pickled.

    Args:
        compute: the function; its result depends only on the tool, and must not be changed.
    """

    @wraps(compute)
    def read(tool: Tool) -> T:
        known = tool._computed  # noqa: SLF001
        try:
            value: T = known[compute]
        except KeyError:
            value = known[compute] = compute(tool)
        return value

    return read


@overload
def tool(f: Handler) -> Tool: ...


@overload
def tool(
    f: None = None,
    *,
    name: str | None = None,
    description: str | None = None,
    schema: Mapping[str, Any] | None = None,
    timeout: float | None = None,
    read_only: bool = False,
    idempotent: bool = False,
    destructive: bool | None = None,
    claims_read_only: bool = False,
    inline: bool = False,
    killable: bool = False,
    secret: Iterable[str] = (),
    resources: Resources | None = None,
    detect: Detect = True,
    output_schema: Mapping[str, Any] | None = None,
    format: str | FeedbackFormat | None = None,
    tags: Iterable[str] = (),
    tool_type: ToolType = "function",
    provider: str | None = None,
    aliases: Mapping[str, str | Iterable[str]] | None = None,
    also_called: Iterable[str] = (),
    approve: bool = False,
    executor: Any = None,
) -> Callable[[Handler], Tool]: ...


def tool(f: Handler | None = None, **options: Any) -> Tool | Callable[[Handler], Tool]:
    """Turns a function into a tool, as `@tool` or `@tool(read_only=True, timeout=5)`.

    The tool can be called like the function, which is left unchanged.

    Args:
        f: the function.
        options: `name`, `description`, `schema` and the attributes of `Tool`.

    Raises:
        UsageError: the function cannot be a tool, or an unknown option.
    """
    if f is not None:
        return Tool.from_function(f, **options)
    return lambda function: Tool.from_function(function, **options)
