"""What a ledger records of the runs of an app."""

from __future__ import annotations

import pytest
from adk_play import agent, play
from mulligan_adk import MulliganPlugin
from mulligan_ledger import Ledger
from mulligan_testkit.recorded import CALLS, REQUESTS, assert_recorded, read_page

from mulligan import Pipeline

pytestmark = pytest.mark.filterwarnings("ignore")


def test_each_call_and_each_message_of_the_user_is_recorded_once(tmp_path):
    with Ledger(tmp_path / "runs.db") as ledger:
        pipeline = Pipeline(plugins=[ledger])

        def runs():
            turns = [turn for calls in CALLS for turn in (*([call] for call in calls), "Done.")]
            play(agent(*turns, tools=[read_page]), MulliganPlugin(pipeline), messages=REQUESTS)
            ledger.flush()

        assert_recorded(tmp_path / "runs.db", pipeline, runs)
