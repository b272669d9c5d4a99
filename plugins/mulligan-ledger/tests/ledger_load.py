"""A process that records: `python ledger_load.py FILE CALLS [NUMBER]`.

Every twenty calls it prints how many it has made, and when, on the machine's monotonic clock.
"""

import signal
import sys
import time

from mulligan_ledger import Ledger

from mulligan import Pipeline, tool


@tool(read_only=True)
def look(word: int) -> str:
    """Look a word up."""
    if word % 10 == 0:
        raise KeyError("word")
    return f"found {word}"


def main() -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)  # it is ignored in what a shell runs in the background
    path, calls = sys.argv[1], int(sys.argv[2])
    ledger = Ledger(path)
    with Pipeline([look], plugins=[ledger], autoload=False) as pipeline:
        session = pipeline.session(f"talk-{sys.argv[3]}" if len(sys.argv) > 3 else None)
        for number in range(1, calls + 1):
            session.call("look", {"word": number}, call_id=f"c{number}")
            if number % 20 == 0:
                print(number, time.monotonic(), flush=True)


if __name__ == "__main__":
    main()
