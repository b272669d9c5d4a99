"""Fixtures: a pipeline with this package alone, and the real clients with a server that answers as the test says."""

from collections.abc import Callable, Iterator
from functools import partial

import hubspot
import mulligan_crm
import pyairtable
import pytest
import simple_salesforce
from mulligan_testkit.loopback import Serve

from mulligan import Pipeline
from mulligan.errors import ToolError

Answer = Callable[..., ToolError]
Classify = Callable[..., ToolError]
SALESFORCE_API = "/services/data/v59.0/"


@pytest.fixture
def pipeline() -> Iterator[Pipeline]:
    with Pipeline(plugins=[mulligan_crm], autoload=False, strict=True) as pipeline:
        yield pipeline


@pytest.fixture
def classify(pipeline: Pipeline) -> Classify:
    """`classify(failure, {"email": "a@b.c"})`: the error, which there must be."""

    def ask(failure: object, arguments: dict[str, object] | None = None) -> ToolError:
        error = pipeline.classify(failure, tool="some_tool", arguments=arguments or {})
        assert error is not None
        return error

    return ask


@pytest.fixture
def answer(classify: Classify, serve: Serve) -> Answer:
    """`answer(call, status, body, arguments)`: the error for what a client raises when its service answers like that."""

    def ask(call: object, status: int, body: object, arguments: dict[str, object] | None = None, **more: object):
        return classify(raised(partial(call, serve(status, body, **more))), arguments)

    return ask


def raised(call: Callable[[], object]) -> Exception:
    try:
        call()
    except Exception as error:
        return error
    raise AssertionError("nothing was raised")


def contacts(url: str, **settings: object) -> object:
    client = hubspot.Client.create(access_token="secret-token", **settings)
    api = client.crm.contacts.basic_api
    api.api_client.configuration.host = url
    return api


def create_contact(url: str) -> object:
    from hubspot.crm.contacts import SimplePublicObjectInputForCreate

    contact = SimplePublicObjectInputForCreate(properties={"email": "a"}, associations=[])
    return contacts(url).create(simple_public_object_input_for_create=contact, _request_timeout=1)


def get_contact(url: str) -> object:
    return contacts(url).get_by_id("404404", _request_timeout=1)


def salesforce(url: str) -> simple_salesforce.Salesforce:
    client = simple_salesforce.Salesforce(instance="127.0.0.1", session_id="secret-session")
    client.base_url = f"{url}{SALESFORCE_API}"
    client.bulk_url = f"{url}/services/async/59.0/"
    client.session.request = partial(client.session.request, timeout=1)
    return client


def accounts(url: str) -> object:
    objects = salesforce(url).Account
    objects.base_url = f"{url}{SALESFORCE_API}sobjects/Account/"
    return objects


def create_account(url: str) -> object:
    return accounts(url).create({"Name": "x"})


def get_account(url: str) -> object:
    return accounts(url).get("0011x00000ABCDE")


def query(url: str) -> object:
    return salesforce(url).query("SELECT Foo FROM Account")


def table(url: str, **settings: object) -> pyairtable.Table:
    settings.setdefault("retry_strategy", None)
    return pyairtable.Api("secret-token", endpoint_url=url, timeout=(1, 1), **settings).table("appX", "Contacts")


def create_record(url: str) -> object:
    return table(url).create({"Name": "x"})


def get_record(url: str) -> object:
    return table(url).get("recAAAAAAAAAAAAAA")


def find_records(url: str) -> object:
    return table(url).all(formula="{foo}=1")
