"""What the failures of operations tools mean, for mulligan; it registers itself when it is installed.

Libraries (docker, paramiko, asyncssh, kubernetes and their like) are understood by class, HTTP status and documented
reasons. Programs that a tool ran are understood by their documented exit codes, and by the fixed beginnings of what they
write to their standard error. A bare exit code that says nothing stays a `ToolExecutionError`. No library is imported.
"""

from __future__ import annotations

from mulligan.plugin import Rules
from mulligan_ops import _commands, _docker, _kubernetes, _sftp, _ssh

__all__ = ["classify", "classify_last", "last", "mulligan_api", "rules"]

mulligan_api = "1.0"
rules = Rules()
rules.include(_docker.rules, _ssh.rules, _sftp.rules, _kubernetes.rules, _commands.rules)
last = Rules(last=True)
last.include(_ssh.last)
classify = rules.hookimpl(tryfirst=True)  # an exception of requests that docker lets through is docker's
classify_last = last.hookimpl()
