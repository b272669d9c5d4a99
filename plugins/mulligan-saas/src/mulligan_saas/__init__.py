"""What the clients of Slack, Notion, Jira, Confluence and Discord raise. None of them is imported."""

from mulligan.plugin import Rules
from mulligan_saas import confluence, discord, jira, notion, slack

__all__ = ["classify", "classify_otherwise", "mulligan_api", "rules"]

mulligan_api = "1.0"
rules = Rules()
rules.include(slack.rules, notion.rules, jira.rules, confluence.rules, discord.rules)

classify, classify_otherwise = rules.hookimpls()
