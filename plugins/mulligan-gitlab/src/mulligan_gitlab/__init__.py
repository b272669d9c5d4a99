"""Rules for GitLab: exceptions of python-gitlab for REST and GraphQL. The client is not imported."""

from mulligan.plugin import Rules
from mulligan_gitlab import client, graphql, rest
from mulligan_gitlab.graphql import detect

__all__ = ["classify", "classify_last", "detect", "last", "mulligan_api", "rules"]

mulligan_api = "1.0"
rules = Rules()
rules.include(rest.rules, client.rules, graphql.rules)
last = Rules(last=True)
last.include(client.last)

classify = rules.hookimpl(tryfirst=True)  # clients do not wrap the exceptions of requests
classify_last = last.hookimpl()
