"""The source of each name and value in a corrected call, and the rules for using it.

Models follow a corrected call because it is in mulligan's own voice, so each name and value in it has a source:

- `sent`: the model sent it, in this or an equivalent form;
- `schema`: the tool's author declared it, as an enum value or an argument name;
- `toolset`: it is the name of a tool;
- `author`: the tool's author supplied it as a candidate or alias (`resources=`, `aliases=`, `also_called=`);
- `reported`: it is text from a failure, a result, a response or any other foreign party.

The rules (`docs/explanation/safety.md` explains them):

1. A call contains text that a foreign party reported only if the tool is read-only and `is_near_name` holds.
2. A call to a tool that may write is proposed only if `preserves_meaning` holds; otherwise the feedback asks.
3. For a destructive tool, a proposed call differs only in JSON syntax and lossless types.
4. A name or value that the model did not send appears in mulligan's own voice only if it is a plain identifier.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from mulligan.lazy import lazy_pattern
from mulligan.pointers import escape
from mulligan.repair.nesting import unwrap_arguments
from mulligan.resolve.words import canonical, is_same_tool

if TYPE_CHECKING:
    from mulligan.calls import ToolCall
    from mulligan.policy import Limits
    from mulligan.tools import Tool

Source = Literal["sent", "schema", "toolset", "author", "reported"]

_PLAIN = lazy_pattern(r"[A-Za-z0-9_./-]{1,64}")
_UNSAFE_CHARACTER = lazy_pattern(r"[@~*?:\\<>|]")  # may lead to another host, home or scheme, or match many things
_BLANK = lazy_pattern(r"[\s\u0000-\u001f]")
_LONGEST = 64
_STEPS = lazy_pattern(r"[-_. ]")
_SHORTEST_WORD = 4
_DIGITS = lazy_pattern(r"\d+")
_EXTENSION = lazy_pattern(r"\.[A-Za-z]{1,5}")
_PREFIXED_NUMBER = lazy_pattern(r"[A-Za-z]{1,16}[-_](\d{3,})")


def is_plain_identifier(text: str) -> bool:
    """Whether text is a plain identifier: up to 64 letters, digits and `_ . - /`."""
    return _PLAIN.fullmatch(text) is not None


def may_propose_name(text: str, sent: str) -> bool:
    """Whether a tool's name may be proposed: it is plain, or one word whose unusual letters were all sent.

    Args:
        text: the tool's name.
        sent: the name that was called.
    """
    if len(text) > _LONGEST:
        return False
    return is_plain_identifier(text) or (
        not _BLANK.search(text) and all(letter in sent or is_plain_identifier(letter) for letter in text)
    )


def is_near_name(sent: str, name: str) -> bool:
    """Whether a name is a near spelling of the one that was sent, of the same kind and in the same folder.

    The digits and the folder must be equal. The last path segment may differ in style, by one typo, by a missing file
    extension, or by a missing letter prefix before a number (`48121`, `ORD-48121`). The name must not introduce a host,
    scheme, `@`, `~` or wildcard.

    Args:
        sent: the name as sent.
        name: the other name.
    """
    folder, _, last = sent.rpartition("/")
    other_folder, _, other = name.rpartition("/")
    if (
        not (folder == other_folder and last and other)
        or sent == name
        or ".." in name
        or _UNSAFE_CHARACTER.search(other)
    ):
        return False
    prefixed = _PREFIXED_NUMBER.fullmatch(other)
    if prefixed is not None and prefixed[1] == last:
        return True
    if _DIGITS.findall(last) != _DIGITS.findall(other):
        return False
    if canonical(last) == canonical(other):
        return True
    if "." not in last and other.startswith(last) and _EXTENSION.fullmatch(other[len(last) :]):
        return True
    ours, theirs = (_STEPS.split(name.casefold()) for name in (last, other))
    differing = [pair for pair in zip(ours, theirs, strict=False) if pair[0] != pair[1]]
    return len(ours) == len(theirs) and len(differing) == 1 and _is_typo(*differing[0])


def _is_typo(word: str, other: str) -> bool:
    """Whether two words differ by one typo; pairs such as `payer` and `payee` do not count."""
    from mulligan.resolve.similarity import distance

    is_pair = {word[-2:], other[-2:]} in ({"ee", "er"}, {"ee", "or"})
    is_long = min(len(word), len(other)) >= _SHORTEST_WORD and word[0] == other[0]
    return is_long and not is_pair and distance(word, other, 1) == 1


def name_source(tool: Tool, called: str) -> Source | None:
    """The source of a tool's name if it preserves the name that was called; otherwise None, and the feedback asks.

    Args:
        tool: the tool that a corrected call names.
        called: the name that was called.
    """
    if called == tool.name:
        return "sent"
    if called in tool.also_called:
        return None if tool.destructive else "author"
    may_rename = is_same_tool(called, tool.name) and may_propose_name(tool.name, called)
    return "toolset" if may_rename and not tool.destructive else None


def preserves_meaning(tool: Tool, sent: Mapping[str, Any], arguments: Mapping[str, Any]) -> bool:
    """Whether arguments have exactly the content that was sent, so that a tool that may write can receive them.

    Args:
        tool: the tool that would receive the arguments.
        sent: the arguments as sent, as JSON values.
        arguments: the arguments they were read as.
    """
    from mulligan.repair.lossless import LosslessCheck

    return LosslessCheck(tool).is_same_object(sent, arguments)


def may_repair(tool: Tool, sent: ToolCall, read: Mapping[str, Any], limits: Limits) -> bool:
    """Whether a repair stays within the rules for corrected calls.

    Args:
        tool: the tool that the repaired call names.
        sent: the call as sent.
        read: the arguments that the tool would receive, as JSON values.
        limits: bounds on size and depth.
    """
    from mulligan.repair.json_text import read_or_fix_arguments
    from mulligan.repair.json_tokens import has_minus_zero, is_complete

    if has_minus_zero(sent.arguments):
        return False
    if sent.name != tool.name and not may_propose_name(tool.name, sent.name):
        return False
    if tool.read_only:
        return _is_from_call(tool, sent, read, limits)
    if name_source(tool, sent.name) not in ("sent", "author"):
        return False
    if not is_complete(sent.arguments):
        return False
    arguments = read_or_fix_arguments(sent.arguments, limits, read_only=False)
    return arguments is not None and any(preserves_meaning(tool, one, read) for one in argument_forms(tool, arguments))


def _is_from_call(tool: Tool, sent: ToolCall, read: Mapping[str, Any], limits: Limits) -> bool:
    """Whether each text in the arguments was sent, in some style, or occurs in the tool's schema."""
    from mulligan.repair.json_text import read_or_fix_arguments
    from mulligan.untrusted.copies import thaw
    from mulligan.validate.arguments import dump

    text = sent.arguments
    if isinstance(text, (bytes, bytearray)):
        text = bytes(text).decode(errors="replace")
    elif not isinstance(text, str):
        text = dump(text or {})
    # The same text once more, without the escapes of a language.
    text += dump(read_or_fix_arguments(sent.arguments, limits, read_only=True) or {})
    known = f"{canonical(text)} {canonical(dump(thaw(tool.parameters)))}"
    waiting: list[Any] = [*read.values()]
    while waiting:
        part = waiting.pop()
        if isinstance(part, (dict, Mapping)):
            waiting += part.values()
        elif isinstance(part, list):
            waiting += part
        elif isinstance(part, str) and not any(canonical(form) in known for form in (part, dump(part)[1:-1])):
            return False
    return True


def argument_forms(tool: Tool, arguments: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The arguments as sent and, if they wrap a call inside a call, the inner ones.

    Args:
        tool: the tool; for a destructive one, inner arguments are ignored.
        arguments: the arguments as sent.
    """
    members = tool.parameters.get("properties")
    inner = unwrap_arguments(tool.name, members if isinstance(members, (dict, Mapping)) else {}, arguments)
    return [arguments] if inner is None or tool.destructive else [arguments, inner]


def sources_of(name: Source, arguments: Mapping[str, Any], value_sources: Mapping[str, Source]) -> dict[str, Source]:
    """The source of each part of a corrected call, by JSON Pointer.

    Args:
        name: the source of the tool's name.
        arguments: the arguments of the call.
        value_sources: the sources of values that were not sent, by JSON Pointer within the arguments.
    """
    found: dict[str, Source] = {"/name": name}
    if not value_sources:
        return {**found, **{f"/arguments/{escape(key)}": "sent" for key in reversed([*arguments])}}
    waiting: list[tuple[str, Any]] = [("", arguments)]
    while waiting:
        pointer, value = waiting.pop()
        inner = pointer + "/"
        if pointer in value_sources:
            found["/arguments" + pointer] = value_sources[pointer]
        elif isinstance(value, (dict, Mapping)) and (
            not pointer or any(where.startswith(inner) for where in value_sources)
        ):
            waiting += [(inner + escape(key), item) for key, item in value.items()]
        elif isinstance(value, list) and any(where.startswith(inner) for where in value_sources):
            waiting += [(f"{inner}{index}", item) for index, item in enumerate(value)]
        else:
            found["/arguments" + pointer] = "sent"
    return found
