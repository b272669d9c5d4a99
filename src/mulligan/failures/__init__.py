"""What a failure tells: `Failure`, and where an exception, an answer or a returned value keeps each fact."""
