"""What a tool raised or returned, as JSON: enough to classify it again in a process that does not have its classes.

An exception is kept as the qualified names of its classes, its arguments, its text and its stored attributes, including
those of its response; its causes and group members likewise. No foreign code runs to read them, except four methods of
gRPC's exceptions, which return what others store. Every text is redacted, and the whole is bounded.
"""

from __future__ import annotations

import builtins
import re
import sys
from collections.abc import Callable, Mapping
from itertools import islice
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

from mulligan.untrusted.classes import as_dict, exact, layout, stored_attributes
from mulligan.untrusted.objects import call_safely, exception_chain, group_members, raised_with, read_attribute, trace
from mulligan.untrusted.text import MUST_PROPAGATE, safe_str
from mulligan_ledger.redaction import Redact, redact_member, redact_number

MOST_PARTS, _DEEPEST, _LONGEST, _MOST_MEMBERS, _MOST_FRAMES = 600, 6, 8_000, 100, 100
_ACCESSORS = ("code", "details", "trailing_metadata", "errors")
_SKIPPED = (FunctionType, BuiltinFunctionType, MethodType, ModuleType, type)
_HIDDEN_USER = re.compile(r"(://[^/\s@]{0,200})\[redacted\]([^/\s@]{0,200}@)")


def describe_outcome(outcome: Any, redact: Redact) -> dict[str, Any]:
    """Describes what a tool raised or returned.

    Args:
        outcome: an exception, or a value that reports a failure.
        redact: removes the secrets from a text.
    """
    writer = _Writer(redact)
    if isinstance(outcome, BaseException):
        return {"raised": writer.exceptions(outcome)}
    return {"returned": writer.value(outcome, 0)}


class _Writer:
    """Describes one outcome; `left` is the number of parts that it may still have."""

    def __init__(self, redact: Redact) -> None:
        self._redact = redact
        self._left = MOST_PARTS
        self._places: dict[int, int] = {}

    def exceptions(self, outermost: BaseException) -> list[dict[str, Any]]:
        chain = exception_chain(outermost)
        self._places = {id(one): at for at, one in enumerate(chain)}
        return [self._exception(one) for one in chain]

    def _exception(self, exception: BaseException) -> dict[str, Any]:
        record: dict[str, Any] = {
            "mro": _names(type(exception)),
            "text": self._text(safe_str(exception)),
            "args": [self.value(one, 1) for one in islice(raised_with(exception), _MOST_MEMBERS)],
            "fields": self._fields(exception, 1),
        }
        own_methods = (
            {name for base in type(exception).__mro__ for name in vars(base)} if _has_methods(exception) else set()
        )
        answers = {}
        for name in _ACCESSORS:
            found = read_attribute(exception, name) if name in own_methods else None
            if callable(found):
                answers[name] = self.value(call_safely(found), 2)
            elif found is not None:
                record["fields"].setdefault(name, self._member(name, found, 2))
        members = [self._places[id(one)] for one in group_members(exception) if id(one) in self._places]
        cause = self._places.get(id(exception.__cause__))
        more = {"answers": answers, "members": members, "cause": cause, "frames": _frames(exception)}
        return record | {name: value for name, value in more.items() if value not in (None, [], {})}

    def value(self, value: Any, depth: int) -> Any:
        """A value as JSON; objects as `{"$object": names of its classes, "fields": ...}`."""
        value = exact(value)
        if value is None or isinstance(value, (bool, int, float)):
            return redact_number(value, self._redact)
        if isinstance(value, str):
            return self._text(value)
        self._left -= 1
        if self._left < 0 or depth > _DEEPEST:
            return {"$cut": True}
        if isinstance(value, (bytes, bytearray)):
            return {"$bytes": self._text(bytes(value[:_LONGEST]).decode("utf-8", "replace"))}
        if isinstance(value, BaseException):
            at = self._places.get(id(value))
            return self._text(safe_str(value)) if at is None else {"$exception": at}
        if type(value) in (list, tuple, set, frozenset):
            items = [self.value(one, depth + 1) for one in islice(value, _MOST_MEMBERS)]
            return {"$tuple": items} if type(value) is tuple else items
        if isinstance(value, Mapping) or (read := as_dict(value) if hasattr(type(value), "items") else None):
            read = as_dict(value)
            return {
                "$map": [[self._key(name), self._member(str(name), one, depth + 1)] for name, one in self._some(read)]
            }
        if isinstance(value, _SKIPPED):
            return {"$cut": True}
        return {"$object": _names(type(value)), "fields": self._fields(value, depth + 1), "text": self._shown(value)}

    def _fields(self, value: Any, depth: int) -> dict[str, Any]:
        own = dict(islice(stored_attributes(value).items(), _MOST_MEMBERS))
        for name, read in layout(type(value)).items():
            if name.startswith("__") or name in own or not _is_data(type(value), name):
                continue
            found = call_safely(lambda read=read: read(value))
            if found is not None:
                own[name] = found
        return {
            name: self._member(name.lstrip("_"), one, depth)
            for name, one in own.items()
            if isinstance(name, str) and not isinstance(one, _SKIPPED)
        }

    def _some(self, members: Mapping[Any, Any]) -> list[tuple[Any, Any]]:
        return list(islice(members.items(), _MOST_MEMBERS))

    def _key(self, name: Any) -> Any:
        return redact_number(name, self._redact) if isinstance(name, (int, float)) else self._redact(str(name))

    def _member(self, name: str, value: Any, depth: int) -> Any:
        value = exact(value)
        if isinstance(value, str):
            return _parsable(redact_member(name, value[:_LONGEST], self._redact))
        if isinstance(value, (int, float)):
            return redact_member(name, value, self._redact)
        return self.value(value, depth)

    def _text(self, text: str) -> str:
        return _parsable(self._redact(text[:_LONGEST]))

    def _shown(self, value: Any) -> str:
        """The text of an object of the standard library, such as an enum's member or a path; otherwise empty."""
        known = type(value).__module__.partition(".")[0] in sys.stdlib_module_names
        text = safe_str(value, 500) if known else ""
        return "" if " at 0x" in text else self._text(text)


def _parsable(text: str) -> str:
    """A redacted text whose addresses can be parsed again: brackets before a host would mean an IPv6 address."""
    return _HIDDEN_USER.sub(r"\1redacted\2", text) if "[redacted]" in text else text


def _names(cls: type) -> list[list[str]]:
    return [[str(base.__module__), str(base.__qualname__)] for base in type.mro(cls) if base is not object]


def _is_data(cls: type, name: str) -> bool:
    """Whether an attribute is stored in each instance, or is a plain constant of a class that a replay does not have."""
    base = next((base for base in cls.__mro__ if name in vars(base)), object)
    found = vars(base).get(name)
    if type(found).__name__ in ("member_descriptor", "getset_descriptor", "_tuplegetter"):
        return True
    return isinstance(found, (str, int, float)) and _real_class(base.__module__, base.__qualname__) is None


def _has_methods(exception: BaseException) -> bool:
    return any(base.__module__.partition(".")[0] not in ("builtins",) for base in type(exception).__mro__[:-1])


def _frames(exception: BaseException) -> list[str]:
    """The modules in the traceback, outermost first, without consecutive duplicates."""
    step, found = trace(exception), []
    while step is not None and len(found) < _MOST_FRAMES:
        module = step.tb_frame.f_globals.get("__name__")
        if isinstance(module, str) and found[-1:] != [module]:
            found.append(module)
        step = step.tb_next
    return [module for module in found if not module.startswith("mulligan.")]


def to_handler(snapshot: Mapping[str, Any]) -> Callable[[], Any]:
    """A handler that raises or returns what was described.

    Args:
        snapshot: the result of `describe_outcome`.
    """
    if "raised" in snapshot:
        outermost, frames = _Reader(snapshot["raised"]).outermost, snapshot["raised"][0].get("frames", ())
        return lambda: _raise_through(outermost, frames)
    value = _Reader([]).value(snapshot.get("returned"))
    return lambda: value


def _raise_through(exception: BaseException, modules: Any) -> None:
    """Raises an exception whose traceback has the given modules, since a classifier may look for its client there."""

    def throw() -> None:
        raise exception

    step: Callable[[], Any] = throw
    for module in reversed(modules):
        scope: dict[str, Any] = {"__name__": module, "step": step}
        exec("def through():\n    step()", scope)  # noqa: S102 - a constant; only `__name__` comes from the file
        step = scope["through"]
    step()


class _Plain:
    """An object of a class that is missing here, with the attributes that the original stored."""

    def __getattr__(self, name: str) -> Any:
        """Like most properties, returns what is stored as `_name` or `_Class__name`."""
        if name.startswith("__"):
            raise AttributeError(name)
        for stored, value in vars(self).items():
            if stored == f"_{name}" or (stored.startswith("_") and stored.endswith(f"__{name}")):
                return value
        raise AttributeError(name)


class _Headers(dict):
    """A mapping that ignores the case of names, as headers do."""

    def get(self, name: Any, default: Any = None) -> Any:
        if name in self or not isinstance(name, str):
            return super().get(name, default)
        return next((value for key, value in self.items() if str(key).lower() == name.lower()), default)


class _Reader:
    """Rebuilds the exceptions and values of one snapshot."""

    def __init__(self, described: list[Mapping[str, Any]]) -> None:
        self._made: dict[int, BaseException] = {}
        for at in range(len(described) - 1, -1, -1):  # the members of a group come after it
            self._made[at] = _new_exception(described[at], self)
        for at, record in enumerate(described):
            self._fill(self._made[at], record)

    @property
    def outermost(self) -> BaseException:
        """The exception that the tool raised."""
        return self._made[0]

    def exception(self, at: int) -> BaseException | None:
        """One exception of the chain, by its index."""
        return self._made.get(at)

    def _fill(self, exception: BaseException, record: Mapping[str, Any]) -> None:
        exception.args = tuple(self.value(one) for one in record.get("args", ()))
        for name, value in record.get("fields", {}).items():
            call_safely(lambda name=name, value=value: setattr(exception, name, self.value(value)))
        for name, answer in record.get("answers", {}).items():
            given = self.value(answer)
            vars(exception)[name] = lambda given=given: given
        exception.__cause__ = self.exception(record.get("cause", -1))

    def value(self, record: Any) -> Any:
        """A value that was described."""
        if isinstance(record, list):
            return [self.value(one) for one in record]
        if not isinstance(record, dict):
            return record
        if "$tuple" in record:
            return tuple(self.value(one) for one in record["$tuple"])
        if "$bytes" in record:
            return str(record["$bytes"]).encode()
        if "$map" in record:
            members = {name: self.value(one) for name, one in record["$map"]}
            return _Headers(members) if any(isinstance(one, str) for one in members.values()) else members
        if "$exception" in record:
            return self.exception(record["$exception"])
        if "$object" in record:
            return self._object(record)
        return None

    def _object(self, record: Mapping[str, Any]) -> Any:
        cls: type = _Plain
        shown = record.get("text") or ""
        for module, name in reversed(record["$object"]):
            cls = type(name.rpartition(".")[2], (cls,), {"__module__": module, "__qualname__": name, "_shown": shown})
        if shown:
            cls.__str__ = lambda self: self._shown  # type: ignore[method-assign, attr-defined]
        made = cls()
        vars(made).update({name: self.value(one) for name, one in record.get("fields", {}).items()})
        return made


def _new_exception(record: Mapping[str, Any], reader: _Reader) -> BaseException:
    """An exception whose classes have the recorded names; Python's and mulligan's own classes are the real ones."""
    names = [tuple(one) for one in record.get("mro", ())]
    real = [(name, cls) for name in names if (cls := _real_class(*name)) is not None]
    roots: list[type] = []
    for _, cls in real:
        if not any(issubclass(root, cls) for root in roots):
            roots.append(cls)
    text = record.get("text", "")
    made = [name for name in names if name not in dict(real)]
    cls = roots[0] if len(roots) == 1 else _join(roots)
    for module, name in reversed(made):
        bases = (cls,) if issubclass(cls, _RecordedClass) else (_RecordedClass, cls)
        cls = type(name.rpartition(".")[2], bases, {"__module__": module, "__qualname__": name})
    values = tuple(reader.value(one) for one in record.get("args", ()))
    members = record.get("members", ())
    if issubclass(cls, BaseExceptionGroup):
        inner = [one for at in members if (one := reader.exception(at)) is not None]
        return cls.__new__(cls, str(values[0]) if values else "", inner or [Exception(text)])
    exception: Any = call_safely(lambda: cls.__new__(cls, *values)) or cls.__new__(cls)
    call_safely(lambda: BaseException.__init__(exception, *values) if made else cls.__init__(exception, *values))
    if made or safe_str(exception) != text:
        if not made:
            cls = type(cls.__name__, (cls,), {"__module__": cls.__module__, "__qualname__": cls.__qualname__})
            call_safely(lambda: setattr(exception, "__class__", cls))
        if type(exception) is cls:
            cls.__str__ = lambda self: text  # type: ignore[method-assign]
    return exception


class _RecordedClass(BaseException):
    """A recorded class: its properties return what was stored for them."""

    def __getattr__(self, name: str) -> Any:
        return _Plain.__getattr__(self, name)  # type: ignore[arg-type]


def _join(roots: list[type]) -> type:
    """One class derived from several of Python's own; from the first alone if they cannot be combined."""
    if not roots:
        return Exception
    joined: type | None = call_safely(lambda: type(roots[0].__name__, tuple(roots), {"__module__": "builtins"}))
    return joined or roots[0]


def _real_class(module: str, name: str) -> type | None:
    """The class itself, if Python or mulligan defines it and its module is already imported.

    Nothing is imported for a recorded name. A class that would end the replay itself does not count: no tool's failure is
    recorded with one.
    """
    if module == "builtins":
        found = getattr(builtins, name, None)
    elif module.partition(".")[0] in {*sys.stdlib_module_names, "mulligan"}:
        found = getattr(sys.modules.get(module), name, None)
    else:
        found = None
    is_exception = isinstance(found, type) and issubclass(found, BaseException)
    return found if is_exception and not issubclass(found, MUST_PROPAGATE) else None
