"""The package passes mulligan's own suite for plugins that classify."""

from __future__ import annotations

import github
import mulligan_github
from github_server import github_body

from mulligan.errors import ResourceNotFoundError, ToolAuthenticationError
from mulligan.testing import ClassifierConformance


class TestGitHub(ClassifierConformance):
    plugin = mulligan_github
    samples = [
        (github.UnknownObjectException(404, github_body(404, "Not Found"), {}), ResourceNotFoundError),
        (github.BadCredentialsException(401, github_body(401, "Bad credentials"), {}), ToolAuthenticationError),
        (github_body(404, "Not Found"), ResourceNotFoundError, {"rule": "missing_or_private"}),
    ]
