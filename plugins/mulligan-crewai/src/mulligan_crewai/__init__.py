"""mulligan for CrewAI: `crew = wrap(Crew(agents=[...], tasks=[...]))`."""

from mulligan_crewai.approval import ask_on_console
from mulligan_crewai.calls import RunStopped
from mulligan_crewai.guard import wrap

__all__ = ["RunStopped", "ask_on_console", "wrap"]
