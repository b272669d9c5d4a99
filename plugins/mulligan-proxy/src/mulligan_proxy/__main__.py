"""`python -m mulligan_proxy`: the proxy."""

import sys

from mulligan_proxy.cli import main

sys.exit(main())
