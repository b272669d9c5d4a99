"""Rules for the clients of HubSpot, Salesforce and Airtable. None of them is imported."""

from typing import Any

from mulligan.plugin import Failure, Rules, hookimpl
from mulligan_crm import airtable, connections, hubspot, salesforce

__all__ = ["classify", "classify_last", "detect", "last", "mulligan_api", "rules"]

mulligan_api = "1.0"
rules = Rules()
rules.include(hubspot.rules, salesforce.rules, airtable.rules, connections.rules)
last = Rules(last=True)
last.include(hubspot.last, salesforce.last, airtable.last)

classify = rules.hookimpl(tryfirst=True)  # clients do not wrap the exceptions of requests
classify_last = last.hookimpl()


@hookimpl
def detect(value: Any) -> Failure | None:
    """Results in which every record or batch part was rejected, as Salesforce and HubSpot return them."""
    return salesforce.detect(value) or hubspot.detect(value)
