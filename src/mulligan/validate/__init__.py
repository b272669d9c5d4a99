"""The second stage reads the arguments, checks them against the tool's schema and converts them for its function."""
