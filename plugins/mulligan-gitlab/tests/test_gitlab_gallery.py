"""The package's part of the gallery."""

from collections.abc import Sequence
from functools import partial

import mulligan_gitlab
import pytest
from conftest import client, create_file, create_issue, create_merge_request, get_file, merge
from mulligan_testkit.gallery import Gallery, GalleryFailure
from mulligan_testkit.loopback import Serve


class TestGallery(Gallery):
    title = "GitLab"
    plugin = mulligan_gitlab
    packages = ("python-gitlab",)

    @pytest.fixture
    def shown(self, serve: Serve) -> Sequence[GalleryFailure]:
        def fail(call: object, status: int, body: object) -> object:
            return partial(call, client(serve(status, body)))

        exists = {"message": ["Another open merge request already exists for this source branch: !12"]}
        path = {"project": "team/app", "file_path": "src/a.py", "ref": "main"}
        new = {"project": "team/app", "file_path": "src/a.py", "branch": "mian"}
        title = {"message": {"title": ["is too long (maximum is 255 characters)"]}}
        elsewhere = {"message": "You can only create or edit files when you are on a branch"}
        return [
            GalleryFailure(
                "A file that is not there", "read_file", path, fail(get_file, 404, {"message": "404 File Not Found"})
            ),
            GalleryFailure("A branch that is not there", "create_file", new, fail(create_file, 400, elsewhere), True),
            GalleryFailure(
                "A title that is too long",
                "create_issue",
                {"project": "team/app", "title": "x" * 300},
                fail(create_issue, 400, title),
                True,
            ),
            GalleryFailure(
                "A merge request that exists already",
                "open_merge_request",
                {"project": "team/app", "source_branch": "feature"},
                fail(create_merge_request, 409, exists),
                True,
            ),
            GalleryFailure(
                "A merge request that cannot be merged now",
                "merge",
                {"project": "team/app", "mr_iid": 7},
                fail(merge, 405, {"message": "405 Method Not Allowed"}),
                True,
            ),
        ]
