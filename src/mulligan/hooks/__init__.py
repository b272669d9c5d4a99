"""Plugins: found, checked, registered and called."""
