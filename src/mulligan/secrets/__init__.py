"""Redaction: find secrets in foreign text by value, shape or name, and remove them."""
