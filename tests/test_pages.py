"""The README and the explanations are true, and no block of a guide is left out; `tests/guides` runs the guides."""

from __future__ import annotations

import contextlib
import io
import pathlib
import re
from types import SimpleNamespace
from typing import Any, Literal

import pytest
from code_blocks import code_blocks

from mulligan import Pipeline

ROOT = pathlib.Path(__file__).parents[1]
DOCS = ROOT / "docs"
ELSEWHERE = {
    "how-to/mcp-client.md": "plugins/mulligan-mcp/tests/test_docs.py",
    "how-to/mcp-desktop-client.md": "plugins/mulligan-proxy/tests/test_docs.py",
    "how-to/mcp-server.md": "plugins/mulligan-mcp/tests/test_docs.py",
    "how-to/metrics.md": "plugins/mulligan-otel/tests/test_otel_package.py",
    "how-to/run-on-ray.md": "plugins/mulligan-ray/tests/test_ray_calls.py",
    "how-to/run-on-temporal.md": "plugins/mulligan-temporal/tests/test_temporal_package.py",
    "how-to/traces.md": "plugins/mulligan-otel/tests/test_otel_package.py",
    "reference/cli.md": "tests/test_cli_docs.py",
    "reference/dialects.md": "tests/test_dialect_docs.py",
}  # pages that have a test of their own
NEEDS = (
    "pip install",
    "uv tool install",
    "export ",
    "python openai_loop.py",
    "python anthropic_loop.py",
)  # index or key
GUIDES = sorted(
    str(path.relative_to(DOCS))
    for folder in ("how-to", "tutorial")
    for path in (DOCS / folder).glob("*.md")
    if str(path.relative_to(DOCS)) not in ELSEWHERE
)


def blocks(path: pathlib.Path) -> list[tuple[str, str | None, str]]:
    """Language, file name and text of each block."""
    return code_blocks(path.read_text("utf-8"))


@pytest.mark.parametrize("page", GUIDES)
def test_no_block_of_a_guide_is_left_out(page):
    """Python has the name of a file, and the file is used; what is not run needs a package index or a provider's key."""
    known = blocks(DOCS / page)
    with_sdks = (ROOT / "tests" / "examples_sdk" / "test_loops.py").read_text("utf-8")
    commands = with_sdks if page == "how-to/agent-loops.md" else ""
    commands += "".join(text for language, _, text in known if language == "console")
    for language, name, text in known:
        if language == "python":
            assert name, text
            others = "".join(other for kind, _, other in known if other != text)
            stem = name.rpartition("/")[2].removesuffix(".py")
            assert stem in commands or re.search(rf"\b{stem}\b", others), f"{name} is never used"
        elif language in ("sh", "shell", "bash"):
            assert [line for line in text.splitlines() if not line.startswith(NEEDS)] == []
        else:
            assert language in ("console", "text", "toml", "json", "yaml", "markdown"), text


def test_pages_with_tests_of_their_own():
    for page, test in ELSEWHERE.items():
        assert (DOCS / page).exists()
        assert (ROOT / test).exists()


def test_an_adapter_takes_fewer_than_120_lines():
    (adapter,) = (text for _, name, text in blocks(DOCS / "how-to/write-an-adapter.md") if name == "mulligan_toy.py")
    assert 40 < len(adapter.splitlines()) < 120


# --- the README


def test_the_packages_that_the_readme_installs_from_a_clone_are_there():
    named = re.findall(r"\./plugins/[\w-]+", (ROOT / "README.md").read_text("utf-8"))
    assert named
    assert [path for path in named if not (ROOT / path / "pyproject.toml").is_file()] == []


class Reply:
    """A completion as an SDK gives it, with a call of a name that is not there."""

    def __init__(self) -> None:
        call = {"id": "c1", "type": "function", "function": {"name": "read_fil", "arguments": '{"path": "a.md"}'}}
        self.choices = [SimpleNamespace(message={"role": "assistant", "tool_calls": [call]})]

    def model_dump(self, **_: Any) -> dict[str, Any]:
        return {"choices": [{"message": self.choices[0].message}]}


class Client:
    """A provider's client."""

    def __init__(self) -> None:
        self.chat = self.completions = self
        self.asked: list[dict[str, Any]] = []

    def create(self, **asked: Any) -> Reply:
        self.asked.append(asked)
        return Reply()


def test_the_readme_shows_what_happens():
    known = blocks(ROOT / "README.md")
    ten_lines, loop, plugin = (text for language, _, text in known if language == "python")
    client, messages = Client(), []
    names: dict[str, Any] = {"client": client, "messages": messages, "model": "none"}
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(ten_lines, names)
    assert [text for language, _, text in known if language == "text"] == [printed.getvalue()]
    exec(loop, names)
    assert client.asked[0]["tools"][0]["function"]["name"] == "read_file"
    assert [message["role"] for message in messages] == ["assistant", "tool"]
    assert messages[1]["content"] == printed.getvalue().rstrip("\n")
    names["pipeline"].close()
    exec(plugin, names)


def test_the_plugin_of_the_readme_works(plugin):
    exec(next(text for _, _, text in blocks(ROOT / "README.md") if "QuotaExceeded" in text), names := {})

    class QuotaExceeded(Exception):
        __module__ = "acme"
        resets_in = 30

    with Pipeline(plugins=[plugin(classify=names["classify"])], autoload=False, strict=True) as pipeline:
        error = pipeline.classify(QuotaExceeded())
    assert (error.code, error.retry_after) == ("RESOURCE_EXHAUSTED", 30)


def test_the_readme_tells_commands_that_there_are():
    noxfile = (ROOT / "noxfile.py").read_text("utf-8")
    told = re.findall(
        r"nox -s (\w+)", (ROOT / "README.md").read_text("utf-8") + (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    )
    assert told
    assert [name for name in told if f"\ndef {name}(" not in noxfile] == []


# --- explanation and the first page


def test_the_first_page_and_the_readme_show_the_same():
    shown = [text for language, _, text in blocks(DOCS / "index.md") if language == "text"]
    assert shown == [text for language, _, text in blocks(ROOT / "README.md") if language == "text"]


def test_the_example_of_the_page_about_feedback(make_pipeline):
    def list_orders(customer: int, status: Literal["pending", "shipped", "delivered"]) -> str:
        return "none"

    result = make_pipeline(list_orders).call("list_orders", {"customer": 880, "status": "in_transit"})
    shown = [text for language, _, text in blocks(DOCS / "explanation" / "feedback.md") if language == "text"]
    assert shown == [f"{result.content}\n"]


@pytest.mark.parametrize(
    "page",
    sorted({path.name for path in (DOCS / "explanation").glob("*.md")} - {"one-call.md"}),  # test_one_call runs that
)
def test_explanations_hold_no_code_that_nobody_runs(page):
    assert [block for block in blocks(DOCS / "explanation" / page) if block[0] not in ("", "text")] == []
