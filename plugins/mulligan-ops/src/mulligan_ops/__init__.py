"""What the failures of operations tools mean, for mulligan; it registers itself when it is installed.

Libraries (docker, paramiko, kubernetes) are understood by class, HTTP status and documented reasons. Programs that a
tool ran are understood by their documented exit codes, and by the fixed beginnings of what they write to their standard
error. A bare exit code that says nothing stays a `ToolExecutionError`. No library is imported.
"""

from __future__ import annotations

from mulligan.plugin import Rules
from mulligan_ops import _commands, _docker, _kubernetes, _ssh

__all__ = ["classify", "rules"]

rules = Rules()
for _part in (_docker, _ssh, _kubernetes, _commands):
    rules.listed += _part.rules.listed
classify = rules.hookimpl()
