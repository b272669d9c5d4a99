"""The dominance pages tell what the adapters' own tests recorded, and no cell is worse."""

from __future__ import annotations

import dominance_pages
import pytest

TABLES = dominance_pages.tables()


@pytest.mark.parametrize("name", dominance_pages.pages())
def test_a_page_is_what_was_recorded(name):
    assert (dominance_pages.FOLDER / name).read_text("utf-8") == dominance_pages.pages()[name]


@pytest.mark.parametrize("name", TABLES)
def test_no_merit_is_lost_and_most_scenes_gain_one(name):
    scenes = [scene for scene in TABLES[name]["scenes"].values() if "absent" not in scene]
    gained = 0
    for scene in scenes:
        plain, guarded = scene["plain"]["merits"], scene["guarded"]["merits"]
        assert [merit for merit, has in plain.items() if has and not guarded[merit]] == []
        gained += sum(guarded.values()) > sum(plain.values())
    assert gained > len(scenes) / 2


@pytest.mark.parametrize("name", TABLES)
def test_a_scene_that_is_not_played_says_why(name):
    assert all(scene["absent"] for scene in TABLES[name]["scenes"].values() if "absent" in scene)


def test_the_frameworks_played_the_same_scenes():
    assert len({tuple(table["scenes"]) for table in TABLES.values()}) == 1
