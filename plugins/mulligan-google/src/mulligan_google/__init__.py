"""Rules for google-api-core, google-cloud, google-api-python-client, google-auth, gspread, firebase-admin and googlemaps.

They run early, because these libraries do not wrap the exceptions of their HTTP clients.
"""

from mulligan.plugin import Rules
from mulligan_google import answers, api_core, apiclient, auth, cloud, connections, maps, sheets

__all__ = ["classify", "classify_last", "last", "mulligan_api", "rules"]

mulligan_api = "1.0"
rules = Rules("google")
rules.include(
    api_core.rules,
    answers.rules,
    cloud.rules,
    apiclient.rules,
    sheets.rules,
    maps.rules,
    auth.rules,
    connections.rules,
)
last = Rules("google", last=True)
last.include(api_core.last, cloud.last, apiclient.last, sheets.last)

classify = rules.hookimpl(tryfirst=True)
classify_last = last.hookimpl()
