"""GitHub's failures: what PyGithub, githubkit and ghapi raise, and what its REST and GraphQL answers say.

No client is imported: a rule knows an exception by its qualified name, and an answer by its headers, body and URL.
"""

from mulligan.plugin import Rules
from mulligan_github import clients, graphql, rest
from mulligan_github.values import detect

__all__ = ["classify", "classify_last", "detect", "last", "mulligan_api", "rules"]

mulligan_api = "1.0"
rules = Rules("github")
rules.include(clients.rules, graphql.rules, rest.rules)  # asked in this order
last = clients.last

classify = rules.hookimpl()
classify_last = last.hookimpl()
