"""What a ledger records of an agent's runs."""

from __future__ import annotations

from crewai_play import agent, play
from mulligan_crewai import wrap
from mulligan_ledger import Ledger
from mulligan_testkit.recorded import CALLS, REQUESTS, assert_recorded, read_page

from mulligan import Pipeline


def test_each_call_and_each_message_of_the_user_is_recorded_once(tmp_path):
    with Ledger(tmp_path / "runs.db") as ledger:
        pipeline = Pipeline(plugins=[ledger])

        def runs():
            turns = [turn for calls in CALLS for turn in (*([call] for call in calls), "Done.")]
            one = wrap(agent([read_page], *turns), pipeline)
            for request in REQUESTS:
                play(one, request)
            ledger.flush()

        assert_recorded(tmp_path / "runs.db", pipeline, runs)
