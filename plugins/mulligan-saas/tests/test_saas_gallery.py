"""The package's part of the gallery."""

from collections.abc import Sequence

import mulligan_saas
import pytest
from mulligan_testkit.gallery import Gallery, GalleryFailure
from saas_server import Serve
from test_saas_atlassian import told as jira_told
from test_saas_atlassian import with_jira
from test_saas_notion import PAGE, retrieve, told
from test_saas_slack import post


class TestGallery(Gallery):
    title = "Slack, Notion, Jira"
    plugin = mulligan_saas
    packages = ("slack_sdk", "notion-client", "jira")

    @pytest.fixture
    def shown(self, serve: Serve) -> Sequence[GalleryFailure]:
        message = {"channel": "C0NOPE", "text": "hello"}
        missing, scope = (
            {"ok": False, "error": "channel_not_found"},
            {"ok": False, "error": "missing_scope", "needed": "chat:write"},
        )
        limited = {"ok": False, "error": "ratelimited"}
        return [
            GalleryFailure(
                "Slack: a channel that is not there", "post_message", message, post(serve(200, missing)), True
            ),
            GalleryFailure("Slack: a token without the scope", "post_message", message, post(serve(200, scope)), True),
            GalleryFailure(
                "Slack: too many messages",
                "post_message",
                message,
                post(serve(429, limited, {"Retry-After": "20"})),
                True,
            ),
            GalleryFailure(
                "Notion: a page that is not there, or not shared",
                "read_page",
                {"page_id": PAGE},
                retrieve(serve(404, told("object_not_found", f"Could not find page with ID: {PAGE}."))),
            ),
            GalleryFailure(
                "Jira: an issue that is not there",
                "get_issue",
                {"key": "PROJ-404"},
                with_jira(serve(404, jira_told("Issue does not exist or you do not have permission to see it."))),
            ),
        ]
