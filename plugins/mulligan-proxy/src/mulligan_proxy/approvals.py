"""Calls that need a person's approval: requested through the client (MCP elicitation), or refused if it cannot ask."""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
from collections.abc import Mapping
from typing import Any
from unicodedata import category

import mcp_types as types
from mcp.server.session import ServerSession
from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from mulligan import ApprovalRequest, Approve, Reject, Tool, hookimpl
from mulligan.errors import ToolPermissionError
from mulligan_proxy.exchange import CURRENT, Exchange

_ANSWER = "mulligan-approval"
_ASKED, _APPROVED = "mulligan-asked", "mulligan-approved"
_CANNOT_ASK = (
    "This call needs a person's approval, and this client cannot ask for it: it does not support MCP elicitation."
)
_LONGEST = 4_000
_UNSEEN = ("Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp")
_NO_FIELDS: dict[str, Any] = {"type": "object", "properties": {}}


class Approvals:
    """Asks the user of the client."""

    def __init__(self) -> None:
        self._key = secrets.token_bytes(32)

    async def approve(self, request: ApprovalRequest) -> Approve | Reject | None:
        """Asks about a call.

        Args:
            request: the call.

        Returns:
            The decision; None if the question is sent in the answer to the call.
        """
        exchange = CURRENT.get()
        if exchange.approval == self._seal(_APPROVED, request):
            return Approve()  # another round of the same call, because its server asked for more input
        if not can_ask(exchange.session):
            return Reject(_CANNOT_ASK)
        if exchange.session.protocol_version in MODERN_PROTOCOL_VERSIONS:
            return self._answered(exchange, request)
        params = types.ElicitRequestFormParams(message=_question(request), requested_schema=_NO_FIELDS)
        try:
            answer = await exchange.session.send_request(
                types.ElicitRequest(params=params),
                types.ElicitResult,
                metadata=ServerMessageMetadata(related_request_id=exchange.request_id),
            )
        except (MCPError, ValidationError):
            return Reject("The client failed to ask for approval.")
        return self._decision(answer.action, exchange, request)

    def _answered(self, exchange: Exchange, request: ApprovalRequest) -> Approve | Reject | None:
        """The decision that was sent with the call. The first time there is none, and the question is put into the exchange.

        The answer counts only for exactly the call that was asked about, which the seal ensures.
        """
        state = exchange.params.get("requestState")
        approved = _approved_state(state)
        if approved is not None and hmac.compare_digest(approved[0], self._seal(_APPROVED, request)):
            exchange.approval, server_state = approved
            exchange.params = {**_without(exchange.params, "requestState"), **server_state}
            return Approve()
        seal = self._seal(_ASKED, request)
        answer = (exchange.params.get("inputResponses") or {}).get(_ANSWER)
        if isinstance(answer, Mapping) and hmac.compare_digest(str(state).encode(), seal.encode()):
            exchange.params = _without(exchange.params, "inputResponses", "requestState")
            return self._decision(answer.get("action"), exchange, request)
        asked = {"message": _question(request), "requestedSchema": _NO_FIELDS, "mode": "form"}
        exchange.question = {
            "resultType": "input_required",
            "inputRequests": {_ANSWER: {"method": "elicitation/create", "params": asked}},
            "requestState": seal,
        }
        return None

    def _decision(self, action: Any, exchange: Exchange, request: ApprovalRequest) -> Approve | Reject:
        if action == "accept":
            exchange.approval = self._seal(_APPROVED, request)
            return Approve()
        return Reject("The question was dismissed." if action == "cancel" else "The user declined.")

    def _seal(self, what: str, request: ApprovalRequest) -> str:
        sealed = json.dumps([what, request.tool_name, request.arguments], sort_keys=True)
        return hmac.new(self._key, sealed.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()


def with_approval(answer: Mapping[str, Any], approval: str) -> dict[str, Any]:
    """Adds the approval of a call to its server's request for input: the client sends it back, so no one is asked again.

    Args:
        answer: what the server answered.
        approval: the seal of the approved call, or an empty text.
    """
    if not approval or answer.get("resultType") != "input_required":
        return dict(answer)
    held = {name: answer[name] for name in ("requestState",) if name in answer}
    return {**answer, "requestState": json.dumps({_APPROVED: approval, **held})}


def _approved_state(state: Any) -> tuple[str, dict[str, Any]] | None:
    """The seal and the server's own state from a result of `with_approval`; None for anything else."""
    try:
        held = json.loads(state) if isinstance(state, str) else None
    except (ValueError, RecursionError):
        return None
    seal = held.pop(_APPROVED, None) if isinstance(held, dict) else None
    return (seal, held) if isinstance(seal, str) and seal.isascii() and held.keys() <= {"requestState"} else None


def _without(params: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in params.items() if name not in names}


def _question(request: ApprovalRequest) -> str:
    """The question for the person: with the exact arguments, since they must see what will run.

    Invisible characters, and those that reverse text, are escaped as in JSON.
    """
    whole = json.dumps(request.arguments, ensure_ascii=False, indent=1)
    shown = "".join(
        json.dumps(one)[1:-1] if category(one) in _UNSEEN and one != "\n" else one for one in whole[:_LONGEST]
    )
    if len(whole) > _LONGEST:
        shown = f"{shown}\n[{len(whole) - _LONGEST:,} more characters are not shown]"
    reason = f"\n{request.reason}" if request.reason else ""
    return f"Allow the call of {request.tool_name} with these arguments?{reason}\n{shown}"


class RefuseWithoutQuestion:
    """Refuses a call that needs approval if the client cannot ask for it."""

    @hookimpl
    def authorize(self, tool: Tool) -> ToolPermissionError | None:
        """Judges a call.

        Args:
            tool: its tool.
        """
        if not tool.approve or can_ask(CURRENT.get().session):
            return None
        return ToolPermissionError(
            _CANNOT_ASK,
            effect="none",
            user_message=f"{tool.name} needs your approval, and this program cannot ask you for it. "
            "Use a client that supports MCP elicitation, or take approve away from the options of this tool.",
        )


def can_ask(session: ServerSession) -> bool:
    """Whether a client can ask its user a question with a form.

    Args:
        session: the connection to the client.
    """
    capabilities = session.client_capabilities
    asking = None if capabilities is None else capabilities.elicitation
    return asking is not None and (asking.form is not None or asking.url is None)
