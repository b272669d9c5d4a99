"""Rules for google-api-core, google-api-python-client, google-auth, gspread, firebase-admin and googlemaps.

They are asked early, since these libraries let through what their HTTP clients raise.
"""

from __future__ import annotations

from mulligan_google import answers, connections, credentials
from mulligan_google.answers import last, rules

__all__ = ["answers", "classify", "classify_last", "connections", "credentials", "last", "mulligan_api", "rules"]

mulligan_api = "1.0"
classify = rules.hookimpl(tryfirst=True)
classify_last = last.hookimpl()
