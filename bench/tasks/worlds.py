"""The worlds in which tasks are done: real files, SQLite, HTTP on 127.0.0.1, git, and an MCP server; each with its state."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import threading
from collections.abc import Mapping
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import attrs

HERE = Path(__file__).parent
TOOLSETS: dict[str, dict[str, Any]] = json.loads((HERE / "toolsets.json").read_text(encoding="utf-8"))
HTTP_SECONDS = 2
GIT_ENVIRONMENT = {
    "PATH": os.environ.get("PATH", ""),
    "HOME": "/nonexistent",
    "GIT_CONFIG_NOSYSTEM": "1",
    **{f"GIT_{who}_{what}": "bench" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
    "GIT_AUTHOR_DATE": "2026-01-01T00:00:00Z",
    "GIT_COMMITTER_DATE": "2026-01-01T00:00:00Z",
}
State = dict[str, Any]


@attrs.frozen
class ToolSpec:
    """A tool as its author declares it. Every arm gets the same ones."""

    name: str
    description: str
    parameters: dict[str, Any]
    read_only: bool = False
    idempotent: bool = False
    destructive: bool = False


class World:
    """One fresh world in an empty folder. Its tools are methods; they raise what their library raises."""

    def __init__(self, toolset: str, root: Path) -> None:
        self.toolset, self.root = toolset, root
        self.start: State = TOOLSETS[toolset]["start"]
        self.specs = {one["name"]: ToolSpec(**one) for one in TOOLSETS[toolset]["tools"]}

    def run(self, name: str, arguments: Mapping[str, Any]) -> Any:
        """Run a tool once."""
        return getattr(self, name)(**arguments)

    def state(self) -> State:
        """What there is, item by item; white space at the end of a text does not count."""
        raise NotImplementedError

    def close(self) -> None:
        """End what was started."""


def write_start(root: Path, start: State) -> None:
    """Make the folders and files of a start."""
    for key, value in start.items():
        kind, _, path = key.partition(":")
        if kind == "folder":
            (root / path).mkdir(parents=True, exist_ok=True)
        elif kind == "file":
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(value + "\n", encoding="utf-8")


def read_files(root: Path) -> State:
    """The folders and files below a folder, without git's own."""
    found: State = {}
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if name.split("/")[0] == ".git":
            continue
        found[f"folder:{name}" if path.is_dir() else f"file:{name}"] = True if path.is_dir() else _text(path)
    return found


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace").rstrip()


class Files(World):
    """A folder of text files."""

    def __init__(self, root: Path) -> None:
        super().__init__("files", root)
        write_start(root, self.start)

    def state(self) -> State:
        """Folders and files."""
        return read_files(self.root)

    def _path(self, path: str) -> Path:
        found = (self.root / path).resolve()
        if not found.is_relative_to(self.root.resolve()):
            raise PermissionError(f"{path} is outside the workspace")
        return found

    def list_files(self, folder: str) -> str:
        """Names, one a line."""
        return "\n".join(sorted(one.name for one in self._path(folder).iterdir())) or "(empty)"

    def read_file(self, path: str) -> str:
        """The text."""
        return self._path(path).read_text(encoding="utf-8")

    def write_file(self, path: str, text: str) -> str:
        """Replace or create."""
        self._path(path).write_text(text.rstrip("\n") + "\n", encoding="utf-8")
        return f"{path} is written."

    def append_line(self, path: str, line: str) -> str:
        """Only to a file that exists."""
        with self._path(path).open("r+", encoding="utf-8") as file:
            file.seek(0, os.SEEK_END)
            file.write(line.rstrip("\n") + "\n")
        return f"One line is added to {path}."

    def move_file(self, path: str, new_path: str) -> str:
        """As `rename` does, but never over another file."""
        target = self._path(new_path)
        if target.exists():
            raise FileExistsError(f"{new_path} exists already")
        self._path(path).rename(target)
        return f"{path} is now {new_path}."

    def delete_file(self, path: str) -> str:
        """One file."""
        self._path(path).unlink()
        return f"{path} is deleted."


class Shop(World):
    """A database with products and orders."""

    def __init__(self, root: Path) -> None:
        super().__init__("shop", root)
        self._database = sqlite3.connect(root / "shop.db", check_same_thread=False, isolation_level=None)
        self._database.executescript(
            "pragma foreign_keys = on;"
            "create table products (id integer primary key, name text unique, price real, stock integer"
            " check (stock >= 0)) strict;"
            "create table orders (id integer primary key, product_id integer not null references products (id),"
            " quantity integer check (quantity > 0), status text) strict;"
        )
        for key, row in self.start.items():
            table, _, id = key.partition(":")
            self._database.execute(f"insert into {table} values (?, ?, ?, ?)", [int(id), *row])

    def state(self) -> State:
        """Every row."""
        rows = {table: self._database.execute(f"select * from {table}").fetchall() for table in ("products", "orders")}
        return {f"{table}:{row[0]}": list(row[1:]) for table, found in rows.items() for row in found}

    def close(self) -> None:
        """Close the database."""
        self._database.close()

    def _one(self, what: str, query: str, *values: Any) -> dict[str, Any]:
        with closing(self._database.execute(query, values)) as cursor:
            row = cursor.fetchone()
            if row is None:
                raise LookupError(f"There is no {what}.")
            return dict(zip([column[0] for column in cursor.description], row, strict=True))

    def find_product(self, name: str) -> dict[str, Any]:
        """One row of products."""
        return self._one(f"product with the name {name!r}", "select * from products where name = ?", name)

    def get_order(self, order_id: int) -> dict[str, Any]:
        """One row of orders."""
        return self._one(f"order with the id {order_id}", "select * from orders where id = ?", order_id)

    def list_orders(self, status: str) -> list[dict[str, Any]]:
        """Ids, products and quantities."""
        found = self._database.execute("select id, product_id, quantity from orders where status = ?", [status])
        return [{"id": id, "product_id": product, "quantity": quantity} for id, product, quantity in found]

    def add_order(self, product_id: int, quantity: int) -> str:
        """A new row; its status is new."""
        query = "insert into orders (product_id, quantity, status) values (?, ?, 'new')"
        return f"Order {self._database.execute(query, [product_id, quantity]).lastrowid} is added."

    def set_status(self, order_id: int, status: str) -> str:
        """One field."""
        self.get_order(order_id)
        self._database.execute("update orders set status = ? where id = ?", [status, order_id])
        return f"Order {order_id} is now {status}."

    def add_stock(self, product_id: int, pieces: int) -> str:
        """One field."""
        self._one(f"product with the id {product_id}", "select * from products where id = ?", product_id)
        self._database.execute("update products set stock = stock + ? where id = ?", [pieces, product_id])
        row = self._one("product", "select stock from products where id = ?", product_id)
        return f"Product {product_id} has {row['stock']} pieces now."

    def delete_order(self, order_id: int) -> str:
        """One row."""
        self.get_order(order_id)
        self._database.execute("delete from orders where id = ?", [order_id])
        return f"Order {order_id} is deleted."


class ApiError(Exception):
    """An answer of the ticket service that is an error, as a small client raises it."""

    def __init__(self, status_code: int, reason: str, text: str, headers: Mapping[str, str]) -> None:
        super().__init__(f"{status_code} {reason}: {text}")
        self.status_code, self.text, self.headers = status_code, text, dict(headers)


class _Service(BaseHTTPRequestHandler):
    server: _Server

    def do_GET(self) -> None:
        """A ticket, or all of a state."""
        path, _, query = self.path.partition("?")
        tickets = self.server.tickets
        if path == "/tickets":
            wanted = query.removeprefix("state=")
            found = {key: one for key, one in tickets.items() if one["state"] == wanted}
            self._answer(200, [{"number": key, "title": one["title"]} for key, one in found.items()])
        else:
            self._with_ticket(lambda number: {"number": number, **tickets[number]})

    def do_POST(self) -> None:
        """A new ticket, or a change of one."""
        sent = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        tickets = self.server.tickets
        if self.path == "/tickets":
            number = max(tickets) + 1
            tickets[number] = {**sent, "state": "open", "person": "", "comments": []}
            self._answer(201, f"Ticket {number} is created.")
            return

        def change(number: int) -> str:
            if "comment" in sent:
                tickets[number]["comments"].append(sent["comment"])
                return f"The comment is added to ticket {number}."
            tickets[number].update(sent)
            return f"Ticket {number} is changed: {', '.join(f'{key} is {value}' for key, value in sent.items())}."

        self._with_ticket(change)

    def _with_ticket(self, use: Any) -> None:
        number = int(self.path.rpartition("/")[2])
        if number in self.server.tickets:
            self._answer(200, use(number))
        else:
            self._answer(404, f"There is no ticket {number}.")

    def _answer(self, status: int, value: Any) -> None:
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Print nothing."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, tickets: dict[int, dict[str, Any]]) -> None:
        super().__init__(("127.0.0.1", 0), _Service)
        self.tickets = tickets


class Tickets(World):
    """A ticket service over HTTP on 127.0.0.1. It ends with the world, and with the process at the latest."""

    def __init__(self, root: Path) -> None:
        super().__init__("tickets", root)
        copied = json.loads(json.dumps(self.start))
        self._server = _Server({int(key.partition(":")[2]): one for key, one in copied.items()})
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    def state(self) -> State:
        """Every ticket."""
        return {f"ticket:{number}": json.loads(json.dumps(one)) for number, one in self._server.tickets.items()}

    def close(self) -> None:
        """Stop the service."""
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def _fetch(self, path: str, body: dict[str, Any] | None = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = Request(f"http://127.0.0.1:{self._server.server_port}{path}", data)
        try:
            with urlopen(request, timeout=HTTP_SECONDS) as response:
                return json.loads(response.read())
        except HTTPError as error:
            raise ApiError(error.code, error.reason, json.loads(error.read()), error.headers) from None

    def list_tickets(self, state: str) -> Any:
        """Numbers and titles."""
        return self._fetch(f"/tickets?state={state}")

    def get_ticket(self, number: int) -> Any:
        """All fields."""
        return self._fetch(f"/tickets/{number}")

    def create_ticket(self, title: str, priority: str) -> Any:
        """It gets the next number."""
        return self._fetch("/tickets", {"title": title, "priority": priority})

    def add_comment(self, number: int, text: str) -> Any:
        """At the end."""
        return self._fetch(f"/tickets/{number}", {"comment": text})

    def assign_ticket(self, number: int, person: str) -> Any:
        """One field."""
        return self._fetch(f"/tickets/{number}", {"person": person})

    def close_ticket(self, number: int) -> Any:
        """One field."""
        return self._fetch(f"/tickets/{number}", {"state": "closed"})


class Git(World):
    """A git repository, through the program `git`."""

    def __init__(self, root: Path) -> None:
        super().__init__("git", root)
        self._git("init", "--quiet", "--initial-branch=main")
        write_start(root, {"file:README.md": self.start["file:README.md"]})
        self._commit("Start")
        self._git("tag", "v1.0")
        self._git("branch", "old-idea")
        write_start(root, {"file:app.txt": self.start["file:app.txt"]})
        self._commit("Add app")

    def _git(self, *words: str) -> str:
        done = subprocess.run(
            ["git", *words], cwd=self.root, env=GIT_ENVIRONMENT, check=True, capture_output=True, text=True, timeout=20
        )
        return done.stdout.strip()

    def _commit(self, message: str) -> None:
        self._git("add", "--all")
        self._git("commit", "--quiet", "--message", message)

    def state(self) -> State:
        """Files, and the subjects that each branch and tag leads to."""
        found = read_files(self.root)
        form = "%(refname) %(contents:subject)"
        for line in self._git("for-each-ref", f"--format={form}").splitlines():
            ref, _, subject = line.partition(" ")
            _, kind, name = ref.split("/", 2)
            if kind == "tags":
                found[f"tag:{name}"] = subject
            else:
                found[f"branch:{name}"] = self._git("log", "--format=%s", name).splitlines()
        return found

    def show_log(self, limit: int) -> str:
        """Subjects, the newest first."""
        return self._git("log", f"--max-count={limit}", "--format=%s")

    def list_branches(self) -> str:
        """Names, one a line."""
        return self._git("branch", "--format=%(refname:short)")

    def show_file(self, path: str) -> str:
        """As it is in the last commit."""
        return self._git("show", f"HEAD:{path}")

    def commit_file(self, path: str, text: str, message: str) -> str:
        """Fails if nothing has changed."""
        target = (self.root / path).resolve()
        if not target.is_relative_to(self.root.resolve()):
            raise PermissionError(f"{path} is outside the repository")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text.rstrip("\n") + "\n", encoding="utf-8")
        self._commit(message)
        return f"{path} is committed."

    def create_branch(self, branch: str) -> str:
        """At HEAD."""
        self._git("branch", "--", branch)
        return f"Branch {branch} is created."

    def delete_branch(self, branch: str) -> str:
        """Also one that is not merged."""
        self._git("branch", "--delete", "--force", "--", branch)
        return f"Branch {branch} is deleted."

    def add_tag(self, tag: str) -> str:
        """At HEAD."""
        self._git("tag", "--", tag)
        return f"Tag {tag} is added."


WORLDS = {"files": Files, "shop": Shop, "tickets": Tickets, "git": Git}
