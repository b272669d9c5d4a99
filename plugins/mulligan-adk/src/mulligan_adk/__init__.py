"""mulligan for Google's Agent Development Kit.

from google.adk.apps import App
from mulligan_adk import MulliganPlugin

app = App(name="library", root_agent=agent, plugins=[MulliganPlugin(timeout=20)])
"""

from mulligan_adk.plugin import MulliganPlugin

__all__ = ["MulliganPlugin"]
