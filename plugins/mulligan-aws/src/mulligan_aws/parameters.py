"""The problems that botocore and the services report with the parameters of an operation."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from mulligan.plugin import Failure, Problem, pointer_to, safe_str

_MOST = 8
_NAME = r"(?P<name>[^\s,\"]{1,200})"
_REPORTED: tuple[tuple[str, str], ...] = (
    (r'^Missing required parameter in (?P<inside>\S{1,200}): "(?P<name>[^"\n]{1,200})"', "is missing"),
    (
        r'^Unknown parameter in (?P<inside>\S{1,200}): "(?P<name>[^"\n]{1,200})", must be one of: (?P<expected>.*)',
        "unknown",
    ),
    (rf"^Invalid type for (?:document )?parameter {_NAME}, .*valid types: (?P<expected>.*)$", "has the wrong type"),
    (rf"^Invalid value for parameter {_NAME}, .*valid min value: (?P<least>\S+)$", "is too small"),
    (rf"^Invalid length for parameter {_NAME}, .*valid min length: (?P<least>\S+)$", "is too short"),
    (rf"^Invalid parameter {_NAME} must be json serializable", "cannot be written as JSON"),
    (rf"^Invalid number of parameters set for tagged union structure {_NAME}\. ", "has more than one key set"),
    (
        rf"^Must set one of the following keys for tagged union\s?structure {_NAME}: (?P<expected>.*)\.$",
        "has no key set",
    ),
    (r"^Invalid (?P<name>bucket) name ", "is not a valid bucket name"),
)
_TYPES = r"<class '(?:\w+\.)*(\w+)'>"
_REFUSED = r"at '(?P<name>[^'\n]{1,200})' failed to satisfy constraint: Member must (?P<rule>[^;\n]{1,500})"
_RULES: tuple[tuple[str, str], ...] = (
    (r"have length less than or equal to (\d+)", "at most {} characters"),
    (r"have length greater than or equal to (\d+)", "at least {} characters"),
    (r"have value less than or equal to (-?[\d.]*\d)", "at most {}"),
    (r"have value greater than or equal to (-?[\d.]*\d)", "at least {}"),
    (r"satisfy enum value set: \[([^\]]*)\]", "one of {}"),
)


def validation_problems(failure: Failure) -> list[Problem]:
    """The problems that botocore found before sending anything (`ParamValidationError`)."""
    report = safe_str(failure.look("kwargs", "report") or failure.text, 10_000)
    found = [
        (match.start(), _problem(match, message))
        for pattern, message in _REPORTED
        for match in re.finditer(pattern, report, re.MULTILINE)
    ]
    return [problem for _, problem in sorted(found)][:_MOST]


def _problem(match: re.Match[str], message: str) -> Problem:
    parts = match.groupdict()
    inside, name = parts.get("inside") or "input", parts["name"]
    path = name if inside == "input" else f"{inside}.{name}"
    expected = parts.get("expected")
    if parts.get("least"):
        expected = f"at least {parts['least']}"
    elif expected:
        expected = re.sub(_TYPES, r"\1", expected)[:500]
    return Problem(pointer_to("Bucket" if name == "bucket" else path), message, expected)


def service_problems(failure: Failure) -> list[Problem]:
    """The problems that a service found: its list of fields, its named argument, or the constraints in its message."""
    return [*_field_list_problems(failure), *_argument_name_problems(failure), *_constraint_problems(failure)][:_MOST]


def _field_list_problems(failure: Failure) -> Iterator[Problem]:
    fields = failure.look("response", "fieldList") or failure.look("response", "Fields")
    for field in fields if isinstance(fields, list) else ():
        name = field.get("name") or field.get("path") if isinstance(field, Mapping) else None
        if isinstance(name, str) and name:
            yield Problem(pointer_to(name), "rejected by the service")


def _argument_name_problems(failure: Failure) -> Iterator[Problem]:
    name = failure.look("response", "Error", "ArgumentName")
    if isinstance(name, str) and name:
        yield Problem(pointer_to(name), "rejected by the service")


def _constraint_problems(failure: Failure) -> Iterator[Problem]:
    for match in re.finditer(_REFUSED, failure.text):
        rule = match["rule"]
        if rule.startswith("not be null"):
            yield Problem(pointer_to(match["name"]), "is missing")
        else:
            yield Problem(pointer_to(match["name"]), "rejected by the service", _expected(rule))


def _expected(rule: str) -> str | None:
    found = ((re.match(pattern, rule), words) for pattern, words in _RULES)
    return next((words.format(match[1]) for match, words in found if match), None)
