"""A server with everything that the MCP project's conformance suite asks for. Arguments: `stdio` or `http`, and `protected` or nothing."""

import asyncio
import sys

import mcp_types as types
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.prompts.base import UserMessage
from mcp.server.stdio import stdio_server

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
SOUND = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA="
server = MCPServer("conforming", version="1")
KINDS = {
    "name": {"type": "string", "default": "John Doe"},
    "age": {"type": "integer", "default": 30},
    "score": {"type": "number", "default": 95.5},
    "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
    "verified": {"type": "boolean", "default": True},
}
VALUES = [{"const": f"value{n}", "title": title} for n, title in enumerate(("First", "Second", "Third"), 1)]
ENUMS = {
    "untitledSingle": {"type": "string", "enum": ["option1", "option2", "option3"]},
    "titledSingle": {"type": "string", "oneOf": VALUES},
    "legacyEnum": {"type": "string", "enum": ["opt1", "opt2", "opt3"], "enumNames": ["One", "Two", "Three"]},
    "untitledMulti": {"type": "array", "items": {"type": "string", "enum": ["option1", "option2", "option3"]}},
    "titledMulti": {"type": "array", "items": {"anyOf": VALUES}},
}


def text(told):
    return types.TextContent(text=told)


def embedded(uri, told):
    return types.EmbeddedResource(resource=types.TextResourceContents(uri=uri, mime_type="text/plain", text=told))


@server.tool(structured_output=False)
def test_simple_text() -> str:
    "A text."
    return "This is a simple text response for testing."


@server.tool(structured_output=False)
def test_image_content() -> list:
    "An image."
    return [types.ImageContent(data=PIXEL, mime_type="image/png")]


@server.tool(structured_output=False)
def test_audio_content() -> list:
    "A sound."
    return [types.AudioContent(data=SOUND, mime_type="audio/wav")]


@server.tool(structured_output=False)
def test_embedded_resource() -> list:
    "A resource."
    return [embedded("test://embedded-resource", "This is an embedded resource content.")]


@server.tool(structured_output=False)
def test_multiple_content_types() -> list:
    "Several."
    return [
        text("Multiple content types test:"),
        types.ImageContent(data=PIXEL, mime_type="image/png"),
        embedded("test://mixed-content-resource", '{"test":"data","value":123}'),
    ]


@server.tool(structured_output=False)
async def test_tool_with_logging(ctx: Context) -> str:
    "Logs while it runs."
    for told in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        await ctx.session.send_log_message(level="info", data=told, related_request_id=ctx.request_id)
        await asyncio.sleep(0.05)
    return "Done."


@server.tool(structured_output=False)
def test_error_handling() -> str:
    "Fails."
    raise ValueError("This tool intentionally returns an error for testing")


@server.tool(structured_output=False)
async def test_tool_with_progress(ctx: Context) -> str:
    "Tells how far it is."
    for step in (0, 50, 100):
        await ctx.report_progress(step, 100)
        await asyncio.sleep(0.05)
    return "Done."


@server.tool(structured_output=False)
async def test_sampling(prompt: str, ctx: Context) -> str:
    "Asks the client's model."
    said = await ctx.session.create_message(
        messages=[types.SamplingMessage(role="user", content=text(prompt))],
        max_tokens=100,
        related_request_id=ctx.request_id,
    )
    return f"LLM response: {said.content.text}"


async def asked(ctx, message, properties):
    schema = {"type": "object", "properties": properties, "required": []}
    answer = await ctx.session.elicit_form(message, schema, related_request_id=ctx.request_id)
    return f"Elicitation completed: action={answer.action}, content={answer.content}"


@server.tool(structured_output=False)
async def test_elicitation(message: str, ctx: Context) -> str:
    "Asks the person."
    return await asked(ctx, message, {"username": {"type": "string"}, "email": {"type": "string"}})


@server.tool(structured_output=False)
async def slow_steps(seconds: float, ctx: Context) -> str:
    "Tells for so long how far it is."
    for step in range(int(seconds * 10)):
        await ctx.report_progress(step, seconds * 10)
        await asyncio.sleep(0.1)
    return "Done."


@server.tool(structured_output=False)
async def test_elicitation_sep1034_defaults(ctx: Context) -> str:
    "Asks the person, with defaults."
    return await asked(ctx, "Defaults", KINDS)


@server.tool(structured_output=False)
async def test_elicitation_sep1330_enums(ctx: Context) -> str:
    "Asks the person, with choices."
    return await asked(ctx, "Choices", ENUMS)


@server.tool(structured_output=False)
def json_schema_2020_12_tool(name: str = "", address: dict | None = None) -> str:
    "Tool with JSON Schema 2020-12 features"
    return name


server._tool_manager.get_tool("json_schema_2020_12_tool").parameters = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {"address": {"type": "object", "properties": {"street": {"type": "string"}, "city": {"type": "string"}}}},
    "properties": {"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"}},
    "additionalProperties": False,
}


@server.tool(structured_output=False)
async def test_reconnection(ctx: Context) -> str:
    "Closes the stream while it runs, where it can."
    close = ctx.request_context.close_sse_stream
    if close is not None:
        await close()
    await asyncio.sleep(0.2)
    return "Reconnection test completed successfully"


@server.resource("test://static-text", mime_type="text/plain")
def static_text() -> str:
    "A text."
    return "This is the content of the static text resource."


@server.resource("test://static-binary", mime_type="image/png")
def static_binary() -> bytes:
    "Bytes."
    import base64

    return base64.b64decode(PIXEL)


@server.resource("test://template/{id}/data", mime_type="application/json")
def templated(id: str) -> str:
    "A template."
    return f'{{"id":"{id}","templateTest":true,"data":"Data for ID: {id}"}}'


@server.resource("test://watched-resource", mime_type="text/plain")
def watched() -> str:
    "One that may change."
    return "Watched."


@server.prompt()
def test_simple_prompt() -> str:
    "A prompt."
    return "This is a simple prompt for testing."


@server.prompt()
def test_prompt_with_arguments(arg1: str, arg2: str) -> str:
    "One with arguments."
    return f"Prompt with arguments: arg1='{arg1}', arg2='{arg2}'"


@server.prompt()
def test_prompt_with_embedded_resource(resourceUri: str) -> list:
    "One with a resource."
    held = embedded(resourceUri, "Embedded resource content for testing.")
    return [UserMessage(held), UserMessage("Please process the embedded resource above.")]


@server.prompt()
def test_prompt_with_image() -> list:
    "One with an image."
    return [
        UserMessage(types.ImageContent(data=PIXEL, mime_type="image/png")),
        UserMessage("Please analyze the image."),
    ]


@server.completion()
async def complete(ref, argument, context):
    return types.Completion(values=[], total=0, has_more=False)


async def nothing(ctx, params):
    return types.EmptyResult()


low = server._lowlevel_server
low.add_request_handler("logging/setLevel", types.SetLevelRequestParams, nothing)
low.add_request_handler("resources/subscribe", types.SubscribeRequestParams, nothing)
low.add_request_handler("resources/unsubscribe", types.UnsubscribeRequestParams, nothing)


async def main(way, protected):
    if protected:
        from mulligan_mcp.sdk import protect

        protect(server)
    if way == "stdio":
        async with stdio_server() as streams:
            await low.run(*streams, low.create_initialization_options())
        return
    from mulligan_proxy.serving import serve_app

    await serve_app(server.streamable_http_app(), "127.0.0.1", 0, "the server")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], "protected" in sys.argv))
