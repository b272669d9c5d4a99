"""Reports with the fixed form of a language's runtime or of a program: stack traces, panics, error lines of clients.

Sources: the uncaught-exception output of the JVM, .NET, Node.js, Rust, Go, Ruby and PHP; PowerShell's ErrorRecord
(https://learn.microsoft.com/powershell/module/microsoft.powershell.core/about/about_error_handling), grpc-go's status text,
the clients of MySQL, Redis and curl, jq, osascript, Ansible's ad hoc output, `std::io::Error` as Rust's `main` prints it, the
error tuples of Erlang and Elixir, GNU make (https://www.gnu.org/software/make/manual/html_node/Error-Messages.html), and Lua's
interpreter.
"""

from __future__ import annotations

import re

from mulligan.classify.detect.reports import coded
from mulligan.classify.failure import Failure
from mulligan.classify.phrases import said
from mulligan.classify.reasons import reason_of

_MOST_TEXT = 8_000
_CLASS = r"(?:[A-Za-z_$][\w$]{0,60}[.\\:]{1,2}){0,8}([A-Z]\w{0,60}(?:Error|Exception|Failure|Throwable))"
_OPENINGS = r"Exception in thread \S+ |Unhandled [Ee]xception[.:] |Uncaught |Caused by: "
_TRACES = tuple(
    re.compile(pattern, re.MULTILINE)
    for pattern in (
        # the class, then the message, each in a group
        rf"\A(?:{_OPENINGS})?{_CLASS}(?:: ([^\n]*))?\n(?:[^\n]*\n){{0,6}}?\s+at \S",
        rf"\A(?:PHP )?Fatal error:\s+Uncaught {_CLASS}(?:: ([^\n]*))?",
        rf"\A\S{{1,200}}\.rb:\d+:in [^\n]{{1,80}}: ()([^\n]*) \({_CLASS}\)".replace("([A-Z]", "(?:[A-Z]"),
    )
)
_PANICS = (
    re.compile(r"\Athread '[^'\n]{0,60}' (?:\(\d+\) )?panicked at (?:[^\n]*)\n?([^\n]*)"),
    re.compile(r"\A(?:[^\n]*\n){0,5}?panic: ([^\n]*)\n(?:[^\n]*\n){0,3}\s*goroutine \d"),
    re.compile(r"\A(Segmentation fault|Bus error|Aborted|Illegal instruction)(?: \(core dumped\))?\s*\Z"),
)
_POWERSHELL = re.compile(r"^\s*\+ CategoryInfo\s+: (\w+): ", re.MULTILINE)
_LINES = tuple(
    (re.compile(pattern, re.DOTALL), is_coded)
    for pattern, is_coded in (
        (r"(?:[\w ]{0,60}: )?rpc error: code = (\w+) desc = (.*)", True),
        (r"(?:[\w.-]{1,80}) \| (UNREACHABLE|FAILED)!? ?(?:\| rc=\d+ )?(?:=>|>>)(.*)", False),
        (r"(ERROR) \d{4} \([0-9A-Z]{5}\)(?: at line \d+)?: (.*)", False),
        (r"\(error\) ([A-Z]+ )?(.*)", False),
        (r"(curl): \(\d{1,2}\) (.*)", False),
        (r"(jq): error(?: \([^)\n]{1,60}\))?: (.*)", False),
        (r"\d+:\d+: (execution|syntax) error: (.*) \(-?\d+\)", False),
        (r"(?:Error: )?Os \{ code: \d{1,5}, kind: (\w{2,40}), message: \".*\" \}", True),
        (r"\{:?error, ?:?([a-z]\w{1,40})\}", True),
        (r"(?:.*\n)?g?make(?:\[\d{1,3}\])?: (\*\*\*) (?:\[[^\n]+|[^\n]+Stop\.)", False),
        (r"(lua)(?:jit|tex|\d(?:\.\d)?)?: [^\n:]{1,100}:\d{1,6}: [^\n]{1,300}(?:\nstack traceback:.*)?", False),
        (r"(?:Tool|Function|Handler|Action) (raised|threw|failed with|errored)(?: an exception)?: (.*)", False),
    )
)
_LONGEST_MESSAGE = 2_000


def detect_trace(text: str) -> Failure | None:
    """Detects a text that is the report of a runtime or a program.

    Args:
        text: what a tool returned.
    """
    if len(text) > _MOST_TEXT:
        return None
    stripped = text.strip()
    for trace in _TRACES:
        match = trace.match(stripped)
        if match is not None:
            return _raised(match[1] or "", match[2] or "", stripped)
    for panic in _PANICS:
        match = panic.match(stripped)
        if match is not None:
            return coded("INTERNAL", stripped[:_LONGEST_MESSAGE])
    category = _POWERSHELL.search(stripped)
    if category is not None:
        return coded(category[1], stripped.split("\n", 1)[0])
    for line, is_coded in _LINES:
        match = line.fullmatch(stripped)
        if match is not None:
            message = stripped[:_LONGEST_MESSAGE]
            if not is_coded:
                return Failure(value=message, message=message)
            return coded(match[1] if reason_of(match[1]) else match[1].upper(), message)  # Erlang writes `enoent`
    return None


def _raised(name: str, reason: str, text: str) -> Failure:
    message = text.split("\n", 1)[0][:_LONGEST_MESSAGE]
    if name and reason_of(name) is not None:
        return coded(name, message)
    return coded("INTERNAL", message) if said(reason) is None else Failure(value={"message": message}, message=message)
