"""No secret leaves a text, and what is no secret stays as it was. All secrets are fakes that are made here."""

from __future__ import annotations

import html
import json
import quopri
import random
import re
import shlex
import threading
from base64 import b32encode, b64encode, urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Iterable, Iterator
from typing import Any
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from secret_samples import ALNUM, HEX, draw, longest_part, published, shapes

from mulligan.secrets import patterns
from mulligan.secrets.redaction import PATTERNS, REDACTED, Redactor, redacted_pointer, truncate
from mulligan.secrets.tokens import TOKENS
from mulligan.untrusted.text import safe_str

_NAMED = (  # {} is the secret
    *("AccountName=a;AccountKey={};EndpointSuffix=core.windows.net", "SharedAccessSignature sr=x&sig={}&se=1&skn=y"),
    *("aws_secret_access_key={}", "AWS_SECRET_ACCESS_KEY: {}", '"SecretAccessKey": "{}"'),
    *("Authorization: Bearer {}", "Authorization: Basic {}", "Authorization: Token {}", "authorization: {}"),
    *("{{'Authorization': 'Bearer {}'}}", '"Authorization": "token {}"', "(b'Authorization', b'Basic {}')"),
    *("curl -H 'Authorization: Bearer {}' https://x.io/a", "sent Bearer {} to the host"),
    *("Authorization: Digest username=x, nonce={}, uri=/", "Proxy-Authorization: Basic {}"),
    *(
        "Authorization: SSWS {}",
        "{{'authorization': 'GenieKey {}'}}",
        "curl -H 'Authorization: Acme-Key {}' https://x.io",
    ),
    *('Authorization: Snowflake Token="{}"', "Authorization%3A%20KakaoAK%20{}", "Authorization: Bearer: {}"),
    *(
        "b'Authorization: Splunk {}\\r\\nHost: x'",
        '[("Proxy-Authorization", "User {}")]',
        "Authorization: Mac id=h480djs93hd8, mac={}",
    ),
    *("password={}", "password={} user=bob", "password: {}", "db password='{}' host=x", "passwd={};host=db"),
    *('{{"password": "{}", "user": "x"}}', "PGPASSWORD={} psql", "Server=db;User Id=sa;Password={};Encrypt=yes"),
    *("pwd={};", "<password>{}</password>", "passphrase: {}", '{{\\"password\\": \\"{}\\"}}'),
    *('"api_key": "{}"', '"apiKey":"{}"', "api_key='{}'", "api-key: {}", "X-Api-Key: {}", "apikey={}", "API key: {}"),
    *("client_secret={}&grant_type=x", "clientSecret: '{}'", 'secret_key = "{}"', "access_token={}"),
    *("'access_token': '{}'", "refresh_token: {}", "OPENAI_API_KEY={} python x.py"),
    *("cmd --password {} --user x", "cmd --password={}", "['mysql', '--password', '{}']", "cmd --token '{}'"),
    *("Set-Cookie: session={}; Path=/; HttpOnly", "Cookie: a=1; sid={}; b=2", "{{'set-cookie': 'id={}; Path=/'}}"),
    *("postgresql://bob:{}@db.example.com:5432/app", "no answer from redis://:{}@cache:6379/0", "https://{}@git.io/r"),
    *("mongodb+srv://u:{}@c.mongodb.net/x?retryWrites=true", "https://user:{}@example.com/a?b=c"),
    *("-----BEGIN RSA PRIVATE KEY-----\nMII\n{}\n-----END RSA PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----\n{}"),
    *(
        f"GET https://api.x.io/v1?a=b&{name}={{}}&z=1 failed"
        for name in "api_key apikey key token access_token sig signature code password secret auth X-Amz-Signature"
        " X-Amz-Credential X-Amz-Security-Token".split(" ")
    ),
)
_CARRIERS = (
    *("{}", "Error: {} is wrong", "401 Unauthorized for {}", "{} was rejected.", "Invalid key ({})", "'{}'", '"{}"'),
    *("x:{},y", "failed\n{}\nend", "https://h.io/p/{}/q", "[{}]", "<{}>", "token {} expired", "see {}."),
)
_ESCAPES: dict[str, Callable[[str], str]] = {
    "plain": str,
    "URL": lambda text: quote(text, safe=""),
    "URL in a form": quote_plus,
    "URL twice": lambda text: quote(quote(text, safe=""), safe=""),
    "JSON": lambda text: json.dumps(text)[1:-1],
    "JSON twice": lambda text: json.dumps(json.dumps(text)[1:-1])[1:-1],
    "JSON for HTML": lambda text: json.dumps(text)[1:-1].replace("=", r"\u003d").replace("&", r"\u0026"),
    "repr": lambda text: repr(text)[1:-1],
    "HTML": html.escape,
}


def _units(text: str) -> Iterator[int]:
    data = text.encode("utf-16-be")
    return (data[at] * 256 + data[at + 1] for at in range(0, len(data), 2))


_CODINGS: dict[str, Callable[[str], str]] = {
    **_ESCAPES,
    "URL, lower case": lambda text: re.sub("%..", lambda match: match[0].lower(), quote(text, safe="")),
    "URL in a form, twice": lambda text: quote_plus(quote_plus(text)),
    "ascii": lambda text: ascii(text)[1:-1],
    "bytes": lambda text: repr(text.encode())[2:-1],
    "XML": lambda text: "".join(c if c.isalnum() else f"&#{ord(c)};" for c in text),
    "hex": lambda text: text.encode().hex(),
    "URL, every character": lambda text: "".join(f"%{byte:02X}" for byte in text.encode()),
    "JSON, every character": lambda text: "".join(rf"\u{unit:04x}" for unit in _units(text)),
    "octal": lambda text: "".join(
        chr(byte) if chr(byte).isalnum() and byte < 128 else rf"\{byte:03o}" for byte in text.encode()
    ),
    "octal, every character": lambda text: "".join(rf"\{byte:03o}" for byte in text.encode()),
    "XML, every character": lambda text: "".join(f"&#x{ord(c):x};" for c in text),
    "mail": lambda text: quopri.encodestring(text.encode(), quotetabs=True).decode(),
    "SQL": lambda text: text.replace("'", "''"),
    "CSV": lambda text: text.replace('"', '""'),
    "shell": shlex.quote,
    "shell, double quotes": lambda text: text.replace("'", "'\"'\"'"),
    "shell, backslashes": lambda text: re.sub(r"([^\w\n])", r"\\\1", text),
    "wrapped": lambda text: f"{text[: len(text) // 2]}\n    {text[len(text) // 2 :]}",
    "wrapped, JSON": lambda text: json.dumps(f"{text[: len(text) // 2]}\n{text[len(text) // 2 :]}")[1:-1],
    "HEX": lambda text: text.encode().hex().upper(),
    "full width": lambda text: "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text),
}
_LISTED: dict[str, Callable[[str], str]] = {  # one by one, so that nothing is glued to them
    "hex with colons": lambda text: text.encode().hex(":"),
    "HEX with dashes": lambda text: text.encode().hex("-").upper(),
    "hex dump": lambda text: text.encode().hex(" "),
    "list of hex": lambda text: f"[{', '.join(f'0x{byte:02x}' for byte in text.encode())}]",
    "list of bytes": lambda text: str(list(text.encode())),
    "list of bytes, compact": lambda text: json.dumps(list(text.encode()), separators=(",", ":")),
    "list of characters": lambda text: str(list(text)),
}
_WHOLE: dict[str, Callable[[bytes], str]] = {  # codings of several characters at once, from the beginning of a text
    "base32": lambda data: b32encode(data).decode(),
    "base64 twice": lambda data: b64encode(b64encode(data)).decode(),
    "base64 of UTF-16": lambda data: b64encode(data.decode().encode("utf-16-le")).decode(),
}
_REGISTERED = (
    *("Tr0ub4dor&3", "correct horse battery staple", "p@ss/w+rd=1?#%", "quote\"and'apostrophe", r"back\slash\\twice\n"),
    *("pässwörd-ünïcode", "秘密の合言葉です", "emoji😀secret", "<tag>&amp;</tag>", "two\nlines of it", "tab\there"),
    *(
        "e3b0c44298fc1c149afbf4c8996fb924",
        "QUJDREVGRw==",
        "x" * 40,
        "hunter2",
        "a-b_c.d~e!f",
        "".join(map(str, range(150))),
    ),
)


@pytest.fixture(scope="module")
def redactor() -> Redactor:
    return Redactor(environment={})


@pytest.mark.parametrize("escape", _ESCAPES)
def test_well_known_shapes_are_hidden_in_every_escape_and_sentence(redactor: Redactor, escape: str) -> None:
    rng = random.Random(escape)
    leaks = [
        (name, carrier)
        for _ in range(3)
        for name, secret in shapes(rng).items()
        for carrier in _CARRIERS
        if longest_part(secret[-20:], redactor.redact(_ESCAPES[escape](carrier.format(secret)))) >= 6
    ]
    assert leaks == []


@pytest.mark.parametrize("escape", _ESCAPES)
def test_values_with_telling_names_are_hidden_in_every_escape_and_sentence(redactor: Redactor, escape: str) -> None:
    rng = random.Random(escape)
    leaks = []
    for named in _NAMED:
        for carrier in ("{}", "Error: {}", "it said {} and gave up", "failed: {}\nsee the log", "'{}'"):
            secret = draw(rng, ALNUM, 20)
            if longest_part(secret, redactor.redact(_ESCAPES[escape](carrier.format(named.format(secret))))) >= 4:
                leaks.append((named, carrier))
    assert leaks == []


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("secret", "coding"),
    [
        (secret, coding)
        for coding in _CODINGS
        for secret in _REGISTERED
        if not (coding == "wrapped, JSON" and "\\n" in secret)  # it may be a line break or a part of the value
    ],
)
def test_registered_values_are_hidden_in_every_coding(secret: str, coding: str) -> None:
    redactor = Redactor([secret], environment={})
    coded = _CODINGS[coding](secret)
    for carrier in ("{}", "failed for '{}'", "x{}y", "{}\n{}", "/a?b={}&c=d"):
        redacted = redactor.redact(carrier.format(coded, coded))
        assert REDACTED in redacted
        assert longest_part(coded, redacted) < 6


@pytest.mark.parametrize("coding", _LISTED)
@pytest.mark.parametrize("secret", _REGISTERED)
def test_registered_values_are_hidden_where_their_bytes_or_characters_are_listed(secret: str, coding: str) -> None:
    redactor = Redactor([secret], environment={})
    coded = _LISTED[coding](secret)
    for carrier in ("{}", "failed for {}", "x={}\ny", "({}) and ({})"):
        redacted = redactor.redact(carrier.format(coded, coded))
        assert REDACTED in redacted
        assert len(redacted) < len(carrier) + 2 * len(REDACTED) + 4


@pytest.mark.parametrize("coding", _WHOLE)
@pytest.mark.parametrize("secret", [secret for secret in _REGISTERED if len(secret) <= 256])
def test_registered_values_are_hidden_in_codings_of_codings(secret: str, coding: str) -> None:
    redactor = Redactor([secret], environment={})
    coded = _WHOLE[coding](secret.encode())
    for carrier in ("{}", "failed for '{}'", "x={}\ny", "[{}, {}]"):
        assert longest_part(coded.rstrip("="), redactor.redact(carrier.format(coded, coded))) < 8


@pytest.mark.parametrize("lead", ["", "$p='", "net use x: /user:a ", "é"])
def test_a_registered_value_in_a_command_of_powershell_is_hidden(lead: str) -> None:
    redactor = Redactor(["Zq9!xW7#kLm2@pR4"], environment={})
    coded = b64encode(f"{lead}Zq9!xW7#kLm2@pR4'".encode("utf-16-le")).decode()
    left = redactor.redact(f"powershell -EncodedCommand {coded}").rpartition(" ")[2]
    held = b"|".join(_decoded(part) for part in left.split(REDACTED)).replace(b"\0", b"")
    assert longest_part("Zq9!xW7#kLm2@pR4", held.decode("latin-1")) < 4


@pytest.mark.parametrize(
    "text",
    [
        "sha256:e3:b0:c4:42:98:fc:1c:14 does not match",
        "MAC 00-1a-2b-3c-4d-5e is unknown",
        "no bytes [1, 2, 3, 250, 251, 252] expected",
        "none of ['a', 'b', 'c', 'd', 'e', 'f']",
        "Ｎｏｔ ｆｏｕｎｄ",
        "at 12:34:56:78:90:12 be ad de af fe ed",
    ],
)
def test_bytes_and_letters_one_by_one_that_are_no_secret_stay(text: str) -> None:
    assert Redactor(["Zq9!xW7#kLm2@pR4"], environment={}).redact(text) == text


@pytest.mark.parametrize("secret", [*_REGISTERED, "abcd", "abcde"])
@pytest.mark.parametrize("encode", [b64encode, urlsafe_b64encode])
def test_registered_values_are_hidden_in_base64(secret: str, encode: Callable[[bytes], bytes]) -> None:
    redactor = Redactor([secret], environment={})
    assert redactor.redact(encode(secret.encode()).decode()) == REDACTED
    for lead in range(3) if len(secret) > 4 else ():
        redacted = redactor.redact(encode(b"user:" + b"+" * lead + secret.encode() + b":end").decode())
        left = b"".join(_decoded(part) for part in redacted.split(REDACTED))
        assert not any(secret.encode()[at : at + 4] in left for at in range(len(secret.encode()) - 3))


def _decoded(part: str) -> bytes:
    """What a part of a base64 text tells, wherever its first byte begins."""
    tails = [part.rstrip("=")[skip:] for skip in range(4)]
    return b"|".join(urlsafe_b64decode(tail[: len(tail) - (len(tail) % 4 == 1)] + "===") for tail in tails)


@pytest.mark.parametrize("secret", ["Tr0ub4dor&3", "Zq8+kd92/lf", "gr4nd-Piano7"])
def test_the_case_of_a_registered_value_makes_no_difference(secret: str) -> None:
    redactor = Redactor([secret], environment={})
    for text in (secret.upper(), secret.lower()):
        assert redactor.redact(f"failed for {text}.") == f"failed for {REDACTED}."


def test_the_case_of_a_word_makes_a_difference() -> None:
    assert Redactor(["OPEN", "production", "a-phrase"], environment={}).redact("open Production") == "open Production"


def test_texts_with_codings_that_hold_no_value_stay() -> None:
    redactor = Redactor(["Tr0ub4dor&3", "123456", "it''s so"], environment={})
    for text in (
        "C:\\new\\table",
        "100%25 of 'a''b'",
        "a=3D b",
        "x\n  y\n\n z",
        "12\n3456",
        "\\u0041&amp;&#65;%C3",
        "&#9999999;",
    ):
        assert redactor.redact(text) == text


@given(
    st.text(st.characters(codec="utf-8"), min_size=8, max_size=40).filter(
        lambda text: text == text.strip() and text not in REDACTED
    ),
    st.sampled_from(
        sorted(name for name in _CODINGS if "wrapped" not in name)
    ),  # a blank may be of the value or the break
)
def test_any_registered_value_is_hidden(secret: str, coding: str) -> None:
    coded = _CODINGS[coding](secret)
    assert coded not in Redactor([secret], environment={}).redact(f"before {coded} after")


@pytest.mark.parametrize(
    ("text", "redacted"),
    [
        ("password=hunter2 host=db", "password=[redacted] host=db"),
        ("https://bob:pa55@example.com/x", "https://[redacted]@example.com/x"),
        ("GET /v1?page=2&api_key=abc123&z=1", "GET /v1?page=2&api_key=[redacted]&z=1"),
        ("Authorization: Bearer abc.def-1", "Authorization: Bearer [redacted]"),
        ('{"api_key": "abc\\"def", "n": 1}', '{"api_key": "[redacted]", "n": 1}'),
        ("Set-Cookie: a=b; Path=/\nnext", "Set-Cookie: [redacted]\nnext"),
        ('"password": "to the moon and back"', '"password": "[redacted]"'),
        ("İİİ PASSWORD=hunter2 İ", "İİİ PASSWORD=[redacted] İ"),
        ("(password=s3cr3t)", "(password=[redacted])"),
        ("line\\nnew_password: sunshine today", "line\\nnew_password: [redacted] today"),
        ("db/password: sunshine\ndb/user: bob", "db/password: [redacted]\ndb/user: bob"),
        ("https://hooks.slack.com/services/T0/B0/abcdefghijkl", "https://hooks.slack.com/[redacted]"),
        ("password%3Dabc1%26user%3Dbob", "password%3D[redacted]%26user%3Dbob"),
        ("a -----BEGIN EC PRIVATE KEY-----\nMHc\n-----END EC PRIVATE KEY----- b", "a [redacted] b"),
        ("Incorrect API key provided: sk-abcdefghij0123456789.", "Incorrect API key provided: [redacted]."),
    ],
)
def test_names_and_hosts_stay(redactor: Redactor, text: str, redacted: str) -> None:
    assert redactor.redact(text) == redacted
    assert redactor.redact(redacted) == redacted


@pytest.mark.parametrize(
    "text",
    [
        *("", "token limit 4096", "the key is missing", "password must be 8 characters", "max_tokens=4096", "primary key"),
        *("api_key is required", "sort_key=name", "KeyError: 'token'", "password: Field required", "Missing api_key: set it"),
        *('{"password": ["too short"]}', '{"password": "This field is required."}', "Unexpected token: identifier"),
        *("next_page_token=CAESBggKEgIIAQ", "Authorization: header is missing", "Basic authentication failed", "pass=12"),
        *("commit 9fceb02d0ae598e95dc970b74767f19372d61af8", "id 550e8400-e29b-41d4-a716-446655440000", "zip_code=90210"),
        *("sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", "x=%s token=%r password=<hidden>"),
        *("/usr/lib/python3/dist-packages/task-scheduler-v2/desk_lamp.py:42", "ssh://git@github.com/o/r.git", "a@b.org"),
        *("https://example.com:8080/@user/path?page=2&status_code=404", "password=********", "api_key=${API_KEY}"),
        *("eyJhbGciOiJIUzI1NiJ9", "SGVsbG8gd29ybGQgdGhpcyBpcyBiYXNlNjQ=", "mark_test_complete", "hf_transfer is slow"),
        *("-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----", "missing option --password", "--token must be given"),
        *("config/api_key: Read-only file system", "open /a/db-password: permission denied"),
        *("cat: /etc/passwd: Permission denied", "C:\\Users\\password: file not found", "./secret: Input/output error"),
        *("POST /v1/password: 429 Too Many Requests", "Authorization: policy denied by rule-17", "Authorization: see RFC 7235"),
        *("FATAL: password authentication failed for user \"bob\"", "Access denied (using password: YES)", "token: 17"),
    ],
)  # fmt: skip
def test_what_is_no_secret_stays(redactor: Redactor, text: str) -> None:
    assert redactor.redact(text) == text


def _benign(rng: random.Random) -> str:
    word = rng.choice("user order invoice report cache index task_queue config session message token_count key".split())
    number = rng.randrange(100_000)
    path = "/".join(rng.sample(["usr", "home", "src", "my-app", "data_v2", "node_modules", "Projekte", "tmp-01"], 4))
    digest, name = draw(rng, HEX, rng.choice([7, 32, 40, 64])), draw(rng, ALNUM, rng.randrange(6, 24))
    uuid = "-".join(draw(rng, HEX, length) for length in (8, 4, 4, 4, 12))
    reasons = (
        *(f"[Errno 2] No such file or directory: '/{path}/{word}.json'", f"KeyError: '{word}_id'", f"commit {digest} not found"),
        *(f"{word} {uuid} does not exist", f'relation "{word}s" does not exist at character {number}', f"object {name} is gone"),
        *(f"404 Client Error: Not Found for url: https://api.example.com/v1/{word}s/{number}?page=2&sort_key=name",),
        *(f"token limit {number} exceeded, max_tokens={number}", f"the {word} key is missing", "password must be 8 characters"),
        *("api_key is required", f"violates foreign key constraint {word}_fkey: Key ({word}_id)=({number})"),
        *(f"Unexpected token '<' at position {number}", f"Invalid header: X-Request-Id: {uuid}", f"sha256:{digest} mismatch"),
        *(f"{word}s.{name}() takes {number} positional arguments", f"next_page_token={name}", f"secret {word}-tls not found"),
        *(f"Traceback: File \"/{path}/{word}.py\", line {number}, in {word}_{name}", f"author: {word}, code: {number}"),
        *("Unauthorized: the token has expired, please sign in again", f"cookie {word} was rejected", f"ETag: \"{digest}\""),
        *(f"{{\"error\": {{\"code\": {number}, \"message\": \"{word} not found\", \"requestId\": \"{uuid}\"}}}}",),
        *(f"password: must have at least {number % 20} characters", f"C:\\Users\\{word}\\{name}.txt is locked"),
    )  # fmt: skip
    return " ".join(rng.sample(reasons, rng.randrange(1, 4)))


def test_benign_texts_stay(redactor: Redactor) -> None:
    rng = random.Random(2)
    texts = [_benign(rng) for _ in range(2_000)]
    altered = [text for text in texts if redactor.redact(text) != text]
    assert len(altered) <= 20, altered[:5]


_PIECES = (
    *("password", "pwd", "=", ":", "api_key", "token", "'", '"', "\\", " ", "&", "?", ";", ",", "://", "@", "%40", "%3D", "x@"),
    *("a1b2c3", "bearer ", "Authorization", "Cookie", "sk-", "abcdefghijklmnopqrst", "\n", ")", "]", "{", "<", "sig", "digest "),
    *("AKIA", "ABCDEFGHIJKLMNOP12", "-----BEGIN PRIVATE KEY", "-----END", "correct horse", "--", "eyJhbGciOi", "."),
)  # fmt: skip


@given(st.lists(st.sampled_from(_PIECES), max_size=24).map("".join))
@example('-----ENDpassword%3D )eyJhbGciOi{pwd:]\\-----END--correct horsepassword"{basic')
@example("Bearer>AKIAABCDEFGHIJKLMNOP12sk-sigsig0Authorization digest -----BEGIN PRIVATE KEYsecret)=token0{hunter22x@")
@example("://%3D.sig%3DsecretvaluexABCDEFGHIJKLMNOP12?;@eyJhbGciOipwd'}secret")
def test_a_redacted_text_is_redacted_already(text: str) -> None:
    redactor = Redactor(["correct horse battery"], environment={})
    redacted = redactor.redact(text)
    assert redactor.redact(redacted) == redacted


_SHORT_TEXTS = st.text(st.sampled_from("a1 =:/@\"'\\%&;._-") | st.characters(), max_size=60)


@given(_SHORT_TEXTS, st.sampled_from(_NAMED), _SHORT_TEXTS)
def test_any_text_can_be_redacted(before: str, named: str, after: str) -> None:
    assert isinstance(Redactor(["registered"], environment={}).redact(before + named + after), str)


def test_the_environment_gives_secrets_by_name() -> None:
    environment = {
        **{"OPENAI_API_KEY": "plain-words-here", "PGPASSWORD": "letmein-please", "GITHUB_PAT": "pat-value-1"},
        **{"SENTRY_DSN": "https://abcdef12@o1.example.io/1", "MY_SESSION_ID": "sess-123456"},
        **{"DATABASE_URL": "postgres://bob:battery-staple@db/app", "lower_secret": "quiet-value"},
    }
    redactor = Redactor(environment=environment)
    text = redactor.redact(" ".join([*environment.values(), "battery-staple"]))
    assert text.replace(REDACTED, "").strip() == ""


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("DB_PASSWORD", "8412907734"), ("APP_SECRET", "/k9Qz7Lm2pXwT0aB4cD8eF1gH3iJ5kL7mN9oP2qR4s=")),
        *(("SIGNING_SECRET", "/Xk29.fPq-a0sZ"), ("CLIENT_SECRET", "./Ab12Cd34Ef56"), ("HMAC_SECRET", "1234.5678,9012")),
        *(("VAULT_TOKEN", "~/not-a-path-but-a-token"), ("AWS_SECRET_ACCESS_KEY", "/" * 8 + "a" * 32)),
    ],
)
def test_a_credential_of_the_environment_is_one_by_its_name_whatever_it_looks_like(name: str, value: str) -> None:
    assert Redactor(environment={name: value}).redact(f"key {value} is bad") == f"key {REDACTED} is bad"


def test_the_environment_gives_nothing_else() -> None:
    environment = {
        **{"KEYBOARD": "de-latin1-nodeadkeys", "MONKEY": "business-as-usual", "AUTHOR": "Ada Lovelace", "TOKENIZERS": "fast-ones"},
        **{"PWD": "not-a-path-at-all", "OLDPWD": "nor-is-this-one", "SSH_AUTH_SOCK": "/run/user/1000/agent", "API_KEY": "short"},
        **{"SECRET_KEY_FILE": "~/keys/secret.pem", "MAX_TOKEN": "1234567890", "USE_TOKEN": "disabled", "HOME": "/home/ada"},
        **{"AUTH_URL": "https://auth.example.com/oauth", "DATABASE_URL": "sqlite:///app.db", "WINDOWS_KEY_PATH": r"C:\keys\a.pem"},
        **{"GOOGLE_APPLICATION_CREDENTIALS": __file__, "SSL_KEY_FILE": "/etc/ssl/private/a.pem", "SESSION_TIMEOUT": "1800000000"},
        **{"DBUS_SESSION_BUS_ADDRESS": "unix:path=/run/user/1000/bus", "ACCESS_LOG": "/var/log/nginx/access.log"},
    }  # fmt: skip
    text = "\n".join(environment.values())
    assert Redactor(environment=environment).redact(text) == text


def test_the_environment_is_read_at_the_first_redaction_only(monkeypatch: pytest.MonkeyPatch) -> None:
    redactor = Redactor()
    monkeypatch.setenv("SOME_API_KEY", "set-before-the-first")
    assert redactor.redact("set-before-the-first") == REDACTED
    monkeypatch.setenv("SOME_API_KEY", "set-after-the-first")
    assert redactor.redact("set-after-the-first") == "set-after-the-first"


def test_register_takes_nested_values() -> None:
    redactor = Redactor(environment={})
    redactor.register(
        {"card": [4012888888881881, b"bytes-value"], "more": ({"x": "deep-value"}, {"set-value"}), "pi": 2.71828}
    )
    redacted = redactor.redact("4012888888881881 bytes-value deep-value set-value 2.71828 card")
    assert redacted == " ".join([REDACTED] * 5 + ["card"])


def test_register_survives_a_value_that_holds_itself() -> None:
    value: list[object] = ["inner-value"]
    value.append(value)
    redactor = Redactor(environment={})
    redactor.register(value)
    assert redactor.redact("inner-value") == REDACTED


@pytest.mark.parametrize("value", ["abc", " a ", "", None, True, 12, object(), "redacted", b"x"])
def test_register_ignores_what_would_destroy_text(value: object) -> None:
    redactor = Redactor(environment={})
    redactor.register(value)
    text = f"abc a None True 12 {value} redacted [redacted] x"
    assert redactor.redact(text) == text


def test_a_short_number_is_hidden_only_as_a_number() -> None:
    redactor = Redactor(["1234"], environment={})
    assert redactor.redact("pin 1234, order 81234567") == f"pin {REDACTED}, order 81234567"


def test_overlapping_values_leave_nothing() -> None:
    redactor = Redactor(["abcd1234", "1234wxyz", "abcd1234wx", "hunter22", "hunter2"], environment={})
    assert redactor.redact("abcd1234wxyz hunter22 hunter2") == " ".join([REDACTED] * 3)


def test_a_text_that_was_cut_inside_a_phrase_ends_with_the_mark() -> None:
    redactor = Redactor(["correct horse battery"], environment={})
    assert redactor.redact("it was correct horse ba") == f"it was {REDACTED}"
    assert redactor.redact("it was corr") == "it was corr"


def test_a_long_value_is_hidden_whole() -> None:
    secret = draw(random.Random(4), ALNUM + "+/", 3_000)
    assert Redactor([secret], environment={}).redact(f"a {secret} b") == f"a {REDACTED} b"


def test_the_oldest_values_go_first() -> None:
    redactor = Redactor(environment={})
    for n in range(1_000):
        redactor.register(f"value-number-{n}-x")
    redactor.register("value-number-0-x")
    redactor.register("one-more-value")
    assert (
        redactor.redact("value-number-0-x value-number-1-x one-more-value") == f"{REDACTED} value-number-1-x {REDACTED}"
    )


def test_the_hosts_own_values_never_go() -> None:
    redactor = Redactor(["given-by-the-host"], environment={"ACME_API_KEY": "of-the-environment"})
    for n in range(2_000):
        redactor.register(f"value-number-{n}-x")
    assert (
        redactor.redact("given-by-the-host of-the-environment value-number-999-x value-number-1000-x")
        == f"{REDACTED} {REDACTED} value-number-999-x {REDACTED}"
    )


def test_values_can_be_registered_while_others_redact() -> None:
    redactor = Redactor(environment={})
    leaks: list[str] = []

    def work(name: str) -> None:
        for n in range(60):
            redactor.register(f"secret-{name}-{n}-end")
            leaks.extend(text for text in [redactor.redact(f"<secret-{name}-{n}-end>")] if text != f"<{REDACTED}>")

    threads = [threading.Thread(target=work, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert leaks == []


_PARSER: Any = getattr(re, "_parser")  # noqa: B009
_REPEATS = {"MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"}


def _nodes(tree: Any) -> Iterator[Any]:
    """The sequences of a parsed pattern, from the outside to the inside."""
    yield tree
    waiting: list[Any] = [argument for _, argument in tree]
    while waiting:
        item = waiting.pop()
        if isinstance(item, _PARSER.SubPattern):
            yield from _nodes(item)
        elif isinstance(item, (list, tuple)):
            waiting.extend(item)


def _is_unbounded(node: Any) -> bool:
    operator, argument = node
    return str(operator) in _REPEATS and int(argument[1]) == int(_PARSER.MAXREPEAT)


def _needs_more(nodes: Iterable[Any], tree: Any) -> bool:
    rest = _PARSER.SubPattern(tree.state, list(nodes))
    return int(rest.getwidth()[0]) > 0 or any(str(operator).startswith("ASSERT") for operator, _ in rest)


@pytest.mark.parametrize("source", PATTERNS)
def test_every_pattern_takes_linear_time(source: str) -> None:
    """No unbounded repeat holds another one, and none is followed by something that can make it give back."""
    for sequence in _nodes(_PARSER.parse(source)):
        for position, node in enumerate(sequence):
            if _is_unbounded(node):
                assert not any(_is_unbounded(inner) for part in _nodes(node[1][2]) for inner in part), source
                assert not _needs_more(sequence[position + 1 :], sequence), source


@pytest.mark.parametrize("secret", ["hunter~1two", "hunter/two!", "hunter~0two", "hunter~01two", "~hun~ter~two"])
def test_a_secret_that_a_pointer_must_escape_is_found_in_it(secret: str) -> None:
    name = secret.replace("~", "~0").replace("/", "~1")
    redact = Redactor([secret], environment={}).redact
    assert redacted_pointer(f"/users/{name}/age", redact) == f"/users/{REDACTED}/age"


@given(st.text(max_size=300), st.integers(0, 200))
def test_cut_never_exceeds_the_limit(text: str, limit: int) -> None:
    short = truncate(text, limit)
    assert len(short) <= limit
    if len(text) <= limit:
        assert short == text
    elif limit:
        assert short.endswith("…")
        assert text.startswith(short[:-1])


def test_cut_at_any_place_leaves_no_part_of_a_secret(redactor: Redactor) -> None:
    rng = random.Random(6)
    for secret in [*shapes(rng).values(), _REGISTERED[1]]:
        redactor.register(secret)
        text = f"the call to the service failed with {secret} at the first attempt, and it will fail again"
        redacted = redactor.redact(text)
        for limit in range(len(text) + 1):
            assert longest_part(secret[-20:], truncate(redacted, limit)) < 6


@pytest.mark.parametrize("secret", _REGISTERED)
def test_a_secret_that_was_halved_on_reading_leaves_no_part(secret: str) -> None:
    redactor = Redactor([secret], environment={})
    error = ValueError(f"the call to the service failed with {secret} at the first attempt")
    for limit in range(36, 36 + len(secret)):
        assert longest_part(secret, redactor.redact(safe_str(error, limit))) < 6


@pytest.mark.parametrize(
    ("text", "limit", "short"),
    [
        ("one two three", 9, "one two…"),
        ("one two three", 8, "one two…"),
        ("one two three", 7, "one…"),
        ("abcdefghijkl", 6, "abcde…"),
        ("value [redacted] here", 14, "value…"),
        ("v:[redacted]:[redacted]", 15, "v:[redacted]:…"),
        ("v:[redacted]:[redacted]", 10, "v:…"),
        ("aaaaa\\u1234", 9, "aaaaa…"),
        ("aaaaa\\ud83d\\ude00b", 13, "aaaaa…"),
        ("aaaaa\\\\nbbb", 8, "aaaaa\\\\…"),
        ("aaaaa%C3%A4", 8, "aaaaa…"),
        ("aaaaa&amp;bb", 9, "aaaaa…"),
        ("aaaaa\x1b[31mbb", 9, "aaaaa…"),
        ("aaaaae\u0301bb", 7, "aaaaa…"),
        ("aaaaa\ud83d\ude00bb", 7, "aaaaa…"),
        ("aa👩\u200d👩\u200d👧bb", 6, "aa…"),
        ("aaaaa👍\U0001f3fdbb", 7, "aaaaa…"),
        ("\\" * 60 + "nab", 61, "\\" * 60 + "…"),
        ("\\" * 61 + "nab", 62, "\\" * 60 + "…"),
        ("short", 5, "short"),
        ("longer", 1, "…"),
        ("longer", 0, ""),
        ("longer", -3, ""),
    ],
)
def test_cut_keeps_whole_what_belongs_together(text: str, limit: int, short: str) -> None:
    assert truncate(text, limit) == short


# --- addresses

_PASSWORDS = st.text(st.sampled_from("aZ09kQ7/?#@:%&=+!$*,;~._-[]()|^é"), min_size=8, max_size=24).filter(
    lambda text: "://" not in text and not re.match("[0-9]{0,5}[/?#]", text)
)
_USERS = st.text(st.sampled_from("abcxyz019._-"), max_size=10)
_HOSTS = ("db.example", "localhost:5432", "10.0.0.7", "[fe80::1]:8080", "h1:27017,h2:27017")


@given(
    st.sampled_from(["postgres", "mongodb+srv", "https", "http", "redis", "amqp", "git+https"]),
    *(_USERS, _PASSWORDS, st.sampled_from(_HOSTS)),
    *(st.booleans(), st.integers(0, 2)),
)
@example("https", "app", "ab/hunter22", "db.example", False, 0)
@example("postgres", "app", "Xy7@ss/hunter22", "db.example", True, 0)
@example("redis", "", "p@ss@word@1?#", "localhost:5432", True, 2)
def test_a_password_in_an_address_is_hidden_whole(scheme, user, password, host, quoted, depth):
    written = quote(password, safe="") if quoted else password
    address = f"{scheme}://{user}:{written}@{host}/app"
    hidden = f"{scheme}://{REDACTED}@{host}/app"
    for _ in range(depth):
        address, hidden = quote(address, safe=""), quote(hidden, safe="").replace(quote(REDACTED, safe=""), REDACTED)
        hidden = hidden.replace("%255Bredacted%255D", REDACTED)
    redactor = Redactor(environment={})
    for carrier in (
        "{}",
        "cannot connect to {} at all",
        "'{}'",
        '{{"url": "{}"}}',
        "{} and https://h.io/p?mail=a@b.org",
    ):
        assert redactor.redact(carrier.format(address)) == carrier.format(hidden)


@pytest.mark.parametrize(
    ("text", "redacted"),
    [
        ("https://tok3n-of-mine@git.example/r.git", "https://[redacted]@git.example/r.git"),
        ("redis://:pw@a:1 or amqp://u:q@b:2", "redis://[redacted]@a:1 or amqp://[redacted]@b:2"),
        (
            "https://h/login?next=https%3A%2F%2Fu%3Ap%2540ss%40i%2F",
            "https://h/login?next=https%3A%2F%2F[redacted]%40i%2F",
        ),
        (r"https:\/\/bob:s3cr\/et@h\/x", r"https:\/\/[redacted]@h\/x"),
        ("git+https://u:t@github.com/o/r.git@v1", "git+https://[redacted]@v1"),
        ("http://u:it's-me@h/", "http://[redacted]@h/"),
    ],
)
def test_what_is_no_password_stays_in_an_address(redactor: Redactor, text: str, redacted: str) -> None:
    assert redactor.redact(text) == redacted


@pytest.mark.parametrize(
    "text",
    [
        *("https://h/path?mail=a@b", "https://h:8080/path?mail=a@b.org", "https://h/path?mail=a%40b", "ssh://git@h/o/r.git"),
        *("https://h.io/@ada/post#c@d", "http://[::1]:8080/x@y", "https://registry:5000/team/app@sha256:0a1b", "a@b and https://c"),
        *("'https://h/a','mailto:x@b.org'", "https://h:443 was refused; write to ops@h", "https%3A%2F%2Fh%2Fp%3Fm%3Da%40b"),
    ],
)  # fmt: skip
def test_addresses_without_user_information_stay(redactor: Redactor, text: str) -> None:
    assert redactor.redact(text) == text


def test_a_password_that_is_the_user_is_not_hidden_everywhere() -> None:
    redactor = Redactor(environment={"DATABASE_URL": "postgres://postgres:postgres@db/app"})
    assert redactor.redact("the role postgres does not exist") == "the role postgres does not exist"


def test_a_password_from_the_environment_is_hidden_decoded_too() -> None:
    redactor = Redactor(environment={"DATABASE_URL": "postgres://ada:gr%40nd%2Fpiano%21@db/app"})
    assert redactor.redact("tried gr@nd/piano! and gr%40nd%2Fpiano%21") == f"tried {REDACTED} and {REDACTED}"


# --- tokens, prose, command lines


@pytest.mark.parametrize("escape", _ESCAPES)
def test_tokens_with_a_published_prefix_are_hidden(redactor: Redactor, escape: str) -> None:
    rng = random.Random(f"published {escape}")
    leaks = [
        (name, carrier)
        for name, secret in published(rng).items()
        for carrier in (*_CARRIERS, "\x1b[31m{}\x1b[0m", "line\n{}", "a\tb\t{}", "x-{}")
        if longest_part(secret[-20:], redactor.redact(_ESCAPES[escape](carrier.format(secret)))) >= 8
    ]
    assert leaks == []


@pytest.mark.parametrize(
    "text",
    [
        *("toolu_01A09q90qw90lq917835lq9X", "call_h4Zx9QbT2mN7vK1cR8pLw3Yd", "msg_01XFDUDYJgAACzvnptvVoYEL", "pi_3MtwBwLkdIwHu7ix28a3tqPa"),
        *("chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT", "resp_67ccd2bed1ec8190b14f964abc0542670bb6a6b452d3795b", "arn:aws:iam::123456789012:role/x"),
        *("sha512-2Lf3Zr9kQ7Xv1Bn5Tm8Wc4Yd6Hg0Js2Lf3Zr9kQ7Xv1Bn5Tm8Wc4Yd6Hg0Js", "test_ReadsEveryPageOfTheWholeDocumentTwice2"),
        *("global-accelerator-listener-of-mine", "desk-sk-lamp", "task_scheduler_with_a_long_name_v2", "pat.is.a.name", "keyboard-layout-de"),
        *("my-secret_sauce_recipe_for_pancakes", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "SKaters and ACtors"),
    ],
)  # fmt: skip
def test_ids_and_names_are_no_tokens(redactor: Redactor, text: str) -> None:
    assert redactor.redact(f"no such thing: {text} (see the log)") == f"no such thing: {text} (see the log)"


@pytest.mark.parametrize(
    "text",
    [
        *("Wrong password '{}' for ada", 'bad passphrase "{}"', "the password for ada is {}, try it", "Your API key is {}."),
        *("password was changed to {}", "user: ada pass: {}", "login ada, pass: {}", "cmd --pass {} -x", "openssl -passin pass:{}"),
        *("Passwort: {}", "Kennwort={}", "mot de passe : {}", "contraseña: {}", "senha={}", "пароль: {}", "パスワード：{}", "密码: {}"),
        *("wget --user=ada --password={} h", "curl -sS --user ada:{} https://h", "['curl', '-u', 'ada:{}', 'https://h']", "http -a ada:{} h"),
        *("mysqldump -p{} app", "sshpass -p '{}' ssh h", "docker login -u ada -p {} r.io", "redis-cli -h h -a {} ping", "sqlcmd -P {}"),
        *("['sshpass', '-p', '{}', 'ssh']", "ldapsearch -D cn=x -w {} -b y", "smbclient -U ada%{} //h/s", "sqlplus scott/{}@db"),
        *("auth=('ada', '{}')", 'HTTPBasicAuth("ada", "{}")', "server.login('ada', '{}')", "auth: ['ada', '{}']", "{{'auth': ('ada', '{}')}}"),
    ],
)  # fmt: skip
def test_passwords_beside_their_name_are_hidden(redactor: Redactor, text: str) -> None:
    for secret in ("gr4nd-Piano7", "zi9!tronenFalter"):
        assert secret not in redactor.redact(text.format(secret))


@pytest.mark.parametrize(
    "text",
    [
        *("wrong password ({})", "login failed for user sa with password {}", "password {} rejected", "the passcode [{}] expired"),
        *("password is {}", "password was '{}'", "invalid passwd {}, try again", "pwd {}", "(password {})"),
        *("Passwort ist {}", "Kennwort lautet {}", "la contraseña es {}", "mot de passe est {}", "密码是{}", "パスワードは{}", "hasło to {}"),
        *("falsches Passwort ({})", "Wachtwoord is {}", "senha {} incorreta", "пароль {} неверен", "비밀번호는 {}"),
    ],
)  # fmt: skip
def test_passwords_in_prose_are_hidden(redactor: Redactor, text: str) -> None:
    for secret in ("swordfish1", "abc12345", "gr4nd-Piano7", "zi9!tronenFalter"):
        assert redactor.redact(text.format(secret)) == text.format(REDACTED)


@pytest.mark.parametrize(
    "text",
    [
        *("token {} expired", "token '{}' was revoked", "the secret {} is wrong", "session token ({}) not accepted"),
        *("api key {}", "API key ({}) not found", "access key {} does not exist", "key '{}' is invalid", "key {} expired"),
    ],
)  # fmt: skip
def test_tokens_and_keys_in_prose_are_hidden(redactor: Redactor, text: str) -> None:
    for secret in ("abcdef123456", "x7Kp20aMq4Lz", "A1B2C3D4E5F6"):
        assert redactor.redact(text.format(secret)) == text.format(REDACTED)


@pytest.mark.parametrize("name", ["passphrase: ", "Passphrase = ", "the passphrase is "])
def test_a_passphrase_is_hidden_to_its_last_word(redactor: Redactor, name: str) -> None:
    redacted = redactor.redact(f"{name}velvet kettle marble sundial orbit. Try again")
    assert redacted == f"{name}{REDACTED}. Try again"


@pytest.mark.parametrize(
    "text",
    [
        *("pwd=/home/u/p", "PWD=/srv", "pwd: ~/projects/app", r"pwd=C:\Users\ada\app", "credentials: /path not found"),
        *("credentials=/etc/app/service-account.json", "token: /var/run/secrets/token", "private_key=/etc/ssl/private/key.pem"),
        *("arn:aws:secretsmanager:eu-west-1:123456789012:secret:prod/db-x1Y2z3", "secret=arn:aws:kms:eu-west-1:123456789012:key/a1"),
        *("the password is too short", "your password is base64-encoded", "password was 3 days old", "the token is None", "secret is UTF-8"),
        *("first pass: 12 of 14", "pass: test_login2 ok", "PASS: tests/x.c:12", "Passwort: erforderlich", "the passphrase is not long enough"),
        *("curl -o out.txt https://h", "docker run -u 1000:1000 -p 8080:80 app", "mysql -P 3306 -h db", "ssh -p 22 ada@h", "a zip -r x y"),
        *("mysql -p$DB_PW app", "sshpass -p $HIDDEN ssh h", "redis-cli -a <value> ping", "sqlcmd -P [value]", "7z x -p{value} a.7z"),
        *("auth failed (see 'log', 'trace')", "login('ada') failed", "the pass - a mountain - is closed", "unzip -p archive.zip"),
        *("password reset", "token expired", "key not found", "password must be at least 8 characters", "password (min. 8 characters)"),
        *("password (8-64 characters)", "password is required", "Passwort vergessen", "contraseña incorrecta", "the password is swordfish"),
        *("key 'order_12345' not found", "KeyError: 'customer123456'", "key customer123456 does not exist", "no key user12345 in cache"),
        *("unexpected token abc123def456 in JSON", "token limit exceeded for gpt-4-32k", "token 0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"),
        *("primary key id1234567890 is duplicated", "secret manager v2 is down", "secrets in us-east-1", "token count 128000", "token at 12:34:56"),
        *("password for user42 is missing", "password of admin2024 expired", "tokens 1024", "no token (HTTP 401)", "password (PBKDF2)"),
        *("monkey abcdef123456 is invalid", "turkey (abc123def456) expired", "the passage p1234567 is wrong", "mots de passes, page12345"),
        *("Passport: C01X00T47", "compass: N45E", "desenhar=x1y2z3", "grep -u -p pattern2 file", "Access denied (using password 'YES')"),
    ],
)  # fmt: skip
def test_words_near_a_password_stay(redactor: Redactor, text: str) -> None:
    assert redactor.redact(text) == text


def test_short_values_are_hidden_as_whole_words_in_one_call_only() -> None:
    redactor = Redactor(["a-long-secret"], environment={})
    of_one_call = redactor.with_values(["123", "q7"])
    assert (
        of_one_call.redact("cvv 123, 'q7', not 1234, v1.123 or q7x")
        == f"cvv {REDACTED}, '{REDACTED}', not 1234, v1.123 or q7x"
    )
    assert of_one_call.redact("a-long-secret") == REDACTED
    assert redactor.redact("cvv 123") == "cvv 123"


IN_STRUCTURES = [
    '{{"key": "db_password", "type": "string", "enabled": true}} {{"field": "api_key", "content": "{}"}}',
    '<property name="auth_token" content="{}"/>',
    '{{"value": "{}", "name": "passphrase"}}',
    '["client_secret", "{}"]',
    '{{"secret": {{"plain": "{}"}}}}',
    "api_key:\n    {}\n",
    "passphrase: |\n  {}",
    "passwd = '''{}'''",
    "CREATE USER eve IDENTIFIED BY PASSWORD '{}'",
    "pw: {}",
    "Passcode of eve: {}",
    "secret[{}]",
    "access_token => {}",
    "password → {}",
    "eve:{}@db.internal",
    'Content-Disposition: form-data; name="secret"\r\nContent-Type: text/plain\r\n\r\n{}',
    "user,password,role\neve,{},admin\n",
    "id;api_key\n7;{}\n",
]


@pytest.mark.parametrize("shape", IN_STRUCTURES)
@pytest.mark.parametrize("secret", ["k9$Lantern7Q", "Quay4Delta!x"])
def test_a_secret_beside_its_name_in_a_structure_is_hidden(redactor: Redactor, shape: str, secret: str) -> None:
    redacted = redactor.redact(shape.format(secret))
    assert secret not in redacted
    assert redactor.redact(redacted) == redacted


@pytest.mark.parametrize(
    "text",
    [
        '{"password": ["This field is required.", "It has 2 problems."]}',
        '["password", "username"]',
        '{"name": "token", "value": "expired"}',
        "password:\n  minLength: 8\n",
        '{"name": "next_page_token", "value": "abc123def456"}',
        "email:jane99@example.com",
        "image:build2024@sha256",
        "token,count\nhello,12\nworld,7\n",
        "token[0] -> word",
        "the api key expired",
        "enter user, password\nthen press, enter",
    ],
)
def test_what_is_no_secret_in_a_structure_stays(redactor: Redactor, text: str) -> None:
    assert redactor.redact(text) == text


def token_of(source: str, rng: random.Random) -> str:
    """A text that a pattern matches: the fewest repetitions, random characters of each class, no look-around."""

    def build(parsed: Any) -> str:
        text = ""
        for kind, value in parsed:
            name = str(kind)
            if name == "LITERAL":
                text += chr(value)
            elif name == "IN":
                text += rng.choice([sign for sign in ALNUM if re.match(class_of(value), sign)] or [chr(value[0][1])])
            elif name in ("MAX_REPEAT", "MIN_REPEAT"):
                text += "".join(build(value[2]) for _ in range(value[0]))
            elif name == "SUBPATTERN":
                text += build(value[3])
            elif name == "BRANCH":
                text += build(value[1][0])
        return text

    def class_of(items: Any) -> str:
        parts = [f"{re.escape(chr(item[0]))}-{re.escape(chr(item[1]))}" for kind, item in items if str(kind) == "RANGE"]
        return "[" + "".join(parts + [re.escape(chr(item)) for kind, item in items if str(kind) == "LITERAL"]) + "]"

    return build(re._parser.parse(source))  # type: ignore[attr-defined]


@pytest.mark.parametrize(("service", "source"), [(name, source) for name, *sources in TOKENS for source in sources])
def test_each_kind_of_token_is_found(service, source):
    token = token_of(source, random.Random(service))
    text = Redactor(environment={}).redact(f"the key 1//{token} .")
    assert token[-12:] not in text


@pytest.mark.parametrize("is_for_call", [False, True])
def test_a_name_that_was_shown_before_hides_a_secret_that_was_registered_since(is_for_call):
    redactor = Redactor(environment={})
    shown = redactor.with_values(["zebra"]) if is_for_call else redactor
    assert [shown.redact_name("read_hunterpass_7") for _ in range(2)] == ["read_hunterpass_7"] * 2
    shown.register("hunterpass_7")
    assert shown.redact_name("read_hunterpass_7") == f"read_{REDACTED}"
    assert shown.redact_name("read_it") == "read_it"


@pytest.mark.parametrize("source", [*patterns.SOURCES, *(source for _, *sources in TOKENS for source in sources)])
def test_the_quick_look_misses_no_shape(source: str) -> None:
    _same_with_and_without_the_quick_look(f"it is 1//{token_of(source, random.Random(source))} .")


@given(st.text(st.sampled_from("pasword key=:token'\" -u@%40/sk_ghAKIx0-9.,"), max_size=80))
def test_the_quick_look_changes_no_result(text: str) -> None:
    _same_with_and_without_the_quick_look(text)


def test_most_texts_need_no_more_than_the_quick_look() -> None:
    for text in (
        "No such file or directory: 'src/missing.py'",
        "limit must be at most 100",
        "HTTP 503 after 3 attempts - later",
    ):
        assert not patterns._may_hold_secret()(text)


def _same_with_and_without_the_quick_look(text: str) -> None:
    quick = patterns.redact_patterns(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(patterns, "_may_hold_secret", lambda: lambda _: True)
        assert patterns.redact_patterns(text) == quick


def test_of_a_pointer_that_is_too_long_to_be_shown_nothing_is():
    secret = "Zq9" + "a0b1c2d3" * 200
    redact = Redactor([secret], environment={}).redact
    for pointer in (
        f"/{secret}",
        f"/{'word ' * 50}{secret}",
        f"/https://bob:{'hunter2' * 150}@x.example/",
        "/" + "token: " * 9_000,
    ):
        assert redacted_pointer(pointer, redact) == "/…"


def test_a_pointer_that_is_not_long_is_whole():
    pointer = "/" + "/".join(["names"] * 40)
    assert redacted_pointer(pointer, Redactor(environment={}).redact) == pointer
