"""Servers on this machine that refuse as real ones do, so that the real clients raise their real exceptions."""

from __future__ import annotations

import asyncio
import socket
import socketserver
import threading
from collections.abc import Callable, Mapping
from typing import Any

from aiosmtpd.smtp import SMTP, AuthResult, LoginPassword


class Refusing:
    """What a mail server answers: `MAIL`, `DATA` and `QUIT` by command, recipients by address; `drop` hangs up at a command.

    Args:
        recipients: replies by address; others are accepted.
        replies: replies by command; others are accepted.
        drop: the command at which the server hangs up.
        hang: the command that the server never answers.
    """

    def __init__(
        self,
        recipients: Mapping[str, str] | None = None,
        *,
        replies: Mapping[str, str] | None = None,
        drop: str = "",
        hang: str = "",
    ) -> None:
        self.recipients, self.replies, self.drop, self.hang = recipients or {}, replies or {}, drop, hang
        self.accepted: list[bytes] = []

    async def handle_EHLO(self, server: Any, session: Any, envelope: Any, hostname: str, responses: list[str]) -> Any:
        session.host_name = hostname
        await self._answer(server, "EHLO", "")
        return responses

    async def handle_MAIL(self, server: Any, session: Any, envelope: Any, address: str, options: Any) -> str:
        envelope.mail_from = address
        return await self._answer(server, "MAIL", "250 OK")

    async def handle_RCPT(self, server: Any, session: Any, envelope: Any, address: str, options: Any) -> str:
        reply = await self._answer(server, "RCPT", self.recipients.get(address, "250 OK"))
        if reply.startswith("250"):
            envelope.rcpt_tos.append(address)
        return reply

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:
        reply = await self._answer(server, "DATA", "250 OK")
        if reply.startswith("250"):
            self.accepted.append(envelope.content)
        return reply

    async def _answer(self, server: Any, command: str, usual: str) -> str:
        if command == self.drop:
            server.transport.abort()
            await asyncio.sleep(0.05)
        if command == self.hang:
            await asyncio.sleep(5)
        return self.replies.get(command, usual)


class MailServer:
    """A real mail server (aiosmtpd) in a thread.

    Args:
        handler: what it refuses.
        login: the reply to a login; with None, it offers none.
        size: the largest message that it accepts, in bytes.
    """

    def __init__(self, handler: Refusing, *, login: str | None = None, size: int = 100_000) -> None:
        self.handler = handler
        self._loop = asyncio.new_event_loop()
        ready = threading.Event()

        def authenticate(*_: object) -> AuthResult:
            assert isinstance(_[-1], LoginPassword)
            return AuthResult(success=False, handled=False, message=login)

        def protocol() -> SMTP:
            return SMTP(
                handler,
                data_size_limit=size,
                hostname="mail.example.org",
                authenticator=None if login is None else authenticate,
                auth_require_tls=login is None,
                loop=self._loop,
            )

        def run() -> None:
            asyncio.set_event_loop(self._loop)
            server = self._loop.run_until_complete(self._loop.create_server(protocol, "127.0.0.1", 0))
            self.port: int = server.sockets[0].getsockname()[1]
            ready.set()
            self._loop.run_forever()
            server.close()
            for task in asyncio.all_tasks(self._loop):
                task.cancel()
            self._loop.run_until_complete(asyncio.sleep(0))
            self._loop.close()

        self._thread = threading.Thread(target=run, daemon=True)
        self._thread.start()
        assert ready.wait(10)

    def close(self) -> None:
        """Stops the server."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)


class LineServer(socketserver.ThreadingTCPServer):
    """A server of a protocol of lines, such as IMAP or POP3: it answers each line as a function says.

    Args:
        greeting: the first line.
        answer: the reply to a line, with line ends; None hangs up.
    """

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, greeting: str, answer: Callable[[str], str | None]) -> None:
        class Handler(socketserver.StreamRequestHandler):
            timeout = 10

            def handle(self) -> None:
                self.wfile.write(greeting.encode())
                for line in self.rfile:
                    reply = answer(line.decode().strip())
                    if reply is None:
                        self.request.shutdown(socket.SHUT_RDWR)
                        return
                    self.wfile.write(reply.encode())

        super().__init__(("127.0.0.1", 0), Handler)
        self.port: int = self.server_address[1]
        threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()

    def handle_error(self, *_: object) -> None:
        """Says nothing: clients that hang up belong to the tests."""

    def close(self) -> None:
        """Stops the server."""
        self.shutdown()
        self.server_close()


def imap_answers(replies: Mapping[str, str | None]) -> Callable[[str], str | None]:
    """The answers of an IMAP server: by command, else OK; a reply of None hangs up.

    Args:
        replies: a tagged reply without its tag, such as `NO [NOPERM] No.`, by command.
    """

    def answer(line: str) -> str | None:
        tag, _, rest = line.partition(" ")
        command = rest.split(" ")[0].upper()
        if command in replies:
            reply = replies[command]
            return None if reply is None else f"{tag} {reply}\r\n"
        if command == "CAPABILITY":
            return f"* CAPABILITY IMAP4rev1\r\n{tag} OK Done.\r\n"
        if command == "SELECT":
            return f"* 3 EXISTS\r\n{tag} OK [READ-WRITE] Done.\r\n"
        return f"{tag} OK Done.\r\n"

    return answer


def pop_answers(replies: Mapping[str, str | None]) -> Callable[[str], str | None]:
    """The answers of a POP3 server: by command, else +OK; a reply of None hangs up.

    Args:
        replies: the whole reply by command.
    """

    def answer(line: str) -> str | None:
        command = line.split(" ")[0].upper()
        reply = replies.get(command, "+OK")
        return None if reply is None else f"{reply}\r\n"

    return answer


def raised(call: Callable[[], object]) -> Exception:
    """What a call raises, which it must."""
    try:
        call()
    except Exception as error:
        return error
    raise AssertionError("nothing was raised")
