"""The package passes mulligan's own suite for plugins that classify."""

from __future__ import annotations

import json

import mulligan_gitlab
from gitlab.exceptions import GitlabAuthenticationError, GitlabCreateError, GitlabError, GitlabGetError

from mulligan.errors import ResourceNotFoundError, ToolArgumentError, ToolAuthenticationError, ToolExecutionError
from mulligan.testing import ClassifierConformance


def answered(cls: type, status: int, **body: object) -> Exception:
    return cls(next(iter(body.values())), status, json.dumps(body).encode())


class TestGitlab(ClassifierConformance):
    plugin = mulligan_gitlab
    samples = [
        (answered(GitlabAuthenticationError, 401, message="401 Unauthorized"), ToolAuthenticationError),
        (answered(GitlabGetError, 404, message="404 Project Not Found"), ResourceNotFoundError),
        (answered(GitlabCreateError, 400, error="title is missing"), ToolArgumentError),
        (answered(GitlabCreateError, 400, message={"name": ["can't be blank"]}), ToolArgumentError),
        (GitlabError("wobbly"), ToolExecutionError, {"rule": "other"}),
    ]
