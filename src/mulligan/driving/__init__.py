"""Who runs what a call asks for: drivers with and without `await`, threads, and the processes of killable tools."""
