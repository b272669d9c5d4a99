"""Puts the proxy in front of the servers of a client, and removes it again: `install`, `uninstall` and `doctor`."""
