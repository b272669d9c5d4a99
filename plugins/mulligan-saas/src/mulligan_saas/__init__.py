"""Rules for the clients of Slack, Notion, Jira, Confluence and Discord. None of them is imported."""

from mulligan.plugin import Rules
from mulligan_saas import confluence, discord, jira, notion, slack, transport

__all__ = ["classify", "classify_last", "last", "mulligan_api", "rules"]

mulligan_api = "1.0"
rules = Rules()
rules.include(slack.rules, notion.rules, jira.rules, confluence.rules, discord.rules, transport.rules)
last = Rules(last=True)
last.include(slack.last, notion.last, jira.last, confluence.last, discord.last)

classify = rules.hookimpl()
classify_last = last.hookimpl()
