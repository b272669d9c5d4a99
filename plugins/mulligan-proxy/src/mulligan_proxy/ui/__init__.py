"""A page on this machine that shows each call, what was wrong, and exactly what the model read."""

from mulligan_proxy.ui.page import app_for, serve_page
from mulligan_proxy.ui.recorder import Recorder
from mulligan_proxy.ui.report import Report

__all__ = ["Recorder", "Report", "app_for", "serve_page"]
