"""`mulligan report --serve`: the page of a running program, for this machine only."""

from __future__ import annotations

import html
import threading
import urllib.error
import urllib.request

import pytest
from conftest import read_file
from mulligan_ledger import Ledger
from mulligan_ledger.serve import Server

from mulligan import Pipeline
from mulligan.cli.app import run


@pytest.fixture
def running(path):
    """A pipeline that records, and the server of its report."""
    ledger = Ledger(path, durable=True)
    pipeline = Pipeline([read_file], plugins=[ledger], autoload=False)
    pipeline.session("talk").call("read_file", {"path": "missing"})
    server = Server(str(path))
    thread = threading.Thread(target=server.run)
    thread.start()
    yield pipeline, server
    server.close()
    thread.join()
    pipeline.close()
    ledger.close()


def get(url, **headers):
    try:
        with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=10) as answer:
            return answer.status, answer.headers, answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.headers, error.read().decode()


def test_the_page_follows_the_program(running):
    pipeline, server = running
    status, headers, text = get(server.url)
    before = get(server.url + "version")[2]
    pipeline.session("talk-nine").call("read_file", {"path": "gone-missing"})

    assert (status, "talk" in text, "talk-nine" in text) == (200, True, False)
    assert headers["Cache-Control"] == "no-store"
    assert "connect-src 'self'" in html.unescape(text)
    assert get(server.url + "version")[2] != before
    assert "talk-nine" in get(server.url)[2]


def test_only_the_whole_address_and_only_this_machine(running):
    _, server = running
    root = server.url.rpartition("/")[0].rpartition("/")[0]

    assert server.url.startswith("http://127.0.0.1:")
    assert get(root + "/")[0] == 404
    assert get(root + "/version")[0] == 404
    assert get(server.url, Host="evil.example:80")[0] == 403


def test_a_ledger_that_is_not_there_and_a_port_that_is_taken(path, capsys, running):
    assert run(["report", str(path) + "x", "--serve"]) == 2
    assert "no such file" in capsys.readouterr().err
    port = running[1].url.split(":")[2].split("/")[0]
    assert run(["report", str(path), "--serve", "--port", port]) == 2
    assert "choose another port" in capsys.readouterr().err
