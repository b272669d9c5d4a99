"""After a missing thing, a conflict or an unknown effect, the model is told which tool shows what is there."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mulligan import Pipeline, Tool, errors
from mulligan.plugin import AuthorMessage


def reader(name: str, *required: str, optional: tuple[str, ...] = (), about: str = "", **options: Any) -> Tool:
    properties = {one: {"type": "string"} for one in (*required, *optional)}
    parameters = {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}
    return Tool.from_schema(name, about, parameters, dict, **{"read_only": True, **options})


def step(error: Exception, name: str, arguments: dict[str, Any], *others: Tool, **options: Any) -> str:
    """The next step after a call that fails."""

    def handler(**_: Any) -> None:
        raise error

    failing = Tool.from_schema(name, "", {"type": "object", "properties": {}}, handler, **options)
    with Pipeline([failing, *others], autoload=False) as pipeline:
        return pipeline.call(name, arguments).content.splitlines()[-1]


def proposed(text: str) -> dict[str, Any]:
    """The call in a step."""
    call: dict[str, Any] = json.loads(text[text.index("{") :])
    return call


@pytest.mark.parametrize(
    ("name", "arguments", "resource", "other", "filled"),
    [
        (
            "read_file",
            {"path": "src/app/main.py"},
            "src/app/main.py",
            reader("list_directory", "path"),
            {"path": "src/app"},
        ),
        (
            "get_file_contents",
            {"owner": "acme", "repo": "shop", "path": "docs/a.md"},
            "docs/a.md",
            reader("list_files", "owner", "repo", optional=("folder",)),
            {"owner": "acme", "repo": "shop", "folder": "docs"},
        ),
        ("send_message", {"channel": "ops", "text": "hi"}, "ops", reader("channels.list"), {}),
        ("close_ticket", {"ticket_id": "T-9"}, "T-9", reader("get_tickets"), {}),
        (
            "describe_table",
            {"database": "crm", "table": "client"},
            "client",
            reader("tables-list", "database"),
            {"database": "crm"},
        ),
        (
            "get_customer",
            {"customer_id": "Ana Silva"},
            "Ana Silva",
            reader("search_customers", "text"),
            {"text": "Ana Silva"},
        ),
        (
            "get_recipe",
            {"book": "b7", "recipe": "Plum cake"},
            "Plum cake",
            reader("search_recipes", "book", optional=("text",)),
            {"book": "b7", "text": "Plum cake"},
        ),
        ("moveCard", {"cardId": "77", "list": "Doing"}, "Doing", reader("getLists", optional=("board",)), {}),
        ("play", {"playlist": "Focus"}, "Focus", reader("browse", about="The playlists of the user."), {}),
    ],
)
def test_what_exists_is_listed_or_searched(name, arguments, resource, other, filled):
    missing = errors.ResourceNotFoundError("It does not exist.", resource=resource)

    assert proposed(step(missing, name, arguments, other)) == {"name": other.name, "arguments": filled}


@pytest.mark.parametrize(
    ("error", "name", "arguments", "other", "filled"),
    [
        (
            errors.ResourceConflictError("It has changed."),
            "update_issue",
            {"owner": "a", "repo": "b", "number": "3", "title": "x"},
            reader("get_issue", "owner", "repo", "number"),
            {"owner": "a", "repo": "b", "number": "3"},
        ),
        (errors.ResourceConflictError("It exists."), "create_label", {"name": "x"}, reader("list_labels"), {}),
        (
            TimeoutError("timed out"),
            "acme_post_status",
            {"text": "x"},
            reader("acme_scheduled_statuses"),
            {},
        ),
        (
            errors.ResourceConflictError("It is taken."),
            "book_room",
            {"room_id": "r1", "day": "mon"},
            reader("room_schedule", "room_id"),
            {"room_id": "r1"},
        ),
        (
            errors.ResourceConflictError("It is locked."),
            "resizeDisk",
            {"diskId": "d-1", "gigabytes": "20"},
            reader("getDiskState", "diskId"),
            {"diskId": "d-1"},
        ),
        (
            TimeoutError("timed out"),
            "book_room",
            {"room_id": "r1", "day": "mon"},
            reader("get_room", "room_id"),
            {"room_id": "r1"},
        ),
        (
            ConnectionResetError("reset"),
            "create_order",
            {"reference": "A-7", "lines": "3"},
            reader("find_orders", optional=("reference", "status")),
            {"reference": "A-7"},
        ),
    ],
)
def test_the_present_state_is_read(error, name, arguments, other, filled):
    assert proposed(step(error, name, arguments, other)) == {"name": other.name, "arguments": filled}


def object_reader(name: str, *required: str) -> Tool:
    parts = {one: {"type": "object"} if one in ("key", "values") else {"type": "string"} for one in required}
    return Tool.from_schema(
        name, "", {"type": "object", "properties": parts, "required": list(required)}, dict, read_only=True
    )


def test_the_state_of_what_a_key_of_several_parts_identifies_is_read():
    changed = errors.ResourceConflictError("It has changed.")
    sent = {"table": "orders", "key": {"id": "7", "day": "mon"}, "values": {"a": 1}}
    told = step(changed, "update_row", sent, object_reader("get_row", "table", "key"))
    assert proposed(told) == {"name": "get_row", "arguments": {"table": "orders", "key": sent["key"]}}
    told = step(changed, "update_row", sent, object_reader("get_row", "table", "values"))
    assert "with this call" not in told


def told_without(argument: str, part: dict[str, Any], *others: Tool, read_only: bool = False) -> str:
    """The step after a call of `update_note` that lacks one required argument."""
    parts = {"note_id": {"type": "string"}, "text": {"type": "string"}, argument: part}
    schema = {"type": "object", "properties": parts, "required": list(parts), "additionalProperties": False}
    tool = Tool.from_schema("update_note", "Change a note.", schema, lambda **_: "done", read_only=read_only)
    result = Pipeline([tool, *others], autoload=False).call("update_note", {"note_id": "n1", "text": "x"})
    return result.content.splitlines()[-1]


@pytest.mark.parametrize(
    ("argument", "part"),
    [
        ("version", {"type": "integer"}),
        ("version", {"type": "string", "description": "The version that the note has now, as returned by a read."}),
        ("etag", {"type": "string"}),
        ("baseRevision", {"type": "string"}),
        ("if_match", {"type": "string"}),
        ("file_sha", {"type": "string"}),
    ],
)
def test_a_state_that_a_change_must_repeat_is_read_first(argument, part):
    told = told_without(argument, part, reader("get_note", "note_id"))
    assert told.startswith(f'Next: see what "{argument}" is now, with this call: ')
    assert proposed(told) == {"name": "get_note", "arguments": {"note_id": "n1"}}


@pytest.mark.parametrize(
    ("argument", "part", "others"),
    [
        (
            "version",
            {"type": "string", "description": "The version to install, such as 2.1."},
            [reader("get_note", "note_id")],
        ),
        ("title", {"type": "string", "description": "The current title."}, [reader("get_note", "note_id")]),
        ("match", {"type": "string"}, [reader("get_note", "note_id")]),
        ("version", {"type": "integer"}, []),
        ("version", {"type": "integer"}, [reader("get_board", "board_id")]),
        ("version", {"type": "integer"}, [reader("get_note", "note_id", read_only=False)]),
    ],
)
def test_another_missing_argument_is_just_added(argument, part, others):
    assert told_without(argument, part, *others) == (
        f'Next: call update_note again with "{argument}" added, and the other arguments unchanged.'
    )


def test_a_tool_that_reads_changes_no_state():
    told = told_without("version", {"type": "integer"}, reader("get_note", "note_id"), read_only=True)
    assert told.startswith('Next: call update_note again with "version" added')


def test_a_tool_whose_name_is_only_what_is_shown_reads_no_one_thing():
    told = step(errors.ResourceConflictError("It is there."), "add_history", {"name": "x"}, reader("history", "name"))
    assert told == "Next: read the current state first, then decide what remains to be done."


MISSING = errors.ResourceNotFoundError("It does not exist.", resource="b1")


@pytest.mark.parametrize(
    "other",
    [
        reader("list_boards", read_only=False),
        reader("list_boards", "team"),
        reader("list_boards", "board_id"),
    ],
)
def test_without_a_whole_call_the_tool_is_only_named(other):
    """It is not declared read-only, or it needs what was not sent, or the very thing that is missing."""
    told = step(MISSING, "open_board", {"board_id": "b1"}, other)

    needed = "".join(f' (with "{name}")' for name in other.parameters["required"])
    assert told == (
        f"Next: call list_boards{needed} to see which exist, then call open_board again with one of them. "
        "Do not repeat this call."
    )


class UndefinedTable(errors.ResourceNotFoundError):
    """Named as drivers name what is missing."""


class NoSuchBucket(errors.ResourceNotFoundError):
    """Named as drivers name what is missing."""


@pytest.mark.parametrize(
    ("error", "name", "arguments", "other"),
    [
        (UndefinedTable("relation"), "run_sql", {"statement": "SELECT 1 FROM clients"}, "list_tables"),
        (NoSuchBucket("gone"), "download", {"address": "s3/a"}, "buckets.list"),
    ],
)
def test_the_type_of_an_exception_says_what_is_missing(error, name, arguments, other):
    assert proposed(step(error, name, arguments, reader(other))) == {"name": other, "arguments": {}}


@pytest.mark.parametrize(
    "error", [errors.ResourceNotFoundError("table"), KeyError("table"), FileNotFoundError("table")]
)
def test_the_text_of_an_exception_chooses_no_tool(error):
    assert "list_tables" not in step(error, "run_sql", {"statement": "SELECT 1 FROM clients"}, reader("list_tables"))


def test_what_is_in_a_folder_is_listed_if_it_was_taken_for_a_file(tmp_path):
    told = step(
        IsADirectoryError(21, "Is a directory", str(tmp_path)), "load", {"path": str(tmp_path)}, FOLDERS, FINDER
    )

    assert proposed(told) == {"name": "list_directory", "arguments": {"path": str(tmp_path)}}


FOLDERS = reader("list_directory", "path", about="Files and folders in a folder.")
FINDER = reader("search_files", "path", "pattern")


@pytest.mark.parametrize("text", ["no truck carries the pennant 'Orca'", 'There is no pennant "Orca" on the road.'])
def test_a_thing_that_is_read_by_another_name_for_it_is_listed(text):
    told = step(ValueError(text), "get_truck", {"pennant": "Orca"}, reader("list_trucks"), read_only=True)
    assert proposed(told) == {"name": "list_trucks", "arguments": {}}
    told = step(ValueError(text), "scrap_truck", {"pennant": "Orca"}, reader("list_trucks"))
    assert "list_trucks" not in told


def test_a_tool_that_needs_the_missing_name_shows_no_others():
    search = reader("find_entries", "shelf", "words", about="The books of a shelf that have these words.")

    assert "find_entries" not in step(MISSING, "count_books", {"shelf": "b1"}, search)


@pytest.mark.parametrize(
    "others",
    [
        [reader("list_invoices")],
        [reader("list_boards"), reader("show_boards")],
        [reader("list_board_members")],
        [reader("clear_boards", read_only=False, about="Lists and clears the boards.")],
        [reader("list_boards", read_only=False, destructive=True)],
        [reader("list_boards", "token", secret={"token"})],
        [reader("list_boards", tool_type="extension", provider="elsewhere")],
    ],
)
def test_another_tool_is_never_named_on_a_guess(others):
    """Of another kind, one of two, of a part, one that changes something, one with a secret, of another server."""
    told = step(MISSING, "open_board", {"board_id": "b1"}, *others)

    if others[0].name != "list_board_members":
        assert "list_boards" not in told
    assert "{" not in told


def test_a_secret_that_was_sent_is_not_handed_on():
    token = "ghp_" + "a1B2" * 9
    told = step(MISSING, "open_board", {"board_id": "b1", "workspace": token}, reader("list_boards", "workspace"))

    assert token not in told
    assert told.startswith('Next: call list_boards (with "workspace") to see which exist')


def test_a_report_that_names_another_tool_or_a_form_is_followed_only_so_far():
    with_tool = ValueError("too large to open; read it in parts with read_part")
    written = errors.ResourceNotFoundError("No board 7: board ids begin with B-.", resource="7")

    assert step(with_tool, "open_board", {"board_id": "b1"}, reader("read_part"), read_only=True) == (
        "Next: use the tool that is named in the text quoted above, if it does what you want. Do not repeat this call."
    )
    assert "read_part" not in step(with_tool, "open_board", {"board_id": "b1"}, read_only=True)
    assert "named in" not in step(with_tool, "open_board", {}, reader("read_part", read_only=False, about="Deletes."))
    assert "list_boards" in step(written, "open_board", {"board_id": "7"}, reader("list_boards"))


def test_a_fatal_failure_and_a_ready_correction_stay_as_they_are():
    fatal = errors.ToolPermissionError("You may not.")
    near = LookupError("no such table: client. Did you mean clients?")

    assert "list_tables" not in step(fatal, "read_table", {"table": "client"}, reader("list_tables"))
    told = step(near, "read_table", {"table": "client"}, reader("list_tables"), read_only=True)
    assert proposed(told) == {"name": "read_table", "arguments": {"table": "clients"}}


@pytest.mark.parametrize(
    ("error", "arguments", "other", "filled"),
    [
        (ValueError("Invalid zone code."), {"zone_code": "XX", "note": "a"}, reader("list_zone_codes"), {}),
        (
            RuntimeError("unknown carrier: acme"),
            {"carrier": "acme", "weight": 3},
            reader("list_carriers", optional=("country",)),
            {},
        ),
        (
            LookupError("row (depot)=(north) is not present in table depots"),
            {"depot": "north", "item": "a-1"},
            reader("depots.list"),
            {},
        ),
        (
            type("UnknownRack", (Exception,), {})("None"),
            {"hall": "b", "rack": "9"},
            reader("list_racks", "hall"),
            {"hall": "b"},
        ),
        (
            ValueError("Malformed key (north-hall) given, unable to decode"),
            {"hall_key": "north-hall", "note": "a"},
            reader("list_halls"),
            {},
        ),
    ],
)
def test_a_rejected_value_is_looked_up_where_a_tool_lists_its_kind(error, arguments, other, filled):
    assert proposed(step(error, "send_parcel", arguments, other)) == {"name": other.name, "arguments": filled}


@pytest.mark.parametrize(
    ("argument", "statement"),
    [
        ("query", "UPDATE tree SET age = 3 WHERE id = 7"),
        ("sql", "  delete from tree"),
        ("query", "SELECT * FROM tree"),
        ("statement", "MATCH (t:tree) RETURN t"),
        ("query", "-- tidy up\n/* old; ones */ BEGIN; DELETE FROM tree"),
        ("query", "(SELECT 1 FROM tree)"),
        ("shell_command", "rm -r tree"),
        ("script", "vacuum the tree"),
    ],
)
@pytest.mark.parametrize(
    "error", [errors.ResourceNotFoundError("No.", resource="tree"), RuntimeError("no such table: tree")]
)
def test_a_statement_goes_to_no_other_tool(error, argument, statement):
    others = [reader("read_query", argument), reader("search_rows", "query"), reader("find_text", optional=(argument,))]
    assert "{" not in step(error, "write_query", {argument: statement}, *others)


def kind_reader(name: str, argument: str = "repo_id", **options: Any) -> Tool:
    return reader(name, argument, **options)


@pytest.mark.parametrize(
    ("name", "other"),
    [("model_info", "dataset_info"), ("hub__get_song_text", "hub__get_poem_text"), ("pve.qemu.show", "pve.lxc.show")],
)
def test_what_may_be_of_another_kind_is_read_by_the_tool_for_that(name, other):
    told = Pipeline([missing(name), kind_reader(other)], autoload=False).call(name, {"repo_id": "a/b"}).content
    assert "Next: if it is of another kind or identified in another way, make this call" in told
    assert proposed(told.splitlines()[-1]) == {"name": other, "arguments": {"repo_id": "a/b"}}


def missing(name: str, **options: Any) -> Tool:
    def handler(**sent: Any) -> None:
        raise errors.ResourceNotFoundError("It does not exist.", resource=str(next(iter(sent.values()))))

    schema = kind_reader(name).parameters
    return Tool.from_schema(name, "", schema, handler, **{"read_only": True, **options})


@pytest.mark.parametrize(
    ("first", "others", "sent"),
    [
        (missing("model_info"), [kind_reader("dataset_info"), kind_reader("space_info")], "a/b"),
        (missing("model_info"), [kind_reader("dataset_info")], "77"),
        (missing("model_info"), [kind_reader("dataset_info", "dataset_id")], "a/b"),
        (missing("model_info"), [kind_reader("dataset_info", read_only=False)], "a/b"),
        (missing("model_info", read_only=False), [kind_reader("dataset_info")], "a/b"),
        (missing("get_object"), [kind_reader("stat_object")], "a/b"),
        (missing("staging_flag_info"), [kind_reader("production_flag_info")], "a/b"),
        (missing("public_key_text"), [kind_reader("private_key_text")], "a/b"),
        (missing("sent_mail_text"), [kind_reader("received_mail_text")], "a/b"),
        (missing("table_columns"), [kind_reader("table_indexes")], "a/b"),
    ],
)
def test_no_other_kind_is_guessed(first, others, sent):
    told = Pipeline([first, *others], autoload=False).call(first.name, {"repo_id": sent}).content
    assert "of another kind" not in told


@pytest.mark.parametrize(
    "text",
    ["Carrier must not be empty.", "The carrier is on strike.", "Unknown error.", "No carrier, no parcel: 7 left"],
)
def test_a_report_on_something_else_looks_nothing_up(text):
    last = step(ValueError(text), "send_parcel", {"carrier": "acme", "parcel": "7"}, reader("list_carriers"))
    assert "list_carriers" not in last


def test_a_number_is_searched_as_text():
    missing = errors.ResourceNotFoundError("It does not exist.", resource="5531")
    found = step(missing, "get_order", {"order_id": 5531}, reader("search_orders", optional=("query",)))
    assert proposed(found) == {"name": "search_orders", "arguments": {"query": "5531"}}


def test_a_reader_that_needs_nothing_lists():
    missing = errors.ResourceNotFoundError("It does not exist.", resource="12")
    assert proposed(step(missing, "assign", {"staff_id": "12"}, reader("getStaff")))["name"] == "getStaff"


@pytest.mark.parametrize(
    ("arguments", "other", "filled"),
    [
        ({"key": "beta", "label": "Beta"}, reader("get_badge", "badge_key"), {"badge_key": "beta"}),
        ({"badge_id": "B-4", "label": "Beta"}, reader("get_badge", "number"), {"number": "B-4"}),
        ({"shop_id": "S-1", "badge_id": "B-4"}, reader("get_badge", "id"), {"id": "B-4"}),
    ],
)
def test_the_two_tools_may_name_the_identifier_in_their_own_ways(arguments, other, filled):
    told = step(errors.ResourceConflictError("It has changed."), "update_badge", arguments, other)
    assert proposed(told) == {"name": "get_badge", "arguments": filled}


@pytest.mark.parametrize("arguments", [{"shop_id": "S-1"}, {"title": "Beta"}, {"badge_id": "1", "badge_code": "x"}])
def test_no_other_thing_and_no_text_is_taken_for_the_identifier(arguments):
    told = step(
        errors.ResourceConflictError("It has changed."), "update_badge", arguments, reader("get_badge", "number")
    )
    assert "{" not in told


def test_a_required_list_of_values_is_filled_only_with_what_leaves_nothing_out():
    def with_state(*values: str) -> Tool:
        schema = {"type": "object", "properties": {"state": {"enum": list(values)}}, "required": ["state"]}
        return Tool.from_schema("list_boards", "", schema, dict, read_only=True)

    sent = {"board_id": "b1"}
    assert proposed(step(MISSING, "open_board", sent, with_state("new", "old", "all")))["arguments"] == {"state": "all"}
    assert "{" not in step(MISSING, "open_board", sent, with_state("new", "old"))


def test_a_search_by_the_identifier_of_another_kind_of_thing_is_only_named():
    told = step(MISSING, "get_board", {"board_id": "b1"}, reader("search_boards", "workspace_id"))
    assert told.startswith('Next: call search_boards (with "workspace_id") to see which exist')


@pytest.mark.parametrize(
    ("arguments", "other", "filled"),
    [
        ({"user_id": "ida@example.com"}, reader("get_user_by_email", "email"), {"email": "ida@example.com"}),
        ({"app": "shop", "user": "chief"}, reader("get_user_by_role", "app", "role"), {"app": "shop", "role": "chief"}),
    ],
)
def test_a_thing_that_is_identified_in_another_way_is_read_so(arguments, other, filled):
    missing = errors.ResourceNotFoundError("It does not exist.", resource=next(iter(arguments.values())))
    assert proposed(step(missing, "get_user", arguments, other)) == {"name": other.name, "arguments": filled}


@pytest.mark.parametrize(
    ("arguments", "other"),
    [
        ({"user_id": "4711"}, reader("get_user_by_email", "email")),
        ({"user_id": "ida"}, reader("get_user_by_email", "email", read_only=False)),
        ({"user_id": "ida"}, reader("get_user_by_email", "email", "app")),
        ({"user_id": "ida"}, reader("get_user_groups", "name")),
    ],
)
def test_a_thing_is_not_read_in_another_way_on_a_guess(arguments, other):
    missing = errors.ResourceNotFoundError("It does not exist.", resource=arguments["user_id"])
    assert "{" not in step(missing, "get_user", arguments, other)


def test_no_report_chooses_the_tool_that_is_named():
    others = reader("list_passes", optional=("day",)), reader("list_secrets"), reader("list_members")
    for text in (
        "No member is called Ida. Visitors are found in the passes only.",
        "Not found. See the secrets instead.",
    ):
        told = step(LookupError(text), "find_member", {"query": "Ida"}, *others, read_only=True)
        assert "list_passes" not in told
        assert "list_secrets" not in told


@pytest.mark.parametrize("others", [[], [reader("list_labels", "color")], [reader("list_labels", read_only=False)]])
def test_what_exists_already_is_not_created_again(others):
    exists = errors.ResourceConflictError("It exists.", code="ALREADY_EXISTS")
    told = step(exists, "create_label", {"name": "x"}, *others)
    assert told == (
        "Next: do not create it again. If it is what you need, continue with the next step; otherwise use another name."
    )


def test_a_tool_that_is_only_named_is_named_with_what_it_requires():
    state = {"type": "object", "properties": {"state": {"enum": ["new", "old"]}}, "required": ["state"]}
    listing = Tool.from_schema("list_boards", "", state, dict, read_only=True)

    told = step(MISSING, "open_board", {"board_id": "b1"}, listing)
    assert told.startswith('Next: call list_boards (with "state": "new" or "old") to see which exist, then')
    told = step(MISSING, "open_board", {"board_id": "b1"}, reader("list_boards", "team"))
    assert told.startswith('Next: call list_boards (with "team") to see which exist, then')


@pytest.mark.parametrize(
    ("arguments", "filled"),
    [
        ({"folder": "in/boxes", "deep": "yes"}, {"deep": "yes", "folder": "in"}),
        ({"folder": "boxes"}, {}),
        ({"folder": "/boxes"}, {}),
    ],
)
def test_a_folder_that_does_not_exist_is_looked_up_in_the_one_above(arguments, filled):
    def handler(**_: Any) -> None:
        raise FileNotFoundError(2, "No such file or directory", arguments["folder"])

    schema = {"type": "object", "properties": {"folder": {"type": "string"}, "deep": {"type": "string"}}}
    with Pipeline([Tool.from_schema("list_files", "", schema, handler, read_only=True)], autoload=False) as pipeline:
        told = pipeline.call("list_files", arguments).content.splitlines()[-1]
    assert proposed(told) == {"name": "list_files", "arguments": filled}


def test_a_command_that_failed_offers_no_other_names():
    text = "Command '['git', 'branch', '--delete', '--', 'old']' failed: branch 'old' not found."
    told = step(errors.ResourceNotFoundError(text, resource="old"), "drop_branch", {"branch": "old"})
    assert "quoted above" not in told
    listed = LookupError("Branch 'old' does not exist; there are 'main', 'next'.")
    assert 'choose the right value for "branch" from those quoted' in step(listed, "drop_branch", {"branch": "old"})


def test_a_tool_that_only_reads_is_not_told_to_read_the_state_first():
    told = step(errors.ResourceConflictError("It is busy."), "read_page", {"page": "p1"}, read_only=True)
    assert told == "Next: call read_page again later with the same arguments, or take another approach."


@pytest.mark.parametrize(
    "text", ["no receipt for account 'ACME' was issued", "paid, but no code for the account 'ACME' could be sent"]
)
def test_what_is_missing_after_a_write_is_not_taken_for_a_missing_argument(make_pipeline, text):
    def send_payment(account: str) -> str:
        """Send a payment."""
        raise RuntimeError(text)

    def list_accounts() -> str:
        """List the accounts."""
        return ""

    pipeline = make_pipeline(Tool.from_function(send_payment), Tool.from_function(list_accounts, read_only=True))
    content = pipeline.call("send_payment", {"account": "ACME"}).content
    assert "Do not repeat this call before you know whether it took effect." in content
    assert "see which exist" not in content


@pytest.mark.parametrize(
    ("name", "lister"),
    [
        ("drop_index", "list_indexes"),
        ("delete_view", "list_views"),
        ("remove_filter", "list_filters"),
        ("save_query", "queries-list"),
    ],
)
def test_a_last_word_that_could_be_a_verb_is_the_kind_of_thing(name: str, lister: str) -> None:
    text = step(errors.ResourceNotFoundError("gone", resource="by_owner"), name, {"name": "by_owner"}, reader(lister))
    assert proposed(text) == {"name": lister, "arguments": {}}


def statement(name: str, about: str = "", **options: Any) -> Tool:
    return reader(name, "sql", about=about, **{"read_only": False, **options})


ONLY_READS = [
    RuntimeError("cannot execute INSERT in a read-only transaction"),
    ValueError("Only SELECT statements may be run by this tool"),
    RuntimeError("Writing is not permitted in this session"),
    AuthorMessage("db_query accepts only read queries"),
]


@pytest.mark.parametrize("error", ONLY_READS)
def test_a_statement_that_writes_is_sent_to_the_tool_that_runs_such(error: Exception) -> None:
    others = [statement("db_execute"), statement("make_chart"), reader("db_explain", "sql"), reader("list_tables")]
    told = step(error, "db_query", {"sql": "  Insert into trees values (1)"}, *others, read_only=True)
    assert told == (
        "Next: db_query only reads. If the user asked for this change, call db_execute with the same arguments instead."
    )


@pytest.mark.parametrize(
    ("error", "sql", "others"),
    [
        (ONLY_READS[1], "SELECT 1", [statement("db_execute")]),
        (RuntimeError("attempt to write a readonly database"), "delete from trees", [statement("db_execute")]),
        (RuntimeError("syntax error"), "delete from trees", [statement("db_execute")]),
        (ONLY_READS[0], "drop table trees", [statement("db_execute"), statement("db_run")]),
        (ONLY_READS[0], "drop table trees", [reader("db_execute", "sql", "database", read_only=False)]),
        (ONLY_READS[0], "drop table trees", [statement("db_execute", destructive=True)]),
        (
            ONLY_READS[0],
            "insert into trees values (1)",
            [statement("db_run", destructive=True), statement("db_execute")],
        ),
        (ONLY_READS[0], "drop table trees", [statement("db_execute", tool_type="extension", provider="elsewhere")]),
    ],
)
def test_no_tool_that_writes_is_named_on_a_guess(error: Exception, sql: str, others: list[Tool]) -> None:
    assert "db_execute" not in step(error, "db_query", {"sql": sql}, *others, read_only=True)
    assert "db_execute" not in step(ONLY_READS[0], "db_do", {"sql": "drop table trees"}, statement("db_execute"))


def test_an_identifier_is_no_statement_and_leads_to_no_tool_that_deletes() -> None:
    error = RuntimeError("The service is in read-only mode; writing is not allowed")
    other = reader("delete_user", "id", read_only=False)
    assert "delete_user" not in step(error, "get_user", {"id": "update-7"}, other, read_only=True)


def test_the_last_word_of_a_name_is_what_is_looked_up_though_it_may_be_a_verb() -> None:
    others = [reader("list_pipelines"), reader("list_pipeline_runs", "pipeline_id")]
    told = step(TimeoutError("timed out"), "start_pipeline_run", {"pipeline_id": "nightly"}, *others)
    assert proposed(told) == {"name": "list_pipeline_runs", "arguments": {"pipeline_id": "nightly"}}


@pytest.mark.parametrize("lister", ["snapshots", "backup-snapshots"])
def test_a_name_in_the_plural_lists(lister: str) -> None:
    told = step(LookupError("no snapshot 'ab12'"), "restore", {"snapshot": "ab12"}, reader(lister))
    assert proposed(told) == {"name": lister, "arguments": {}}


def test_another_failure_of_the_only_identifier_looks_nothing_up() -> None:
    error = RuntimeError("Invalid state of the server, the answer is not valid")
    assert "get_parcels" not in step(error, "get_parcel", {"parcel_id": "P-1"}, reader("get_parcels"), read_only=True)


def test_the_only_identifier_is_what_is_badly_formed() -> None:
    told = step(
        ValueError("badly formed hexadecimal UUID string"),
        "get_parcel",
        {"parcel_id": "Tuesday"},
        reader("get_parcels"),
    )
    assert proposed(told) == {"name": "get_parcels", "arguments": {}}


@pytest.mark.parametrize(
    "text",
    [
        "404 Not Found: https://api.example.org/boards/b1?format=json&prefix=a",
        'no matching board for prefix "b1"',
        "Board b1 ended yesterday",
    ],
)
def test_what_only_sounds_like_a_form_is_none(text: str) -> None:
    told = step(
        errors.ResourceNotFoundError(text, resource="b1"), "open_board", {"board_id": "b1"}, reader("list_boards")
    )
    assert proposed(told)["name"] == "list_boards"


def writer(name: str, **options: Any) -> Tool:
    return reader(name, "id", read_only=False, **options)


EXISTS = RuntimeError("Conflict: alias v1 already exist.")


@pytest.mark.parametrize(
    ("name", "other"), [("create_alias", "update_alias"), ("addAlias", "patchAlias"), ("alias.create", "alias.edit")]
)
def test_what_exists_already_is_changed_by_the_tool_for_that(name: str, other: str) -> None:
    told = step(EXISTS, name, {"id": "v1"}, writer(other), writer("update_route"), reader("get_alias", "id"))
    assert told == (
        "Next: do not create it again. "
        f"If the user asked to change the one that exists, call {other}; if it is what you need, continue with the next step."
    )


@pytest.mark.parametrize(
    ("error", "name", "others"),
    [
        (errors.ResourceConflictError("The alias is busy."), "create_alias", [writer("update_alias")]),
        (EXISTS, "start_alias", [writer("update_alias")]),
        (EXISTS, "create_alias", [writer("update_alias"), writer("patch_alias")]),
        (EXISTS, "create_alias", [writer("update_alias_policy")]),
        (EXISTS, "create_alias", [writer("delete_alias")]),
        (EXISTS, "create_alias", [writer("update_alias", destructive=True)]),
        (EXISTS, "create_alias", [reader("update_alias", "alias_number", read_only=False)]),
        (EXISTS, "create_alias", [writer("update_alias", tool_type="extension", provider="elsewhere")]),
    ],
)
def test_no_tool_that_changes_something_is_named_for_another_conflict(error, name, others) -> None:
    told = step(error, name, {"id": "v1"}, *others)
    assert not any(other.name in told for other in others)


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("attach_lamp_to_room", {"name": "get_room", "arguments": {"room_id": "r-2"}}),
        ("detachLampFromRoom", {"name": "get_room", "arguments": {"room_id": "r-2"}}),
        ("insert-lamps-into-room", {"name": "get_room", "arguments": {"room_id": "r-2"}}),
    ],
)
def test_the_state_of_what_something_is_added_to_is_read(name: str, call: dict[str, Any]) -> None:
    others = reader("get_lamp", "lamp_id"), reader("get_room", "room_id")
    assert proposed(step(TimeoutError(), name, {"lamp_id": "l-7", "room_id": "r-2"}, *others)) == call


@pytest.mark.parametrize(
    ("name", "arguments", "wrong"),
    [
        ("add_card_to_board", {"id": "c-1", "board_id": "b-1"}, {"id": "c-1"}),
        ("delete_record_from_table", {"id": "c-1"}, {"id": "c-1"}),
        ("assign_ticket_to_agent", {"id": "c-1", "agent": "ann"}, {"id": "c-1"}),
    ],
)
def test_a_container_is_not_read_by_the_identifier_of_what_is_put_into_it(name, arguments, wrong) -> None:
    others = [reader(f"get_{one}", "id") for one in ("board", "table", "agent")]
    told = step(TimeoutError(), name, arguments, *others)
    assert json.dumps(wrong) not in told


@pytest.mark.parametrize(
    ("name", "arguments", "call"),
    [
        ("create_order_from_cart", {"id": "7"}, {"name": "get_cart", "arguments": {"id": "7"}}),
        (
            "delete_branch_from_repo",
            {"repo": "r", "branch": "b"},
            {"name": "get_branch", "arguments": {"repo": "r", "branch": "b"}},
        ),
    ],
)
def test_what_is_read_otherwise_is_read_still(name, arguments, call) -> None:
    others = (
        reader("get_cart", "id"),
        reader("get_order", "id"),
        reader("get_repo", "repo"),
        reader("get_branch", "repo", "branch"),
    )
    assert proposed(step(TimeoutError(), name, arguments, *others)) == call


def test_the_identifier_of_a_container_is_not_that_of_what_is_put_into_it() -> None:
    others = reader("get_box", "box_id"), reader("get_shelf_plan", "shelf_id")
    told = step(TimeoutError(), "put_boxes_into_shelf", {"shelf_id": "s-1", "box_ids": ["b-1"]}, *others)
    assert "get_box" not in told


@pytest.mark.parametrize("name", ["_", "--", "add_", "to", "漢字"])  # noqa: RUF001
def test_a_name_of_hardly_any_words_gets_a_step(name: str) -> None:
    others = reader("get_box", "box_id"), reader("__", about="Boxes of a shelf.")
    assert step(TimeoutError(), name, {"box_id": "b"}, *others).startswith("Next: ")
    assert step(TimeoutError(), "move_box", {"box_id": "b"}, others[1]).startswith("Next: ")


def slot_changer(*required: str) -> Tool:
    schema = {"type": "object", "properties": {name: {} for name in required}, "required": list(required)}
    return Tool.from_schema("update_slot", "", schema, dict)


@pytest.mark.parametrize(
    "text",
    [
        "The hall has a slot on Friday already: id 88 ('Yoga')",
        "friday is already covered by slot 'Yoga' (id: 'sl-88')",
        "slot_id=88 has been booked already, ID=88",
    ],
)
def test_what_exists_is_changed_by_the_identifier_that_the_text_shows(text: str) -> None:
    error = RuntimeError(f"Conflict: {text}")
    told = step(error, "add_slot", {"day": "Friday", "title": "Judo"}, slot_changer("slotId", "title"))
    assert told == (
        'Next: do not create it again. If the user asked to change the one that exists, call update_slot with its "slotId" '
        "as quoted above; if it is what you need, continue with the next step."
    )


@pytest.mark.parametrize(
    ("text", "required"),
    [
        ("The hall has a slot on Friday already: 'Yoga'", ["slotId"]),  # shows no identifier
        ("The slot was moved, id 88", ["slotId"]),  # nothing exists already
        ("There is one already, id 88", ["slotId", "room"]),  # more is missing
        ("There is one already, id 88", ["room"]),  # no identifier is missing
        ("There is one already, id 88", ["userId"]),  # that of another thing
        ("The hall is taken already by user id 42", ["slotId"]),
        ("The title is taken already (request id: 7f3a91)", ["slotId"]),
        ("The hall (id 7) is already booked", ["slotId"]),
        ("The day is taken already (owner: id 42)", ["slotId"]),
        ("'Yoga' is already booked by 'Bo' (id: 42)", ["slotId"]),
        ("There is one already in project 'Apollo' (id 42)", ["slotId"]),
        ("taken already; id 5512 is the owner", ["slotId"]),
        ("The slot is already closed, id 88", ["slotId"]),
        ("There are two already: id 4, id 5", ["slotId"]),
        ("There is one already for this day: id Friday1", ["slotId"]),  # what was sent
    ],
)
def test_no_tool_is_named_that_needs_more_than_the_text_shows(text: str, required: list[str]) -> None:
    error = RuntimeError(f"Conflict: {text}")
    assert "update_slot" not in step(error, "add_slot", {"day": "Friday1", "title": "Judo"}, slot_changer(*required))


CORRESPONDENTS = {"type": "object", "properties": {"id": {"type": "integer"}, "correspondent": {"type": "integer"}}}
TENANTS = {"type": "object", "properties": {"flat": {"type": "integer"}, "tenant_id": {"type": "integer"}}}
PAGES = {"type": "object", "properties": {"page": {"type": "integer"}}}


def refused(tool: Tool, arguments: dict[str, Any], *others: Tool) -> str:
    """The next step after arguments that do not fit."""
    with Pipeline([tool, *others], autoload=False) as pipeline:
        return pipeline.call(tool.name, arguments).content.splitlines()[-1]


def listing(name: str, *, read_only: bool = True) -> Tool:
    return Tool.from_schema(name, "", {"type": "object", "properties": {}}, dict, read_only=read_only)


@pytest.mark.parametrize(
    ("schema", "arguments", "lister"),
    [
        (CORRESPONDENTS, {"id": 218, "correspondent": "Stadtwerke Ulm"}, "correspondents_list"),
        (TENANTS, {"flat": 4, "tenant_id": "Ada Byron"}, "list_tenants"),
    ],
)
def test_a_name_for_the_number_of_a_thing_is_looked_up(schema, arguments, lister):
    changing = Tool.from_schema("update_document", "", schema, dict)
    assert proposed(refused(changing, arguments, listing(lister))) == {"name": lister, "arguments": {}}


@pytest.mark.parametrize("others", [[], [listing("delete_correspondents", read_only=False)]], ids=["none", "a writer"])
def test_a_name_that_cannot_be_looked_up_is_asked_for_as_a_number(others):
    changing = Tool.from_schema("update_document", "", CORRESPONDENTS, dict)
    told = refused(changing, {"id": 218, "correspondent": "Stadtwerke Ulm"}, *others)
    wanted = 'a number, without quotes, for "correspondent"'
    assert told == f"Next: call update_document again with {wanted}, and the other arguments unchanged."


def test_a_number_in_quotes_is_not_looked_up():
    changing = Tool.from_schema("update_document", "", CORRESPONDENTS, dict)
    told = refused(changing, {"id": 218, "correspondent": "17"}, listing("correspondents_list"))
    assert proposed(told) == {"name": "update_document", "arguments": {"id": 218, "correspondent": 17}}


def test_the_number_of_a_page_of_results_is_not_looked_up():
    told = refused(
        Tool.from_schema("search", "", PAGES, dict, read_only=True), {"page": "the last"}, listing("list_pages")
    )
    assert told == 'Next: call search again with a number, without quotes, for "page".'


TIMEOUT = TimeoutError("timed out")


@pytest.mark.parametrize(
    ("name", "arguments", "other"),
    [
        ("abort_deploy", {"deploy_id": "d7"}, reader("get_deploy", "deploy_id")),
        ("confirmOrder", {"orderId": "o7", "note": "x"}, reader("readOrder", "orderId")),
        ("move_post", {"post_id": "p7"}, reader("fetch_post", "post_id")),
    ],
)
def test_a_thing_whose_name_is_also_a_verb_is_read(name, arguments, other):
    (identifier,) = other.parameters["required"]
    assert proposed(step(TIMEOUT, name, arguments, other)) == {
        "name": other.name,
        "arguments": {identifier: arguments[identifier]},
    }


def test_a_thing_is_not_read_by_the_identifier_of_another_thing():
    told = step(TIMEOUT, "report_schedules.start", {"id": "44"}, reader("reports.get", "id"))
    assert "with this call" not in told
    told = step(TIMEOUT, "report_schedules.start", {"id": "44"}, reader("report_schedules.get", "id"))
    assert proposed(told) == {"name": "report_schedules.get", "arguments": {"id": "44"}}


def test_what_the_namespace_names_is_listed():
    missing = errors.ResourceNotFoundError("There is none.", resource="31")
    told = step(missing, "exports.download", {"id": 31}, reader("exports.list"), reader("imports.list"))
    assert proposed(told) == {"name": "exports.list", "arguments": {}}


@pytest.mark.parametrize(("value", "is_searched"), [("2207", False), ("1.2.840", False), ("Ana", True), ("X-7", True)])
def test_a_number_is_not_searched_for_as_a_name(value, is_searched):
    missing = errors.ResourceNotFoundError("There is none.", resource=value)
    told = step(missing, "get_person", {"person": value}, reader("search_people", optional=("name",)))
    assert (f'"name": "{value}"' in told) is is_searched


@pytest.mark.parametrize(
    ("called", "arguments", "other", "filled"),
    [
        ("create_bucket", {"name": "logs", "size": 3}, reader("get_bucket", "bucket"), {"bucket": "logs"}),
        ("rename_sensor", {"id": "s-4", "to": "hall"}, reader("sensors.show", "sensor"), {"sensor": "s-4"}),
        ("lock_door", {"door": "d-9", "until": "8:00"}, reader("get_door", "id"), {"id": "d-9"}),
    ],
)
def test_a_thing_is_read_by_an_argument_that_is_named_as_its_kind(called, arguments, other, filled):
    told = step(errors.ResourceConflictError("It has changed."), called, arguments, other)
    assert proposed(told) == {"name": other.name, "arguments": filled}


@pytest.mark.parametrize(
    ("arguments", "other"),
    [
        ({"name": "logs", "owner": "ida"}, reader("get_owner", "owner_key")),
        ({"name": "logs", "id": 7}, reader("get_bucket", "bucket")),  # which of them?
        ({"owner_id": "ida"}, reader("get_bucket", "bucket")),
    ],
)
def test_a_thing_is_not_read_by_what_may_identify_another(arguments, other):
    assert "{" not in step(errors.ResourceConflictError("It has changed."), "update_bucket", arguments, other)


def test_a_value_that_is_merely_a_word_of_the_report_is_not_looked_up():
    arguments = {"status": "invalid", "channel": "zz"}
    assert "list_statuses" not in step(ValueError("invalid request"), "send_parcel", arguments, reader("list_statuses"))


def test_the_namespace_that_all_tools_share_is_no_kind_of_thing():
    others = [reader("radio.live.get", "station"), reader("radio.shows.list", "station"), reader("radio.stations.list")]
    told = step(TimeoutError("read timed out"), "radio.shows.create", {"station": "fm1", "title": "Dawn"}, *others)
    assert proposed(told) == {"name": "radio.shows.list", "arguments": {"station": "fm1"}}


@pytest.mark.parametrize(
    ("name", "sql", "about"),
    [
        ("execute_production", "sql", "Run SQL on the production database."),
        ("db_execute_live", "sql", ""),
        ("save_statement", "sql", "Saves a statement."),
        ("schedule_sql", "sql", "Runs a statement every night."),
        ("run_migration", "sql", "Applies a migration to all tenants."),
        ("execute_everywhere", "sql", "Runs a statement for all customers."),
    ],
)
def test_a_statement_is_not_sent_elsewhere_nor_to_what_does_something_else_with_it(
    name: str, sql: str, about: str
) -> None:
    told = step(
        ONLY_READS[0], "db_query", {sql: "insert into trees values (1)"}, statement(name, about), read_only=True
    )
    assert name not in told


@pytest.mark.parametrize(
    ("text", "is_named"),
    [
        ("Pitch 5 is already booked (booking id 88, by Mia)", False),  # that of another
        ("Port 8080 is already in use", False),
        ("A booking for pitch 5 exists already: id 88", True),
        ("A booking already exists (id 88)", True),
    ],
)
def test_what_another_holds_is_no_thing_that_exists_already(text: str, is_named: bool) -> None:
    other = reader("update_booking", "booking_id", read_only=False)
    told = step(RuntimeError(f"Conflict: {text}"), "create_booking", {"pitch": "5", "guest": "Ana"}, other)
    assert ("update_booking" in told) is is_named


@pytest.mark.parametrize(
    ("called", "sent", "others", "named"),
    [
        ("start_build", {"job_name": "nightly"}, [("get_job", "job_name"), ("get_build", "job_name")], "get_job"),
        ("add_remark", {"ticket_id": "t7"}, [("get_ticket", "ticket_id"), ("list_remarks", "ticket_id")], "get_ticket"),
        ("update_build", {"build_id": "b1", "job_name": "n"}, [("get_build", "build_id")], "get_build"),
    ],
)
def test_where_a_state_refused_the_call_what_it_names_is_read(called, sent, others, named) -> None:
    told = step(errors.ResourceConflictError("It is disabled."), called, sent, *(reader(*one) for one in others))
    assert proposed(told)["name"] == named


def test_after_a_call_that_may_have_run_what_it_was_to_make_is_read_first() -> None:
    others = [reader("get_ticket", "ticket_id"), reader("list_remarks", "ticket_id")]
    told = step(TimeoutError("timed out"), "add_remark", {"ticket_id": "t7"}, *others)
    assert proposed(told)["name"] == "list_remarks"


def test_a_name_that_is_taken_is_what_is_looked_up() -> None:
    sent = {"name": "Summer cup", "slug": "cup"}
    told = step(
        errors.ResourceConflictError("Slug is already taken"), "create_contest", sent, reader("get_contest", "contest")
    )
    assert "Summer cup" not in told


@pytest.mark.parametrize(
    ("name", "about", "is_named"),
    [
        ("printers_list_jobs", "List the jobs of a printer", True),
        ("jobs_browse", "Browse jobs", True),
        ("jobs_read", "Mark the jobs as read", False),
        ("list_next_job", "List the next job and remove it.", False),
    ],
)
def test_a_verb_behind_a_servers_name_or_at_the_end_says_that_a_tool_reads(
    name: str, about: str, is_named: bool
) -> None:
    other = reader(name, about=about, read_only=False)
    told = step(
        errors.ResourceNotFoundError("no such job", resource="j1"), "printers_stop_job", {"job_id": "j1"}, other
    )
    assert (name in told) is is_named
