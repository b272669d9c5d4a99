"""Fixtures: a pipeline with this package alone, and GitLab's client with a server that answers as the test says."""

from collections.abc import Callable, Iterator
from functools import partial

import gitlab
import mulligan_gitlab
import pytest
from mulligan_testkit.loopback import Serve

from mulligan import Pipeline
from mulligan.errors import ToolError

Classify = Callable[..., ToolError]
Failing = Callable[[gitlab.Gitlab], object]


@pytest.fixture
def pipeline() -> Iterator[Pipeline]:
    with Pipeline(plugins=[mulligan_gitlab], autoload=False, strict=True) as pipeline:
        yield pipeline


@pytest.fixture
def classify(pipeline: Pipeline) -> Classify:
    """`classify(failure, {"project": "a/b"})`: the error, which there must be."""

    def ask(failure: object, arguments: dict[str, object] | None = None) -> ToolError:
        error = pipeline.classify(failure, tool="some_tool", arguments=arguments or {})
        assert error is not None
        return error

    return ask


@pytest.fixture
def answer(classify: Classify, serve: Serve) -> Classify:
    """`answer(call, status, body, arguments)`: the error for what the client raises when GitLab answers like that."""

    def ask(call: Failing, status: int, body: object, arguments: dict[str, object] | None = None, **more: object):
        return classify(raised(partial(call, client(serve(status, body, **more)))), arguments)

    return ask


def client(url: str) -> gitlab.Gitlab:
    return gitlab.Gitlab(url, private_token="glpat-secret", timeout=1)


def raised(call: Callable[[], object]) -> Exception:
    try:
        call()
    except Exception as error:
        return error
    raise AssertionError("nothing was raised")


def project(gl: gitlab.Gitlab) -> object:
    return gl.projects.get("team/nope")


def create_issue(gl: gitlab.Gitlab) -> object:
    return gl.projects.get(1, lazy=True).issues.create({"title": "x"})


def get_merge_request(gl: gitlab.Gitlab) -> object:
    return gl.projects.get(1, lazy=True).mergerequests.get(7)


def create_merge_request(gl: gitlab.Gitlab) -> object:
    fields = {"source_branch": "feature", "target_branch": "main", "title": "x"}
    return gl.projects.get(1, lazy=True).mergerequests.create(fields)


def merge(gl: gitlab.Gitlab) -> object:
    return gl.projects.get(1, lazy=True).mergerequests.get(7, lazy=True).merge()


def get_file(gl: gitlab.Gitlab) -> object:
    return gl.projects.get(1, lazy=True).files.get("src/a.py", ref="main")


def create_file(gl: gitlab.Gitlab) -> object:
    fields = {"file_path": "src/a.py", "branch": "main", "content": "x", "commit_message": "x"}
    return gl.projects.get(1, lazy=True).files.create(fields)


def list_without_waiting(gl: gitlab.Gitlab) -> object:
    return gl.http_list("/projects", obey_rate_limit=False)
