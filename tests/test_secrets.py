"""Secrets planted wherever a failure can carry one: no text that mulligan makes holds them, in whatever encoding they came."""

from __future__ import annotations

import json
import random
import re
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any, Literal
from urllib.parse import quote, quote_plus

import pytest
from loguru import logger
from secret_samples import shapes

from mulligan import Limits, Pipeline, Session, Tool, ToolCall, ToolResult, errors
from mulligan.plugin import AttemptFailed, CallRepaired, CallStarted, Event, ToolError, hookimpl

_FORMATS = ("text", "json", "block")
_ENCODINGS: dict[str, Callable[[str], str]] = {
    "plain": str,
    "URL": lambda text: quote(text, safe=""),
    "JSON": lambda text: json.dumps(text)[1:-1],
    "form": quote_plus,
    "URL twice": lambda text: quote(quote(text, safe=""), safe=""),
    "JSON twice": lambda text: json.dumps(json.dumps(text)[1:-1])[1:-1],
    "bytes": lambda text: repr(text.encode())[2:-1],
    "XML": lambda text: "".join(c if c.isalnum() else f"&#{ord(c)};" for c in text),
    "base64": lambda text: b64encode(text.encode()).decode(),
    "base64 for URLs": lambda text: urlsafe_b64encode(text.encode()).decode(),
    "hex": lambda text: text.encode().hex(),
    "HEX": lambda text: text.encode().hex().upper(),
}
_HEX = re.compile("[0-9a-f]+|[0-9A-F]+")
_BY_PATTERN = ("plain", "URL", "JSON")
_SHARP = {  # passwords that no shape tells
    "words": "correct horse battery staple",
    "signs": "p@ss/w+rd=1?#%&x",
    "quotes": "quote\"and'apostrophe",
    "letters": "pässwörd-ünïcode",
    "plain": "hunter2hunter2",
}


def raised(error: BaseException) -> Callable[..., Any]:
    def handler(**_: Any) -> Any:
        raise error

    return handler


def caused(inner: BaseException) -> BaseException:
    error = RuntimeError("the step failed")
    error.__cause__ = inner
    return error


def noted(note: str) -> BaseException:
    error = ValueError("no such option")
    error.add_note(note)
    return error


class ServiceError(Exception):
    """As clients of services raise it."""

    def __init__(
        self, url: str = "https://api.x.io/v1/things", body: Any = None, headers: Any = None, status: int = 400
    ):
        super().__init__(f"{status} Bad Request for url: {url}")
        content = json.dumps(body, ensure_ascii=False).encode()
        request = SimpleNamespace(url=url, method="GET", headers={})
        self.response = SimpleNamespace(
            status_code=status, headers=headers or {}, _content=content, text=content.decode(), request=request, url=url
        )


class ProgramError(Exception):
    __module__ = "subprocess"
    __qualname__ = "CalledProcessError"

    def __init__(self, argument: str, stderr: str) -> None:
        super().__init__(f"Command '['login', '--token', '{argument}']' returned non-zero exit status 1.")
        self.returncode, self.cmd, self.stderr = 1, ["login", "--token", argument], stderr


class Advisor:
    """A plugin that repeats in a hint what it read."""

    @hookimpl
    def hints(self, error: ToolError, failure: Any) -> Any:
        if failure is not None and failure.tool_name == "advised":
            yield f"Look at {failure.exception.held} first."


class Repairing:
    """A plugin that reads a call differently."""

    @hookimpl
    def repair(self, call: ToolCall) -> Any:
        if call.name == "mendable":
            arguments = {"path": json.loads(str(call.arguments))["path"], "limit": 1}
            return lambda: call._replace(arguments=arguments)


class Held(Exception):
    def __init__(self, held: str) -> None:
        super().__init__("something failed")
        self.held = held


_SCHEMA = {
    "type": "object",
    "properties": {"path": {"type": "string"}, "limit": {"type": "integer"}, "mode": {"enum": ["r", "w"]}},
    "required": ["path"],
    "additionalProperties": False,
}


def failing(error: BaseException, name: str = "act", **options: Any) -> tuple[Any, ToolCall]:
    return Tool.from_schema(name, "", _SCHEMA, raised(error), **options), ToolCall("c1", name, {"path": "a.md"})


def returning(value: Any) -> tuple[Any, ToolCall]:
    return Tool.from_schema("act", "", _SCHEMA, lambda **_: value), ToolCall("c1", "act", {"path": "a.md"})


def sent(name: str, arguments: Any, error: BaseException | None = None) -> tuple[Any, ToolCall]:
    handler = raised(error or ValueError("no"))
    return Tool.from_schema("act" if name != "mendable" else name, "", _SCHEMA, handler), ToolCall(
        "c1", name, arguments
    )


def near(text: str) -> tuple[Any, ToolCall]:
    missing = FileNotFoundError(2, "No such file or directory", f"log/{text}")
    tool = Tool.from_schema("act", "", _SCHEMA, raised(missing), resources=[f"logs/{text}"])
    return tool, ToolCall("c1", "act", {"path": f"log/{text}"})


def in_url(text: str) -> str:
    """A text as it must stand in an address."""
    return text if "\\" in text else quote(text, safe="%+=-_.~&:;'")


_CARRIERS: dict[str, Callable[[str], tuple[Any, ToolCall]]] = {
    "exception text": lambda s: failing(ValueError(f"the seed {s} is not a number")),
    "cause": lambda s: failing(caused(ValueError(f"the seed {s} is not a number"))),
    "group member": lambda s: failing(ExceptionGroup("several", [ValueError(s), KeyError(s)])),
    "note": lambda s: failing(noted(f"tried with {s}")),
    "key": lambda s: failing(KeyError(s)),
    "argument value": lambda s: sent("act", {"path": "a", "limit": s, "mode": s}),
    "argument name": lambda s: sent("act", {"path": "a", s: 1}),
    "argument text": lambda s: sent("act", f'{{"path": "{s}'),
    "argument of a failed run": lambda s: sent("act", {"path": s}, FileNotFoundError(2, "No such file", s)),
    "corrected call": lambda s: sent("act", {"path": s, "limit": "10"}),
    "repaired call": lambda s: sent("mendable", json.dumps({"path": s, "limit": "one"})),
    "tool name": lambda s: sent(s, {}),
    "resource": lambda s: failing(FileNotFoundError(2, "No such file or directory", f"/data/{s}")),
    "near name": near,
    "header": lambda s: failing(ServiceError(headers={"x-debug": s, "retry-after": s, "location": s})),
    "body": lambda s: failing(ServiceError(body={"error": {"message": f"Bad value {s}", "param": s, "code": s}})),
    "field errors of a body": lambda s: failing(
        ServiceError(body={"detail": [{"loc": ["body", "path"], "msg": f"bad: {s}", "input": s}]}, status=422)
    ),
    "userinfo of a URL": lambda s: failing(ServiceError(f"https://bob:{in_url(s)}@api.x.io/v1", status=404)),
    "query of a URL": lambda s: failing(ServiceError(f"https://api.x.io/v1?api_key={in_url(s)}&page=2", status=404)),
    "returned failure": lambda s: returning({"error": {"message": f"bad token {s}", "code": s}, "ok": False}),
    "program": lambda s: failing(ProgramError(s, f"fatal: could not log in with {s}")),
    "the tool's own word": lambda s: failing(
        errors.ToolArgumentError(
            f"bad: {s}", user_message=f"bad {s}", resource=s, problems=[errors.Problem("/path", s, s, s)]
        )
    ),
    "hint of a plugin": lambda s: failing(Held(s), "advised"),
}


class Sinks:
    """A pipeline with every outlet for text open."""

    def __init__(self, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch, **limits: Any) -> None:
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        self.events: list[Event] = []
        self.lines: list[str] = []
        logger.remove()
        logger.add(self.lines.append, format="{message}", level="TRACE", backtrace=True, diagnose=True)
        plugins = [Advisor(), Repairing(), self]
        self.pipeline = Pipeline((), autoload=False, plugins=plugins, limits=Limits(**limits))
        self.pipeline.enable_logging("INFO")
        self.formats = {name: self.pipeline.session(format=name).format for name in _FORMATS}

    @hookimpl
    def observe(self, event: Event) -> None:
        self.events.append(event)

    def call(self, tool: Any, call: ToolCall) -> tuple[ToolResult, Session]:
        if tool.name in self.pipeline.tools:
            self.pipeline.tools.remove(tool.name)
        self.pipeline.tools.add(tool)
        session = self.pipeline.session("s")
        return session.call(call), session

    def texts(self, result: ToolResult, session: Session) -> Iterator[tuple[str, str]]:
        """Everything that mulligan has written since it was last asked, by sink."""
        yield "content", result.content
        for name, format in self.formats.items():
            if result.feedback is not None:
                yield f"content as {name}", str(format.render(result.feedback))
        yield "repr", f"{result!r} {result.feedback!r} {result.repairs!r}"
        yield "to_dict", json.dumps(result.to_dict(), ensure_ascii=False)
        yield "session", json.dumps(session.to_dict(), ensure_ascii=False)
        for dialect in ("openai", "anthropic"):
            message = {**result.message(dialect)}
            yield "message", str(message)
        if result.error is not None:
            yield "exception", f"{result.error} {result.error!r} {result.error.user_message}"
        for event in self.events:
            yield f"event {type(event).__name__}", repr(event)
            if isinstance(event, CallStarted):
                yield "event CallStarted", event.arguments
            if isinstance(event, AttemptFailed):
                yield "event AttemptFailed", f"{event.traceback} {event.error} {event.error.user_message}"
            if isinstance(event, CallRepaired):
                yield "event CallRepaired", f"{event.repair.before} {event.repair.after}"
        yield "log", "".join(map(str, self.lines))
        yield "faults", repr(self.pipeline.faults)
        self.events.clear()
        self.lines.clear()
        self.pipeline._manager.faults = ()


@pytest.fixture
def sinks(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Sinks]]:
    made: list[Sinks] = []

    def make(environment: dict[str, str], **limits: Any) -> Sinks:
        made.append(Sinks(environment, monkeypatch, **limits))
        return made[-1]

    yield make
    for one in made:
        one.pipeline.close()
    logger.remove()


def leaked(secret: str, text: str) -> bool:
    """Whether a text holds six characters in a row of the last twenty of a secret; in hex, which hashes are in too, twelve."""
    tail, width = secret.rstrip("=")[-20:], 12 if _HEX.fullmatch(secret) else 6
    return any(tail[start : start + width] in text for start in range(len(tail) - width + 1))


def leaks(sinks: Sinks, secret: str, encoding: str, carrier: str) -> list[str]:
    coded = _ENCODINGS[encoding](secret)
    result, session = sinks.call(*_CARRIERS[carrier](coded))
    texts = list(sinks.texts(result, session))
    if not leaked(coded, " ".join(text for _, text in texts)):
        return []
    return [sink for sink, text in texts if leaked(coded, text)]


@pytest.mark.exhaustive
@pytest.mark.parametrize("encoding", _ENCODINGS)
@pytest.mark.parametrize("carrier", _CARRIERS)
def test_registered_values_leave_by_no_sink(sinks, carrier, encoding):
    planted = {**shapes(random.Random(encoding)), **_SHARP}
    outlets = sinks({f"S{number}_SECRET": secret for number, secret in enumerate(planted.values())})
    found = {(name, leak) for name, secret in planted.items() for leak in leaks(outlets, secret, encoding, carrier)}
    assert found == set()


@pytest.mark.exhaustive
@pytest.mark.parametrize("encoding", _BY_PATTERN)
@pytest.mark.parametrize("carrier", _CARRIERS)
def test_well_known_shapes_leave_by_no_sink(sinks, carrier, encoding):
    outlets = sinks({})
    planted = shapes(random.Random(encoding))
    found = {(name, leak) for name, secret in planted.items() for leak in leaks(outlets, secret, encoding, carrier)}
    assert found == set()


@pytest.mark.parametrize("registered", [True, False])
def test_what_a_plugin_raises_tells_no_secret(sinks, plugin, registered):
    for number, (name, secret) in enumerate(shapes(random.Random(3)).items()):
        outlets = sinks({f"P{number}_SECRET": secret} if registered else {})
        outlets.pipeline._manager.add(plugin("careless", hints=raised(RuntimeError(f"cannot advise on {secret}"))))
        outlets.pipeline._runtime.hooks = outlets.pipeline._manager.compile()
        result, session = outlets.call(*failing(ValueError("no")))
        assert "cannot advise" in repr(outlets.pipeline.faults)
        assert [sink for sink, text in outlets.texts(result, session) if leaked(secret, text)] == [], name


def test_a_secret_argument_is_never_shown_by_any_tool(sinks):
    outlets = sinks({})

    def log_in(user: str, password: str) -> str:
        raise PermissionError(13, f"{user} may not log in with {password}")

    def repeat(text: str) -> str:
        raise ValueError(f"cannot say {text}")

    secret = "zitronenfalter unter glas"
    for tool, arguments in (
        (Tool.from_function(log_in, secret=["password"]), {"user": "ada", "password": secret}),
        (Tool.from_function(repeat), {"text": f"the word is {secret}!"}),
    ):
        result, session = outlets.call(tool, ToolCall("c1", tool.name, arguments))
        texts = list(outlets.texts(result, session))
        assert [sink for sink, text in texts if "falter" in text or "unter glas" in text] == []


_MISPLACED = {  # {} is the code that opens the safe; the tool is `open_safe(room, code)`
    "misspelt tool": ("opensafe", {"room": "r1", "code": "{}"}),
    "unknown tool": ("unlock", {"door": {"code": "{}"}}),
    "misspelt argument": ("open_safe", {"room": "r1", "coed": "{}"}),
    "style": ("open_safe", {"room": "r1", "CODE_": "{}"}),
    "words around it": ("open_safe", {"room": "r1", "safeCode": "{}"}),
    "wrapper": ("open_safe", {"input": {"room": "r1", "code": "{}"}}),
    "list of wrappers": ("open_safe", {"calls": [{"code": ["{}"]}]}),
    "JSON in a text": ("open_safe", {"room": '{"room": "r1", "code": "{}"}'}),
    "JSON in a JSON text": ("open_safe", {"args": '"{\\"code\\": \\"{}\\"}"'}),
    "one more argument": ("open_safe", {"room": "r1", "code": "{}", "now": True}),
    "wrong type of another": ("open_safe", {"room": 7, "code": "{}"}),
    "cut off": ("open_safe", '{"room": "r1", "code": "{}'),
    "Python": ("open_safe", "{'room': 'r1', 'code': '{}'}"),
    "assignment": ("open_safe", "room=r1 code={}"),
    "another tool's": ("look", {"room": "r1", "code": "{}"}),
}


def _planted(arguments: Any, secret: str) -> Any:
    if isinstance(arguments, str):
        return arguments.replace("{}", secret)
    if isinstance(arguments, dict):
        return {name: _planted(value, secret) for name, value in arguments.items()}
    return [_planted(item, secret) for item in arguments] if isinstance(arguments, list) else arguments


@pytest.mark.parametrize("case", _MISPLACED)
def test_a_secret_argument_in_the_wrong_place_leaves_by_no_sink(sinks, case):
    def open_safe(room: str, code: str) -> str:
        raise ValueError(f"cannot open {room}")

    def look(room: str) -> str:
        raise ValueError(f"cannot look at {room}")

    name, arguments = _MISPLACED[case]
    outlets = sinks({})
    outlets.pipeline.tools.add(Tool.from_function(look, name="look"))
    secret = "zitronenfalter"
    tool = Tool.from_function(open_safe, secret=["code"])
    outlets.pipeline.tools.add(tool)
    session = outlets.pipeline.session("s")
    result = session.call(ToolCall("c1", name, _planted(arguments, secret)))
    assert result.is_error
    texts = [*outlets.texts(result, session), ("ai-sdk", str(result.message("ai-sdk")))]
    assert [sink for sink, text in texts if sink != "session" and "falter" in text] == []


@pytest.mark.parametrize(
    "given",
    [
        {"passphrase": "{}"},
        {"pass_phrase": "{}"},
        {"pasphrse": "{}"},
        {"notes": [[{"passphrase": "{}"}]]},
        {"notes": "passphrase={}"},
        {"notes": ['{"passphrase": "{}"}']},
        b'{"passphrase": "{}", "notes": "cut o',
    ],
)
def test_what_a_tool_repeats_of_its_secret_argument_is_hidden_wherever_it_was_put(make_pipeline, run, given):
    def repeat(**sent: Any) -> str:
        raise ValueError("zitronenfalter does not open it")

    pipeline = make_pipeline(Tool.from_schema("repeat", "", {"type": "object"}, repeat, secret=["passphrase"]))
    sent = given.replace(b"{}", b"zitronenfalter") if isinstance(given, bytes) else _planted(given, "zitronenfalter")
    assert "falter" not in run(pipeline, "repeat", sent).content
    assert "[redacted] does not open it" in run(pipeline, "repeat", {}).content


def test_a_message_that_repeats_the_call_hides_a_secret_number_wherever_it_is(make_pipeline, run):
    def unlock(pin: int, again: int, tries: int = 3) -> str:
        return "open"

    given = {"pin": 4711471, "again": 4711471, "tries": 4}
    result = run(make_pipeline(Tool.from_function(unlock, secret=["pin"])), "unlock", given)
    assert result.without_secrets(given) == {"pin": "[redacted]", "again": "[redacted]", "tries": 4}


def test_an_ordinary_argument_like_a_secret_one_is_shown(sinks):
    def unlock(pin: str, bin: str) -> str:
        raise ValueError("no")

    outlets = sinks({})
    tool = Tool.from_function(unlock, secret=["pin"])
    outlets.call(tool, ToolCall("c1", "unlock", {"pin": "4711", "bin": "/usr/bin"}))
    started = next(event for event in outlets.events if isinstance(event, CallStarted))
    assert started.arguments == '{"pin":"[redacted]","bin":"/usr/bin"}'
    assert outlets.pipeline.redactor.redact("look in /usr/bin") == "look in /usr/bin"


def test_while_it_is_unclear_what_is_secret_names_and_types_are_shown(make_pipeline, plugin):
    shown: list[str] = []
    observe = plugin(
        "seen", observe=lambda event: shown.append(event.arguments) if isinstance(event, CallStarted) else None
    )
    tool = Tool.from_schema(
        "pay", "", {"type": "object", "properties": {"cvv": {}, "sum": {"type": "integer"}}}, dict, secret=["cvv"]
    )
    make_pipeline(tool, plugins=[observe]).call("pya", {"sum": 3, "of": [1], "x": None, "y": {}, "z": True})
    assert shown == ["{sum: number, of: array, x: null, y: object, z: boolean}"]


def test_a_short_secret_is_hidden_in_the_texts_of_its_call(sinks):
    def pay(cvv: int) -> str:
        raise ValueError(f"card refused: cvv {cvv} is wrong, order 81234, amount 123.50")

    def count(n: int) -> str:
        raise ValueError(f"cannot count to {n}")

    outlets = sinks({})
    for arguments in ({"cvv": 123}, {"cvv": "123"}, {"csv": 123}, {"cvv": 123, "tip": 1}):
        result, session = outlets.call(Tool.from_function(pay, secret=["cvv"]), ToolCall("c1", "pay", arguments))
        texts = [*outlets.texts(result, session), ("ai-sdk", str(result.message("ai-sdk")))]
        assert [
            (sink, text) for sink, text in texts if sink != "session" and re.search(r"(?<!\d)123(?![\d.]|:\d)", text)
        ] == []
    assert (
        "order 81234, amount 123.50"
        in outlets.call(Tool.from_function(pay, secret=["cvv"]), ToolCall("c1", "pay", {"cvv": 123}))[0].content
    )
    result, _ = outlets.call(Tool.from_function(count), ToolCall("c2", "count", {"n": 123}))
    assert "cannot count to 123" in result.content


def test_a_message_that_repeats_the_input_hides_secret_arguments(make_pipeline):
    tool = Tool.from_schema(
        "pay", "", {"type": "object", "properties": {"cvv": {}, "to": {}}}, lambda **_: "paid", secret=["cvv"]
    )
    part = {"type": "tool-pay", "toolCallId": "c1", "state": "input-available", "input": {"cvv": 7, "to": "ada"}}
    answers = make_pipeline(tool).answer({"role": "assistant", "parts": [part]})
    assert answers[0]["input"] == {"cvv": "[redacted]", "to": "ada"}


@pytest.mark.parametrize(
    "torn",
    [
        "ghp_abcdefghij\u200bABCDEFGHIJ0123456789",
        "password:\xa0gr4nd-piano",
        "\x1b[1mghp_\x1b[0mabcdefghijABCDEFGHIJ0123456789",
    ],
)
def test_a_secret_that_invisible_characters_tear_apart_is_hidden(make_pipeline, torn):
    tool = Tool.from_schema("act", "", _SCHEMA, raised(ValueError(f"refused: {torn}")))
    content = make_pipeline(tool).call("act", {"path": "a"}).content
    assert "[redacted]" in content
    assert "ABCDEFGHIJ" not in content and "piano" not in content


# --- cutting


@pytest.mark.parametrize("name", ["OpenAI", "AWS id", "Slack webhook", "JWT", "words", "signs", "letters"])
@pytest.mark.parametrize("registered", [True, False])
def test_cutting_at_any_place_leaves_no_part_of_a_secret(make_pipeline, monkeypatch, name, registered):
    secret = {**shapes(random.Random(5)), **_SHARP}[name]
    if registered:
        monkeypatch.setenv("THE_SECRET", secret)
    elif name in _SHARP:
        secret = f"password={secret.replace(' ', '-')}"
    text = f"the call to the service failed with {secret} at the first attempt, and it will fail again"
    tool = Tool.from_schema("act", "", _SCHEMA, raised(ValueError(text)))
    for limit in range(1, len(text) + 20):
        pipeline = make_pipeline(tool, limits=Limits(detail_chars=limit))
        content = pipeline.call("act", {"path": "a"}).content
        assert not leaked(secret, content), (limit, content)


@pytest.mark.parametrize("format", _FORMATS)
def test_short_feedback_leaves_no_part_of_a_secret(make_pipeline, monkeypatch, format):
    secret = shapes(random.Random(6))["OpenAI"]
    monkeypatch.setenv("THE_SECRET", secret)
    for limit in range(200, 420):
        text = f"{'x' * (limit % 60)} failed with {secret} at the first attempt, and it will fail again"
        tool = Tool.from_schema("act", "", _SCHEMA, raised(FileNotFoundError(2, "none", f"/data/{text}")))
        pipeline = make_pipeline(tool, limits=Limits(feedback_chars=limit), format=format)
        content = pipeline.call("act", {"path": "a"}).content
        assert len(content) <= limit
        assert not leaked(secret, content), (limit, content)


# --- what is no secret


def ordinary_texts(rng: random.Random) -> Iterator[str]:
    """Texts of errors as they come every day, with what looks random in them."""

    def of(alphabet: str, length: int) -> str:
        return "".join(rng.choice(alphabet) for _ in range(length))

    hexadecimal, letters = "0123456789abcdef", "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
    while True:
        sha, md5, short = of(hexadecimal, 40), of(hexadecimal, 32), of(hexadecimal, 7)
        uuid = "-".join(of(hexadecimal, length) for length in (8, 4, 4, 4, 12))
        number, port = rng.randrange(10**6), rng.randrange(1024, 65536)
        version = ".".join(str(rng.randrange(30)) for _ in range(3))
        image = b64encode(rng.randbytes(60)).decode()
        name = of(letters, rng.randrange(5, 22))
        table = rng.choice("users orders line_items auth_tokens sessions api_keys secrets".split())
        yield rng.choice(
            [
                f"fatal: bad object {sha}",
                f"error: pathspec 'feature/{name}' did not match any file(s) known to git",
                f"CONFLICT (content): Merge conflict in src/{name}.py; HEAD is now at {short} Fix the build",
                f"FileNotFoundError: [Errno 2] No such file or directory: '/home/ada/projects/{name}/data_{number}.csv'",
                f"PermissionError: [WinError 5] Access is denied: 'C:\\\\Users\\\\ada\\\\AppData\\\\{name}.tmp'",
                f'psycopg.errors.UndefinedColumn: column "{name.lower()}" does not exist\nLINE 1: SELECT id FROM {table}',
                f'duplicate key value violates unique constraint "{table}_pkey"\nDETAIL:  Key (id)=({uuid}) already exists.',
                f"INSERT INTO {table} (id, token_count, key_name) VALUES ({number}, {port}, '{name}') failed",
                f"SELECT token, secret FROM {table} WHERE id = {number} AND password IS NOT NULL: syntax error near WHERE",
                f"sha256 mismatch: expected {of(hexadecimal, 64)}, got {of(hexadecimal, 64)}",
                f'ETag W/"{md5}" does not match',
                f"request id {uuid}: upstream connect error, reset reason: connection failure",
                f"RequestId: {of('ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789', 16)}; HostId: {image}",
                f"Invalid image: data:image/png;base64,{image}",
                f"cannot decode {image!r} as UTF-8",
                f"npm ERR! {name}@{version}: the engine is incompatible; wanted node >=18.{number % 20}",
                f"pip: no matching distribution found for {name.lower()}=={version}",
                f"docker: manifest for registry.x.io/team/{name.lower()}:{version} not found: digest sha256:{of(hexadecimal, 64)}",
                f"ConnectionRefusedError: connect to db-{number}.internal:{port} refused after {number % 90} ms",
                f"HTTP 404 for https://api.x.io/v2/{table}/{uuid}?page={number % 9}&sort=name&order=asc#top",
                f"s3://bucket-{number}/year=2024/month=07/part-{number:05}-{uuid}.parquet not found",
                f"KeyError: '{name}'",
                f"json.decoder.JSONDecodeError: Expecting ',' delimiter: line {number % 90} column 12 (char {number})",
                f"tokenizer: token {number} is not in the vocabulary; max_tokens={port}",
                f"password must be at least {number % 20} characters long and hold a digit",
                f"The API key is missing. Set the variable API_KEY and start again. (ref {short})",
                f"arn:aws:lambda:eu-west-1:{of('0123456789', 12)}:function:{name} timed out after {number % 900}.00 seconds",
                f"TypeError: {name}() missing 1 required positional argument: 'key'",
                f"thread {number} panicked at src/{name.lower()}.rs:{port}:9: index out of bounds",
                f"at {name} (/app/node_modules/{name.lower()}/dist/index.js:{port}:17)",
                f"traceparent 00-{md5}-{of(hexadecimal, 16)}-01 was dropped",
                f"Certificate serial {':'.join(of(hexadecimal, 2) for _ in range(16))} has expired",
                f"job {of('0123456789ABCDEFGHJKMNPQRSTVWXYZ', 26)} was cancelled by user {name}",
                f"cookie policy {name} not accepted; see /legal/cookies?lang=de",
                f"MAC {':'.join(of(hexadecimal, 2) for _ in range(6))} at fe80::{of(hexadecimal, 4)}%eth0 is unknown",
            ]
        )


def test_ordinary_errors_stay_as_they_are(make_pipeline):
    texts = ordinary_texts(random.Random(11))
    told = [next(texts) for _ in range(2_000)]
    redact = make_pipeline().redactor.redact
    altered = [text for text in told if redact(text) != text]
    assert len(altered) <= 20, altered[:10]


_NESTED = {
    "a closed object": {"properties": {"a": {"type": "integer"}}, "required": ["b"], "additionalProperties": False},
    "an object of numbers": {"additionalProperties": {"type": "integer"}},
    "an object of short names": {"propertyNames": {"maxLength": 2}},
    "an object in it": {"additionalProperties": {"type": "object", "additionalProperties": {"type": "integer"}}},
    "a name that is a number": {"patternProperties": {"^.*$": {"type": "integer"}}},
}


@pytest.mark.parametrize("schema", _NESTED)
def test_the_keys_inside_a_secret_argument_are_not_shown(sinks, schema):
    members = {"keys": {"type": "object", **_NESTED[schema]}, "to": {"type": "object", **_NESTED[schema]}}
    tool = Tool.from_schema("pay", "", {"type": "object", "properties": members}, lambda **_: "paid", secret=["keys"])
    inside = {"zitronenfalter": {"zitronenfalter": "x"}, "47119": "x"}
    outlets = sinks({})
    result, session = outlets.call(tool, ToolCall("c1", "pay", {"keys": inside, "to": {"rotkehlchen": {"a": "x"}}}))
    assert result.error is not None
    pointers = {problem.pointer for problem in result.error.problems}
    assert {pointer for pointer in pointers if pointer.startswith("/keys")} <= {"/keys", "/keys/b"}
    assert any(pointer.startswith("/to/") for pointer in pointers)
    assert [
        sink for sink, text in outlets.texts(result, session) if sink != "session" and re.search("zitronen|47119", text)
    ] == []


def test_the_keys_that_a_class_refuses_inside_a_secret_argument_are_not_shown(make_pipeline):
    def pay(keys: dict[str, Literal["read", "write"]]) -> str:
        return "paid"

    result = make_pipeline(Tool.from_function(pay, secret=["keys"])).call("pay", {"keys": {"zitronenfalter": "x"}})
    assert "zitronen" not in result.content
    assert "/keys" in result.content


@pytest.mark.parametrize(
    "arguments",
    [
        {"password": "{}"},
        {"headers": {"Authorization": "Basic {}"}},
        {"credentials": {"user": "u", "secret": "{}"}},
        {"note": "{}", "to": "ada"},
        ["u", "{}"],
        '{"p": "{}"',
        "{}",
    ],
)
def test_a_message_repeats_no_argument_of_a_call_that_no_tool_has(make_pipeline, arguments):
    tool = Tool.from_schema("login", "", {"type": "object", "properties": {"pw": {}}}, lambda **_: "in", secret=["pw"])
    result = make_pipeline(tool).call("log_in", _planted(arguments, "zitronenfalter"))
    assert result.is_error
    assert "zitronen" not in str(result.message("ai-sdk"))


def test_a_message_repeats_the_arguments_of_an_unknown_tool_where_no_tool_has_secrets(make_pipeline):
    look = Tool.from_schema("look", "", {"type": "object", "properties": {"room": {}}}, lambda **_: "seen")
    result = make_pipeline(look).call("loock", {"room": "hall"})
    assert result.message("ai-sdk")["input"] == {"room": "hall"}


@pytest.mark.parametrize("name", ["ｐａｓｓｗｏｒｄ", "ＰＡＳＳＷＯＲＤ", "pass\uff3fword"])
def test_the_name_of_a_secret_argument_in_full_width_letters_is_its_name(make_pipeline, name):
    tool = Tool.from_schema(
        "login", "", {"type": "object", "properties": {"password": {}}}, lambda **_: 1 / 0, secret=["password"]
    )
    result = make_pipeline(tool).call("login", {name: "zitronenfalter"})
    assert "zitronen" not in str(result.message("ai-sdk")) + result.content


_WITH_DEFAULT = {"type": "object", "properties": {"key": {"type": "string", "default": "tulip-mania-1637"}}}


@pytest.mark.parametrize(
    ("declared", "secret"),
    [
        ({"type": "string", "default": "swordfish"}, ["argument"]),
        ({"type": "integer", "default": 48291377}, ["argument"]),
        (_WITH_DEFAULT, ["argument"]),
        ({"anyOf": [{"type": "null"}, {"type": "array", "items": _WITH_DEFAULT}]}, ["argument"]),
        ({"type": "string", "default": "tulip-mania-1637"}, []),
        ({"type": "string", "default": "https://ada:swordfish@host.example/db"}, []),
        ({"type": "array", "items": {"type": "string"}, "default": ["x", f"ghp_{'A1b2C3d4E5' * 4}"]}, []),
        ({"type": "object", "properties": {"default": {"type": "string", "default": "tulip-mania-1637"}}}, []),
        (_WITH_DEFAULT, []),
    ],
)
@pytest.mark.parametrize("dialect", ["openai", "anthropic", "gemini"])
def test_no_definition_has_a_secret_default(
    monkeypatch: pytest.MonkeyPatch, dialect: str, declared: dict[str, Any], secret: list[str]
) -> None:
    monkeypatch.setenv("TULIP_API_KEY", "tulip-mania-1637")
    schema = {
        "type": "object",
        "properties": {"argument": declared, "default": {"type": "string", "default": "plain text"}},
    }
    for made in (
        Tool.from_schema("find", "Find.", schema, lambda **_: "found", secret=secret),
        Tool.from_schema("find", "Find.", schema, lambda **_: "found").with_options(secret=secret),
    ):
        shown = json.dumps(Pipeline([made], autoload=False).tools.definitions(dialect))
        for hidden in ("swordfish", "48291377", "tulip-mania-1637", "ghp_"):
            assert hidden not in shown
        assert '"default": "plain text"' in shown
        assert set(made.parameters["properties"]) == {"argument", "default"}


def test_a_secret_default_is_used_though_it_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TULIP_API_KEY", "tulip-mania-1637")

    def find(word: str, token: str = "swordfish", key: str = "tulip-mania-1637") -> str:
        """Find a word."""
        return f"{word} {len(token)} {len(key)}"

    tool = Tool.from_function(find, secret=["token"])
    assert Pipeline([tool], autoload=False).call("find", {"word": "tea"}).content == "tea 9 16"
    assert list(tool.parameters["required"]) == ["word"]
