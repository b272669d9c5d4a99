"""The tools of the conformance tests, which take any arguments: no schema of a signature says what they accept."""

from mulligan import Tool
from mulligan.testing import tools as work

TOOLS = [
    Tool.from_schema(function.__name__, "", {"type": "object"}, function)
    for function in (work.echo, work.count, work.count_and_fail, work.fail, work.hang, work.lock)
]
