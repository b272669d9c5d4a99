"""Sentences in which a tool says what it did, in words that elsewhere report a failure; and those that do report one."""

from __future__ import annotations

import pytest

from mulligan import Pipeline

DONE_THEN_A_STATE = [
    ("invite", "Invitation sent to bob, who has not accepted yet."),
    ("invite", "Invitation sent to bob, who has not accepted yet. He has 7 days."),
    ("share_file", "File shared with bob, who does not have an account yet."),
    ("book_room", "Room booked for Ana, who is not registered yet."),
    ("book_table", "Booking confirmed for Ana, who has no account."),
    ("send_message", "Message sent to bob, who is offline."),
    ("assign_ticket", "Ticket assigned to bob, who is not available until Monday."),
    ("pay_invoice", "Payment sent to Acme, which has not confirmed it yet."),
    ("ship_parcel", "Parcel 9 shipped to Oslo, which is closed on Sundays."),
    ("post_comment", "Comment published under post 4; it is not visible to guests."),
    ("add_user", "User bob created with role guest, who is not allowed to write."),
    ("create_vm", "VM web1 was created and is not reachable yet."),
    ("deploy_service", "Service api was deployed and is not ready yet."),
    ("move_arm", "Arm moved to 5; gripper is closed."),
    ("unlock_door", "Door is unlocked; alarm is disabled."),
    ("place_order", "Order 12 placed; it is not paid yet."),
]
REFUSING_VERBS = [
    ("reject_order", "Order 7 rejected."),
    ("cancel_orders", "Orders 7 and 8 were cancelled."),
    ("abort_upload", "Upload aborted."),
    ("deny_request", "Request 3 denied."),
    ("refuse_delivery", "Delivery 8 was refused."),
    ("fail_task", "Task 3 failed."),
    ("fail_build_step", "Step 2 failed."),
    ("interrupt_run", "Run 4 was interrupted."),
    ("block_card", "Card is blocked."),
]
STATES_OF_A_VERB = [
    ("start_pump", "Pump is running."),
    ("resume_vm", "VM 5 is running."),
    ("stop_server", "Server web1 is down."),
    ("kill_process", "Process 77 is not running."),
    ("pause_line", "Line 3 is on hold."),
    ("void_invoice", "Invoice is not valid."),
    ("withdraw_offer", "Offer is no longer available."),
    ("unpublish_post", "The post is no longer visible."),
    ("drop_connection", "Connection closed."),
]
SETTINGS = [
    ("set_rate_limit", "Rate limit: 5 per minute"),
    ("update_rate_limit", "Rate limit set to 10 requests per minute."),
]
FAILURES = [
    # not done
    ("invite", "bob has not accepted the terms, invitation not sent."),
    ("send_mail", "Mail not sent to bob, who is blocked."),
    ("send_message", "No message sent to bob, who is offline."),
    ("share_file", "File was not found and nothing was shared."),
    ("reject_order", "Order 7 cannot be rejected."),
    # another did it, or it was so before
    ("book_room", "Room 4 was booked by bob, who is not here."),
    ("lend_boat", "Boat 4 is lent to Ana, who has not returned it yet."),
    ("register_user", "User bob registered on 3 May; he is already a member."),
    # it did not last
    ("invite", "Invitation sent to bob, who was not found."),
    ("send_payment", "Payment sent to bob, who rejected it."),
    ("send_email", "Email sent to bob@x.example, but it is not delivered."),
    ("update_status", "Status: failed"),
    ("send_message", "Message sent to bob; it could not be delivered."),
    ("send_message", "Message sent to bob, who is offline. Rate limit exceeded, wait 20 s."),
    ("restart_vm", "VM 5 was restarted and is not starting: quota exceeded."),
    ("restart_vm", "VM 5 was stopped and is not starting: quota exceeded."),
    # the same words of a tool for something else
    ("approve_order", "Order 7 rejected."),
    ("reject_order", "Request rejected."),
    ("upload_file", "Upload failed."),
    ("run_task", "Task 3 failed."),
    ("fail_build_step", "Build failed."),
    ("open_connection", "Connection closed."),
    ("stop_server", "Database is down."),
    # another state than that to which the verb leads
    ("start_pump", "Pump is not running."),
    ("resume_vm", "VM 5 is stopped."),
    ("stop_server", "Server web1 is not reachable."),
    ("cancel_order", "Order 7 is not valid."),
    ("remove_item", "Item is not available."),
    ("start_pump", "Pump is running. It cannot be started twice."),
    # no value of what is set
    ("set_password", "Password: must be at least 8 characters"),
    ("set_rate_limit", "Rate limit exceeded: 5 per minute"),
    ("set_status", "Status: not allowed"),
    ("set_status", "Error: failed"),
    ("create_ticket", "Error: cannot log in"),
]


@pytest.fixture(scope="module")
def bare():
    with Pipeline(autoload=False) as pipeline:
        yield pipeline


@pytest.mark.parametrize(("tool", "text"), [*DONE_THEN_A_STATE, *REFUSING_VERBS, *STATES_OF_A_VERB, *SETTINGS])
def test_what_a_tool_says_of_its_own_work_is_a_result(bare, tool, text):
    assert bare.classify(text, tool=tool) is None


@pytest.mark.parametrize(("tool", "text"), FAILURES)
def test_a_sentence_of_nearly_the_same_words_reports_a_failure(bare, tool, text):
    assert bare.classify(text, tool=tool) is not None


def test_a_model_reads_what_the_tool_says_of_its_own_work(bare):
    def reject_order(number: int) -> str:
        return f"Order {number} rejected." if number == 7 else f"Order {number} cannot be rejected."

    pipeline = bare.with_tools([reject_order])
    assert pipeline.call("reject_order", {"number": 7}).content == "Order 7 rejected."
    refused = pipeline.call("reject_order", {"number": 8})
    assert refused.is_error
    assert "Order 8 cannot be rejected." in refused.content


@pytest.mark.parametrize(
    ("tool", "text"),
    [("stop_server", "Server web1 is down."), ("invite", "Invitation sent to bob, who does not exist yet.")],
)
def test_the_same_in_a_message(bare, tool, text):
    assert bare.classify({"message": text}, tool=tool) is None
    assert bare.classify({"message": text}, tool="get_stock") is not None
