"""The package's part of the gallery."""

from collections.abc import Sequence

import mulligan_github
import pytest
from github_server import Serve, github_body, github_headers
from mulligan_testkit.gallery import Gallery, GalleryFailure
from test_github_rest import CASES, invalid, with_githubkit, with_pygithub


class TestGallery(Gallery):
    title = "GitHub"
    plugin = mulligan_github
    packages = ("PyGithub", "githubkit")

    @pytest.fixture
    def shown(self, serve: Serve) -> Sequence[GalleryFailure]:
        named = {"repository": "acme/nope"}

        def answer(status: int, message: str, **more: object) -> str:
            headers = more.pop("headers", {})
            return serve(status, github_body(status, message, **more), github_headers(**headers))

        limited = CASES["403-primary"]
        return [
            GalleryFailure(
                "A repository that is not there",
                "get_repository",
                named,
                lambda: with_pygithub(answer(404, "Not Found")),
            ),
            GalleryFailure(
                "A token that is refused",
                "get_repository",
                named,
                lambda: with_pygithub(answer(401, "Bad credentials")),
            ),
            GalleryFailure(
                "A rate limit that is used up",
                "get_repository",
                named,
                lambda: with_githubkit(answer(limited.status, limited.message, headers=limited.headers)),
            ),
            GalleryFailure(
                "A token without the permission",
                "get_repository",
                named,
                lambda: with_githubkit(
                    answer(
                        403,
                        "Resource not accessible by integration",
                        headers={"X_Accepted_GitHub_Permissions": "issues=write"},
                    )
                ),
            ),
            GalleryFailure(
                "A field that is missing",
                "create_issue",
                {"repository": "acme/nope", "body": "It does not start."},
                lambda: with_pygithub(answer(422, "Validation Failed", **invalid("title", "missing_field"))),
                writes=True,
            ),
        ]
