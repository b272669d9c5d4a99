"""SendGrid, Twilio, Resend, Postmark and Mailgun, through their own clients, against a server on this machine."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import mailgun.endpoints
import pytest
import requests
import resend
import sendgrid
from conftest import Classify
from mailgun.client import Client as MailgunClient
from mailgun.handlers.error_handler import ApiError, DeliverabilityError, RouteNotFoundError, UploadError
from messaging_servers import raised
from mulligan_testkit.loopback import Serve
from postmarker.core import PostmarkClient
from postmarker.exceptions import SpamAssassinError
from resend.exceptions import NoContentError
from sendgrid.helpers.mail import Content, Mail
from sendgrid.helpers.mail.exceptions import SendGridException
from twilio.base.exceptions import TwilioException, TwilioServiceException
from twilio.rest import Client as TwilioClient

from mulligan.errors import (
    ResourceConflictError,
    ResourceNotFoundError,
    ToolArgumentError,
    ToolAuthenticationError,
    ToolConnectionError,
    ToolError,
    ToolExecutionError,
    ToolPermissionError,
    ToolQuotaError,
    ToolRateLimitError,
    ToolTimeoutError,
    ToolUnavailableError,
)

ANN, BOB = "ann@example.org", "bob@example.net"
FATAL = (ToolAuthenticationError, ToolPermissionError, ToolQuotaError)


def by_sendgrid(url: str) -> Callable[[], object]:
    client = sendgrid.SendGridAPIClient("SG.test", host=url)
    return lambda: client.send(Mail(from_email=ANN, to_emails=BOB, subject="Hello", plain_text_content="Hello."))


def sendgrid_body(message: str, field: str | None = None) -> dict[str, object]:
    return {"errors": [{"message": message, "field": field, "help": None}]}


@pytest.mark.parametrize(
    ("status", "message", "cls"),
    [
        (400, "Bad Request", ToolArgumentError),
        (401, "The provided authorization grant is invalid, expired, or revoked", ToolAuthenticationError),
        (401, "Maximum credits exceeded", ToolQuotaError),
        (403, "access forbidden", ToolPermissionError),
        (404, "not found", ResourceNotFoundError),
        (413, "The request is too large.", ToolArgumentError),
        (429, "too many requests", ToolRateLimitError),
        (500, "internal error", ToolUnavailableError),
        (503, "unavailable", ToolUnavailableError),
    ],
)
def test_sendgrid_answers(classify: Classify, serve: Serve, status: int, message: str, cls: type[ToolError]) -> None:
    error = classify(raised(by_sendgrid(serve(status, sendgrid_body(message)))))

    assert (type(error), error.http_status, error.provider) == (cls, status, "sendgrid")
    assert error.fatal is (cls in FATAL)
    assert error.effect == ("possible" if status >= 500 else "none")


@pytest.mark.parametrize(
    ("field", "pointer"),
    [
        ("personalizations.0.to.0.email", "/recipients"),
        ("from.email", "/from_email"),
        ("content.0.value", "/text"),
        ("subject", "/subject"),
        ("reply_to.email", "/reply_to"),
        ("template_id", "/template_id"),
    ],
)
def test_sendgrid_names_the_field(classify: Classify, serve: Serve, field: str, pointer: str) -> None:
    sent = dict.fromkeys(("recipients", "from_email", "text", "subject", "reply_to", "template_id"), "x")
    error = classify(raised(by_sendgrid(serve(400, sendgrid_body("Does not contain a valid address.", field)))), **sent)

    assert [problem.pointer for problem in error.problems] == [pointer]


def test_sendgrid_names_a_field_that_the_call_does_not_have(classify: Classify, serve: Serve) -> None:
    error = classify(
        raised(
            by_sendgrid(serve(400, sendgrid_body("Invalid.", "mail_settings.bcc"))),
        ),
        to=BOB,
    )

    assert [problem.pointer for problem in error.problems] == ["/mail_settings/bcc"]


@pytest.mark.parametrize(("arguments", "fatal"), [({"sender": ANN}, False), ({"to": BOB}, True)])
def test_a_sender_that_sendgrid_has_not_verified(
    classify: Classify, serve: Serve, arguments: dict[str, str], fatal: bool
) -> None:
    body = sendgrid_body("The from address does not match a verified Sender Identity.", "from")
    error = classify(raised(by_sendgrid(serve(403, body))), **arguments)

    assert (type(error), error.fatal) == (ToolPermissionError, fatal)
    assert error.message == "SendGrid has not verified the sender."
    assert (
        error.user_message
        == "SendGrid has not verified the sender of the message. Verify it in SendGrid, then try again."
    )


def test_sendgrids_key_in_a_message(classify: Classify) -> None:
    def call() -> object:
        sendgrid.helpers.mail.ValidateApiKey(["SG.1234567890"]).validate_message_text("SG.1234567890")
        return Content("text/plain", "Hello.")

    error = classify(raised(call), body="SG.1234567890")

    assert (type(error), error.effect) == (ToolArgumentError, "none")
    assert [problem.pointer for problem in error.problems] == ["/body"]


def by_twilio(url: str) -> Callable[[], object]:
    client = TwilioClient("AC00000000000000000000000000000000", "test")
    send = client.http_client.request
    client.http_client.session.trust_env = False

    def to_here(method: str, address: str, **more: object) -> object:
        return send(method, address.replace("https://api.twilio.com", url), **more)

    client.http_client.request = to_here  # type: ignore[method-assign]
    return lambda: client.messages.create(to="+15005550001", from_="+15005550006", body="Hello.")


def twilio_body(code: int, status: int, message: str = "No.") -> dict[str, object]:
    return {
        "code": code,
        "message": message,
        "more_info": f"https://www.twilio.com/docs/errors/{code}",
        "status": status,
    }


TWILIO = {
    20003: (401, ToolAuthenticationError, True, None),
    20005: (403, ToolPermissionError, True, None),
    20404: (404, ResourceNotFoundError, False, None),
    20429: (429, ToolRateLimitError, False, None),
    20503: (503, ToolUnavailableError, False, None),
    21211: (400, ToolArgumentError, False, "/to"),
    21212: (400, ToolArgumentError, False, "/from_number"),
    21602: (400, ToolArgumentError, False, "/message"),
    21408: (400, ToolPermissionError, False, None),
    21608: (400, ToolPermissionError, False, None),
    21610: (400, ToolPermissionError, False, None),
    21611: (429, ToolRateLimitError, False, None),
    21614: (400, ToolArgumentError, False, "/to"),
    21703: (400, ResourceConflictError, False, None),
    63016: (400, ResourceConflictError, False, None),
    99999: (400, ToolArgumentError, False, None),
    99998: (503, ToolUnavailableError, False, None),
}


@pytest.mark.parametrize("code", TWILIO)
def test_twilios_code_decides(classify: Classify, serve: Serve, code: int) -> None:
    status, cls, fatal, pointer = TWILIO[code]
    arguments = {"to": "+15005550001", "from_number": "+15005550006", "message": "Hello."}
    error = classify(raised(by_twilio(serve(status, twilio_body(code, status)))), **arguments)

    assert (type(error), error.fatal, error.http_status, error.provider) == (cls, fatal, status, "twilio")
    assert [problem.pointer for problem in error.problems] == ([pointer] if pointer else [])
    assert error.effect == ("possible" if status >= 500 else "none")


def test_a_recipient_of_twilio_who_opted_out(classify: Classify, serve: Serve) -> None:
    error = classify(raised(by_twilio(serve(400, twilio_body(21610, 400)))), to="+15005550001")

    assert error.resource == "+15005550001"
    assert error.message == "The recipient has opted out of messages (21610): +15005550001"


def test_twilio_by_status_alone(classify: Classify, serve: Serve) -> None:
    error = classify(raised(by_twilio(serve(502, "<html>bad gateway</html>"))))

    assert (type(error), error.http_status, error.effect) == (ToolUnavailableError, 502, "possible")


def test_a_problem_of_twilio_in_the_form_of_rfc_9457(classify: Classify, serve: Serve) -> None:
    body = {
        "type": "https://www.twilio.com/docs/errors/20001", "title": "Invalid parameter", "status": 400, "code": 20001,
        "errors": [{"detail": "is not a number", "pointer": "#/to"}],
    }  # fmt: skip
    exception = raised(by_twilio(serve(400, body)))
    error = classify(exception, to="+15005550001")

    assert isinstance(exception, TwilioServiceException)
    assert (type(error), error.http_status) == (ToolArgumentError, 400)
    assert [problem.pointer for problem in error.problems] == ["/to"]


@pytest.fixture
def by_resend(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], Callable[[], object]]]:
    monkeypatch.setattr(resend, "api_key", "re_test")
    monkeypatch.setattr(resend, "default_http_client", resend.RequestsClient(timeout=1))

    def at(url: str) -> Callable[[], object]:
        monkeypatch.setattr(resend, "api_url", url)
        params: resend.Emails.SendParams = {"from": ANN, "to": [BOB], "subject": "Hello", "text": "Hello."}
        return lambda: resend.Emails.send(params)

    yield at


RESEND = {
    ("missing_api_key", 401): (ToolAuthenticationError, True, "none"),
    ("restricted_api_key", 401): (ToolPermissionError, True, "none"),
    ("invalid_api_key", 403): (ToolAuthenticationError, True, "none"),
    ("validation_error", 400): (ToolArgumentError, False, "none"),
    ("validation_error", 403): (ToolPermissionError, False, "none"),
    ("invalid_from_address", 422): (ToolArgumentError, False, "none"),
    ("not_found", 404): (ResourceNotFoundError, False, "none"),
    ("invalid_idempotent_request", 409): (ResourceConflictError, False, "possible"),
    ("concurrent_idempotent_requests", 409): (ResourceConflictError, False, "possible"),
    ("rate_limit_exceeded", 429): (ToolRateLimitError, False, "none"),
    ("daily_quota_exceeded", 429): (ToolQuotaError, True, "none"),
    ("monthly_quota_exceeded", 429): (ToolQuotaError, True, "none"),
    ("security_error", 451): (ToolPermissionError, False, "none"),
    ("application_error", 500): (ToolUnavailableError, False, "possible"),
    ("unheard_of", 422): (ToolArgumentError, False, "none"),
    ("unheard_of", 404): (ResourceNotFoundError, False, "none"),
}


@pytest.mark.parametrize(("name", "status"), RESEND)
def test_resends_name_decides(
    classify: Classify, serve: Serve, by_resend: Callable[[str], Callable[[], object]], name: str, status: int
) -> None:
    cls, fatal, effect = RESEND[name, status]
    body = {"statusCode": status, "name": name, "message": "Refused."}
    error = classify(raised(by_resend(serve(status, body))), sender=ANN)

    assert (type(error), error.fatal, error.effect, error.provider) == (cls, fatal, effect, "resend")
    assert [problem.pointer for problem in error.problems] == (["/sender"] if name == "invalid_from_address" else [])


def test_resend_says_when_to_come_back(
    classify: Classify, serve: Serve, by_resend: Callable[[str], Callable[[], object]]
) -> None:
    body = {"statusCode": 429, "name": "rate_limit_exceeded", "message": "Too many requests."}
    error = classify(raised(by_resend(serve(429, body, {"retry-after": "3"}))))

    assert error.retry_after == 3.0


def test_a_page_instead_of_resends_answer(
    classify: Classify, serve: Serve, by_resend: Callable[[str], Callable[[], object]]
) -> None:
    error = classify(raised(by_resend(serve(403, "<html>blocked</html>"))))

    assert (type(error), error.http_status) == (ToolPermissionError, 403)


def test_no_connection_to_resend(
    classify: Classify, dead: str, by_resend: Callable[[str], Callable[[], object]]
) -> None:
    error = classify(raised(by_resend(dead)))

    assert (type(error), error.effect, error.http_status) == (ToolConnectionError, "none", None)
    assert error.message == "Resend cannot be reached."


@pytest.mark.parametrize(("how", "cls"), [({"drop": True}, ToolConnectionError), ({"delay": 5}, ToolTimeoutError)])
def test_resend_that_does_not_answer(
    classify: Classify,
    serve: Serve,
    by_resend: Callable[[str], Callable[[], object]],
    how: dict[str, object],
    cls: type[ToolError],
) -> None:
    error = classify(raised(by_resend(serve(**how))))

    assert (type(error), error.effect, error.fatal) == (cls, "possible", False)


def by_postmark(url: str) -> Callable[[], object]:
    client = PostmarkClient(server_token="x", root_api_url=f"{url}/", timeout=1)
    client.session.trust_env = False
    return lambda: client.emails.send(From=ANN, To=BOB, Subject="Hello", TextBody="Hello.")


POSTMARK = {
    10: (401, ToolAuthenticationError, True),
    100: (503, ToolUnavailableError, False),
    300: (422, ToolArgumentError, False),
    400: (422, ToolPermissionError, False),
    401: (422, ToolPermissionError, False),
    405: (422, ToolQuotaError, True),
    406: (422, ToolPermissionError, False),
    412: (422, ToolPermissionError, True),
    429: (429, ToolRateLimitError, False),
    504: (422, ResourceConflictError, False),
    1101: (422, ResourceNotFoundError, False),
    9999: (422, ToolArgumentError, False),
}


@pytest.mark.parametrize("code", POSTMARK)
def test_postmarks_code_decides(classify: Classify, serve: Serve, code: int) -> None:
    status, cls, fatal = POSTMARK[code]
    error = classify(raised(by_postmark(serve(status, {"ErrorCode": code, "Message": "Refused."}))))

    assert (type(error), error.fatal, error.http_status) == (cls, fatal, status)
    assert error.provider == "postmark"
    assert error.effect == ("possible" if status >= 500 else "none")


def by_mailgun(url: str) -> Callable[[], object]:
    client = MailgunClient(auth=("api", "test"), api_url="https://api.mailgun.net")
    endpoint = client.messages

    def call() -> object:
        with pytest.MonkeyPatch.context() as patch:
            request = requests.Session.request

            def to_here(self: requests.Session, method: str, address: str, **more: object) -> object:
                self.trust_env = False
                return request(self, method, url + address.removeprefix("https://api.mailgun.net"), **more)

            patch.setattr(requests.Session, "request", to_here)
            patch.setattr(mailgun.endpoints.time, "sleep", lambda _: None)
            return endpoint.create(data={"from": ANN, "to": BOB, "text": "Hello."}, domain="example.org", timeout=1)

    return call


def test_no_connection_to_mailgun(classify: Classify, dead: str) -> None:
    error = classify(raised(by_mailgun(dead)))

    assert (type(error), error.effect, error.provider) == (ToolConnectionError, "none", "mailgun")


def test_mailgun_that_does_not_answer(classify: Classify, serve: Serve) -> None:
    error = classify(raised(by_mailgun(serve(delay=5))))

    assert (type(error), error.effect, error.provider) == (ToolTimeoutError, "possible", "mailgun")


def test_an_answer_that_mailguns_client_returns_is_known_by_its_status(classify: Classify, serve: Serve) -> None:
    answer = by_mailgun(serve(400, {"message": "to parameter is missing"}))()

    def page() -> object:
        try:
            answer.raise_for_status()  # type: ignore[attr-defined]
        except requests.HTTPError as error:
            raise ApiError(error.response) from error

    error = classify(raised(page))

    assert (type(error), error.http_status, error.provider) == (ToolArgumentError, 400, "mailgun")


OWN = {
    UploadError("File too large"): (ToolArgumentError, "The request is too large for Mailgun."),
    DeliverabilityError(10.0, ["no text"]): (ToolArgumentError, "The message looks like spam, so it was not sent."),
    RouteNotFoundError("No such route"): (ToolExecutionError, "Mailgun does not support this."),
    ApiError("odd"): (ToolExecutionError, "The Mailgun call failed."),
    SendGridException("odd"): (ToolExecutionError, "The SendGrid call failed."),
    TwilioException("odd"): (ToolExecutionError, "The Twilio call failed."),
    NoContentError(): (ToolExecutionError, "The Resend call failed."),
    SpamAssassinError("odd"): (ToolExecutionError, "The Postmark call failed."),
}


@pytest.mark.parametrize("exception", OWN, ids=lambda exception: type(exception).__name__)
def test_what_a_client_raises_itself(classify: Classify, exception: Exception) -> None:
    cls, message = OWN[exception]
    error = classify(exception)

    assert (type(error), error.message) == (cls, message)
