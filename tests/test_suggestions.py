"""Suggestions for a tool name that does not exist: musts, a generated field test, and hostile input."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mulligan.suggestions import Entry, NameIndex, Suggestions, canonical, canonical_match

# How the tables below were made. VERBS, NOUNS and WILD were written from memory of public tool servers and of names that
# models invent, before the table of synonyms in the package existed, and were not changed when that table was written or
# tuned. The same hand wrote both, so the overlap is that of ordinary English; the figures are no proof for strangers' names.

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

OPPOSITES = [("get", "delete"), ("list", "delete"), ("get", "update"), ("create", "delete"), ("start", "stop"), ("get", "create"),
             ("read", "write"), ("get", "set"), ("enable", "disable"), ("lock", "unlock"), ("open", "close"), ("push", "pull"),
             ("upload", "download"), ("import", "export"), ("install", "uninstall"), ("add", "remove"), ("show", "hide"),
             ("approve", "reject"), ("subscribe", "unsubscribe"), ("grant", "revoke"), ("mount", "unmount"), ("increase", "decrease"),
             ("connect", "disconnect"), ("encrypt", "decrypt"), ("archive", "unarchive"), ("pause", "resume"), ("buy", "sell")]  # fmt: skip

# tools as name(parameters): description; then calls that do not exist, each with the tool that was meant
WILD = """
= files
read_text_file(path, head, tail): Read the complete contents of a file as text.
write_file(path, content): Create a new file or overwrite an existing one.
edit_file(path, edits): Make line-based edits to a text file.
create_directory(path): Make sure that a directory exists.
list_directory(path): List files and directories in a path.
directory_tree(path): Recursive tree of files as JSON.
move_file(source, destination): Move or rename files.
search_files(path, pattern): Search for files that match a glob pattern.
get_file_info(path): Size, times and permissions of a file.
? cat path -> read_text_file
? open_file path -> read_text_file
? ls path -> list_directory
? mkdir path -> create_directory
? rename_file source,destination -> move_file
? find_files pattern -> search_files
? glob pattern -> search_files
? file_stats path -> get_file_info
? replace_in_file path,old,new -> edit_file
? save_file path,content -> write_file
? get_file_contents path -> read_text_file
= github
github__create_issue(owner, repo, title, body): Open a new issue in a repository.
github__get_issue(owner, repo, issue_number): Get one issue.
github__add_issue_comment(owner, repo, issue_number, body): Comment on an issue.
github__create_pull_request(owner, repo, title, head, base): Open a pull request.
github__merge_pull_request(owner, repo, pull_number): Merge a pull request.
github__get_pull_request_files(owner, repo, pull_number): Files changed in a pull request.
github__search_repositories(query): Search for repositories.
github__search_code(q): Search code across repositories.
github__list_commits(owner, repo, sha): Commits of a branch.
github__fork_repository(owner, repo): Fork a repository to your account.
github__create_branch(owner, repo, branch): Create a branch.
? open_issue owner,repo,title -> github__create_issue
? github__comment_on_issue owner,repo,body -> github__add_issue_comment
? view_issue issue_number -> github__get_issue
? create_pr title,head,base -> github__create_pull_request
? github__get_pr_diff pull_number -> github__get_pull_request_files
? git_log repo -> github__list_commits
? find_repos query -> github__search_repositories
? grep_code q -> github__search_code
? clone_repo repo -> github__fork_repository
? new_branch branch -> github__create_branch
? file_bug title,body -> github__create_issue
= browser
browser_navigate(url): Go to a URL.
browser_click(element, ref): Click on an element of the page.
browser_type(element, ref, text): Type text into an editable element.
browser_snapshot(): Accessibility snapshot of the current page.
browser_take_screenshot(filename): Take a screenshot of the current page.
browser_press_key(key): Press a key on the keyboard.
browser_tab_list(): List browser tabs.
browser_close(): Close the page.
browser_wait_for(time, text): Wait for text to appear or a time to pass.
browser_console_messages(): All console messages.
browser_evaluate(function): Evaluate a JavaScript expression.
browser_select_option(element, values): Choose an option in a dropdown.
? open_url url -> browser_navigate
? goto url -> browser_navigate
? get_page_content  -> browser_snapshot
? screenshot  -> browser_take_screenshot
? tap_element element -> browser_click
? fill_input element,text -> browser_type
? execute_javascript code -> browser_evaluate
? sleep time -> browser_wait_for
? get_console_logs  -> browser_console_messages
? visit_page url -> browser_navigate
? show_tabs  -> browser_tab_list
? keyboard_press key -> browser_press_key
= shop
find_order(order_id): Find an order by its number.
cancel_pending_order(order_id, reason): Cancel an order that was not shipped.
return_delivered_items(order_id, item_ids): Return items of an order.
modify_shipping_address(order_id, address): Change where an order is sent.
get_user_details(user_id): Name, address and payment methods of a user.
list_product_types(): All product types with ids.
calculate(expression): Work out a mathematical expression.
transfer_to_human(summary): Hand the user over to a person.
issue_gift_card(user_id, amount): Give the user a gift card.
? track_order order_id -> find_order
? order_status order_id -> find_order
? refund_items order_id,item_ids -> return_delivered_items
? update_delivery_address order_id,address -> modify_shipping_address
? customer_info user_id -> get_user_details
? get_catalog  -> list_product_types
? calculator expression -> calculate
? escalate summary -> transfer_to_human
? abort_order order_id -> cancel_pending_order
? math expression -> calculate
= assistant
get_current_weather(location, unit): Current weather of a place.
web_search(query): Search the web.
send_email(to, subject, body): Send an email.
get_stock_price(symbol): Last price of a share.
set_reminder(text, time): Set a reminder.
translate_text(text, target_language): Translate text.
play_music(song): Play a song.
get_directions(origin, destination): Route between two places.
create_event(title, start): Put an event in the calendar.
run_python(code): Run Python code in a sandbox.
generate_image(prompt): Draw an image from a prompt.
get_news(topic): Latest headlines.
? weather_lookup city -> get_current_weather
? temperature location -> get_current_weather
? google query -> web_search
? internet_search query -> web_search
? mail to,subject,body -> send_email
? stock_quote symbol -> get_stock_price
? remind_me text,time -> set_reminder
? play_song song -> play_music
? navigation origin,destination -> get_directions
? schedule_meeting title,start -> create_event
? code_interpreter code -> run_python
? text_to_image prompt -> generate_image
? dalle prompt -> generate_image
? headlines topic -> get_news
? python code -> run_python
? add_to_calendar title,start -> create_event
= database
list_schemas(): List the schemas of the database.
list_objects(schema): Tables and views of a schema.
get_object_details(object_name): Columns, constraints and indexes of a table.
execute_sql(sql): Run any SQL statement.
explain_query(sql): Show the execution plan of a query.
analyze_db_health(): Check the health of the database.
? show_tables schema -> list_objects
? describe_table table -> get_object_details
? run_query query -> execute_sql
? query_database query -> execute_sql
? select sql -> execute_sql
? query_plan sql -> explain_query
? count_records table -> execute_sql
? get_columns table -> get_object_details
? health_check  -> analyze_db_health
= ops
kubectl_get(resource, namespace): Get Kubernetes resources.
kubectl_describe(resource, name): Describe a resource in detail.
kubectl_logs(pod, tail): Logs of a pod.
kubectl_delete(resource, name): Delete a resource.
kubectl_apply(manifest): Create or change resources from YAML.
exec_in_pod(pod, command): Run a command in a pod.
scale_deployment(name, replicas): Set how many replicas run.
rollout_restart(name): Restart a deployment.
? get_pod_logs pod -> kubectl_logs
? shell pod,command -> exec_in_pod
? restart_deployment name -> rollout_restart
? resize_deployment name,replicas -> scale_deployment
? deploy manifest -> kubectl_apply
? list_pods namespace -> kubectl_get
? remove_resource resource,name -> kubectl_delete
? inspect_resource resource,name -> kubectl_describe
= notes
notion.search(query): Search pages and databases.
notion.retrieve_page(page_id): Read a page.
notion.append_block(page_id, text): Add text at the end of a page.
slack.chat_post_message(channel, text): Post to a channel.
slack.conversations_history(channel, limit): Latest messages of a channel.
slack.users_list(): Everybody in the workspace.
memory.create_entities(entities): Put new entities into the knowledge graph.
memory.read_graph(): The whole knowledge graph.
memory.delete_entities(names): Remove entities from the graph.
? slack.send_message channel,text -> slack.chat_post_message
? slack_read_channel channel -> slack.conversations_history
? get_page page_id -> notion.retrieve_page
? notion_write page_id,text -> notion.append_block
? list_members  -> slack.users_list
? recall  -> memory.read_graph
? remember entities -> memory.create_entities
? forget names -> memory.delete_entities
? store_memory entities -> memory.create_entities
"""


class Case(NamedTuple):
    """A call of a tool that does not exist, and the tool that was meant."""

    tools: list[Entry]
    called: str
    arguments: dict[str, str]
    meant: str


def wild_cases() -> Iterator[Case]:
    tools: list[Entry] = []
    for line in WILD.strip().splitlines():
        mark, _, rest = line.partition(" ")
        if mark == "=":
            tools = []
        elif mark == "?":
            called, _, meant = rest.partition(" -> ")
            name, _, keys = called.partition(" ")
            yield Case(tools, name, {key: "x" for key in keys.split(",") if key}, meant)
        else:
            head, _, description = line.partition(": ")
            name, _, parameters = head.rstrip(")").partition("(")
            tools.append(Entry(name, description, [each for each in parameters.split(", ") if each]))


STYLES = ("snake", "camel", "kebab", "Pascal", "dot")
SPACES = ("", "", "", "{0}__", "mcp__{0}__", "{0}.", "{0}:", "{0}/", "{0}_")
SERVERS = ("github", "acme", "workspace", "crm", "filesystem", "jira", "home-assistant", "shopify", "google_drive", "k8s")
LETTERS = "abcdefghijklmnopqrstuvwxyz"


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
    index: NameIndex


def styled(style: str, *words: str) -> str:
    parts = [part for word in words for part in word.split("_")]
    if style == "camel":
        return parts[0] + "".join(map(str.capitalize, parts[1:]))
    if style == "Pascal":
        return "".join(map(str.capitalize, parts))
    return {"snake": "_", "kebab": "-", "dot": "_"}[style].join(parts)


def field_of(seed: int) -> Field:
    """A toolset of 5 to 40 tools: verbs times nouns in one style, on one server, on several, or without a namespace."""
    chance = random.Random(seed)
    style = chance.choice(STYLES)
    servers = chance.sample(SERVERS, chance.choice((1, 1, 2, 3)))
    space = chance.choice(SPACES)
    pairs = [(verb, noun) for noun in chance.sample(sorted(NOUNS), chance.randint(2, 10)) for verb in chance.sample(sorted(VERBS), 6)]
    tools = []
    for verb, noun in chance.sample(pairs, min(len(pairs), chance.randint(5, 40))):
        tail = styled(style, verb, noun + "s" if verb in ("list", "search") else noun)
        text, _, parameter = NOUNS[noun]
        description = VERBS[verb][0].format(text) + chance.choice((".", ", with its details.", " of the current account."))
        name = space.format(servers[sorted(NOUNS).index(noun) % len(servers)]) + tail
        tools.append(Tool(Entry(name, description, ("query",) if verb == "search" else (parameter, "limit")), verb, noun, tail))
    return Field(tools, style, NameIndex([tool.entry for tool in tools]))


FIELDS = [field_of(seed) for seed in range(240)]


def misspelt(chance: random.Random, name: str, edits: int) -> str:
    """A name with letters dropped, doubled by a wrong one, replaced, or swapped with the next."""
    for _ in range(edits):
        place = chance.randrange(len(name) - 1)
        name = chance.choice(
            (
                name[:place] + name[place + 1 :],
                name[:place] + chance.choice(LETTERS) + name[place:],
                name[:place] + chance.choice(LETTERS) + name[place + 1 :],
                name[:place] + name[place + 1] + name[place] + name[place + 2 :],
            )
        )
    return name


def slips(edits: int) -> Iterator[tuple[Field, Tool, str]]:
    chance = random.Random(edits)
    for field in FIELDS:
        names = {tool.entry.name for tool in field.tools}
        for tool in field.tools[:12]:
            called = tool.entry.name[: -len(tool.tail)] + misspelt(chance, tool.tail, edits)
            if called not in names:
                yield field, tool, called


def wrong_spaces() -> Iterator[tuple[Field, Tool, str]]:
    """Names whose namespace is missing, doubled, or there although the tool has none."""
    for number, field in enumerate(FIELDS):
        tails = [tool.tail for tool in field.tools]
        for tool in field.tools[:12]:
            space = tool.entry.name[: -len(tool.tail)]
            if space and tails.count(tool.tail) == 1:
                yield field, tool, (tool.tail, space + tool.entry.name)[number % 2]
            elif not space:
                yield field, tool, ("mcp__files__", "server.", "functions.", "creating:")[number % 4] + tool.entry.name


def paraphrases() -> Iterator[tuple[Field, Tool, str, dict[str, str]]]:
    """Names made from other words for the verb, the noun or both; half of them with the arguments that the tool has."""
    chance = random.Random(7)
    for field in FIELDS:
        names = {tool.entry.name for tool in field.tools}
        for tool in field.tools[:12]:
            verb = chance.choice((*VERBS[tool.verb][1], tool.verb))
            noun = chance.choice(NOUNS[tool.noun][1] if verb == tool.verb else (*NOUNS[tool.noun][1], tool.noun))
            called = styled(field.style, verb, noun)
            if called not in names:
                yield field, tool, called, chance.choice(({}, dict.fromkeys(tool.entry.parameters, "x")))


def share(flags: list[bool]) -> float:
    return sum(flags) / len(flags)
