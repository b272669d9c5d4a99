"""Suggestions for a tool name that does not exist: the musts, field tests with figures, and hostile input."""

from __future__ import annotations

import random
import string
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mulligan.resolve.suggestions import Entry, SuggestionIndex, Suggestions
from mulligan.resolve.words import canonical, canonical_match

# How the material was made. VERBS, NOUNS and data/invented_names.txt were written from memory of public tool servers
# and of names that models invent, before the package had a table of synonyms, and did not change when that table was
# tuned. The same hand wrote both, so what they share is ordinary English; the figures prove little for a stranger's
# names. data/agent_tools.txt has the tools of ten public coding agents and servers, from memory too; the names of each
# are called on the tools of every other, as a model does that was trained with one and runs in another. Those names are
# not ours: before anything was tuned to them, 80 % of the right tools came first and 94 % among three. The table has
# learnt from them since.

# verb: what it does ({} is the noun), other words for it
VERBS: dict[str, tuple[str, tuple[str, ...]]] = {
    "get": ("Return one {} by its id", ("fetch", "show", "view", "retrieve", "lookup")),
    "list": ("Return every {} the account can see", ("all", "enumerate", "show", "browse")),
    "search": ("Find each {} that matches some words", ("find", "query", "lookup", "filter")),
    "create": ("Make a new {}", ("add", "new", "make", "insert")),
    "update": ("Change some fields of a {}", ("edit", "modify", "change", "patch")),
    "delete": ("Remove a {} for good", ("remove", "erase", "drop", "destroy")),
    "export": ("Write a {} to a CSV on disk", ("download", "dump", "save")),
    "share": ("Give other people access to a {}", ("invite", "publish", "send")),
    "archive": ("Put a {} away without removing it", ("store", "hide", "shelve")),
    "copy": ("Make a second {} like the first", ("duplicate", "clone", "replicate")),
    "start": ("Set a {} going", ("launch", "begin", "run")),
    "stop": ("Bring a running {} to its end", ("halt", "terminate", "kill")),
}

# noun: how its description says it, other words for it, a parameter that is its own
NOUNS: dict[str, tuple[str, tuple[str, ...], str]] = {
    "file": ("file of the workspace", ("document", "text"), "path"),
    "folder": ("folder", ("directory", "dir"), "folder_path"),
    "issue": ("issue of a repository", ("ticket", "bug"), "issue_number"),
    "customer": ("customer", ("client", "buyer"), "customer_id"),
    "invoice": ("invoice sent to a customer", ("bill", "receipt"), "invoice_id"),
    "meeting": ("meeting in the calendar", ("appointment", "event"), "start_time"),
    "message": ("message in a channel", ("chat", "dm"), "channel"),
    "email": ("email in the mailbox", ("mail", "inbox"), "subject"),
    "photo": ("photo of the library", ("picture", "image"), "album"),
    "song": ("song or track", ("music", "track"), "artist"),
    "flight": ("flight between two airports", ("plane", "airline"), "origin"),
    "hotel": ("hotel room in a city", ("accommodation", "room"), "check_in"),
    "server": ("server in the cloud", ("instance", "machine"), "region"),
    "container": ("container on the host", ("docker", "pod"), "container_id"),
    "job": ("job of the build pipeline", ("build", "workflow"), "branch"),
    "table": ("table of the database", ("rows", "records"), "table"),
    "employee": ("employee of the company", ("staff", "worker"), "department"),
    "product": ("product of the shop", ("item", "article"), "sku"),
    "note": ("note or memo", ("memo", "memory"), "body"),
    "contact": ("contact of the address book", ("person", "people"), "phone"),
    "report": ("report with figures", ("analysis", "summary"), "period"),
    "payment": ("payment by card", ("charge", "transaction"), "amount"),
}

OPPOSITE_VERBS = """
get/delete list/delete get/update create/delete start/stop get/create read/write get/set enable/disable
lock/unlock open/close push/pull upload/download import/export install/uninstall add/remove show/hide
approve/reject subscribe/unsubscribe grant/revoke mount/unmount increase/decrease connect/disconnect
encrypt/decrypt archive/unarchive pause/resume buy/sell
"""
OPPOSITES = [(one, other) for one, _, other in (pair.partition("/") for pair in OPPOSITE_VERBS.split())]

STYLES = ("snake", "camel", "kebab", "Pascal", "dot")
SPACES = ("", "", "", "{0}__", "mcp__{0}__", "{0}.", "{0}:", "{0}/", "{0}_")
SERVERS = ("github", "acme", "workspace", "crm", "filesystem", "jira", "home-assistant", "shop", "google_drive", "k8s")


def styled(style: str, *words: str) -> str:
    parts = [part for word in words for part in word.split("_")]
    if style == "camel":
        return parts[0] + "".join(map(str.capitalize, parts[1:]))
    if style == "Pascal":
        return "".join(map(str.capitalize, parts))
    return {"snake": "_", "kebab": "-", "dot": "_"}[style].join(parts)


DATA = Path(__file__).parent / "data"


class Case(NamedTuple):
    """A call of a tool that does not exist, the tools that do, and the one that was meant."""

    toolset: SuggestionIndex
    called: str
    arguments: dict[str, str]
    meant: str


class Figures(NamedTuple):
    """What came of many cases, as shares of them."""

    first: float
    among_three: float
    confident: float
    wrongly_confident: float


def measure(cases: Iterable[Case]) -> Figures:
    answers = [(case, case.toolset.suggest(case.called, case.arguments)) for case in cases]
    first = [found.names[:1] == (case.meant,) for case, found in answers]
    among_three = [case.meant in found.names[:3] for case, found in answers]
    confident = [found.confident for _, found in answers]
    wrong = [sure and not right for sure, right in zip(confident, first, strict=True)]
    return Figures(*(sum(flags) / len(answers) for flags in (first, among_three, confident, wrong)))


def lines_of(file: str) -> Iterator[tuple[str, str]]:
    for line in (DATA / file).read_text(encoding="utf-8").splitlines():
        mark, _, rest = line.partition(" ")
        if mark != "#":
            yield mark, rest


def entry_of(text: str) -> Entry:
    head, _, description = text.partition(": ")
    name, _, parameters = head.rstrip(")").partition("(")
    return Entry(name, description, [each for each in parameters.split(", ") if each])


def index_of(*names: str) -> SuggestionIndex:
    return SuggestionIndex(Entry(name) for name in names)


def ask(names: Iterable[str], called: str, **arguments: str) -> Suggestions:
    return index_of(*names).suggest(called, arguments)


# --- what must hold

BROWSER = [
    entry_of(line)
    for line in """
readPageContent(): Read the content of the current page.
getActiveTab(): Get the active tab.
getAllTabs(): List all open tabs.
openTab(url): Open a new tab.
closeTab(tabId): Close a tab.
clickElement(selector): Click an element.
hoverElement(selector): Move the mouse over an element.
waitForElement(selector): Wait until an element is there.
takeScreenshot(format): Take a screenshot of the page.
fillField(selector, text): Type text into a field.
submitForm(selector): Submit a form.
selectOption(selector, value): Choose an option of a list.
navigateTo(url): Go to a URL.
goBack(): Go back in the history.
goForward(): Go forward in the history.
reloadPage(): Load the page again.
scrollPage(direction): Scroll the page.
getPageTitle(): Title of the page.
searchHistory(query): Search the browsing history.
getBookmarks(): List the bookmarks.
addBookmark(url): Add a bookmark.
getCookies(): Read the cookies of the page.
setCookie(name, value): Set a cookie.
downloadFile(url): Download a file.
executeScript(code): Run JavaScript in the page.
""".strip().splitlines()
]


@pytest.mark.parametrize(
    "called",
    [
        *("analyzeDom", "analyze_dom", "analyzeDOM", "mcp__browser__analyze-dom"),
        *("getDomStructure", "get_dom_tree", "getHtmlStructure", "fetchDocumentMarkup"),
    ],
)
def test_a_tool_is_found_by_meaning_where_spelling_is_of_no_use(called: str) -> None:
    assert SuggestionIndex(BROWSER).suggest(called).names[0] == "readPageContent"


@pytest.mark.parametrize(
    ("names", "called", "first"),
    [
        (
            "sequential-thinking__sequentialthinking fetch__fetch",
            "sequential-thinking",
            "sequential-thinking__sequentialthinking",
        ),
        ("list_directory list_files read_file delete_directory", "list_dir", "list_directory"),
        ("weather.forecast weather.alerts maps.route", "get_weather_forecast", "weather.forecast"),
        ("get_weather_forecast get_alerts", "weather.forecast", "get_weather_forecast"),
        ("convert_currency get_timezone", "currency_convert", "convert_currency"),
        ("view create_issue", "creating:view", "view"),
        ("creating:view", "creating_view", "creating:view"),
        ("memory__read_graph files__read_graph", "mcp__memory__read_graph", "memory__read_graph"),
        ("climate.set_temperature light.turn_on", "climate.climate.set_temperature", "climate.set_temperature"),
        ("tool--product--search_list tool--order--get", "search_list", "tool--product--search_list"),
        ("browser_navigate browser_click browser_type", "navigate", "browser_navigate"),
        ("getKnowledgeDocument grepFields", "get_knowledge_document", "getKnowledgeDocument"),
        ("get-weather get-time", "acme-tools_get_weather", "get-weather"),
        ("tracker_get_issue calendar_add_event", "get_issue", "tracker_get_issue"),
        ("zephyrListBoards zephyrReadBoard", "list_boards", "zephyrListBoards"),
    ],
)
def test_the_same_words_in_another_style_order_or_namespace_are_proposed(names: str, called: str, first: str) -> None:
    found = ask(names.split(), called)
    assert (found.names[0], found.confident) == (first, True)


@pytest.mark.parametrize("separator", [".", "__", "/", ":", "--"])
@pytest.mark.parametrize(
    ("called", "tool"),
    [("serch_invoices", "search_invoices"), ("list_custmers", "list_customers"), ("creat_meeting", "create_meeting")],
)
def test_a_misspelt_name_without_its_namespace_is_proposed(separator: str, called: str, tool: str) -> None:
    names = [f"books{separator}{tool}", f"books{separator}export_photos", f"desk{separator}read_messages"]
    assert ask(names, called) == Suggestions((names[0],), True)


@pytest.mark.parametrize(("called", "tool"), [("gt_user", "set_user"), ("ublock_card", "lock_card")])
def test_a_misspelt_name_that_may_be_the_opposite_is_not_proposed_with_a_namespace_either(
    called: str, tool: str
) -> None:
    assert not ask([f"crm.{tool}", "crm.list_photos"], called).confident


@pytest.mark.parametrize(
    "called",
    [
        "READ_FILE",
        "readFile",
        "ReadFile",
        "read-file",
        "read.file",
        "Read File",
        "readfile",
        "reed_file",
        "raed_file",
        "read_fle",
        "read_files",
        "mcp__server__read_file",
        "server.read_file",
        "functions.read_file",
        "default_api:read_file",
        "a/b/read_file",
        "read_file()",
        "read_file(path='x')",
        "read_file<|channel|>json",
        " read_file\n",
        "ｒｅａｄ_file",
        "re\u0430d_file",
    ],
)
def test_slips_of_the_pen_and_noise_around_a_name_are_seen_through(called: str) -> None:
    found = ask(["read_file", "write_file", "delete_file", "list_directory"], called)
    assert (found.names[0], found.confident) == ("read_file", True)


def test_grep_finds_the_tool_that_searches() -> None:
    for search in ("search_code", "search_files"):
        assert ask(["read_file", "write_file", search, "list_directory"], "grep", query="x").names[0] == search
    found = ask(["search_code", "search_files", "read_file"], "grep", query="x")
    assert set(found.names[:2]) == {"search_code", "search_files"} and not found.confident


def test_the_only_tool_of_a_server_is_proposed_for_the_servers_name_if_it_reads_and_the_arguments_fit() -> None:
    entries = [Entry("memory__search_nodes", "", ["query"]), Entry("slack__post_message", "", ["text"])]
    assert SuggestionIndex(entries).suggest("memory", {"query": "x"}) == Suggestions(("memory__search_nodes",), True)
    assert not SuggestionIndex(entries).suggest("memory", {"id": "x"}).confident
    assert not SuggestionIndex(entries).suggest("slack", {"text": "x"}).confident


def test_names_of_arguments_break_ties_and_speak_where_the_name_says_nothing() -> None:
    entries = [Entry("mail__send", "", ["to", "body"]), Entry("chat__send", "", lambda: ["channel", "body"])]
    assert SuggestionIndex(entries).suggest("send", {"channel": "x", "body": "x"}).names[0] == "chat__send"
    entries = [Entry("edit_file", "", ["old_string"]), Entry("glob", "", ["pattern"])]
    assert SuggestionIndex(entries).suggest("", {"old_string": "x"}) == Suggestions(("edit_file",), False)


def test_parameters_are_asked_for_only_when_arguments_came_and_only_of_few_tools() -> None:
    asked: list[str] = []
    names = [f"get_{noun}" for noun in NOUNS] + [f"list_{noun}" for noun in NOUNS]
    index = SuggestionIndex(
        Entry(name, "", lambda name=name: [name] if asked.append(name) else ["id"]) for name in names
    )  # type: ignore[misc]
    index.suggest("gett_customer")
    assert asked == []
    index.suggest("gett_customer", {"id": 1})
    assert 0 < len(set(asked)) <= 5
    index.suggest("frobnicate", {"id": 1})
    assert len(set(asked)) <= 25


def test_parameters_that_cannot_be_given_cost_no_suggestion() -> None:
    def broken() -> list[str]:
        raise RuntimeError("this schema cannot be built")

    index = SuggestionIndex([Entry("read_file", "", broken), Entry("read_mail", "", ["id"])])
    assert index.suggest("reed_file", {"path": "x"}) == Suggestions(("read_file", "read_mail"), True)


@pytest.mark.parametrize(
    ("called", "meant"),
    [
        ("board-firmware-initialize", "board-firmware-init"),
        ("docs.export_multi", "doc.export_multiple"),
        ("putFileInArchive", "putFilesIntoArchive"),
        ("get_org_members", "get_organization_member"),
        ("list_query", "list_queries"),
    ],
)
def test_a_name_with_the_same_words_in_other_forms_stands_alone(called: str, meant: str) -> None:
    names = ("board-firmware-flash", "doc.export", "doc.list", "createFile", "listFiles", "get_org_plan", "list_rooms")
    assert SuggestionIndex([*map(Entry, names), Entry(meant)]).suggest(called).names == (meant,)


@pytest.mark.parametrize(
    ("called", "names"),
    [
        ("transfer_from_account", ["transfer_to_account", "transfer_between_accounts"]),
        ("export_to_csv", ["export_from_csv", "export_csv_file"]),
        ("read_fil", ["read_file", "read_film"]),
        ("get_cast", ["get_case", "get_cast_members"]),
        ("get_gate", ["get_gateway", "list_gates"]),
    ],
)
def test_a_name_with_other_words_does_not_stand_alone(called: str, names: list[str]) -> None:
    assert set(SuggestionIndex(map(Entry, names)).suggest(called).names) == set(names)


# --- a wrong one is never sold as certain


def test_a_tool_that_does_harm_is_not_named_for_another_thing() -> None:
    tools = "delete_repo delete_user read_file write_file create_issue update_record send_email list_tables".split()
    for called, unwanted in (
        ("delete_file", ("delete_repo", "delete_user")),
        ("drop_table", ("delete_repo", "delete_user")),
        ("delete_widget", ("delete_repo", "delete_user")),
        ("create_invoice", ("create_issue",)),
        ("edit_email", ("update_record",)),
    ):
        assert not set(unwanted) & set(ask(tools, called).names), called
    for called, wanted in (
        ("remove_repository", "delete_repo"),
        ("remove_users", "delete_user"),
        ("create_ticket", "create_issue"),
        ("send_message", "send_email"),
        ("write_fiel", "write_file"),
        ("delete", "delete_repo"),
    ):
        assert ask(tools, called).names[0] == wanted


def test_a_reading_call_never_leads_to_a_tool_that_destroys() -> None:
    assert ask(["delete_file", "list_files"], "readfile", path="x") == Suggestions(("list_files",), False)
    assert ask(["delete_file"], "readfile", path="x") == Suggestions((), False)


@pytest.mark.parametrize("pair", OPPOSITES, ids="-".join)
@pytest.mark.parametrize("noun", ["file", "user", "door", "repo_issue"])
def test_opposites_are_never_proposed_for_one_another(pair: tuple[str, str], noun: str) -> None:
    for style in STYLES:
        for there, called in (pair, pair[::-1]):
            tool = Entry(styled(style, there, noun), f"Works on a {noun}.", ["path"])
            index = SuggestionIndex([tool, Entry("unrelated_thing")])
            assert not index.suggest(styled(style, called, noun), {"path": "x"}).confident


@pytest.mark.parametrize(
    ("there", "called"),
    [
        ("create_issue_comment", "create_issue"),
        ("create_issue", "create_issue_comment"),
        ("get_user_orders", "get_user"),
        ("get_host", "get_post"),
        ("restart_server", "start_server"),
        ("send_email", "resend_email"),
        ("get_v1_user", "get_v2_user"),
        ("light_turn_on", "light_turn_off"),
        ("get_first_page", "get_last_page"),
        ("set_user", "gt_user"),
        ("read_file", "frobnicate_file"),
        ("github__status", "git__status"),
        ("gitlab__create_issue", "github__create_issue"),
        ("file", "delete.file"),
        ("delete_label", "remove_label"),
        ("delete_file", "file"),
        ("handoff", "search"),
        ("tracker_get_issue_history", "get_issue"),
        ("quarry_delete_user", "delete_user"),
    ],
)
def test_what_is_near_but_something_else_is_never_proposed(there: str, called: str) -> None:
    assert not ask([there, "unrelated_thing"], called).confident


def test_of_two_servers_with_the_same_tool_none_is_proposed() -> None:
    found = ask(["tracker_get_issue", "quarry_get_issue"], "get_issue")
    assert (sorted(found.names), found.confident) == (["quarry_get_issue", "tracker_get_issue"], False)


def test_two_that_are_equally_near_are_both_named_and_none_is_proposed() -> None:
    assert ask(["delete_files", "delete_file"], "delete_fil") == Suggestions(("delete_file", "delete_files"), False)
    assert ask(["a__read", "b__read"], "read") == Suggestions(("a__read", "b__read"), False)
    many = [f"srv{number}__{verb}_song" for number in range(20) for verb in ("get", "copy", "play", "share")]
    assert not ask(many, "get_song").confident
    assert ask(many, "srv7__gt_song").names[0] == "srv7__get_song"


def test_nothing_is_named_when_nothing_speaks_for_any() -> None:
    assert ask(["search_joke", "search_image"], "multi_tool_use.parallel") == Suggestions((), False)
    assert ask(["read_file", "grep"], "frobnicate", zorp="x") == Suggestions((), False)
    assert ask([], "read_file") == Suggestions((), False)


def test_names_for_the_tools_of_another_set_are_never_proposed() -> None:
    toolsets = list({id(case.toolset): case.toolset for case in invented()}.values())
    names = {
        id(index): [entry.name for entry in entries]
        for index, entries in zip(toolsets, invented_toolsets(), strict=True)
    }
    proposed = [
        (name, found.names[0])
        for index in toolsets
        for other in toolsets
        for name in names[id(other)]
        if other is not index and (found := index.suggest(name)).confident
    ]
    assert proposed == []


# --- field tests


def invented_toolsets() -> list[list[Entry]]:
    toolsets: list[list[Entry]] = []
    for mark, rest in lines_of("invented_names.txt"):
        if mark == "=":
            toolsets.append([])
        elif mark != "?":
            toolsets[-1].append(entry_of(f"{mark} {rest}"))
    return toolsets


def invented() -> Iterator[Case]:
    indexes = iter([SuggestionIndex(entries) for entries in invented_toolsets()])
    for mark, rest in lines_of("invented_names.txt"):
        if mark == "=":
            index = next(indexes)
        elif mark == "?":
            call, _, meant = rest.partition(" -> ")
            called, _, keys = call.partition(" ")
            yield Case(index, called, {key: "x" for key in keys.split(",") if key}, meant)


def of_other_agents() -> Iterator[Case]:
    agents: list[list[tuple[str, Entry]]] = []
    for mark, rest in lines_of("agent_tools.txt"):
        if mark == "=":
            agents.append([])
        else:
            agents[-1].append((mark, entry_of(rest)))
    for tools in agents:
        index = SuggestionIndex(entry for _, entry in tools)
        does = {purpose: entry.name for purpose, entry in tools}
        for purpose, entry in (pair for other in agents if other is not tools for pair in other):
            if purpose in does.keys() - {"-"} and entry.name not in does.values():
                keys = list(entry.parameters)[:2]  # type: ignore[arg-type]
                yield Case(index, entry.name, dict.fromkeys(keys, "x"), does[purpose])


def test_invented_names() -> None:
    figures = measure(invented())
    assert figures.first >= 0.87
    assert figures.among_three >= 0.95
    assert figures.wrongly_confident == 0


def test_names_of_other_agents() -> None:
    figures = measure(of_other_agents())
    assert figures.first >= 0.85
    assert figures.among_three >= 0.96
    assert figures.wrongly_confident < 0.01


class Tool(NamedTuple):
    """A generated tool, with what it was made of."""

    entry: Entry
    verb: str
    noun: str
    tail: str


class Field(NamedTuple):
    """A generated toolset."""

    tools: list[Tool]
    style: str
    toolset: SuggestionIndex


def field_of(seed: int) -> Field:
    """A toolset of 5 to 40 tools: verbs times nouns in one style, on one server, on several, or without a namespace."""
    chance = random.Random(seed)
    style = chance.choice(STYLES)
    servers = chance.sample(SERVERS, chance.choice((1, 1, 2, 3)))
    space = chance.choice(SPACES)
    pairs = [
        (verb, noun)
        for noun in chance.sample(sorted(NOUNS), chance.randint(2, 10))
        for verb in chance.sample(sorted(VERBS), 6)
    ]
    tools = []
    for verb, noun in chance.sample(pairs, min(len(pairs), chance.randint(5, 40))):
        tail = styled(style, verb, noun + "s" if verb in ("list", "search") else noun)
        text, _, parameter = NOUNS[noun]
        description = VERBS[verb][0].format(text) + chance.choice(
            (".", ", with its details.", " of the current account.")
        )
        name = space.format(servers[sorted(NOUNS).index(noun) % len(servers)]) + tail
        tools.append(
            Tool(Entry(name, description, ("query",) if verb == "search" else (parameter, "limit")), verb, noun, tail)
        )
    return Field(tools, style, SuggestionIndex([tool.entry for tool in tools]))


FIELDS = [field_of(seed) for seed in range(240)]


def misspelt(chance: random.Random, name: str, edits: int) -> str:
    """A name with letters dropped, doubled by a wrong one, replaced, or swapped with the next."""
    for _ in range(edits):
        place = chance.randrange(len(name) - 1)
        name = chance.choice(
            (
                name[:place] + name[place + 1 :],
                name[:place] + chance.choice(string.ascii_lowercase) + name[place:],
                name[:place] + chance.choice(string.ascii_lowercase) + name[place + 1 :],
                name[:place] + name[place + 1] + name[place] + name[place + 2 :],
            )
        )
    return name


def slips(edits: int) -> Iterator[Case]:
    chance = random.Random(edits)
    for field in FIELDS:
        names = {tool.entry.name for tool in field.tools}
        for tool in field.tools[:5]:
            called = tool.entry.name[: -len(tool.tail)] + misspelt(chance, tool.tail, edits)
            if called not in names:
                yield Case(field.toolset, called, {}, tool.entry.name)


def wrong_spaces() -> Iterator[Case]:
    """Names whose namespace is missing or doubled, or there although the tool has none."""
    for number, field in enumerate(FIELDS):
        tails = [tool.tail for tool in field.tools]
        for tool in field.tools[:5]:
            space = tool.entry.name[: -len(tool.tail)]
            if not space:
                yield Case(
                    field.toolset,
                    ("mcp__files__", "server.", "functions.", "creating:")[number % 4] + tool.tail,
                    {},
                    tool.tail,
                )
            elif tails.count(tool.tail) == 1:
                yield Case(field.toolset, (tool.tail, space + tool.entry.name)[number % 2], {}, tool.entry.name)


def paraphrases() -> Iterator[Case]:
    """Names made from other words for the verb, the noun or both; half of them with the arguments that the tool has."""
    chance = random.Random(7)
    for field in FIELDS:
        names = {tool.entry.name for tool in field.tools}
        for tool in field.tools[:5]:
            verb = chance.choice((*VERBS[tool.verb][1], tool.verb))
            noun = chance.choice(NOUNS[tool.noun][1] if verb == tool.verb else (*NOUNS[tool.noun][1], tool.noun))
            called = styled(field.style, verb, noun)
            keys = chance.choice(([], list(tool.entry.parameters)))  # type: ignore[arg-type]
            if called not in names:
                yield Case(field.toolset, called, dict.fromkeys(keys, "x"), tool.entry.name)


@pytest.mark.parametrize(("edits", "confident"), [(1, 0.9), (2, 0.7)])
def test_misspellings(edits: int, confident: float) -> None:
    figures = measure(slips(edits))
    assert figures.among_three >= 0.99
    assert figures.first >= 0.98
    assert figures.confident >= confident
    assert figures.wrongly_confident < 0.005


def test_missing_and_doubled_namespaces() -> None:
    figures = measure(wrong_spaces())
    assert figures.among_three >= 0.99
    assert figures.confident >= 0.9
    assert figures.wrongly_confident < 0.005


def test_paraphrases() -> None:
    figures = measure(paraphrases())
    assert figures.first >= 0.85
    assert figures.among_three >= 0.93
    assert figures.wrongly_confident < 0.005


@pytest.mark.parametrize("style", ["snake", "camel"])
def test_a_large_toolset_is_searched_as_well(style: str) -> None:
    words = [(verb, noun) for verb in VERBS for noun in NOUNS]
    entries = [
        Entry("acme__" + styled(style, verb, noun), VERBS[verb][0].format(NOUNS[noun][0])) for verb, noun in words
    ]
    index, chance = SuggestionIndex(entries), random.Random(11)
    picked = [(entries[number].name, *words[number]) for number in chance.sample(range(len(words)), 100)]
    slips = [Case(index, "acme__" + misspelt(chance, name[6:], 1), {}, name) for name, _, _ in picked]
    assert measure(slips).first >= 0.97
    assert measure(Case(index, name[6:], {}, name) for name, _, _ in picked) == Figures(1.0, 1.0, 1.0, 0.0)
    others = [Case(index, styled(style, chance.choice(VERBS[verb][1]), noun), {}, name) for name, verb, noun in picked]
    assert measure(others).among_three >= 0.8
    assert measure(others).wrongly_confident < 0.02


def test_ten_thousand_names() -> None:
    names = [
        f"srv{number % 50}__{verb}_{noun}_{number}"
        for number in range(10_000)
        for verb, noun in [("read", "page"), ("get", "file")][number % 2 :][:1]
    ]
    index = index_of("analyze_weather", *names)
    assert index.suggest("srv7__gte_file_57").names[0] == "srv7__get_file_57"
    assert index.suggest("weather_analysis_of_today").names[0] == "analyze_weather"
    assert index.suggest("nothing_at_all") == Suggestions((), False)


# --- untrusted input, memory


HOSTILE = [
    "",
    "###",
    "x" * 10**6,
    "pagesend" * 24 + "q",
    "getget" * 40,
    "\ud800\udfff",
    "\x00\x1b[2J\u202e",
    "Aa" * 100,
    "a_" * 100,
    "1" * 200,
    "_" * 200,
    "(" * 200,
    "\ufdfa" * 200,
    "\u0130" * 100,
    "__",
    "::",
    "a" * 150 + "__",
]


@pytest.mark.parametrize("called", HOSTILE, ids=range(len(HOSTILE)))
def test_any_text_may_be_called(called: str) -> None:
    odd = [
        Entry("\ud800x\n", "\x00"),
        Entry("", ""),
        Entry("###", "d"),
        Entry("z" * 10**5, "y" * 10**6),
        Entry("read_file", "Reads.", ["path"]),
    ]
    arguments = {str(number) * 100: number for number in range(1000)}
    found = SuggestionIndex(odd).suggest(called, arguments)
    assert not found.confident and len(found.names) <= 3
    large = SuggestionIndex(
        Entry(f"tool_{number}\n" if number % 3 else f"\u0130tool{number}", "desc") for number in range(200)
    )
    assert not large.suggest(called, arguments).confident


@given(
    st.lists(st.text(st.characters(exclude_categories=()), max_size=30), max_size=80),
    st.text(st.characters(exclude_categories=()), max_size=300),
    st.dictionaries(st.text(max_size=5), st.none(), max_size=4),
    st.integers(0, 5),
)
@settings(max_examples=200, deadline=None)
def test_names_exist_and_are_as_many_as_asked_for(
    names: list[str], called: str, arguments: dict[str, None], limit: int
) -> None:
    found = index_of(*names).suggest(called, arguments, limit=limit)
    assert len(found.names) <= limit and set(found.names) <= set(names)
    assert found.names or not found.confident
    assert found == index_of(*names).suggest(called, arguments, limit=limit)
    assert canonical_match(called, names) in {None, *names}


def test_an_answer_is_remembered_and_old_ones_are_forgotten() -> None:
    asked: list[str] = []

    def parameters() -> list[str]:
        asked.append("once")
        return ["path"]

    index = SuggestionIndex([Entry("read_file", "", parameters)])
    first = index.suggest("file_reader", {"path": 1})
    count = len(asked)
    assert index.suggest("file_reader", {"path": 2}) is first and len(asked) == count
    for number in range(300):
        index.suggest(f"file_reader_{number}", {"path": 1})
    again = index.suggest("file_reader", {"path": 1})
    assert again == first and again is not first


# --- words of a called name that the tool's name lacks

ORDERS = [
    Entry("list_orders", "Orders of a customer, newest first.", ["customer_id", "limit"]),
    Entry("list_halls", "Concert halls.", ["seats"]),
    Entry("get_customer", "One customer.", ["customer_id"]),
    Entry("clear_orders", "Remove orders of a customer.", ["customer_id"]),
]


@pytest.mark.parametrize(
    ("called", "arguments", "best"),
    [
        ("list_customer_orders", {"customer_id": 7}, "list_orders"),
        ("listConcertHalls", {"seats": 90}, "list_halls"),
        ("list_concert_halls", {}, "list_halls"),
    ],
)
def test_a_word_that_an_argument_or_the_description_keeps_is_not_lost(called, arguments, best):
    found = SuggestionIndex(ORDERS).suggest(called, arguments)
    assert (found.names[0], found.confident) == (best, True)


@pytest.mark.parametrize(
    ("called", "arguments"),
    [
        ("list_customer_orders", {}),  # whose?
        ("list_customer_orders", {"buyer": 7}),
        ("list_late_orders", {"customer_id": 7}),
        ("list_customer_late_orders", {"customer_id": 7}),
        ("list_newest_orders", {"customer_id": 7}),  # a word from further on in the description
        ("list_orders_without_customer", {"customer_id": 7}),
        ("clear_customer_orders", {"customer_id": 7}),
    ],
)
def test_a_word_that_nothing_keeps_prevents_a_clear_proposal(called, arguments):
    assert not SuggestionIndex(ORDERS).suggest(called, arguments).confident


def test_of_two_likely_tools_the_one_whose_description_has_the_word_comes_first():
    tools = [Entry("edit_note", "Replace passages of a note."), Entry("move_note", "Move or rename a note.")]
    assert SuggestionIndex(tools).suggest("rename").names[0] == "move_note"
    assert SuggestionIndex(tools[::-1]).suggest("rename").names[0] == "move_note"


# --- canonical equality


@pytest.mark.parametrize("name", ["read_file", "Read-File", "readFile", "READ FILE", "read.file", "_read__file_"])
def test_canonical_takes_style_away(name: str) -> None:
    assert canonical(name) == "readfile"


@pytest.mark.parametrize(
    ("called", "names", "match"),
    [
        ("Read-File", ["read_file", "write_file"], "read_file"),
        ("readfile", ["readFile", "read_file"], None),
        ("reed_file", ["read_file"], None),
        ("mcp__files__read_file", ["read_file"], "read_file"),
        ("files.readFile", ["read_file"], "read_file"),
        ("creating:view", ["view"], "view"),
        ("files/read_file", ["read_file", "write_file"], "read_file"),
        ("read_file", ["mcp__files__readFile", "x"], "mcp__files__readFile"),
        ("sequential-thinking", ["sequential-thinking__sequentialthinking"], "sequential-thinking__sequentialthinking"),
        ("read_file", ["a__read_file", "b__read_file"], None),
        ("read_file", ["a__read_file", "Read_File"], "Read_File"),
        ("a__read_file", ["b__read_file"], None),
        ("a__read_file", ["read_file", "b__write_file"], None),  # it is the file of another place
        ("functions.a__read_file", ["a__read_file", "b__write_file"], "a__read_file"),
        ("mcp__a__read_file", ["a__read_file", "b__write_file"], "a__read_file"),
        ("delete.file", ["file"], None),
        ("two\nlines", ["two\nLines", "x"], "two\nLines"),
        ("", ["a"], None),
        ("__", ["a", "_"], None),
        ("x" * 10**6, ["x"], None),
    ],
)
def test_canonical_match(called: str, names: list[str], match: str | None) -> None:
    assert canonical_match(called, names) == match


@pytest.mark.parametrize(
    ("called", "names", "named"),
    [
        ("purge_queues", ["purge_queue", "delete_queue", "get_queue"], "delete_queue"),
        ("archive_mesages", ["archive_messages", "remove_messages"], "remove_messages"),
    ],
)
def test_beside_a_misspelt_name_no_other_tool_that_changes_something_is_named(called, names, named) -> None:
    found = ask(names, called)
    assert found.names[0] == names[0]
    assert named not in found.names
