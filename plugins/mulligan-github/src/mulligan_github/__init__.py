"""Rules for GitHub: exceptions of PyGithub, githubkit and ghapi, and its REST and GraphQL error responses.

No client is imported: rules match exceptions by qualified name, and responses by headers, body and URL.
"""

from mulligan.plugin import Rules
from mulligan_github import clients, graphql, rest
from mulligan_github.values import detect

__all__ = ["classify", "classify_last", "detect", "last", "mulligan_api", "rules"]

mulligan_api = "1.0"
rules = Rules("github")
rules.include(clients.rules, graphql.rules, rest.rules)  # in order of precedence
last = clients.last

classify = rules.hookimpl()
classify_last = last.hookimpl()
