"""kubectl: by the API server's reason, which it prints in parentheses, or by its own message."""

from __future__ import annotations

import re

from mulligan.plugin import Failure, Problem, ToolArgumentError, ToolError, ToolExecutionError, meanings
from mulligan_ops.kubernetes import (
    BUDGET,
    OWNED,
    POLICY,
    QUOTA,
    SERVICE,
    codes,
    pointer_in,
    problems_in,
    specific_meaning,
)
from mulligan_ops.lines import USAGE, Lines, classify_text

KUBECTL: Lines = (
    (r"unknown (?:command|flag|shorthand flag)", USAGE),
    (r"The connection to the server (\S+) was refused", meanings.UNREACHABLE),
    (r"Unable to connect to the server: dial tcp: lookup (\S+)", meanings.UNREACHABLE),
    (r"(?:dial tcp \S+: i/o timeout|net/http: TLS handshake timeout)", meanings.NOT_SENT),
    (r"x509: ", meanings.TLS),
    (r"Unable to connect to the server: ", meanings.CONNECTION),
    (r"You must be logged in to the server|getting credentials: ", meanings.AUTHENTICATION),
    (r"timed out waiting for the condition|exceeded its progress deadline", meanings.TIMEOUT),
    (r"context \"([^\"]+)\" does not exist|no context exists with the name: \"([^\"]+)\"", meanings.NOT_FOUND),
    (r"the path \"([^\"]+)\" (?:does not exist|cannot be accessed)", meanings.NOT_FOUND),
    (
        r"(?:pod|container|deployment) \"?([^\s\"]+)\"? not found|container (\S+) is not valid for pod",
        meanings.NOT_FOUND,
    ),
    (r"context was not found for specified context: (\S+)|stat (\S+): no such file", meanings.NOT_FOUND),
    (r"\w \"([^\"]+)\" already exists", meanings.EXISTS),
    (r"^error: (?:unexpected )?EOF$", meanings.DROPPED),
    (r"the server doesn't have a resource type \"([^\"]+)\"", meanings.ARGUMENT),
    (r"no matches for kind \"([^\"]+)\"", meanings.ARGUMENT),
    (r"error validating |error parsing |is invalid:", meanings.ARGUMENT),
    (
        r"required flag|exactly one NAME is required|must specify |no name was specified|error: expected '",
        meanings.ARGUMENT,
    ),
    (r"cannot be placed before plugin name", meanings.ARGUMENT),
    (r"exceeded quota", QUOTA),
    (r"Apply failed with \d+ conflict", OWNED),
    (r"no objects passed to |a container name must be specified", meanings.ARGUMENT),
    (r"container not found \(\"([^\"]+)\"", meanings.NOT_FOUND),
    (r"violate the pod's disruption budget", BUDGET),
    (r"admission webhook \S+ denied", POLICY),
)
_FROM_SERVER = r"Error from server(?: \((\w+)\))?: "
_NAMED = r"\"([^\"\n]+)\" (?:not found|already exists|is forbidden|is invalid)|fulfilled on \S+ \"([^\"\n]+)\""
_FAULT_WORDS = "Invalid|Required|Unsupported|Forbidden|Duplicate|Too|Not found|Internal"
_FIELD = rf"(?:is invalid: |\* )([a-zA-Z][^\s:]{{0,200}}): ({_FAULT_WORDS})"
_FAULTS = {
    "Required": "is required",
    "Unsupported": "is not one of the supported values",
    "Forbidden": "is not allowed here",
    "Duplicate": "occurs twice",
    "Not found": "refers to something that does not exist",
}


def kubectl(failure: Failure, text: str) -> ToolError | None:
    """The error for kubectl's output: by the server's reason and the name, or by its own message.

    Args:
        failure: what happened.
        text: what it wrote.
    """
    ended = re.search(r"command terminated with exit code (\d+)", text)
    if ended is not None:
        return ToolExecutionError(f"The program in the pod exited with code {ended[1]}.", provider="kubernetes")
    error = _classify_output(failure, text)
    if error is not None and re.search(_DONE, text, re.MULTILINE):
        error.effect = "possible"  # one of several objects
    return error


_DONE = r"^\S+/\S+ (?:\w+ )?(?:created|configured|patched|replaced|deleted|scaled|labeled|annotated)$|^\S+ \"[^\"]+\" deleted"


def _classify_output(failure: Failure, text: str) -> ToolError | None:
    match = re.search(_FROM_SERVER, text)
    reason = match[1] if match else None
    meaning, name = specific_meaning(codes.meaning_of(reason), text)
    if match is None or meaning is None:
        error = classify_text(failure, text, KUBECTL, "kubernetes", SERVICE)
    else:
        named = re.search(_NAMED, text[match.end() :])
        name = name or (named[1] or named[2] if named else None)
        error = meanings.error_of(failure, meaning, service=SERVICE, told=reason, resource=name, provider="kubernetes")
    if isinstance(error, ToolArgumentError):
        fields = dict(re.findall(_FIELD, text)[:8])
        listed = [
            Problem(pointer_in(failure, field), _FAULTS.get(fault, "is not valid")) for field, fault in fields.items()
        ]
        error.problems = listed or problems_in(failure, text)
    return error
