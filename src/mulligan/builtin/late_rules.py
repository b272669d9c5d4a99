"""The last resort, when nobody knows an exception nor what caused it: names of classes, then whole clauses of the text.

They look at the whole chain at once, the outermost first, after every rule has been asked about every exception of it.
"""

from __future__ import annotations

from mulligan.plugin import Failure, Rules, ToolError, reason_of, said, text_error
from mulligan.plugin import meanings as m

rules = Rules()
_VAGUE = (m.ARGUMENT, m.FAILED)
_NARROWER = {  # where a name is general, the text may say which
    m.PERMISSION: (m.RATE_LIMIT, m.QUOTA, m.AUTHENTICATION),
    m.CONNECTION: (m.DROPPED, m.UNREACHABLE, m.TLS, m.TIMEOUT, m.AUTHENTICATION),
    m.UNAVAILABLE: (m.UNREACHABLE, m.RATE_LIMIT),
}
_BUGS = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    IndexError,
    NameError,
    NotImplementedError,
    StopAsyncIteration,
    StopIteration,
    SyntaxError,
    TypeError,
)


def _chain(failure: Failure) -> tuple[Failure, ...]:
    """The failures of the whole chain, once the last of them is asked about; before that, none."""
    outer = failure.outer or failure
    if len(outer.exceptions) > 1 and failure.exception is not outer.exceptions[-1]:
        return ()
    return (outer, *outer.inner)


@rules()
def class_name(failure: Failure) -> ToolError | None:
    """Words of the name of the exception's class, such as `NotFound` or `RateLimit`."""
    return _by_name(failure, vague=False)


@rules()
def message_text(failure: Failure) -> ToolError | None:
    """A whole clause of the message, such as `Read timed out`; what Python says of a bug is no such message."""
    for one in _chain(failure):
        error = None if _is_bug(one.exception) else text_error(one)
        if error is not None:
            return error
    return None


def _is_bug(exception: BaseException | None) -> bool:
    return type(exception).__module__ == "builtins" and issubclass(type(exception), _BUGS)


@rules()
def general_name(failure: Failure) -> ToolError | None:
    """A general word of the name of the exception's class, such as `Invalid` or `Validation`."""
    return _by_name(failure, vague=True)


def _by_name(failure: Failure, *, vague: bool) -> ToolError | None:
    for one in _chain(failure):
        for cls in () if one.exception is None else type(one.exception).__mro__:
            meaning = None if cls.__module__ == "builtins" else reason_of(cls.__name__)
            if meaning is not None:
                if (meaning in _VAGUE) is vague:
                    return m.error_of(one, said(one.told, _NARROWER.get(meaning, ())) or meaning)
                break
    return None
