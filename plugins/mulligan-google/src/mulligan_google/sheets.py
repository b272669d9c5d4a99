"""gspread: missing spreadsheets and worksheets, and requests that it rejects before sending."""

from __future__ import annotations

from mulligan.plugin import Failure, Rules, ToolError
from mulligan.plugin import meanings as m
from mulligan_google.answers import not_found_message

rules = Rules("google")
last = Rules("google", last=True)


@rules("gspread.exceptions.SpreadsheetNotFound", "gspread.exceptions.WorksheetNotFound")
def sheet(failure: Failure) -> ToolError:
    """A spreadsheet or worksheet that is missing, or not shared with the account."""
    is_named = failure.matches("gspread.exceptions.WorksheetNotFound") and 0 < len(failure.text) < 200
    name = failure.text if is_named else failure.resource
    return m.error_of(failure, m.NOT_FOUND, message=not_found_message(name), resource=name)


@rules(
    *(
        f"gspread.exceptions.{name}"
        for name in ("NoValidUrlKeyFound", "IncorrectCellLabel", "InvalidInputValue", "UnSupportedExportFormat")
    )
)
def sheet_call(failure: Failure) -> ToolError:
    """A request that the library rejects before sending."""
    return m.error_of(failure, m.ARGUMENT, message="Google's library rejected the call; nothing was sent.")


@last("gspread.exceptions.GSpreadException")
def other_sheet(failure: Failure) -> ToolError:
    """Any other exception of the library."""
    return m.error_of(failure, m.FAILED, message="Google's library failed.")
