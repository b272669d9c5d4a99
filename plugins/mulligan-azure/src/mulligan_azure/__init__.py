"""Rules for azure-core and the clients based on it: identity, storage, Resource Manager, Cosmos DB, messaging."""

from mulligan.plugin import Rules
from mulligan_azure import core, cosmos, messaging

__all__ = ["classify", "classify_last", "last", "mulligan_api", "rules"]

mulligan_api = "1.0"
rules = Rules("azure")
rules.include(messaging.rules, cosmos.rules, core.rules)
last = Rules("azure", last=True)
last.include(core.last, messaging.last)

classify = rules.hookimpl(tryfirst=True)
classify_last = last.hookimpl()
