"""The project's tasks: `nox -l` lists them."""

from __future__ import annotations

import os
import pathlib
import shutil

import nox

nox.needs_version = ">=2025.2.9"
nox.options.default_venv_backend = "uv|virtualenv"
nox.options.sessions = ["tests", "lint", "typing"]
nox.options.reuse_existing_virtualenvs = True
# The tests start hundreds of interpreters: each would compile mulligan again where the environment forbids bytecode.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

_PROVIDERS = (
    *("aws", "azure", "crm", "formats", "github", "gitlab", "google", "grpc", "http", "llm", "messaging", "ops"),
    *("payments", "playwright", "saas", "search", "sql", "stores"),
)
_TOOLS = ("ledger", "mcp", "otel", "proxy")
_ADAPTERS = (
    *("adk", "agent-framework", "crewai", "haystack", "langchain", "llamaindex", "openai-agents", "pydantic-ai"),
    *("smolagents", "strands"),
)
_ENGINES = ("ray", "temporal")
FINISHED = tuple(f"mulligan-{name}" for name in (*_PROVIDERS, *_TOOLS, *_ADAPTERS, *_ENGINES))
BESIDE = ("-e", "plugins/mulligan-github", "-e", "plugins/mulligan-ledger")
KIT = {f"mulligan-{name}": (*BESIDE, "-e", "plugins/testkit[dominance]") for name in _ADAPTERS}
TRACED = (*BESIDE, "-e", "plugins/mulligan-otel", "-e", "plugins/testkit[dominance,traces]")
KIT |= dict.fromkeys(("mulligan-langchain", "mulligan-openai-agents", "mulligan-pydantic-ai"), TRACED)
KIT["mulligan-proxy"] = ("-e", "plugins/mulligan-mcp", "-e", "plugins/mulligan-ledger", "-e", "plugins/testkit")
KIT["mulligan-ray"] = ("-e", "plugins/mulligan-ledger", "-e", "plugins/mulligan-otel", "-e", "plugins/testkit")
KIT["mulligan-temporal"] = ("-e", "plugins/mulligan-ledger", "-e", "plugins/testkit")
PARALLEL = {"mulligan-proxy": ("-n", "2", "--dist", "loadfile")}  # many programs are started; a file shares its servers
PEERS = {
    "pydantic-ai": "pydantic-ai-slim",
    "openai-agents": "openai-agents",
    "adk": "google-adk",
    "langgraph": "langgraph",
}
NEEDS = {"mulligan-ops": ("apt-get", "curl", "docker", "git", "kubectl", "ssh", "wget")}
UNFINISHED = sorted({path.name for path in pathlib.Path("plugins").glob("mulligan-*")} - set(FINISHED))


def group(session: nox.Session, *names: str) -> None:
    """Installs dependency groups of pyproject.toml."""
    project = nox.project.load_toml("pyproject.toml")
    session.install(*nox.project.dependency_groups(project, *names))


@nox.session
def demo(session: nox.Session) -> None:
    """A whole conversation against real tools, as a newcomer sees it."""
    session.install(".[cli]")
    session.run("mulligan", "demo", *session.posargs)


@nox.session
def tests(session: nox.Session) -> None:
    """The tests, in two processes."""
    group(session, "test")
    session.install("-e", ".[cli]")
    session.run("pytest", "-n", "2", *session.posargs)


@nox.session
def coverage(session: nox.Session) -> None:
    """The tests with branch coverage, which take more than twice as long with it."""
    group(session, "test")
    session.install("-e", ".[cli]")
    session.run("pytest", "-n", "2", "--cov", "--cov-report=term-missing:skip-covered", *session.posargs)


@nox.session
def exhaustive(session: nox.Session) -> None:
    """The products of which `nox -s tests` runs a sample, whole."""
    group(session, "test")
    session.install("-e", ".[cli]")
    session.run("pytest", "-n", "2", "-m", "exhaustive", "--exhaustive", *session.posargs)


@nox.session
def dialects(session: nox.Session) -> None:
    """The dialects against the types of the providers' own SDKs, and the examples that use these."""
    group(session, "test", "sdks")
    session.install("-e", ".")
    session.run("pytest", "tests/dialects_sdk", "tests/examples_sdk", *session.posargs)


@nox.session
def lint(session: nox.Session) -> None:
    """ruff and the floors of imports."""
    group(session, "lint")
    session.install("-e", ".[cli]")
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")
    session.run("lint-imports", "--no-cache")


@nox.session
def typing(session: nox.Session) -> None:
    """mypy, strict; basedpyright; and both on the code of the pages."""
    group(session, "typing")
    session.install("-e", ".[cli]")
    session.run("mypy")
    session.run("basedpyright", "--level", "error", "tests/typing")
    session.run("python", "tools/example_types.py")


@nox.session
def docs(session: nox.Session) -> None:
    """The documentation site in `site`, where every warning is an error; then its links and the examples of its guides."""
    group(session, "docs")
    session.install("-e", ".[cli]")
    session.run("sphinx-build", "--fresh-env", "--write-all", "--fail-on-warning", "--keep-going", "docs", "site")
    session.run("pytest", "-n", "2", "tests/built_site", "tests/guides", *session.posargs)


@nox.session
@nox.parametrize("plugin", FINISHED)
def plugins(session: nox.Session, plugin: str) -> None:
    """One plugin package with the real library, in an environment of its own: its README's types, and its tests."""
    missing = [program for program in NEEDS.get(plugin, ()) if shutil.which(program) is None]
    if missing:
        session.skip(f"NOT RUN: {plugin} needs programs that this machine does not have: {', '.join(missing)}")
    group(session, "test")
    session.install("-e", ".", "-e", f"plugins/{plugin}", *KIT.get(plugin, ("-e", "plugins/testkit")))
    project = nox.project.load_toml(f"plugins/{plugin}/pyproject.toml")
    session.install(*nox.project.dependency_groups(project, "test"))
    session.run("python", "tools/example_types.py", f"plugins/{plugin}/README.md")
    words = (f"plugins/{plugin}/tests", "-c", "pyproject.toml", *PARALLEL.get(plugin, ()))
    session.run("pytest", *words, *session.posargs)


@nox.session(venv_backend="none")
def unfinished(session: nox.Session) -> None:
    """Says which plugin packages are still being written, so that nobody runs or publishes them yet."""
    for plugin in UNFINISHED:
        session.warn(f"NOT RUN: {plugin} is still being written; add it to FINISHED once its session passes")


@nox.session
def bench(session: nox.Session) -> None:
    """The budgets, as ratios of CPU time in one process."""
    session.install(".")
    session.run("python", "bench/budgets.py", *session.posargs)


@nox.session
@nox.parametrize("framework", tuple(PEERS))
def peers(session: nox.Session, framework: str) -> None:
    """One call beside the frameworks that people would use instead, each in an environment of its own; then one table."""
    session.install(".", *(f"plugins/mulligan-{name}" for name in _PROVIDERS), PEERS[framework])
    results = session.cache_dir / "peers"
    results.mkdir(exist_ok=True)
    session.run("python", "bench/peers.py", "measure", framework, str(results / f"{framework}.json"))
    session.run("python", "bench/peers.py", "table", *map(str, sorted(results.glob("*.json"))))


@nox.session
def adversary(session: nox.Session) -> None:
    """The rules of provenance, on 10^5 generated calls and hostile texts."""
    session.install(".")
    session.run("python", "bench/adversary/run.py", *session.posargs)


@nox.session(venv_backend="uv")
def minimums(session: nox.Session) -> None:
    """The tests with the lowest versions that pyproject.toml allows."""
    group(session, "test")
    session.install("--resolution", "lowest-direct", "-e", ".[cli]")
    session.run("pytest", *session.posargs)
