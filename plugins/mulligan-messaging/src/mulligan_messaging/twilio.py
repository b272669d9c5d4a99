"""Twilio: by its own code, otherwise by the HTTP status.

https://www.twilio.com/docs/api/errors. Codes such as 30003 are about messages that failed later; the API returns most as data.
"""

from __future__ import annotations

from collections.abc import Mapping

from mulligan.plugin import (
    Codes,
    Failure,
    Problem,
    Rules,
    ToolArgumentError,
    ToolError,
    ToolExecutionError,
    ToolPermissionError,
    status_error,
)
from mulligan.plugin import meanings as m
from mulligan_messaging.arguments import problem_with, value_of

rules = Rules("twilio")
last = Rules("twilio", last=True)
SERVICE = "Twilio"

ACCOUNT = m.PERMISSION._replace(message="The account at the service is not active")
PLAN = m.PERMISSION._replace(message="The service does not allow this to a trial account", fatal=False)
NUMBER = m.PERMISSION._replace(message="The service does not allow the account to reach this number", fatal=False)
OPTED_OUT = m.PERMISSION._replace(message="The recipient has opted out of messages", fatal=False)
OWNED = m.PERMISSION._replace(message="The service does not allow this to the account", fatal=False)
REGISTRATION = m.PERMISSION._replace(message="The service requires the sender to be registered", fatal=False)
FILTERED = m.PERMISSION._replace(message="The service or a carrier filtered the message", fatal=False)
WINDOW = m.CONFLICT._replace(message="The recipient has not written lately, so only a template may be sent")
UNREACHABLE = m.UNAVAILABLE._replace(message="The phone of the recipient cannot be reached")
TO = m.ARGUMENT._replace(message="The service rejected the recipient")
FROM = m.ARGUMENT._replace(message="The service rejected the sender")
BODY = m.ARGUMENT._replace(message="The service rejected the content of the message")

codes = Codes(
    {
        m.AUTHENTICATION: (20003, range(20101, 20108), 20151, 63001),
        m.PERMISSION: (20006, 20008, 20403),
        ACCOUNT: (10001, 10003, 20005, 21472, 21478, 21479, 30002),
        PLAN: (10002, 21210, 21219, 21404, 21607, 21608),
        NUMBER: (13225, 13227, 13244, 21203, 21215, 21216, 21408, 60410, 60605),
        OPTED_OUT: (21610, 63015),
        OWNED: (21420, 21473, 21474, 21477, 21660),
        REGISTRATION: (21613, 30034, 30035),
        FILTERED: (30004, 30007),
        m.RATE_LIMIT: (10004, 14107, 20429, 21611, 30001, 30022, 60207, 60212, 63018),
        m.LIMIT_REACHED: (14106, 14109, 21480, 30023, 60202, 60203),
        m.NOT_FOUND: (20404, 20410, 21218, 21452, 21471, 21501, 21701, 30005, 63003, 63007),
        m.EXISTS: (21450, 21453, 21710),
        m.CONFLICT: (20409, 20412, 21204, 21220, 21422, 21458, 21475, 21476, 21703, 21711, 21712),
        m.BUSY: (20423,),
        WINDOW: (63016,),
        TO: (
            14101, 21201, 21202, 21211, 21214, 21217, 21265, 21266, 21401, 21421, 21604, 21612, 21614, 21635, 30006, 60205,
            63024,
        ),
        FROM: (14102, 14108, 21212, 21213, 21264, 21407, 21601, 21603, 21606, 21616, 21621, 21659, 21661),
        BODY: (14103, 21602, 21605, 21617, 21618, 21619, 21620, 21623, 21655, 21656),
        m.TOO_LARGE: (20413,),
        m.ARGUMENT: (
            range(11100, 11101), range(13200, 13224), 13224, 13226, range(13230, 13244), range(13300, 14000), 14104, 14105,
            14110, 14111, 20001, 20002, 20400, 20422, 21100, 21200, range(21205, 21210), 21402, 21403, 21405, 21406, 21451,
            21454, 21455, 21456, 21457, 21470, 21502, 21503, 21504, 21609, 60200,
        ),
        m.UNIMPLEMENTED: (20004, 20405),
        UNREACHABLE: (30003,),
        m.UNAVAILABLE: (20500, 20503),
        m.TIMEOUT: (20504,),
        m.FAILED: (12400, 30008),
    }
)  # fmt: skip
_ABOUT_RECIPIENT = (30005, 63003)
_FIELDS: Mapping[m.Meaning, str] = {
    TO: "to",
    FROM: "from",
    BODY: "body",
    OPTED_OUT: "to",
    NUMBER: "to",
    FILTERED: "body",
}


@rules("twilio.TwilioRestException", "twilio.TwilioServiceException")
def answered(failure: Failure) -> ToolError:
    """An error response from Twilio, by its own code, otherwise by status."""
    code = failure.look("code")
    meaning = codes.meaning_of(code)
    if meaning is None:
        error = status_error(failure, service=SERVICE)
        if isinstance(error, ToolArgumentError):
            error.problems = _named(failure) or error.problems
        return error
    field = _FIELDS.get(meaning)
    if meaning.cls is ToolArgumentError:
        problems = _named(failure) or (problem_with(field, failure.arguments) if field else []) or failure.problems
        return m.error_of(failure, meaning, service=SERVICE, told=code, problems=problems)
    if meaning.cls is ToolPermissionError or code in _ABOUT_RECIPIENT:
        is_about_recipient = field == "to" or code in _ABOUT_RECIPIENT
        resource = value_of("to", failure.arguments) if is_about_recipient else None
        return m.error_of(failure, meaning, service=SERVICE, told=code, resource=resource)
    return m.error_of(failure, meaning, service=SERVICE, told=code)


def _named(failure: Failure) -> list[Problem]:
    """The fields of a response in the format of RFC 9457: `{"pointer": "#/to", "detail": ...}`."""
    errors = failure.look("errors")
    found = [one.get("pointer") for one in errors[:20] if isinstance(one, Mapping)] if isinstance(errors, list) else []
    names = [one.lstrip("#/") for one in found if isinstance(one, str)]
    return [problem for name in names for problem in problem_with(name, failure.arguments)]


@last("twilio.TwilioException")
def other(_: Failure) -> ToolError:
    """Any other exception of the client."""
    return ToolExecutionError("The Twilio call failed.")
