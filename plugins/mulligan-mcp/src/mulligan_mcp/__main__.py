"""`python -m mulligan_mcp`: the proxy."""

import sys

from mulligan_mcp.cli import main

sys.exit(main())
