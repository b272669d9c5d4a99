"""Rules for google-api-core, google-api-python-client, google-auth, google-cloud-storage, gspread, firebase-admin and googlemaps."""

from __future__ import annotations

from mulligan_google import answers, connections, credentials
from mulligan_google.answers import rules

__all__ = ["answers", "classify", "connections", "credentials", "rules"]

classify = rules.hookimpl(tryfirst=True)
