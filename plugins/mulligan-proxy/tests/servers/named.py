"""A server in bare JSON-RPC with the tools that its first argument lists; each answers with its name, after the second argument."""

import json
import sys

NAMES = json.loads(sys.argv[1])
START = "".join(f"{word}: " for word in sys.argv[2:])

for line in sys.stdin:
    message = json.loads(line)
    id, method, params = message.get("id"), message.get("method"), message.get("params") or {}
    if method == "initialize":
        about = {"protocolVersion": params["protocolVersion"], "serverInfo": {"name": "named", "version": "1"}}
        result = {**about, "capabilities": {"tools": {}}}
    elif method == "tools/list":
        result = {"tools": [{"name": name, "inputSchema": {"type": "object"}} for name in NAMES]}
    else:
        result = {"content": [{"type": "text", "text": START + params.get("name", "")}]}
    if id is not None:
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": id, "result": result}) + "\n")
        sys.stdout.flush()
