"""What the failures of operations tools mean, for mulligan; it registers itself when it is installed.

Libraries (docker, paramiko, asyncssh, kubernetes and their like) are understood by class, HTTP status and documented
reasons. Programs that a tool ran are understood by their documented exit codes, and by the fixed beginnings of what they
write to their standard error. A bare exit code that says nothing stays a `ToolExecutionError`. No library is imported.
"""

from __future__ import annotations

from mulligan.plugin import Rules
from mulligan_ops import commands, docker, git_libraries, kubernetes, sftp, ssh

__all__ = ["classify", "classify_last", "last", "mulligan_api", "rules"]

mulligan_api = "1.0"
rules = Rules()
rules.include(docker.rules, ssh.rules, sftp.rules, kubernetes.rules, git_libraries.rules, commands.rules)
last = Rules(last=True)
last.include(docker.last, ssh.last, kubernetes.last, git_libraries.last)
classify = rules.hookimpl(tryfirst=True)  # an exception of requests that docker lets through is docker's
classify_last = last.hookimpl()
