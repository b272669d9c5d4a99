"""The fifth stage turns an error into the text that the model reads."""
