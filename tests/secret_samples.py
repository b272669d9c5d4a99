"""Fake secrets of every well-known shape, made anew at each run, and how much of one a text still holds."""

from __future__ import annotations

import json
import random
import string
from base64 import urlsafe_b64encode

ALNUM = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
UPPER = string.ascii_uppercase + string.digits
WORDY = ALNUM + "_-"


def draw(rng: random.Random, alphabet: str, length: int) -> str:
    """A text of that length out of those letters."""
    return "".join(rng.choice(alphabet) for _ in range(length))


def shapes(rng: random.Random) -> dict[str, str]:
    """Forty fakes by the name of their shape; the last twenty characters of each are its secret.

    Args:
        rng: where the letters come from.
    """

    def of(alphabet: str, length: int) -> str:
        return draw(rng, alphabet, length - 1) + rng.choice(alphabet.rstrip("_-"))

    claims = urlsafe_b64encode(json.dumps({"sub": of(ALNUM, 8)}).encode()).decode().rstrip("=")
    digits = string.digits
    return {
        "OpenAI": "sk-" + of(ALNUM, 48),
        "OpenAI project": "sk-proj-" + of(WORDY, 64),
        "Anthropic": "sk-ant-api03-" + of(WORDY, 84),
        **{f"GitHub {kind}": f"gh{kind}_{of(ALNUM, 36)}" for kind in "pousr"},
        "GitHub fine-grained": f"github_pat_{of(ALNUM, 22)}_{of(ALNUM, 59)}",
        "GitLab": "glpat-" + of(WORDY, 20),
        "Slack bot": f"xoxb-{of(digits, 12)}-{of(digits, 12)}-{of(ALNUM, 24)}",
        "Slack user": f"xoxp-{of(digits, 12)}-{of(ALNUM, 24)}",
        "Slack app": f"xapp-1-A{of(UPPER, 8)}-{of(digits, 12)}-{of(HEX, 64)}",
        "Slack webhook": f"https://hooks.slack.com/services/T{of(UPPER, 8)}/B{of(UPPER, 8)}/{of(ALNUM, 24)}",
        "AWS id": "AKIA" + of(UPPER, 16),
        "AWS session id": "ASIA" + of(UPPER, 16),
        "Google key": "AIza" + of(WORDY, 35),
        "Google token": "ya29." + of(WORDY, 62),
        "Stripe": "sk_live_" + of(ALNUM, 24),
        "Stripe restricted": "rk_live_" + of(ALNUM, 24),
        "Stripe publishable": "pk_live_" + of(ALNUM, 24),
        "Stripe webhook": "whsec_" + of(ALNUM, 32),
        "Twilio key": "SK" + of(HEX, 32),
        "Twilio account": "AC" + of(HEX, 32),
        "SendGrid": f"SG.{of(WORDY, 22)}.{of(WORDY, 43)}",
        "npm": "npm_" + of(ALNUM, 36),
        "PyPI": "pypi-AgEIcHlwaS5vcmc" + of(WORDY, 64),
        "Hugging Face": "hf_" + of(ALNUM, 34),
        "DigitalOcean": "dop_v1_" + of(HEX, 64),
        "Shopify": "shpat_" + of(HEX, 32),
        "Telegram": f"{of('123456789', 9)}:AA{of(WORDY, 33)}",
        "Vault": "hvs." + of(WORDY, 90),
        "Groq": "gsk_" + of(ALNUM, 52),
        "Google client": "GOCSPX-" + of(WORDY, 28),
        "Slack refresh": "xoxe.xoxp-1-" + of(ALNUM, 60),
        "Stripe test": "sk_test_" + of(ALNUM, 24),
        "Discord webhook": f"https://discord.com/api/webhooks/{of(digits, 18)}/{of(WORDY, 68)}",
        "Bearer": "Bearer " + of(ALNUM, 39) + "7",
        "private key": "-----BEGIN PRIVATE KEY-----\n" + of(ALNUM, 64),
        "JWT": f"eyJhbGciOiJIUzI1NiJ9.{claims}.{of(WORDY, 43)}",
    }


def longest_part(secret: str, text: str) -> int:
    """How long the longest part of a secret is that a text still holds."""
    longest = 0
    for start in range(len(secret)):
        while start + longest < len(secret) and secret[start : start + longest + 1] in text:
            longest += 1
    return longest


def published(rng: random.Random) -> dict[str, str]:
    """Fakes of tokens with a prefix that their service has published, by its name.

    Args:
        rng: where the letters come from.
    """

    def of(alphabet: str, length: int) -> str:
        return draw(rng, alphabet, length)

    uuid = "-".join(of(HEX, length) for length in (8, 4, 4, 4, 12))
    return {
        "Notion": "ntn_" + of(ALNUM, 46),
        "Notion, old": "secret_" + of(ALNUM, 43),
        "Atlassian": "ATATT3xFfGF0" + of(WORDY, 180) + "=" + of(UPPER, 8),
        "Bitbucket": "ATBB" + of(ALNUM, 32),
        "Trello": "ATTA" + of(HEX, 64),
        "Discord bot": f"MT{of(ALNUM, 24)}.{of(WORDY, 6)}.{of(WORDY, 38)}",
        "Tavily": "tvly-dev-" + of(ALNUM, 32),
        "Docker": "dckr_pat_" + of(WORDY, 27),
        "Docker organization": "dckr_oat_" + of(ALNUM, 32),
        "Pinecone": f"pcsk_{of(ALNUM, 6)}_{of(ALNUM, 63)}",
        "xAI": "xai-" + of(ALNUM, 80),
        "Perplexity": "pplx-" + of(ALNUM, 48),
        "Replicate": "r8_" + of(ALNUM, 37),
        "LangSmith": f"lsv2_pt_{of(HEX, 32)}_{of(HEX, 10)}",
        "Google refresh": "1//0" + of(WORDY, 60),
        "Azure client secret": of(ALNUM, 3) + "8Q~" + of(WORDY, 34),
        "Databricks": "dapi" + of(HEX, 32),
        "Linear": "lin_api_" + of(ALNUM, 40),
        "Figma": "figd_" + of(WORDY, 40),
        "Airtable": f"pat{of(ALNUM, 14)}.{of(HEX, 64)}",
        "HubSpot": f"pat-eu1-{uuid}",
        **{f"GitLab {kind}": f"gl{kind}-{of(WORDY, 20)}" for kind in ("rt", "dt", "ptt", "cbt", "soat", "ft", "agent")},
        "New Relic": "NRAK-" + of(UPPER, 27),
        "Grafana": f"glsa_{of(ALNUM, 32)}_{of(HEX, 8)}",
        "Sentry": "sntrys_" + of(ALNUM, 60),
        "Postman": f"PMAK-{of(HEX, 24)}-{of(HEX, 34)}",
        "Dropbox": "sl." + of(WORDY, 130),
        "Square": "sq0atp-" + of(WORDY, 22),
        "Supabase": "sbp_" + of(HEX, 40),
        "age": "AGE-SECRET-KEY-1" + of("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58),
        "Mailgun": "key-" + of(HEX, 32),
        "Mailchimp": of(HEX, 32) + "-us14",
        "Brevo": f"xkeysib-{of(HEX, 64)}-{of(ALNUM, 16)}",
        "Heroku": "HRKU-" + uuid,
        "Pulumi": "pul-" + of(HEX, 40),
        "Terraform": f"{of(ALNUM, 14)}.atlasv1.{of(ALNUM, 67)}",
        "Doppler": "dp.pt." + of(ALNUM, 43),
        "PlanetScale": "pscale_tkn_" + of(WORDY, 43),
        "Netlify": "nfp_" + of(ALNUM, 36),
        "Render": "rnd_" + of(ALNUM, 28),
        "Fireworks": "fw_" + of(ALNUM, 24),
        "Voyage": "pa-" + of(WORDY, 44),
        "NVIDIA": "nvapi-" + of(WORDY, 64),
        "Tailscale": f"tskey-auth-{of(ALNUM, 16)}-{of(ALNUM, 32)}",
        "CircleCI": f"CCIPAT_{of(ALNUM, 22)}_{of(HEX, 40)}",
        "RubyGems": "rubygems_" + of(HEX, 48),
        "Plaid": "access-sandbox-" + uuid,
        "Meta": "EAA" + of(ALNUM, 120),
        "of a service that is not known": "zq_live_" + of(ALNUM, 48),
    }
