"""Rules for operations tools: clients of Docker, SSH and Kubernetes, git libraries, and command-line programs.

Exceptions of libraries (docker, paramiko, asyncssh, kubernetes and others) are classified by class, HTTP status and documented
reasons. Programs that a tool ran are classified by their documented exit codes and by the fixed beginnings of their
messages on standard error. An exit code without a known meaning stays a `ToolExecutionError`. No library is imported.
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
classify = rules.hookimpl(tryfirst=True)  # docker does not wrap the exceptions of requests
classify_last = last.hookimpl()
