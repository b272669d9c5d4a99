"""The package's part of the gallery."""

from collections.abc import Sequence
from functools import partial

import mulligan_crm
import pytest
from conftest import create_account, create_contact, create_record, get_record, query
from mulligan_testkit.gallery import Gallery, GalleryFailure
from mulligan_testkit.loopback import Serve
from test_crm_airtable import limited
from test_crm_airtable import told as airtable_told
from test_crm_hubspot import told as hubspot_told
from test_crm_salesforce import told as salesforce_told


class TestGallery(Gallery):
    title = "HubSpot, Salesforce, Airtable"
    plugin = mulligan_crm
    packages = ("hubspot-api-client", "simple-salesforce", "pyairtable")

    @pytest.fixture
    def shown(self, serve: Serve) -> Sequence[GalleryFailure]:
        def fail(call: object, status: int, body: object) -> object:
            return partial(call, serve(status, body))

        exists = hubspot_told("Contact already exists. Existing ID: 12345", "CONFLICT")
        missing = salesforce_told(
            "REQUIRED_FIELD_MISSING", "Required fields are missing: [LastName]", fields=["LastName"]
        )
        column = salesforce_told("INVALID_FIELD", "No such column 'Foo' on entity 'Account'.")
        field = airtable_told("UNKNOWN_FIELD_NAME", 'Unknown field name: "Nmae"')
        soql = {"soql": "SELECT Foo FROM Account"}
        return [
            GalleryFailure(
                "HubSpot: a contact that exists already",
                "create_contact",
                {"email": "ada@example.com"},
                fail(create_contact, 409, exists),
                True,
            ),
            GalleryFailure(
                "Salesforce: a required field is missing",
                "create_lead",
                {"fields": {"FirstName": "Ada"}},
                fail(create_account, 400, missing),
                True,
            ),
            GalleryFailure("Salesforce: a column that is not there", "query", soql, fail(query, 400, column)),
            GalleryFailure(
                "Airtable: a field that is not there",
                "create_record",
                {"fields": {"Nmae": "Ada"}},
                fail(create_record, 422, field),
                True,
            ),
            GalleryFailure(
                "Airtable: too many requests",
                "get_record",
                {"record_id": "recAAAAAAAAAAAAAA"},
                fail(get_record, 429, limited("RATE_LIMIT_REACHED")),
            ),
        ]
