"""The package's part of the gallery."""

import subprocess

import mulligan_ops
import pytest
from mulligan_testkit.gallery import Gallery, GalleryFailure
from test_ops_git import repository  # noqa: F401
from test_ops_libraries import daemon  # noqa: F401


@pytest.mark.program("git")
class TestGallery(Gallery):
    title = "Docker, git and other programs"
    plugin = mulligan_ops
    packages = ("docker",)

    @pytest.fixture
    def shown(self, run, repository, daemon):  # noqa: F811
        def git(*words):
            options = {"check": True, "capture_output": True, "text": True, "env": run.settings, "cwd": repository.path}
            return lambda: subprocess.run(["git", *words], timeout=60, **options)

        def inspect(status, text):
            daemon.replies["GET /v1.43/containers/web1/json"] = (status, {"message": text})
            daemon.containers.get("web1")

        container = {"name": "web1"}
        return [
            GalleryFailure("git: a branch that is not there", "checkout", {"branch": "none"}, git("checkout", "none")),
            GalleryFailure(
                "git: a branch that is there already", "branch", {"name": "side"}, git("branch", "side"), True
            ),
            GalleryFailure("git: an option that does not exist", "log", {"options": "--nope"}, git("log", "--nope")),
            GalleryFailure(
                "Docker: a container that is not there",
                "inspect_container",
                container,
                lambda: inspect(404, "No such container: web1"),
            ),
            GalleryFailure(
                "Docker: a registry that limits pulls",
                "inspect_container",
                container,
                lambda: inspect(429, "toomanyrequests: You have reached your pull rate limit."),
            ),
            GalleryFailure(
                "Docker: a full disk",
                "inspect_container",
                container,
                lambda: inspect(500, "write /var/lib/docker/tmp/x: no space left on device"),
            ),
        ]
