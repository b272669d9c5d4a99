"""The live view, in a real browser."""

from __future__ import annotations

import asyncio
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
from contextlib import asynccontextmanager

import pytest
import uvicorn
from conftest import FAULTY, PATHS, program, proxied
from mulligan_proxy.ui import Recorder, app_for
from playwright.async_api import async_playwright, expect

from mulligan import Pipeline

pytestmark = pytest.mark.anyio
BROWSER = pathlib.Path(sys.prefix) / "share" / "chromium"
PACKAGE = "@sparticuz/chromium@153"  # Chromium's headless shell, packed into the npm package itself
UNPACK = 'import chromium from "@sparticuz/chromium"\nconsole.log(await chromium.executablePath())\n'
NASTY = '<img src=x onerror="document.title=\'owned\'"><script>document.title="owned"</script>\u202e&amp;'


@pytest.fixture(scope="session")
def chromium():
    """The program `chromium` of the PATH; where there is none, npm installs one beside the environment's other programs."""
    found = shutil.which("chromium")
    if found:
        return found
    done = BROWSER / "chromium"
    if not done.exists():
        BROWSER.mkdir(parents=True, exist_ok=True)
        options = {"check": True, "cwd": BROWSER, "env": {**os.environ, "PATH": PATHS, "TMPDIR": str(BROWSER)}}
        npm = shutil.which("npm", path=PATHS)
        install = [npm, "install", "--no-audit", "--no-fund", "--no-package-lock", "--prefix", ".", PACKAGE]
        subprocess.run(install, timeout=300, **options)
        (BROWSER / "unpack.mjs").write_text(UNPACK)
        subprocess.run([shutil.which("node", path=PATHS), "unpack.mjs"], timeout=120, **options)
    return str(done)


async def address_of(file):
    import anyio

    with anyio.fail_after(20):
        while not (found := re.search(r"the live view is at (http://127\.0\.0\.1:\d+/)", file.read_text())):
            await anyio.sleep(0.05)
    return found[1]


@asynccontextmanager
async def opened(chromium, address, **options):
    """A page in the browser; what it asked for, and no error on its console."""
    asked, problems = [], []
    async with async_playwright() as play:
        browser = await play.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = await browser.new_page(**options)
        page.asked = asked
        page.on("request", lambda request: asked.append(request.url))
        page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: problems.append(str(error)))
        await page.goto(address)
        yield page
        await browser.close()
    assert problems == []


@asynccontextmanager
async def recorded(calls):
    """The address of a page that shows the calls of a pipeline."""
    pipeline = Pipeline(autoload=False)

    @pipeline.tools.add
    def add(a: int, b: int) -> int:
        "Add two numbers."
        return a + b

    recorder = Recorder(pipeline.redactor.redact)
    for number in range(calls):
        params = {"name": "add" if number % 3 else "ad", "arguments": {"a": number, "b": 1 if number % 4 else "x"}}
        result = pipeline.call(params["name"], params["arguments"])
        recorder.add(params, result, {"content": [{"type": "text", "text": result.content}]})
    listener = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(app_for(recorder), log_level="error", lifespan="off")
    server = uvicorn.Server(config)
    task = asyncio.create_task(server.serve([listener]))
    yield f"http://127.0.0.1:{listener.getsockname()[1]}/"
    server.should_exit = True
    await task


async def test_the_page_shows_each_call_and_what_the_model_read(chromium, tmp_path):
    lines = tmp_path / "stderr"
    with lines.open("w") as errlog:
        words = proxied("--ui", "--name", "faulty", "--", sys.executable, FAULTY)
        async with program(*words, errlog=errlog) as client:
            address = await address_of(lines)
            read = [
                await client.call_tool("echo", {"text": NASTY}),
                await client.call_tool("ecko", {"token": "sk-live-0123456789abcdef0123"}),
                await client.call_tool("echo", {"text": 3}),
            ]
            async with opened(chromium, f"{address}calls") as page:
                await page.wait_for_selector("#calls > li:nth-child(3)")
                total = await page.locator("#totals").inner_text()
                assert total == "3 calls: 1 worked, 1 unknown tool, 1 wrong arguments"
                assert "faultyworksstarted once21 tools" in (await page.locator("#servers").inner_text()).replace(
                    "\n", ""
                )
                assert await page.locator("details[open]").count() == 0
                plain = await page.locator("body").inner_text()
                assert not re.search(r"Tool\w+Error|host:|mulligan:", plain)
                shown = []
                for one in await page.locator("#calls > li > details > summary").all():
                    await one.click()
                await expect(page.locator(".read")).to_have_count(3)
                shown = [await one.text_content() for one in await page.locator(".read").all()]
                assert shown[0] == read[2].content[0].text
                assert shown[1] == read[1].content[0].text
                assert shown[2] == NASTY.replace("\u202e", "\u27e8U+202E\u27e9")
                whole = await page.locator("body").inner_text()
                assert "/text: wrong type; expected string; got 3" in whole
                assert "ToolNotFoundError" in (await page.locator("body").text_content())
                assert "sk-live-0123456789abcdef0123" not in (await page.content())
                assert await page.title() == "mulligan: live view"
                assert await page.locator("img").count() == 0
                await page.select_option("#outcome", "!")
                assert await page.locator("#calls > li").count() == 2
                await client.call_tool("crash", {})
                await expect(page.locator("#calls > li").first).to_contain_text("crash", timeout=20_000)
                await expect(page.locator("#servers").first).to_contain_text("started 2 times", timeout=20_000)
                assert {url.split("?")[0] for url in page.asked} == {
                    address + "calls",
                    address + "state",
                    *(f"{address}calls/{number}" for number in (1, 2, 3)),
                }
            refused_by_name(address)


async def test_with_the_ledger_the_page_is_its_report_below_the_servers(chromium, tmp_path):
    config = tmp_path / "mcp.json"
    entry = {"command": sys.executable, "args": [FAULTY]}
    config.write_text(json.dumps({"mcpServers": {"<b>one": entry, "bad": {"command": "no-such-program"}}}))
    lines = tmp_path / "stderr"
    narrow = {"viewport": {"width": 360, "height": 640}, "color_scheme": "dark"}
    with lines.open("w") as errlog:
        async with program(*proxied("--ui", "--config", str(config)), errlog=errlog) as client:
            address = await address_of(lines)
            async with opened(chromium, address, **narrow) as page:
                assert await page.title() == "Tool calls in calls.db"
                first, second = await page.locator("main section:first-child tbody tr").all_inner_texts()
                assert first.split("\t") == ["<b>one", "works", "1", "21"]
                assert second.startswith("bad\tdoes not work: The MCP server 'bad' cannot be used: the program no-such")
                (name,) = [one.name for one in (await client.list_tools()).tools if one.name.endswith("echo")]
                await client.call_tool(name, {"text": 1})
                token = {"text": NASTY, "token": "sk-live-0123456789abcdef0123"}
                read = await client.call_tool(name, token)
                await expect(page.locator(".talk summary")).to_contain_text("2 calls, 2 failed", timeout=20_000)
                await page.locator(".talk summary").click()
                shown = page.locator('pre[aria-label="what the model read"]').last
                assert await shown.inner_text() == read.content[0].text
                assert "sk-live-0123456789abcdef0123" not in (await page.content())
                assert await page.locator("img").count() == 0
                assert await page.evaluate("document.documentElement.scrollWidth") <= 360
                await page.get_by_role("link", name="Each call as it comes").click()
                await expect(page.locator("#calls > li")).to_have_count(2)
                await page.get_by_role("link", name="Report", exact=True).click()
                assert page.url == address
            refused_by_name(address)
            files = [path for path in pathlib.Path(tempfile.gettempdir()).glob("mulligan-*/calls.db")]
            assert files
            assert {path.stat().st_mode & 0o777 for path in files} == {0o600}
    assert not any(path.exists() for path in files)


async def test_a_ledger_that_the_user_keeps_is_shown_and_stays(chromium, tmp_path):
    lines, kept = tmp_path / "stderr", tmp_path / "kept.db"
    words = proxied("--ui", "--", sys.executable, FAULTY)
    for calls in (1, 2):
        with lines.open("w") as errlog:
            async with program(*words, errlog=errlog, env={"MULLIGAN_LEDGER": str(kept)}) as client:
                async with opened(chromium, await address_of(lines)) as page:
                    assert await page.title() == "Tool calls in kept.db"
                    await client.call_tool("pid", {})
                    card = page.locator(".cards dd").first
                    await expect(card).to_have_text(str(calls), timeout=20_000)
    assert kept.exists()


async def test_without_the_ledger_the_page_is_the_list_of_calls(chromium, tmp_path):
    lines = tmp_path / "stderr"
    without = "import sys; sys.modules['mulligan_ledger'] = None; from mulligan_proxy.cli import main; main()"
    with lines.open("w") as errlog:
        async with program(sys.executable, "-c", without, "--ui", "--", sys.executable, FAULTY, errlog=errlog):
            async with opened(chromium, await address_of(lines)) as page:
                assert await page.title() == "mulligan: live view"
                await expect(page.locator("#servers")).to_contain_text("works")
                assert await page.get_by_role("link", name="Report").count() == 0


async def test_a_server_that_does_not_work_is_shown_with_the_reason(chromium, tmp_path):
    config = tmp_path / "mcp.json"
    config.write_text(
        json.dumps(
            {
                "mcpServers": {
                    "bad": {"command": "no-such-program"},
                    "good": {"command": sys.executable, "args": [FAULTY]},
                }
            }
        )
    )
    lines = tmp_path / "stderr"
    with lines.open("w") as errlog:
        async with program(*proxied("--ui", "--config", str(config)), errlog=errlog):
            async with opened(chromium, f"{await address_of(lines)}calls") as page:
                await expect(page.locator("#servers li")).to_have_count(2)
                bad, good = await page.locator("#servers li").all_inner_texts()
                assert "does not work" in bad
                assert "the program no-such-program was not found. Install it" in bad
                assert "works" in good


async def test_the_filters_narrow_the_list_and_all_can_be_saved(chromium):
    async with recorded(24) as address, opened(chromium, address) as page:
        await page.wait_for_selector("#calls > li:nth-child(24)")
        assert await page.locator("#totals").inner_text() == "24 calls: 12 worked, 8 unknown tool, 4 wrong arguments"
        await page.select_option("#tool", "ad")
        assert await page.locator("#matches").inner_text() == "8 of 24 calls match"
        await page.select_option("#tool", "")
        await page.select_option("#outcome", "wrong arguments")
        assert await page.locator("#calls > li").count() == 4
        await page.select_option("#outcome", "")
        await page.fill("#text", '"a": 23')
        assert await page.locator("#matches").inner_text() == "1 of 24 call matches"
        async with page.expect_download() as download:
            await page.get_by_text("Save all as JSON").click()
        assert (await download.value).suggested_filename == "mulligan-calls.json"
        saved = json.loads(pathlib.Path(await (await download.value).path()).read_text())
        assert len(saved["calls"]) == saved["count"] == 24
        assert saved["calls"][0]["read"].startswith("Error: Tool 'ad' not found.")


async def test_everything_can_be_reached_with_the_keyboard(chromium):
    async with recorded(2) as address, opened(chromium, address) as page:
        await page.wait_for_selector("#calls > li:nth-child(2)")
        reached = []
        for _ in range(7):
            await page.keyboard.press("Tab")
            reached.append(await page.evaluate("document.activeElement.id || document.activeElement.tagName"))
        assert reached == ["server", "tool", "outcome", "text", "A", "SUMMARY", "SUMMARY"]
        outline = await page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert outline == "solid"
        await page.keyboard.press("Enter")
        await page.wait_for_selector(".read")
        assert await page.locator("#calls details[open] > summary").first.is_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_a_narrow_window_needs_no_sideways_scrolling_and_text_can_be_read(chromium, scheme):
    options = {"viewport": {"width": 360, "height": 640}, "color_scheme": scheme}
    async with recorded(3) as address, opened(chromium, address, **options) as page:
        await page.wait_for_selector("#calls > li:nth-child(3)")
        for one in await page.locator("#calls > li > details > summary").all():
            await one.click()
        await expect(page.locator(".read")).to_have_count(3)
        assert await page.evaluate("document.documentElement.scrollWidth") <= 360
        for kind in (".good", ".bad", "summary b"):
            assert await page.evaluate(CONTRAST, kind) >= 4.5, kind


async def test_ten_thousand_calls_are_shown_a_part_at_a_time(chromium):
    async with recorded(10_050) as address, opened(chromium, address) as page:
        await expect(page.locator("#totals").first).to_contain_text("10050 calls", timeout=20_000)
        assert await page.locator("#calls > li").count() == 200
        assert await page.locator("#matches").inner_text() == "10000 calls match"
        await page.click("#more")
        assert await page.locator("#calls > li").count() == 400
        await page.fill("#text", '"a": 51,')
        assert await page.locator("#calls > li").count() == 1
        await page.locator("#calls summary").first.click()
        await page.wait_for_selector(".sent")
        assert '"a": 51,' in await page.locator(".sent").inner_text()


CONTRAST = """selector => {
  const light = color => {
    const [r, g, b] = color.match(/[\\d.]+/g).slice(0, 3).map(one => one / 255)
      .map(one => one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
  const canvas = document.createElement("div")
  canvas.style.color = "Canvas"
  document.body.append(canvas)
  const values = [getComputedStyle(document.querySelector(selector)).color, getComputedStyle(canvas).color].map(light)
  canvas.remove()
  return (Math.max(...values) + 0.05) / (Math.min(...values) + 0.05)
}"""


def refused_by_name(address):
    """No page of another name can read it, though that name leads to this machine."""
    request = urllib.request.Request(address + "state", headers={"Host": "evil.example"})
    with pytest.raises(urllib.error.HTTPError) as caught:
        urllib.request.urlopen(request, timeout=5)
    caught.value.close()
    assert caught.value.code == 400
    with urllib.request.urlopen(f"{address}calls", timeout=5) as answer:
        assert "default-src 'none'" in answer.headers["Content-Security-Policy"]


async def test_it_is_off_by_default(tmp_path):
    lines = tmp_path / "stderr"
    with lines.open("w") as errlog:
        async with program(*proxied("--", sys.executable, FAULTY), errlog=errlog) as client:
            await client.call_tool("echo", {"text": "x"})
        assert "live view" not in lines.read_text()


async def test_a_variable_turns_it_on(tmp_path):
    lines = tmp_path / "stderr"
    with lines.open("w") as errlog:
        async with program(*proxied("--", sys.executable, FAULTY), errlog=errlog, env={"MULLIGAN_UI": "1"}):
            assert await address_of(lines)
