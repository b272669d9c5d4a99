"""The command line `mulligan`. Its dependencies are in the extra `cli` and are imported only when a command runs."""

from __future__ import annotations

import sys
from collections.abc import Sequence

_EXTRA = frozenset({"cyclopts", "rich"})


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command.

    Args:
        arguments: the words after `mulligan`; by default those of this process.

    Returns:
        The exit code: 0 success, 1 the call failed, 2 usage error, 3 fatal failure, 130 interrupted,
        141 the reader of the output closed the pipe.
    """
    try:
        from mulligan.cli.app import run
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in _EXTRA:
            raise
        sys.stderr.write("The command line requires extra packages: pip install 'mulligan[cli]'\n")
        return 2
    return run(sys.argv[1:] if arguments is None else list(arguments))
