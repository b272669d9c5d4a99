"""Error documents: a raw HTTP response, an error page of a server or proxy, a SOAP fault, an XML error.

Sources: RFC 9112 section 4; the default error pages of nginx, Apache, Tomcat, Squid and Cloudflare;
https://www.w3.org/TR/soap12-part1/#soapfault, https://www.w3.org/TR/2000/NOTE-SOAP-20000508/#_Toc478383507,
https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html,
https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html; the exception reports of OGC (Web Map Service
1.3.0, annex E; OWS Common 2.0, section 8), https://www.openarchives.org/OAI/openarchivesprotocol.html#ErrorConditions,
https://www.flickr.com/services/api/response.rest.html, https://www.subsonic.org/pages/api.jsp, https://www.last.fm/api/rest.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from http import HTTPStatus
from itertools import pairwise
from typing import TYPE_CHECKING

from mulligan.classify.detect.reports import coded
from mulligan.classify.detect.subject import Subject
from mulligan.classify.detect.traces import detect_trace
from mulligan.classify.failure import Failure
from mulligan.classify.html_page import Page, read_page
from mulligan.classify.phrases import said

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_PHP_ERROR = re.compile(r"(?:<br ?/?>\s*)?<b>(?:Fatal error|Parse error)</b>:  ")  # with PHP's `html_errors`
_TAG = re.compile(r"</?\w+ ?/?>")
_HTTP = re.compile(r"HTTP/\d(?:\.\d)? ([45]\d\d)(?: [^\r\n]{0,80})?\r?\n")
_STATUS_TITLE = re.compile(
    r"(?:[\w.-]{1,80}\.[a-z]{2,12} \| )?(?:HTTP )?(?:Status |Error )?([45]\d\d)"
    r"(?:[ \u2013:-]{1,3}([A-Za-z' -]{2,40}))?(?: \|.{0,60})?"
)
_PHRASES = {status.phrase.lower(): status.value for status in HTTPStatus if status >= 400}
_REFUSING_TITLE = re.compile(r"(?:ERROR|Error|Access denied|Attention Required!|Request Rejected|Just a moment)\b")
_MOST_TITLE_WORDS = 4
_MOST_TEXT, _MOST_XML = 3_000, 50_000
_ERROR_ROOTS = frozenset(("error", "errorresponse", "fault", "problem", "exceptionreport", "serviceexceptionreport"))
_ANSWERS, _STATUS_NAMES = frozenset(("response", "result", "reply", "answer")), frozenset(("status", "result", "state"))
_STATED = re.compile(r"\w*-?response|rsp|lfm")  # roots that state their success in an attribute
_HOLDERS = frozenset(("response", "oai-pmh"))  # roots that hold an error instead of the result
_ERROR_PARTS, _OF_REQUEST = frozenset(("error", "errors")), frozenset(("requestid", "request", "responsedate"))
_FAILURES = frozenset(("error", "fail", "failed", "failure", "false"))
_CODE_NAMES = ("code", "faultcode", "errorcode", "exceptioncode", "value", "status")
_MESSAGE_NAMES = (
    *("message", "msg", "faultstring", "reason", "text", "detail", "description", "title", "exceptiontext"),
    *("serviceexception", "error"),
)
_SOAP_CODES: Mapping[str, str] = {
    "client": "INVALID_ARGUMENT",
    "sender": "INVALID_ARGUMENT",
    "server": "INTERNAL",
    "receiver": "INTERNAL",
    "mustunderstand": "UNIMPLEMENTED",
    "versionmismatch": "UNIMPLEMENTED",
}


def detect_document(text: str, subject: Subject) -> Failure | None:
    """Detects an error document in a text that a tool returned instead of its result.

    Args:
        text: what the tool returned; it starts with `<` or `HTTP/`.
        subject: what the tool was asked for; a verdict or record may say that something has failed.
    """
    text = text.lstrip("\ufeff")
    raw = _HTTP.match(text)
    if raw is not None:
        body = text.partition("\r\n\r\n")[2] or text.partition("\n\n")[2]
        return Failure(value={"status": int(raw[1]), "body": body[:2_000]}, message=body[:2_000], status=int(raw[1]))
    if _PHP_ERROR.match(text) is not None:
        return detect_trace(_TAG.sub("", text))
    page = read_page(text)
    if page is not None:
        return _detect_page(page)
    return _detect_xml(text, subject) if len(text) <= _MOST_XML else None


def _detect_page(page: Page) -> Failure | None:
    """Detects the error page of a server or proxy. An article about an error has a longer title or text."""
    shown = "\n".join(page.texts)
    if len(shown) > _MOST_TEXT:
        return None
    status = _status_of_title(page.title) or (None if page.title else _status_of_title(page.heading))
    message = "\n".join(dict.fromkeys((page.title, *page.texts)))[:2_000]
    if status is not None:
        return Failure(value={"status": status, "message": message}, message=message, status=status)
    meaning = said(shown)
    is_refusal = _REFUSING_TITLE.match(page.title) or page.heading == "ERROR" or "unusual traffic from your" in shown
    return Failure(value={"message": message}, message=shown[:2_000]) if is_refusal and meaning is not None else None


def _status_of_title(title: str) -> int | None:
    """The status that a title gives, as `404 Not Found` and `HTTP Status 404 - Not Found` do."""
    found = _STATUS_TITLE.fullmatch(title.strip())
    if found is None:
        return _PHRASES.get(title.strip().lower())
    phrase = (found[2] or "").strip().lower()
    return int(found[1]) if len(phrase.split()) <= _MOST_TITLE_WORDS else None


def _detect_xml(text: str, subject: Subject) -> Failure | None:
    """Detects a SOAP fault, or a document whose root is an error with a code or a message."""
    from xml.etree import ElementTree

    if "<!DOCTYPE" in text or "<!ENTITY" in text:  # a definition may expand without end
        return None
    try:
        root = ElementTree.fromstring(text.strip())  # noqa: S314 - without definitions, there is nothing to expand
    except (ElementTree.ParseError, ValueError):
        return None
    if _name(root) == "envelope":
        root = next(
            (inner for body in root if _name(body) == "body" for inner in body if _name(inner) == "fault"), root
        )
    is_asked_for = subject.is_verdict or subject.is_record
    stated = next(((one.text or "").strip().lower() for one in root if _name(one) in _STATUS_NAMES), "")
    is_error = _name(root) in _ERROR_ROOTS or (_name(root) in _ANSWERS and stated in _FAILURES)
    if not (is_error or _holds_only_an_error(root) or (_states_failure(root) and not is_asked_for)):
        return _detect_fault_or_feed(root)
    if len(list(root.iter())) > 60:
        return None
    texts = {name: text for one in reversed(list(root.iter())) for name, text in _texts_of(one)}
    code = next((texts[name] for name in _CODE_NAMES if name in texts), "").rpartition(":")[2]
    message = next((texts[name] for name in _MESSAGE_NAMES if name in texts), "")
    if not (code or message):
        return None
    if _name(root) == "fault":
        meaning = said(message)
        return (
            Failure(value={"message": message}, message=message)
            if meaning
            else coded(_SOAP_CODES.get(code.lower(), code), message)
        )
    return coded(code, message)


def _states_failure(root: Element) -> bool:
    """Whether a response states by an attribute that it failed: `<rsp stat="fail">`."""
    is_response = _STATED.fullmatch(_name(root)) is not None
    return is_response and any(root.get(name, "").lower() in _FAILURES for name in ("status", "stat"))


def _holds_only_an_error(root: Element) -> bool:
    """Whether a response holds errors instead of a result, beside fields of the request such as its id."""
    errors = [one for one in root if _name(one) in _ERROR_PARTS and (len(one) or one.attrib)]
    is_response = _name(root) in _HOLDERS and bool(errors)
    return is_response and all(one in errors or _name(one) in _OF_REQUEST for one in root)


def _texts_of(element: Element) -> Iterator[tuple[str, str]]:
    """What an element and its attributes say, by name."""
    for name, text in (*((name.lower(), text) for name, text in element.items()), (_name(element), element.text or "")):
        if text.strip():
            yield name, text.strip()


def _detect_fault_or_feed(root: Element) -> Failure | None:
    """Detects the fault of XML-RPC, and a feed whose only entry is called an error, as that of arXiv."""
    children = list(root)
    if _name(root) == "methodresponse" and len(children) == 1 and _name(children[0]) == "fault":
        texts = [(one.text or "").strip() for one in root.iter() if len(one) == 0]
        members = dict(pairwise(texts))
        return Failure(value={"message": members.get("faultString", "")}, message=members.get("faultString", ""))
    entries = [one for one in root.iter() if _name(one) in ("entry", "item")]
    if _name(root) not in ("feed", "rss") or len(entries) != 1:
        return None
    members = {_name(one): (one.text or "").strip() for one in entries[0]}
    message = members.get("summary") or members.get("description") or members.get("content") or ""
    is_error = members.get("title", "").lower() == "error" and message
    return Failure(value={"message": message}, message=message) if is_error else None


def _name(element: Element) -> str:
    return str(element.tag).rpartition("}")[2].lower()
