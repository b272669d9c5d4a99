"""The package passes mulligan's own suite for plugins that classify."""

from __future__ import annotations

import mulligan_saas
from slack_sdk.errors import SlackApiError

from mulligan.errors import ResourceNotFoundError, ToolAuthenticationError, ToolExecutionError, ToolQuotaError
from mulligan.testing import ClassifierConformance


class TestSaas(ClassifierConformance):
    plugin = mulligan_saas
    samples = [
        (SlackApiError("Refused.", {"ok": False, "error": "channel_not_found"}), ResourceNotFoundError),
        (SlackApiError("Refused.", {"ok": False, "error": "invalid_auth"}), ToolAuthenticationError),
        (SlackApiError("Refused.", {"ok": False, "error": "quota_exhausted"}), ToolQuotaError),
        (SlackApiError("Refused.", {"ok": False, "error": "wobbly"}), ToolExecutionError, {"rule": "other"}),
    ]
