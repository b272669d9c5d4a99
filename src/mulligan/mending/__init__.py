"""The corrected call: what the model most likely meant, worked out whole from the call and the tool's schema, or not at all.

Nothing here runs a tool. What comes out fits the schema, and is a proposal that the model reads; each mend says whether it
is sure (it loses nothing) or likely.
"""

from mulligan.mending.arguments import Mended, mend_arguments
from mulligan.mending.reported import mend_name, put_name
from mulligan.mending.syntax import mend_syntax

__all__ = ["Mended", "mend_arguments", "mend_name", "mend_syntax", "put_name"]
