"""What the page is served with: no secret is in it."""

from __future__ import annotations

import json

import pytest
from conftest import inside
from mulligan_proxy import ServerSpec
from mulligan_proxy.ui import Recorder

from mulligan import Pipeline, Tool


def log_in(user: str, pin: str | int = "") -> str:
    """Log in."""
    raise ValueError(f"wrong pin {pin}")


@pytest.mark.parametrize("secret", ["swordfish", "911", 911, 48291377])
@pytest.mark.parametrize(
    ("name", "shape"),
    [
        ("log_in", lambda secret: {"user": "ann", "pin": secret}),
        ("log_im", lambda secret: {"user": "ann", "pin": secret}),
        ("log_in", lambda secret: {"user": "ann", "pni": secret}),
        ("log_in", lambda secret: {"user": "ann", "pin": {"value": secret}}),
        ("log_in", lambda secret: {"arguments": {"user": "ann", "pin": secret}}),
    ],
)
def test_no_secret_argument_is_on_the_page(name, shape, secret):
    pipeline = Pipeline([Tool.from_function(log_in, secret="pin")], autoload=False)
    recorder, arguments = Recorder(pipeline.redactor.redact), shape(secret)
    result = pipeline.session().call(name, arguments)
    answer = {"isError": True, "content": [{"type": "text", "text": result.content}]}
    recorder.add({"name": name, "arguments": arguments}, result, answer)
    (call,) = recorder.export()["calls"]
    served = json.dumps([{**call, "time": 0, "seconds": 0}, recorder.details(1)])
    assert str(secret) not in served
    assert set(json.loads(call["arguments"])) == set(arguments)


def test_arguments_without_a_secret_are_on_the_page():
    def log_in(user: str, pin: str) -> str:
        """Log in."""
        return "welcome"

    pipeline = Pipeline([Tool.from_function(log_in, secret="pin")], autoload=False)
    recorder, arguments = Recorder(pipeline.redactor.redact), {"user": "ann", "pin": "swordfish"}
    result = pipeline.call("log_in", arguments)
    recorder.add({"name": "log_in", "arguments": arguments}, result, {"content": []})
    assert json.loads(recorder.details(1)["arguments"]) == {"user": "ann", "pin": "[redacted]"}


@pytest.mark.anyio
async def test_why_a_server_does_not_work_shows_no_secret():
    token = f"ghp_{'A1b2C3d4E5' * 4}"
    recorder = Recorder(Pipeline(autoload=False).redactor.redact)
    spec = ServerSpec(name="web", kind="http", url=f"no address {token}")
    with pytest.raises(ExceptionGroup):
        async with inside(spec, watch=recorder):
            pass
    (server,) = recorder.export()["servers"]
    assert server["state"] == "failed"
    assert token not in server["why"]
    assert "is not the address of a web server" in server["why"]
