"""What a pipeline is put together from: its plugins and settings, messages and batches, diagnosis and log lines."""
