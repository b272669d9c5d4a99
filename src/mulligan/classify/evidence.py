"""`Evidence`, the base class of `Failure`: reads facts from an exception or a value without trusting it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from types import MappingProxyType
from typing import Any, Self, TypeVar, overload

from mulligan.classify import error_body
from mulligan.classify import response_body as bodies
from mulligan.classify.blamed_argument import Leaf, blamed_pointer, holding, leaves
from mulligan.classify.response import find_responses, host_of, http_headers, http_status, request_of
from mulligan.classify.response_body import Body
from mulligan.classify.retry_after import retry_after
from mulligan.classify.service_text import service_text, without_link
from mulligan.errors import Problem
from mulligan.lazy import lazy
from mulligan.untrusted import objects
from mulligan.untrusted.classes import is_a, is_mapping, stored_attributes
from mulligan.untrusted.copies import copy_data
from mulligan.untrusted.serialize import as_content
from mulligan.untrusted.text import safe_str, with_plain_quotes

T = TypeVar("T")
_NOT_SHARED = ("body", "inner")  # each copy of a failure has its own


class shared_property(lazy[T]):  # noqa: N801
    """A `lazy` attribute that copies of a failure share, so that it is computed once for all plugins."""

    @overload
    def __get__(self, instance: None, owner: type) -> shared_property[T]: ...

    @overload
    def __get__(self, instance: object, owner: type) -> T: ...

    def __get__(self, instance: object | None, owner: type) -> T | shared_property[T]:
        if instance is None:
            return self
        attributes, name = instance.__dict__, self._name
        facts: dict[str, Any] = attributes["_known"]
        if name not in facts:
            facts[name] = self._compute(instance)
        value: T = facts[name]
        attributes[name] = value
        return value


class Evidence:
    """The facts of an exception or a value; each is read on first use.

    Attributes:
        exception: the exception that was raised, or None.
        value: the tool's return value, if it reports the failure.
        arguments: the validated arguments as JSON values, or None.
    """

    exception: BaseException | None
    value: Any
    arguments: Mapping[str, Any] | None
    _message: str
    _status: int | None
    _known: dict[str, Any]

    def __copy__(self) -> Self:
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        for name in _NOT_SHARED:
            twin.__dict__.pop(name, None)
        return twin

    def __setattr__(self, name: str, value: Any) -> None:
        """Discards the cached facts, so that they are read again; other copies keep theirs."""
        attributes = self.__dict__
        for fact in (*attributes.get("_known", ()), *_NOT_SHARED):
            attributes.pop(fact, None)
        attributes["_known"] = {}
        attributes[name] = value

    @property
    def _source(self) -> Any:
        return self.value if self.exception is None else self.exception

    @shared_property
    def is_plain(self) -> bool:
        """Whether the exception stores only its arguments and therefore carries no response."""
        exception = self.exception
        if exception is None or stored_attributes(exception):
            return False
        if type(exception).__module__ != "builtins" and not objects.has_no_attributes(exception):
            return False
        for one in objects.raised_with(exception):
            if one[-1:] == "}" if type(one) is str else is_mapping(type(one)):
                return False
        return True

    def _read(self, read: Callable[[Any], T]) -> T | None:
        """Reads a fact of the exception or value; None if reading fails or if a plain exception cannot hold it."""
        return None if self.is_plain else objects.call_safely(lambda: read(self._source))

    @shared_property
    def _responses(self) -> tuple[Any, ...]:
        return self._read(find_responses) or ()

    @shared_property
    def _request(self) -> tuple[str | None, str]:
        return self._read(lambda source: request_of(source, self._responses)) or (None, "")

    @shared_property
    def host(self) -> str | None:
        """The host of the request, if the exception or value holds its request or response; otherwise None."""
        return self._read(lambda source: host_of(source, self._responses))

    @shared_property
    def status(self) -> int | None:
        """The HTTP status of the exception or value, or None."""
        if self._status or self.is_plain:
            return self._status
        return self._read(lambda source: http_status(source, self._responses))

    @shared_property
    def headers(self) -> Mapping[str, str]:
        """The response's headers with lower-case names; empty if there are none."""
        return MappingProxyType(self._read(lambda source: http_headers(source, self._responses)) or {})

    @shared_property
    def _body(self) -> Body | None:
        return self._read(lambda source: bodies.body(source, self._responses))

    @lazy
    def body(self) -> Body | None:
        """The response's body as parsed JSON, a mapping or a list; None if there is no body or it has not been read yet."""
        body: Body | None = copy_data(self._body)
        return body

    @shared_property
    def body_text(self) -> str:
        """The response's body as text, at most 2,000 characters; empty if there is no body or it has not been read yet."""
        return self._read(lambda source: bodies.body_text(source, self._responses)) or ""

    @shared_property
    def _error_nodes(self) -> error_body.Nodes:
        return objects.call_safely(lambda: error_body.error_nodes(self._body)) or ()

    @shared_property
    def service_text(self) -> str:
        """What the service says in the body of its response: its message, and a line for each field it rejects; or empty."""
        return objects.call_safely(lambda: service_text(self._error_nodes, self.body_text)) or ""

    @shared_property
    def codes(self) -> tuple[str, ...]:
        """The error codes of the failure, such as `insufficient_quota`, most specific first."""
        return self._read(lambda source: error_body.codes(source, self._error_nodes)) or ()

    @shared_property
    def told(self) -> str:
        """All messages of the failure: from the body, from attributes of the exception, and its text; with plain quotes."""
        if self.is_plain:
            return self._with_plain_quotes(self._missing_key or self._argument_texts or without_link(self.text))
        messages = dict.fromkeys(self._read(lambda source: tuple(error_body.messages(source, self._error_nodes))) or ())
        if not messages or next(iter(messages)) not in self.text:  # otherwise the text is a dump of the body
            messages[self._argument_texts or without_link(self.text)] = None
        return self._with_plain_quotes("\n".join(messages)[:2_000])

    def _with_plain_quotes(self, text: str) -> str:
        """A text with plain quotation marks, unless it shows a value that was sent with others."""
        if text.isascii():
            return text
        sent = (value for _, _, value in self.leaves if type(value) is str and not value.isascii())
        return text if any(value in text for value in sent) else with_plain_quotes(text)

    @property
    def _argument_texts(self) -> str:
        """The texts that an exception was raised with, if its own text is only a dump of several arguments or of bytes."""
        raised_with = self.raised_with
        if len(raised_with) == 1 and type(raised_with[0]) is str:
            return ""
        if len(raised_with) < 2 and not (raised_with and type(raised_with[0]) in (bytes, tuple)):
            return ""
        if issubclass(type(self.exception), OSError) or type(self.exception).__str__ is not BaseException.__str__:
            return ""
        flat = (part for one in raised_with[:8] for part in (one[:8] if type(one) is tuple else (one,)))
        texts = (one.decode("utf-8", "replace") if type(one) is bytes else one for one in flat)
        return "\n".join(text[:1_000] for text in texts if type(text) is str)

    @property
    def _missing_key(self) -> str:
        """The key of a KeyError, because its text is only the quoted key."""
        exception = self.exception
        raised_with = objects.raised_with(exception) if exception is not None and is_a(exception, KeyError) else ()
        return safe_str(raised_with[0]) if raised_with and type(raised_with[0]) is str else ""

    @shared_property
    def stderr(self) -> str:
        """The last 2,000 characters that a failed program wrote to standard error."""
        written = self._read(lambda source: objects.read_field(source, "stderr"))
        text = written.decode("utf-8", "replace") if type(written) is bytes else written
        return text[-2_000:].strip() if type(text) is str else ""

    @shared_property
    def retry_after(self) -> float | None:
        """Seconds to wait, from an attribute, a header, the body or the text of the failure, or None."""
        return self._read(
            lambda source: retry_after(source, self.headers, lambda: self._error_nodes, lambda: self.told)
        )

    @shared_property
    def problems(self) -> tuple[Problem, ...]:
        """The arguments that the response's body or the text reports as invalid, one `Problem` each."""
        from mulligan.classify.field_errors import find_problems

        return objects.call_safely(lambda: find_problems(self._error_nodes, self.told, self.arguments)) or ()

    @property
    def raised_with(self) -> tuple[Any, ...]:
        """The values that the exception was raised with; reading them runs no foreign code."""
        return () if self.exception is None else objects.raised_with(self.exception)

    @shared_property
    def leaves(self) -> tuple[Leaf, ...]:
        """The single values within the call's arguments, at most 60, each with its pointer and its name."""
        return objects.call_safely(lambda: tuple(leaves(self.arguments))) or ()

    def holding(self, value: object) -> tuple[Leaf, ...]:
        """Those of `leaves` that equal a text or number, such as the key of a `KeyError`; case does not matter.

        Args:
            value: any value.
        """
        return holding(value, self.leaves)

    def blamed(self, *, by_value: bool = True) -> str | None:
        """The pointer to the argument that the text rejects, as in `n must be positive` or `unknown unit: furlong`, or None.

        Args:
            by_value: whether an argument counts whose value is shown, not its name.
        """
        pointer: str | None = objects.call_safely(lambda: blamed_pointer(self.told, self.leaves, by_value=by_value))
        return pointer

    @shared_property
    def likely_problems(self) -> tuple[Problem, ...]:
        """The argument that the text seems to be about, for failures of which it is known that an argument is wrong."""
        from mulligan.classify.field_errors import likely_problems

        return objects.call_safely(lambda: likely_problems(self.blamed(), self.told, self.arguments)) or ()

    @shared_property
    def text(self) -> str:
        """The text of the failure, at most 2,000 characters. Reading it never raises. It is not redacted."""
        if self.exception is None:
            return self._message or objects.call_safely(lambda: as_content(self.value)[:2_000]) or safe_str(self.value)
        return safe_str(self.exception)

    def look(self, *names: str) -> Any:
        """Reads a path of attributes and keys, starting at the exception or the value; None if the path ends early.

        `failure.look("response", "status_code")` never raises. It calls properties and `__getattr__`, so use it for
        classes that the rule knows. If they raise, the result is None.

        Args:
            names: the names of the path; a name is a key if the current object is a mapping, otherwise an attribute.
        """
        current = self._source
        for name in names:
            is_mapping = issubclass(type(current), Mapping)
            current = (
                objects.call_safely(partial(current.get, name)) if is_mapping else objects.read_attribute(current, name)
            )
            if current is None:
                return None
        return current

    def field(self, *names: str) -> Any:
        """Reads a path of stored attributes and keys, starting at the exception or the value; None if the path ends early.

        Use it for unknown classes. Unlike `look`, it runs no foreign code: it does not call a property, but reads the
        value that the class stores for it as `_name`.

        Args:
            names: the names of the path; a name is a key if the current object is a mapping, otherwise an attribute.
        """
        current = self._source
        for name in names:
            current = objects.call_safely(partial(objects.read_field, current, name))
            if current is None:
                return None
        return current

    def has_methods(self, *names: str) -> bool:
        """Whether the exception's class defines all of these methods in Python.

        Args:
            names: the names of the methods.
        """
        return objects.methods(type(self.exception)).issuperset(names)  # type: ignore[arg-type]

    def ask(self, name: str) -> Any:
        """Calls a method without parameters, such as gRPC's `code()`; None if it does not exist or raises.

        Args:
            name: the name of the method.
        """
        method = objects.read_attribute(self._source, name)
        return objects.call_safely(method) if callable(method) else None

    def says(self, *phrases: str) -> bool:
        """Whether the text or the response's body contains one of the phrases as whole words, ignoring case.

        Args:
            phrases: plain text; a space matches any white space.
        """
        pattern = _compile_phrases(phrases)
        return pattern.search(self.text) is not None or pattern.search(self.body_text) is not None


@lru_cache(maxsize=1_024)
def _compile_phrases(phrases: tuple[str, ...]) -> re.Pattern[str]:
    words = "|".join(r"\s+".join(re.escape(word) for word in phrase.split()) for phrase in phrases)
    return re.compile(rf"(?<!\w)(?:{words})(?!\w)", re.IGNORECASE)
