"""A ledger without code: the environment and the configuration file."""

from __future__ import annotations

import pytest
from conftest import read_file, rows
from mulligan_ledger import Ledger, autoload
from mulligan_ledger.autoload import configured

from mulligan import Pipeline
from mulligan.errors import UsageError


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MULLIGAN_LEDGER", raising=False)
    yield tmp_path
    for ledger in autoload._LEDGERS.values():
        ledger.close()
    autoload._LEDGERS.clear()


def ledgers(pipeline):
    return [info for info in pipeline.plugins if info.name == "ledger"]


def test_nothing_is_recorded_by_default(folder):
    with Pipeline([read_file]) as pipeline:
        pipeline.call("read_file", {"path": "a"})
        (info,) = ledgers(pipeline)

    assert (info.state, "observe" in info.hooks) == ("active", False)
    assert list(folder.iterdir()) == []
    assert pipeline.faults == ()


def test_the_environment_names_a_file(folder, monkeypatch):
    monkeypatch.setenv("MULLIGAN_LEDGER", "runs.db")
    with Pipeline([read_file]) as one, Pipeline([read_file]) as other:
        one.call("read_file", {"path": "a"})
        other.call("read_file", {"path": "b"})
    configured().close()

    assert len(rows(folder / "runs.db", "calls")) == 2
    assert len(rows(folder / "runs.db", "processes")) == 1


@pytest.mark.parametrize(
    ("name", "head"), [("mulligan.toml", "[ledger]"), ("pyproject.toml", "[tool.mulligan.ledger]")]
)
def test_the_configuration_file_has_a_table(folder, monkeypatch, name, head):
    (folder / name).write_text(f"{head}\npath = 'kept/runs.db'\ncontent = 'none'\ndurable = true\n")
    (folder / "kept").mkdir()
    (folder / "deeper").mkdir()
    monkeypatch.chdir(folder / "deeper")
    with Pipeline([read_file]) as pipeline:
        pipeline.call("read_file", {"path": "a"})

    (row,) = rows(folder / "kept" / "runs.db", "calls")
    assert row["arguments"] is None


def test_the_table_is_known_to_the_other_settings(folder):
    (folder / "mulligan.toml").write_text("format = 'block'\n[ledger]\npath = 'runs.db'\n")
    with Pipeline.from_config(tools=[read_file]) as pipeline:
        assert pipeline.call("read_file", {"path": "missing"}).content.startswith("Tool Execution Result")

    assert configured().flush()
    assert len(rows(folder / "runs.db", "calls")) == 1


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[ledger]\npth = 'runs.db'", "mulligan.toml, [tool.mulligan.ledger]: unknown key 'pth'. Did you mean 'path'?"),
        ("[ledger]\ncontent = 'none'", "path is missing; write path = 'runs.db', or set MULLIGAN_LEDGER"),
        ("[ledger]\npath = 'runs.db'\nkeep_days = -1", "keep_days=-1): use a number above 0"),
        ("[ledger]\npath = 'no/runs.db'", "is not a directory"),
    ],
)
def test_invalid_settings_are_named(folder, text, told):
    (folder / "mulligan.toml").write_text(text)
    with pytest.raises(UsageError) as caught:
        configured()

    assert told in str(caught.value)
    with Pipeline([read_file]) as pipeline:
        assert not pipeline.call("read_file", {"path": "a"}).is_error
    assert [fault.plugin for fault in pipeline.faults] == ["ledger"]


def test_a_ledger_in_code_takes_the_place_of_the_one_of_the_environment(folder, monkeypatch):
    monkeypatch.setenv("MULLIGAN_LEDGER", "runs.db")
    with Pipeline([read_file]) as before:
        before.call("read_file", {"path": "0"})
    with (
        Ledger(folder / "." / "runs.db", content="none") as ledger,
        Pipeline([read_file], plugins=[ledger]) as pipeline,
    ):
        pipeline.call("read_file", {"path": "1"})
        pipeline.session("talk").note_request("and now?")
    configured().close()

    found = rows(folder / "runs.db", "calls")
    assert len(found) == 2
    assert [one["arguments"] for one in found].count(None) == 1  # as the code says: content="none"
    assert len(rows(folder / "runs.db", "requests")) == 1
    assert pipeline.faults == ()


def test_the_table_of_the_settings_and_the_code_record_one_row_too(folder):
    (folder / "mulligan.toml").write_text("[ledger]\npath = 'runs.db'\n")
    (folder / "other-name.db").symlink_to(folder / "runs.db")
    with Ledger("other-name.db") as ledger, Pipeline([read_file], plugins=[ledger]) as pipeline:
        pipeline.call("read_file", {"path": "a"})

    assert len(rows(folder / "runs.db", "calls")) == 1


def test_ledgers_of_different_files_record_each(folder, monkeypatch):
    monkeypatch.setenv("MULLIGAN_LEDGER", "all.db")
    with Ledger("own.db") as ledger, Pipeline([read_file], plugins=[ledger]) as pipeline:
        pipeline.call("read_file", {"path": "a"})
    configured().close()

    assert [len(rows(folder / name, "calls")) for name in ("all.db", "own.db")] == [1, 1]


def test_two_ledgers_of_one_file_are_one_too_many_for_a_pipeline():
    with pytest.raises(UsageError, match="plugin 'Ledger' is registered twice; pass it once"):
        Pipeline([read_file], plugins=[Ledger("runs.db"), Ledger("runs.db", durable=True)])
