"""The six official servers, and requests that work with each of their tools, resources and prompts."""

from __future__ import annotations

import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import attrs

LISTS = [{"method": f"{name}/list"} for name in ("tools", "resources", "resources/templates", "prompts")]
NAMES = ("filesystem", "memory", "sequential-thinking", "everything", "fetch", "git")
SCRIPTS = pathlib.Path(sys.executable).parent
MOMENT = "2026-01-02T03:04:05+0000"
PAGE = b"Green, black & white tea."  # plain: to make text of HTML, the server needs a program of npm
_TIME = re.compile(
    r"\d+:\d+:\d+ [AP]M"  # when a resource was made
    r"|(?<=created: )[^\\]+|(?<=modified: )[^\\]+|(?<=accessed: )[^\\]+"  # and a file
    r"|\bUmVzb3VyY2Ug[\w+/=]+"  # "Resource ... created at ...", in base64
)


@attrs.frozen
class Case:
    """A server and what it is asked.

    Attributes:
        words: what starts it.
        requests: requests that work, in an order in which they do.
        env: what its environment needs.
        folder: the folder that it works on.
        is_repository: whether that is one of git.
    """

    words: tuple[str, ...]
    requests: list[dict]
    env: dict[str, str]
    folder: pathlib.Path
    is_repository: bool = False

    def prepare(self) -> None:
        """Makes the folder as it is before the first request."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        (self.folder / "a.txt").write_text("alpha\u2028\u00e9\nbeta\n", "utf-8")
        (self.folder / "p.png").write_bytes(b"\x89PNG\r\n\x1a\n")
        if self.is_repository:
            git("init", "-q", "-b", "main", cwd=self.folder)
            git("config", "user.name", "Aria", cwd=self.folder)
            git("config", "user.email", "aria@example.com", cwd=self.folder)
            git("add", "p.png", cwd=self.folder)
            git("commit", "-q", "-m", "first", cwd=self.folder)


def git(*words: str, cwd: pathlib.Path) -> None:
    """Runs git at a fixed moment, so that its hashes are the same each time."""
    subprocess.run(["git", *words], check=True, cwd=cwd, env={**os.environ, **_DATES})


_DATES = {"GIT_AUTHOR_DATE": MOMENT, "GIT_COMMITTER_DATE": MOMENT}


def timeless(text: str) -> str:
    """The text without the moments at which files and resources were made."""
    return _TIME.sub("", text)


def tool(name: str, /, **arguments: object) -> dict:
    """A call."""
    return {"method": "tools/call", "params": {"name": name, "arguments": arguments}}


def prompt(name: str, /, **arguments: str) -> dict:
    """A prompt asked for."""
    return {"method": "prompts/get", "params": {"name": name, "arguments": arguments}}


def resource(uri: str) -> dict:
    """A resource read."""
    return {"method": "resources/read", "params": {"uri": uri}}


def write_program(path: pathlib.Path, words: Iterable[str]) -> pathlib.Path:
    """Writes a program that starts a server: the inspector takes the server's own options for those of the proxy."""
    path.write_text(f"#!/bin/sh\nexec {shlex.join(words)}\n")
    path.chmod(0o700)
    return path


def case_of(name: str, programs: pathlib.Path, folder: pathlib.Path, page: str) -> Case:
    """A server and requests for it.

    Args:
        name: one of `NAMES`.
        programs: the folder of the npm packages' programs.
        folder: where it may work.
        page: the address of a web page.
    """
    is_python = name in ("fetch", "git")
    words = [str((SCRIPTS if is_python else programs) / f"mcp-server-{name}")]
    env = {"MEMORY_FILE_PATH": str(folder / "memory.jsonl"), **_DATES}
    words += {"filesystem": [str(folder)], "fetch": ["--allow-private-ips"]}.get(name, [])
    requests = _REQUESTS[name](str(folder), page)
    return Case(tuple(words), requests, env, folder, name == "git")


def _filesystem(folder: str, page: str) -> list[dict]:
    text, new = f"{folder}/a.txt", f"{folder}/new/b.txt"
    return [
        tool("list_allowed_directories"),
        tool("read_file", path=text),
        tool("read_text_file", path=text),
        tool("read_text_file", path=text, head=1),
        tool("read_media_file", path=f"{folder}/p.png"),
        tool("read_multiple_files", paths=[text, f"{folder}/missing.txt"]),
        tool("create_directory", path=f"{folder}/new"),
        tool("write_file", path=new, content="one\ntwo \u00e9\u2028\n"),
        tool("edit_file", path=new, edits=[{"oldText": "one", "newText": "1"}], dryRun=True),
        tool("edit_file", path=new, edits=[{"oldText": "one", "newText": "1"}]),
        tool("list_directory", path=folder),
        tool("list_directory_with_sizes", path=folder, sortBy="size"),
        tool("directory_tree", path=folder),
        tool("move_file", source=new, destination=f"{folder}/c.txt"),
        tool("search_files", path=folder, pattern="*.txt"),
        tool("get_file_info", path=text),
    ]


def _memory(folder: str, page: str) -> list[dict]:
    aria = {"name": "Aria", "entityType": "person", "observations": ["sings"]}
    oslo = {"name": "Oslo", "entityType": "city", "observations": []}
    relation = {"from": "Aria", "to": "Oslo", "relationType": "lives in"}
    return [
        tool("create_entities", entities=[aria, oslo]),
        tool("create_relations", relations=[relation]),
        tool("add_observations", observations=[{"entityName": "Aria", "contents": ["dances \u00e9"]}]),
        tool("read_graph"),
        tool("search_nodes", query="Aria"),
        tool("open_nodes", names=["Aria"]),
        resource("memory://knowledge-graph"),
        tool("delete_observations", deletions=[{"entityName": "Aria", "observations": ["sings"]}]),
        tool("delete_relations", relations=[relation]),
        tool("delete_entities", entityNames=["Oslo"]),
        tool("read_graph"),
    ]


def _sequential_thinking(folder: str, page: str) -> list[dict]:
    thought = {"thought": "first", "nextThoughtNeeded": True, "thoughtNumber": 1, "totalThoughts": 2}
    return [tool("sequentialthinking", **thought)]


def _everything(folder: str, page: str) -> list[dict]:
    documents = ("architecture", "extension", "features", "how-it-works", "instructions", "startup", "structure")
    return [
        tool("echo", message="\u00e9\u2028"),
        tool("get-sum", a=1, b=2.5),
        tool("get-env"),
        tool("get-tiny-image"),
        tool("get-structured-content", location="Chicago"),
        tool("get-annotated-message", messageType="error", includeImage=True),
        tool("get-resource-links", count=3),
        tool("get-resource-reference", resourceType="Text", resourceId=1),
        tool("gzip-file-as-resource", name="t.gz", data="data:text/plain,tea", outputType="resource"),
        tool("toggle-simulated-logging"),
        tool("toggle-subscriber-updates"),
        tool("toggle-simulated-logging"),  # off again: it keeps the server from ending
        tool("toggle-subscriber-updates"),
        tool("trigger-long-running-operation", duration=0.1, steps=2),
        prompt("simple-prompt"),
        prompt("args-prompt", city="Oslo"),
        prompt("completable-prompt", department="Engineering", name="Alice"),
        prompt("resource-prompt", resourceType="Text", resourceId="1"),
        resource("demo://resource/dynamic/text/1"),
        resource("demo://resource/dynamic/blob/2"),
        *(resource(f"demo://resource/static/document/{one}.md") for one in documents),
    ]


def _fetch(folder: str, page: str) -> list[dict]:
    return [tool("fetch", url=page), tool("fetch", url=page, raw=True, max_length=20), prompt("fetch", url=page)]


def _git(folder: str, page: str) -> list[dict]:
    repo = {"repo_path": folder}
    return [
        tool("git_status", **repo),
        tool("git_add", **repo, files=["a.txt"]),
        tool("git_diff_staged", **repo),
        tool("git_reset", **repo),
        tool("git_add", **repo, files=["a.txt"]),
        tool("git_commit", **repo, message="second \u00e9"),
        tool("git_log", **repo, max_count=2),
        tool("git_show", **repo, revision="HEAD"),
        tool("git_diff", **repo, target="HEAD~1"),
        tool("git_diff_unstaged", **repo),
        tool("git_create_branch", **repo, branch_name="tea"),
        tool("git_checkout", **repo, branch_name="tea"),
        tool("git_branch", **repo, branch_type="local"),
    ]


_REQUESTS = {
    "filesystem": _filesystem,
    "memory": _memory,
    "sequential-thinking": _sequential_thinking,
    "everything": _everything,
    "fetch": _fetch,
    "git": _git,
}


@contextmanager
def web_page() -> Iterator[str]:
    """The address of a web page, served while the block runs."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path != "/tea":
                self.send_error(404)
                return
            self.send_response(200)
            self.send_header("Content-Type", "text/plain")
            self.send_header("Content-Length", str(len(PAGE)))
            self.end_headers()
            self.wfile.write(PAGE)

        def log_message(self, *about: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/tea"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def inspector_options(request: dict) -> list[str]:
    """A request as options of the inspector's command line."""
    params = request.get("params", {})
    pairs = [
        f"{key}={value if isinstance(value, str) else json.dumps(value)}"
        for key, value in params.get("arguments", {}).items()
    ]
    options = {
        "tools/call": (["--tool-name"], "--tool-arg"),
        "prompts/get": (["--prompt-name"], "--prompt-args"),
    }
    words = ["--method", request["method"]]
    if request["method"] in options:
        (name,), argument = options[request["method"]]
        words += [name, params["name"], *(word for pair in pairs for word in (argument, pair))]
    elif "uri" in params:
        words += ["--uri", params["uri"]]
    return words
