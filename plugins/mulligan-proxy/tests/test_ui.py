"""The live view, in a real browser."""

from __future__ import annotations

import os
import pathlib
import re
import shutil
import subprocess
import sys
import urllib.error
import urllib.request

import pytest
from conftest import FAULTY, PATHS, program, proxied
from playwright.async_api import async_playwright

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


async def test_the_page_shows_each_call_and_what_the_model_was_told(chromium, tmp_path):
    lines = tmp_path / "stderr"
    asked = []
    with lines.open("w") as errlog:
        words = proxied("--ui", "--name", "faulty", "--", sys.executable, FAULTY)
        async with program(*words, errlog=errlog) as client, async_playwright() as play:
            address = await address_of(lines)
            told = [
                await client.call_tool("echo", {"text": NASTY}),
                await client.call_tool("ecko", {"token": "sk-live-0123456789abcdef0123"}),
                await client.call_tool("echo", {"text": 3}),
            ]
            browser = await play.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
            page = await browser.new_page()
            page.on("request", lambda request: asked.append(request.url))
            problems = []
            page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
            page.on("pageerror", lambda error: problems.append(str(error)))
            await page.goto(address)
            await page.wait_for_selector("#calls > li:nth-child(3)")
            assert await page.locator("#numbers").inner_text() == "3 calls, 2 of the 3 seen here failed"
            shown = [await one.text_content() for one in await page.locator(".told").all()]
            assert shown[0] == told[2].content[0].text
            assert shown[1] == told[1].content[0].text
            assert shown[2] == NASTY.replace("\u202e", "\u27e8U+202E\u27e9")
            whole = await page.locator("body").inner_text()
            assert "/text: wrong type; expected string; got 3" in whole
            assert "ToolNotFoundError" in whole
            assert "sk-live-0123456789abcdef0123" not in whole
            assert await page.title() == "mulligan: live view"
            assert await page.locator("img").count() == 0
            await page.check("#only")
            assert await page.locator("#calls > li:visible").count() == 2
            later = await client.call_tool("echo", {"text": "later"})
            assert not later.is_error
            await page.uncheck("#only")
            await page.wait_for_selector("#calls > li:nth-child(4)")
            await page.screenshot(path=str(tmp_path / "page.png"), full_page=True)
            await browser.close()
            assert problems == []
            assert {url.split("?")[0] for url in asked} == {address, address + "calls"}
            refused_by_name(address)


def refused_by_name(address):
    """No page of another name can read it, though that name leads to this machine."""
    request = urllib.request.Request(address + "calls", headers={"Host": "evil.example"})
    with pytest.raises(urllib.error.HTTPError) as caught:
        urllib.request.urlopen(request, timeout=5)
    caught.value.close()
    assert caught.value.code == 400
    with urllib.request.urlopen(address, timeout=5) as answer:
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
