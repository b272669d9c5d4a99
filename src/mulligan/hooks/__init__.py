"""Finds, checks, registers and calls plugins."""
