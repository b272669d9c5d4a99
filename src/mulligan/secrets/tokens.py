"""Tokens of known services, which publish distinctive prefixes so that their tokens can be detected.

Sources: GitHub's list of supported secret scanning patterns (https://docs.github.com/code-security/secret-scanning),
the rules of gitleaks (https://github.com/gitleaks/gitleaks/blob/master/config/gitleaks.toml), GitLab's token overview
(https://docs.gitlab.com/security/tokens/), and the services' own pages. Minimum lengths err on the short side, since
services lengthen their tokens.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise

_A, _W, _H, _D, _U = "[A-Za-z0-9]", "[A-Za-z0-9_-]", "[0-9a-f]", "[0-9]", "[A-Z0-9]"
_EQUALS = r"%(?:25){0,2}3[Dd]|\\u003[Dd]"
_UUID = f"{_H}{{8}}(?:-{_H}{{4}}){{3}}-{_H}{{12}}"

TOKENS: tuple[tuple[str, ...], ...] = (
    # Models and AI services
    ("OpenAI, Anthropic, DeepSeek, OpenRouter, Langfuse, LiteLLM", f"sk-{_W}{{16,}}"),
    ("OpenAI session", f"sess-{_A}{{32,}}"),
    ("ElevenLabs", f"sk_{_H}{{40,}}"),
    ("Hugging Face", f"hf_{_A}{{20,}}", f"api_org_{_A}{{20,}}"),
    ("Groq", f"gsk_{_A}{{20,}}"),
    ("xAI", f"xai-{_A}{{32,}}"),
    ("Perplexity", f"pplx-{_A}{{32,}}"),
    ("Replicate", f"r8_{_A}{{30,}}"),
    ("Fireworks", f"fw_{_A}{{20,}}"),
    ("Together", f"tgp_v[0-9]_{_W}{{32,}}"),
    ("Voyage", f"pa-{_W}{{40,}}"),
    ("Cerebras", f"csk-{_A}{{32,}}"),
    ("NVIDIA", f"nvapi-{_W}{{40,}}"),
    ("Jina", f"jina_{_A}{{40,}}"),
    ("LlamaCloud", f"llx-{_A}{{32,}}"),
    ("LangSmith", f"ls(?:v2_(?:pt|sk)_|__){_H}{{32}}(?:_{_H}{{8,}})?"),
    ("Pinecone", f"pc(?:sk|ca)_{_W}{{32,}}"),
    ("Tavily", f"tvly-{_W}{{20,}}"),
    ("Firecrawl", f"fc-{_H}{{32}}"),
    ("E2B", f"e2b_{_H}{{32,}}"),
    ("Browserbase", f"bb_(?:live|test)_{_W}{{20,}}"),
    ("Modal", f"a[ks]-{_A}{{22}}(?![A-Za-z0-9_-])"),
    ("Weights & Biases", f"wandb_v[0-9]_{_W}{{32,}}"),
    # Source code and deployment
    ("GitLab", f"gl(?:dt|rtr?|cbt|ptt|ft|imt|agent|soat|oas|ffct|wt)-{_W}{{16,}}"),
    ("GitLab runner registration", f"GR1348941{_W}{{20,}}"),
    ("npm", f"npm_{_A}{{20,}}"),
    ("RubyGems", f"rubygems_{_H}{{40,}}"),
    ("crates.io", f"cio{_A}{{32}}(?![A-Za-z0-9])"),
    ("NuGet", "oy2[a-z0-9]{43}(?![A-Za-z0-9])"),
    ("Clojars", f"CLOJARS_{_A}{{40,}}"),
    ("Artifactory", f"AKCp{_A}{{60,}}"),
    ("Docker", f"dckr_(?:pat|oat)_{_W}{{20,}}"),
    ("CircleCI", f"CCI(?:PAT|PRJ)_{_W}{{32,}}"),
    ("Buildkite", f"bk[a-z]{{1,3}}_{_H}{{40,}}"),
    ("Sonar", f"sq[uap]_{_H}{{40,}}"),
    ("Sourcegraph", f"sgp_(?:[A-Za-z0-9-]{{1,16}}_)?{_H}{{40,}}"),
    ("Harness", rf"[ps]at\.{_W}{{22}}\.{_H}{{24}}\.{_A}{{20,}}"),
    ("Postman", f"PMAK-{_H}{{24}}-{_H}{{20,}}"),
    ("ReadMe", f"rdme_{_A}{{60,}}"),
    ("Prefect", f"pn[ub]_{_A}{{30,}}"),
    ("Infracost", f"ico-{_A}{{32,}}"),
    # Clouds and platforms
    ("AWS, the other kinds of access keys", "A(?:BIA|CCA|3T[A-Z0-9])[A-Z0-9]{16,}"),
    ("AWS Bedrock", "ABSK[A-Za-z0-9+/]{60,}"),
    ("Google refresh token", f"0(?:(?<=1//0)|(?<=1%2[Ff]%2[Ff]0)|(?<=1%252[Ff]%252[Ff]0)){_W}{{30,}}"),
    ("Google Gemini", rf"AQ\.{_W}{{40,}}"),
    ("Firebase messaging", f"AAAA{_W}{{7}}:{_W}{{100,}}"),
    ("Azure client secret", "[A-Za-z0-9_~.]{3}[0-9]Q~[A-Za-z0-9_~.-]{30,}"),
    ("Azure services", f"{_A}{{40,64}}JQQJ9{_A}{{20,}}"),
    ("Alibaba", f"LTAI{_A}{{12,}}"),
    ("Tencent", f"AKID{_A}{{32,}}"),
    ("DigitalOcean, Cloudflare origin", rf"v1\.0-{_H}{{24}}-{_H}{{100,}}"),
    ("Cloudflare", f"cf(?:k|ut|at)_{_A}{{36,}}"),
    ("Heroku", f"HRKU-{_W}{{32,}}"),
    ("Fly", f"fo1_{_W}{{32,}}"),
    ("Fly, macaroons", "fm[0-9][a-z]{0,2}_[A-Za-z0-9+/=_-]{60,}"),
    ("Vercel", f"vc[a-z]_{_A}{{20,}}"),
    ("Vercel Blob", f"vercel_blob_rw_{_W}{{20,}}"),
    ("Netlify", f"nf[a-z]_{_A}{{32,}}"),
    ("Render", f"rnd_{_A}{{20,}}"),
    ("Scalingo", f"tk-us-{_W}{{40,}}"),
    ("Tailscale", "tskey-[a-z]{2,16}-[A-Za-z0-9-]{20,}"),
    ("HashiCorp Vault", rf"hv[sbr]\.{_W}{{20,}}"),
    ("HashiCorp Terraform", rf"{_A}{{14}}\.atlasv1\.{_W}{{40,}}"),
    ("Pulumi", f"pul-{_H}{{32,}}"),
    ("Doppler", r"dp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9_.-]{30,}"),
    ("1Password", "ops_eyJ[A-Za-z0-9+/=_-]{60,}"),
    ("age", "AGE-SECRET-KEY-1[A-Z0-9]{50,}"),
    ("Databricks", f"d(?:api|ose|kea){_H}{{32}}(?:-[0-9])?"),
    ("PlanetScale", "pscale_(?:tkn|pw|oauth)_[A-Za-z0-9._=-]{32,}"),
    ("Neon", f"napi_{_A}{{40,}}"),
    ("Supabase", f"sbp_(?:oauth_)?{_H}{{32,}}", f"sb_secret_{_W}{{20,}}"),
    ("MongoDB Atlas", f"mdb_sa_sk_{_W}{{30,}}"),
    ("Confluent", "cflt[A-Za-z0-9+/]{50,}"),
    ("ClickHouse", f"4b1d{_A}{{38}}(?![A-Za-z0-9])"),
    # Productivity, messaging, payments
    ("Notion", f"ntn_{_A}{{32,}}", f"secret_{_A}{{40,}}"),
    ("Atlassian", rf"AT(?:ATT|CTT|STT)3(?:[A-Za-z0-9_=-]|{_EQUALS}){{40,}}"),
    ("Bitbucket", f"ATBB{_A}{{24,}}"),
    ("Trello", f"ATTA{_A}{{60,}}"),
    ("Asana", rf"{_D}{{14,19}}:{_H}{{32}}"),  # after `1/`, which no run of its characters holds
    ("ClickUp", f"pk_{_D}{{4,12}}_{_U}{{24,}}"),
    ("Linear", f"lin_(?:api|oauth)_{_A}{{32,}}"),
    ("Figma", f"fig[a-z]_{_W}{{32,}}"),
    ("Airtable", rf"pat{_A}{{14}}\.{_H}{{40,}}"),
    ("Contentful", f"CFPAT-{_W}{{32,}}"),
    ("Typeform", f"tfp_{_W}{{32,}}"),
    ("HubSpot", f"pat-[a-z]{{2,3}}[0-9]{{0,2}}-{_UUID}"),
    ("Dropbox", rf"sl\.(?:u\.)?{_W}{{60,}}"),
    ("Discord bot", rf"[MNO]{_W}{{22,28}}\.{_W}{{6,7}}\.{_W}{{27,}}", rf"mfa\.{_W}{{20,}}"),
    ("SendGrid", rf"SG\.{_W}{{16,}}(?:\.{_W}{{1,128}})?"),
    ("Mailgun", f"key-{_H}{{32}}", f"{_H}{{32}}-{_H}{{8}}-{_H}{{8}}(?![A-Za-z0-9-])"),
    ("Mailchimp", f"{_H}{{32}}-us[0-9]{{1,2}}(?![A-Za-z0-9])"),
    ("Brevo", f"x(?:keys|smtps)ib-{_H}{{64}}-{_A}{{16}}"),
    ("Twilio", f"SK{_H}{{32}}(?![A-Za-z0-9])", f"AC{_H}{{32}}(?![A-Za-z0-9])"),
    ("Meta", f"EAA{_A}{{50,}}"),
    ("Salesforce", "00D[A-Za-z0-9]{12,15}![A-Za-z0-9._]{60,}"),
    ("Shippo", f"shippo_(?:live|test)_{_H}{{32,}}"),
    ("EasyPost", f"EZ[AT]K{_A}{{50,}}"),
    ("Duffel", f"duffel_(?:live|test)_{_W}{{32,}}"),
    ("Plaid", f"access-(?:sandbox|development|production)-{_UUID}"),
    ("Razorpay", f"rzp_(?:live|test)_{_A}{{14,}}"),
    ("Stripe", f"[prs]k_(?:live|test)_{_A}{{8,}}", f"sk_org_(?:live_|test_)?{_A}{{20,}}"),
    ("Square", f"sq0[a-z]{{3}}-{_W}{{20,}}"),
    ("Frame.io", f"fio-u-{_W}{{40,}}"),
    # Monitoring
    ("New Relic", f"NR[A-Z]{{2}}-{_A}{{16,}}", f"{_H}{{36}}NRAL"),
    ("Grafana", f"glsa_{_A}{{32}}_{_H}{{8}}", "glc_[A-Za-z0-9+/=]{32,}"),
    ("Sentry", "sntry[a-z]_[A-Za-z0-9+/=_-]{40,}"),
    ("Dynatrace", rf"dt0[a-z][0-9]{{2}}\.{_U}{{24}}\.{_U}{{40,}}"),
)
"""Services with the patterns of their tokens; each pattern begins with a character or a character class, never a group.

Tokens are searched for at the start of a word, or after an escape.
"""

UNKNOWN_TOKEN = (  # the common format: a short prefix, then a long random part
    rf"(?!sha[0-9])[a-z][a-z0-9]{{1,11}}(?:_[a-z0-9]{{1,8}}){{0,3}}[_-](?P<random>{_A}{{32,}})"
)
_RUN = r"(?<![A-Za-z0-9_.~-])[A-Za-z0-9_.~-]{11,}"  # the shortest beginning of a token: Firebase, up to its colon
_ESCAPE = (  # escapes of JSON, Python, URLs and terminals; they start at the character before the run
    r"\\(?:[bfnrt]|x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4})|%(?:25){0,2}(?:[35][Bb][0-9]{1,3}m|[0-9A-Fa-f]{2})|[\[;][0-9]{1,3}m"
)
_SEPARATOR = "[._~-]"
_SHORTEST_UNKNOWN = 34
_FEWEST_CHANGES = 0.45
"""Of random letters and digits, three in five differ in kind from the one before; in `readPageContent`, one in five."""

SOURCES = (*(source for _, *sources in TOKENS for source in sources), UNKNOWN_TOKEN, _RUN)


def token_spans(text: str) -> Iterator[tuple[int, int]]:
    """Find tokens in a text.

    Args:
        text: foreign text of any length; the time taken is linear in it.
    """
    done = 0
    for run in _compiled(_RUN).finditer(text):
        start, end = run.span()
        for token_start in _token_starts(text, start, end):
            if token_start >= done and (found := _token(text, token_start, end)):
                done = found.end()
                yield found.span()


def _token_starts(text: str, start: int, end: int) -> list[int]:
    """The positions in a run where a token may begin: at the start of a word, or after an escape."""
    escape = _compiled(_ESCAPE).match(text, max(0, start - 1), end)
    first = [start] if escape is None else [escape.end(), start]
    return first + [separator.end() for separator in _compiled(_SEPARATOR).finditer(text, start, end - 1)]


def _token(text: str, start: int, end: int) -> re.Match[str] | None:
    pattern = _patterns_by_character().get(text[start])
    found = pattern.match(text, start) if pattern else None
    if found is None and end - start > _SHORTEST_UNKNOWN:
        found = _compiled(UNKNOWN_TOKEN).match(text, start)
        if found and not is_random(found["random"]):
            return None
    return found


_LETTERS_AND_DIGITS = (
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"  # importing `string` compiles a pattern
)


@cache
def _compiled(source: str) -> re.Pattern[str]:
    return re.compile(source)


@cache
def _patterns_by_character() -> dict[str, re.Pattern[str]]:
    """For each first character, a pattern of all tokens that can begin with it."""
    by_character: dict[str, list[str]] = {}
    for source in (source for _, *sources in TOKENS for source in sources):
        first = source[: source.index("]") + 1] if source[0] == "[" else source[0]
        for character in re.findall(first, _LETTERS_AND_DIGITS):
            by_character.setdefault(character, []).append(source)
    return {character: re.compile("|".join(some)) for character, some in by_character.items()}


def is_random(text: str) -> bool:
    """Whether letters and digits look random; a name does not."""
    kinds = [character.isdigit() + 2 * character.isupper() for character in text[:64]]
    changes = sum(one != other for one, other in pairwise(kinds))
    return len(set(kinds)) == len("aA0") and changes >= _FEWEST_CHANGES * len(kinds)
