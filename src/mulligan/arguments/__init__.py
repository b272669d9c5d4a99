"""Arguments as a model sent them: read strictly, and checked against a JSON Schema."""
