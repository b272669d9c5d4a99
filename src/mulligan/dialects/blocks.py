"""The content blocks that a tool returned: texts, images, sounds and files, in any known shape."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from mulligan.dialects.readers import kind_of, mapping, without_none
from mulligan.errors import ToolExecutionError
from mulligan.secrets.redaction import truncate
from mulligan.untrusted.serialize import as_content
from mulligan.untrusted.text import show_name

if TYPE_CHECKING:
    from mulligan.results import ToolResult


_MAGIC = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"%PDF-", "application/pdf"),
    (b"ID3", "audio/mpeg"),
)
_RIFF = {b"WEBP": "image/webp", b"WAVE": "audio/wav"}
_UNKNOWN_TYPE = "application/octet-stream"
_URLSAFE_TO_STANDARD = str.maketrans("-_", "+/")
_ENVELOPE = frozenset(
    ("content", "structuredContent", "structured_content", "isError", "is_error", "resultType", "result_type", "_meta")
)
_NOTE_CHARS = 48


class Block(NamedTuple):
    """One piece of content: a text, or data, either included or at a URL.

    Attributes:
        text: the text; empty for data.
        media_type: the type of the data, such as `image/png`.
        data: base64; empty if the data is at a URL.
        url: the URL of the data.
        name: the name of the file, or its id at a provider.
        dialect: the name of the dialect of the original shape.
        native: the original value; kept only if that dialect accepts it unchanged.
    """

    text: str = ""
    media_type: str = ""
    data: str = ""
    url: str = ""
    name: str = ""
    dialect: str = ""
    native: Mapping[str, Any] = {}

    @property
    def data_url(self) -> str:
        """The URL of the data, or a `data:` URL that contains it."""
        return f"data:{self.media_type};base64,{self.data}" if self.data else self.url

    @property
    def as_text(self) -> str:
        """The text, or a line that describes data that cannot be shown."""
        if self.text or not (self.media_type or self.name or self.url):
            return self.text
        what = " ".join(show_name(part, 200) for part in (self.name, self.media_type) if part) or "data"
        where = f" at {show_name(self.url, 500)}" if self.url else ""
        size = f", {len(self.data) * 3 // 4 - self.data.count('=', -2):,} bytes" if self.data else ""
        return f"[{what}{where}{size}: not shown here]"


def block_of(value: Any) -> Block | None:
    """The content block in a value, or None.

    Args:
        value: bytes with the signature of a known file type, or a mapping in the shape of a provider.
    """
    if isinstance(value, (bytes, bytearray)):
        return _sniff(bytes(value))
    if not isinstance(value, Mapping):
        return None
    value = without_none(value)
    read = _READERS.get(kind_of(value)) if "type" in value else _gemini
    return None if read is None else read(value)


def _sniff(data: bytes) -> Block | None:
    """A block for bytes with the signature of a known file type."""
    kind = next((kind for magic, kind in _MAGIC if data.startswith(magic)), None)
    if data[:4] == b"RIFF":
        kind = _RIFF.get(data[8:12])
    return None if kind is None else Block(media_type=kind, data=base64.b64encode(data).decode())


def _text(value: Mapping[str, Any]) -> Block | None:
    text = value.get("text")
    known = {"type", "text", "annotations", "_meta", "cache_control", "citations", "providerOptions"}
    return Block(text) if isinstance(text, str) and value.keys() <= known else None


def _media(value: Mapping[str, Any]) -> Block | None:
    """A block for an image or sound of MCP, or an image or document of Anthropic."""
    if "source" in value:
        return _anthropic(value)
    media_type = _str(value.get("mimeType", value.get("mime_type")))
    data = _base64(value.get("data"))
    if not (media_type and data):
        return None
    return Block(media_type=media_type, data=data, **_native("mcp", value, "mimeType" in value))


def _anthropic(value: Mapping[str, Any]) -> Block | None:
    source = mapping(value.get("source"))
    native = _native("anthropic", value)
    kind, name = source.get("type"), _str(value.get("title"))
    default = "application/pdf" if value["type"] == "document" else "image/*"
    if kind == "text":
        return Block(_str(source.get("data")), **native)
    if kind == "url":
        return Block(media_type=default, url=_str(source.get("url")), name=name, **native)
    if kind != "base64":
        return Block(name=name or _str(source.get("file_id")) or value["type"], **native) if kind else None
    data = _base64(source.get("data"))
    return Block(media_type=_str(source.get("media_type")) or default, data=data, name=name, **native) if data else None


def _anthropic_only(value: Mapping[str, Any]) -> Block | None:
    return Block(as_content(value), **_native("anthropic", value))


def _resource(value: Mapping[str, Any]) -> Block | None:
    """A block for an embedded resource or a resource link of MCP."""
    link = value["type"] == "resource_link"
    held = value if link else mapping(value.get("resource"))
    if held.get("uri") is None:
        return None
    uri, data = str(held["uri"]), _base64(held.get("blob"))
    native = _native("mcp", value, "mime_type" not in held)
    if link:
        return Block(" ".join(part for part in (_str(held.get("name")), uri) if part), **native)
    if isinstance(held.get("text"), str):
        return Block(held["text"], **native)
    media_type = _str(held.get("mimeType", held.get("mime_type"))) or _UNKNOWN_TYPE
    return Block(media_type=media_type, data=data, name=uri, **native) if data else None


def _image_url(value: Mapping[str, Any]) -> Block | None:
    return _block_at(mapping(value.get("image_url")).get("url"), "image/*", "", _native("openai", value))


def _input_image(value: Mapping[str, Any]) -> Block | None:
    native = _native("openai-responses", value)
    return _block_at(value.get("image_url"), "image/*", _str(value.get("file_id")), native)


def _input_text(value: Mapping[str, Any]) -> Block | None:
    return Block(value["text"]) if isinstance(value.get("text"), str) else None


def _input_audio(value: Mapping[str, Any]) -> Block | None:
    held = mapping(value.get("input_audio"))
    data, native = _base64(held.get("data")), _native("openai", value)
    return Block(media_type=f"audio/{_str(held.get('format'))}", data=data, **native) if data else None


def _input_file(value: Mapping[str, Any]) -> Block | None:
    return _openai_file(value, value, "openai-responses")


def _file(value: Mapping[str, Any]) -> Block | None:
    """A block for a file of OpenAI Chat Completions or of the AI SDK."""
    if "file" in value:
        return _openai_file(mapping(value["file"]), value, "openai")
    media_type, name = _str(value.get("mediaType")), _str(value.get("filename"))
    if not media_type:
        return None
    data = mapping(value.get("data"))
    if not data:
        return _block_at(value.get("url"), media_type, name, {})
    native = _native("ai-sdk", value)
    if data.get("type") == "text":
        return Block(_str(data.get("text")), **native)
    found, url = _base64(data.get("data")), _str(data.get("url"))
    return Block(media_type=media_type, data=found, url=url, name=name, **native) if found or url else None


def _openai_file(held: Mapping[str, Any], value: Mapping[str, Any], dialect: str) -> Block | None:
    from mimetypes import guess_type

    name = _str(held.get("filename")) or _str(held.get("file_id"))
    media_type = guess_type(name)[0] or _UNKNOWN_TYPE
    data = _base64(held.get("file_data"))
    if data:
        return Block(media_type=media_type, data=data, name=name, **_native(dialect, value))
    return _block_at(held.get("file_data") or held.get("file_url"), media_type, name, _native(dialect, value))


def _gemini(value: Mapping[str, Any]) -> Block | None:
    """A block for a part with `inline_data` or `file_data`, and nothing else."""
    inline = mapping(value.get("inline_data", value.get("inlineData")))
    held = inline or mapping(value.get("file_data", value.get("fileData")))
    media_type = _str(held.get("mime_type", held.get("mimeType")))
    data, url = _base64(inline.get("data")), _str(held.get("file_uri", held.get("fileUri")))
    if len(value) > 1 or not (data or url):
        return None
    return Block(media_type=media_type or _UNKNOWN_TYPE, data=data, url=url, name=_str(held.get("displayName")))


def _block_at(url: Any, media_type: str, name: str, native: dict[str, Any]) -> Block | None:
    """A block for a `data:` URL, another URL, or only the name of a file at a provider."""
    address = _str(url)
    head, found, data = address.partition(";base64,")
    if found and head.startswith("data:"):
        data = _base64(data)
        return Block(media_type=head.removeprefix("data:"), data=data, name=name, **native) if data else None
    return Block(media_type=media_type, url=address, name=name, **native) if address or name else None


def _str(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _base64(value: Any) -> str:
    """Bytes or base64 text as base64 in the standard alphabet; empty for anything else."""
    if isinstance(value, (bytes, bytearray)):
        return base64.b64encode(value).decode()
    text = _str(value).translate(_URLSAFE_TO_STANDARD)
    try:
        base64.b64decode(text, validate=True)
    except ValueError:
        return ""
    return text


def _native(dialect: str, value: Mapping[str, Any], whole: bool = True) -> dict[str, Any]:
    return {"dialect": dialect, "native": json.loads(as_content(value), object_hook=without_none)} if whole else {}


_READERS: Mapping[str, Callable[[Mapping[str, Any]], Block | None]] = {
    "text": _text,
    "image": _media,
    "audio": _media,
    "document": _media,
    "search_result": _anthropic_only,
    "tool_reference": _anthropic_only,
    "resource": _resource,
    "resource_link": _resource,
    "file": _file,
    "image_url": _image_url,
    "input_audio": _input_audio,
    "input_file": _input_file,
    "input_image": _input_image,
    "input_text": _input_text,
}


def blocks_of(result: ToolResult) -> list[Block] | None:
    """The content blocks that a tool returned, with their texts limited like `content`.

    Args:
        result: the result of the call.

    Returns:
        None if the call failed or returned anything else; the model then reads `content`.
    """
    if result.is_error or isinstance(result.value, (str, int, float, type(None))):
        return None
    try:
        blocks = _read_blocks(_dump_object(result.value))
    except (TypeError, ValueError, RecursionError, ToolExecutionError):
        return None
    return None if blocks is None else _truncate_blocks(blocks, len(result.content))


def envelope_text(value: Any) -> str | None:
    """The text of an MCP `CallToolResult`: its texts, and a line for each block that is none.

    Args:
        value: what a tool returned.

    Returns:
        None for any other value, and for a result without content.
    """
    if not (isinstance(value, Mapping) and value.keys() <= _ENVELOPE and isinstance(value.get("content"), list)):
        return None
    blocks = _read_blocks(value)
    return None if blocks is None else "\n".join(block.as_text for block in blocks)


def write_blocks(
    blocks: Iterable[Block],
    dialect: str,
    text: Callable[[str], dict[str, Any]],
    media: Callable[[Block], dict[str, Any] | None],
) -> list[dict[str, Any]]:
    """The blocks in the format of a provider.

    Args:
        blocks: the blocks.
        dialect: the name of the provider's dialect; blocks that already have its shape are kept unchanged.
        text: creates a text part.
        media: creates a part for data. If it returns None, since the provider does not accept the data, a text part
            describes the data instead.
    """
    parts = []
    for block in blocks:
        if block.dialect == dialect:
            parts.append(dict(block.native))
        elif block.text or block.as_text:
            parts.append(text(block.text) if block.text else media(block) or text(block.as_text))
    return parts


def structured_content(result: ToolResult) -> Any:
    """The `structuredContent` of an MCP `CallToolResult` that a tool returned; None if its text had to be shortened.

    Args:
        result: the result of the call.
    """
    value = _dump_object(result.value)
    text = None if result.is_error else envelope_text(value)
    if text is None:
        return None
    if not result.content.startswith(text):  # an SDK's object, which is written whole
        value = json_value(result)
        if not isinstance(value, dict):
            return None
    structured = value.get("structuredContent", value.get("structured_content"))
    return None if structured is None else json.loads(as_content(structured))


def json_value(result: ToolResult) -> Any:
    """The model's content as JSON values if all of it is JSON, otherwise as text.

    Args:
        result: the result of the call.
    """
    if result.is_error or isinstance(result.value, str):
        return result.content
    try:
        return json.loads(result.content)
    except (ValueError, RecursionError):
        return result.content


def _truncate_blocks(blocks: list[Block], limit: int) -> list[Block]:
    """The blocks with a limited number of characters, and a note about the omitted part."""
    kept = []
    for block in blocks:
        if len(block.text) > limit:
            start = truncate(block.text, max(limit - _NOTE_CHARS, 0)).removesuffix("…")
            left_out = len(block.text) - len(start)
            block = Block(f"{start}…\n[{left_out:,} of {len(block.text):,} characters left out]")  # noqa: PLW2901
        limit = max(limit - len(block.text), 0)
        kept.append(block)
    return kept


def _dump_object(value: Any) -> Any:
    """An object of an SDK, in the format of its provider."""
    dump = getattr(value, "model_dump", None)
    if dump is None or isinstance(value, type):
        return value
    return dump(mode="json", by_alias=True, exclude_none=True)


def _read_blocks(value: Any) -> list[Block] | None:
    if isinstance(value, Mapping):
        content = value.get("content")
        if isinstance(content, list) and value.keys() <= _ENVELOPE:
            return _blocks_of_all(content) or None
    if isinstance(value, (list, tuple)):
        return None if all(type(item) is str for item in value) else _blocks_of_all(value)
    block = block_of(value)
    return None if block is None else [block]


def _blocks_of_all(items: Iterable[Any]) -> list[Block] | None:
    """The blocks of a list that contains only blocks and texts."""
    found = []
    for item in items:
        block = Block(item) if isinstance(item, str) else block_of(_dump_object(item))
        if block is None:
            return None
        found.append(block)
    return found
