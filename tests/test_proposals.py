"""How a tool may be proposed for an unknown name: the tool remembers it, by all that it depends on."""

from __future__ import annotations

import pytest

from mulligan import Tool
from mulligan.resolve.proposals import find_proposals


@pytest.fixture
def tool() -> Tool:
    return Tool.from_schema("send_mail", "Send a mail", {"type": "object"}, dict)


def propose(tool: Tool, called: str, *, is_clear: bool = False, fits: bool = False) -> str | None:
    fitting = [tool.name] if fits else []
    return find_proposals({tool.name: tool}, called, tool.name if is_clear else None, lambda: fitting)[tool.name]


def test_how_a_tool_may_be_proposed_follows_its_options(tool):
    changed = tool.with_options(destructive=True)
    told = [propose(one, "sendMail", is_clear=True) for one in (tool, changed, tool, changed)]
    assert told == ["clear", "asked", "clear", "asked"]


def test_how_a_tool_may_be_proposed_follows_the_name_and_what_else_fits(tool):
    asked = [("sendMail", True, False), ("send_mails_twice", False, True), ("send_mails_twice", False, False)]
    told = [propose(tool, name, is_clear=clear, fits=fits) for name, clear, fits in asked * 2]
    assert told == ["clear", "likely", "listed"] * 2


@pytest.mark.parametrize(
    ("called", "name"),
    [
        ("run_without_backup", "run_with_backup"),
        ("sync_with_cloud", "sync_without_cloud"),
        ("restart_gate", "restart_gateway"),
        ("invest_account", "investigate_account"),
        ("post_event", "postpone_event"),
    ],
)
def test_a_word_that_begins_like_another_is_not_that_word(called, name):
    tool = Tool.from_schema(name, "", {"type": "object"}, dict)
    assert find_proposals({name: tool}, called, None, list)[name] in (None, "listed")


@pytest.mark.parametrize(
    ("called", "name"), [("run_without_backup", "run_with_backup"), ("send_mail", "send_mail_without_copy")]
)
def test_a_tool_that_does_without_what_was_asked_for_is_never_likely(called, name):
    tool = Tool.from_schema(name, "", {"type": "object"}, dict)
    assert find_proposals({name: tool}, called, name, lambda: [name])[name] is None


def test_what_else_fits_is_asked_only_if_the_name_does_not_decide(tool):
    def refuse() -> list[str]:
        raise AssertionError("schemas would be compiled for nothing")

    assert find_proposals({"send_mail": tool}, "sendMail", "send_mail", refuse) == {"send_mail": "clear"}


def test_where_the_best_tool_may_not_be_proposed_none_that_reads_is_named_for_it(make_pipeline, run):
    tools = [
        Tool.from_schema(name, about, {"type": "object", "properties": {"id": {}, "label": {}}}, dict)
        for name, about in (
            ("list_shelves", "The shelves."),
            ("get_shelf", "One shelf."),
            ("add_shelf_label", "Put a label on a shelf."),
        )
    ]
    told = run(make_pipeline(*tools), "mark_shelf", {"id": 3, "label": "new"}).content
    assert "Closest" not in told
    asked = run(make_pipeline(*tools), "read_shelf", {"id": 3}).content
    assert "get_shelf" in asked.splitlines()[1]


def test_another_verb_for_setting_something_leads_to_the_tool_that_sets_it(make_pipeline, run):
    properties = {"lamp_id": {"type": "string"}, "on": {"type": "boolean"}}
    tools = [
        Tool.from_schema("get_lamp", "One lamp.", {"type": "object", "properties": {"lamp_id": {}}}, dict),
        Tool.from_schema("set_lamp", "Turn a lamp on or off.", {"type": "object", "properties": properties}, dict),
    ]
    told = run(make_pipeline(*tools), "toggle_lamp", {"lamp_id": "L1", "on": True}).content
    assert told.splitlines()[-1].startswith('Next: if "set_lamp" does what you want, call it with the same arguments')


@pytest.mark.parametrize(
    "called", ["dry_run_report", "dryRunReport", "mock_run_report", "presend_report", "librario_run_report"]
)
def test_no_tool_that_does_more_is_proposed_for_a_name_with_an_unknown_first_word(make_pipeline, run, called):
    tools = [
        Tool.from_schema(name, about, {"type": "object", "properties": {"id": {}}}, dict)
        for name, about in (
            ("run_report", "Run a report."),
            ("send_report", "Send a report."),
            ("get_reports", "Reports."),
        )
    ]
    told = run(make_pipeline(*tools), called, {"id": 3}).content.splitlines()[-1]
    assert "run_report" not in told.replace(called, "")
    assert "send_report" not in told


@pytest.mark.parametrize(
    ("called", "is_named"), [("squelch_alarms", True), ("squelch_alarm_all", False), ("muffle_alarm", False)]
)
def test_the_plural_of_a_command_of_any_verb_is_that_command(make_pipeline, run, called, is_named):
    schema = {"type": "object", "properties": {"alarm_id": {"type": "string"}}}
    tools = [Tool.from_schema(name, "", schema, dict) for name in ("squelch_alarm", "zzz")]
    told = run(make_pipeline(*tools), called, {"alarm_id": "a7"}).content
    assert ('Did you mean "squelch_alarm"?' in told) is is_named
    assert "corrected call:" not in told


@pytest.mark.parametrize(
    ("called", "is_meant"), [("flag_as_spam", True), ("flag_the_spam", True), ("flag_not_spam", False)]
)
def test_a_particle_makes_no_other_command(make_pipeline, run, called, is_meant):
    schema = {"type": "object", "properties": {"mail_id": {"type": "string"}}}
    tools = [Tool.from_schema(name, "", schema, dict) for name in ("flag_spam", "count_mails", "zzz")]
    told = run(make_pipeline(*tools), called, {"mail_id": "a7"}).content
    assert ('if "flag_spam" does what you want, call it with the same arguments' in told) is is_meant


@pytest.mark.parametrize(
    ("called", "declared", "is_likely"),
    [
        ("mute_shelf", {"read_only": True}, False),
        ("mute_shelf", {}, False),
        ("cancel_shelf", {"read_only": True}, False),
        ("get_shelf_by_id", {"read_only": True}, True),
        ("export_shelf", {"read_only": True}, True),
        ("run_get_shelf", {"read_only": True}, True),
    ],
)
def test_a_tool_that_reads_is_not_likely_to_be_the_change_that_was_asked_for(
    make_pipeline, run, called, is_likely, declared
):
    schema = {"type": "object", "properties": {"shelf_id": {"type": "integer"}}, "required": ["shelf_id"]}
    tools = [
        Tool.from_schema("get_shelf", "One shelf.", schema, dict, **declared),
        Tool.from_schema("update_book", "Change a book.", {"type": "object", "properties": {"isbn": {}}}, dict),
    ]
    told = run(make_pipeline(*tools), called, {"shelf_id": 3}).content.splitlines()[-1]
    assert ("get_shelf" in told) is is_likely


def test_another_word_for_running_something_leads_to_the_tool_that_runs_it(make_pipeline, run):
    properties = {"probe": {"type": "integer"}, "fast": {"type": "boolean"}}
    schema = {"type": "object", "properties": properties, "additionalProperties": False}
    none = {"type": "object", "additionalProperties": False}
    tools = [Tool.from_schema("launch_probe", "", schema, dict), Tool.from_schema("list_probes", "", none, dict)]
    told = run(make_pipeline(*tools), "execute_probe", {"probe": 3, "fast": True}).content
    assert told.splitlines()[-1].startswith('Next: if "launch_probe" does what you want')


def shelf(name: str, description: str, *required: str, **options: object) -> Tool:
    schema = {"type": "object", "properties": {one: {"type": "string"} for one in required}, "required": [*required]}
    return Tool.from_schema(name, description, schema, dict, **options)


SHELVES = (
    shelf("get_branch", "A branch of the library.", "branch_id"),
    shelf("list_loans", "The loans of a day.", "branch_id", "day"),
    shelf("get_hours", "The hours of a branch.", "branch_id", "weekday"),
    shelf("close_branch", "Closes a branch on a day.", "branch_id", "date"),
    shelf("get_book", "A book.", "isbn", read_only=True),
)


@pytest.mark.parametrize(
    ("called", "sent", "named"),
    [
        ("get_branch_checkouts", {"branch_id": "b1", "day": "2026-01-02"}, "list_loans"),
        ("library_timetable", {"branch_id": "b1", "weekday": "monday"}, "get_hours"),
        ("get_branch_checkouts", {"branch_id": "b1", "day": 2}, None),  # not as it was sent
        ("get_branch_checkouts", {"branch_id": "b1", "hour": "2"}, None),  # no tool takes both
        ("get_volume_reviews", {"isbn": "1"}, None),  # one argument tells little
        ("cancel_branch_checkouts", {"branch_id": "b1", "day": "2026-01-02"}, None),  # a change is asked for
        ("branch_holiday", {"branch_id": "b1", "date": "2026-01-02"}, None),  # the tool makes a change
    ],
)
def test_the_only_tool_that_takes_the_arguments_is_likely_if_it_only_reads(make_pipeline, run, called, sent, named):
    result = run(make_pipeline(*SHELVES), called, sent)
    step = result.feedback.next_step
    if named is None:
        assert "list_loans" not in step and "get_hours" not in step and "close_branch" not in step
    else:
        assert result.error.suggestions == (named,)
        assert step.startswith(f'if "{named}" does what you want, ')


def test_a_tool_that_is_not_the_only_one_that_takes_the_arguments_is_not_likely_for_that(make_pipeline, run):
    second = shelf("list_returns", "What was brought back on a day.", "branch_id", "day")
    result = run(make_pipeline(*SHELVES, second), "get_branch_checkouts", {"branch_id": "b1", "day": "2026-01-02"})
    assert "list_loans" not in result.feedback.next_step and "list_returns" not in result.feedback.next_step


def test_the_only_tool_that_takes_the_arguments_is_not_looked_for_among_many(make_pipeline, run):
    many = (shelf(f"get_part_{number}", "A part.", "part_id") for number in range(80))
    result = run(make_pipeline(*SHELVES, *many), "weekly_overview", {"branch_id": "b1", "weekday": "monday"})
    assert "get_hours" not in result.feedback.next_step


ACTS = [
    ("send_internal_memo", "send_external_memo"),  # the opposite, although it is spelt alike
    ("add_private_remark", "add_public_remark"),
    ("inform_member", "inform_all_members"),  # it reaches more
    ("close_shelf", "close_every_shelf"),
    ("halt_pump", "terminate_pump"),  # it destroys
    ("resume_pump", "remove_pump"),
    ("rotate_lamp", "revoke_lamp"),  # another verb, although it begins alike
    ("dry_run_import", "run_import"),  # it was to be tried
    ("preview_release", "release"),
    ("release_staging", "release_production"),
    ("remove_club_member", "remove_club"),  # it removes what the called thing is part of
    ("confirm_loan", "cancel_loan"),
    ("lamp_off", "lamp_on"),
]


@pytest.mark.parametrize(("called", "name"), ACTS)
def test_a_tool_that_does_more_or_the_opposite_is_not_named(make_pipeline, run, called, name):
    tools = [shelf(name, name.replace("_", " ").capitalize() + ".", "id"), shelf("get_thing", "A thing.", "id")]
    result = run(make_pipeline(*tools), called, {"id": "7"})
    assert name not in result.error.suggestions
    assert "Did you mean" not in result.content and "Closest" not in result.content


@pytest.mark.parametrize(
    ("called", "name", "is_named"),
    [
        ("sandbox.add_member", "add_member", False),  # named as near, but the next step does not lead there
        ("library.add_member", "library_add_member", True),
        ("library.desk.add_member", "library_add_member", True),
        ("terminte_pump", "terminate_pump", True),
        ("remove_member", "delete_member", True),
        ("join_member", "joined_member", True),
    ],
)
def test_a_namespace_and_a_misspelling_lead_to_the_tool_unless_they_say_where(
    make_pipeline, run, called, name, is_named
):
    tools = [shelf(name, name.replace("_", " ").capitalize() + ".", "id"), shelf("get_thing", "A thing.", "id")]
    result = run(make_pipeline(*tools), called, {"id": "7"})
    assert result.error.suggestions == (name,)
    assert (name in result.feedback.next_step) is is_named


def test_a_permission_to_read_is_no_request_to_read(make_pipeline, run):
    result = run(make_pipeline(shelf("get_grants", "The grants.", "id", read_only=True)), "grant_read", {"id": "7"})
    assert "get_grants" not in result.feedback.next_step
