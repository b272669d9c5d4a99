"""The call that shows what exists, or the present state, after a call that failed.

The relation between two tools is read from their names, the names of their arguments, and their descriptions. Only tools
that read are found. Every argument is a value that the failed call sent, or `all` of a required list of values.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from mulligan.lazy import lazy
from mulligan.resolve.proposals import is_said_to_read, seems_to_read
from mulligan.resolve.readers import (
    LISTS,
    Reader,
    is_of_kind,
    is_reachable,
    kind_of_argument,
    kind_of_container,
    kind_of_tool,
)
from mulligan.resolve.synonyms import VARIANTS
from mulligan.resolve.words import Word, canonical, look_up_word, split_words, stem, word_set
from mulligan.tools import Tool, takes_as_sent

if TYPE_CHECKING:
    from mulligan.resolve.toolset import Toolset

_IDENTIFIES = word_set("id ids key name uuid number no nr slug code ref reference sku email title")
_FOLDERS = word_set("path folder directory dir root prefix parent")
_HANDLES = word_set("id key uuid number no nr slug code ref")
_WHOLE = ("all", "any")
_QUERIES = word_set("query q text term terms keyword keywords pattern search name title guest phrase")
_WORDED = word_set("name title guest phrase")
_CONTAINERS = word_set(
    "owner repo repository project database db schema table bucket workspace org organization organisation team folder "
    "directory namespace region account guild server channel space board site tenant dataset collection"
)
_MOST_TEXT, _LONGEST_TYPE = 2_000, 128
_MOST_TOOLS = 500  # whose schemas are read
_REJECTS = re.compile(  # a report that a name or value does not exist; the name of an exception counts, too
    r"\b(?:invalid|unknown|unrecogni[sz]ed|(?:badly |ill-?|mal)formed|no such|"
    r"not (?:a )?valid|not found|not present|not defined|"
    r"(?:does not|doesn't|do not|don't) exist|not one of|"
    r"no [\w-]+ (?:(?!for |of |to |from |about |in |on )[\w-]+ (?:the )?(?:[\w-]+ )?)?['\"`])",  # no room has the name 'Fjord'
    re.IGNORECASE,
)
_ILL_FORMED = re.compile(  # an identifier of another kind
    r"\b(?:badly |ill-?|mal)formed\b|\b(?:invalid|not a valid) (?:\w+ )?(?:uuid|guid|hexadecimal|identifier|id)\b",
    re.IGNORECASE,
)
_SHORTEST_SHOWN, _LONGEST_SHOWN = 3, 200
_BARE_HANDLES = word_set("id name key slug uuid number code url")
_BARE = tuple([one] for one in _BARE_HANDLES)
_NAME_LIKE = re.compile(r"[\d_./@-]")
_READS_ONLY = re.compile(
    r"\bread[- ]?only\b(?! (?:database|replica|file|disk|server|instance))|\bread (?:access )?mode\b|"
    r"\bonly (?:[\w ]{0,20}\b)?(?:select|read|queries)\b|"
    r"\b(?:writ(?:e|ing|es)|update|modif\w+)\b[^.\n]{0,60}\bnot (?:allowed|permitted|supported)\b",
    re.IGNORECASE,
)
_CHANGES_DATA = "(?:insert|update|delete|create|merge|alter|drop|replace|upsert|truncate|grant|revoke|set|remove)"
_WRITES = re.compile(rf"\s*{_CHANGES_DATA}\s", re.IGNORECASE)  # how a statement begins that changes data
_VARIANTS = word_set(VARIANTS)
_RUNS_STATEMENTS = word_set(
    "run execute exec perform query write update modify change sql statement cypher expression script command db database "
    "mutation transaction dml ddl raw"
)
_PLACES_TO_RUN = word_set("prod production live staging stage all every tenants customers shards")
_LANGUAGES = word_set("sql statement cypher expression script command")
_STATEMENT = re.compile(  # after blanks, brackets, comments and the beginning of a transaction
    r"(?:[\s(;]|--[^\n]*\n|/\*(?:(?!\*/).)*\*/|begin\b(?: transaction)?)*"
    rf"(?:{_CHANGES_DATA}\s|(?:select|with|match|exec|execute|call|pragma|explain)\s)",
    re.IGNORECASE | re.DOTALL,
)
_EXISTS = re.compile(r"\balready (?:exists?|present|registered|defined)\b|\bduplicate\b", re.IGNORECASE)
_IS_THERE = re.compile(r"\balready\b", re.IGNORECASE)
_TAKEN = re.compile(  # what another holds: `Room 5 is already booked`
    r"\b([A-Za-z]{1,40})(?: [\w.:@'\"-]{1,60})? (?:is|are|was|has been) already "
    r"(?:booked|reserved|taken|occupied|held|used|in use|assigned|claimed|rented|hired)\b",
    re.IGNORECASE,
)
_SHOWN_IDENTIFIER = re.compile(r"(?<![\w-])(?:id|ID|Id)[:=]? ?['\"]?([\w-]*\d[\w-]*)")
_NOUN_BEFORE = re.compile(r"([A-Za-z]+)(?: (?:'[^'\n]{1,80}'|\"[^\"\n]{1,80}\"))?[:,]? ?(?:with )?\(?$")
_THERE = frozenset(("already", "exists", "it", "this", "that", "one", "there"))
_BEFORE = 100
_NUMBERS = word_set("id uuid number no nr")
_CREATES, _UPDATES = word_set("create add insert register new"), word_set("update patch edit modify change alter amend")
_MISSING = word_set("undefined unknown missing no invalid found exist exists nonexistent")
_NOT_KINDS = _MISSING | word_set("not does do such error exception fault key object resource entity item file http")
_NAME = re.compile(r"[\w.:-]{4,128}")
_SEPARATOR = re.compile(r"[/\\]")


class Lookup(NamedTuple):
    """A tool that shows what is there.

    Attributes:
        tool: the tool; it only reads.
        arguments: arguments for it, sent by the failed call, or `all` of a required list of values; None if some are
            missing, or if it is not declared `read_only`.
        is_direct: whether it reads the missing thing itself, rather than showing which things exist.
    """

    tool: Tool
    arguments: Mapping[str, Any] | None
    is_direct: bool = False


class Updater(NamedTuple):
    """A tool that changes what exists already.

    Attributes:
        tool: the tool; it is not declared destructive.
        identifier: the argument whose value only the text of the failure shows; empty if all were sent.
    """

    tool: Tool
    identifier: str = ""


class _Wanted(NamedTuple):
    """What to look for: its kind, and what the failed call says about it."""

    kind: tuple[Word, ...]
    sent: Mapping[str, Any]
    missing: str | None
    value: object
    reads_one: bool


class Lookups:
    """What the other tools of a toolset can show about a call that failed.

    Args:
        tool: the tool that was called.
        sent: its arguments.
        resource: the name of the missing thing, or None.
        toolset: all tools.
        rejected: the argument that was rejected, or None.
        is_folder: whether that argument names a folder where the tool takes a file.
        type_name: the name of the exception's type, which may name the kind of what is missing.
        is_refused: whether the state of something refused the call, so that what the call names is to be read, rather than
            what it was to create.
    """

    def __init__(
        self,
        tool: Tool,
        sent: Mapping[str, Any],
        resource: str | None,
        toolset: Toolset,
        rejected: str | None = None,
        *,
        is_folder: bool = False,
        type_name: str = "",
        is_refused: bool = False,
    ) -> None:
        self._tool, self._sent, self._resource, self._toolset = tool, sent, resource, toolset
        self._rejected = rejected if rejected in sent else None
        self.is_folder = is_folder and self._rejected is not None
        self._type_name = type_name
        self._is_refused = is_refused

    @lazy
    def _handed(self) -> dict[str, Any]:
        """What may go to another tool."""
        return {name: value for name, value in self._sent.items() if not _is_statement(name, value)}

    @lazy
    def _identifying(self) -> dict[str, Any]:
        """What may identify a thing elsewhere: of its bare names, only the one that was rejected, such as a taken `url`."""
        if self._rejected is None or split_words(self._rejected)[-1:] not in _BARE or kind_of_argument(self._rejected):
            return self._handed
        return {
            name: value
            for name, value in self._handed.items()
            if name == self._rejected or split_words(name) not in _BARE
        }

    def existing(self) -> Lookup | None:
        """The tool that reads the missing thing in another way, or lists or searches things of its kind."""
        direct = self._by_other_identifier() or self._of_other_kind()
        if direct is not None:
            return direct
        missing = self._rejected or _missing_argument(self._sent, self._resource)
        if missing is not None and _is_statement(missing, self._sent[missing]):  # it only contains the name
            return self._find(_Wanted(_kind_of_type(self._type_name), self._handed, None, None, reads_one=False))
        if self.is_folder and missing is not None:
            return self._find(_Wanted(kind_of_argument(missing), self._handed, None, None, reads_one=False))
        if missing is not None and (above := self._folder_above(missing)) is not None:
            return above
        value = self._resource if missing is None else self._sent[missing]
        wanted = _Wanted(
            () if missing is None else kind_of_argument(missing), self._handed, missing, value, reads_one=False
        )
        of_tool = wanted._replace(kind=kind_of_tool(self._tool.name))
        found = self._find(wanted) if wanted.kind else self._find(of_tool)
        if found is None and wanted.kind and seems_to_read(self._tool):  # a vehicle may be read by its plate
            found = self._find(of_tool)
        return (
            found
            or self._find(wanted._replace(kind=_kind_of_type(self._type_name), value=None))
            or self._in_namespace(wanted)
        )

    def _in_namespace(self, wanted: _Wanted) -> Lookup | None:
        """The tool that lists what the namespace names, where the tools are called `jobs.output` and `jobs.list`."""
        name = self._tool.name
        kind = kind_of_argument(name.rpartition(".")[0].rpartition(".")[2]) if "." in name else ()
        return self._find(wanted._replace(kind=kind)) if kind else None

    def _folder_above(self, missing: str) -> Lookup | None:
        """The failed call itself for the folder above, if it lists the files of a folder that does not exist."""
        lists = not LISTS.isdisjoint(split_words(self._tool.name)) and self._tool.read_only and not self._tool.secret
        value = self._sent[missing]
        if not lists or not isinstance(value, str) or _FOLDERS.isdisjoint(split_words(missing)):
            return None
        parts = list(_SEPARATOR.finditer(value.rstrip("/\\")))
        above = {missing: value[: parts[-1].start()]} if parts and parts[-1].start() else {}
        arguments = {name: one for name, one in self._sent.items() if name != missing} | above
        is_other = value.rstrip("/\\") and isinstance(self._tool.fit(dict(arguments)), dict)
        return Lookup(self._tool, arguments) if is_other else None

    def _by_other_identifier(self) -> Lookup | None:
        """The tool that reads the same thing by another identifier: `get_user_by_email` beside `get_user`.

        The one value that it does not take under its name becomes that identifier.
        """
        found = []
        for one in self._toolset.values():
            if one.name.startswith(self._tool.name) and one.read_only and not one.secret:
                arguments = self._with_other_identifier(one) if is_reachable(one, self._tool) else None
                if arguments is not None:
                    found.append(Lookup(one, arguments, is_direct=True))
        return found[0] if len(found) == 1 else None

    def _with_other_identifier(self, tool: Tool) -> Mapping[str, Any] | None:
        ours, theirs = split_words(self._tool.name), split_words(tool.name)
        if theirs[: len(ours)] != ours or theirs[len(ours) : len(ours) + 1] != ["by"]:
            return None
        properties = tool.parameters.get("properties")
        known = properties if isinstance(properties, Mapping) else {}
        shared = {name: value for name, value in self._sent.items() if name in known}
        others = [value for name, value in self._sent.items() if name not in known]
        left = [name for name in tool.parameters.get("required") or () if name not in shared]
        if len(others) != 1 or len(left) != 1 or not isinstance(others[0], str) or others[0].isdigit():
            return None
        arguments = {**shared, left[0]: others[0]}
        return arguments if isinstance(tool.fit(dict(arguments)), dict) else None

    def _of_other_kind(self) -> Lookup | None:
        """The only tool that reads a thing of another kind by the same arguments: `dataset_info` beside `model_info`.

        A bare number may be the identifier of anything, so that it is not looked up so.
        """
        if not self._tool.read_only or len(self._toolset) > _MOST_TOOLS or self._is_numbered():
            return None
        parameters = self._tool.parameters.get("properties")
        found = [
            one
            for one in self._toolset.values()
            if one.read_only
            and not one.secret
            and _is_of_other_kind(self._tool.name, one.name)
            and one.parameters.get("properties") == parameters
            and is_reachable(one, self._tool)
        ]
        is_only = len(found) == 1 and takes_as_sent(found[0], self._sent)
        return Lookup(found[0], dict(self._sent), is_direct=True) if is_only else None

    def _is_numbered(self) -> bool:
        return all(isinstance(value, int) or str(value).isdigit() for value in self._sent.values())

    def state(self) -> Lookup | None:
        """The tool that reads what the call wanted to change: the same thing by its identifier, or the list of them.

        If two are as good, it is the one that reads what something is added to, or taken from: the board of
        `add_card_to_board`. Where a state refused the call, it is first the one that reads what the call names: the job of
        `start_build`.
        """
        container = kind_of_container(self._tool.name)
        kind = tuple(word for word in kind_of_tool(self._tool.name) if word not in container)
        named = tuple(noun for name in self._sent if _is_identifier(name) for noun in kind_of_argument(name))
        sent = self._identifying
        by_name = _Wanted(named, sent, None, None, reads_one=True)
        if self._is_refused and named and not any(_is_own(name, kind) for name in self._sent):
            found = self._find(by_name)
            if found is not None and found.arguments:
                return found
        return (
            self._find(_Wanted((*container, *kind), sent, None, None, reads_one=True))
            or self._container(container)
            or self._find(by_name)
        )

    def _container(self, kind: tuple[Word, ...]) -> Lookup | None:
        """The tool that reads what something is added to, by the argument that is named so."""
        own = {
            name: value
            for name, value in self._handed.items()
            if kind_of_argument(name) and all(is_of_kind(noun, kind) for noun in kind_of_argument(name))
        }
        found = self._find(_Wanted(kind, own, None, None, reads_one=True)) if own else None
        return found if found is not None and found.arguments else None

    def is_rejected_in(self, text: str, type_name: str) -> bool:
        """Whether a failure says that the value of one argument does not exist; `existing` then looks for that one.

        Args:
            text: the quoted text of the failure.
            type_name: the name of the exception's type.
        """
        lines = [line for line in text[:_MOST_TEXT].splitlines() if _REJECTS.search(line)]
        if self._rejected is not None:
            return bool(lines)
        name = " ".join(split_words(type_name.rpartition(".")[2][:_LONGEST_TYPE]))
        for said in ("\n".join(lines), name if _REJECTS.search(name) else ""):
            self._rejected = self._rejected or self._named_in(said)
        return self._rejected is not None

    def _named_in(self, text: str) -> str | None:
        """The one argument that a text speaks of, by a word of its name; if there are several, the one whose value it shows."""
        words = set(split_words(text))
        named = [
            name
            for name, value in self._sent.items()
            if isinstance(value, str | int) and not words.isdisjoint(_telling_words(name))
        ]
        if len(named) != 1:
            named = [name for name in named or self._sent if self._shows_value(name, text)]
        if not named and len(self._sent) == 1 and _ILL_FORMED.search(text) and all(map(_is_identifier, self._sent)):
            return next(iter(self._sent))
        return named[0] if len(named) == 1 else None

    def _shows_value(self, name: str, text: str) -> bool:
        """Whether a text shows the value of an argument: with a digit or sign in it, or in quotation marks or brackets."""
        value = self._sent[name]
        if not isinstance(value, str) or len(value) < _SHORTEST_SHOWN:
            return False
        shown = re.escape(value[:_LONGEST_SHOWN])
        if _NAME_LIKE.search(value):
            return re.search(rf"(?<![\w-]){shown}(?![\w-])", text) is not None
        return re.search(rf"['\"`(\[]\s?{shown}\s?['\"`)\]]", text) is not None

    def is_named_in(self, text: str) -> bool:
        """Whether a text names another tool that may be used instead: one that reads.

        Args:
            text: the quoted text of the failure.
        """
        words = {word.strip(".:-") for word in _NAME.findall(text[:_MOST_TEXT])}
        named = (self._toolset[word] for word in words if word in self._toolset and word != self._tool.name)
        return any(one.read_only or seems_to_read(one) for one in named if is_reachable(one, self._tool))

    def writer(self, text: str) -> Tool | None:
        """The tool that runs a statement as it was sent, where the failed one only reads and the statement writes.

        Of several, it is the one whose name has most words in common with the failed one's. One that is declared destructive
        is never named, nor one that runs it elsewhere, such as in production, or does something else with it.

        Args:
            text: the quoted text of the failure.
        """
        statements = [value for value in self._sent.values() if isinstance(value, str) and _WRITES.match(value)]
        if len(statements) != 1 or not _READS_ONLY.search(text[:_MOST_TEXT]) or not is_said_to_read(self._tool):
            return None
        if len(self._toolset) > _MOST_TOOLS:
            return None
        own = set(split_words(self._tool.name))
        found = [
            (len(own.intersection(split_words(one.name))), one)
            for one in self._toolset.values()
            if one.name != self._tool.name
            and not (one.read_only or one.secret or seems_to_read(one))
            and self._runs_the_same(one)
            and is_reachable(one, self._tool)
            and takes_as_sent(one, self._sent)
        ]
        most = max((shared for shared, _ in found), default=0)
        best = [one for shared, one in found if shared == most]
        return best[0] if len(best) == 1 and not best[0].destructive else None

    def _runs_the_same(self, tool: Tool) -> bool:
        """Whether a tool only runs statements, and where the failed one does, by the words of the names and descriptions."""
        ours, theirs = ({*split_words(one.name), *split_words(one.summary[:_MOST_TEXT])} for one in (self._tool, tool))
        named = split_words(tool.name)
        knows_all = all(word in _RUNS_STATEMENTS or word in split_words(self._tool.name) for word in named)
        return knows_all and not _RUNS_STATEMENTS.isdisjoint(named) and _PLACES_TO_RUN & theirs <= ours

    def updater(self, text: str) -> Updater | None:
        """The only tool that changes a thing of the kind that the failed one creates, where it exists already.

        None if that tool is declared destructive, or requires an argument that was not sent, unless it is the thing's
        identifier and the text shows it.

        Args:
            text: the quoted text of the failure.
        """
        words = split_words(self._tool.name)
        text = text[:_MOST_TEXT]
        kind = {word.stem for word in kind_of_tool(self._tool.name)}
        taken = _TAKEN.search(text)
        if taken is not None and taken[1].lower() not in _THERE and stem(taken[1].lower()) not in kind:
            return None  # a room or a port is taken, and what holds it is another thing than the one to create
        exists = _EXISTS.search(text) is not None
        is_there = exists or _IS_THERE.search(text) is not None
        if _CREATES.isdisjoint(words) or len(self._toolset) > _MOST_TOOLS or not is_there:
            return None
        found = [
            one
            for one in self._toolset.values()
            if not _UPDATES.isdisjoint(split_words(one.name))
            and kind == {word.stem for word in kind_of_tool(one.name)}
            and is_reachable(one, self._tool)
            and not (one.destructive or one.secret)
        ]
        if not kind or len(found) != 1:
            return None
        missing = [name for name in found[0].parameters.get("required") or () if name not in self._sent]
        if not missing:
            return Updater(found[0]) if exists else None
        is_shown = len(missing) == 1 and self._shows_identifier(text, kind, missing[0])
        return Updater(found[0], missing[0]) if is_shown else None

    def _shows_identifier(self, text: str, kind: set[str], name: str) -> bool:
        """Whether a text shows the identifier of what exists already, which an argument takes: `already: id 412`.

        The identifier of another thing is none (`the hall (id 7) is already booked`), nor is one that was sent.
        """
        shown = list(islice(_SHOWN_IDENTIFIER.finditer(text), 2))
        own = {word.stem for word in kind_of_argument(name)}
        is_number = split_words(name)[-1:] and split_words(name)[-1] in _NUMBERS
        if len(shown) != 1 or not is_number or shown[0][1] in map(str, self._sent.values()):
            return False
        before = _NOUN_BEFORE.search(text[max(0, shown[0].start() - _BEFORE) : shown[0].start()])
        noun = before[1].lower() if before else ""
        return own <= kind if noun in _THERE else stem(noun) in own | kind and own <= {*kind, stem(noun)}

    def _find(self, wanted: _Wanted) -> Lookup | None:
        """The best reader; None if two are as good."""
        readers = self._toolset.readers.find(self._tool, wanted.kind)
        ranked = sorted(filter(None, (_rank(reader, wanted) for reader in readers)), key=_rank_only, reverse=True)
        if not ranked or (len(ranked) > 1 and ranked[0][0] == ranked[1][0]):
            return None
        return ranked[0][1]


def _rank_only(pair: tuple[tuple[int, ...], Lookup]) -> tuple[int, ...]:
    return pair[0]


def _rank(reader: Reader, wanted: _Wanted) -> tuple[tuple[int, ...], Lookup] | None:
    """How well a tool fits, and the call of it; None if it does not."""
    if reader.reads_one and not wanted.reads_one:
        return None
    arguments = _fill(reader, wanted)
    if reader.reads_one and not (arguments and _identifies(reader, wanted, arguments)):
        return None
    if arguments is None and not (reader.is_named and reader.lists) and _requires_missing(reader, wanted):
        return None
    prefers = 2 * reader.reads_one + (reader.searches if _is_worded(wanted) else reader.lists)
    rank = (int(reader.is_named), int(arguments is not None), -reader.others, prefers, len(arguments or ()))
    return rank, Lookup(reader.tool, arguments if reader.tool.read_only else None)


def _identifies(reader: Reader, wanted: _Wanted, arguments: Mapping[str, Any]) -> bool:
    """Whether the arguments are those of a thing that is read: the `id` of a job template is not that of a job."""
    is_bare = any(_is_identifier(name) and not kind_of_argument(name) for name in arguments)
    return not is_bare or not wanted.kind or is_of_kind(wanted.kind[-1], kind_of_tool(reader.tool.name))


def _is_worded(wanted: _Wanted) -> bool:
    """Whether the missing thing was named in words, by which it is searched for rather than listed."""
    return isinstance(wanted.value, str) and " " in wanted.value.strip()


def _requires_missing(reader: Reader, wanted: _Wanted) -> bool:
    """Whether a tool cannot show which things exist, since it needs the very name that is missing."""
    missing = canonical(wanted.missing or "")
    required = reader.tool.parameters.get("required") or ()
    return bool(missing) and any(isinstance(name, str) and canonical(name) == missing for name in required)


def _fill(reader: Reader, wanted: _Wanted) -> Mapping[str, Any] | None:
    """Arguments for a tool, taken from those of the failed call; None if a required one is not among them."""
    schema = reader.tool.parameters
    properties = schema.get("properties")
    known = list(properties) if isinstance(properties, Mapping) else []
    required = [name for name in schema.get("required") or () if isinstance(name, str)]
    sent = {canonical(name): value for name, value in wanted.sent.items() if name != wanted.missing}
    filled: dict[str, Any] = {}
    for name in dict.fromkeys((*required, *known)):
        form = canonical(name)
        if form in sent and (name in required or _narrows(name, wanted)):
            filled[name] = sent[form]
        elif (folder := _folder(name, wanted)) is not None:
            filled[name] = folder
        elif (
            name in required
            and (value := _own_identifier(name, reader, wanted) or _whole_range(schema, name)) is not None
        ):
            filled[name] = value
    left = [name for name in required if name not in filled]
    if reader.searches and (left or not required or _is_worded(wanted)):
        queries = left or [name for name in known if name not in filled and not _QUERIES.isdisjoint(split_words(name))]
        text = _search_text(wanted)
        may_search = len(queries[:2]) == 1 and _may_search(queries[0], wanted.kind)
        if text is not None and may_search and not (_is_numeral(text) and _takes_words(queries[0])):
            filled[queries[0]], left = text, left[1:]
    is_plain = all(_may_be_handed_on(name, value, wanted, required) for name, value in filled.items())
    return filled if is_plain and not left and isinstance(reader.tool.fit(dict(filled)), dict) else None


def _may_be_handed_on(name: str, value: object, wanted: _Wanted, required: Collection[str]) -> bool:
    """Whether a value may go to another tool: a text, a number, or a key of several parts that reads one thing."""
    if isinstance(value, str | int | float):
        return True
    return isinstance(value, Mapping) and wanted.reads_one and name in required and _is_identifier(name)


def _own_identifier(name: str, reader: Reader, wanted: _Wanted) -> object:
    """The identifier of the thing, if the two tools name it in their own ways: `key` and `flagKey`, `id` and `number`.

    The thing may also be identified by an argument that is named as its kind: the `name` of a new zone is the `zone` to get.
    """
    if not wanted.reads_one or not wanted.kind:
        return None
    last = split_words(name)[-1:]
    kind = kind_of_tool(reader.tool.name) or wanted.kind
    own = [one for one in wanted.sent if _is_own(one, wanted.kind) and _is_own(one, kind)]
    if _names_kind(name, wanted.kind):
        found = [one for one in own if split_words(one)[-1] in _BARE_HANDLES and not kind_of_argument(one)]
    elif not _is_own(name, wanted.kind):
        return None
    elif own:
        found = [one for one in own if split_words(one)[-1:] == last]
        if not found and not _HANDLES.isdisjoint(last):
            found = [one for one in own if split_words(one)[-1] in _HANDLES]
    else:
        found = [one for one in wanted.sent if _names_kind(one, wanted.kind)]
    return wanted.sent[found[0]] if len(found) == 1 else None


def _names_kind(name: str, kind: tuple[Word, ...]) -> bool:
    """Whether an argument is named as a kind of thing, and no more."""
    words = split_words(name)
    return len(words) == 1 and is_of_kind(look_up_word(words[0]), kind)


def _is_own(name: str, kind: tuple[Word, ...]) -> bool:
    """Whether an argument identifies a thing of this kind: by a bare word such as `id`, or by the name of the kind too."""
    return _is_identifier(name) and all(is_of_kind(noun, kind) for noun in kind_of_argument(name))


def _whole_range(schema: Mapping[str, Any], name: str) -> str | None:
    """The allowed value that leaves nothing out: `all` of `open`, `closed` and `all`."""
    member = schema["properties"].get(name) if isinstance(schema.get("properties"), Mapping) else None
    allowed = member.get("enum") if isinstance(member, Mapping) else None
    return next((one for one in _WHOLE if isinstance(allowed, list | tuple) and one in allowed), None)


def _may_search(name: str, kind: tuple[Word, ...]) -> bool:
    """Whether an argument takes a text to search for, or names the very kind of thing: an `experiment_id` finds no run."""
    nouns = kind_of_argument(name)
    return not _QUERIES.isdisjoint(split_words(name)) or all(is_of_kind(noun, kind) for noun in nouns)


def _is_numeral(text: str) -> bool:
    """Whether a text has no letter, as a number or `1.2.840.113619` has none."""
    return not any(map(str.isalpha, text))


def _takes_words(name: str) -> bool:
    """Whether an argument takes the name of a person or a thing."""
    return not _WORDED.isdisjoint(split_words(name))


def _narrows(name: str, wanted: _Wanted) -> bool:
    """Whether an optional argument of this name says where to look, or which thing."""
    words = split_words(name)
    return not _CONTAINERS.isdisjoint(words) or (wanted.reads_one and not _IDENTIFIES.isdisjoint(words))


def _folder(name: str, wanted: _Wanted) -> str | None:
    """The folder of a missing path, for an argument that takes one."""
    if not isinstance(wanted.value, str) or _FOLDERS.isdisjoint(split_words(name)):
        return None
    parts = list(_SEPARATOR.finditer(wanted.value))
    return wanted.value[: parts[-1].start()] or None if parts else None


def _search_text(wanted: _Wanted) -> str | None:
    """The text by which to search for the missing thing: its name without its folders."""
    if isinstance(wanted.value, int) and not isinstance(wanted.value, bool):
        return str(wanted.value)
    if not isinstance(wanted.value, str):
        return None
    return _SEPARATOR.split(wanted.value.rstrip("/\\"))[-1].strip() or None


def _kind_of_type(type_name: str) -> tuple[Word, ...]:
    """The words for the kind of thing that an exception's type says is missing: `UndefinedTable`, `NoSuchBucket`."""
    words = split_words(type_name.rpartition(".")[2][:_LONGEST_TYPE])
    nouns = [word for word in words if word not in _NOT_KINDS]
    is_missing = not _MISSING.isdisjoint(words)
    return kind_of_argument("_".join(nouns)) if is_missing and nouns else ()


def _missing_argument(sent: Mapping[str, Any], resource: str | None) -> str | None:
    """The argument that names the missing thing; None if that is not clear."""
    if resource is None:
        texts = [name for name, value in sent.items() if isinstance(value, str | int)]
        return texts[0] if len(texts) == 1 else None
    equal = [name for name, value in sent.items() if str(value) == resource]
    if not equal:
        equal = [name for name, value in sent.items() if isinstance(value, str) and value and value in resource]
    if not equal:
        equal = [name for name, value in sent.items() if isinstance(value, list) and resource in value]
    if not equal:
        equal = [name for name, value in sent.items() if _is_statement(name, value) and resource in value]
    return equal[0] if len(equal) == 1 else None


def _telling_words(name: str) -> list[str]:
    """The words of an argument's name that say what it is, rather than that it is a name or a number."""
    words = split_words(name)
    return [word for word in words if word not in _IDENTIFIES] or words


def _is_of_other_kind(ours: str, theirs: str) -> bool:
    """Whether two names of tools differ in one word before the last, which names the kind of thing in both."""
    one, other = split_words(ours), split_words(theirs)
    differing = [pair for pair in zip(one, other, strict=False) if pair[0] != pair[1]]
    if len(one) != len(other) or len(differing) != 1 or one[-1] != other[-1]:
        return False
    if any(word in _VARIANTS or look_up_word(word).has_opposite for word in differing[0]):
        return False  # another environment, or the private key beside the public one
    kinds = [{word.text for word in kind_of_tool(name)} for name in (ours, theirs)]
    return all(word in kind for word, kind in zip(differing[0], kinds, strict=True))


def _is_statement(name: str, value: object) -> bool:
    """Whether an argument holds a statement, which says what to do and must go to no other tool.

    By its name it always does, but for a `query`, which may also be a text to search for.
    """
    if not isinstance(value, str) or " " not in value.strip():
        return False
    words = split_words(name)
    is_query = "query" in words and _STATEMENT.match(value[:_MOST_TEXT]) is not None
    return is_query or not _LANGUAGES.isdisjoint(words)


def _is_identifier(name: str) -> bool:
    words = split_words(name)
    return bool(words) and words[-1] in _IDENTIFIES
