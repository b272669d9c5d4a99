"""The package's part of the gallery."""

from collections.abc import Sequence

import mulligan_messaging
import pytest
from conftest import Lines, Mail
from messaging_servers import imap_answers
from mulligan_testkit.gallery import Gallery, GalleryFailure
from mulligan_testkit.loopback import Serve
from test_messaging_mailboxes import HELLO, select
from test_messaging_services import by_twilio, twilio_body
from test_messaging_smtp import BOB, by_smtplib

ANN = "ann@example.org"


class TestGallery(Gallery):
    title = "Mail servers, Twilio"
    plugin = mulligan_messaging
    packages = ("twilio",)

    @pytest.fixture
    def shown(self, mail: Mail, lines: Lines, serve: Serve) -> Sequence[GalleryFailure]:
        message = {"to": [ANN, BOB], "subject": "Hello", "text": "Hello."}
        refused = mail({ANN: "450 4.2.0 Greylisted, try again in 300 seconds", BOB: "550 5.1.1 No such user"})
        partly, lost = mail({BOB: "550 5.1.1 No such user"}), mail(drop="DATA")
        missing = lines(HELLO, imap_answers({"SELECT": "NO [NONEXISTENT] Unknown Mailbox: Invoice"}))
        opted_out = serve(400, twilio_body(21610, 400, "Attempt to send to unsubscribed recipient"))
        text = {"to": "+15005550001", "body": "Hello."}
        return [
            GalleryFailure(
                "SMTP: every recipient is refused",
                "send_mail",
                message,
                lambda: by_smtplib(refused.port, (ANN, BOB)),
                True,
            ),
            GalleryFailure(
                "SMTP: some recipients are refused",
                "send_mail",
                message,
                lambda: by_smtplib(partly.port, (ANN, BOB)),
                True,
            ),
            GalleryFailure(
                "SMTP: the connection is lost with the message",
                "send_mail",
                message,
                lambda: by_smtplib(lost.port),
                True,
            ),
            GalleryFailure(
                "IMAP: no such mailbox", "read_mail", {"mailbox": "Invoice"}, lambda: select(missing.port, "Invoice")
            ),
            GalleryFailure("Twilio: the recipient has opted out", "send_sms", text, by_twilio(opted_out), True),
        ]
