"""What a Python function asks for: its parameters as a JSON Schema, and Python objects out of what fits it."""
