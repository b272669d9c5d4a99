"""The package passes mulligan's own suite for plugins that classify."""

from __future__ import annotations

from subprocess import CalledProcessError

import mulligan_ops
from paramiko import AuthenticationException

from mulligan.errors import ResourceNotFoundError, ToolAuthenticationError
from mulligan.testing import ClassifierConformance

NO_REPOSITORY = "fatal: not a git repository (or any of the parent directories): .git\n"


class TestOps(ClassifierConformance):
    plugin = mulligan_ops
    samples = [
        (CalledProcessError(128, ["git", "status"], stderr=NO_REPOSITORY), ResourceNotFoundError, {"rule": "git"}),
        (AuthenticationException("Authentication failed."), ToolAuthenticationError),
    ]
