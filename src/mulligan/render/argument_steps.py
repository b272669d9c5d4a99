"""Chooses the step after wrong arguments: which to add, leave out, rename or give another value, and in which form."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Any, Literal

from mulligan.catalogue import (
    MISSING,
    NO_FORM,
    NOT_ALLOWED,
    OUT_OF_BOUNDS,
    UNKNOWN,
    WRONG_TYPE,
    Catalogue,
    finer_template,
)
from mulligan.classify.call_arguments import may_be_named_in
from mulligan.errors import Problem, ToolError
from mulligan.pointers import argument_of, value_at
from mulligan.render.quoting import split_problems
from mulligan.render.shown_lookup import Look
from mulligan.repair.provenance import is_plain_identifier
from mulligan.repair.schemas import SchemaResolver
from mulligan.resolve.words import split_words, word_set
from mulligan.secrets.redaction import redacted_pointer
from mulligan.tools import Tool, once_per_tool
from mulligan.untrusted.objects import call_safely
from mulligan.untrusted.text import is_name, show_name

_MOST_NAMES = 3
_MOST_KNOWN = 12
_LONGEST_LIST = 160
_MAX_PROBLEMS = 100
_MOST_ABOUT = 300
_LONG_NAME, _MAX_TYPOS = 5, 2
_COMMON_WORDS = frozenset(
    ("id", "ids", "name", "names", "value", "is", "of", "by", "max", "min", "type", "number", "date")
)
_PLAIN_VALUES = re.compile(r'one of "[\w./-]{1,64}"(?:, "[\w./-]{1,64}")+(?: or null)?', re.ASCII).fullmatch
_VALUE = re.compile(r'"([^"]+)"')
_PLAIN_BOUND = re.compile(
    r"(?:(?:at (?:least|most)|more than|less than) -?[\d.]{1,20}(?: items| characters)?(?: and )?)+"
).fullmatch
_IN_WORDS = re.compile(r"[^\W\d_]{3}")
_QUANTITIES = (["page"], ["limit"], ["offset"])  # of results, even where a tool lists pages
_REPEATED = word_set("etag revision rev sha generation")
_SAID_TO_REPEAT = re.compile(
    r"\b(?:current|present|latest|last|existing|expected|optimistic|concurren\w+|stale|conflicts?|"
    r"as (?:it was )?(?:read|returned))\b",
    re.IGNORECASE,
)
_FINER_THAN_VALID = ("number", "boolean", "one_of", "in_form")

Offer = Literal["", "tool", "names", "form", "correction", "less", "rejected", "meant"]


def argument_template(error: ToolError, tool: Tool | None, named: str, left: str) -> str:
    """The template for a failure that other arguments may fix. If none can, the step must not suggest another call.

    Args:
        error: the classified error.
        tool: the tool, or None.
        named: the template if the arguments name what failed, or may do so.
        left: the template if they do not, but the tool takes other arguments.
    """
    sent = error.arguments
    if (
        sent is None
        or may_be_named_in(error.resource, sent)
        or not (sent or (tool and "properties" in tool.parameters))
    ):
        return named
    return left if parameters_of(tool) - sent.keys() else "not_of_arguments"


def argument_step(
    error: ToolError,
    name: str,
    tool: Tool | None,
    catalogue: Catalogue,
    sanitize_line: Callable[[str], str],
    *,
    offer: Offer,
    look: Look | None = None,
) -> str:
    """The step after arguments that do not fit, or that the tool rejected.

    Args:
        error: the classified error.
        name: the name that was called, safe to show.
        tool: the tool, or None.
        catalogue: the templates.
        sanitize_line: turns a foreign text into one clean line.
        offer: what the quoted text offers.
        look: as of `next_step`.
    """
    problems, _ = split_problems(error, tool)
    if not problems:
        corrected = argument_template(error, tool, "corrected_arguments", "corrected_arguments")
        return catalogue["quoted_values" if offer == "names" else corrected].format(tool=name)
    if not problems[0].pointer:
        allowed = problems[0].expected or ""
        is_ours = (error.rule or "").startswith("host:") and '"' not in allowed  # quotes contain text of a schema
        if expected := sanitize_line(allowed) if is_ours else "":
            return catalogue["whole_corrected"].format(tool=name, expected=expected)
    problems = problems[:_MAX_PROBLEMS]
    pointers = list(dict.fromkeys(problem.pointer for problem in problems))
    rest = catalogue["rest"] if _has_others(error.arguments, pointers) else ""
    names = _display_pointers(pointers, sanitize_line) if len(pointers) <= _MOST_NAMES else []
    known, sent = parameters_of(tool), error.arguments or {}
    kinds = {_problem_template(problem, known, sent) for problem in problems}
    parents = _parents_of_unknown(problems, kinds, tool) if error.rule == "host:arguments" else None
    if parents is not None and tool is not None:
        is_asked = offer == "meant"
        misnamed = "" if is_asked or parents != {""} else _misnamed_step(error, name, tool, catalogue, problems)
        return misnamed or _known_arguments_step(name, tool, catalogue, parents, rest)
    if kinds == {"without"} and not parameters_of(tool):
        return catalogue["without_any"].format(tool=name)
    if not names or ("without" in kinds and len(kinds) > 1):
        return catalogue["corrected"].format(tool=name, rest=rest)
    template = kinds.pop() if len(kinds) == 1 else "valid"
    step = _see_existing_step(problems, sent, catalogue, look)
    if step or (template == "added" and (step := _added_step(error, name, tool, catalogue, pointers, offer, look))):
        return step
    form = ""
    if template == "valid" and (len(names) == 1 or _are_to_be_alike(problems)):
        template, form = _valid_template(problems, tool, catalogue, offer)
    if template in _FINER_THAN_VALID:
        template = finer_template(catalogue, "valid", template)
    is_one = template == "one_of" and len(names) == 1
    values = _ordered_values(problems[0], sent) if is_one else problems[0].expected
    fields = {"names": join_names(names, catalogue), "rest": rest, "allowed": values, "form": form}
    return catalogue[template].format(tool=name, **fields)


def _are_to_be_alike(problems: Sequence[Problem]) -> bool:
    """Whether it is known of each wrong value what is expected, and that this is the same of all."""
    expected = {problem.expected for problem in problems}
    return len(expected) == 1 and None not in expected


def _valid_template(
    problems: Sequence[Problem], tool: Tool | None, catalogue: Catalogue, offer: Offer
) -> tuple[str, str]:
    """The template for wrong values of which the same is expected, and the object or list that is wanted there, if any.

    Args:
        problems: problems with the same `expected`.
        tool: the tool, or None.
        catalogue: the templates.
        offer: what the quoted text offers.
    """
    quoted = {"names": "quoted_value", "form": "quoted_form_of", "correction": "quoted_correction"}.get(offer)
    if quoted and len({problem.pointer for problem in problems}) == 1:
        return quoted, ""
    if _lists_values(problems) or _is_bound(problems):
        return "one_of", ""
    form = _form_of(problems, tool, catalogue)
    return "in_form" if form else "valid", form


def _added_step(
    error: ToolError,
    name: str,
    tool: Tool | None,
    catalogue: Catalogue,
    pointers: Sequence[str],
    offer: Offer,
    look: Look | None,
) -> str:
    """The step where arguments are missing, if more is known than that; otherwise empty."""
    step = _read_first_step(name, tool, catalogue, pointers, look)
    return step or ("" if offer == "meant" else _renamed_step(error, name, tool, catalogue, pointers))


def _see_existing_step(
    problems: Sequence[Problem], sent: Mapping[str, Any], catalogue: Catalogue, look: Look | None
) -> str:
    """The step where a name was sent for the number of a thing, such as a customer, that another tool lists; or empty."""
    problem, argument = problems[0], argument_of(problems[0].pointer)
    if look is None or len(problems) != 1 or "/" in problem.pointer[1:] or split_words(argument) in _QUANTITIES:
        return ""
    value = sent.get(argument)
    if _unquoted_template(problem) != "number" or not isinstance(value, str) or _IN_WORDS.search(value) is None:
        return ""
    found = look(True)
    return catalogue["see_existing"].format(call=found.call) if found and found.call and not found.is_direct else ""


def _misnamed_step(error: ToolError, name: str, tool: Tool, catalogue: Catalogue, problems: Sequence[Problem]) -> str:
    """The step where as many arguments are missing as do not exist, and nothing else is wrong; otherwise empty."""
    missing = [problem.pointer for problem in problems if problem.message == MISSING]
    others = _undeclared(error, tool)
    is_misnamed = len(missing) == len(others) == len(problems) - len(missing)
    if not is_misnamed or tool.destructive or _may_guard(error, tool, missing):
        return ""
    return _renamed_step(error, name, tool, catalogue, missing)


def _may_guard(error: ToolError, tool: Tool, missing: Sequence[str]) -> bool:
    """Whether an unknown argument may say something that no missing one does: a flag, a limit, an opposite, another unit."""
    from mulligan.repair.names import is_modifier
    from mulligan.repair.units import is_unit
    from mulligan.resolve.words import are_antonyms, look_up_words

    unknown = {key: value for key, value in (error.arguments or {}).items() if key not in parameters_of(tool)}
    ours = {word for key in unknown for word in split_words(key)}
    theirs = {word for pointer in missing for word in split_words(argument_of(pointer))}
    if any(isinstance(value, bool) for value in unknown.values()):
        return True
    if any(
        word.isdigit() or is_modifier(word) or is_unit(word)
        for word in ours ^ theirs
        if len(word) > 1 or word.isdigit()
    ):
        return True
    return any(
        are_antonyms(one, other) for one in look_up_words(ours - theirs) for other in look_up_words(theirs - ours)
    )


def _renamed_step(error: ToolError, name: str, tool: Tool | None, catalogue: Catalogue, pointers: Sequence[str]) -> str:
    """The step where arguments are missing and others were sent that the tool does not declare; empty without these."""
    others = _undeclared(error, tool)
    if not others or any("/" in pointer[1:] for pointer in pointers):
        return ""
    rest = catalogue["rest"] if len(others) < len(error.arguments or {}) else ""
    names = join_names(_display_pointers(pointers, str), catalogue)
    template = finer_template(catalogue, "added", "renamed")
    return catalogue[template].format(tool=name, names=names, others=join_names(others, catalogue), rest=rest)


def _read_first_step(
    name: str, tool: Tool | None, catalogue: Catalogue, pointers: Sequence[str], look: Look | None
) -> str:
    """The step where only what must be read first is missing, such as the version that a thing has now; otherwise empty."""
    argument = pointers[0][1:]
    if tool is None or look is None or len(pointers) > 1 or not _repeats_state(tool, argument):
        return ""
    found = look(False)
    if found is None or not found.call:
        return ""
    template = finer_template(catalogue, "added", "read_first")
    names = join_names(_display_pointers(pointers, str), catalogue)
    return catalogue[template].format(tool=name, names=names, rest="", call=found.call)


def _repeats_state(tool: Tool, argument: str) -> bool:
    """Whether an argument says which state of a thing is to be changed, by which its later changes are noticed."""
    if argument not in parameters_of(tool) or tool.read_only:
        return False
    words = split_words(argument)
    if words[-1:] == ["match"]:
        return words[:1] == ["if"]
    if words[-1:] != ["version"]:
        return bool(words) and words[-1] in _REPEATED
    part = tool.parameters["properties"][argument]
    about = part.get("description") if isinstance(part, Mapping) else None
    is_number = isinstance(part, Mapping) and part.get("type") == "integer"
    return is_number or (isinstance(about, str) and _SAID_TO_REPEAT.search(about[:_MOST_ABOUT]) is not None)


def _undeclared(error: ToolError, tool: Tool | None) -> list[str]:
    """The arguments that were sent and that the tool does not declare, quoted; empty if there are too many to name."""
    known, sent = parameters_of(tool), error.arguments or {}
    others = [argument for argument in sent if argument not in known] if known else []
    is_shown = len(others) <= _MOST_NAMES and all(map(is_plain_identifier, others))
    return [f'"{argument}"' for argument in others] if is_shown else []


def _lists_values(problems: Sequence[Problem]) -> bool:
    """Whether each problem lists allowed values that are plain identifiers: a sentence would look like our own text."""
    values = _PLAIN_VALUES(problems[0].expected or "")
    are_lists = all(problem.message in (NOT_ALLOWED, NO_FORM) for problem in problems)
    return are_lists and values is not None and len(values[0]) <= _LONGEST_LIST


def _ordered_values(problem: Problem, sent: Mapping[str, Any]) -> str | None:
    """The allowed values as the step states them: those nearest to what was sent first, since a model may take the first."""
    value = call_safely(partial(value_at, sent, problem.pointer))
    if not isinstance(value, str) or not _PLAIN_VALUES(problem.expected or ""):
        return problem.expected
    from mulligan.render.listed_names import values_nearest_first

    listed, null, _ = (problem.expected or "").partition(" or null")
    values = values_nearest_first(value[:_LONGEST_LIST], _VALUE.findall(listed))
    return "one of " + ", ".join(f'"{one}"' for one in values) + null


def _form_of(problems: Sequence[Problem], tool: Tool | None, catalogue: Catalogue) -> str:
    """The object or list that is wanted where each value is of another type; empty if they are to have different forms."""
    if tool is None or any(problem.message not in (WRONG_TYPE, NO_FORM) for problem in problems):
        return ""
    from mulligan.render.expected_form import expected_form

    forms = {expected_form(tool, problem.pointer, catalogue) for problem in problems}
    return forms.pop() if len(forms) == 1 else ""


def _is_bound(problems: Sequence[Problem]) -> bool:
    """Whether each value is a number, list or text beyond a limit that can be stated in a few words."""
    are_limits = all(problem.message == OUT_OF_BOUNDS for problem in problems)
    return are_limits and _PLAIN_BOUND(problems[0].expected or "") is not None


def _parents_of_unknown(problems: Sequence[Problem], kinds: Collection[str], tool: Tool | None) -> set[str] | None:
    """The places of unknown arguments that must not just be omitted; None if there are none."""
    if "without" not in kinds or tool is None:
        return None
    unknown = [problem.pointer for problem in problems if problem.message == UNKNOWN]
    is_misnamed = kinds == {"without", "added"}
    if tool.read_only and not is_misnamed and not _is_any_misspelt(list(map(argument_of, unknown)), tool):
        return None
    return {pointer.rpartition("/")[0] for pointer in unknown}


def _is_any_misspelt(unknown: Sequence[str], tool: Tool) -> bool:
    """Whether an unknown argument may be another, misspelt or with a word in common; it must then not just be omitted."""
    from mulligan.resolve.similarity import distance

    known = [argument.casefold() for argument in parameters_of(tool)]
    words = {word for argument in parameters_of(tool) for word in split_words(argument)} - _COMMON_WORDS
    return any(not words.isdisjoint(split_words(name)) for name in unknown) or any(
        0 < distance(name.casefold(), argument, _MAX_TYPOS) <= _MAX_TYPOS
        for name in unknown
        for argument in known
        if len(name) >= _LONG_NAME
    )


def _known_arguments_step(name: str, tool: Tool, catalogue: Catalogue, parents: Collection[str], rest: str) -> str:
    """The step for an unknown argument of a tool that may change something: its value must not just be dropped.

    For an unknown member of an object, or of several of the same kind, the step names the members that it has.
    """
    if parents != {""}:
        places = sorted(parents)
        members = _members_at(tool, places[0]) if places and places[0] else []
        if (
            not members
            or any(_members_at(tool, place) != members for place in places)
            or len(members) > _MOST_KNOWN
            or len(places) > _MOST_NAMES
            or not all(map(is_plain_identifier, members))
            or not all(map(is_name, places))
        ):
            return catalogue["only_known"].format(tool=name)
        names = join_names([f'"{member}"' for member in members], catalogue)
        where = join_names([f'"{show_name(place)}"' for place in places], catalogue)
        return catalogue["only_these"].format(tool=name, names=f"{names} of {where}", rest=rest)
    if not parameters_of(tool):
        return catalogue["only_none"].format(tool=name)
    known = [f'"{argument}"' for argument in tool.parameters.get("properties", ()) if is_plain_identifier(argument)]
    if len(known) != len(parameters_of(tool)) or len(known) > _MOST_KNOWN:
        return catalogue["only_known"].format(tool=name)
    return catalogue["only_these"].format(tool=name, names=join_names(known, catalogue), rest="")


def _members_at(tool: Tool, pointer: str) -> list[str]:
    """The members that a tool's schema declares for an object within its arguments; otherwise empty."""
    schemas = SchemaResolver(tool.parameters)
    return list(schemas.properties(schemas.at(pointer)))


def _problem_template(problem: Problem, known: Collection[str], sent: Mapping[str, object]) -> str:
    """The template for one problem: an argument must be added, removed, or given another value."""
    argument = argument_of(problem.pointer)
    if problem.message == UNKNOWN or (known and argument not in known):
        return "without"
    is_missing = problem.message == MISSING and (argument not in sent or "/" in problem.pointer[1:])
    return "added" if is_missing else _unquoted_template(problem) or "valid"


def _unquoted_template(problem: Problem) -> str:
    """The template where a text was sent for a number, or for true or false; otherwise empty."""
    if problem.message != WRONG_TYPE or not (problem.got or "").startswith('"'):
        return ""
    expected = (problem.expected or "").partition(" ")[0].rstrip(",;")
    return {"integer": "number", "number": "number", "boolean": "boolean"}.get(expected, "")


def parameters_of(tool: Tool | None) -> frozenset[str]:
    """The names of a tool's parameters; empty if its schema declares none.

    Args:
        tool: the tool, or None.
    """
    return frozenset() if tool is None else _declared_parameters(tool)


@once_per_tool
def _declared_parameters(tool: Tool) -> frozenset[str]:
    known = tool.parameters.get("properties")
    return frozenset(known) if isinstance(known, (dict, Mapping)) else frozenset()


def _has_others(arguments: Mapping[str, object] | None, pointers: Sequence[str]) -> bool:
    """Whether the call has arguments besides those with problems; True if unknown."""
    return arguments is None or not arguments.keys() <= set(map(argument_of, pointers))


def _display_pointers(pointers: Sequence[str], sanitize_line: Callable[[str], str]) -> list[str]:
    """The places as quoted names, or as pointers if nested; empty unless every name may be shown."""
    if not all(pointers) or not all(map(is_name, pointers)):
        return []
    if sanitize_line is not str and any(redacted_pointer(pointer, sanitize_line) != pointer for pointer in pointers):
        return []
    return [f'"{show_name(pointer if "/" in pointer[1:] else pointer[1:], 64)}"' for pointer in pointers]


def join_names(names: Sequence[str], catalogue: Catalogue) -> str:
    """Joins names to one list: `"a", "b" and "c"`.

    Args:
        names: at least one name.
        catalogue: the templates.
    """
    *first, last = names
    return f"{', '.join(first)}{catalogue['and']}{last}" if first else last
