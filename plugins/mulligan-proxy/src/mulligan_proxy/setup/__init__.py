"""The proxy put in front of the servers of a client, and taken away again: `install`, `uninstall` and `doctor`."""
