"""A server that fails in every way, in bare JSON-RPC. Arguments: a mode of starting, or nothing."""

import asyncio
import json
import os
import sys
import time

TOOLS = {}
CANCELLED = []
MODE = sys.argv[1] if len(sys.argv) > 1 else ""


def tool(schema=None, **more):
    def add(function):
        TOOLS[function.__name__] = {
            "name": function.__name__,
            "description": (function.__doc__ or "").strip(),
            "inputSchema": schema or {"type": "object"},
            **more,
        }
        TOOLS[function.__name__]["run"] = function
        return function

    return add


def send(message):
    sys.stdout.write(message if isinstance(message, str) else json.dumps(message) + "\n")
    sys.stdout.flush()


def answer(id, result):
    send({"jsonrpc": "2.0", "id": id, "result": result})


def text(told, **more):
    return {"content": [{"type": "text", "text": told}], **more}


@tool(
    {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"], "additionalProperties": False}
)
async def echo(id, arguments, meta):
    "Returns a text."
    answer(id, text(arguments["text"]))


@tool()
async def crash(id, arguments, meta):
    "Ends the server."
    os._exit(3)


@tool()
async def hang(id, arguments, meta):
    "Never answers; other calls do."


@tool()
async def freeze(id, arguments, meta):
    "Stops the whole server."
    time.sleep(3_600)


@tool()
async def big_error(id, arguments, meta):
    "Fails with a megabyte."
    answer(id, text("disk is full " * 80_000, isError=True))


@tool()
async def malformed(id, arguments, meta):
    "Sends half a frame."
    send('{"jsonrpc": "2.0", "id": %d, "result": {"content": [{"type": "te\n' % id)


@tool()
async def malformed_nameless(id, arguments, meta):
    "Sends half a frame that does not say what it answers."
    send('{"jsonrpc": "2.0", "result": {"content": [\n')


@tool()
async def twice(id, arguments, meta):
    "Answers twice."
    answer(id, text("first"))
    answer(id, text("second"))


@tool()
async def foreign_answer(id, arguments, meta):
    "Answers a call that nobody made, then this one."
    answer(987_654, text("nobody asked"))
    answer(id, text("asked"))


@tool()
async def noise(id, arguments, meta):
    "Writes a log line to stdout first."
    send("listening on port 0 [ok]\n")
    answer(id, text("quiet again"))


@tool()
async def no_result(id, arguments, meta):
    "Answers with something that is no result of a tool."
    answer(id, {"content": "not a list"})


@tool({"type": "object", "properties": {"code": {"type": "integer"}, "message": {"type": "string"}}})
async def protocol_error(id, arguments, meta):
    "Fails as the protocol, not as the tool."
    error = {"code": arguments.get("code", -32603), "message": arguments.get("message", "boom")}
    send({"jsonrpc": "2.0", "id": id, "error": error})


@tool()
async def picture_error(id, arguments, meta):
    "Fails, and shows a picture of it."
    content = [
        {"type": "text", "text": "element not found"},
        {"type": "image", "data": "aGk=", "mimeType": "image/png"},
    ]
    answer(id, {"content": content, "isError": True, "structuredContent": {"step": 3}, "_meta": {"trace": "t"}})


@tool()
async def picture(id, arguments, meta):
    "Everything that a result may hold, and more."
    content = [
        {"type": "image", "data": "aGk=", "mimeType": "image/png", "annotations": {"priority": 0.5}},
        {"type": "audio", "data": "aGk=", "mimeType": "audio/wav"},
        {"type": "resource", "resource": {"uri": "file:///a", "text": "a", "mimeType": "text/plain"}},
        {"type": "resource_link", "uri": "file:///b", "name": "b"},
        {"type": "text", "text": "Error: this is only a log that was asked for"},
    ]
    answer(
        id, {"content": content, "structuredContent": {"n": 1.0, "none": None}, "_meta": {"x": None}, "isError": False}
    )


@tool()
async def arguments_as_sent(id, arguments, meta):
    "Gives back what came in."
    answer(id, text(json.dumps({"arguments": arguments, "meta": sorted(meta)})))


@tool()
async def steps(id, arguments, meta):
    "Tells how far it is."
    token = meta.get("progressToken")
    for step in range(3):
        if token is not None:
            params = {"progressToken": token, "progress": step, "total": 3, "message": f"step {step}"}
            send({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})
        await asyncio.sleep(0.02)
    send({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "done"}})
    await asyncio.sleep(0.05)
    answer(id, text("done" if token is not None else "done, nobody listened"))


@tool()
async def cancelled(id, arguments, meta):
    "How many calls were cancelled."
    answer(id, text(str(len(CANCELLED))))


@tool()
async def grow(id, arguments, meta):
    "Adds a tool."
    tool()(sprout)
    send({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})
    answer(id, text("grown"))


@tool()
async def clamour(id, arguments, meta):
    "Tells a thousand times that something has changed."
    for _ in range(1_000):
        send({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})
    answer(id, text("told"))


async def sprout(id, arguments, meta):
    "A tool that was not there before."
    answer(id, text("sprouted"))


@tool()
async def environment(id, arguments, meta):
    "A variable of the environment."
    answer(id, text(os.environ.get("FAULTY", "-")))


@tool()
async def pid(id, arguments, meta):
    "The number of this process."
    answer(id, text(str(os.getpid())))


async def handle(message):
    method, params, id = message.get("method"), message.get("params") or {}, message.get("id")
    if method == "initialize":
        answer(
            id,
            {
                "protocolVersion": params["protocolVersion"],
                "capabilities": {"tools": {"listChanged": True}, "logging": {}},
                "serverInfo": {"name": "faulty", "version": "1"},
                "instructions": "Expect nothing.",
            },
        )
    elif method == "ping":
        answer(id, {})
    elif method == "tools/list" and MODE in ("hang-listing", "die-listing"):
        if MODE == "die-listing":
            os._exit(6)
    elif method == "tools/list":
        answer(id, {"tools": [{key: value for key, value in one.items() if key != "run"} for one in TOOLS.values()]})
    elif method == "tools/call":
        if params["name"] not in TOOLS:
            send({"jsonrpc": "2.0", "id": id, "error": {"code": -32602, "message": "Unknown tool: " + params["name"]}})
            return
        await TOOLS[params["name"]]["run"](id, params.get("arguments") or {}, params.get("_meta") or {})
    elif method == "notifications/cancelled":
        CANCELLED.append(params.get("requestId"))
    elif id is not None:
        code = int(MODE.partition(":")[2]) if MODE.startswith("refuse:") else -32601
        send({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": "Method not found"}})


async def main():
    if MODE == "die":
        sys.exit(4)
    if MODE.startswith("die-first:"):
        path = MODE.partition(":")[2]
        if not os.path.exists(path):
            open(path, "w").close()
            sys.exit(5)
    loop = asyncio.get_running_loop()
    tasks = set()
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        task = asyncio.create_task(handle(json.loads(line)))
        tasks.add(task)
        task.add_done_callback(tasks.discard)


if __name__ == "__main__":
    asyncio.run(main())
