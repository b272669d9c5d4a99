"""LiteLLM asks no server for the prices of models while the tests run."""

from __future__ import annotations

import os

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
