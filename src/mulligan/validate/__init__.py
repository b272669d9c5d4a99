"""The second stage: arguments are read, checked against the tool's schema and converted to the types of its parameters."""
