"""The command: `mulligan-proxy [OPTIONS] -- COMMAND ...`."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack, suppress
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated

from cyclopts import App, CycloptsError, Parameter

from mulligan.errors import UsageError
from mulligan.pipeline.config import read_tool_options
from mulligan_proxy.configs import HEADERS, insert_proxy, own_command, read_config, specs_of
from mulligan_proxy.specs import ProxyOptions, ServerSpec
from mulligan_proxy.standard_streams import discard_output, refuse_requests

_HELP = "Stands between an MCP client and MCP servers: whatever goes wrong with a call, the model reads what it can do next."
_UI = "MULLIGAN_UI"
_LOG = "MULLIGAN_LOG"
_LEVELS = ("DEBUG", "INFO", "SUCCESS", "WARNING", "ERROR", "OFF")
_FORMAT = "<dim>{time:HH:mm:ss}</dim> <level>{level: <7}</level> {message}"

app = App(name="proxy", help=_HELP, result_action="return_value", help_format="plaintext")


@app.default
def proxy(
    *command: str,
    config: Path | None = None,
    print_config: Annotated[bool, Parameter(negative=())] = False,
    url: str | None = None,
    sse: str | None = None,
    name: str = "server",
    http: str | None = None,
    ui: Annotated[bool, Parameter(negative=())] = False,
    trust: Annotated[tuple[str, ...], Parameter(negative=())] = (),
    timeout: float = 50.0,
    repair: Annotated[bool, Parameter(negative=())] = False,
    retry: Annotated[bool, Parameter(negative=())] = False,
    format: str = "text",
    log: str | None = None,
    tool_options: Path | None = None,
) -> int:
    """Runs the proxy until the client leaves.

    Args:
        command: The server's own command, after `--`, such as `npx -y @modelcontextprotocol/server-filesystem DIR`.
        config: The configuration file of a client: the proxy runs in front of all its servers.
        print_config: Print that file with the proxy in front of each server, and exit.
        url: The URL of a server (streamable HTTP). HTTP headers come from the variable MULLIGAN_HEADERS, as JSON.
        sse: The URL of a server with the older transport.
        name: The name of the single server in the log.
        http: Serve clients at HOST:PORT (or PORT) instead of stdin and stdout.
        ui: Show each call on a page that only this machine can open; also MULLIGAN_UI=1.
        trust: A server whose hints are believed (that a tool changes nothing, or may run twice). May be given several times.
        timeout: Seconds until a call is abandoned.
        repair: Repair calls where that is safe, and inform the model.
        retry: Repeat a call after a transient failure, if a trusted server declares that the tool changes nothing or
            may run twice.
        format: The feedback format.
        log: The lowest level written to stderr: debug, info, success, warning, error or off.
        tool_options: A file with options of tools, such as [tools."read_*"]. By default the nearest mulligan.toml or
            pyproject.toml, in the current directory or above it.
    """
    if print_config:
        return _print_config(config, trust)
    specs = _specs(command, config, url, sse, name, frozenset(trust))
    options = ProxyOptions(
        timeout=_positive(timeout),
        repair=repair,
        retry=retry,
        format=format,
        log=_level(log),
        tool_options=read_tool_options(tool_options),
    )
    wants_ui = ui or os.environ.get(_UI, "") not in ("", "0")
    try:
        asyncio.run(_run(specs, options, None if http is None else _address(http), wants_ui))
    except KeyboardInterrupt:
        return 130
    except BaseExceptionGroup as group:
        error: BaseException = group
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        if not isinstance(error, UsageError):
            raise
        raise error from None
    return 0


@app.command
def install(
    *,
    client: str | None = None,
    config: Path | None = None,
    trust: Annotated[tuple[str, ...], Parameter(negative=())] = (),
    yes: Annotated[bool, Parameter(negative=())] = False,
) -> int:
    """Puts the proxy in front of the servers of a client. The change is shown first, and a copy of the file is kept.

    Args:
        client: Which client: claude, cursor, vscode, windsurf or zed.
        config: The file with the servers, where it is another one than usual.
        trust: A server whose hints are believed. May be given several times.
        yes: Write without asking.
    """
    from mulligan_proxy.setup.install import install as work

    return work(client, config, frozenset(trust), yes)


@app.command
def uninstall(
    *, client: str | None = None, config: Path | None = None, yes: Annotated[bool, Parameter(negative=())] = False
) -> int:
    """Removes the proxy again: the file is restored exactly.

    Args:
        client: Which client: claude, cursor, vscode, windsurf or zed.
        config: The file with the servers, where it is another one than usual.
        yes: Write without asking.
    """
    from mulligan_proxy.setup.install import uninstall as work

    return work(client, config, yes)


@app.command
def doctor(*, client: str | None = None, config: Path | None = None) -> int:
    """Starts each server of a client, lists its tools, and reports problems and how to fix them.

    Args:
        client: Which client: claude, cursor, vscode, windsurf or zed.
        config: The file with the servers, where it is another one than usual.
    """
    from mulligan_proxy.setup.doctor import doctor as work

    _log_to_stderr("OFF")
    return work(client, config)


def main(arguments: Sequence[str] | None = None) -> int:
    """The script `mulligan-proxy`.

    Args:
        arguments: the words after the command; by default those of the process.

    Returns:
        The exit code: 0, or 2 for wrong usage.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a terminal that cannot show a character shows its code
    try:
        code = app(words[1:] if words[:1] == ["proxy"] else words, exit_on_error=False, print_error=False)
        sys.stdout.flush()
    except (CycloptsError, UsageError) as error:
        print(f"mulligan: {error}", file=sys.stderr, flush=True)  # noqa: T201
        if arguments is None and _serves_stdio(words):
            refuse_requests(f"mulligan-proxy cannot start: {error}")
        return 2
    except BrokenPipeError:  # the reader, such as `head`, has closed the pipe
        discard_output()
        return 1
    return code if isinstance(code, int) else 0


def _serves_stdio(words: Sequence[str]) -> bool:
    """Whether a client may be waiting for an answer on stdout."""
    own = set(words[: words.index("--")] if "--" in words else words)
    return not own & {"install", "uninstall", "doctor", "--print-config", "--http"}


async def _run(specs: tuple[ServerSpec, ...], options: ProxyOptions, address: tuple[str, int] | None, ui: bool) -> None:
    import anyio

    from mulligan_proxy.serving import pipeline_for, serve_http, serve_stdio
    from mulligan_proxy.ui.report import recorded_report

    _log_to_stderr(options.log)
    async with AsyncExitStack() as stack:
        report, plugins = stack.enter_context(recorded_report()) if ui else (None, ())
        pipeline = pipeline_for(options, plugins)
        _redact_log(pipeline.redactor.redact)
        tasks = await stack.enter_async_context(anyio.create_task_group())
        watch = None
        if ui:
            from mulligan_proxy.ui import Recorder, serve_page

            watch = Recorder(pipeline.redactor.redact)
            tasks.start_soon(serve_page, watch, report)
        if address is None:
            with suppress(NotImplementedError):  # no such signals on Windows
                asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, tasks.cancel_scope.cancel)
            await serve_stdio(specs, options, pipeline, watch)
        else:
            await serve_http(specs, options, pipeline, watch, host=address[0], port=address[1])
        tasks.cancel_scope.cancel()


def _print_config(config: Path | None, trust: tuple[str, ...]) -> int:
    if config is None:
        raise UsageError("--print-config needs --config FILE, the file in which your client keeps its servers")
    held = read_config(config)
    specs_of(held, trusted=frozenset(trust))  # a trusted name that does not exist is an error
    written = insert_proxy(held, own_command(), frozenset(trust))
    print(json.dumps(written, indent=2, ensure_ascii=False))  # noqa: T201
    return 0


def _specs(
    command: tuple[str, ...], config: Path | None, url: str | None, sse: str | None, name: str, trusted: frozenset[str]
) -> tuple[ServerSpec, ...]:
    given = [one for one in (command, config, url, sse) if one]
    if len(given) != 1:
        raise UsageError(
            "say which server: -- COMMAND ..., --url ADDRESS, --sse ADDRESS, or --config FILE; one of them"
        )
    if config is not None:
        return specs_of(read_config(config), trusted=trusted)
    for unknown in trusted - {name}:
        raise UsageError(f"--trust {unknown}: the server is called {name!r}")
    if command:
        return (ServerSpec(name=name, command=command, trusted=name in trusted),)
    kind, address = ("http", url) if url is not None else ("sse", sse)
    return (ServerSpec(name=name, kind=kind, url=address or "", headers=_headers(), trusted=name in trusted),)  # type: ignore[arg-type]


def _headers() -> dict[str, str]:
    try:
        held = json.loads(os.environ.get(HEADERS, "") or "{}")
    except ValueError as error:
        raise UsageError(f"{HEADERS}: not valid JSON: {error}") from None
    if not isinstance(held, dict) or not all(isinstance(one, str) for one in held.values()):
        raise UsageError(f'{HEADERS}: give an object of texts, such as {{"Authorization": "Bearer ..."}}')
    return held


def _address(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    if not port.isdigit() or int(port) > 65_535:
        raise UsageError(f"--http {text}: give HOST:PORT, or PORT alone for this machine")
    return host.strip("[]") or "127.0.0.1", int(port)


def _positive(seconds: float) -> float:
    if not seconds > 0:
        raise UsageError(f"--timeout {seconds:g}: give a number of seconds above zero")
    return seconds


def _level(given: str | None) -> str:
    wanted = os.environ.pop(_LOG, "")
    level = given.upper() if given is not None else {"": "WARNING", "0": "OFF", "1": "INFO"}.get(wanted, wanted.upper())
    if level not in _LEVELS:
        raise UsageError(f"--log {level.lower()}: unknown level; use {', '.join(_LEVELS).lower()}")
    return level


def _log_to_stderr(level: str) -> None:
    """Only our own lines: the libraries log foreign text and whole tracebacks."""
    from loguru import logger

    for name in ("mcp", "client", "uvicorn", "httpx2"):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    logger.remove()
    if level != "OFF":
        logger.add(sys.stderr, level=level, format=_FORMAT, backtrace=False, diagnose=False)


def _redact_log(redact: Callable[[str], str]) -> None:
    """Makes each line safe where it is written, since names, addresses and texts of servers may hold a secret."""
    from loguru import logger

    from mulligan.plugin import clean

    logger.configure(patcher=lambda line: line.update(message=clean(redact(line["message"]), newlines=False)))
