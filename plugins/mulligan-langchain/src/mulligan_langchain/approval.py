"""A person's approval of calls, asked by an interrupt of the graph."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any

from langchain.agents.middleware.human_in_the_loop import ApproveDecision, EditDecision, RejectDecision
from langgraph.types import interrupt
from pydantic import AfterValidator, Discriminator

from mulligan import ApprovalRequest, Approve, Reject
from mulligan.adapters import ControlFlow

Check = Callable[[str, dict[str, Any]], str | None]
_Decision = Annotated[ApproveDecision | EditDecision | RejectDecision, Discriminator("type")]


def ask_about_call(request: ApprovalRequest, check: Check) -> Approve | Reject | None:
    """Asks about the one call of a task, as `HumanInTheLoopMiddleware(interrupt_mode="per_call")` does.

    Args:
        request: the call.
        check: says what is wrong with changed arguments.

    Returns:
        The decision; None outside of a graph, where no one can be asked.

    Raises:
        ControlFlow: the graph is interrupted, or was resumed with something else than a decision.
    """

    def checked(decision: Any) -> Any:
        return _checked(request.tool_name, check, decision)

    decision = _ask(_shown(request), Annotated[_Decision, AfterValidator(checked)])
    return None if decision is None else _read(decision)


def ask_about_calls(requests: Mapping[str, ApprovalRequest], check: Check) -> dict[str, Approve | Reject]:
    """Asks about all calls of a task at once, before any of them runs.

    Args:
        requests: what is to be asked, by the ids of the calls.
        check: says what is wrong with changed arguments.

    Returns:
        The decisions by the ids of the calls; a call that is missing waits.

    Raises:
        ControlFlow: the graph is interrupted, or was resumed with something else than decisions.
    """
    if not requests:
        return {}

    def checked(decisions: dict[str, Any]) -> Any:
        for id, decision in decisions.items():
            if id not in requests:
                raise ValueError(f"no call with the id {id!r} waits; waiting: {', '.join(map(repr, requests))}")
            _checked(requests[id].tool_name, check, decision)
        return decisions

    shown = {"type": "tool_approvals", "requests": [_shown(request) for request in requests.values()]}
    decisions = _ask(shown, Annotated[dict[str, _Decision], AfterValidator(checked)]) or {}
    return {id: _read(decision) for id, decision in decisions.items()}


def _ask(value: Any, schema: Any) -> Any:
    try:
        return interrupt(value, response_schema=schema)
    except (RuntimeError, KeyError):  # outside of a graph
        return None
    except Exception as error:
        raise ControlFlow(error) from None


def _shown(request: ApprovalRequest) -> dict[str, Any]:
    return {
        "type": "tool_approval",
        "tool_call_id": request.call.id,
        "name": request.tool_name,
        "args": request.arguments,
        "description": request.reason or f"{request.tool_name} needs approval.",
    }


def _checked(name: str, check: Check, decision: Any) -> Any:
    if decision["type"] == "edit":
        edited = decision["edited_action"]
        if edited["name"] != name:
            raise ValueError(f"an edit changes the arguments only: use the name {name!r}, not {edited['name']!r}")
        if problem := check(name, edited["args"]):
            raise ValueError(problem)
    return decision


def _read(decision: Mapping[str, Any]) -> Approve | Reject:
    if decision["type"] == "reject":
        return Reject(decision.get("message") or "")
    return Approve(decision["edited_action"]["args"]) if decision["type"] == "edit" else Approve()
