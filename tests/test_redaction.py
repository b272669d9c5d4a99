"""No secret leaves a text, and what is no secret stays as it was. All secrets are fakes that are made here."""

from __future__ import annotations

import html
import json
import random
import re
import threading
from base64 import b64encode, urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Iterable, Iterator
from typing import Any
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from secret_samples import ALNUM, HEX, draw, longest_part, shapes

from mulligan.foreign.containment import safe_str
from mulligan.secrets.redaction import PATTERNS, REDACTED, Redactor, cut

_NAMED = (  # {} is the secret
    *("AccountName=a;AccountKey={};EndpointSuffix=core.windows.net", "SharedAccessSignature sr=x&sig={}&se=1&skn=y"),
    *("aws_secret_access_key={}", "AWS_SECRET_ACCESS_KEY: {}", '"SecretAccessKey": "{}"'),
    *("Authorization: Bearer {}", "Authorization: Basic {}", "Authorization: Token {}", "authorization: {}"),
    *("{{'Authorization': 'Bearer {}'}}", '"Authorization": "token {}"', "(b'Authorization', b'Basic {}')"),
    *("curl -H 'Authorization: Bearer {}' https://x.io/a", "sent Bearer {} to the host"),
    *("Authorization: Digest username=x, nonce={}, uri=/", "Proxy-Authorization: Basic {}"),
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
_CODINGS: dict[str, Callable[[str], str]] = {
    **_ESCAPES,
    "URL, lower case": lambda text: re.sub("%..", lambda match: match[0].lower(), quote(text, safe="")),
    "URL in a form, twice": lambda text: quote_plus(quote_plus(text)),
    "ascii": lambda text: ascii(text)[1:-1],
    "bytes": lambda text: repr(text.encode())[2:-1],
    "XML": lambda text: "".join(c if c.isalnum() else f"&#{ord(c)};" for c in text),
    "hex": lambda text: text.encode().hex(),
    "HEX": lambda text: text.encode().hex().upper(),
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


@pytest.mark.parametrize("secret", _REGISTERED)
@pytest.mark.parametrize("coding", _CODINGS)
def test_registered_values_are_hidden_in_every_coding(secret: str, coding: str) -> None:
    redactor = Redactor([secret], environment={})
    coded = _CODINGS[coding](secret)
    for carrier in ("{}", "failed for '{}'", "x{}y", "{}\n{}", "/a?b={}&c=d"):
        redacted = redactor.redact(carrier.format(coded, coded))
        assert REDACTED in redacted
        assert longest_part(coded, redacted) < 6


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


@given(
    st.text(st.characters(codec="utf-8"), min_size=8, max_size=40).filter(
        lambda text: text == text.strip() and text not in REDACTED
    ),
    st.sampled_from(sorted(_CODINGS)),
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


def test_the_environment_gives_nothing_else() -> None:
    environment = {
        **{"KEYBOARD": "de-latin1-nodeadkeys", "MONKEY": "business-as-usual", "AUTHOR": "Ada Lovelace", "TOKENIZERS": "fast-ones"},
        **{"PWD": "not-a-path-at-all", "OLDPWD": "nor-is-this-one", "SSH_AUTH_SOCK": "/run/user/1000/agent", "API_KEY": "short"},
        **{"SECRET_KEY_FILE": "~/keys/secret.pem", "MAX_TOKEN": "1234567890", "USE_TOKEN": "disabled", "HOME": "/home/ada"},
        **{"AUTH_URL": "https://auth.example.com/oauth", "DATABASE_URL": "sqlite:///app.db", "WINDOWS_KEY": r"C:\keys\a.pem"},
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
    redactor = Redactor((f"value-number-{n}-x" for n in range(1_000)), environment={})
    redactor.register("value-number-0-x")
    redactor.register("one-more-value")
    assert (
        redactor.redact("value-number-0-x value-number-1-x one-more-value") == f"{REDACTED} value-number-1-x {REDACTED}"
    )


def test_values_can_be_registered_while_others_redact() -> None:
    redactor = Redactor(environment={})
    leaks: list[str] = []

    def work(name: str) -> None:
        for n in range(200):
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


def test_there_are_patterns_to_check() -> None:
    assert len(PATTERNS) >= 40


@given(st.text(max_size=300), st.integers(0, 200))
def test_cut_never_exceeds_the_limit(text: str, limit: int) -> None:
    short = cut(text, limit)
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
            assert longest_part(secret[-20:], cut(redacted, limit)) < 6


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
    assert cut(text, limit) == short
