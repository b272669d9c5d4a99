"""What the clients of HubSpot, Salesforce and Airtable raise. None of them is imported."""

from typing import Any

from mulligan.plugin import Failure, Rules, hookimpl
from mulligan_crm import airtable, connections, hubspot, salesforce

__all__ = ["classify", "classify_last", "detect", "last", "mulligan_api", "rules"]

mulligan_api = "1.0"
rules = Rules()
rules.include(hubspot.rules, salesforce.rules, airtable.rules, connections.rules)
last = Rules(last=True)
last.include(hubspot.last, salesforce.last, airtable.last)

classify = rules.hookimpl(tryfirst=True)  # exceptions of requests that a client lets through are its service's
classify_last = last.hookimpl()


@hookimpl
def detect(value: Any) -> Failure | None:
    """Records or batches that were all refused, as Salesforce and HubSpot return them."""
    return salesforce.detect(value) or hubspot.detect(value)
