"""The command line `mulligan`. Its libraries come with the extra `cli` and are imported only when a command runs."""

from __future__ import annotations

import sys
from collections.abc import Sequence

_EXTRA = frozenset({"cyclopts", "rich"})


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command.

    Args:
        arguments: the words after `mulligan`; by default those of this process.

    Returns:
        The exit code: 0 all went well, 1 the call failed, 2 wrong usage, 3 a fatal failure, 130 interrupted,
        141 the reader of the output has gone.
    """
    try:
        from mulligan.cli.app import run
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in _EXTRA:
            raise
        sys.stderr.write("the command line needs: pip install 'mulligan[cli]'\n")
        return 2
    return run(sys.argv[1:] if arguments is None else list(arguments))
