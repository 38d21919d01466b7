"""Data files of the sample campaign are checked when they are read."""

from pathlib import Path

import pytest

from annotation.demo.campaign import DATA, Campaign, posts
from annotation.demo.sample_files import read_json, read_jsonl


def test_every_picture_that_a_post_names_is_there_and_no_other():
    named = {str(post.model_dump()["image"]) for post in posts() if post.model_dump().get("image")}
    assert named == {f"pictures/{file.name}" for file in (DATA / "pictures").iterdir()}


def test_a_file_of_another_shape_is_refused_by_its_name_and_the_entry(tmp_path: Path):
    file = tmp_path / "campaign.json"
    file.write_text('{"annotators": ["wren"], "colour": "red"}', encoding="utf-8")
    with pytest.raises(ValueError, match=r"^campaign\.json: pilot_batch: "):
        read_json(file, Campaign)
    file.write_text('{"annotators": ', encoding="utf-8")
    with pytest.raises(ValueError, match=r"^campaign\.json: the whole: "):
        read_json(file, Campaign)
    lines = tmp_path / "posts.jsonl"
    lines.write_text('{"annotators": []}\n', encoding="utf-8")
    with pytest.raises(ValueError, match=r"^posts\.jsonl, line 1: pilot_batch: "):
        read_jsonl(lines, Campaign)
