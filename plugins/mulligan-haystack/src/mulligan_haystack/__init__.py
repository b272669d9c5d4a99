"""mulligan in Haystack: `agent = wrap(Agent(chat_generator=..., tools=...))`."""

from mulligan_haystack.calls import RunStopped
from mulligan_haystack.hook import wrap

__all__ = ["RunStopped", "wrap"]
