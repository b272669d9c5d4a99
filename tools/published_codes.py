"""Print a list of published error codes: `python tools/published_codes.py sqlstate errcodes.txt`.

The files are those that you downloaded; nothing is read from the network. The tests of the packages compare their tables
with these lists, in `plugins/*/tests/published`. A line is a code, then a name or a status if the source has one, then
whatever else the list needs, separated by tabs. Sentences stay in the source: a list holds facts only.

`--source`, `--version` and `--date` say where the file comes from; `--except mysql.txt` leaves out the lines of another list.
"""

from __future__ import annotations

import argparse
import ast
import gzip
import json
import pathlib
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any

Path = pathlib.Path
Row = tuple[str, ...]

DEFINE = re.compile(r"^#define\s+((?:ER|WARN|CR)_\w+)\s+(\d+)\b", re.MULTILINE)
NO_ERROR = re.compile(r"(CR|ER)_((ERROR_)?(FIRST|LAST)(_\w+)?|M(IN|AX)_ERROR|(\w+_)?LAST_ERROR|UNUSED_\d+)")
FIRST_LOG_ERROR = 10_000  # MySQL writes these and higher numbers to its log, and never sends them to a client
NO_STATE = "HY000"  # the SQLSTATE of every server error without one of its own
MESSAGE_PROTOCOLS = {"json", "rest-json", "smithy-rpc-v2-cbor"}  # their answers name the shape


class MalformedFileError(Exception):
    """A file that does not hold what its reader expects; the message is one sentence."""


def slack(paths: list[Path]) -> Iterator[Row]:
    """The OpenAPI description of Slack's Web API, as JSON."""
    for path in paths:
        for error in _slack_errors(_json(path)):
            if re.fullmatch(r"[a-z0-9_]+", error):  # one example is a sentence
                yield (error,)


def _slack_errors(node: Any) -> Iterator[str]:
    if isinstance(node, list):
        for item in node:
            yield from _slack_errors(item)
    if not isinstance(node, dict):
        return
    error = node.get("error")
    if isinstance(error, dict):
        yield from error.get("enum", ())
    elif isinstance(error, str) and node.get("ok") is False:
        yield error
    for item in node.values():
        yield from _slack_errors(item)


def slack_ruby(paths: list[Path]) -> Iterator[Row]:
    """lib/slack/web/api/errors.rb of the gem slack-ruby-client."""
    for path in paths:
        yield from ((code,) for code in re.findall(r"^\s*'(\w+)' => \w+", _text(path), re.MULTILINE))


def discord(paths: list[Path]) -> Iterator[Row]:
    """Type declarations (.d.ts) of the npm package discord-api-types with enums of error or close codes."""
    enum = re.compile(r"enum (\w*(?:ErrorCodes|CloseCodes|CloseEventCodes)) \{(.*?)^\}", re.MULTILINE | re.DOTALL)
    for path in paths:
        for kind, body in enum.findall(_text(path)):
            yield from ((code, name, kind) for name, code in re.findall(r"^\s*(\w+) = (\d+)", body, re.MULTILINE))


def sqlstate(paths: list[Path]) -> Iterator[Row]:
    """PostgreSQL's errcodes.txt."""
    for path in paths:
        for number, line in enumerate(_text(path).splitlines(), 1):
            if not line.strip() or line.startswith(("#", "Section:")):
                continue
            found = re.fullmatch(r"([0-9A-Z]{5})\s+[EWS]\s+ERRCODE_\w+(?:\s+(\w+))?\s*", line)
            if not found:
                raise MalformedFileError(f"line {number} of {path} is not a SQLSTATE with its kind and its macro")
            yield found[1], found[2] or ""


def mysql(paths: list[Path]) -> Iterator[Row]:
    """ERROR_NUMBER, ERROR_NAME, SQL_STATE, with this heading, from MySQL's performance_schema; and MySQL's errmsg.h."""
    for path in paths:
        text = _text(path)
        yield from ((number, name) for name, number in _defined(text) if name.startswith("CR_"))
        for number, name, state in re.findall(r"^(\d+)\t(\w+)\t(\w{5})$", text, re.MULTILINE):
            if int(number) < FIRST_LOG_ERROR:
                yield number, name, state


def mariadb(paths: list[Path]) -> Iterator[Row]:
    """MariaDB's mysqld_error.h, sql_state.h and errmsg.h."""
    texts = [_text(path) for path in paths]
    states = {name: state for text in texts for name, state in re.findall(r'\{\s*(\w+)\s*,\s*"(\w{5})"', text)}
    for text in texts:
        for name, number in _defined(text):
            yield (number, name) if name.startswith("CR_") else (number, name, states.get(name, NO_STATE))


def _defined(text: str) -> Iterator[tuple[str, str]]:
    """Each error's name and number from a C header, without the constants that mark where a range begins or ends."""
    return ((name, number) for name, number in DEFINE.findall(text) if not NO_ERROR.fullmatch(name))


def botocore(paths: list[Path]) -> Iterator[Row]:
    """The folder botocore/data."""
    known: dict[str, tuple[set[str], set[str]]] = {}
    for folder in paths:
        for path in sorted(folder.glob("*/*/service-2.json*")):
            for code, status, fault in _service_errors(_json(path)):
                statuses, faults = known.setdefault(code, (set(), set()))
                statuses.update(filter(None, [status]))
                faults.update(filter(None, [fault]))
    for code, (statuses, faults) in known.items():
        yield code, ",".join(sorted(statuses)), ",".join(sorted(faults))


def _service_errors(model: Any) -> Iterator[Row]:
    """Code, HTTP status, and whose fault it is (`sender` or `server`), of one service's errors."""
    has_shape_names = model["metadata"]["protocol"] in MESSAGE_PROTOCOLS
    for name, shape in model["shapes"].items():
        if not shape.get("exception"):
            continue
        error = shape.get("error", {})
        fault = "sender" if error.get("senderFault") else "server" if shape.get("fault") or error.get("fault") else ""
        code = error.get("code", name)
        for each in {code, name} if has_shape_names else {code}:
            yield each, str(error.get("httpStatusCode", "")), fault


def grpc(paths: list[Path]) -> Iterator[Row]:
    """gRPC's include/grpc/status.h."""
    for path in paths:
        yield from re.findall(r"^\s*GRPC_STATUS_([A-Z]\w*) = (\d+),", _text(path), re.MULTILINE)


def google(paths: list[Path]) -> Iterator[Row]:
    """google/rpc/code.proto and google/api/error_reason.proto."""
    for path in paths:
        enum, status = "", ""
        for line in _text(path).splitlines():
            if found := re.match(r"enum (\w+) \{", line):
                enum = found[1]
            elif found := re.match(r"\s*// HTTP Mapping: (\d{3})\b", line):
                status = found[1]
            elif found := re.match(r"\s*([A-Z][A-Z0-9_]+) = \d+;", line):
                if not found[1].endswith("_UNSPECIFIED"):
                    yield found[1], status, enum
                status = ""


def azure(paths: list[Path]) -> Iterator[Row]:
    """Modules of the Azure SDK for Python with enums of error codes, of Cosmos' substatuses or of AMQP conditions."""
    for path in paths:
        try:
            module = ast.parse(_text(path))
        except SyntaxError as error:
            raise MalformedFileError(f"{path} is not Python: line {error.lineno}") from error
        for node in module.body:
            if isinstance(node, ast.ClassDef) and node.name.endswith(("ErrorCode", "SubStatusCodes", "ErrorCondition")):
                yield from ((value, name, node.name) for name, value in _constants(node.body, {}))
        constants = dict(_constants(module.body, {}))
        for name, value in _constants(module.body, constants):
            if name.startswith("ERROR_CODE_"):
                yield value, name, ""


def _constants(body: list[ast.stmt], known: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Name and value of each assigned constant; `known` has those that a sum such as `VENDOR + b":timeout"` begins with."""
    for node in body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant(value=str() | bytes() | int() as value)):
                yield name, _plain(value)
            case ast.Assign(
                targets=[ast.Name(id=name)],
                value=ast.BinOp(left=ast.Name(id=start), right=ast.Constant(value=bytes() as end)),
            ) if start in known:
                yield name, known[start] + _plain(end)


def _plain(value: str | bytes | int) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


def kubernetes(paths: list[Path]) -> Iterator[Row]:
    """types.go of k8s.io/apimachinery/pkg/apis/meta/v1."""
    for path in paths:
        status = ""
        for line in _text(path).splitlines():
            if found := re.match(r"\s*// Status code (\d{3})\b", line):
                status = found[1]
            elif found := re.match(r'\s*StatusReason\w+\s+StatusReason = "(\w+)"', line):
                yield found[1], status
                status = ""
            elif not line.strip():
                status = ""


def mongodb(paths: list[Path]) -> Iterator[Row]:
    """MongoDB's error_codes.yml, or dist/index.js of the npm package mongodb-error-codes."""
    in_yaml = re.compile(r"\{\s*code:\s*(\d+),\s*name:\s*(\w+)(?:[^{}]*?categories:\s*\[([^\]]*)\])?")
    in_javascript = re.compile(r"(\w+): \{\s*code: (\d+),\s*categories: \[([^\]]*)\]")
    for path in paths:
        text = re.sub(r"#.*", "", _text(path))
        rows = in_yaml.findall(text) + [(code, name, rest) for name, code, rest in in_javascript.findall(text)]
        for code, name, categories in rows:
            if code != "0":  # OK is no error
                yield code, name, ",".join(re.findall(r"\w+", categories))


def stripe(paths: list[Path]) -> Iterator[Row]:
    """error.go of stripe-go; or resources/PaymentIntents.d.ts and Error.js of the npm package stripe."""
    constant = re.compile(r'^\s*\w+\s+(Error(?:Type|Code)|DeclineCode)\s*= "(\w+)"', re.MULTILINE)
    union = re.compile(r"namespace LastPaymentError \{\s*type (Code) = ([^;]*);\s*type (Type) = ([^;]*);")
    case = re.compile(r"^\s*case '(\w+)':\s*return new \w+Error", re.MULTILINE)
    for path in paths:
        text = _text(path)
        yield from ((code, "", kind) for kind, code in constant.findall(text))
        for names in union.findall(text):
            for kind, codes in zip(names[::2], names[1::2], strict=True):
                yield from ((code, "", f"Error{kind}") for code in re.findall(r"'(\w+)'", codes))
        yield from ((code, "", "ErrorType") for code in case.findall(text))


def square(paths: list[Path]) -> Iterator[Row]:
    """square/types/error_code.py of the PyPI package squareup."""
    for path in paths:
        if "ErrorCode = " in _text(path):
            yield from ((code,) for code in re.findall(r'^\s*"(\w+)",$', _text(path), re.MULTILINE))


READERS: dict[str, Callable[[list[Path]], Iterable[Row]]] = {
    "azure": azure,
    "botocore": botocore,
    "discord": discord,
    "google": google,
    "grpc": grpc,
    "kubernetes": kubernetes,
    "mariadb": mariadb,
    "mongodb": mongodb,
    "mysql": mysql,
    "slack": slack,
    "slack-ruby": slack_ruby,
    "sqlstate": sqlstate,
    "square": square,
    "stripe": stripe,
}


def published_lines(name: str, paths: list[Path]) -> list[str]:
    """Return the lines of a list, sorted and without duplicates.

    Args:
        name: the list, as in `READERS`.
        paths: the downloaded files.

    Raises:
        MalformedFileError: a file cannot be read, has no codes, or has a code with a space in it.
    """
    read = READERS[name]
    for path in paths:
        if not path.exists():
            raise MalformedFileError(f"{path} does not exist")
        if path.is_dir() != (name == "botocore"):
            raise MalformedFileError(f"{path} is {'a folder' if path.is_dir() else 'a file'}; expected: {read.__doc__}")
    rows = _read(read, paths)
    if not rows:
        raise MalformedFileError(f"no codes found in {', '.join(map(str, paths))}; expected: {read.__doc__}")
    named = {row[0] for row in rows if row[1:2] > ("",)}
    return sorted({"\t".join(row).rstrip("\t") for row in rows if len(row) != 2 or row[1] or row[0] not in named})


def _read(read: Callable[[list[Path]], Iterable[Row]], paths: list[Path]) -> set[Row]:
    try:
        rows = set(read(paths))
    except (AttributeError, KeyError, TypeError) as error:  # what a reader meets in JSON of another shape
        files = ", ".join(map(str, paths))
        raise MalformedFileError(f"{files} has another structure; expected: {read.__doc__}") from error
    for row in rows:
        if not row[0] or re.search(r"\s", "".join(row)):
            raise MalformedFileError(f"{row[0]!r} is not a code: codes and names are not empty and contain no spaces")
    return rows


def _text(path: Path) -> str:
    data = path.read_bytes()
    try:
        return (gzip.decompress(data) if path.suffix == ".gz" else data).decode("utf-8-sig")
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise MalformedFileError(f"{path} is not text in UTF-8") from error


def _json(path: Path) -> Any:
    try:
        return json.loads(_text(path))
    except json.JSONDecodeError as error:
        raise MalformedFileError(f"{path} is not JSON: line {error.lineno}") from error


def main(arguments: list[str]) -> None:
    """Print a list.

    Args:
        arguments: the words of the command line.
    """
    lists = "".join(f"  {name:12}{reader.__doc__}\n" for name, reader in READERS.items())
    parser = argparse.ArgumentParser(
        prog="published_codes.py",
        description=(__doc__ or "").partition(":")[0] + ".",
        epilog=f"lists, and the files that each is read from:\n{lists}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("list", choices=READERS, metavar="LIST", help="the list, as below")
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="a downloaded file")
    parser.add_argument("--source", default="unknown", help="the project and the file")
    parser.add_argument("--version", default="unknown", help="its version")
    parser.add_argument("--date", default="unknown", help="its date, as YYYY-MM-DD")
    parser.add_argument("--except", dest="other", type=Path, metavar="FILE", help="a list whose lines are left out")
    options = parser.parse_args(arguments)
    try:
        lines = published_lines(options.list, options.files)
        other = set(_text(options.other).splitlines()) if options.other else set()
    except (MalformedFileError, OSError) as error:
        sys.exit(f"published_codes.py: {str(error).removesuffix('.')}.")
    print(f"# source: {options.source}\n# version: {options.version}\n# date: {options.date}")
    print(*(line for line in lines if line not in other), sep="\n")


if __name__ == "__main__":
    main(sys.argv[1:])
