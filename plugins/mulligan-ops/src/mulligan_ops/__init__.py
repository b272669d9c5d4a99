"""What the failures of operations tools mean, for mulligan; it registers itself when it is installed.

Libraries (docker, paramiko, kubernetes) are understood by class, HTTP status and documented reasons. Programs that a
tool ran are understood by their documented exit codes, and by the fixed beginnings of what they write to their standard
error. A bare exit code that says nothing stays a `ToolExecutionError`. No library is imported.
"""

from __future__ import annotations

from functools import partial

from mulligan.plugin import Failure, Rule, Rules, ToolError
from mulligan_ops import _commands, _docker, _kubernetes, _ssh

__all__ = ["classify", "rules"]


def _signed(rule: Rule, provider: str | None, failure: Failure) -> ToolError | None:
    """What a rule says, with the service that it knows."""
    error = rule.decide(failure)
    if error is not None and error.provider is None:
        error.provider = provider
    return error


rules = Rules()
for _part in (_docker.rules, _ssh.rules, _kubernetes.rules, _commands.rules):
    rules.listed += [rule._replace(decide=partial(_signed, rule, _part.provider)) for rule in _part.listed]
classify = rules.hookimpl()
