"""One call on its way to its result: how its tool is run, attempt by attempt, with the middleware around it."""
