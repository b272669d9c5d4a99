"""`python -m mulligan.cli` is the command `mulligan`."""

from __future__ import annotations

import sys

from mulligan.cli import main

if __name__ == "__main__":
    sys.exit(main())
