"""A server in bare JSON-RPC that asks its client for a sample, hears how far it is, and takes the question back."""

import json
import sys
import threading

PROGRESS = []
ANSWERS = {}
ARRIVED = threading.Condition()


def send(**message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def say(id, text):
    send(id=id, result={"content": [{"type": "text", "text": text}]})


def ask(id):
    messages = [{"role": "user", "content": {"type": "text", "text": "?"}}]
    send(
        id=id,
        method="sampling/createMessage",
        params={"messages": messages, "maxTokens": 1, "_meta": {"progressToken": "mine", "com.example/x": 1}},
    )


def call(id, name):
    if name == "sample":
        ask("s1")
        with ARRIVED:
            ARRIVED.wait_for(lambda: "s1" in ANSWERS and len(PROGRESS) == 2, 5)
        say(id, json.dumps({"answer": ANSWERS["s1"].get("result"), "progress": PROGRESS}))
    elif name == "take_back":
        ask("s2")
        with ARRIVED:
            ARRIVED.wait_for(lambda: PROGRESS, 5)
        send(method="notifications/cancelled", params={"requestId": "s2", "reason": "no longer needed"})
        say(id, "taken back")
    elif name == "answer_nobody":
        send(result={"content": []})
        send(id=None, result={"content": []})
        send(id=None, error={"code": -32000, "message": "nobody asked"})
        send(id=None, method="ping")
        send(method="no/such/notification")
        say(id, "done")
    elif name == "print":
        sys.stdout.write("a line of log\n{not json\n[1, 2]\n\n\x85\u2028 {}\nnull\n")
        say(id, "printed")
    elif name == "raw":
        text = {
            "jsonrpc": "2.0",
            "id": id,
            "result": {"content": [{"type": "text", "text": "a\u2028b\u2029c\x85d\x0be"}]},
        }
        sys.stdout.write(json.dumps(text, ensure_ascii=False) + "\n")
        sys.stdout.flush()
    elif name == "bytes":
        sys.stdout.flush()
        frame = b'{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"a\xffb"}]}}\n' % id
        sys.stdout.buffer.write(frame)
        sys.stdout.buffer.flush()
    elif name.startswith("big_"):
        say(id, "x" * int(name[4:]))


TOOLS = ["sample", "take_back", "answer_nobody", "print", "raw", "bytes", "big_3000000", "big_100000000"]


def main():
    sys.stdout.reconfigure(encoding="utf-8")
    for line in sys.stdin:
        message = json.loads(line)
        id, method, params = message.get("id"), message.get("method"), message.get("params") or {}
        if method == "initialize":
            about = {"protocolVersion": params["protocolVersion"], "serverInfo": {"name": "asking", "version": "1"}}
            send(id=id, result={**about, "capabilities": {"tools": {}}})
        elif method == "tools/list":
            send(id=id, result={"tools": [{"name": name, "inputSchema": {"type": "object"}} for name in TOOLS]})
        elif method == "tools/call":
            threading.Thread(target=call, args=(id, params["name"])).start()
        elif method == "notifications/progress":
            with ARRIVED:
                PROGRESS.append(params)
                ARRIVED.notify_all()
        elif method is None:
            with ARRIVED:
                ANSWERS[id] = message
                ARRIVED.notify_all()
        elif id is not None:
            send(id=id, result={})


main()
