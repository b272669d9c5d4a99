"""The exceptions that published codes arrive in, with the attributes that their libraries put on them.

They are made under the qualified names of the real classes, so that no library has to be installed. Where a list does
not say with which HTTP status a code is sent, it is 400, as of services that answer so to everything. That mulligan
takes a made-up status for an invalid argument is then no knowledge that a package could lose.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from http import HTTPStatus
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from classified.compare import Case

sys.path.insert(0, str(Path(__file__).parents[1] / "recovery"))

import faults

from mulligan.errors import ToolArgumentError, ToolExecutionError

SAYS_FATAL = re.compile(
    r"auth|denied|forbid|perm(?!an)|privileg|grant|super|access|allow|polic|secur|credential|cookie|client_?id|token|"
    r"passw|login|account|secret|sign|certificate|key|kerberos|two_?fa|verif|restrict|owner|admin|intents|opt_?in|"
    r"quota|limit|exceed|maximum|too_?many|billing|paid|payment|monetiz|plan|tier|upgrade|subscri|entitl|licen|suspend|"
    r"trial|disabled|not_enabled|space|full|storage|memory|conn|host|network|addr|unreachable|sock|pipe|dns|ssl|tls|"
    r"handshake|transport|^[45]\.7\.",  # the subject 7 of mail is security and policy
    re.IGNORECASE,
)
"""Words of which a code has one if it speaks of credentials, a permission, a quota or a connection."""

faults.BASES |= {
    "azure.core.exceptions.HttpResponseError": "azure.core.exceptions.AzureError",
    "azure.cosmos.exceptions.CosmosHttpResponseError": "azure.core.exceptions.HttpResponseError",
    "azure.servicebus.exceptions.ServiceBusError": "azure.core.exceptions.AzureError",
    "discord.errors.ClientException": "discord.errors.DiscordException",
    "discord.errors.ConnectionClosed": "discord.errors.ClientException",
    "discord.errors.HTTPException": "discord.errors.DiscordException",
    "grpc.aio._call.AioRpcError": "grpc.RpcError",
    "mysql.connector.errors.DatabaseError": "mysql.connector.errors.Error",
    "pymysql.err.DatabaseError": "pymysql.err.Error",
    "stripe.InvalidRequestError": "stripe.StripeError",
    "simple_salesforce.exceptions.SalesforceMalformedRequest": "simple_salesforce.exceptions.SalesforceError",
    "pymysql.err.Error": "pymysql.err.MySQLError",
    "pymysql.err.OperationalError": "pymysql.err.DatabaseError",
    "pypresence.exceptions.DiscordError": "pypresence.exceptions.PyPresenceException",
}
SPEAKING = "It says so."
STATUS = 400
WITHOUT_STATUS = frozenset(("azure", "botocore", "discord", "google", "resend", "salesforce", "square", "stripe"))
Made = Iterator[tuple[str, Any]]


def make(qualified: str, *args: Any, **attributes: Any) -> Exception:
    """An exception of a class, with attributes."""
    exception = faults.class_of(qualified)(*args)
    for name, value in attributes.items():
        setattr(exception, name, value)
    return exception


def botocore(row: Sequence[str]) -> Made:
    """botocore: the code and the status of an answer."""
    code, statuses = row[0], (row[1:2] or [""])[0].split(",")
    for status in statuses:
        metadata = {"HTTPStatusCode": int(status or STATUS)}
        answer = {"Error": {"Code": code, "Message": SPEAKING}, "ResponseMetadata": metadata}
        text = f"An error occurred ({code}) when calling the GetThing operation: {SPEAKING}"
        yield (
            f"{code} {status}",
            make("botocore.exceptions.ClientError", text, response=answer, operation_name="GetThing"),
        )


def azure(row: Sequence[str]) -> Made:
    """Codes of Storage and Tables, substatuses of Cosmos DB, and AMQP conditions of Service Bus."""
    code, name, kind = (*row, "", "")[:3]
    if kind == "SubStatusCodes":
        fields = {"status_code": STATUS, "sub_status": int(code)}
        exception = make("azure.cosmos.exceptions.CosmosHttpResponseError", SPEAKING, **fields)
    elif kind in ("StorageErrorCode", "TableErrorCode"):
        text = f"{SPEAKING}\nErrorCode:{code}"
        exception = make(
            "azure.core.exceptions.HttpResponseError", text, status_code=400, error_code=code, message=text
        )
    else:
        text = f"{SPEAKING} Error condition: {code}."
        exception = make("azure.servicebus.exceptions.ServiceBusError", text, _condition=code, message=text)
    yield f"{code} {name}", exception


def google(row: Sequence[str]) -> Made:
    """googleapiclient: a status, or a reason in the details of a body."""
    code, status, kind = row
    error: dict[str, Any] = {"code": int(status or STATUS), "message": SPEAKING}
    if kind == "Code":
        error["status"] = code
    else:
        info = {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": code, "domain": "googleapis.com"}
        error |= {"status": "INVALID_ARGUMENT", "details": [info]}
    if code != "OK":
        answer = faults.Httplib2Response({"status": error["code"], "reason": ""})
        text = f'<HttpError {error["code"]} when requesting https://api.example/v1/things/7 returned "{SPEAKING}">'
        content = json.dumps({"error": error}).encode()
        yield code, make("googleapiclient.errors.HttpError", text, resp=answer, content=content)


def grpc(row: Sequence[str]) -> Made:
    """grpcio: the status is what `code()` returns."""
    name, number = row
    status = SimpleNamespace(name=name, value=(int(number), name.lower().replace("_", " ")))
    if name != "OK":
        kind = faults.class_of("grpc.aio._call.AioRpcError")
        methods = {"code": lambda _: status, "details": lambda _: SPEAKING, "trailing_metadata": lambda _: ()}
        exception = type(kind.__name__, kind.__bases__, {"__module__": kind.__module__, **methods})(SPEAKING)
        yield name, exception


def kubernetes(row: Sequence[str]) -> Made:
    """The Kubernetes client: the status, and the reason in the body."""
    reason, status = row
    body = {"kind": "Status", "status": "Failure", "message": SPEAKING, "reason": reason, "code": int(status)}
    phrase = HTTPStatus(int(status)).phrase
    fields = {"status": int(status), "reason": phrase, "body": json.dumps(body), "headers": {}}
    text = f"({status})\nReason: {phrase}\nHTTP response body: {json.dumps(body)}\n"
    yield reason, make("kubernetes.client.exceptions.ApiException", text, **fields)


def discord(row: Sequence[str]) -> Made:
    """discord.py and pypresence."""
    code, name, kind = row
    if kind == "RESTJSONErrorCodes":
        text = f"{STATUS} Bad Request (error code: {code}): {SPEAKING}"
        fields = {"status": STATUS, "code": int(code), "text": SPEAKING}
        yield f"{code} {name}", make("discord.errors.HTTPException", text, **fields)
    elif kind in ("GatewayCloseCodes", "VoiceCloseCodes"):
        shard = 0 if kind == "GatewayCloseCodes" else None
        text = f"Shard ID {shard} WebSocket closed with {code}"
        yield (
            f"{code} {name} {kind}",
            make("discord.errors.ConnectionClosed", text, code=int(code), shard_id=shard, reason=""),
        )
    elif kind == "RPCErrorCodes":
        text = f"Error Code: {code} Message: {SPEAKING}"
        yield (
            f"{code} {name} {kind}",
            make("pypresence.exceptions.DiscordError", text, code=int(code), message=SPEAKING),
        )


def slack(row: Sequence[str]) -> Made:
    """slack_sdk; and the answer itself, as a tool returns it."""
    answer = {"ok": False, "error": row[0]}
    text = f"The request to the Slack API failed.\nThe server responded with: {answer}"
    yield row[0], make("slack_sdk.errors.SlackApiError", text, response=answer)
    yield f"{row[0]} returned", {**answer, "response_metadata": {"warnings": []}}


def mysql(row: Sequence[str]) -> Made:
    """mysql.connector: the number and the SQLSTATE."""
    number, name, state = (*row, "HY000")[:3]
    fields = {"errno": int(number), "sqlstate": state, "msg": SPEAKING}
    yield f"{number} {name}", make("mysql.connector.errors.DatabaseError", f"{number} ({state}): {SPEAKING}", **fields)


def mariadb(row: Sequence[str]) -> Made:
    """PyMySQL: the number is the first argument."""
    yield f"{row[0]} {row[1]}", make("pymysql.err.OperationalError", int(row[0]), SPEAKING)


def sqlstate(row: Sequence[str]) -> Made:
    """psycopg: the SQLSTATE, without those that report a success."""
    state, name = row
    if state[:2] not in ("00", "01", "02"):
        yield f"{state} {name}", make("psycopg.DatabaseError", SPEAKING, sqlstate=state)


def mongodb(row: Sequence[str]) -> Made:
    """pymongo: the code, and its name in the details."""
    code, name = int(row[0]), row[1]
    details = {"ok": 0.0, "errmsg": SPEAKING, "code": code, "codeName": name}
    text = f"{SPEAKING}, full error: {details}"
    yield f"{code} {name}", make("pymongo.errors.OperationFailure", text, code=code, details=details)


def sqlite(row: Sequence[str]) -> Made:
    """The module sqlite3."""
    name, number = row
    yield name, make("sqlite3.OperationalError", SPEAKING, sqlite_errorcode=int(number), sqlite_errorname=name)


def salesforce(row: Sequence[str]) -> Made:
    """simple-salesforce: the body of an answer."""
    url, body = "https://x.my.salesforce.com/services/data/v59.0/", [{"errorCode": row[0], "message": SPEAKING}]
    text = f"Malformed request {url}. Response content: {body}"
    fields = {"url": url, "content": body, "resource_name": "sobjects", "status": STATUS}
    yield row[0], make("simple_salesforce.exceptions.SalesforceMalformedRequest", text, **fields)


def airtable(row: Sequence[str]) -> Made:
    """pyairtable raises the exceptions of requests; codes of the JavaScript client itself have no status."""
    if len(row) > 1:
        content = json.dumps({"error": {"type": row[0], "message": SPEAKING}})
        response = faults.Response(int(row[1]), content, {"Content-Type": "application/json"})
        url = "https://api.airtable.com/v0/app/Table"
        vars(response).update(url=url, _content=response.content)  # as requests keeps them
        yield row[0], make("requests.exceptions.HTTPError", f"{row[1]} Error for url: {url}", response=response)


def stripe(row: Sequence[str]) -> Made:
    """stripe: a code, or a type without one."""
    code, _, kind = row
    error = {"code": code, "message": SPEAKING} if kind == "ErrorCode" else {"type": code, "message": SPEAKING}
    fields = {"json_body": {"error": error}, "http_status": STATUS}
    yield f"{code} {kind}", make("stripe.InvalidRequestError", SPEAKING, **fields)


def square(row: Sequence[str]) -> Made:
    """square: the errors in a body."""
    body = {"errors": [{"code": row[0], "detail": SPEAKING}]}
    yield row[0], make("square.core.api_error.ApiError", f"body: {body}", body=body, status_code=STATUS)


def resend(row: Sequence[str]) -> Made:
    """resend: the name of an error."""
    yield row[0], make("resend.exceptions.ResendError", SPEAKING, error_type=row[0], message=SPEAKING, code=STATUS)


def smtp_enhanced(row: Sequence[str]) -> Made:
    """smtplib: an enhanced status code after a reply code, for the refusal of now and the lasting one."""
    for digit, reply in (("4", 451), ("5", 554)):
        code = row[0].replace("X", digit)
        yield code, make("smtplib.SMTPDataError", reply, f"{code} {SPEAKING}".encode())


def imap(row: Sequence[str]) -> Made:
    """imaplib: a response code before the text."""
    yield row[0], make("imaplib.IMAP4.error", f"[{row[0]}] {SPEAKING}")


MAKERS: dict[str, Callable[[Sequence[str]], Made]] = {
    maker.__name__: maker
    for maker in (
        *(
            airtable,
            azure,
            botocore,
            discord,
            google,
            grpc,
            imap,
            kubernetes,
            mariadb,
            mongodb,
            mysql,
            resend,
            salesforce,
        ),
        *(slack, smtp_enhanced, sqlite, sqlstate, square, stripe),
    )
}


LESS_IS_MEANT = (  # the list, the cases, and why a package rightly says less than mulligan alone
    (
        "discord.txt",
        r"(4001|4002|4005|4007|4010|4011|4012|4013) \w+ Gateway.*|(4001|4002|4005|4012|4016|4017|4020) \w+ Voice.*",
        "the client broke the protocol; its class says only that the connection is closed",
    ),
    (
        "mysql.txt",
        r"(1047|1189|1190|1218) \w+",
        "an unknown command, or replication; the SQLSTATE is one of connections",
    ),
    (
        "mongodb.txt",
        r"(41|128|173|183|184|185|220|247|277|293|294|295|298|300|307) \w+",
        "a condition inside the server or the driver, about nothing that the caller named",
    ),
    (
        "botocore.txt",
        (
            r"(DryRunOperationException 412|EFSIOException 410|ModelError(Exception)? 424"
            r"|(FailureByQueryException|ServiceLinkedRoleFailure|TestFunctionFailed) 500)"
        ),
        "what was run has failed, or would have succeeded; the status alone says something else",
    ),
    (
        "salesforce.txt",
        r"(DATACLOUDADDRESS_SERVER_ERROR|DATA_INTEGRATION_SERVER_ERROR|FIND_DUPLICATES_ERROR)",
        "a part of the service has failed, and nothing says that it is for now",
    ),
)
FATAL_IS_MEANT = (  # the list, the cases, and why only a person can help, although no word of the code says so
    (
        "discord.txt",
        r"(20001|20002|40333|50101) \w+|4008 InvalidOrigin.*",
        "the account, the origin or the server's level",
    ),
    ("slack.txt", r"not_in_channel.*", "a member must invite the app"),
    ("salesforce.txt", r"ORG_LOCKED|INVALID_READ_ONLY_USER_DML", "the organization or the user may only read"),
    ("google.txt", r"CONSUMER_INVALID|SERVICE_NOT_VISIBLE|MISSING_ORIGIN", "the project or the key"),
    (
        "botocore.txt",
        r"BlockedException .*|InsufficientAvailableIPsInSubnetFault .*",
        "the account, or no addresses are left",
    ),
    ("stripe.txt", r"testmode_charges_only ErrorCode", "the account is not activated"),
    ("smtp_enhanced.txt", r"5\.5\.6", "RFC 4954: the answer of a login is too long"),
    ("mysql.txt", r"(2007|2066) \w+", "client and server do not fit each other"),
    ("mariadb.txt", r"3118 \w+", "the account is locked"),
    ("mongodb.txt", r"334 \w+", "the server has no such way to log in"),
)


def lists(folder: Path) -> list[Path]:
    """The published lists of a package."""
    return sorted((folder / "tests" / "published").glob("*.txt"))


def cases(file: Path) -> Iterator[Case]:
    """A case for each line of a list, or several; none if nothing is known of the list.

    Args:
        file: the list.
    """
    maker = MAKERS.get(file.stem)
    less = [re.compile(pattern) for name, pattern, _ in LESS_IS_MEANT if name == file.name]
    fatal = [re.compile(pattern) for name, pattern, _ in FATAL_IS_MEANT if name == file.name]
    for line in file.read_text(encoding="utf-8").splitlines() if maker else ():
        row = line.split("\t")
        if not line or line.startswith("#"):
            continue
        has_status = file.stem not in WITHOUT_STATUS or (file.stem in ("botocore", "google") and row[1:2] > [""])
        for name, failure in maker(row) if maker else ():
            yield Case(
                *(file.name, name, failure, f"call_{file.stem}", {}),
                wants_fatal=SAYS_FATAL.search(name) is not None or any(one.fullmatch(name) for one in fatal),
                wanted=ToolExecutionError.__name__ if any(one.fullmatch(name) for one in less) else None,
                guessed=None if has_status else ToolArgumentError.__name__,
            )
