"""The sample campaign as a ZIP that the ordinary import takes: items.jsonl and pictures."""

import json
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZIP_STORED, ZipFile

from pydantic import BaseModel, ConfigDict

from annotation.demo.drawings import draw
from annotation.demo.sample_files import StrictShape, read_json, read_jsonl

DATA = Path(__file__).with_name("data")


class Campaign(StrictShape):
    """People, batches and texts of the sample campaign; two posts are taken out as examples."""

    annotators: tuple[str, ...]
    pilot_batch: str
    paused_batch: str
    team_batch: str
    talk_batches: dict[str, str]
    withdrawn_post: str
    reported_post: str
    content_warning: str
    consent: str


class SampleVote(BaseModel):
    """A label in the names of Interplay JSONL, dated back from the import instead of dated."""

    model_config = ConfigDict(extra="allow")

    annotator: str
    seconds_ago: int


class SamplePost(BaseModel):
    """An item in the names of Interplay JSONL; the import checks the other names."""

    model_config = ConfigDict(extra="allow")

    id: str
    known_category: int | None = None
    labels: tuple[SampleVote, ...] = ()


CAMPAIGN = read_json(DATA / "campaign.json", Campaign)
GUIDELINES = (DATA / "guidelines.md").read_text(encoding="utf-8")


def posts() -> list[SamplePost]:
    """Return all sample posts, those with a known answer last."""
    return read_jsonl(DATA / "posts.jsonl", SamplePost)


def street_talk() -> list[SamplePost]:
    """Return the posts without votes, enough for an hour of labelling; their pictures are drawn."""
    return read_jsonl(DATA / "street_talk.jsonl", SamplePost)


def archive(now: datetime, talk: Sequence[SamplePost] = ()) -> bytes:
    """Return the campaign, and these posts without votes, as ZIP bytes; votes are dated back from `now` (aware)."""
    rows = [*_rows(now), *(post.model_dump(exclude_unset=True) for post in talk)]
    out = BytesIO()
    with ZipFile(out, "w", ZIP_STORED) as file:
        file.writestr("items.jsonl", "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows))
        for picture in sorted((DATA / "pictures").iterdir()):
            file.write(picture, f"pictures/{picture.name}")
        for drawn in (str(row["image"]) for row in rows[len(rows) - len(talk) :] if "image" in row):
            scene, _dash, number = Path(drawn).stem.partition("-")
            file.writestr(drawn, draw(scene, int(number)))
    return out.getvalue()


def _rows(now: datetime) -> Iterator[dict[str, Any]]:
    for post in posts():
        row = post.model_dump(exclude_unset=True)
        for vote in row.get("labels", ()):
            vote["at"] = (now - timedelta(seconds=vote.pop("seconds_ago"))).isoformat(timespec="seconds")
        yield row
